"""`card-envs reproduce`: the tables of published papers, computed again."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Literal

from card_baselines.cli.commands.arguments import nearest
from card_baselines.cli.console import print_json, print_table

PAPERS = {"shi2022": "card_baselines.papers.shi2022.tables"}
"""Name of a paper -> module that reproduces it."""
_TABLES = (1, 2, 3, 4, 5)


def reproduce(
    paper: str,
    /,
    table: tuple[int, ...] = (),
    rows: tuple[str, ...] = (),
    scale: Literal["tiny", "paper", "ours"] = "tiny",
    history: Literal["lstm", "fc", "none"] = "lstm",
    seeds: int = 0,
    folder: str = "",
    json: bool = False,
) -> int:
    """Compute the tables of a paper again: train what is missing, play, and print its numbers beside ours.

    Args:
        paper: shi2022.
        table: Tables of the paper; all if none is named.
        rows: Algorithms whose rows are computed, such as dual-apu; all if none is named.
        scale: How much is trained and played: tiny shows that it works, paper has the paper's budget, ours more.
        history: How the players of tables 1 to 3 read the betting.
        seeds: Runs of each algorithm; 0 for as many as the scale has.
        folder: Where runs and results are kept, and found again after an interruption.
        json: Print JSON.
    """
    if paper not in PAPERS:
        raise ValueError(f"paper {paper!r} is not known{nearest(paper, PAPERS)}: choose one of {', '.join(PAPERS)}")
    if unknown := [number for number in table if number not in _TABLES]:
        raise ValueError(f"table {unknown[0]} is none of {paper}: choose among {list(_TABLES)}")
    if seeds < 0:
        raise ValueError(f"seeds {seeds} must be at least 1, or 0 for as many as the scale has")
    script = importlib.import_module(PAPERS[paper])
    root = Path(folder or f"runs/reproduce/{paper}-{scale}")
    say = lambda text: print(text, file=sys.stderr)  # noqa: E731
    reproduction = script.Reproduction(script.SCALES[scale], history, root, seeds, say)
    report = reproduction.report(table or _TABLES, rows or script.ROWS)
    if json:
        print_json(report)
    else:
        for number in report["tables"]:
            print_table(script.HEADER, script.rows_of(report, number), f"Table {number}, {report['unit']}")
        print(script.scale_of(report))
        print(script.times_of(report))
        print(f"Everything about it, the curves included, is in {root}")
    return 0
