"""Play the seatings of the Big 2 benchmark, and summarise the winnings of the agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.big2_benchmark.deals import SEED
from card_baselines.big2_benchmark.seatings import AGENT, MIXED, NEIGHBOURS, OPPOSITE, Seating
from card_envs.agent import Agent
from card_envs.game import Game
from card_envs.match import play_match, summarise_deals

Samples = NDArray[np.float64]
"""(deals,) winnings of the agent in points per game and seat, mean over the rotations of each deal."""

_PILOT_DEALS = (1, 32)
"""Numbers of deals of the first pilot match, and of the second, which follows if the first is quick."""
_QUICK_SECONDS = 0.25


def play_group(
    game: Game,
    agents: Mapping[str, Agent],
    seatings: Sequence[Seating],
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Play the seatings of one reference, or those of the mixed table, and return the winnings of the agent.

    Args:
        game: `big2-v0` with its default rules.
        agents: Name -> agent, for the references; `AGENT` -> the agent to measure.
        seatings: Seatings of a group, see `list_groups`.
        progress: Called with the number of hands finished since its last call.

    Returns:
        Points a game of the agent with 95 % intervals over deals. For a reference `one_against_three`, `neighbours`,
        `opposite` and `two_against_two` (the mean of both orders); for the mixed table the mean over the six circular
        orders and a list of the `orders`.
    """
    samples = [(seating, play_seating(game, agents, seating, progress)) for seating in seatings]
    if seatings[0].kind == MIXED:
        mean = _to_json(np.mean([points for _, points in samples], axis=0))
        return {
            **mean,
            "orders": [{"order": list(seating.opponents), **_to_json(points)} for seating, points in samples],
        }
    both = [points for seating, points in samples if seating.kind in (NEIGHBOURS, OPPOSITE)]
    cells = {seating.kind: _to_json(points) for seating, points in samples}
    return {**cells, "two_against_two": _to_json(np.mean(both, axis=0))}


def play_seating(
    game: Game, agents: Mapping[str, Agent], seating: Seating, progress: Callable[[int], None] | None = None
) -> Samples:
    """Return the winnings of the agent in each deal, in points per game and seat."""
    players = [agents[player] for player in seating.players]
    result = play_match(game, players, seating.hands, SEED, duplicate=True, progress=progress)
    own = [index for index, player in enumerate(seating.players) if player == AGENT]
    return np.asarray(result.deal_means[:, own].mean(axis=1), np.float64)


def estimate_seconds(game: Game, agents: Mapping[str, Agent], seatings: Sequence[Seating]) -> float:
    """Return about how many processor seconds the seatings take, from short matches of each player with itself."""
    per_hand = {name: _measure_hand(game, agent) / game.num_seats for name, agent in agents.items()}
    return sum(seating.hands * sum(per_hand[player] for player in seating.players) for seating in seatings)


def _measure_hand(game: Game, agent: Agent) -> float:
    """Return the processor seconds of a hand between four copies of an agent."""
    play_match(game, [agent] * game.num_seats, 1, SEED + 1)  # kernels may have to be compiled first
    seconds = 0.0
    for deals in _PILOT_DEALS:
        hands, start = deals * game.num_seats, time.process_time()
        play_match(game, [agent] * game.num_seats, hands, SEED + 1, duplicate=True)
        seconds = (time.process_time() - start) / hands
        if seconds * hands > _QUICK_SECONDS:
            break
    return seconds


def _to_json(points: Samples) -> dict[str, Any]:
    """Return mean, 95 % interval and number of deals of samples."""
    summary = summarise_deals(AGENT, points)
    return {
        "mean": round(summary.mean, 4),
        "ci95": [round(bound, 4) for bound in summary.ci95],
        "deals": summary.num_samples,
    }
