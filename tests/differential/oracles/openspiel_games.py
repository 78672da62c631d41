"""Random hands in two OpenSpiel games at once, ours and `universal_poker`, in a process of its own.

Reads a list of {"ours", "theirs", "unit" (their chips in one of our returns), "hands", "seed"} as JSON, standard input,
and writes for each what it found: differences in actor, legal actions, chance outcomes and returns, and counts.

Known and left out: `universal_poker` offers raises that nobody left could call, lets a seat that can only check do so,
and pays odd chips in fractions, so returns may differ by less than a chip for each seat.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import pyspiel

import card_wrappers.openspiel  # noqa: F401  registers our games
from card_envs.games.holdem.actions import INTEGERS_OFFSET

FOLD, CALL = 0, 1


class Hand:
    """One hand in both games."""

    def __init__(self, question: dict[str, Any]) -> None:
        self.ours = pyspiel.load_game(question["ours"]).new_initial_state()
        self.theirs = pyspiel.load_game(question["theirs"]).new_initial_state()
        self.is_limit = "betting=limit" in question["theirs"]
        self.unit = question["unit"]
        self.decisions = 0

    def play(self, rng: random.Random) -> str | None:
        """Play to the end; return the first difference, None if there is none."""
        while not self.ours.is_terminal():
            self._skip_checks_that_are_no_choice()
            if self.ours.current_player() != self.theirs.current_player():
                return self._difference("actors", self.ours.current_player(), self.theirs.current_player())
            found = self._deal(rng) if self.ours.is_chance_node() else self._decide(rng)
            if found:
                return found
        self._skip_checks_that_are_no_choice()
        return self._compare_returns()

    def _skip_checks_that_are_no_choice(self) -> None:
        """Let players of theirs check who have no opponent with chips; our game does not ask them."""
        while self.theirs.current_player() >= 0 and self.ours.current_player() != self.theirs.current_player():
            if CALL not in self.theirs.legal_actions():
                return
            self.theirs.apply_action(CALL)

    def _deal(self, rng: random.Random) -> str | None:
        outcomes = [[card for card, _ in state.chance_outcomes()] for state in (self.ours, self.theirs)]
        if outcomes[0] != outcomes[1]:
            return self._difference("chance", *outcomes)
        card = rng.choice(outcomes[0])
        self.ours.apply_action(card)
        self.theirs.apply_action(card)
        return None

    def _decide(self, rng: random.Random) -> str | None:
        self.decisions += 1
        translated = {self._translated(action): action for action in self.ours.legal_actions()}
        theirs = self.theirs.legal_actions()
        if sorted(translated) != self._offered_by_ours(theirs):
            return self._difference("legal actions", sorted(translated), theirs)
        kinds = [[move] for move in translated if move <= CALL] + [[move for move in translated if move > CALL]]
        move = rng.choice(rng.choice([group for group in kinds if group for _ in range(1 if group == [FOLD] else 4)]))
        self.ours.apply_action(translated[move])
        self.theirs.apply_action(move)
        return None

    def _translated(self, action: int) -> int:
        """Return the id of one of our actions in `universal_poker`."""
        if action <= CALL or self.is_limit:
            return action
        t = self.ours.episode.tables[0]
        return int(action - INTEGERS_OFFSET + t.hand_commit[t.actor] - t.street_commit[t.actor])

    def _offered_by_ours(self, moves: list[int]) -> list[int]:
        t = self.ours.episode.tables[0]
        others = [s for s in range(int(t.num_seats)) if s != t.actor and int(t.in_hand) >> s & 1]
        if any(t.stack[s] + t.street_commit[s] > t.current_bet for s in others):
            return moves
        return [move for move in moves if move <= CALL]

    def _compare_returns(self) -> str | None:
        if not self.theirs.is_terminal():
            return self._difference("ends", "over", str(self.theirs))
        ours, theirs = self.ours.returns(), self.theirs.returns()
        seats = len(ours)
        if any(abs(our * self.unit - their) >= seats for our, their in zip(ours, theirs, strict=True)):
            return self._difference("returns", ours, theirs)
        return None

    def _difference(self, what: str, ours: Any, theirs: Any) -> str:
        return f"{what}: {ours} here, {theirs} in universal_poker, after {self.ours}"


def compare(question: dict[str, Any]) -> dict[str, Any]:
    """Return the differences of all hands, and how many decisions and showdowns there were."""
    rng = random.Random(question["seed"])
    found: dict[str, Any] = {"differences": [], "decisions": 0, "showdowns": 0}
    for _ in range(question["hands"]):
        hand = Hand(question)
        difference = hand.play(rng)
        found["differences"] += [difference] if difference else []
        found["decisions"] += hand.decisions
        found["showdowns"] += bin(int(hand.ours.episode.tables[0].in_hand)).count("1") > 1
    return found


if __name__ == "__main__":
    json.dump([compare(question) for question in json.load(sys.stdin)], sys.stdout)
