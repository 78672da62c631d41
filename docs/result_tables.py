"""Tables of results that are stored in `results/` and beside the weights of the trained agents; see `generate.py`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from env_tables import MEANINGS

from card_baselines.fixed_deals import ADJUSTED, Benchmark
from card_baselines.neural.benchmark import ENTRANTS, GAMES, can_learn, summarise_cells, table_header, table_rows
from card_baselines.papers import find_paper
from card_baselines.papers.claims import AGREES, DIFFERS, NOT_SHOWN, OPEN, STAND_IN, UNDECIDED, render_claims
from card_baselines.pretrained import PRETRAINED, find_pretrained
from card_envs.envs import make_game
from card_envs.formatting import markdown_table

DOCS = Path(__file__).parent


def read_json(path: Path) -> Any:
    """The content of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def read_results(name: str) -> Any:
    """What a command or script stored in `results/`."""
    return read_json(DOCS / "results" / f"{name}.json")


def list_commits(cells: Iterable[dict[str, Any]]) -> list[str]:
    """The commits that made some results, each once."""
    return list(dict.fromkeys(cell["commit"][:10] for cell in cells))


def name_commits(cells: Iterable[dict[str, Any]]) -> str:
    """The commits that made some results, in words: "commit 0123456789"."""
    commits = list_commits(cells)
    return f"commit{'s' if len(commits) > 1 else ''} {', '.join(commits)}"


# --- parts of the panel, from its results ---


def panel_results(section: str) -> str:
    """What each row's agent wins against others that are all the column's, with half of the 95 % interval."""
    results = read_results("panel")[section]["results"]
    rows = [[f"`{row}`", *(format_gain(results[row].get(column)) for column in results)] for row in results]
    return markdown_table(["", *(f"`{name}`" for name in results)], rows)


def format_gain(cell: dict[str, Any] | None, factor: int = 1, digits: int = 2, bold_gains: bool = True) -> str:
    """A mean and half of its interval, in bold where that does not contain 0; gains are plain without `bold_gains`."""
    if cell is None:
        return ""
    low, high = cell["ci95"]
    text = f"{factor * cell['mean']:+.{digits}f} ± {factor * (high - low) / 2:.{digits}f}"
    return f"**{text}**" if high < 0 or (low > 0 and bold_gains) else text


def panel_made_by(section: str) -> str:
    """The command of the results, and the commits that played them."""
    made = read_results("panel")[section]
    return f"`{made['command']}`, {name_commits(cell for row in made['results'].values() for cell in row.values())}"


def scripts() -> str:
    """What the agents of the scripts in `baselines/` reach, with the processor minutes of their training."""
    rows = []
    for cell in read_results("scripts"):
        found, (script, _, env, *_) = cell["result"], cell["settings"]["script"]
        exact = f"{found['exploitability']:.3f}" if "exploitability" in found else ""
        package = format_gain(found.get("package"))
        minutes = f"{found['minutes']:.1f}"
        rows.append([f"`{Path(script).name}`", env, minutes, list_gains(found["matches"]), exact, package])
        if "package_matches" in found:
            name = found["package"]["opponent"]
            rows.append([f"`card-envs {name}`", env, minutes, list_gains(found["package_matches"]), "", ""])
    return markdown_table(["script", "game", "minutes", "wins from", "exploitability", "from the package's"], rows)


def list_gains(matches: Sequence[dict[str, Any]]) -> str:
    """What an agent wins from each opponent, with half of the 95 % interval."""
    return ", ".join(f"`{each['opponent']}` {format_gain(each)}" for each in matches)


# --- the benchmarks on fixed deals ---


def fixed_deals_results(benchmark: Benchmark) -> str:
    """What each row's agent wins from each reference, in each way of sitting."""
    rows = []
    for agent, report in read_results(name_results(benchmark))["agents"].items():
        for other, cells in report["against"].items():
            found = [format_gain(reduce(dict.get, keys, cells)) for keys in benchmark.columns.values()]
            rows.append([f"`{agent}`", f"`{other}`", *found, f"{cells[next(iter(benchmark.kinds))]['deals']:,}"])
    return markdown_table(["agent", "reference", *benchmark.columns, "deals"], rows)


