"""Forecasts: a pilot match estimates how many hands, and decisions of each agent, an interval takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.loading import load_agent
from card_envs.agent import Agent, Decisions
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.game import Game
from card_envs.match import MatchBatch, MatchCallback, hands_for_interval, play_match
from card_envs.match.result import units_of
from card_envs.typing import Rows

PILOT_HANDS = 500
"""Number of hands of the pilot match before a match."""
MAX_SD = 1e30
"""Largest standard deviation that is read from the report of a match."""
_LANGUAGE_MODEL = "llm:"
_STAND_IN = "random"
"""Agent that plays in place of a language model. It mixes: equal agents that do not would have a variance of zero in
duplicate deals, and with it the forecast."""


class Sample(NamedTuple):
    """Standard deviation of the samples of one way to play a match."""

    play: str
    """Way to play, such as "duplicate deals"."""
    sd: float
    """Standard deviation of a sample, in the unit of the game per hand."""
    hands: int
    """Number of hands in a sample."""


@dataclass(frozen=True)
class Pilot:
    """Statistics of a short match, from which the interval of a longer one is forecast."""

    samples: tuple[Sample, ...]
    """Ways to play; the last one has the smallest variance."""
    decisions_per_hand: tuple[float, ...]
    """Mean number of decisions of each agent in a hand."""


def play_pilot(
    game: Game, agents: Sequence[Agent], hands: int, seed: int, duplicate: bool, controls: ControlVariates | None
) -> Pilot:
    """Play a match and return the variance of its samples, with `controls` also that of adjusted ones."""
    counter = _DecisionCounter(game.num_seats)
    callbacks: list[MatchCallback] = [counter] if controls is None else [counter, controls]
    result = play_match(game, agents, hands, seed, duplicate, callbacks=callbacks)
    samples = samples_of(result.as_json(game.name, {})["agents"][0], result.hands_per_sample)
    if controls is not None:
        play = "duplicate deals, control variates" if duplicate else "control variates"
        samples.append(Sample(play, controls.adjust(result)[0].summary.sd, result.hands_per_sample))
    return Pilot(tuple(samples), tuple((counter.counts / result.hands).tolist()))


def samples_of(agent: dict[str, Any], hands_per_sample: int) -> list[Sample]:
    """Return the samples of an agent in the report of a match, see `MatchResult.as_json`.

    Raises:
        ValueError: If a standard deviation is negative or not finite.
    """
    samples = [Sample("plain", float(agent["sd_of_hand"]), 1)]
    if hands_per_sample > 1 and agent["sd_of_sample"] is not None:
        samples.append(Sample("duplicate deals", float(agent["sd_of_sample"]), hands_per_sample))
    for sample in samples:
        if not 0 <= sample.sd < MAX_SD:
            raise ValueError(f"the standard deviation {sample.sd} of {sample.play} must be from 0 to {MAX_SD}")
    return samples


class _DecisionCounter(MatchCallback):
    """Match callback that counts the decisions of each agent."""

    def __init__(self, num_agents: int) -> None:
        self.counts = np.zeros(num_agents, np.int64)

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Count the decisions."""
        agents = batch.agent_indices(rows, batch.tables["actor"][rows].astype(np.int64))
        self.counts += np.bincount(agents, minlength=len(self.counts))


class _StandIn(Agent):
    """Agent of a pilot match that plays in place of a language model. Like this, it shows no probabilities."""

    def __init__(self, agent: Agent) -> None:
        self.name, self.encoder, self._agent = agent.name, agent.encoder, agent

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the actions of the wrapped agent."""
        return self._agent.act(decisions, rng)


def is_language_model(name: str) -> bool:
    """Return True for the name of an agent whose decisions are calls of a language model."""
    return name.startswith(_LANGUAGE_MODEL)


def forecast_match(
    game: Game, names: Sequence[str], hands: int, seed: int, duplicate: bool, control_variates: bool,
    within: float | None, device: str,
) -> list[str]:  # fmt: skip
    """Return lines about the cost of a match, estimated by a pilot match of other deals.

    Args:
        game: The game.
        names: Names of the agents.
        hands: Number of hands of the match.
        seed: Seed of the match.
        duplicate: Whether it plays duplicate deals.
        control_variates: Whether it uses control variates.
        within: Wanted half width of the interval, in the first unit in which the game's results are printed.
        device: Device of the agents' networks.
    """
    agents = [
        _StandIn(load_agent(_STAND_IN, game)) if is_language_model(name) else load_agent(name, game, device)
        for name in names
    ]
    controls = ControlVariates(game, agents, seed + 1) if control_variates else None
    pilot = play_pilot(game, agents, PILOT_HANDS, seed + 1, duplicate, controls)
    sample, (unit, factor) = pilot.samples[-1], next(iter(units_of(game).items()))
    half_width = within or factor * _half_width_after(hands, sample)
    needed = sample.hands * hands_for_interval(sample.sd, half_width / factor) if within else hands
    decisions = zip(names, pilot.decisions_per_hand, strict=True)
    calls = [f"{round(needed * count):,} calls of {name}" for name, count in decisions if is_language_model(name)]
    cost = " and ".join([f"{needed:,} hands", *calls])
    lines = [f"± {half_width:,.3g} {unit} takes about {cost} (estimated by {PILOT_HANDS} hands of a pilot match)"]
    if calls:
        lines.append(f"in the pilot match, {_STAND_IN} played in place of language models")
    if needed > hands:
        lines.append(f"this match has {hands:,} hands: for the wanted interval type --hands {needed}")
    return lines


def _half_width_after(hands: int, sample: Sample) -> float:
    """Return half the width of the 95 % interval of the mean after a number of hands."""
    return 1.96 * sample.sd / math.sqrt(max(1, hands // sample.hands))
