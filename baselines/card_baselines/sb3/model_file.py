"""Reading a model of Stable-Baselines3 without running what is in it.

`model.zip` holds the attributes of the model as JSON, in which objects stand as pickles, and state dictionaries of the
policy and its optimiser. `BaseAlgorithm.load` unpickles the former, so a file of somebody else runs their code. A run
knows its settings already: here the model is made from those, and takes tensors and plain numbers from the file.
"""

from __future__ import annotations

import json
import pickle
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stable_baselines3.common.save_util import load_from_zip_file

_COUNTERS = (
    "num_timesteps", "_total_timesteps", "_num_timesteps_at_start", "_n_updates", "_n_calls", "_episode_num",
    "exploration_rate", "_current_progress_remaining",
)  # fmt: skip
"""Attributes of a model that are numbers and go on where a run goes on."""
PROGRESS = "run_progress"
"""Attribute that holds what the run keeps beside the model, as JSON."""


def load_model(model: Any, path: Path, device: Any) -> None:
    """Continue with the weights, the optimiser and the counters in a file of `BaseAlgorithm.save`.

    Raises ValueError for files that are none, are damaged, or hold networks of another shape.
    """
    with _explain(path):
        model.set_parameters(_tensors(path, device), exact_match=True, device=device)
        attributes = _plain_attributes(path)
    for name in _COUNTERS:
        value = attributes.get(name)
        if isinstance(value, (int, float)) and hasattr(model, name):
            setattr(model, name, value)
    progress = attributes.get(PROGRESS)
    setattr(model, PROGRESS, progress if isinstance(progress, dict) else {})


def load_policy(model: Any, path: Path, device: Any) -> None:
    """Take the weights of the policy alone from a file of `BaseAlgorithm.save`; ValueError as in `load_model`."""
    with _explain(path):
        model.policy.load_state_dict(_tensors(path, device)["policy"])


def _tensors(path: Path, device: Any) -> dict[str, Any]:
    """Return the state dictionaries in a file, by the names of what they belong to; PyTorch unpickles tensors alone."""
    _, tensors, _ = load_from_zip_file(path, load_data=False, device=device)
    return dict(tensors)


def _plain_attributes(path: Path) -> dict[str, Any]:
    """Return the attributes of the saved model; those that are pickled stay text."""
    with zipfile.ZipFile(path) as archive:
        attributes: dict[str, Any] = json.loads(archive.read("data"))
    return attributes


@contextmanager
def _explain(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError, KeyError, ValueError, pickle.UnpicklingError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is damaged, or its networks are not those of these settings: {error}") from error
