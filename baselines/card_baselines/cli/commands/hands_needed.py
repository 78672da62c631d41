"""`card-envs match --hands-needed`: how many hands a comparison takes, before it is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from card_baselines.cli.arguments import game_for
from card_baselines.cli.console import print_report
from card_baselines.cli.forecast import Pilot, Sample, play_pilot, samples_of
from card_baselines.cli.options import AgentNames, AsJson, Settings
from card_baselines.loading import load_agent
from card_baselines.settings import parse_settings
from card_baselines.text_table import TextTable
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.damaged_files import DamagedFileError, explain_damage, read_json_object
from card_envs.match import hands_for_interval
from card_envs.match import hands_needed as compute_hands_needed


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
) -> None:
    """Print how many hands are needed to detect a difference, from a standard deviation or from a pilot match.

    Args:
        difference: Mean per hand that is to be told from zero, in the unit of the standard deviation.
        sd: Standard deviation of a hand (or, for duplicate deals, of a deal's mean).
        pilot: File with what `card-envs match --json` printed; its first agent counts.
        env: Environment id of a pilot match of --agents, to be played now, with duplicate deals and control variates.
        pilot_hands: Hands of the pilot match.
        power: Probability that the difference, if true, is found.
        confidence: Confidence level of the interval that must exclude zero.
        seed: Seed of the pilot match.
    """
    if sum(given is not None for given in (sd, pilot, env)) != 1:
        raise ValueError("give one of --sd, --pilot FILE, or --env with --agents")
    per_hand: float | None = None
    if sd is not None:
        samples = [Sample("hands", sd, 1)]
    elif pilot is not None:
        samples = _read_samples(pilot)
    else:
        played = _play_pilot(str(env), agents, pilot_hands, seed, parse_settings(settings))
        samples, per_hand = list(played.samples), played.decisions_per_hand[0]
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


def _read_samples(path: Path) -> list[Sample]:
    """Return the samples of the first agent in a report of `card-envs match --json`."""
    try:
        report = read_json_object(path)
        with explain_damage(path):
            return samples_of(report["agents"][0], report["hands"] // report["deals"])
    except DamagedFileError as error:
        raise ValueError(
            f"{path} does not hold what `card-envs match --json` prints: "
            f"write it by card-envs match --env ENV --agents A B --json > {path}"
        ) from error


def _play_pilot(env: str, names: tuple[str, ...], hands: int, seed: int, settings: dict[str, Any]) -> Pilot:
    """Play a pilot match with duplicate deals, and control variates where the game has them."""
    game, _ = game_for(env, settings, len(names))
    players = [load_agent(name, game) for name in names]
    try:
        controls = ControlVariates(game, players, seed)
    except ValueError:
        controls = None  # this game has none
    return play_pilot(game, players, hands, seed, True, controls)
