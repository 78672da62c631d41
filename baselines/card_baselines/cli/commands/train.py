"""`card-envs train`: training runs of all algorithms."""

from __future__ import annotations

import dataclasses
import inspect
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from card_baselines.cli.arguments import (
    WRONG_USE,
    call_command,
    find_typed_name,
    group_options,
    load_typed,
    require_known,
)
from card_baselines.cli.console import PROGRAM, find_program, print_json, print_table
from card_baselines.cli.examples import describe_with_example
from card_baselines.cli.match_output import format_scaled_interval
from card_baselines.cli.options import Flattened
from card_baselines.run_folder import CURVE, EVALUATION, RunFolder
from card_baselines.runs import run
from card_baselines.runs.algorithm import Algorithm, find_algorithm, require_algorithm
from card_baselines.runs.config import EnvArgs, RunConfig
from card_baselines.runs.evaluation import LOCAL_BEST_RESPONSE
from card_baselines.settings import override_settings, parse_settings
from card_envs import plugins
from card_envs.damaged_files import explain_damage, read_json_object
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.match.result import main_unit_of


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """Options of `card-envs train`; the settings of the algorithm are options too."""

    preset: Annotated[str, tyro.conf.arg(metavar="NAME")] = ""
    """Settings to begin with. By default those that fit the environment and its number of seats."""
    dry_run: bool = False
    """Print all settings, and train nothing."""
    folder: str = ""
    """Run folder; an interrupted run there is continued. By default a new one in runs/."""
    progress: bool = True
    """Progress bar, shown by default."""
    tracker: Annotated[str, tyro.conf.arg(metavar="NAME")] = ""
    """Write the measures for tensorboard (into the run folder), trackio or wandb."""
    config: Annotated[RunConfig, Flattened]
    """Settings of the algorithm; tyro takes their class from the default."""


@dataclass(frozen=True, kw_only=True)
class _Choice:
    """Options that decide the defaults of all others."""

    preset: str = ""
    env: str = ""
    env_args: EnvArgs = ()


def train(arguments: list[str]) -> int:
    """Train an agent; leaves a run folder, and continues an interrupted one."""
    algorithms = plugins.list_plugins(plugins.ALGORITHMS)
    names = ", ".join(algorithms)
    if not arguments or arguments[0] in ("-h", "--help"):
        usage = "usage: card-envs train ALGORITHM [--env ENV] [--preset NAME] [--dry-run] [options]"
        print(f"{usage}\n\n{describe_with_example('train', f'algorithms: {names}')}\n")
        print("ALGORITHM may be one of your own: path/to/file.py:NAME or module:NAME of an Algorithm.")
        print("--dry-run shows all settings, those of a preset included, and trains nothing.")
        print(f"`card-envs train {next(iter(algorithms))} --help` shows the options of one.")
        return 0 if arguments else WRONG_USE
    algorithm, options = read_run(arguments)
    if options.dry_run:
        print_json(algorithm.describe(options.config))
        return 0
    folder = run.train(
        algorithm, options.config, options.folder or None, progress=options.progress, tracker=options.tracker
    )
    print_results(folder)
    return 0


def read_run(arguments: list[str]) -> tuple[Algorithm[Any], TrainOptions]:
    """Return the algorithm that the first word names, and the options of its run, with its settings as `config`."""
    name, *rest = arguments
    algorithm = _find_algorithm(name)
    return algorithm, _parse_options(algorithm, name, rest)


def _find_algorithm(name: str) -> Algorithm[Any]:
    """Return the algorithm that the user typed: a registered name, or code."""
    if ":" in name:
        return require_algorithm(load_typed(name, "algorithm"), name)
    if name.endswith(".py"):
        raise ValueError(f"{name!r} names no algorithm: add the name of an Algorithm in it, such as {name}:ALGORITHM")
    registered = plugins.list_plugins(plugins.ALGORITHMS)
    require_known("algorithm", name, registered)
    return find_algorithm(registered[name])


def _parse_options(algorithm: Algorithm[Any], name: str, arguments: list[str]) -> TrainOptions:
    """Return the options of a run. Settings that they do not name are those of the preset that is named, or fits."""
    presets, command, words = algorithm.presets, f"train {name}", group_options(arguments)
    choice, _ = tyro.cli(_Choice, prog=f"card-envs {command}", args=words, return_unknown_args=True, add_help=False)
    if choice.preset:
        require_known(f"{name}: preset", choice.preset, presets)
    defaults: Any = presets[choice.preset] if choice.preset else _find_fitting_preset(algorithm, choice)
    listed = f"Presets: {', '.join(presets)}." if presets else "This algorithm has no presets."
    options: TrainOptions = call_command(
        TrainOptions, command, arguments, default=TrainOptions(config=defaults),
        description=f"{inspect.getdoc(algorithm.config)}\n\n{listed}",
    )  # fmt: skip
    if not choice.env_args:
        return options
    env_args = override_settings(defaults.env_args, choice.env_args)
    config: Any = options.config
    return dataclasses.replace(options, config=dataclasses.replace(config, env_args=env_args))


def _find_fitting_preset(algorithm: Algorithm[Any], choice: _Choice) -> Any:
    """Return the preset for an environment and its number of seats; if there is none the defaults."""
    config = algorithm.config()
    if not algorithm.presets:
        return config
    env, env_args = choice.env or config.env, choice.env_args
    name = algorithm.find_preset(dataclasses.replace(config, env=env, env_args=env_args))
    if not name:
        return config
    print(f"settings: preset {name}", file=sys.stderr)
    preset = algorithm.presets[name]
    return dataclasses.replace(preset, env=env, env_args=override_settings(preset.env_args, env_args))


def print_results(folder: RunFolder) -> None:
    """Print the results of a run, its folder, and the command to type next."""
    print_evaluation(folder)
    config = folder.config()
    env_args = ["--set", *config["env_args"]] if config.get("env_args") else []
    panel = [name for name in config.get("final_panel") or config["panel"] if name != LOCAL_BEST_RESPONSE]
    agents = [str(folder.path), *(panel or ["random"])[-1:] * (make_game_of(folder).num_seats - 1)]
    words = ["--env", find_typed_name(config["env"]), *env_args, "--agents", *agents, "--hands", "100000"]
    print_next_match(folder, words)


def print_evaluation(run: RunFolder) -> None:
    """Print the results of a run against its panel, in the first unit of its game."""
    path = run.path / EVALUATION
    evaluation = read_json_object(path)
    unit, factor = main_unit_of(make_game_of(run))
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
