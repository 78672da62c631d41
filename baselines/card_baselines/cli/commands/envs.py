"""`card-envs envs`: the environments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from card_baselines.cli.console import print_report
from card_baselines.cli.listing import list_envs
from card_baselines.cli.options import AsJson
from card_baselines.text_table import TextTable

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
