"""Markdown tables, and numbers for JSON."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable


def markdown_table(
    header: Iterable[object], rows: Iterable[Iterable[object]], right_aligned: Collection[int] = ()
) -> str:
    """Return a Markdown table without a line break at the end; bars in cells are escaped.

    Args:
        header: Names of the columns.
        rows: Cells of each row, one for each column; `str` is applied.
        right_aligned: Indices of the right-aligned columns.
    """
    lines = [[str(cell).replace("|", "\\|") for cell in row] for row in (header, *rows)]
    lines.insert(1, ["---:" if column in right_aligned else "---" for column in range(len(lines[0]))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def json_number(number: float) -> float | None:
    """Return a number for JSON: None for infinity and NaN."""
    return number if math.isfinite(number) else None
