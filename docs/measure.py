"""Play measurements of `results/measurements.json` again, and store what they give.

    python docs/measure.py "cfr_large v local" ...    # by name
    python docs/measure.py cfr_no_limit_six_max       # all whose command names this agent

A measurement is what its `agent` wins a hand (`mean`, `ci95`) from `against`, in the `hands` that its `command` plays.
The command runs with `--json`; result, hands and commit are stored after each. `python docs/generate.py` then writes
the tables anew.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from card_baselines.run_folder import git_commit
from card_envs.files import replace_text

MEASUREMENTS = Path(__file__).parent / "results" / "measurements.json"
PLACEHOLDER = re.compile(r"(?<![\w/.-])[A-Z][A-Z_0-9]+(?![\w/.-])")
"""A word of a command that stands for a run that is not part of the package."""


def choose(measurements: dict[str, dict[str, Any]], wanted: list[str]) -> list[str]:
    """Return the names of the measurements that are wanted by name, or by an agent in their commands.

    Raises:
        ValueError: Nothing has that name, or a command needs a run that is not part of the package.
    """
    chosen: list[str] = []
    for word in wanted:
        named = [word] if word in measurements else []
        found = named or [name for name, each in measurements.items() if word in shlex.split(each["command"])]
        if not found:
            raise ValueError(
                f"{word!r} is no measurement, and no command names it; the names are in {MEASUREMENTS.name}"
            )
        chosen += [name for name in found if name not in chosen]
    for name in chosen:
        if missing := PLACEHOLDER.search(measurements[name]["command"]):
            raise ValueError(f"{name!r} needs {missing[0]}, a run that is not part of the package")
    return chosen


def read_report(report: dict[str, Any], agent: str | None) -> dict[str, Any]:
    """Return what the agent of a measurement wins, from the JSON that `card-envs match` or `exploit` prints."""
    if "exploitability" in report:  # what the response wins
        mean, (low, high) = -report["exploitability"], (-bound for bound in reversed(report["ci95"]))
    else:
        players = report.get("control_variates") or report["agents"]
        names = [player["name"] for player in players]
        found = players[names.index(agent) if agent in names else 0]
        mean, (low, high) = found["mean"], found["ci95"]
    hands = report["hands"] if "hands" in report else f"{report['flops']} flops"
    return {"mean": mean, "ci95": [low, high], "hands": hands}


def main(words: list[str] | None = None) -> None:
    """Play the measurements that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wanted", nargs="+", help="names of measurements, or of agents")
    measurements = json.loads(MEASUREMENTS.read_text(encoding="utf-8"))
    try:
        chosen = choose(measurements, parser.parse_args(words).wanted)
    except ValueError as error:
        parser.error(str(error))
    for name in chosen:
        command = shlex.split(measurements[name]["command"])
        print(f"{name}: {shlex.join(command)}", flush=True)
        run = [sys.executable, "-c", "import card_baselines.cli as cli; raise SystemExit(cli.main())", *command[1:]]
        printed = subprocess.run([*run, "--json"], check=True, stdout=subprocess.PIPE, encoding="utf-8")
        found = read_report(json.loads(printed.stdout), measurements[name].get("agent"))
        stored = json.loads(MEASUREMENTS.read_text(encoding="utf-8"))  # another process may have stored more
        stored[name] |= {**found, "commit": git_commit()[:10]}
        replace_text(MEASUREMENTS, json.dumps(stored, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
