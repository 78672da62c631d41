"""Tables of text: for a terminal, for Markdown and for reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from card_envs.formatting import markdown_table

Columns = Mapping[str, Callable[[Any], str]]
"""Header of a column -> function that returns its cell from what a row shows."""


@dataclass(frozen=True)
class TextTable:
    """A table whose cells are text."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    @classmethod
    def from_columns(cls, title: str, columns: Columns, shown: Iterable[Any]) -> TextTable:
        """Return the table that shows one thing in each row, such as a result."""
        return cls(title, tuple(columns), [[cell(each) for cell in columns.values()] for each in shown])

    def markdown(self) -> str:
        """Return the lines of a Markdown table, without the title."""
        return markdown_table(self.header, self.rows)
