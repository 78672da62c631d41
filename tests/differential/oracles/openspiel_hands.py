"""OpenSpiel's universal_poker as an oracle, in a process of its own: some of its settings end the process.

Reads a list of hands as JSON from the standard input and writes, for each, what it found: the options at each decision,
the returns, and the first decision that it refused, if any. Everything is by OpenSpiel's player number: the small blind
is player 0, but heads-up the big blind.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import pyspiel

FOLD, CALL = 0, 1


def load(hand: dict[str, Any]) -> Any:
    """Return the game of a hand; keys: stacks, blinds, structure, raise_sizes, max_raises."""
    n, blinds, is_limit = len(hand["stacks"]), hand["blinds"], hand["structure"] == "limit"
    opener = 1 + (blinds.index(max(blinds)) + 1) % n
    settings = {
        "betting": "limit" if is_limit else "nolimit",
        "bettingAbstraction": "fcpa" if is_limit else "fullgame",
        "numPlayers": n,
        "numRounds": 4,
        "numSuits": 4,
        "numRanks": 13,
        "numHoleCards": 2,
        "numBoardCards": "0 3 1 1",
        "blind": " ".join(map(str, blinds)),
        "firstPlayer": f"{opener} 1 1 1",
        "stack": " ".join(map(str, hand["stacks"])),
    }
    if is_limit:
        settings["raiseSize"] = " ".join(map(str, hand["raise_sizes"]))
        settings["maxRaises"] = " ".join(map(str, hand["max_raises"]))
    return pyspiel.load_game("universal_poker", settings)


def replay(hand: dict[str, Any]) -> dict[str, Any]:
    """Return what OpenSpiel finds when it plays the decisions of a hand with its cards."""
    state = load(hand).new_initial_state()
    hole_cards = [card for cards in hand["hole_cards"] for card in cards]
    cards, decisions = iter(hole_cards + hand["board"]), iter(hand["decisions"])
    is_limit = hand["structure"] == "limit"
    found: dict[str, Any] = {"trace": [], "returns": [], "refused": None}
    folded: set[int] = set()
    dealt = closed = 0  # cards, and chips that each player put in on the streets that are over
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(next(cards))
            dealt += 1
            if dealt > len(hole_cards):
                closed = max(state.to_struct().player_contributions)
            continue
        options = options_of(state, hand["stacks"], folded, closed, hand["as_it_is"])
        if options[1:] == [False, 0, None]:
            state.apply_action(CALL)
            continue
        found["trace"].append(options)
        kind, raise_to = found["refused"] = next(decisions, (None, None))
        action = raise_to + closed if kind == 2 and not is_limit else kind
        if action not in state.legal_actions():
            return found
        if action == FOLD:
            folded.add(state.current_player())
        state.apply_action(action)
    return found | {"returns": state.returns(), "refused": next(decisions, None)}


def options_of(state: Any, stacks: list[int], folded: set[int], closed: int, as_it_is: bool) -> list[Any]:
    """Return player, whether folding is legal, chips to call, and the range of raise-to (in limit games: of ids).

    Raises that nobody left could call are left out, unless the options are wanted as they are.
    """
    player, legal, paid = state.current_player(), state.legal_actions(), state.to_struct().player_contributions
    bet = max(paid)
    callers = [p for p in range(len(stacks)) if p != player and p not in folded and stacks[p] > bet]
    raises = [action - closed for action in legal if action > CALL and (callers or as_it_is)]
    return [player, FOLD in legal, min(bet, stacks[player]) - paid[player], [raises[0], raises[-1]] if raises else None]


if __name__ == "__main__":
    json.dump([replay(hand) for hand in json.load(sys.stdin)], sys.stdout)
