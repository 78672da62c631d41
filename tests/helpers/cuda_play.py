"""What tables on a GPU show in random play, hashed; in Numba's simulator, which needs no GPU, or on a GPU.

As a program, `python -m tests.helpers.cuda_play ENV SETTINGS NUM_TABLES STEPS` (settings as JSON) prints a hash.
"""

from __future__ import annotations

import hashlib
import json
import sys
from typing import Any

import numpy as np

from card_envs.envs import make_vector
from tests.helpers.processes import run_python

SIMULATOR = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
"""Variables of a process in which Numba simulates a GPU."""


def play(tables: Any, steps: int) -> str:
    """Hash everything that tables show in random play, and their records at the end."""
    digest = hashlib.sha256()
    batch = tables.reset()
    for step in range(steps):
        for array in (*batch, *([tables.state()] if step % 4 == 0 else [])):
            digest.update(on_host(array).tobytes())
        batch = tables.step(tables.sample_actions())
    digest.update(tables.tables.tobytes())
    return digest.hexdigest()


def on_host(array: Any) -> Any:
    """Return an array of either kind as NumPy's, C-contiguous."""
    return np.ascontiguousarray(array.copy_to_host() if hasattr(array, "copy_to_host") else array)


def on_cpu(env_id: str, settings: dict[str, Any], num_tables: int, steps: int) -> str:
    """Return the hash of the same play on the processor."""
    return play(make_vector(env_id, num_tables, seed=5, **settings), steps)


def in_simulator(env_id: str, settings: dict[str, Any], num_tables: int, steps: int) -> str:
    """Return the hash that a process with the simulator prints."""
    words = [env_id, json.dumps(settings), str(num_tables), str(steps)]
    process = run_python("-m", "tests.helpers.cuda_play", *words, **SIMULATOR)
    assert process.returncode == 0, process.stderr[-3000:]
    return process.stdout.strip()


if __name__ == "__main__":
    name, settings_text, num_tables_text, steps_text = sys.argv[1:]
    on_gpu = make_vector(name, int(num_tables_text), seed=5, device="cuda", **json.loads(settings_text))
    print(play(on_gpu, int(steps_text)))
