"""A network that predicts the advantages of actions; regret matching on its outputs is a strategy.

It is trained on a memory of mean advantages, or of sampled ones (`learning.memories.DecisionReservoir`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.mlp_policy import MlpPolicy
from card_baselines.average_strategy.snapshots import match_advantages
from card_baselines.learning.adam import Adam
from card_baselines.learning.columns import Columns
from card_baselines.runs.checkpoint import check_arrays
from card_baselines.runs.ranges import require_range
from card_envs.game import Game
from card_envs.typing import Floats

_MIN_DEVIATION = 0.1
"""Offset of the standard deviations of inputs, so that inputs that rarely vary at first cannot become large later."""


def make_network(inputs: int, hidden: Sequence[int], outputs: int, device: torch.device) -> MlpPolicy:
    """Return a network whose initial outputs are 0."""
    network = MlpPolicy(inputs, list(hidden), outputs, "relu").to(device)
    last = network.layers[-1]
    assert isinstance(last, torch.nn.Linear)
    torch.nn.init.zeros_(last.weight)
    torch.nn.init.zeros_(last.bias)
    return network


class Standardisation(torch.nn.Module):
    """Shifts and scales numbers."""

    shift: torch.Tensor
    scale: torch.Tensor

    def __init__(self, size: int) -> None:
        """Leave inputs as they are."""
        super().__init__()
        self.register_buffer("shift", torch.zeros(size))
        self.register_buffer("scale", torch.ones(size))

    def fit(self, inputs: torch.Tensor) -> None:
        """Give inputs like these (n, size) means of 0, and deviations of at most 1."""
        self.shift, self.scale = inputs.mean(dim=0), 1.0 / (inputs.std(dim=0, correction=0) + _MIN_DEVIATION)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return standardised inputs (n, size)."""
        return (inputs - self.shift) * self.scale


class AdvantageNetwork:
    """A network of advantages whose inputs are standardised by the first observations of its training data."""

    def __init__(self, game: Game, hidden: Sequence[int], device: torch.device) -> None:
        """Make a network with outputs of 0, whose strategy is uniform."""
        self.policy = make_network(game.layout.size, hidden, game.num_actions, device)
        self.optimiser = Adam(self.policy.parameters(), fused=True)
        self.input = Standardisation(game.layout.size).to(device)
        self.device = device

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the advantage of every action (n, num_actions), given observations (n, d) of any type."""
        output: torch.Tensor = self.policy(self.input(observation.to(self.device).float()))
        return output

    @torch.inference_mode()
    def strategy(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Floats:
        """Return the strategy of regret matching (n, num_actions)."""
        return match_advantages(self.forward(torch.from_numpy(observation)).cpu().numpy(), action_mask)

    def compute_loss(self, minibatch: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """Return the weighted squared error on a minibatch of the advantage memory."""
        advantages, weight = self.forward(minibatch["observation"]), minibatch["weight"]
        error = ((advantages - minibatch["advantage"]) * minibatch["action_mask"]).square().sum(dim=1)
        return (weight / weight.mean() * error).mean()

    @torch.no_grad()
    def plain_policy(self) -> MlpPolicy:
        """Return a network with the same outputs whose first layer includes the standardisation."""
        plain = deepcopy(self.policy)
        first = plain.layers[0]
        assert isinstance(first, torch.nn.Linear)
        first.weight.mul_(self.input.scale)
        first.bias.sub_(first.weight @ self.input.shift)
        return plain


class MeanAdvantages:
    """The weighted mean advantage of each information state, for games with few of them.

    The squared loss over means, each with the sum of its weights, differs from the loss over all decisions by a
    constant. So the expected gradient is that of a reservoir of unlimited size, with far less noise.
    """

    def __init__(self, max_states: int, game: Game) -> None:
        """Make an empty memory; more than `max_states` information states are refused."""
        self._max_states = max_states
        self._row_of: dict[bytes, int] = {}
        self._columns = Columns({
            "observation": ((game.layout.size,), game.layout.dtype),
            "action_mask": ((game.num_actions,), np.int8),
            "sum": ((game.num_actions,), np.float64),
            "weight": ((), np.float64),
        })  # fmt: skip

    def add_decisions(
        self, rng: np.random.Generator, observation: NDArray[Any], action_mask: NDArray[np.int8], values: Floats,
        weight: Floats, scale: float,
    ) -> None:  # fmt: skip
        """Add decisions as `DecisionReservoir` does; ValueError if there are too many information states."""
        row_of, columns = self._row_of, self._columns
        rows = np.array([row_of.setdefault(seen.tobytes(), len(row_of)) for seen in observation], np.int64)
        if len(row_of) > self._max_states:
            raise ValueError(
                f"more than {self._max_states:,} information states: remember samples of them (--no-merge-samples)"
            )
        columns.resize(len(row_of))
        columns["observation"][rows], columns["action_mask"][rows] = observation, action_mask
        for action in range(values.shape[1]):
            columns["sum"][:, action] += scale * np.bincount(rows, weight * values[:, action], len(row_of))
        columns["weight"][:] += scale * np.bincount(rows, weight, len(row_of))

    def sample(self, rng: np.random.Generator, size: int, device: torch.device) -> dict[str, torch.Tensor]:
        """Return uniformly drawn information states, with mean advantages and the sums of their weights."""
        rows = self._columns.take(rng.integers(0, len(self._row_of), size))
        sums, weight = rows.pop("sum"), rows["weight"]
        rows["advantage"] = (sums / weight[:, None]).astype(np.float32)
        rows["weight"] = (weight / self._columns["weight"].mean()).astype(np.float32)
        return {name: torch.from_numpy(column).to(device) for name, column in rows.items()}

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `load_state_dict` continues."""
        return self._columns.used()

    def load_state_dict(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict`; ValueError for columns that are not those of different information states."""
        check_arrays(state, self._columns.arrays, rows=True)
        require_range("action_mask", state["action_mask"], 0, 1)
        row_of = {seen.tobytes(): row for row, seen in enumerate(state["observation"])}
        if len(row_of) < len(state["observation"]) or not (state["weight"] > 0).all():
            raise ValueError("information states of the memory occur twice, or have no weight")
        self._columns.restore(state)
        self._row_of = row_of
