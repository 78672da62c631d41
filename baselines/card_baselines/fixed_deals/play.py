"""Play the seatings of a benchmark on fixed deals, and summarise the winnings of the agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.fixed_deals.benchmark import AGENT, MIXED, Benchmark, Seating
from card_envs.agent import Agent
from card_envs.game import Game
from card_envs.match import play_match, summarise_deals

Samples = NDArray[np.float64]
"""(deals,) winnings of the agent in the unit of the benchmark, mean over its seats and the rotations of each deal."""

_PILOT_DEALS = (1, 32)
"""Numbers of deals of the first pilot match, and of the second, which follows if the first is quick."""
_QUICK_SECONDS = 0.25


def play_group(
    benchmark: Benchmark,
    agents: Mapping[str, Agent],
    seatings: Sequence[Seating],
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Play the seatings of one reference, or those of the mixed table, and return the winnings of the agent.

    Args:
        benchmark: The benchmark.
        agents: Name -> agent, for the references; `AGENT` -> the agent to measure.
        seatings: Seatings of a group, see `list_groups`.
        progress: Called with the number of hands finished since its last call.

    Returns:
        Winnings of the agent in the unit of the benchmark with 95 % intervals over deals. For a reference, kind -> its
        cell; for the mixed table the mean over all orders and a list of the `orders`.
    """
    samples = {seating: play_seating(benchmark, agents, seating, progress) for seating in seatings}
    if seatings[0].kind == MIXED:
        mean = _to_json(np.mean(list(samples.values()), axis=0))
        return {
            **mean,
            "orders": [{"order": list(seating.opponents), **_to_json(won)} for seating, won in samples.items()],
        }
    by_kind = {seating.kind: won for seating, won in samples.items()}
    for name, kind in benchmark.kinds.items():
        if kind.mean_of:
            by_kind[name] = np.mean([by_kind[each] for each in kind.mean_of], axis=0)
    return {name: _to_json(by_kind[name]) for name in benchmark.kinds}


def play_seating(
    benchmark: Benchmark,
    agents: Mapping[str, Agent],
    seating: Seating,
    progress: Callable[[int], None] | None = None,
) -> Samples:
    """Return the winnings of the agent in each deal, in the unit of the benchmark, per hand and seat."""
    players = [agents[player] for player in seating.players]
    result = play_match(
        benchmark.make_game(), players, seating.hands, benchmark.seed, duplicate=True, progress=progress
    )
    own = [index for index, player in enumerate(seating.players) if player == AGENT]
    return np.asarray(benchmark.per_hand * result.deal_means[:, own].mean(axis=1), np.float64)


def estimate_seconds(game: Game, agents: Mapping[str, Agent], seatings: Sequence[Seating]) -> float:
    """Return about how many processor seconds the seatings take, from short matches of each player with itself."""
    per_seat = {name: _measure_hand(game, agent) / game.num_seats for name, agent in agents.items()}
    return sum(seating.hands * sum(per_seat[player] for player in seating.players) for seating in seatings)


def _measure_hand(game: Game, agent: Agent) -> float:
    """Return the processor seconds of a hand between copies of an agent in all seats."""
    seed, seconds = 0, 0.0
    play_match(game, [agent] * game.num_seats, 1, seed)  # kernels may have to be compiled first
    for deals in _PILOT_DEALS:
        hands, start = deals * game.num_seats, time.process_time()
        play_match(game, [agent] * game.num_seats, hands, seed, duplicate=True)
        seconds = (time.process_time() - start) / hands
        if seconds * hands > _QUICK_SECONDS:
            break
    return seconds


def _to_json(won: Samples) -> dict[str, Any]:
    """Return mean, 95 % interval and number of deals of samples."""
    summary = summarise_deals(AGENT, won)
    return {
        "mean": round(summary.mean, 4),
        "ci95": [round(bound, 4) for bound in summary.ci95],
        "deals": summary.num_samples,
    }
