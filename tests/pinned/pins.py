"""What is pinned of the project's results, group by group: each pin has a name and is computed from its name alone.

A pin is a dictionary of three parts. `exact` holds on every machine; `same_machine` holds where processor and libraries
are those of the refresh (`machine`); `close` are numbers that hold to a tolerance everywhere else. Only public names,
the command line and the registries are used, so that a refactoring changes nothing here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.settings import parse_environment
from card_envs import ENVS, make_game, make_vector
from tests.pinned import commands, play, training
from tests.pinned.pin import Pin, digest

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


def environments() -> Iterator[str]:
    """Yield every id as it is, with each of its rules profiles, and the variants."""
    for env_id in ENVS:
        yield env_id
        yield from filter(is_possible, (f"{env_id} rules={rules}" for rules in make_game(env_id).rules_profiles))
    yield from VARIANTS


def is_possible(name: str) -> bool:
    """Return False for settings that the environment does not have, an encoder that does not fit it, and such."""
    env_id, settings = parse_environment(name)
    try:
        make_game(env_id, **settings)
    except ValueError:
        return False
    return True


def encoded_environments() -> Iterator[str]:
    """Yield the environments with every encoder that fits, in every type of numbers that holds it."""
    for name in environments():
        for encoder in make_game(parse_environment(name)[0]).encoders:
            types = ("", " dtype=float32", " dtype=int8")
            yield from filter(is_possible, (f"{name} encoder={encoder}{dtype}" for dtype in types))


def pin_records(name: str) -> Pin:
    """Pin the fields of a table's record, and what the random streams of some seeds write into them."""
    env_id, settings = parse_environment(name)
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
    env_id, settings = parse_environment(name)
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
    "agents": Group(play.names, play.compute),
    "training": Group(training.names, training.compute),
    "commands": Group(commands.names, commands.compute),
}
