"""Text that several packages write: Markdown tables, and numbers as JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable


def markdown_table(
    header: Iterable[object], rows: Iterable[Iterable[object]], right_aligned: Collection[int] = ()
) -> str:
    """Return a Markdown table without a line break at its end; bars inside cells are escaped.

    Args:
        header: The names of the columns.
        rows: Their cells, as many a row as the header has; `str` of each is written.
        right_aligned: Indices of columns whose cells stand at the right.
    """
    lines = [[str(cell).replace("|", "\\|") for cell in row] for row in (header, *rows)]
    lines.insert(1, ["---:" if column in right_aligned else "---" for column in range(len(lines[0]))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def json_number(number: float) -> float | None:
    """Return a number as JSON can hold it: None for infinity and for what is not a number."""
    return number if math.isfinite(number) else None
