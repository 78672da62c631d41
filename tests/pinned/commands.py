"""What commands print with --json: numbers of matches, exploitability, tournaments and tiny reproductions."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from typing import Any

from tests.pinned.pin import Pin, digest
from tests.pinned.play import run_json

SHORT = "--hands 400 --seed 5"
COMMANDS = (
    f"match limit_holdem-v0 --agents chen equity {SHORT}",
    f"match limit_holdem-v0 --agents chen equity {SHORT} --duplicate --statistics",
    f"match limit_holdem-v0 --agents chen tight_aggressive {SHORT} --control-variates",
    f"match limit_holdem-v0 --agents ppo_limit_hu cfr_small {SHORT}",
    f"match no_limit_holdem-v0 --agents chen random equity sklansky rlcard_rule loose_passive {SHORT}",
    f"match no_limit_holdem-v0 --agents chen tight_aggressive {SHORT} --control-variates --duplicate",
    f"match leduc_holdem-v0 --agents cfr random {SHORT} --duplicate --statistics",
    f"match leduc_holdem-v0 --agents cfr random {SHORT} --control-variates",
    f"match big2-v0 --agents big2_greedy random big2_lowest random {SHORT} --duplicate",
    f"match big2-v0 --agents big2_greedy random big2_lowest random {SHORT} --control-variates",
    "exploit leduc_holdem-v0 --agent random_low_fold",
    "exploit leduc_holdem-v0 --agent cfr",
    "exploit kuhn_poker-v0 --agent always_call",
    "exploit limit_holdem-v0 --agent chen --method local --hands 60",
    "exploit no_limit_holdem-v0 --agent always_call --method local --hands 60",
    "tournament chen sklansky always_call --hands 200 --passes 2 --resamples 50 --folder FOLDER/tournament",
    "match --hands-needed --difference 0.05 --sd 5.0",
    "match --hands-needed --difference 0.05 --env limit_holdem-v0 --agents chen sklansky --pilot-hands 400",
    "match --report --agent chen --hands 400 --exploit-hands 40",
    *(
        f"reproduce {paper} --scale tiny --folder FOLDER/{paper}"
        for paper in ("charlesworth2018", "kaminsky2020", "maitrepierre2008", "zheng2022")
    ),
)
"""Commands, --json aside; FOLDER stands for a temporary one. A learned response and shi2022
are left out: a clock ends the search of the one, and the tree search of the other depends on time."""
NEVER_THE_SAME = ("commit", "seconds", "minutes", "time", "version", "folder", "report", "machine", "command", "date")
"""Parts of keys whose values differ between two runs of the same code."""
INTERVALS = ("ci95", "half_width", "interval", "verdict", "adjusted", "decided", "sd")
"""Parts of keys about intervals and what follows from them: hashed apart, so that a change of theirs alone is seen."""
WINNINGS = ("mean", "median", "low", "high")
"""Beginnings of the names of winnings: the networks of kaminsky2020 learn something else on another processor."""


def names() -> Iterator[str]:
    """Yield the commands."""
    yield from COMMANDS


def compute(name: str) -> Pin:
    """Run a command, and pin all that it prints but times, commits and paths."""
    with tempfile.TemporaryDirectory() as folder:
        printed = without(NEVER_THE_SAME, run_json(*name.replace("FOLDER", folder).split()))
    results = without(INTERVALS, printed)
    hashes = {"results": hash_json(results), "with intervals": hash_json(printed)}
    close = list(numbers_in(results, ""))[:12]
    if name.startswith("reproduce kaminsky2020"):
        close = [(place, number) for place, number in close if not place.rpartition("/")[2].startswith(WINNINGS)]
    return {"exact": {}, "same_machine": hashes, "close": dict(close)}


def hash_json(value: Any) -> str:
    """Return a short hash of a JSON value, whatever the order of its keys."""
    return digest(json.dumps(value, sort_keys=True).encode())


def without(words: tuple[str, ...], value: Any) -> Any:
    """Return a JSON value without the keys that hold one of some words."""
    if isinstance(value, dict):
        return {key: without(words, part) for key, part in value.items() if not any(w in key.lower() for w in words)}
    return [without(words, part) for part in value] if isinstance(value, list) else value


def numbers_in(value: Any, path: str) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a JSON value with their places."""
    if isinstance(value, dict):
        for key in sorted(value):
            yield from numbers_in(value[key], f"{path}/{key}")
    elif isinstance(value, list):
        for k, part in enumerate(value):
            yield from numbers_in(part, f"{path}/{k}")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, float(value)
