"""What is pinned of the project's results, group by group: each pin has a name and is computed from its name alone.

A pin is a dictionary of three parts. `exact` holds on every machine; `same_machine` holds where processor and libraries
are those of the refresh (`machine`); `close` are numbers that hold to a tolerance everywhere else. Only public names,
the command line and the registries are used, so that a refactoring changes nothing here.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs import ENVS, make_game, make_vector

Pin = dict[str, dict[str, Any]]
LIBRARIES = ("numpy", "numba", "llvmlite", "torch", "scipy", "stable-baselines3", "sb3-contrib")
TABLES, STEPS = 100, 100
SEEDS = (0, 1, 2**64 - 1)
VARIANTS = (
    "limit_holdem-v0 num_players=6",
    "limit_holdem-v0 num_players=10 ante=1",
    "no_limit_holdem-v0 num_players=6",
    "no_limit_holdem-v0 num_players=3 structure=pot_limit stacks=50",
    "no_limit_holdem-v0 bet_menu=fcpa",
)
"""Environments with settings, beside every id as it is and with each of its rules profiles."""


@dataclass(frozen=True)
class Group:
    """Pins of one kind: which there are today, and how one is computed from its name."""

    names: Callable[[], Iterable[str]]
    compute: Callable[[str], Pin]


def machine() -> str:
    """Return what floating-point results depend on: the model of the processor, and versions of libraries."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    versions = [f"{name} {version_of(name)}" for name in LIBRARIES]
    return ", ".join([models[0] if models else platform.processor(), platform.system(), *versions])


def version_of(library: str) -> str:
    """Return the installed version of a library, "-" for none."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "-"


def digest(*parts: NDArray[Any] | bytes) -> str:
    """Return a short hash of arrays, their types and shapes included, and of bytes."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            total.update(f"{part.dtype.str}{part.shape}".encode())
            part = np.ascontiguousarray(part).tobytes()
        total.update(part)
    return total.hexdigest()[:16]


def parse(name: str) -> tuple[str, dict[str, Any]]:
    """Return the environment id and the arguments of "id name=value ...", as `--set` on the command line reads them."""
    env_id, *settings = name.split()
    pairs = (setting.split("=") for setting in settings)
    return env_id, {key: int(value) if value.isdigit() else value for key, value in pairs}


def environments() -> Iterator[str]:
    """Yield every id as it is, with each of its rules profiles, and the variants."""
    for env_id in ENVS:
        yield env_id
        yield from filter(is_possible, (f"{env_id} rules={rules}" for rules in make_game(env_id).rules_profiles))
    yield from VARIANTS


def is_possible(name: str) -> bool:
    """Return False for settings that the environment does not have, an encoder that does not fit it, and such."""
    env_id, settings = parse(name)
    try:
        make_game(env_id, **settings)
    except ValueError:
        return False
    return True


def encoded_environments() -> Iterator[str]:
    """Yield the environments with every encoder that fits, in every type of numbers that holds it."""
    for name in environments():
        for encoder in make_game(parse(name)[0]).encoders:
            types = ("", " dtype=float32", " dtype=int8")
            yield from filter(is_possible, (f"{name} encoder={encoder}{dtype}" for dtype in types))


def pin_records(name: str) -> Pin:
    """Pin the fields of a table's record, and what the random streams of some seeds write into them."""
    env_id, settings = parse(name)
    dtype = make_vector(env_id, num_tables=1, seed=0, **settings).tables.dtype
    fields = {key: [str(kind.base), list(kind.shape), offset] for key, (kind, offset, *_) in dtype.fields.items()}
    exact: dict[str, Any] = {"itemsize": dtype.itemsize, "fields": fields}
    for seed in SEEDS:
        exact[f"tables dealt from seed {seed}"] = dealt_tables(env_id, seed, settings)
    return {"exact": exact}


def dealt_tables(env_id: str, seed: int, settings: dict[str, Any]) -> dict[str, str]:
    """Return hashes of the random streams, decks included, after the first deal and after 100 random actions."""
    vector = make_vector(env_id, num_tables=TABLES, seed=seed, **settings)
    vector.reset()
    found = {"fields after the deal": digest(*fields_of(vector.tables))}
    picks = []
    for _ in range(STEPS):
        picks.append(vector.sample_actions().copy())
        vector.step(picks[-1])
    found["picks"] = digest(np.array(picks))
    found["fields after 100 actions"] = digest(*fields_of(vector.tables))
    return found


def fields_of(tables: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the fields of records one by one: what lies between them means nothing."""
    return [tables[name] for name in tables.dtype.names or ()]


def pin_environment(name: str) -> Pin:
    """Pin what 10,000 decisions with random actions show, and the perfect-information vectors at their end."""
    env_id, settings = parse(name)
    vector = make_vector(env_id, num_tables=TABLES, seed=7, **settings)
    batch = vector.reset()
    seen, told, sums = hashlib.sha256(), hashlib.sha256(), []
    for _ in range(STEPS):
        seen.update(np.ascontiguousarray(batch.observation).tobytes())
        told.update(b"".join(np.ascontiguousarray(part).tobytes() for part in batch[1:]))
        sums.append(float(batch.observation.sum(dtype=np.float64)))
        batch = vector.step(vector.sample_actions())
    exact = {
        "masks, seats, rewards, ends": told.hexdigest()[:16],
        "observation": f"{batch.observation.dtype} {batch.observation.shape[1]}",
    }
    shown = {"observations": seen.hexdigest()[:16], "states": digest(vector.state())}
    return {"exact": exact, "same_machine": shown, "close": {"sum of observations": sum(sums)}}


GROUPS = {
    "records": Group(environments, pin_records),
    "environments": Group(encoded_environments, pin_environment),
}
