"""Checkpoints: one file with all that a run needs to continue, arrays as safetensors and the rest as JSON.

Loading a checkpoint never executes code from the file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load, save_file

from card_envs.game import Game
from card_envs.records import Tables
from card_envs.table_checks import check_tables

STATE = "state.safetensors"
_DIGEST, _SEALED = "digest", "content"
"""Entries of the metadata: a hash of the whole content, and what `save_state` was given as JSON."""

_MAX_COUNT = 2**48
"""No run counts as many decisions, iterations or updates."""
_ADAM = ("step", "exp_avg", "exp_avg_sq")
"""State of Adam for each parameter."""

Array = TypeVar("Array")


def save_state(path: Path, tensors: dict[str, torch.Tensor], extra: Mapping[str, Any]) -> None:
    """Write tensors, and `extra`, which must be JSON, with a digest that tells whether the file was damaged later."""
    written, facts = {name: tensor.contiguous() for name, tensor in tensors.items()}, json.dumps(extra)
    sealed = {_DIGEST: _compute_digest(written, facts), _SEALED: facts}
    save_file(written, path, {"facts": json.dumps(sealed)})  # one entry, since safetensors writes several in any order


def load_state(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Return the tensors and the `extra` of a file of `save_state`; raises ValueError for any other file.

    The file is opened once, since a run may replace it at any time.
    """
    content = path.read_bytes()
    try:
        tensors, metadata = load(content), _metadata(content)
        extra = json.loads(metadata["facts"])
        if isinstance(extra, dict) and extra.keys() == {_DIGEST, _SEALED}:  # older versions have no digest
            if extra[_DIGEST] != _compute_digest(tensors, extra[_SEALED]):
                raise ValueError("it was damaged after it was written; continue from a copy")
            extra = json.loads(extra[_SEALED])
    except (SafetensorError, LookupError, TypeError, ValueError, RuntimeError, AttributeError) as error:
        raise ValueError(f"{path} is not a checkpoint of this program: {error}") from error
    if not isinstance(extra, dict):
        raise ValueError(f"{path} is not a checkpoint of this program: its facts are no JSON object")
    for name, tensor in tensors.items():
        if tensor.is_floating_point() and not torch.isfinite(tensor).all():
            raise ValueError(f"{path} is damaged: {name} has numbers that are NaN or infinite")
    return tensors, extra


def _compute_digest(tensors: Mapping[str, torch.Tensor], facts: str) -> str:
    """Return a hash of the content of a checkpoint."""
    digest = hashlib.blake2b(facts.encode(), digest_size=16)
    for name in sorted(tensors):
        tensor = tensors[name].cpu()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        if tensor.numel():
            digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def _metadata(content: bytes) -> dict[str, str]:
    """Return the metadata of a safetensors file, whose header is eight bytes of length followed by JSON."""
    header: dict[str, Any] = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    metadata: dict[str, str] = header["__metadata__"]
    return metadata


