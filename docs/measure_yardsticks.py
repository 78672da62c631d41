"""Measure how exploitable players of heads-up limit hold'em are, for the table in results/exploitability.md.

`python docs/measure_yardsticks.py` runs `card-envs exploit` for each agent and instrument, one after the other, and
keeps what it prints in results/yardsticks.json after each. What is there already is not measured again, so it goes on
where it stopped. Agents and instruments can be named, others than the usual ones too; `--again` replaces their rows:
`python docs/measure_yardsticks.py ppo_limit_hu --methods local learned --again`. `python docs/generate.py` then writes
the table.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

from card_envs.files import replace_text

REPO = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "yardsticks.json"
PACKAGES = ("card_envs", "wrappers", "baselines")

OPTIONS = {
    "exact-flops": "--flops 10",
    "local": "--hands 4000",
    "learned": "--minutes 5 --hands 50000",
}
"""Instrument -> how much of it."""
SCRIPTED = ("always_call", "always_raise", "chen", "sklansky", "shi_rules", "tight_aggressive", "loose_passive")
AGENTS = (*SCRIPTED, "equity", "cfr_small", "cfr_large", "ppo_limit_hu")
BY_THE_BILLION = ("equity", "ppo_limit_hu")
"""Agents that come to all betting, and would be asked for billions of decisions on each flop."""


def main() -> None:
    """Measure what is missing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="*", default=AGENTS, help="names, as in `card-envs exploit`; by default all")
    parser.add_argument("--methods", nargs="+", choices=OPTIONS, default=tuple(OPTIONS))
    parser.add_argument("--options", help="how much of the instruments, such as '--hands 20000', in place of the usual")
    parser.add_argument("--again", action="store_true", help="measure what is there already, and replace it")
    given = parser.parse_args()
    for method in given.methods:
        for agent in given.agents:
            is_known = any((row["agent"], row["method"]) == (agent, method) for row in rows())
            too_much = method == "exact-flops" and agent in BY_THE_BILLION and len(given.agents) > 1
            if (is_known and not given.again) or too_much:
                continue
            keep(measured(agent, method, given.options or OPTIONS[method]))


def measured(agent: str, method: str, options: str) -> dict[str, Any]:
    """Run the command; return what it printed, with command, commit and seconds of processor time."""
    words = f"exploit --env limit_holdem-v0 --agent {agent} --method {method} {options} --seed 0".split()
    command = " ".join(["card-envs", *words])
    print(command, file=sys.stderr, flush=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made_on = commit()
    run = [sys.executable, "-c", "from card_baselines.cli import main; raise SystemExit(main())", *words, "--json"]
    printed = subprocess.run(run, cwd=REPO, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report = json.loads(printed)
    kept = ("exploitability", "ci95", "flops", "hands", "stopped", "start")
    numbers = {name: report[name] for name in kept if name in report}
    row = {
        "agent": agent,
        "method": method,
        **numbers,
        "command": command,
        "commit": made_on,
        "seconds": round(seconds),
    }
    print(json.dumps(row), file=sys.stderr, flush=True)
    return row


def commit() -> str:
    """Return the commit, with "+changes" if the packages differ from it."""

    def git(*args: str) -> str:
        return subprocess.run(
            ["git", *args], cwd=REPO, capture_output=True, encoding="utf-8", check=True
        ).stdout.strip()

    return git("rev-parse", "HEAD")[:10] + ("+changes" if git("status", "--porcelain", "--", *PACKAGES) else "")


def rows() -> list[dict[str, Any]]:
    """Return what is kept."""
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []


def keep(row: dict[str, Any]) -> None:
    """Add a row, in place of that of the same agent and instrument."""
    others = [old for old in rows() if (old["agent"], old["method"]) != (row["agent"], row["method"])]
    order = {name: k for k, name in enumerate((*AGENTS, *OPTIONS))}
    found = sorted([*others, row], key=lambda r: (order.get(r["agent"], len(order)), r["agent"], order[r["method"]]))
    replace_text(RESULTS, json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
