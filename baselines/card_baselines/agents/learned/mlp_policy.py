"""A fully connected policy network, and its weights as files.

Weights are safetensors and settings are JSON, so loading never executes code from a file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load, save_file

from card_baselines.run_folder import CONFIG, WEIGHTS
from card_envs.files import replace_file

SCALE = ".scale"
"""Ending of the names of scales, see `quantise_weights`."""
_LARGEST = 127
"""Largest absolute value of an int8 that is used."""
Policy = TypeVar("Policy", bound=torch.nn.Module)
ACTIVATIONS = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}


class MlpPolicy(torch.nn.Module):
    """Fully connected network that maps observations to one logit per action id."""

    def __init__(self, observation_size: int, hidden: list[int], num_actions: int, activation: str = "tanh") -> None:
        """Make a network with hidden layers of the widths `hidden`; ValueError for an unknown activation."""
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation {activation!r} is not known: choose one of {sorted(ACTIVATIONS)}")
        self.layers = make_layers(observation_size, hidden, num_actions, activation)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Return the network that a config.json describes, with random weights."""
        return cls(config["observation_size"], config["hidden"], config["num_actions"], config["activation"])

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return logits (n, num_actions) of observations (n, d)."""
        logits: torch.Tensor = self.layers(observation)
        return logits

    def compute_probabilities(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> NDArray[np.float64]:
        """Return the probability of every action, see the function `compute_probabilities`."""
        return compute_probabilities(self, observation, action_mask)


@torch.inference_mode()
def compute_probabilities(
    network: torch.nn.Module, observation: NDArray[Any], action_mask: NDArray[np.int8]
) -> NDArray[np.float64]:
    """Return the softmax of the logits of legal actions, (n, num_actions), zero for illegal ones.

    Args:
        network: Maps observations (n, d) float32 to logits (n, num_actions), on any device.
        observation: (n, d).
        action_mask: (n, num_actions), 1 for legal actions.
    """
    device = next(network.parameters()).device
    logits = network(torch.from_numpy(observation).to(device).float()).cpu().double()
    masked = logits.masked_fill(torch.from_numpy(action_mask == 0), -torch.inf)
    return np.asarray(masked.softmax(dim=1).numpy(), np.float64)


def make_layers(inputs: int, hidden: Sequence[int], outputs: int, activation: str) -> torch.nn.Sequential:
    """Return a fully connected network with an activation of `ACTIVATIONS`; relu overwrites its input."""
    layers: list[torch.nn.Module] = []
    for width, size in pairwise((inputs, *hidden)):
        following = torch.nn.ReLU(inplace=True) if activation == "relu" else ACTIVATIONS[activation]()
        layers += [torch.nn.Linear(width, size), following]
    return torch.nn.Sequential(*layers, torch.nn.Linear((inputs, *hidden)[-1], outputs))


def save_policy(policy: torch.nn.Module, path: Path) -> None:
    """Write the weights as safetensors, in place of the file that may be there."""
    with replace_file(path) as temporary:
        save_file({name: tensor.contiguous() for name, tensor in policy.state_dict().items()}, temporary)


def quantise_weights(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return weights in half the space of float16: matrices as int8 with a scale for each row, vectors as float16.

    The scales of a matrix are a float32 tensor, named as the matrix with `SCALE` behind it. An element is off by at
    most 1/254 of the largest one in its row.
    """
    stored: dict[str, torch.Tensor] = {}
    for name, tensor in weights.items():
        if tensor.dim() != 2:
            stored[name] = tensor.half()
            continue
        scale = tensor.abs().amax(dim=1).clamp(min=1e-12) / _LARGEST
        stored[name] = torch.round(tensor / scale[:, None]).to(torch.int8)
        stored[name + SCALE] = scale.float()
    return stored


def read_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of a safetensors file; raises ValueError for missing and damaged files."""
    try:
        tensors: dict[str, torch.Tensor] = load(path.read_bytes())  # opened once: a run may replace it meanwhile
    except FileNotFoundError:
        raise ValueError(f"{path.parent} holds no {path.name}: no training has saved a policy there") from None
    except SafetensorError as error:
        raise ValueError(f"{path} holds no weights, or is damaged: {error}") from error
    return tensors


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """Return the tensors of a safetensors file, those of `quantise_weights` as float32.

    Raises ValueError for missing or damaged files, and, naming the tensor, for types other than float16, float32 and
    int8 with scales, and for NaN and infinity, with which a network would play on and fold every hand.
    """
    weights = read_tensors(path)
    scales = {name.removesuffix(SCALE): weights.pop(name) for name in list(weights) if name.endswith(SCALE)}
    for name, scale in scales.items():
        matrix = weights.get(name)
        if matrix is None or matrix.dtype != torch.int8 or scale.shape != matrix.shape[:1]:
            raise ValueError(f"{path}: {name}{SCALE} must be the scales of the rows of an int8 matrix {name}")
        weights[name] = matrix.float() * scale[:, None]
    for name, tensor in weights.items():
        if tensor.dtype not in (torch.float16, torch.float32):
            raise ValueError(f"{path}: {name} is {tensor.dtype}: weights must be float16, float32, or int8 with scales")
        if not torch.isfinite(tensor).all():
            wrong = int((~torch.isfinite(tensor)).sum())
            raise ValueError(
                f"{path}: {wrong} of {tensor.numel()} weights in {name} are NaN or infinite: the training diverged, or "
                "the file is damaged"
            )
    return weights


def build_policy(
    make: Callable[[dict[str, Any]], Policy], config: dict[str, Any], weights: dict[str, torch.Tensor], folder: Path
) -> Policy:
    """Return the network that a config.json describes, with random weights.

    Args:
        make: `from_config` of the network.
        config: Content of config.json.
        weights: Tensors of the file of weights, which are loaded later.
        folder: Run folder, for messages.

    Raises:
        ValueError: If the network has more weights than the file: a damaged config.json could use up the memory.
    """
    with torch.device("meta"):  # no memory, no random numbers
        described = sum(parameter.numel() for parameter in make(config).parameters())
    held = sum(tensor.numel() for tensor in weights.values())
    if described > held:
        raise ValueError(
            f"{folder / CONFIG} describes a network of {described:,} weights, but {folder / WEIGHTS} holds {held:,}"
        )
    return make(config)


def load_weights(policy: torch.nn.Module, weights: dict[str, torch.Tensor], folder: Path) -> None:
    """Copy weights into a network, as float32; raises ValueError if their names or shapes do not match."""
    try:
        policy.load_state_dict(weights)
    except RuntimeError as error:
        raise ValueError(f"{folder / WEIGHTS} does not fit the network of {folder / CONFIG}: {error}") from error


def load_policy(make: Callable[[dict[str, Any]], Policy], config: dict[str, Any], folder: Path) -> Policy:
    """Return the network that the config.json of a folder describes, with the weights there; ValueError if they differ.

    `make` is `from_config` of the network.
    """
    weights = read_weights(folder / WEIGHTS)
    policy = build_policy(make, config, weights, folder)
    load_weights(policy, weights, folder)
    return policy
