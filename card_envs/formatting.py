"""Markdown tables, numbers for JSON, and errors of code that agents bring."""

from __future__ import annotations

import math
import traceback
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_SAME_SIDES = 0.05
"""Largest difference of the sides of an interval that is shown with one number, as a fraction of the longer side."""


def markdown_table(
    header: Iterable[object], rows: Iterable[Iterable[object]], right_aligned: Collection[int] = ()
) -> str:
    """Return a Markdown table without a line break at the end; bars in cells, to which `str` is applied, are escaped.

    `right_aligned` are the indices of the right-aligned columns.
    """
    lines = [[str(cell).replace("|", "\\|") for cell in row] for row in (header, *rows)]
    lines.insert(1, ["---:" if column in right_aligned else "---" for column in range(len(lines[0]))])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def format_interval(mean: float, ci95: Sequence[float | None] | None, digits: int = 2) -> str:
    """Return a mean with its interval, such as "+1.20 ± 0.30", with `digits` after the point.

    If one side is longer by more than 5 %, the bounds are shown: "+1.20 (+0.90 to +1.80)". If they are None or
    infinite, the text says that there is no interval.
    """
    low, high = ci95 or (None, None)
    words = f"{mean:+,.{digits}f}"
    if low is None or high is None or not math.isfinite(high - low):
        return f"{words} (no interval)"
    below, above = mean - low, high - mean
    if abs(above - below) <= _SAME_SIDES * max(above, below):
        return f"{words} ± {(high - low) / 2:,.{digits}f}"
    return f"{words} ({low:+,.{digits}f} to {high:+,.{digits}f})"


def json_number(number: float) -> float | None:
    """Return a number for JSON: None for infinity and NaN."""
    return number if math.isfinite(number) else None


def json_content(content: Any) -> Any:
    """Return a report for JSON: None in place of infinity and NaN, at any depth."""
    if isinstance(content, Mapping):
        return {name: json_content(value) for name, value in content.items()}
    if isinstance(content, (list, tuple)):
        return list(map(json_content, content))
    return json_number(content) if isinstance(content, float) else content


def describe_error(error: Exception) -> str:
    """Return an error of an agent's code with its place, such as "TypeError at mine.py:12: ..."."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {error}"
