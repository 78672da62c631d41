"""`card-envs train`: training runs of all algorithms."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import sys
from collections.abc import Mapping
from typing import Annotated, Any

from card_baselines.cli.arguments import (
    WRONG_USE,
    find_typed_name,
    group_options,
    load_typed,
    parse_options,
    require_known,
)
from card_baselines.cli.console import print_json
from card_baselines.cli.examples import describe_with_example
from card_baselines.cli.run_output import make_game_of, print_evaluation, print_next_match
from card_baselines.papers import presets_of
from card_baselines.run_folder import RunFolder
from card_baselines.runs import run
from card_baselines.runs.algorithm import Algorithm, find_algorithm, require_algorithm
from card_baselines.runs.evaluation import LOCAL_BEST_RESPONSE
from card_baselines.settings import override_settings
from card_envs import plugins


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


def read_run(arguments: list[str]) -> tuple[Algorithm[Any], Any]:
    """Return the algorithm that the first word names, and the options of its run, with its settings as `config`."""
    registered, (name, *rest) = plugins.list_plugins(plugins.ALGORITHMS), arguments
    algorithm = _find_algorithm(name, registered)
    presets = {**algorithm.presets, **(presets_of(name) if name in registered else {})}
    return algorithm, _parse_options(algorithm, name, presets, rest)


def _find_algorithm(name: str, registered: Mapping[str, str]) -> Algorithm[Any]:
    """Return the algorithm that the user typed: a registered name, or code."""
    if ":" in name:
        return require_algorithm(load_typed(name, "algorithm"), name)
    if name.endswith(".py"):
        raise ValueError(f"{name!r} names no algorithm: add the name of an Algorithm in it, such as {name}:ALGORITHM")
    require_known("algorithm", name, registered)
    return find_algorithm(registered[name])


def _parse_options(algorithm: Algorithm[Any], name: str, presets: Mapping[str, Any], arguments: list[str]) -> Any:
    """Return the options of a run, an object of `_make_options_class`.

    Settings that the arguments do not name are those of the preset that is named, or that fits the game.
    """
    known = _parse_known_options(arguments)
    if known.preset:
        require_known(f"{name}: preset", known.preset, presets)
    defaults = presets[known.preset] if known.preset else _find_fitting_preset(algorithm, known)
    config_class = _rename_settings(algorithm.config)
    options_class = _make_options_class(config_class, presets)
    default = options_class(preset=known.preset, config=config_class(**vars(defaults)))
    options = parse_options(options_class, f"train {name}", arguments, default)
    config = algorithm.config(**vars(options.config))
    if known.settings:
        config = dataclasses.replace(config, settings=override_settings(defaults.settings, known.settings))
    return dataclasses.replace(options, config=config)


def _parse_known_options(arguments: list[str]) -> argparse.Namespace:
    """Return the options that decide the defaults of all others: preset, env, device, minutes and settings."""
    parser = argparse.ArgumentParser(prog="card-envs train", add_help=False, allow_abbrev=False)
    for name in ("preset", "env", "device", "minutes"):
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--set", dest="settings", nargs="*", default=())
    return parser.parse_known_args(group_options(arguments))[0]


def _find_fitting_preset(algorithm: Algorithm[Any], known: argparse.Namespace) -> Any:
    """Return the preset for an environment, its number of seats and the minutes; if there is none the defaults."""
    config = algorithm.config()
    if not algorithm.presets:
        return config
    limits = {"minutes": 0.0, **({"device": known.device} if known.device else {})}
    with contextlib.suppress(ValueError):  # of words that are no number, which are refused where all options are read
        limits["minutes"] = float(known.minutes)
    wanted = dataclasses.replace(config, env=known.env or config.env, settings=tuple(known.settings), **limits)
    name = algorithm.find_preset(wanted)
    if not name:
        return config
    print(f"settings: preset {name}", file=sys.stderr)
    preset = algorithm.presets[name]
    return dataclasses.replace(preset, env=wanted.env, settings=override_settings(preset.settings, wanted.settings))


def _make_options_class(config: Any, presets: Mapping[str, Any]) -> Any:
    """Return a dataclass of the options of `card-envs train` and the settings of an algorithm."""
    import tyro

    def option(name: str, kind: Any, default: Any, text: str, metavar: str | None = None) -> Any:
        return name, Annotated[kind, tyro.conf.arg(help=text, metavar=metavar)], default

    listed = f"Settings to begin with: {', '.join(presets)}." if presets else "This algorithm has no presets."
    fit = " By default those that fit the environment and its number of seats." if presets else ""
    fields = [
        option("preset", str, "", listed + fit, "NAME"),
        option("dry_run", bool, False, "Print all settings, and train nothing."),
        option("folder", str, "", "Run folder; an interrupted run there is continued. By default a new one in runs/."),
        option("progress", bool, True, "Progress bar, shown by default."),
        option(
            "tracker", str, "", "Write the measures for tensorboard (into the run folder), trackio or wandb.", "NAME"
        ),
        ("config", Annotated[config, tyro.conf.arg(name="")], dataclasses.field(default_factory=config)),
    ]
    options = dataclasses.make_dataclass("TrainOptions", fields)
    options.__doc__ = config.__doc__
    return options


def _rename_settings(config: Any) -> Any:
    """Return a settings class whose environment arguments are the option `--set`, as in all other commands."""
    import tyro

    if "settings" not in config.__dataclass_fields__:
        return config
    text = "Environment arguments, such as num_players=6."
    option = Annotated[tuple[str, ...], tyro.conf.arg(name="set", help=text)]
    renamed = dataclasses.make_dataclass(config.__name__, [("settings", option, ())], bases=(config,), frozen=True)
    renamed.__doc__ = config.__doc__
    return renamed


def print_results(folder: RunFolder) -> None:
    """Print the results of a run, its folder, and the command to type next."""
    print_evaluation(folder)
    config = folder.config()
    settings = ["--set", *config["settings"]] if config.get("settings") else []
    panel = [name for name in config.get("final_panel") or config["panel"] if name != LOCAL_BEST_RESPONSE]
    agents = [str(folder.path), *(panel or ["random"])[-1:] * (make_game_of(folder).num_seats - 1)]
    words = ["--env", find_typed_name(config["env"]), *settings, "--agents", *agents, "--hands", "100000"]
    print_next_match(folder, words)
