"""Our games as OpenSpiel games against OpenSpiel's own: Kuhn and Leduc poker, state by state."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyspiel")

import pyspiel

import card_wrappers.openspiel  # noqa: F401  registers the games

PASS, BET = 0, 1


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
