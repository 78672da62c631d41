"""`card-envs reproduce`: the tables of published papers, computed again."""

from __future__ import annotations

import sys
from dataclasses import make_dataclass, replace
from typing import Any

from card_baselines.cli.arguments import WRONG_USE, call_command, require_known
from card_baselines.cli.console import print_report
from card_baselines.cli.examples import describe_with_example
from card_baselines.cli.options import AsJson
from card_baselines.papers import PAPERS, find_paper


def reproduce(arguments: list[str]) -> int:
    """Compute the tables of a paper again, and print its numbers beside ours."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_describe_papers())
        return 0 if arguments else WRONG_USE
    name, rest = arguments[0], arguments[1:]
    require_known("paper", name, PAPERS)
    paper = find_paper(name)
    options_class = make_dataclass(
        "ReproduceOptions", [("as_json", AsJson, False)], bases=(paper.options,), frozen=True, kw_only=True
    )
    options_class.__doc__ = paper.describe()
    options: Any = call_command(options_class, f"reproduce {name}", rest)
    report, root = paper.reproduce(options, lambda text: print(text, file=sys.stderr))
    tables = [replace(table, title=f"{table.title}, {report.content['unit']}") for table in report.tables]
    notes = [report.heading, *report.notes] if report.heading else report.notes
    parts = [*tables, *notes, f"Everything about it, the curves included, is in {root}"]
    print_report(report.content, parts, options.as_json)
    return 0


def _describe_papers() -> str:
    """Return the help of the command: the papers with their tables."""
    lines = ["usage: card-envs reproduce PAPER [options]", "", describe_with_example("reproduce", "papers:")]
    for name in PAPERS:
        paper = find_paper(name)
        lines += [f"  {name:18} {paper.title}"]
        lines += [f"  {'':18}   table {number}: {about}" for number, about in paper.tables.items()]
    return "\n".join([*lines, "", f"`card-envs reproduce {next(iter(PAPERS))} --help` shows the options of one."])