def fixed_deals_orders(benchmark: Benchmark) -> str:
    """What each agent wins at the mixed table, by the circular order of the others."""
    reports = read_results(name_results(benchmark))["agents"]
    agents = {name: report["mixed"] for name, report in reports.items() if "mixed" in report}
    orders = [tuple(cell["order"]) for cell in next(iter(agents.values()))["orders"]]
    cells = {name: {tuple(cell["order"]): cell for cell in mixed["orders"]} for name, mixed in agents.items()}
    rows = [[", ".join(order), *(format_gain(cells[name][order]) for name in agents)] for order in orders]
    rows.append(["**mean**", *(format_gain(mixed) for mixed in agents.values())])
    if benchmark.control_variates:
        rows.append(["**mean, adjusted**", *(format_gain(mixed.get(ADJUSTED)) for mixed in agents.values())])
    return markdown_table(["order", *(f"`{name}`" for name in agents)], rows)


def fixed_deals_made_by(benchmark: Benchmark) -> str:
    """The commits that played it."""
    reports = read_results(name_results(benchmark))["agents"].values()
    return f"{name_commits(cells for report in reports for cells in report['against'].values()).capitalize()}."


def name_results(benchmark: Benchmark) -> str:
    """The file of a benchmark's results: its name without the version."""
    return benchmark.name.rpartition("-")[0].replace("-", "_")


# --- parts of the agents that come trained, from what their folders hold ---


def pretrained() -> str:
    """The trained agents that come with the package."""
    rows = [[f"`{name}`", f"`{row.game}`", row.trained, row.licence] for name, row in PRETRAINED.items()]
    return markdown_table(["name", "game", "how trained", "licence"], rows)


def read_pretrained(name: str, file: str) -> Any:
    """A JSON file of a trained agent."""
    return read_json(Path(find_pretrained(name) or name) / file)


def trained_agents(*names: str) -> str:
    """What each agent wins from each opponent in all other seats, its own past included, and what its training cost."""
    found = {name: read_pretrained(name, "evaluation.json") for name in names}
    made_of = [read_pretrained(name, "config.json")["made_of"] for name in names]
    won = {name: {match["opponent"]: match for match in found[name]["matches"]} for name in names}
    for name in names:
        if name in won[name]:  # the agent of this name that a run started from
            won[name][_START] = won[name].pop(name)
    for match in read_results("measurements").values():
        if match.get("agent") in won and "opponent" in match:
            won[match["agent"]][match["opponent"]] = match
    units = {found[name]["unit"] for name in names}
    assert len(units) == 1, f"agents of one table win in one unit, not in {units}"
    factor, digits, unit = (100, 1, "bb/100") if units == {"bb"} else (1, 2, "points per game")
    rows = [
        [_opponent(other), *(format_gain(won[name].get(other), factor, digits, bold_gains=False) for name in names)]
        for other in dict.fromkeys(other for name in names for other in won[name])
    ]
    costs = [found[name]["cost"] for name in names]
    rows += [["processor time", *(f"{cost['seconds'] / 60:.0f} minutes" for cost in costs)]]
    rows += [["trained on", *map(_experience, costs)]]
    rows += [["hands of a match", *(f"{found[name]['matches'][0]['hands']:,}" for name in names)]]
    rows += [["commit", *(made["commit"][:10] for made in made_of)]]
    return markdown_table([f"{unit} against", *(f"`{name}`" for name in names)], rows)


def weak_spots() -> str:
    """What the trained and solved agents lose, to whom, and the command that measures it; hold'em, bb/100."""
    rows: dict[tuple[str, str], list[str]] = {}
    for match in read_results("measurements").values():
        if "agent" in match and match["ci95"][1] < 0:
            agent, against, command = f"`{match['agent']}`", match["against"], f"`{match['command']}`"
            rows.setdefault(
                (agent, against), [agent, against, format_gain(match, 100, 1), format_count(match["hands"]), command]
            )
    return markdown_table(["agent", "against", "bb/100", "hands", "command"], rows.values())


def format_count(count: int | str) -> str:
    """A number of hands, or words such as "50 flops"."""
    return f"{count:,}" if isinstance(count, int) else count


# --- tables of single measurements ---


