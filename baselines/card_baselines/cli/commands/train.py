"""`card-envs train`: the training scripts under the names of their algorithms."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
import sys
from collections.abc import Mapping
from typing import Annotated, Any

from card_baselines.cli.commands.arguments import WRONG_USE, group_options, parse_options, require_known
from card_baselines.cli.console import print_json
from card_baselines.cli.demo import print_evaluation
from card_baselines.cli.examples import describe_with_example
from card_baselines.papers import presets_of
from card_baselines.run_folder import CURVE, RunFolder
from card_baselines.runs import run
from card_baselines.runs.algorithm import Algorithm, find_algorithm
from card_baselines.runs.evaluation import LOCAL_BEST_RESPONSE
from card_baselines.settings import override_settings
from card_envs import plugins


def train(arguments: list[str]) -> int:
    """Train an agent: `card-envs train ALGORITHM --env ID ...`; leaves a run folder, continues an interrupted one."""
    algorithms = plugins.list_plugins(plugins.ALGORITHMS)
    names = ", ".join(algorithms)
    if not arguments or arguments[0] in ("-h", "--help"):
        usage = "usage: card-envs train ALGORITHM [--preset NAME] [--dry-run] [options]"
        print(f"{usage}\n\n{describe_with_example('train', f'algorithms: {names}')}\n")
        print("--dry-run shows all settings, those of a preset included, and trains nothing.")
        print(f"`card-envs train {next(iter(algorithms))} --help` shows the options of one.")
        return 0 if arguments else WRONG_USE
    algorithm, rest = arguments[0], arguments[1:]
    require_known("algorithm", algorithm, algorithms)
    found = find_algorithm(algorithms[algorithm])
    options = _options(found, rest)
    if options.dry_run:
        print_json(found.describe(options.config))
        return 0
    folder = run.train(
        found, options.config, options.folder or None, progress=options.progress, tensorboard=options.tensorboard
    )
    print_results(folder)
    return 0


def _options(algorithm: Algorithm[Any], arguments: list[str]) -> Any:
    """Return the options of a run: settings not given are those of the preset that is named or fits the game."""
    presets = {**algorithm.presets, **presets_of(algorithm.name)}
    asked = _parse_beginning(arguments)
    if asked.preset:
        require_known(f"{algorithm.name}: preset", asked.preset, presets)
    begin = presets[asked.preset] if asked.preset else _find_fitting(algorithm, asked)
    named = _name_set(algorithm.config)
    made = _options_class(named, presets)
    default = made(preset=asked.preset, config=named(**vars(begin)))
    options = parse_options(made, f"train {algorithm.name}", arguments, default)
    config = algorithm.config(**vars(options.config))
    if asked.settings:
        config = dataclasses.replace(config, settings=override_settings(begin.settings, asked.settings))
    return dataclasses.replace(options, config=config)


def _parse_beginning(arguments: list[str]) -> argparse.Namespace:
    """Return the options that decide with which settings a run begins; the other options change these."""
    parser = argparse.ArgumentParser(prog="card-envs train", add_help=False, allow_abbrev=False)
    for name in ("preset", "env"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--set", dest="settings", nargs="*", default=())
    return parser.parse_known_args(group_options(arguments))[0]


def _find_fitting(algorithm: Algorithm[Any], asked: argparse.Namespace) -> Any:
    """Return the settings that fit an environment and its number of seats, where the algorithm has such."""
    begin = algorithm.config()
    if not algorithm.presets:
        return begin
    config = dataclasses.replace(begin, env=asked.env or begin.env, settings=tuple(asked.settings))
    name = algorithm.find_preset(config)
    if not name:
        return begin
    print(f"settings: preset {name}", file=sys.stderr)
    preset = algorithm.presets[name]
    return dataclasses.replace(preset, env=config.env, settings=override_settings(preset.settings, config.settings))


def _options_class(config: Any, presets: Mapping[str, Any]) -> Any:
    """Return a dataclass of what `card-envs train` adds, and the settings of an algorithm, as tyro reads it."""
    import tyro

    def option(name: str, kind: Any, default: Any, text: str, metavar: str | None = None) -> Any:
        return name, Annotated[kind, tyro.conf.arg(help=text, metavar=metavar)], default

    known = f"Settings to begin with: {', '.join(presets)}." if presets else "This algorithm has no presets."
    fit = " By default those that fit the environment and its number of seats." if presets else ""
    fields = [
        option("preset", str, "", known + fit, "NAME"),
        option("dry_run", bool, False, "Print all settings, and train nothing."),
        option("folder", str, "", "Run folder; an interrupted run there is continued. By default a new one in runs/."),
        option("progress", bool, True, "Show how far the run is; --no-progress for none of it."),
        option("tensorboard", bool, False, "Write the measures for TensorBoard into the run folder."),
        ("config", Annotated[config, tyro.conf.arg(name="")], dataclasses.field(default_factory=config)),
    ]
    made = dataclasses.make_dataclass("TrainOptions", fields)
    made.__doc__ = config.__doc__
    return made


def _name_set(config: Any) -> Any:
    """Return a settings class whose environment arguments are the option `--set`, as in all other commands."""
    import tyro

    if "settings" not in config.__dataclass_fields__:
        return config
    text = "Environment arguments, such as num_players=6."
    option = Annotated[tuple[str, ...], tyro.conf.arg(name="set", help=text)]
    made = dataclasses.make_dataclass(config.__name__, [("settings", option, ())], bases=(config,), frozen=True)
    made.__doc__ = config.__doc__
    return made


def print_results(folder: RunFolder) -> None:
    """Print what a run won, where everything about it is, and what to do next."""
    print_evaluation(folder)
    config = folder.config()
    settings = ["--set", *config["settings"]] if config.get("settings") else []
    panel = [name for name in config.get("final_panel") or config["panel"] if name != LOCAL_BEST_RESPONSE]
    agents = [str(folder.path), *(panel or ["random"])[-1:] * (config.get("num_seats", 2) - 1)]
    words = [config["env"], *settings, "--agents", *agents, "--hands", "100000"]
    print(f"Everything about this run, its curve ({CURVE}) included, is in {folder.path}")
    print(f"Let it play: card-envs match {shlex.join(words)}")
