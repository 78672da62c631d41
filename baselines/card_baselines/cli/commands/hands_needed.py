"""`card-envs hands-needed`: how many hands a question takes, before it is played out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.cli.commands.arguments import game_for, load_agent
from card_baselines.cli.console import print_json, print_table
from card_baselines.cli.options import AgentNames, AsJson, Settings, join_words
from card_baselines.settings import parse_settings
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.envs import find_entry
from card_envs.match import MatchBatch, hands_for_interval, play_match
from card_envs.match import hands_needed as needed
from card_envs.typing import Rows


def hands_needed(
    difference: float,
    sd: float | None = None,
    pilot: Path | None = None,
    env: str | None = None,
    agents: AgentNames = (),
    pilot_hands: int = 4000,
    power: float = 0.8,
    confidence: float = 0.95,
    seed: int = 0,
    settings: Settings = (),
    as_json: AsJson = False,
) -> int:
    """Say how many hands show a difference, from its standard deviation or from a pilot match.

    Args:
        difference: Mean per hand that is to be told from zero, in the unit of the standard deviation.
        sd: Standard deviation of a hand (or, for duplicate deals, of a deal's mean).
        pilot: File with what `card-envs match --json` printed; its first agent counts.
        env: Environment id of a pilot match to be played now, with duplicate deals and control variates.
        agents: Who plays it.
        pilot_hands: Hands of it.
        power: Probability that the difference, if true, is found.
        confidence: Of the interval that must exclude zero.
        seed: Of the pilot match.
        settings: Arguments of the environment, such as num_players=6.
        as_json: Print JSON.
    """
    if sum(given is not None for given in (sd, pilot, env)) != 1:
        raise ValueError("give one of --sd, --pilot FILE, or --env with --agents")
    per_hand: float | None = None
    if sd is not None:
        samples = [("hands", sd, 1)]
    elif pilot is not None:
        samples = _samples_of_file(pilot)
    else:
        samples, per_hand = _samples_of_match(str(env), join_words(agents), pilot_hands, seed, join_words(settings))
    counted = [
        (play, spread, plays * needed(spread, difference, power, confidence),
         plays * hands_for_interval(spread, difference, confidence))
        for play, spread, plays in samples
    ]  # fmt: skip
    if as_json:
        keys = ("play", "sd", "hands", "hands_for_interval")
        reports = [dict(zip(keys, row, strict=True)) for row in counted]
        decisions = {} if per_hand is None else {"decisions_per_hand": per_hand}
        print_json({"difference": difference, "power": power, "confidence": confidence, **decisions, "plays": reports})
    else:
        rows = [[play, f"{spread:.3f}", f"{found:,}", f"{close:,}"] for play, spread, found, close in counted]
        header = ["play", "sd of a sample", f"hands to find {difference:g}", f"hands for ± {difference:g}"]
        if per_hand is not None:  # each is a call, where the agent is a language model
            header.append(f"decisions for ± {difference:g}")
            rows = [[*row, f"{close * per_hand:,.0f}"] for row, (*_, close) in zip(rows, counted, strict=True)]
        print_table(header, rows, f"power {power:.0%}, confidence {confidence:.0%}")
    return 0


def _samples_of_file(path: Path) -> list[tuple[str, float, int]]:
    try:
        report = json.loads(path.read_text())
        return _samples(report["agents"][0], report["hands"] // report["deals"])
    except (json.JSONDecodeError, KeyError, IndexError, TypeError) as error:
        raise ValueError(f"{path} does not hold what `card-envs match --json` prints") from error


def _samples_of_match(
    env: str, agents: tuple[str, ...], hands: int, seed: int, settings: tuple[str, ...]
) -> tuple[list[tuple[str, float, int]], float]:
    """Return the samples of a match, and how many decisions its first agent had per hand."""
    entry = find_entry(env)
    game, _ = game_for(entry, parse_settings(settings), len(agents))
    players = [load_agent(spec, game) for spec in agents]
    try:
        controls = [ControlVariates(game, players, seed)]
    except ValueError:
        controls = []  # this game has none
    decisions = _Decisions()
    result = play_match(game, players, hands, seed, duplicate=True, callbacks=[*controls, decisions])
    samples = _samples(result.as_json(entry.id, {})["agents"][0], result.hands_per_sample)
    for each in controls:
        adjusted = each.adjust(result)[0].summary
        samples.append(("duplicate deals, control variates", adjusted.sd, result.hands_per_sample))
    return samples, decisions.count / result.hands


class _Decisions:
    """A callback that counts the decisions of the first agent."""

    def __init__(self) -> None:
        self.count = 0

    def on_deal(self, batch: MatchBatch) -> None:
        """Nobody has decided yet."""

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Count those of the first place."""
        self.count += int((batch.agent_indices(rows, batch.tables["actor"][rows].astype(np.int64)) == 0).sum())

    def on_end(self, batch: MatchBatch) -> None:
        """Nobody decides any more."""


def _samples(agent: dict[str, Any], plays: int) -> list[tuple[str, float, int]]:
    """Return (way to play, standard deviation of a sample, hands in it) of a match."""
    samples = [("plain", float(agent["sd_of_hand"]), 1)]
    if plays > 1 and agent["sd_of_sample"] is not None:
        samples.append(("duplicate deals", float(agent["sd_of_sample"]), plays))
    return samples
