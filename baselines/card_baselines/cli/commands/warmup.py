"""`card-envs envs --warmup`: compilation ahead of time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from card_baselines.cli.console import print_json
from card_baselines.cli.options import AsJson, EnvIds, Settings
from card_baselines.settings import parse_settings
from card_envs.envs import ENVS, find_entry, make_game
from card_envs.envs import warmup as compile_all

_SIZES = {"limit_holdem-v0": (2, 6), "no_limit_holdem-v0": (2, 6)}
"""Numbers of players to compile for; elsewhere the default."""


def warmup(envs: EnvIds = (), settings: Settings = (), as_json: AsJson = False) -> None:
    """Compile the kernels of environments, unless they are compiled, so that later runs start at once.

    Useful once after an installation, before starting many processes, and in the recipe of a container. Hold'em is
    compiled for two and for six players, unless --set says how many.
    """
    wanted = list(_choose_settings(envs or tuple(ENVS), parse_settings(settings)))
    for env_id, chosen in wanted:  # before anything is compiled
        make_game(env_id, **chosen)
    rows = []
    for number, (env_id, chosen) in enumerate(wanted, 1):
        seconds = compile_all(env_id, **chosen)
        rows.append({"env": env_id, "settings": chosen, "seconds": round(seconds, 1)})
        if not as_json:
            words = " ".join([env_id, *(f"{name}={value}" for name, value in chosen.items())])
            print(f"{number} of {len(wanted)}: {words}, {seconds:.1f} s", flush=True)
    if as_json:
        print_json(rows)


def _choose_settings(env_ids: tuple[str, ...], settings: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the environments and settings to compile for."""
    for env_id in (find_entry(each).id for each in env_ids):
        sizes = () if settings else _SIZES.get(env_id, ())
        yield from ((env_id, {"num_players": size}) for size in sizes)
        if not sizes:
            yield env_id, settings