def strip_prefix(prefix: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the entries whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


class Part(NamedTuple):
    """Something in a checkpoint that has no methods `state_dict` and `load_state_dict` of its own."""

    read: Callable[[], Mapping[str, Any]]
    """Returns its state: tensors or arrays by name."""
    restore: Callable[[dict[str, NDArray[Any]]], None]
    """Continues from the arrays of a state; raises ValueError for those of something else."""


def collect_parts(parts: Mapping[str, Any]) -> dict[str, torch.Tensor]:
    """Return the states of all parts as tensors named "part.name".

    A part is a module, an optimiser of the kind of Adam, a NumPy generator, a mapping of further parts, a `Part`, or
    any object whose `state_dict` returns tensors or arrays by name and whose `load_state_dict` continues from arrays.
    """
    return {
        f"{part}.{name}": tensor if isinstance(tensor, torch.Tensor) else torch.from_numpy(np.asarray(tensor))
        for part, each in parts.items()
        for name, tensor in _state_of(part, each).items()
    }


def _state_of(name: str, part: Any) -> Mapping[str, Any]:
    if isinstance(part, Mapping):
        return collect_parts(part)
    if isinstance(part, torch.optim.Optimizer):
        return optimiser_tensors(part)
    if isinstance(part, torch.nn.Module):  # copies, since two modules may have the same weights
        return {name: tensor.clone() for name, tensor in part.state_dict().items()}
    if isinstance(part, np.random.Generator):
        return {"state": read_rng(part)}
    if not isinstance(part, Part) and not hasattr(part, "state_dict"):
        raise ValueError(f"part {name!r} is a {type(part).__name__}, which has no state_dict: see `collect_parts`")
    state: Mapping[str, Any] = part.read() if isinstance(part, Part) else part.state_dict()
    return state


def restore_parts(parts: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
    """Continue from the tensors of `collect_parts`, part after part; ValueError for those of other parts."""
    for name, part in parts.items():
        state = strip_prefix(f"{name}.", tensors)
        if isinstance(part, Mapping):
            restore_parts(part, state)
        elif isinstance(part, torch.nn.Module):
            part.load_state_dict(state)
        elif isinstance(part, torch.optim.Optimizer):
            load_optimiser(part, state)
        elif isinstance(part, np.random.Generator):
            restore_rng(part, to_arrays(state).get("state"))
        else:
            (part.restore if isinstance(part, Part) else part.load_state_dict)(to_arrays(state))


def tables_part(game: Game, tables: Tables) -> Part:
    """Return tables as a part of a checkpoint, see `restore_tables`."""

    def restore(state: dict[str, NDArray[Any]]) -> None:
        restore_tables(game, tables, "tables.records", state.get("records", np.zeros(0, np.uint8)))

    return Part(lambda: {"records": tables.view(np.uint8)}, restore)


def to_arrays(tensors: Mapping[str, torch.Tensor]) -> dict[str, NDArray[Any]]:
    """Return tensors as arrays."""
    return {name: np.asarray(tensor.numpy()) for name, tensor in tensors.items()}


def _describe(array: torch.Tensor | NDArray[Any]) -> str:
    return f"{array.dtype} of shape {tuple(array.shape)}"


def check_arrays(found: Mapping[str, NDArray[Any]], expected: Mapping[str, NDArray[Any]], rows: bool = False) -> None:
    """Raise a ValueError that names the array unless arrays have the names, types and shapes of the expected ones.

    Args:
        found: Arrays of a file; further ones are ignored.
        expected: Arrays as they were when the learner was made.
        rows: The first axis may have another length, the same for all arrays.
    """
    for name, array in expected.items():
        if name not in found:
            raise ValueError(f"{name} is missing")
        shape = (len(found[next(iter(expected))]), *array.shape[1:]) if rows and found[name].ndim else array.shape
        if found[name].dtype != array.dtype or found[name].shape != shape:
            raise ValueError(f"{name} is {_describe(found[name])}, not {array.dtype} of shape {shape}")


def read_count(entries: Mapping[str, Any], name: str) -> int:
    """Return the entry of a checkpoint, number, array or tensor, that counts something; ValueError for others."""
    value = entries[name]
    if isinstance(value, (np.ndarray, torch.Tensor)) and value.shape == ():
        value = value.item()
    if type(value) is not int or not 0 <= value < _MAX_COUNT:
        raise ValueError(f"{name} is {value!r:.80}, not a number of things so far")
    return value


def restore_tables(game: Game, tables: Tables, name: str, records: NDArray[Any]) -> None:
    """Overwrite tables by the bytes of a checkpoint's tables; ValueError unless the game can go on at all of them."""
    if records.dtype != np.uint8 or records.shape != tables.view(np.uint8).shape:
        raise ValueError(f"{name}: the checkpoint holds tables of another version of the game: train anew")
    found = np.ascontiguousarray(records).view(tables.dtype)
    try:
        check_tables(game, found)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    tables[:] = found


def read_rng(rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the state of a random generator: bytes of JSON."""
    return np.frombuffer(json.dumps(rng.bit_generator.state).encode(), np.uint8).copy()


def restore_rng(rng: np.random.Generator, found: NDArray[Any] | None) -> None:
    """Continue from `read_rng`; ValueError for a state that a generator never has, such as that of a fixed stream."""
    state = None
    with contextlib.suppress(ValueError, RecursionError):
        state = None if found is None else json.loads(found.tobytes())
    if not isinstance(state, dict) or not isinstance(state.get("state"), dict) or not state["state"].get("inc", 0) % 2:
        raise ValueError("the state of the random generator is not one of PCG64")
    rng.bit_generator.state = state


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """Return Adam's running means and step counts, named "parameter index.name"."""
    return {
        f"{number}.{name}": value
        for number, state in optimiser.state_dict()["state"].items()
        for name, value in state.items()
    }


def load_optimiser(optimiser: torch.optim.Optimizer, tensors: dict[str, torch.Tensor]) -> None:
    """Restore the state that `optimiser_tensors` returned; ValueError for tensors of another optimiser."""
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in tensors.items():
        number, _, name = key.partition(".")
        if not (number.isdecimal() and int(number) < len(parameters)):
            raise ValueError(f"the state of the optimiser has a parameter {number!r}, of {len(parameters)}")
        shape = torch.Size() if name == "step" else parameters[int(number)].shape
        if tensor.shape != shape or not tensor.is_floating_point():
            raise ValueError(f"the state of the optimiser: {key} is {_describe(tensor)}, not of shape {tuple(shape)}")
        state.setdefault(int(number), {})[name] = tensor
    if any(set(named) != set(_ADAM) for named in state.values()):
        raise ValueError(f"the state of the optimiser must have {', '.join(_ADAM)} for each parameter")
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
