"""What every benchmark writes beside its numbers, and how."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from card_baselines.run_folder import package_versions
from card_baselines.speed.stopwatch import machine
from card_envs.files import replace_text


def circumstances(packages: Sequence[str] = ("numpy", "numba")) -> dict[str, Any]:
    """Return date, command, commit, machine, and versions of packages that are installed."""
    git = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "command": " ".join(["python", *map(_without_folder, sys.argv)]),
        "commit": subprocess.run(git, capture_output=True, encoding="utf-8", check=False).stdout.strip(),
        "machine": machine(),
        "versions": package_versions(packages),
    }


def _without_folder(word: str) -> str:
    """Return a word of the command line; of absolute paths, which mean nothing on other machines, the last part."""
    return Path(word).name if Path(word).is_absolute() else word


def write_json(path: Path, report: Any) -> None:
    """Write a report; a file that is there is replaced at once or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, json.dumps(report, indent=2) + "\n")
