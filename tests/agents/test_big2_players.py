"""The scripted Big 2 players are as strong as they are said to be."""

from __future__ import annotations

import pytest

from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.compiler import COMPILED
from card_envs.match import play_match

pytestmark = pytest.mark.skipif(not COMPILED, reason="thousands of deals, which take hours as plain Python")


def lower_bound(agent: str, others: str) -> float:
    """Return where the interval of `agent` against three of `others` begins, in points per game."""
    game = make_game("big2-v0")
    one, other = find_agent(agent, game), find_agent(others, game)
    result = play_match(game, [one, other, other, other], 4000, seed=11, duplicate=True)
    return result.agents[0].ci95[0]


@pytest.mark.parametrize(
    ("agent", "others", "points"),
    [
        ("big2_planner", "big2_lowest", 2.5),
        ("big2_planner", "big2_greedy", 2.0),
        ("big2_greedy", "big2_lowest", 1.0),
        ("big2_planner", "random", 12.0),
        ("big2_greedy", "random", 8.5),
        ("big2_lowest", "random", 4.5),
    ],
)
def test_players_beat_three_weaker_ones(agent: str, others: str, points: float) -> None:
    assert lower_bound(agent, others) > points


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "others", "points"), [("rollout", "big2_planner", 0.0), ("mcts", "big2_greedy", 1.5)]
)
def test_searching_players_beat_three_scripted_ones(agent: str, others: str, points: float) -> None:
    assert lower_bound(agent, others) > points
