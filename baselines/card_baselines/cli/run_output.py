"""Results of a training run as commands print them."""

from __future__ import annotations

import shlex
from pathlib import Path

from card_baselines.cli.console import PROGRAM, find_program, print_table
from card_baselines.cli.match_output import format_scaled_interval
from card_baselines.run_folder import CURVE, EVALUATION, RunFolder
from card_baselines.settings import parse_settings
from card_envs.damaged_files import explain_damage, read_json_object
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.match.result import units_of


def print_evaluation(run: RunFolder) -> None:
    """Print the results of a run against its panel, in the first unit of its game."""
    path = run.path / EVALUATION
    evaluation = read_json_object(path)
    unit, factor = next(iter(units_of(make_game_of(run)).items()))
    with explain_damage(path):
        rows = [
            [
                str(match["opponent"]),
                format_scaled_interval(match["mean"], match["ci95"], factor),
                f"{match['hands']:,}",
            ]
            for match in evaluation["matches"]
        ]
        title = f"{evaluation['env']}: what the trained agent wins"
    print_table(["opponent", f"{unit} (± 95 %)", "hands"], rows, title)


def make_game_of(run: RunFolder) -> Game:
    """Return the game that a run is about, with the default encoder: that of the run may be code."""
    config = run.config()
    with explain_damage(run.path):
        settings = parse_settings(config.get("env_args", ()))
        settings.pop("encoder", None)
        return make_game(config["env"], **settings)


def print_next_match(folder: RunFolder, words: list[str]) -> None:
    """Print the folder of a run, and the command of a match with its agent; `words` are those after `match`."""
    print(f"Everything about this run, its curve ({CURVE}) included, is in {folder.path}")
    print(f"Let it play: {shlex.join([find_program(), 'match', *words])}")


def print_how_to_activate() -> None:
    """Print how the shell finds this program, if it does not."""
    program = find_program()
    activate = Path(program).with_name("activate")
    if program != PROGRAM and activate.exists():
        print(f"So that the shell finds `{PROGRAM}`: . {shlex.quote(str(activate))}")
