"""`card-envs match --hands-needed`: how many hands a comparison takes, and forecasts of matches by `match --within`.

A pilot match estimates how many hands, and decisions of each agent, an interval takes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.cli.arguments import game_for
from card_baselines.cli.console import print_report
from card_baselines.cli.options import AgentNames, AsJson, Settings
from card_baselines.loading import load_agent
from card_baselines.settings import parse_settings
from card_baselines.text_table import TextTable
from card_envs.agent import Agent, Decisions
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.game import Game
from card_envs.match import MatchBatch, MatchCallback, hands_for_interval, play_match
from card_envs.match import hands_needed as compute_hands_needed
from card_envs.match.result import main_unit_of
from card_envs.typing import Rows

PILOT_HANDS = 500
"""Number of hands of the pilot match before a match."""
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


def play_pilot(
    game: Game, agents: Sequence[Agent], hands: int, seed: int, duplicate: bool, controls: ControlVariates | None
) -> tuple[list[Sample], list[float]]:
    """Play a match, from which the interval of a longer one is forecast.

    Returns:
        The samples of the match, with `controls` also adjusted ones, those with the smallest variance last; and the
        mean number of decisions of each agent in a hand.
    """
    counter = _DecisionCounter(game.num_seats)
    callbacks: list[MatchCallback] = [counter] if controls is None else [counter, controls]
    result = play_match(game, agents, hands, seed, duplicate, callbacks=callbacks)
    samples = [Sample("plain", result.hand_sds[0], 1)]
    if duplicate and result.deals > 1:
        samples.append(Sample("duplicate deals", result.agents[0].sd, result.hands_per_sample))
    if controls is not None:
        play = "duplicate deals, control variates" if duplicate else "control variates"
        samples.append(Sample(play, controls.adjust(result)[0].summary.sd, result.hands_per_sample))
    return samples, (counter.counts / result.hands).tolist()


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
    samples, decisions_per_hand = play_pilot(game, agents, PILOT_HANDS, seed + 1, duplicate, controls)
    sample, (unit, factor) = samples[-1], main_unit_of(game)
    half_width = within or factor * 1.96 * sample.sd / math.sqrt(max(1, hands // sample.hands))
    needed = sample.hands * hands_for_interval(sample.sd, half_width / factor) if within else hands
    decisions = zip(names, decisions_per_hand, strict=True)
    calls = [f"{round(needed * count):,} calls of {name}" for name, count in decisions if is_language_model(name)]
    cost = " and ".join([f"{needed:,} hands", *calls])
    lines = [f"± {half_width:,.3g} {unit} takes about {cost} (estimated by {PILOT_HANDS} hands of a pilot match)"]
    if calls:
        lines.append(f"in the pilot match, {_STAND_IN} played in place of language models")
    if needed > hands:
        lines.append(f"this match has {hands:,} hands: for the wanted interval type --hands {needed}")
    return lines


# --- card-envs match --hands-needed ---


def hands_needed(
    difference: float,
    sd: float | None = None,
    env: str | None = None,
    agents: AgentNames = (),
    pilot_hands: int = 4000,
    power: float = 0.8,
    confidence: float = 0.95,
    seed: int = 0,
    settings: Settings = (),
    as_json: AsJson = False,
) -> None:
    """Print how many hands are needed to detect a difference, from a standard deviation or from a pilot match.

    Args:
        difference: Mean per hand that is to be told from zero, in the unit of the standard deviation.
        sd: Standard deviation of a hand (or, for duplicate deals, of a deal's mean).
        env: Environment id of a pilot match of --agents, to be played now, with duplicate deals and control variates.
        pilot_hands: Hands of the pilot match.
        power: Probability that the difference, if true, is found.
        confidence: Confidence level of the interval that must exclude zero.
        seed: Seed of the pilot match.
    """
    if (sd is None) == (env is None):
        raise ValueError("give either --sd or --env with --agents")
    per_hand: float | None = None
    if sd is not None:
        samples = [Sample("hands", sd, 1)]
    else:
        samples, (per_hand, *_) = _play_pilot(str(env), agents, pilot_hands, seed, parse_settings(settings))
    rows = [_count_hands(sample, difference, power, confidence) for sample in samples]
    decisions = {} if per_hand is None else {"decisions_per_hand": per_hand}
    content = {"difference": difference, "power": power, "confidence": confidence, **decisions, "plays": rows}
    table = _make_table(rows, difference, per_hand, f"power {power:.0%}, confidence {confidence:.0%}")
    print_report(content, [table], as_json)


def _count_hands(sample: Sample, difference: float, power: float, confidence: float) -> dict[str, Any]:
    """Return the numbers of hands that one way to play takes."""
    return {
        "play": sample.play,
        "sd": sample.sd,
        "hands": sample.hands * compute_hands_needed(sample.sd, difference, power, confidence),
        "hands_for_interval": sample.hands * hands_for_interval(sample.sd, difference, confidence),
    }


def _make_table(rows: list[dict[str, Any]], difference: float, per_hand: float | None, title: str) -> TextTable:
    header = ["play", "sd of a sample", f"hands to find {difference:g}", f"hands for ± {difference:g}"]
    cells = [[row["play"], f"{row['sd']:.3f}", f"{row['hands']:,}", f"{row['hands_for_interval']:,}"] for row in rows]
    if per_hand is not None:  # each is a call, where the agent is a language model
        header.append(f"decisions for ± {difference:g}")
        cells = [[*line, f"{row['hands_for_interval'] * per_hand:,.0f}"]
                 for line, row in zip(cells, rows, strict=True)]  # fmt: skip
    return TextTable(title, header, cells)


def _play_pilot(
    env: str, names: tuple[str, ...], hands: int, seed: int, settings: dict[str, Any]
) -> tuple[list[Sample], list[float]]:
    """Play a pilot match with duplicate deals, and control variates where the game has them."""
    game, _ = game_for(env, settings, len(names))
    players = [load_agent(name, game) for name in names]
    try:
        controls = ControlVariates(game, players, seed)
    except ValueError:
        controls = None  # this game has none
    return play_pilot(game, players, hands, seed, True, controls)
