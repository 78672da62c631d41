"""Our games as OpenSpiel games against OpenSpiel's own: Kuhn and Leduc poker whole, hold'em in random hands.

The two hold'em engines give one chance outcome the same number and one player the same seat. In limit games, action ids
are the same, too. In no-limit games an id of `universal_poker` is the raiser's chips in the whole hand, one of
`bet_menu=integers` those on this street and one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspiel")

import pyspiel

import card_wrappers.openspiel  # noqa: F401  registers the games

ORACLE = Path(__file__).parent / "oracles" / "openspiel_games.py"
PASS, BET = 0, 1
SMALL_BLIND, BIG_BLIND = 5, 10


def kuhn_action(state: Any, action: int) -> int:
    """Return OpenSpiel's action for ours: fold and check are "pass", call and bet are "bet"."""
    facing_bet = 0 in state.legal_actions()
    return BET if action == 2 or (action == 1 and facing_bet) else PASS


def same_action(state: Any, action: int) -> int:
    return action


@pytest.mark.parametrize(
    ("ours", "theirs", "translate", "size"),
    [
        ("card_envs_kuhn_poker", "kuhn_poker", kuhn_action, 58),
        ("card_envs_kuhn_poker(players=3)", "kuhn_poker(players=3)", kuhn_action, 617),
        ("card_envs_leduc_holdem", "leduc_poker", same_action, 9457),
    ],
)
def test_small_games_are_those_of_openspiel_state_by_state(ours: str, theirs: str, translate: Any, size: int) -> None:
    """Actors, legal actions, chance, returns, and which states a player cannot tell apart."""
    information: dict[str, str] = {}
    visited = 0
    pairs = [(pyspiel.load_game(ours).new_initial_state(), pyspiel.load_game(theirs).new_initial_state())]
    while pairs:
        our, their = pairs.pop()
        visited += 1
        assert our.current_player() == their.current_player()
        if our.is_terminal():
            assert our.returns() == their.returns()
        elif our.is_chance_node():
            assert dict(our.chance_outcomes()) == pytest.approx(dict(their.chance_outcomes()))
            pairs += [(our.child(card), their.child(card)) for card in our.legal_actions()]
        else:
            text = our.information_state_string()
            assert information.setdefault(text, their.information_state_string()) == their.information_state_string()
            moves = [(action, translate(our, action)) for action in our.legal_actions()]
            assert sorted(move for _, move in moves) == their.legal_actions()
            pairs += [(our.child(action), their.child(move)) for action, move in moves]
    assert visited == size
    assert len(set(information.values())) == len(information)


def test_bounds_of_small_games_are_those_of_openspiel() -> None:
    for ours, theirs in (
        ("card_envs_kuhn_poker", "kuhn_poker"),
        ("card_envs_kuhn_poker(players=4)", "kuhn_poker(players=4)"),
        ("card_envs_leduc_holdem", "leduc_poker"),
    ):
        our, their = pyspiel.load_game(ours), pyspiel.load_game(theirs)
        for bound in ("num_players", "min_utility", "max_utility", "utility_sum", "max_game_length"):
            assert getattr(our, bound)() == getattr(their, bound)(), (ours, bound)


def universal_poker(players: int, betting: str, stack: int) -> str:
    blinds, opener = ("10 5", 2) if players == 2 else ("5 10" + " 0" * (players - 2), 1 + 2 % players)
    limits = "bettingAbstraction=fcpa,raiseSize=10 10 20 20,maxRaises=3 4 4 4"
    return (
        f"universal_poker(betting={betting},{limits if betting == 'limit' else 'bettingAbstraction=fullgame'},"
        f"numPlayers={players},numRounds=4,blind={blinds},firstPlayer={opener} 1 1 1,numSuits=4,numRanks=13,"
        f"numHoleCards=2,numBoardCards=0 3 1 1,stack={' '.join([str(stack)] * players)})"
    )


def our_game(players: int, betting: str, stack: int) -> str:
    name = "limit_holdem(" if betting == "limit" else "no_limit_holdem(bet_menu=integers,"
    return (
        f"card_envs_{name}players={players},small_blind={SMALL_BLIND},big_blind={BIG_BLIND},stacks={stack},rules=acpc)"
    )


def play_in_both(games: list[tuple[int, str, int]], hands: int) -> list[dict[str, Any]]:
    """Play random hands of (players, betting, stack)."""
    return compare([(our_game(*game), universal_poker(*game), BIG_BLIND) for game in games], hands)


def compare(games: list[tuple[str, str, int]], hands: int) -> list[dict[str, Any]]:
    """Play random hands of (ours, theirs, big blind), in a process of its own: some settings of theirs would end it."""
    questions = [
        {"ours": ours, "theirs": theirs, "unit": big_blind, "hands": hands, "seed": 1}
        for ours, theirs, big_blind in games
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.run(
        [sys.executable, ORACLE],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)  # type: ignore[no-any-return]


def test_holdem_hands_are_those_of_universal_poker() -> None:
    games = [(2, "limit", 1000), (3, "limit", 1000), (2, "nolimit", 300), (3, "nolimit", 120), (6, "nolimit", 80)]
    for game, found in zip(games, play_in_both(games, hands=60), strict=True):
        assert found["differences"] == [], game
        assert found["showdowns"] > 5 and found["decisions"] > 200


@pytest.mark.slow
def test_holdem_hands_are_those_of_universal_poker_on_many_hands() -> None:
    games = [(2, "limit", 1000), (4, "limit", 1000), (2, "nolimit", 2000), (9, "nolimit", 200)]
    assert [found["differences"] for found in play_in_both(games, hands=3000)] == [[]] * len(games)


# --- flop hold'em -----------------------------------------------------------------------------------------------------

FLOP_GAME = (
    "universal_poker(betting=limit,bettingAbstraction=fcpa,numPlayers=2,numRounds=2,blind=100 50,firstPlayer=2 1,"
    "raiseSize={sizes},maxRaises={caps},numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3)"
)
"""Player 0 is the big blind, as in our games; papers write blind=50 100 and firstPlayer=1 2 for the same game."""
OF_PAPERS = ("card_envs_flop_holdem", FLOP_GAME.format(sizes="100 100", caps="3 3"), 100)
OF_DREAM = (
    "card_envs_flop_holdem(bet_sizes=1 2,max_raises=3 4)", FLOP_GAME.format(sizes="100 200", caps="3 4"), 100
)  # fmt: skip


def test_flop_holdem_is_universal_poker_with_two_rounds() -> None:
    for found in compare([OF_PAPERS, OF_DREAM], 300):
        assert found["differences"] == []
        assert found["showdowns"] > 75 and found["decisions"] > 900


@pytest.mark.slow
def test_flop_holdem_is_universal_poker_with_two_rounds_on_many_hands() -> None:
    found = compare([OF_PAPERS], 100_000)[0]
    assert found["differences"] == [] and found["showdowns"] > 25_000
