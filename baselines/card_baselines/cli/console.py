"""Output of the `card-envs` command: tables and lines on a terminal, and JSON."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_baselines.text_table import TextTable
from card_envs.formatting import json_content

if TYPE_CHECKING:  # commands that print JSON need no rich
    from rich.table import Table

PROGRAM = "card-envs"
_PIPED_WIDTH = 200
"""Width where the output is no terminal, in characters, so that files hold whole lines."""
_MAX_UNBROKEN = 24
"""Maximum width of cells that are never broken: ids, names and numbers, which people copy."""


def find_program() -> str:
    """Return the word that calls this program again: its name, or its path if the shell does not find it."""
    called, found = Path(sys.argv[0]), shutil.which(PROGRAM)
    if called.name != PROGRAM or not called.exists() or (found is not None and called.samefile(found)):
        return PROGRAM
    return str(called)


def print_report(content: Any, parts: Iterable[TextTable | str], as_json: bool) -> None:
    """Print a report: its content as JSON, or its tables and lines, which are made only if they are printed."""
    if as_json:
        print_json(content)
    else:
        print_parts(parts)


def print_json(content: Any) -> None:
    """Print a report as JSON, with null for infinity and NaN, which JSON does not have."""
    print(json.dumps(json_content(content), indent=2, allow_nan=False))


def print_parts(parts: Iterable[TextTable | str]) -> None:
    """Print tables and lines of text."""
    for part in parts:
        if isinstance(part, str):
            print(part)
        else:
            print_table(part.header, part.rows, part.title)


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """Print a table. Cells are plain text, without markup."""
    from rich.console import Console

    Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH).print(make_table(header, rows, title))


def make_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> Table:
    """Return a table for `rich`. Cells are plain text, without markup."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, box=SIMPLE_HEAD, title_justify="left")
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    for name, cells in zip(header, columns, strict=True):
        is_short = max(map(len, cells), default=0) <= _MAX_UNBROKEN
        table.add_column(name, justify="right" if _is_number(cells) else "left", overflow="fold", no_wrap=is_short)
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _is_number(column: Sequence[str]) -> bool:
    return all(cell[:1] in "+-0123456789" for cell in column)
