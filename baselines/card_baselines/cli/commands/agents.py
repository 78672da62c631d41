"""`card-envs agents`: the agents that can play; `agents --export`: one as an ONNX file, or as a folder to ship."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro

from card_baselines.cli.console import print_report
from card_baselines.cli.listing import list_agents
from card_baselines.cli.options import AgentName, AsJson
from card_baselines.cli.strengths import read_strengths
from card_baselines.text_table import TextTable
from card_envs.envs import find_entry
from card_envs.formatting import format_interval

OptionalEnv = Annotated[
    str, tyro.conf.arg(metavar="ENV", help="Environment id; by default all.", help_behavior_hint="")
]
_COLUMNS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "agent": lambda report: report["name"],
    "what it does": lambda report: report["summary"],
    "chooses": lambda report: report["chooses"],
    "plays": lambda report: report["needs"] or ", ".join(report["plays"]),
    "from": lambda report: report["from"],
}
"""Header -> cell of a report of `listing.describe_agent`."""
_OTHER_AGENTS = 'Agents can also be "module:Class", "path/to/file.py:Class" or the folder of a training run.'


def agents(
    env: OptionalEnv = "",
    all_agents: Annotated[bool, tyro.conf.arg(name="all")] = False,
    as_json: AsJson = False,
) -> None:
    """List the agents of each game: how they play, what they win from a strong agent.

    Args:
        all_agents: List all with what they do and where they come from: also second names, and agents of papers.
    """
    reports, env_id = list_agents(), find_entry(env).id if env else ""
    chosen = [report for report in reports if not env_id or env_id in {name.split()[0] for name in report["plays"]}]
    print_report(chosen, _describe_all(chosen) if all_agents else _describe_strengths(chosen, env_id), as_json)


def _describe_all(reports: Sequence[Mapping[str, Any]]) -> Iterator[TextTable | str]:
    yield TextTable.from_columns("", _COLUMNS, reports)
    yield (
        'An agent that samples its actions takes the likeliest ones with ":greedy" behind its name; one that is greedy '
        'samples with ":sampling".'
    )
    yield _OTHER_AGENTS


def _describe_strengths(reports: Sequence[Mapping[str, Any]], env_id: str) -> Iterator[TextTable | str]:
    """Yield a table for each game, with a line for each agent that has a style: the strongest first.

    Args:
        reports: Reports of the agents, see `listing.list_agents`.
        env_id: The only environment; "" for all.
    """
    strengths = read_strengths()
    listed = [report for report in reports if report["style"]]
    games = dict.fromkeys([*strengths, *(name for report in listed for name in report["plays"])])
    for game in games:
        if env_id not in ("", game.split()[0]):
            continue
        made = strengths.get(game, {"agents": {}})
        playing = [report for report in listed if game in report["plays"] or report["name"] in made["agents"]]
        rows = [[report["name"], _format_strength(report["name"], made), report["style"]]
                for report in sorted(playing, key=lambda report: -_strength_of(report["name"], made))]  # fmt: skip
        yield TextTable(game, ["agent", made.get("unit", "measured"), "how it plays"], rows)
    others = len(reports) - len(listed)
    yield "What it wins from the agent with 0, which has all other seats (± 95 %); no ranking: see docs/results."
    yield f"--all: {others} more, what they do and where they come from; NAME:greedy takes the likeliest action."
    yield _OTHER_AGENTS


def _strength_of(name: str, made: Mapping[str, Any]) -> float:
    """Return what an agent wins from the reference, which wins 0 from itself; -infinity where it was not measured."""
    if name == made.get("reference"):
        return 0.0
    return float(made["agents"][name]["mean"]) if name in made["agents"] else -math.inf


def _format_strength(name: str, made: Mapping[str, Any]) -> str:
    if name not in made["agents"]:
        return "0" if name == made.get("reference") else "-"
    digits = 0 if any(each["ci95"][1] - each["ci95"][0] > 2 for each in made["agents"].values()) else 2
    return format_interval(made["agents"][name]["mean"], made["agents"][name]["ci95"], digits)


def export(
    agent: AgentName, onnx: Path | None = None, folder: Path | None = None, int8: bool = False, as_json: AsJson = False
) -> None:
    """Write the network of a trained agent as an ONNX file, or as a folder to ship with a package.

    Append :greedy to the agent to export its greedy policy as ONNX.

    Args:
        onnx: File to write, which plays without PyTorch: inputs observation and action_mask, output logits, and as
            metadata what it was trained for.
        folder: Folder to write: settings, results and small weights of a run folder. The row of the agent is printed,
            for a mapping of agents like card_baselines.pretrained.PRETRAINED.
        int8: With --folder: store matrices as int8 instead of float16.
    """
    if (onnx is None) == (folder is None):
        raise ValueError("name one of --onnx FILE and --folder FOLDER")
    if onnx is not None:
        _export_onnx(agent, onnx, as_json)
    elif folder is not None:
        _export_folder(agent, folder, int8, as_json)


def _export_folder(agent: str, folder: Path, int8: bool, as_json: bool) -> None:
    from card_baselines.runs.export_pretrained import export_pretrained, make_row

    changed = export_pretrained(Path(agent), folder, int8)
    row = make_row(folder)
    lines = [f"{folder.name!r}: {row},", f"largest change of a weight: {changed:.2g}"]
    print_report({"name": folder.name, **row._asdict(), "largest_change": changed}, lines, as_json)


def _export_onnx(agent: str, path: Path, as_json: bool) -> None:
    from card_baselines.agents.learned.onnx_export import export_onnx

    about = export_onnx(agent, path)
    line = (
        f"wrote {about['agent']} to {path}, {path.stat().st_size / 1e6:.1f} MB: {about['env']}, "
        f"{about['num_seats']} seats, encoder {about['encoder']} version {about['encoder_version']}"
    )
    print_report({"file": str(path), **about}, [line], as_json)
