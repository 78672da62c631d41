"""`card-envs envs`: the environments; `card-envs envs --warmup`: their compilation ahead of time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from card_baselines.cli.console import print_json, print_report
from card_baselines.cli.listing import list_envs
from card_baselines.cli.options import AsJson, EnvIds, Settings
from card_baselines.settings import parse_settings
from card_baselines.text_table import TextTable
from card_envs.envs import ENVS, find_entry, make_game

_COLUMNS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "id": lambda report: report["id"],
    "game": lambda report: report["summary"],
    "seats": lambda report: str(report["num_seats"]),
    "actions": lambda report: str(report["num_actions"]),
    "encoders (numbers)": lambda report: ", ".join(
        f"{name} ({encoder['size']})" for name, encoder in report["encoders"].items()
    ),
    "rules": lambda report: ", ".join(report["rules"]) or "-",
}
"""Header -> cell of a report of `listing.describe_env`."""


def envs(as_json: AsJson = False) -> None:
    """List the environments with their spaces, encoders and rules; --json adds all settings."""
    reports = list_envs()
    print_report(reports, _describe(reports), as_json)


def _describe(reports: Iterable[Mapping[str, Any]]) -> Iterator[TextTable | str]:
    yield TextTable.from_columns("", _COLUMNS, reports)
    yield "Numbers of seats, actions and observations are those of the default settings."


_SIZES = {"limit_holdem-v0": (2, 6), "no_limit_holdem-v0": (2, 6)}
"""Numbers of players to compile for; elsewhere the default."""


def warmup(envs: EnvIds = (), settings: Settings = (), as_json: AsJson = False) -> None:
    """Compile the kernels of environments, unless they are compiled, so that later runs start at once.

    Useful once after an installation, before starting many processes, and in the recipe of a container. Hold'em is
    compiled for two and for six players, unless --set says how many.
    """
    from card_envs.precompile import warmup as compile_all  # imported here because it imports the compiler

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