def measured(page: str, name: str) -> str:
    """A table of `results/tables/<page>.json`.

    A table has `columns` and `rows`, the `command`, `commit` and `hands` of its measurements, and a `unit` (bb/100,
    from big blinds a hand) or `digits` after the point; a measurement may have its own. A cell is one of

    * a measurement: `{"wins": mean, "ci95": [low, high]}`, printed with a sign; with `is` in place of `wins`, a
      quantity such as a time or what a best response takes, printed without; with `bounds` in place of `ci95`, which
      are printed themselves instead of half of the interval;
    * a number, or a text; in a text `{name}` stands for what the agent of a measurement of `results/measurements.json`
      wins, and `{-name}` for what it loses;
    * a list of these, printed one after the other.

    Measurements with few digits were typed from what their commands printed, which was not kept.
    """
    table = read_json(DOCS / "results" / "tables" / f"{page}.json")[name]
    rows = [[_measured_cell(cell, table) for cell in row] for row in table["rows"]]
    return markdown_table(table["columns"], rows)


def _measured_cell(cell: Any, table: dict[str, Any]) -> str:
    if isinstance(cell, list):
        return "".join(_measured_cell(part, table) for part in cell)
    if isinstance(cell, dict):
        return _format_measured(cell, table)
    if isinstance(cell, str):
        return MEASUREMENT.sub(lambda found: _measured_cell(find_measurement(found[1]), table), cell)
    return f"{cell:,}"


def _format_measured(cell: dict[str, Any], table: dict[str, Any]) -> str:
    factor, digits = (100, 1) if cell.get("unit", table.get("unit")) == "bb/100" else (1, table.get("digits", 2))
    digits = cell.get("digits", digits)
    low, high = cell.get("ci95") or cell["bounds"]
    mean = f"{factor * cell['wins']:+,.{digits}f}" if "wins" in cell else f"{factor * cell['is']:,.{digits}f}"
    if "bounds" in cell:
        return f"{mean} ({factor * low:,.{digits}f} to {factor * high:,.{digits}f})"
    return f"{mean} ± {factor * (high - low) / 2:,.{digits}f}"


MEASUREMENT = re.compile(r"\{([^{}]+)\}")
"""The name of a measurement in the text of a cell."""


def find_measurement(name: str) -> dict[str, Any]:
    """The measurement of a name as a cell: what its agent wins, or loses where the name begins with a minus."""
    measurement = read_results("measurements")[name.removeprefix("-")]
    mean, (low, high), unit = measurement["mean"], measurement["ci95"], {"unit": measurement.get("unit", "bb/100")}
    if name.startswith("-"):
        return {"is": -mean, "ci95": [-high, -low], **unit}
    return {"wins": mean, "ci95": [low, high], **unit}


# --- learners of equilibria in small games ---


def learners_table(game: str, report: str = "learners") -> str:
    """Return how exploitable each learner of a report is in a game, the references first, then the best learner."""
    return markdown_table(table_header(game), table_rows(read_results(report), game))


def learners_best(game: str, report_name: str = "learners") -> str:
    """Return the name of the neural learner of a report that is least exploitable in a game, with mean and interval.

    Learners with fewer than three seeds are left out where others have more.
    """
    report = read_results(report_name)
    neural = [name for name in ENTRANTS if not name.startswith("tabular")]
    found = [summary for name in neural if (summary := summarise_cells(report, game, name)) is not None]
    enough = [summary for summary in found if summary.num_samples >= 3] or found
    best = min(enough, key=lambda summary: summary.mean)
    unit = GAMES[game].unit
    if best.num_samples == 1:
        return f"`{best.name}` ({best.mean:.3f} {unit} a hand, one seed)"
    return f"`{best.name}` ({best.mean:.3f} ± {best.half_width:.3f} {unit} a hand, {best.num_samples} seeds)"


def learners_seeds(game: str) -> str:
    """Return how many seeds the learners of a game have had, and which learners were not run."""
    counts = Counter(cell["learner"] for cell in read_results("learners")["cells"] if cell["game"] == game)
    by_count = {count: [name for name in ENTRANTS if counts[name] == count] for count in sorted({*counts.values()})}
    had = [f"{count} {'seed' if count == 1 else 'seeds'}: {_names(by_count[count])}" for count in reversed(by_count)]
    missing = [name for name in ENTRANTS if not counts[name] and can_learn(name, game)]
    return "; ".join([*had, *([f"not run: {_names(missing)}"] if missing else [])])


def _names(learners: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in learners)


# --- how exploitable players of heads-up limit hold'em are ---


