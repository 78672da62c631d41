"""From results to tables in Markdown; ratios come first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from card_envs.files import replace_text
from card_envs.formatting import markdown_table

BEGIN, END = "<!-- speed: begin, written by benchmarks/against_peers.py -->", "<!-- speed: end -->"

Report = dict[str, Any]


def full_table(report: Report) -> str:
    """Return one row per pair of paths, with what was measured and where below."""
    header = ["times", "game", "path", "ours", "per second", "theirs", "per second"]
    rows = (cells for row in report["comparisons"] for cells in _full_rows(row))
    return "\n".join([markdown_table(header, rows, right_aligned=[0]), "", *_below(report)])


def short_table(report: Report) -> str:
    """Return one row per path of ours, the fastest of the others first."""
    header = ["times", "game", "path", "card-envs", "others"]
    rows = (_short_row(row) for row in report["comparisons"] if row["in_short_table"])
    measured = (
        f"{report['date']}, one core of {report['machine']['processor']}, commit {report['commit']}; decisions or "
        "hands per second of CPU time, medians. `times` compares with the fastest of the others in the same row."
    )
    return "\n".join([markdown_table(header, rows, right_aligned=[0]), "", measured])


def floors(report: Report) -> Iterator[str]:
    """Yield a line for each comparison that has a floor: what was reached of it."""
    for row in report["comparisons"]:
        if row.get("floor"):
            fastest = max(row["theirs"], key=lambda theirs: theirs["per_second"], default=None)
            reached = fastest["times"] if fastest else row["ours"]["per_second"]
            asked, found = (f"{_amount(number)}{' times' if fastest else ''}" for number in (row["floor"], reached))
            verdict = "reached" if reached >= row["floor"] else "missed"
            yield f"{row['game']}, {row['path']}: {found}, floor {asked}, {verdict}"


def has_place(path: Path) -> bool:
    """Return True if a file has the two marks between which a table stands."""
    return path.is_file() and END in path.read_text(encoding="utf-8").partition(BEGIN)[2]


def put_table(path: Path, table: str) -> None:
    """Replace what stands between the marks in a file that has them."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    replace_text(path, f"{before}{BEGIN}\n\n{table}\n\n{END}{after}")


def _full_rows(row: dict[str, Any]) -> Iterator[list[str]]:
    ours = [row["game"], row["path"], row["ours"]["path"], _with_spread(row["ours"], row["unit"])]
    for theirs in row["theirs"]:
        yield [_ratio(theirs["times"]), *ours, theirs["path"], _with_spread(theirs, row["unit"])]
    if not row["theirs"]:
        yield ["", *ours, "not measured", ""]


def _short_row(row: dict[str, Any]) -> list[str]:
    others = sorted(row["theirs"], key=lambda theirs: -theirs["per_second"])
    words = [f"{theirs['path']} {_amount(theirs['per_second'])}" for theirs in others]
    ours = [row["game"], row["path"], _amount(row["ours"]["per_second"])]
    return [_ratio(others[0]["times"]) if others else "", *ours, "; ".join(words) or "not measured"]


def _below(report: Report) -> Iterator[str]:
    machine, calibration = report["machine"], report["calibration"]
    yield (
        f"{report['date']}, commit {report['commit']}, `{report['command']}`: one of {machine['cores']} cores, "
        f"{machine['processor']}, {machine['system']}, Python {machine['python']}; {report['rounds']} rounds of "
        f"{report['seconds']:g} s of CPU time, medians; a spread is fastest less slowest round. A loop of plain Python "
        f"made {_amount(calibration['per_second'])} iterations per second (spread {calibration['spread']:.0%})."
    )
    yield ""
    yield f"Versions: {', '.join(f'{name} {version}' for name, version in report['versions'].items())}."
    yield ""
    if reached := [f"* {line}" for line in floors(report)]:
        yield from ("What is asked of them:", "", *reached, "")
    yield f"Our observations: {', '.join(f'{name} {numbers}' for name, numbers in report['observations'].items())}."
    for missing in report["skipped"]:
        yield ""
        yield f"Not measured: {missing['path']} and the like ({missing['reason']}; {missing['install']})."


def _with_spread(numbers: dict[str, Any], unit: str) -> str:
    words = f"{_amount(numbers['per_second'])} {unit.removesuffix('/s')}"
    return f"{words} (spread {numbers['spread']:.0%})"


def _ratio(times: float) -> str:
    return f"**{times:,.0f}**" if times >= 10 else f"**{times:.1f}**"


def _amount(number: float) -> str:
    """Return a number with three digits, such as 21.3 M, 180 k, 9.74 k or 205."""
    for factor, letter in ((1e6, " M"), (1e3, " k")):
        if number >= 0.9995 * factor:
            return f"{_three_digits(number / factor)}{letter}"
    return _three_digits(number)


def _three_digits(number: float) -> str:
    return f"{number:.2f}" if number < 9.995 else f"{number:.1f}" if number < 99.95 else f"{number:,.0f}"
