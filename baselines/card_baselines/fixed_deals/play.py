"""Play the seatings of a benchmark on fixed deals, and summarise the winnings of the agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.fixed_deals.benchmark import ADJUSTED, AGENT, MIXED, Benchmark, Seating
from card_envs.agent import Agent
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.game import Game
from card_envs.match import Summary, play_match, summarise_deals
from card_envs.match.callbacks import rotations

Samples = NDArray[np.float64]
"""(deals, k) winnings of the agent in the unit of the benchmark, by deal and seating: mean over seats and rotations."""

_COST_OF_CONTROLS = 3.0
"""Processor time of a hand with control variates, divided by that of a hand without."""
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
        Winnings of the agent in the unit of the benchmark with 95 % intervals over deals, and under `ADJUSTED` the same
        by control variates if the benchmark has them. For a reference, kind -> its cell; for the mixed table the mean
        over all orders and a list of the `orders`.
    """
    if seatings[0].kind == MIXED:
        samples, adjusted = play_seatings(benchmark, agents, seatings, progress)
        orders = [{"order": list(seating.opponents), **_to_json(samples[:, k])} for k, seating in enumerate(seatings)]
        return {**_to_json(samples.mean(axis=1), adjusted), "orders": orders}
    cells, by_kind = dict[str, Any](), dict[str, Samples]()
    for seating in seatings:
        samples, adjusted = play_seatings(benchmark, agents, [seating], progress)
        by_kind[seating.kind] = samples[:, 0]
        cells[seating.kind] = _to_json(samples[:, 0], adjusted)
    for name, kind in benchmark.kinds.items():
        if kind.mean_of:
            cells[name] = _to_json(np.mean([by_kind[each] for each in kind.mean_of], axis=0))
    return {name: cells[name] for name in benchmark.kinds}


def play_seatings(
    benchmark: Benchmark,
    agents: Mapping[str, Agent],
    seatings: Sequence[Seating],
    progress: Callable[[int], None] | None = None,
) -> tuple[Samples, Summary | None]:
    """Play each deal with all seatings of the same players, each at all rotations of the table.

    Returns:
        Winnings of the agent, and their mean adjusted by control variates if the benchmark has them.
    """
    game, players = benchmark.make_game(), sorted(seatings[0].players, key=lambda player: player != AGENT)
    playing, own = [agents[player] for player in players], players.count(AGENT)
    at_seats = np.concatenate([_place(players, seating.players)[rotations(game.num_seats)] for seating in seatings])
    controls = [ControlVariates(game, playing, benchmark.seed, num_adjusted=own)] if benchmark.control_variates else []
    result = play_match(
        game, playing, len(at_seats) * seatings[0].deals, benchmark.seed, duplicate=True, progress=progress,
        callbacks=controls, seatings=at_seats,
    )  # fmt: skip
    won = result.payoffs[:, :own].mean(axis=1).reshape(result.deals, len(seatings), game.num_seats).mean(axis=2)
    adjusted = [each.adjust(result)[0].summary.scale(benchmark.per_hand) for each in controls]
    scale = benchmark.per_hand / result.chips_per_reward
    return np.asarray(won * scale, np.float64), adjusted[0] if adjusted else None


def _place(players: Sequence[str], order: Sequence[str]) -> NDArray[np.int64]:
    """Return for each place of an order of play an index of `players`, each once."""
    free = list(enumerate(players))
    found = []
    for name in order:
        place = next(place for place in free if place[1] == name)
        free.remove(place)
        found.append(place[0])
    return np.array(found)


def estimate_seconds(benchmark: Benchmark, agents: Mapping[str, Agent], seatings: Sequence[Seating]) -> float:
    """Return about how many processor seconds the seatings take, from short matches of each player with itself."""
    game = benchmark.make_game()
    per_seat = {name: _measure_hand(game, agent) / game.num_seats for name, agent in agents.items()}
    seconds = sum(seating.hands * sum(per_seat[player] for player in seating.players) for seating in seatings)
    return seconds * (_COST_OF_CONTROLS if benchmark.control_variates else 1.0)


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


def _to_json(won: NDArray[np.float64], adjusted: Summary | None = None) -> dict[str, Any]:
    """Return mean, 95 % interval and number of deals of samples (deals,), and the adjusted mean and interval."""
    summary = summarise_deals(AGENT, won)
    cell = {**_interval(summary), "deals": summary.num_samples}
    return cell if adjusted is None else {**cell, ADJUSTED: _interval(adjusted)}


def _interval(summary: Summary) -> dict[str, Any]:
    return {"mean": round(summary.mean, 4), "ci95": [round(bound, 4) for bound in summary.ci95]}
