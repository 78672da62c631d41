"""Load a model of Stable-Baselines3 without executing code from its file.

`model.zip` holds the attributes of the model as JSON that contains pickles, and the state dictionaries of the policy
and its optimiser. `BaseAlgorithm.load` unpickles the attributes, which would execute code from an untrusted file. A run
knows its settings: it makes the model from them, and loads only tensors and plain numbers from the file.
"""

from __future__ import annotations

import json
import math
import pickle
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stable_baselines3.common.save_util import load_from_zip_file

from card_baselines.runs.checkpoint import read_count
from card_envs.damaged_files import require_size
from card_envs.memory import find_file_limit

_COUNTERS = {
    "num_timesteps", "_total_timesteps", "_num_timesteps_at_start", "_n_updates", "_n_calls", "_episode_num",
}  # fmt: skip
"""Attributes of a model that count something, and are restored."""
_NUMBERS = {"exploration_rate", "_current_progress_remaining"}
"""Further attributes of a model that are restored: finite numbers."""
PROGRESS = "run_progress"
"""Attribute of the model that holds the `progress` of `Learner.save`."""


def load_model(model: Any, path: Path, device: Any) -> None:
    """Load weights, optimiser and counters from a file of `BaseAlgorithm.save` into a model.

    Raises ValueError for files that are missing, damaged, or hold networks of another shape.
    """
    with _explain(path):
        model.set_parameters(_tensors(path, device), exact_match=True, device=device)
        with zipfile.ZipFile(path) as archive:
            attributes: dict[str, Any] = json.loads(archive.read("data"))  # pickled ones stay text
        for name in _COUNTERS & attributes.keys() & vars(model).keys():
            setattr(model, name, read_count(attributes, name))
        for name in _NUMBERS & attributes.keys() & vars(model).keys():
            if not math.isfinite(attributes[name]):
                raise ValueError(f"{name} is {attributes[name]}")
            setattr(model, name, float(attributes[name]))
        progress = attributes.get(PROGRESS)
        setattr(model, PROGRESS, progress if isinstance(progress, dict) else {})


def load_policy(model: Any, path: Path, device: Any) -> None:
    """Load only the weights of the policy from a file of `BaseAlgorithm.save`; ValueError as in `load_model`."""
    with _explain(path):
        model.policy.load_state_dict(_tensors(path, device)["policy"])


def _tensors(path: Path, device: Any) -> dict[str, Any]:
    """Return the state dictionaries in a file, by name; PyTorch unpickles nothing but tensors."""
    require_size(path, find_file_limit())
    _, tensors, _ = load_from_zip_file(path, load_data=False, device=device)
    return dict(tensors)


@contextmanager
def _explain(path: Path) -> Iterator[None]:
    """Turn errors of reading a file into ValueError."""
    try:
        yield
    except (OSError, RuntimeError, KeyError, ValueError, pickle.UnpicklingError, zipfile.BadZipFile) as error:
        raise ValueError(f"{path} is damaged, or its networks are not those of these settings: {error}") from error
