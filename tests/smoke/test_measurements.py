"""Tables of results come from result files, which name the command, commit and hands of every measurement."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.smoke.test_docs import DOCS, FENCED, name_of

sys.path.insert(0, str(DOCS))
try:
    import measure
    import result_tables
    from generate import REGION
finally:
    sys.path.remove(str(DOCS))

TYPED = re.compile(r"^\|.*\| *(\*\*)?[-+]?[\d,.]+ ± [\d,.]+(\*\*)? *\|", re.M)
"""A row of a table one of whose cells is a measurement alone."""
TEMPLATES = {page.with_name(page.name.removeprefix("_")): page for page in DOCS.rglob("_*.md")}
PAGES = [page for folder in ("results", "reproductions") for page in sorted((DOCS / folder).glob("[!_]*.md"))]
SOURCES = [DOCS.parent / "README.md", *(TEMPLATES.get(page, page) for page in PAGES)]
MEASUREMENTS: dict[str, dict[str, Any]] = result_tables.read_results("measurements")
TABLES = [
    pytest.param(path.stem, name, table, id=f"{path.stem}-{name}")
    for path in sorted((DOCS / "results" / "tables").glob("*.json"))
    for name, table in json.loads(path.read_text(encoding="utf-8")).items()
]


@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_no_measurement_is_typed_into_a_table(source: Path) -> None:
    text = REGION.sub("", FENCED.sub("", source.read_text(encoding="utf-8")))
    found = [row[0] for row in TYPED.finditer(text)]
    assert not found, "write it into results/tables/, and measured(page, table) into the page"


@pytest.mark.parametrize(("page", "name", "table"), TABLES)
def test_tables_say_what_made_them_and_are_on_their_page(page: str, name: str, table: dict[str, Any]) -> None:
    assert table["command"] and table["commit"]
    assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    assert result_tables.measured(page, name)
    texts = [source.read_text(encoding="utf-8") for source in SOURCES if source.stem.removeprefix("_") == page]
    assert len(texts) == 1 and f'measured("{page}", "{name}")' in texts[0]


@pytest.mark.parametrize("name", MEASUREMENTS)
def test_measurements_hold_their_mean_and_what_made_it(name: str) -> None:
    found = MEASUREMENTS[name]
    low, high = found["ci95"]
    assert low < found["mean"] < high and found["hands"] and found["commit"]
    words = shlex.split(found["command"])
    assert words[:2] in (["card-envs", "match"], ["card-envs", "exploit"])
    assert found.get("agent", words[words.index("--agents") + 1] if "--agents" in words else "") in words


CELLS = {
    '{"wins": 0.047, "ci95": [0.017, 0.077]}': "+4.7 ± 3.0",
    '{"is": 0.047, "ci95": [0.017, 0.077]}': "4.7 ± 3.0",
    '{"is": 0.013, "bounds": [0.01, 0.016]}': "1.3 (1.0 to 1.6)",
    '{"wins": 0.4032, "ci95": [0.3967, 0.4097], "digits": 2}': "+40.32 ± 0.65",
    '["`equity` ", {"wins": -1.5, "ci95": [-2, -1]}]': "`equity` -150.0 ± 50.0",
    '"28 %"': "28 %",
    "120000": "120,000",
}


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_is_a_measurement_a_number_a_text_or_a_list(cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"unit": "bb/100", "columns": [""], "rows": [[json.loads(cell)]]}
    monkeypatch.setattr(result_tables, "read_json", lambda path: {"one": table})
    assert result_tables.measured("page", "one").splitlines()[-1] == f"| {CELLS[cell]} |"


def test_a_text_names_what_an_agent_wins_or_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    table = {"unit": "bb/100", "columns": [""], "rows": [["{a v b}, or {-a v b} with bets"]]}
    files = {"page.json": {"one": table}, "measurements.json": {"a v b": {"mean": -0.2, "ci95": [-0.25, -0.15]}}}
    monkeypatch.setattr(result_tables, "read_json", lambda path: files[path.name])
    assert "| -20.0 ± 5.0, or 20.0 ± 5.0 with bets |" in result_tables.measured("page", "one")


def player(name: str, mean: float) -> dict[str, Any]:
    return {"name": name, "mean": mean, "ci95": [mean - 1, mean + 1]}


@pytest.mark.parametrize(
    ("report", "mean"),
    [
        ({"exploitability": 3.0, "ci95": [2.0, 4.0], "hands": 9}, -3.0),
        ({"exploitability": 3.0, "ci95": [2.0, 4.0], "flops": 50}, -3.0),
        ({"agents": [player("a", 1.0), player("b", -1.0)], "hands": 9}, 1.0),
        ({"agents": [player("b", -1.0), player("a", 1.0)], "hands": 9}, 1.0),
        ({"agents": [player("a", 1.0)], "control_variates": [player("a", 2.0)], "hands": 9}, 2.0),
    ],
)
def test_a_report_is_read_from_the_side_of_the_agent(report: dict[str, Any], mean: float) -> None:
    found = measure.read_report(report, "a")
    assert (found["mean"], found["ci95"]) == (mean, [mean - 1, mean + 1])
    assert found["hands"] == report.get("hands", "50 flops")


def test_measurements_are_played_again_and_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, before = tmp_path / "measurements.json", {"mean": 9.0, "ci95": [8.0, 10.0], "hands": 1, "commit": "0"}
    match = "card-envs match --env kuhn_poker-v0 --agents random always_call --hands 500"
    kept = {"agent": "cfr", "command": "card-envs exploit --env kuhn_poker-v0 --agent cfr", **before}
    file.write_text(json.dumps({"random v call": {"agent": "always_call", "command": match, **before}, "cfr": kept}))
    monkeypatch.setattr(measure, "MEASUREMENTS", file)
    measure.main(["always_call"])
    stored = json.loads(file.read_text())
    assert stored["cfr"] == kept
    assert stored["random v call"]["hands"] == 500 and abs(stored["random v call"]["mean"]) < 1


@pytest.mark.parametrize("wanted", ["nobody", "run"])
def test_what_cannot_be_played_is_refused(
    wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "measurements.json"
    file.write_text(json.dumps({"run": {"command": "card-envs match --env kuhn_poker-v0 --agents RUN random"}}))
    monkeypatch.setattr(measure, "MEASUREMENTS", file)
    with pytest.raises(SystemExit):
        measure.main([wanted])
    assert {"nobody": "is no measurement", "run": "needs RUN"}[wanted] in capsys.readouterr().err
