"""The scripted hold'em players win what is known or stated of them."""

from __future__ import annotations

import pytest

from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.compiler import COMPILED
from card_envs.match import Summary, play_match

pytestmark = pytest.mark.skipif(not COMPILED, reason="thousands of deals, which take hours as plain Python")

MEASURED = [
    ("random", "rlcard_rule", 0.088, 0.008),
    ("rlcard_rule", "always_raise", -0.279, 0.027),
    ("random", "always_raise", -2.870, 0.018),
]
"""Big blinds per hand and their standard errors, 60,000 hands in RLCard 1.2.0 with its own players."""


def first_of(agent: str, others: str, hands: int, num_players: int = 2, **settings: object) -> Summary:
    """Return what `agent` wins against others of one kind, duplicate deals."""
    game = make_game("limit_holdem-v0", num_players=num_players, **settings)
    one, other = find_agent(agent, game), find_agent(others, game)
    return play_match(game, [one, *[other] * (num_players - 1)], hands, seed=4, duplicate=True).agents[0]


@pytest.mark.parametrize(
    "hands", [pytest.param(8_000, id="few"), pytest.param(60_000, id="many", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(("agent", "other", "mean", "error"), MEASURED)
def test_results_under_rlcards_rules_are_those_of_rlcard(
    agent: str, other: str, mean: float, error: float, hands: int
) -> None:
    ours = first_of(agent, other, hands, rules="rlcard")
    assert ours.standard_error < 0.08
    assert abs(ours.mean - mean) < 3.5 * (ours.standard_error**2 + error**2) ** 0.5


@pytest.mark.parametrize("others", ["random", "always_call", "always_raise", "sklansky", "chen", "rlcard_rule"])
@pytest.mark.parametrize("agent", ["tight_aggressive", "shi_rules", "equity"])
def test_players_that_look_at_the_board_beat_those_that_do_not(agent: str, others: str) -> None:
    assert first_of(agent, others, 8_000).ci95[0] > 0


@pytest.mark.parametrize("others", ["random", "always_call", "always_raise", "chen", "sklansky"])
def test_tight_aggressive_beats_five_of_a_kind_at_a_table_of_six(others: str) -> None:
    assert first_of("tight_aggressive", others, 12_000, num_players=6).ci95[0] > 0


@pytest.mark.parametrize("others", ["always_call", "chen", "equity"])
def test_position_ranges_beats_five_of_a_kind_in_no_limit(others: str) -> None:
    game = make_game("no_limit_holdem-v0", num_players=6)
    agents = [find_agent("position_ranges", game), *[find_agent(others, game)] * 5]
    assert play_match(game, agents, 12_000, seed=4, duplicate=True).agents[0].ci95[0] > 0


@pytest.mark.parametrize("others", ["tight_aggressive", "always_call"])
def test_cfr_beats_scripted_players(others: str) -> None:
    assert first_of("cfr", others, 10_000).ci95[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "others",
    [
        "random", "random_low_fold", "always_call", "always_raise", "rlcard_rule", "sklansky_strict", "sklansky_loose",
        "chen_strict", "chen_loose", "shi_rules_strict", "shi_rules_loose", "loose_passive", "tight_aggressive",
        "equity",
    ],
)  # fmt: skip
def test_cfr_beats_every_scripted_player(others: str) -> None:
    assert first_of("cfr", others, 60_000).ci95[0] > 0


@pytest.mark.slow
@pytest.mark.parametrize("others", ["random", "always_call", "chen_strict"])
def test_mcts_beats_five_of_a_kind_at_a_table_of_six(others: str) -> None:
    assert first_of("mcts", others, 6_000, num_players=6).ci95[0] > 0
