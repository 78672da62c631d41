"""`card-envs train`: the training scripts under the names of their algorithms."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from card_baselines.cli.commands.arguments import WRONG_USE, nearest, parsed
from card_baselines.cli.console import print_json
from card_baselines.papers import presets_of
from card_envs import plugins

_PRESET, _ENV, _DRY_RUN = "--preset", "--env", "--dry-run"


def train(arguments: list[str]) -> int:
    """Train an agent: `card-envs train ALGORITHM --env ID ...`; leaves a run folder, continues an interrupted one."""
    algorithms = plugins.registered(plugins.ALGORITHMS)
    names = ", ".join(algorithms)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(f"usage: card-envs train ALGORITHM [--preset NAME] [--dry-run] [options]\n\nalgorithms: {names}\n")
        print("--dry-run shows all settings, those of a preset included, and trains nothing.")
        print(f"`card-envs train {next(iter(algorithms))} --help` shows the options of one.")
        return 0 if arguments else WRONG_USE
    algorithm, rest = arguments[0], arguments[1:]
    if algorithm not in algorithms:
        raise ValueError(f"algorithm {algorithm!r} is not known{nearest(algorithm, algorithms)}: choose one of {names}")
    script = importlib.import_module(algorithms[algorithm])
    is_dry = _DRY_RUN in rest
    rest = [argument for argument in rest if argument != _DRY_RUN]
    rest, default = _with_preset(script, algorithm, rest)
    config = parsed(script.Config, f"train {algorithm}", rest, default)
    if is_dry:
        print_json(script.describe(config))
    else:
        script.main(config)
    return 0


def _with_preset(script: ModuleType, algorithm: str, arguments: list[str]) -> tuple[list[str], Any]:
    """Return the arguments without --preset, and the settings of the preset that it names or the environment has."""
    presets = getattr(script, "PRESETS", {}) | presets_of(algorithm)
    name, rest = "", arguments
    if _PRESET in arguments:
        at = arguments.index(_PRESET)
        name, rest = " ".join(arguments[at + 1 : at + 2]), arguments[:at] + arguments[at + 2 :]
        if name not in presets:
            known = ", ".join(presets) or "(it has none)"
            raise ValueError(
                f"preset {name!r} of {algorithm} is not known{nearest(name, presets)}: choose one of {known}"
            )
    elif presets and _ENV in arguments[:-1]:
        name = script.DEFAULT_PRESETS.get(arguments[arguments.index(_ENV) + 1], "")
        if name:
            print(f"settings: preset {name}", file=sys.stderr)
    return rest, script.Config(**presets[name]) if name else None
