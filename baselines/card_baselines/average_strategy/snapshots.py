"""The average strategy of a run as a mixture of network snapshots, one of which is drawn for each deal.

Steinberger (2019), Single Deep Counterfactual Regret Minimization: a seat that draws one of the strategies for each
deal, with their weights in the average, plays the average strategy exactly, without training another network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.checkpoint import Part, check_arrays
from card_baselines.runs.learner import LearnerCallback
from card_envs.agent.probabilities import softmax
from card_envs.files import replace_file
from card_envs.typing import Floats

SNAPSHOTS_FOLDER = "average_snapshots"
"""Folder inside the run folder that plays the average."""
SNAPSHOT_WEIGHTS = "snapshot_weights"
"""Name of the tensor (snapshots,) that holds the weights in the average."""


def match_regrets(advantages: NDArray[np.floating], action_mask: NDArray[np.int8]) -> Floats:
    """Return the strategy (n, num_actions) of regret matching.

    Probabilities are proportional to positive advantages. Where no legal action has one, the actions with the largest
    advantage are played, as in Deep CFR (Brown et al. 2019).
    """
    legal = np.where(action_mask == 1, advantages, -np.inf).astype(np.float64)
    positive = np.maximum(legal, 0.0)
    total = positive.sum(axis=1, keepdims=True)
    best = (legal == legal.max(axis=1, keepdims=True)).astype(np.float64)
    shares = np.divide(positive, total, out=np.zeros_like(positive), where=total > 0)
    return np.asarray(np.where(total > 0, shares, best / best.sum(axis=1, keepdims=True)), np.float64)


OUTPUTS: Mapping[str, Callable[[NDArray[np.floating], NDArray[np.int8]], Floats]] = {
    "advantages": match_regrets,
    "logits": softmax,
}
"""Kind of output of the networks in config.json -> function that converts it to action probabilities."""


class Snapshots:
    """Copies of an `MlpPolicy` after the iterations of a run.

    If there are more than `max_snapshots`, every second one is dropped, its weight is added to its successor, and the
    interval between copies doubles.
    """

    def __init__(self, max_snapshots: int) -> None:
        """Make an object without snapshots."""
        self._max = max(2, max_snapshots)
        self._networks: list[dict[str, torch.Tensor]] = []
        self._weights: list[float] = []
        self._interval = 1
        self._num_waiting, self._waiting_weight = 0, 0.0

    def __len__(self) -> int:
        """Return the number of snapshots."""
        return len(self._networks)

    def add(self, policy: torch.nn.Module, weight: float) -> None:
        """Add the network of an iteration, with its weight in the average."""
        self._num_waiting += 1
        self._waiting_weight += weight
        if self._num_waiting < self._interval:
            return
        self._networks.append({name: tensor.detach().cpu().clone() for name, tensor in policy.state_dict().items()})
        self._weights.append(self._waiting_weight)
        self._num_waiting, self._waiting_weight = 0, 0.0
        if len(self) > self._max:
            self._drop_every_second()

    def _drop_every_second(self) -> None:
        if len(self) % 2:  # the last one has no successor yet, so its weight is added to the next snapshot
            self._num_waiting, self._waiting_weight = self._interval, self._weights.pop()
            self._networks.pop()
        self._networks = self._networks[1::2]
        self._weights = [first + second for first, second in zip(self._weights[::2], self._weights[1::2], strict=True)]
        self._interval *= 2

    def tensors(self) -> dict[str, torch.Tensor]:
        """Return the stacked weights (snapshots, ...) of each layer, and the weights in the average."""
        stacked = {name: torch.stack([network[name] for network in self._networks]) for name in self._networks[0]}
        return {**stacked, SNAPSHOT_WEIGHTS: torch.tensor(self._weights)}

    def save(self, run: RunFolder) -> None:
        """Write the weights, as `SnapshotAgent` loads them."""
        with replace_file(run.path / WEIGHTS) as temporary:
            save_file(self.tensors(), temporary)

    def state(self) -> dict[str, torch.Tensor]:
        """Return tensors from which `restore` continues."""
        counts = torch.tensor([self._interval, self._num_waiting, self._waiting_weight], dtype=torch.float64)
        weights = torch.tensor(self._weights, dtype=torch.float64)
        return {**(self.tensors() if self._networks else {}), "counts": counts, SNAPSHOT_WEIGHTS: weights}

    def restore(self, arrays: Mapping[str, NDArray[Any]], policy: torch.nn.Module) -> None:
        """Continue from a `state`; ValueError for snapshots of other networks than `policy`."""
        shapes = {"counts": np.zeros(3), SNAPSHOT_WEIGHTS: np.zeros(0)}
        check_arrays(arrays, {"counts": shapes.pop("counts")})
        interval, num_waiting, waiting_weight = arrays["counts"].tolist()
        if len(arrays[SNAPSHOT_WEIGHTS]):
            shapes |= {name: tensor.cpu().numpy()[None] for name, tensor in policy.state_dict().items()}
        check_arrays(arrays, shapes, rows=True)
        if not (interval >= 1 and num_waiting >= 0 and waiting_weight >= 0 and (arrays[SNAPSHOT_WEIGHTS] >= 0).all()):
            raise ValueError("the counts or weights of snapshots are out of range")
        self._interval, self._num_waiting, self._waiting_weight = int(interval), int(num_waiting), waiting_weight
        self._weights = arrays[SNAPSHOT_WEIGHTS].tolist()
        names = shapes.keys() - {SNAPSHOT_WEIGHTS}
        self._networks = [
            {name: torch.from_numpy(arrays[name][k].copy()) for name in names} for k in range(len(self._weights))
        ]

    def part_of(self, policy: torch.nn.Module) -> Part:
        """Return the part of a checkpoint of a run whose networks have the shape of `policy`."""
        return Part(self.state, lambda arrays: self.restore(arrays, policy))


class SnapshotAverage(LearnerCallback):
    """Callback of self-play that keeps copies of the network; `SnapshotAgent` draws one of them for each deal.

    Self-play may cycle, so that the average of all policies is less exploitable than the latest one. The policy of
    update t has the weight t.
    """

    def __init__(self, max_snapshots: int = 60) -> None:
        """Keep at most `max_snapshots` copies."""
        self.snapshots = Snapshots(max_snapshots)

    def on_update(self, learner: Any) -> dict[str, float]:
        """Add the latest policy."""
        self.snapshots.add(learner.network.policy, float(learner.updates))
        return {}

    def save_policy(self, run: RunFolder) -> None:
        """Write the folder that plays the mixture, as soon as there is a snapshot."""
        if len(self.snapshots):
            self.snapshots.save(run.make_inner(SNAPSHOTS_FOLDER, agent="snapshots", output="logits"))

    def parts(self, learner: Any) -> Mapping[str, Any]:
        """Return the snapshots, which must be of networks of the learner's shape."""
        return {"snapshots": self.snapshots.part_of(learner.network.policy)}
