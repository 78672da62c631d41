"""The demonstration: two minutes of training on heads-up limit hold'em, then a table of matches."""

from __future__ import annotations

import json
from dataclasses import dataclass

from card_baselines.cli.console import interval_cell, print_table
from card_baselines.run_folder import CURVE, EVALUATION, RunFolder
from card_baselines.runs.config import require_above_0
from card_baselines.runs.run import train
from card_baselines.sb3 import maskable_ppo
from card_baselines.settings import parse_settings
from card_envs.envs import make_game
from card_envs.match.result import units_of

OPPONENTS = ("always_call", "always_raise", "chen", "shi_rules", "tight_aggressive", "equity")
"""Whom the demonstration trains against."""
STRANGERS = ("random", "loose_passive", "cfr_small")
"""Whom it never meets before it is measured."""


@dataclass(frozen=True)
class Config:
    """Settings of the demonstration."""

    minutes: float = 2.0
    """Time to train, evaluations along the way included."""
    hands: int = 50_000
    """Hands of each match at the end."""
    seed: int = 0
    folder: str = ""
    """Run folder; by default a new one below `runs/`."""

    def __post_init__(self) -> None:
        """Raise ValueError for no time at all, which other runs take for no limit."""
        require_above_0(self, "minutes")


def main(config: Config) -> RunFolder:
    """Train, play, print the table, and return the run folder."""
    print(f"Training MaskablePPO on heads-up limit hold'em for {config.minutes:g} minutes ...", flush=True)
    run = train(
        maskable_ppo.ALGORITHM,
        maskable_ppo.Config(
            minutes=config.minutes,
            opponents=OPPONENTS,
            panel=(*OPPONENTS, *STRANGERS),
            num_tables=256,  # small batches, many updates: what two minutes are best spent on
            steps_per_update=16,
            minibatch=512,
            epochs=4,
            evaluation_seconds=60.0,
            evaluation_hands=1000,
            final_hands=config.hands,
            seed=config.seed,
        ),
        config.folder or None,
    )
    print_evaluation(run)
    print(f"It trained against the first {len(OPPONENTS)}; {', '.join(STRANGERS)} were new to it.")
    print(f"Everything about this run, its curve ({CURVE}) included, is in {run.path}")
    print(f"Let it play: card-envs match limit_holdem-v0 --agents {run.path} equity --hands 100000")
    return run


def print_evaluation(run: RunFolder) -> None:
    """Print the results of a run against its panel, in the first of the units in which people read its game."""
    evaluation, config = json.loads((run.path / EVALUATION).read_text()), run.config()
    settings = parse_settings(config.get("settings", ()))
    settings.pop("encoder", None)  # it changes no unit, and may be code
    units = units_of(make_game(config["env"], **settings))
    unit, factor = next(iter(units.items()))
    rows = [
        [match["opponent"], interval_cell(match["mean"], match["ci95"], factor), f"{match['hands']:,}"]
        for match in evaluation["matches"]
    ]
    print_table(["opponent", f"{unit} (± 95 %)", "hands"], rows, f"{evaluation['env']}: what the trained agent wins")