def yardsticks() -> str:
    """What each player loses by three instruments, side by side; thousandths of a big blind per hand."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in read_results("yardsticks"):
        found.setdefault(row["agent"], {})[row["method"]] = row
    rows = [[f"`{agent}`", *(_lost(by_method.get(name)) for name in INSTRUMENTS)] for agent, by_method in found.items()]
    return markdown_table(["agent", *INSTRUMENTS.values()], rows)


INSTRUMENTS = {"exact-flops": "exact-flops", "local": "local: at least", "learned": "learned: at least"}


def _lost(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    (low, high), flops = row["ci95"], row.get("flops")
    played = f"{flops} flops" if flops else f"{row['hands']:,} hands"
    rising = ", still rising" if row.get("stopped") == "budget" else ""
    cost = f"{row['seconds']:,} s, " if "seconds" in row else ""
    text = f"{1000 * row['exploitability']:,.0f} ± {500 * (high - low):,.0f}"
    found = f"**{text}**" if low > 0 else f"nothing found: {text}"
    return f"{found} ({played}{rising}; {cost}{row['commit'][:7]})"


def _experience(cost: dict[str, Any]) -> str:
    if "episodes" in cost:
        return f"{cost['episodes']:,} episodes of six hands"
    return f"{cost['decisions'] / 1e6:.1f} million decisions"


_YOUTH = re.compile(r"after_(\d)_of_(\d)")
_START = "the agent that it began as"


def _opponent(name: str) -> str:
    if name == _START:
        return name
    quarters = _YOUTH.fullmatch(name)
    return f"itself after {quarters[1]}/{quarters[2]} of the training" if quarters else f"`{name}`"


# --- parts of the reproductions, from their reports ---


def reproduced(report: str, number: int) -> str:
    """One table of a paper: its numbers, ours with half of the 95 % interval, and what follows."""
    made = reproduction_report(report)
    table: str = find_paper(made["paper"]).render_table(made, number).markdown()
    return table


def reproduction_claims(*reports: str) -> str:
    """Return what the text of a paper says, with our numbers from all reports that measure it."""
    made = [reproduction_report(report) for report in reports]
    return render_claims([claim for each in made for claim in each["claims"]]).markdown()


def reproduction_report(name: str) -> dict[str, Any]:
    """The stored report of `card-envs reproduce`, with the verdicts of today's rule."""
    report = read_results(name)
    paper, scale = find_paper(report["paper"]), re.search(r"--scale (\w+)", report.get("command", ""))
    length = paper.scales[scale[1]].length if scale else 1.0
    return {**paper.add_verdicts(report, length), "length": length}


_LONGEST = "charlesworth2018_tenth kaminsky2020_hour maitrepierre2008_paper shi2022_paper_lstm zheng2022_ours"
"""The report of each paper whose training is the longest."""


def verdicts_of_papers() -> str:
    """Each paper's training as a share of its own, and the verdicts on its numbers and claims, counted."""
    verdicts, rows = (AGREES, DIFFERS, UNDECIDED, OPEN, NOT_SHOWN, STAND_IN), []
    for name in _LONGEST.split():
        made = reproduction_report(name)
        found = Counter(each.get("verdict", "").partition(":")[0] for each in made["results"] + made.get("claims", []))
        rows.append([f"`{made['paper']}`", f"{100 * made['length']:g} %", *(str(found[each]) for each in verdicts)])
    return markdown_table(["paper", "training", *verdicts], rows)


# --- the table of the README ---


def games_in_short() -> str:
    """The large games: seats, actions, steps per second on one core, and what they are checked against."""
    speeds = {
        (row["game"], row["path"].partition(",")[0]): row["ours"]["per_second"]
        for row in read_json(DOCS.parent / "benchmarks" / "results" / "against_peers.json")["comparisons"]
        if row["path"].startswith(("Python step loop, observed", "batch, observed"))
    }
    rows = []
    for env_id, measured, checked in MEANINGS["games_in_short"]:
        rates = [f"{speeds[measured, path]:,}" for path in ("Python step loop", "batch")]
        rows.append([f"`{env_id}`", f"{make_game(env_id).num_actions:,}", *rates, checked])
    header = ["game", "actions", "steps/s, one table", "steps/s, 1,024 tables", "checked against"]
    return markdown_table(header, rows)
