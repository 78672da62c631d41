"""`card-envs envs`: what can be played."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from card_baselines.cli import console
from card_baselines.cli.console import print_json
from card_baselines.cli.options import AsJson
from card_envs.envs import ENVS, EnvEntry, importable_games
from card_envs.game import Game


def envs(as_json: AsJson = False) -> int:
    """List the environments with their spaces, encoders and rules profiles.

    Args:
        as_json: Print JSON, with all settings and their defaults.
    """
    reports = [_env_report(ENVS[env_id], game) for env_id, game in importable_games().items()]
    print_json(reports) if as_json else console.print_envs(reports)
    return 0


def _env_report(entry: EnvEntry, game: Game) -> dict[str, Any]:
    parameters = inspect.signature(entry.factory).parameters
    return {
        "id": entry.id,
        "gymnasium_id": entry.gymnasium_id,
        "summary": entry.summary,
        "num_seats": game.num_seats,
        "observation_space": str(game.layout.space),
        "num_actions": game.num_actions,
        "unit": game.unit,
        "encoders": dict(_encoders(game)),
        "rules": list(game.rules_profiles) if "rules" in parameters else [],
        "settings": {name: parameter.default for name, parameter in parameters.items()},
    }


def _encoders(game: Game) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield name, version and size of every encoder that fits the game."""
    for name, encoder in game.encoders.items():
        try:
            yield name, {"version": encoder.version, "size": encoder.layout(game.config).size}
        except ValueError:
            continue  # made for some settings only
