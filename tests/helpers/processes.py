"""Programs in processes of their own, which find the packages of this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PATHS = os.pathsep.join(str(ROOT / folder) for folder in (".", "wrappers", "baselines"))
"""Where Python finds the packages."""


def run_python(*arguments: str | Path, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python, such as `run_python("-c", program)`; return its exit status and what it printed."""
    variables = os.environ | {"PYTHONPATH": PATHS} | environment
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
