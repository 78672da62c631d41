"""Results of a training run as commands print them."""

from __future__ import annotations

import json

from card_baselines.cli.console import format_interval, print_table
from card_baselines.run_folder import EVALUATION, RunFolder
from card_baselines.settings import parse_settings
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.match.result import units_of


def print_evaluation(run: RunFolder) -> None:
    """Print the results of a run against its panel, in the first unit of its game."""
    evaluation = json.loads((run.path / EVALUATION).read_text(encoding="utf-8"))
    unit, factor = next(iter(units_of(make_game_of(run)).items()))
    rows = [
        [match["opponent"], format_interval(match["mean"], match["ci95"], factor), f"{match['hands']:,}"]
        for match in evaluation["matches"]
    ]
    print_table(["opponent", f"{unit} (± 95 %)", "hands"], rows, f"{evaluation['env']}: what the trained agent wins")


def make_game_of(run: RunFolder) -> Game:
    """Return the game that a run is about, with the default encoder: that of the run may be code."""
    config = run.config()
    settings = parse_settings(config.get("settings", ()))
    settings.pop("encoder", None)
    return make_game(config["env"], **settings)
