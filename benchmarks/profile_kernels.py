"""Where a decision of the batched engine spends its time, by compiled function; needs Linux and its tool `perf`.

    taskset -c 1 python benchmarks/profile_kernels.py limit_holdem-v0 num_players=2 [--seconds 5]

Samples `make_vector(...)` at uniformly random play with `perf record` and looks the samples up among the functions of
the compiled kernels, which `perf` alone cannot name. Kernels are compiled into an empty cache first: Numba knows the
parts only of what it has compiled itself.
"""

from __future__ import annotations

import argparse
import bisect
import os
import re
import signal
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

TABLES = 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("env_id")
    parser.add_argument("settings", nargs="*", help="arguments of the environment, such as num_players=6")
    parser.add_argument("--seconds", type=float, default=5.0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NUMBA_CACHE_DIR"] = folder  # before the kernels are imported
        from card_baselines.settings import parse_settings
        from card_envs import make_vector

        tables = make_vector(arguments.env_id, TABLES, seed=0, **parse_settings(tuple(arguments.settings)))
        tables.reset()
        tables.step(tables.sample_actions())
        recording = Path(folder) / "perf.data"
        nanoseconds = record(tables, arguments.seconds, recording)
        shares = shares_by_function(recording, functions_of(tables.game))
    print(f"{arguments.env_id}, {TABLES} tables: {nanoseconds:.0f} ns per decision (with perf beside it)")
    for name, share in shares.most_common(25):
        print(f"{100 * share:6.1f} %  {share * nanoseconds:6.1f} ns  {name}")


def record(tables: Any, seconds: float, recording: Path) -> float:
    """Play under `perf` and return nanoseconds of CPU time per decision."""
    command = ["perf", "record", "-q", "-F", "4000", "-o", str(recording), "-p", str(os.getpid())]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as perf:
        time.sleep(0.5)
        start, decisions = time.process_time(), 0
        while time.process_time() - start < seconds:
            for _ in range(50):
                tables.step(tables.sample_actions())
            decisions += 50 * TABLES
        used = time.process_time() - start
        perf.send_signal(signal.SIGINT)
    return used / decisions * 1e9


def functions_of(game: Any) -> list[tuple[int, str]]:
    """Return (address, name) of all compiled functions behind a step of the batched engine, by address."""
    found: dict[int, str] = {}
    for kernel in (game.random_batch, game.step_batch, game.encoder.observe_batch):
        for compiled in kernel.overloads.values():
            library = compiled.library
            engine = library._codegen._engine._ee
            for function in library._final_module.functions:
                if not function.is_declaration:
                    found[engine.get_function_address(function.name)] = readable(function.name)
    return sorted((address, name) for address, name in found.items() if address)


def readable(symbol: str) -> str:
    """Return "module.function" of a mangled name such as _ZN9card_envs5games6holdem7betting3actB3v76..."""
    parts, rest = [], symbol.removeprefix("_ZN")
    while match := re.match(r"(\d+)", rest):
        length = int(match[1])
        parts.append(rest[match.end() : match.end() + length])
        rest = rest[match.end() + length :]
    return ".".join(parts[-2:]) or symbol


def shares_by_function(recording: Path, functions: list[tuple[int, str]]) -> Counter[str]:
    """Return the share of the samples in each compiled function, in the interpreter and in the C library."""
    command = ["perf", "script", "-i", str(recording), "-F", "ip,sym,dso"]
    lines = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()
    addresses = [address for address, _ in functions]
    largest = 1 << 16  # bytes of code of one function
    samples: Counter[str] = Counter()
    for line in lines:
        match = re.match(r"\s*([0-9a-f]+)\s+(.*)", line)
        if not match:
            continue
        place = int(match[1], 16)
        nearest = bisect.bisect(addresses, place) - 1
        if nearest >= 0 and place - addresses[nearest] < largest and ".so" not in match[2]:
            samples[functions[nearest][1]] += 1
        elif "memset" in match[2] or "memmove" in match[2]:
            samples["C library: clearing and copying"] += 1
        else:
            samples["Python, NumPy and Numba's dispatch"] += 1
    total = samples.total()
    return Counter({name: count / total for name, count in samples.items()})  # type: ignore[misc]


if __name__ == "__main__":
    main()
