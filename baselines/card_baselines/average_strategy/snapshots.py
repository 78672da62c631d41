"""The average strategy of a run as a mixture of network snapshots, one of which is drawn for each deal.

Steinberger (2019), Single Deep Counterfactual Regret Minimization: a seat that draws one of the strategies for each
deal, with their weights in the average, as `SnapshotAgent` does, plays the average strategy exactly, without training
another network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from card_baselines.agents.learned.mlp_agent import require_fit
from card_baselines.agents.learned.mlp_policy import MlpPolicy, build_policy, read_weights
from card_baselines.run_folder import CONFIG, WEIGHTS, RunFolder, read_config
from card_baselines.runs.checkpoint import Part, check_arrays
from card_baselines.runs.learner import LearnerCallback
from card_baselines.solvers.game_trees import grow_game, is_two_player_limit
from card_baselines.solvers.hands import find_own_cards
from card_baselines.solvers.regret import normalise
from card_envs.agent import Agent, Decisions, choose, decisions_at
from card_envs.agent.probabilities import softmax
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.typing import Floats, Rows

SNAPSHOTS_FOLDER = "average_snapshots"
"""Folder inside the run folder that plays the average."""
SNAPSHOT_WEIGHTS = "snapshot_weights"
"""Name of the tensor (snapshots,) that holds the weights in the average."""
_MAX_COPIES = 60
"""Maximum number of snapshots of self-play."""
_NOT_DRAWN = -1


def match_advantages(advantages: NDArray[np.floating], action_mask: NDArray[np.int8]) -> Floats:
    """Return the strategy (n, num_actions) of Deep CFR (Brown et al. 2019): regret matching of predicted advantages.

    Where no legal action has a positive advantage, the actions with the largest one are played, not all alike.
    """
    legal = np.where(action_mask == 1, advantages, -np.inf).astype(np.float64)
    return normalise(np.maximum(legal, 0.0), legal == legal.max(axis=1, keepdims=True))


OUTPUTS: Mapping[str, Callable[[NDArray[np.floating], NDArray[np.int8]], Floats]] = {
    "advantages": match_advantages,
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

    def __init__(self) -> None:
        self.snapshots = Snapshots(_MAX_COPIES)

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


class SnapshotAgent(Agent):
    """Plays a mixture of networks: each seat draws one for each deal, by its weight in the average.

    `probabilities` returns those of the mixture: the weight of a network at a decision is multiplied by its probability
    of the seat's earlier actions in the deal. These can be reconstructed in heads-up limit games only
    (`find_earlier_decisions`).

    Args:
        folder: Run folder, with config.json and policy.safetensors.
        game: The game to play.

    Raises:
        ValueError: If the networks were trained for another game.
    """

    def __init__(self, folder: Path, game: Game) -> None:
        self.name = folder.name
        config = read_config(folder)
        self.encoder = require_fit(folder, config, game)
        if config["output"] not in OUTPUTS:
            raise ValueError(f"{folder / CONFIG}: output {config['output']!r} is none of {', '.join(OUTPUTS)}")
        self._strategy = OUTPUTS[config["output"]]
        tensors = read_weights(folder / WEIGHTS)
        weights = tensors.pop(SNAPSHOT_WEIGHTS, torch.empty(0)).double().numpy()
        if not len(weights) or (weights < 0).any() or any(len(tensor) != len(weights) for tensor in tensors.values()):
            raise ValueError(f"{folder / WEIGHTS} holds no snapshots with weights")
        total = weights.sum()
        self.mixture_weights: Floats = weights / total if total > 0 else np.full(len(weights), 1.0 / len(weights))
        self._tensors = tensors
        self._policy = build_policy(MlpPolicy.from_config, config, tensors, folder).eval()
        self._game = game
        self._drawn = np.full((0, game.num_seats), _NOT_DRAWN)

    @property
    def shows_probabilities(self) -> bool:
        """True in heads-up limit games."""
        return is_two_player_limit(self._game.config)

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Forget the networks that were drawn for the previous deals at the tables."""
        self._reserve(table_ids)
        self._drawn[table_ids] = _NOT_DRAWN

    def _reserve(self, table_ids: NDArray[np.int64]) -> None:
        """Extend the array of drawn networks to the largest table id."""
        missing = int(table_ids.max(initial=-1)) + 1 - len(self._drawn)
        if missing > 0:
            more = np.full((missing, self._drawn.shape[1]), _NOT_DRAWN)
            self._drawn = np.concatenate([self._drawn, more])

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision, sampled from the network that was drawn for the deal and seat."""
        self._reserve(decisions.table_ids)
        tables, seats = decisions.table_ids, decisions.seats
        drawn, random_numbers = self._drawn[tables, seats], decisions.random_numbers.copy()
        first = np.flatnonzero(drawn == _NOT_DRAWN)
        drawn[first], random_numbers[first] = self._draw(random_numbers[first])
        self._drawn[tables, seats] = drawn
        probabilities = np.zeros(decisions.action_mask.shape)
        for snapshot in np.unique(drawn).tolist():
            rows = np.flatnonzero(drawn == snapshot)
            seen, mask = decisions.observation[rows], decisions.action_mask[rows]
            probabilities[rows] = self.play_component(snapshot, seen, mask)
        return choose(probabilities, random_numbers)

    def _draw(self, random_numbers: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return snapshots drawn by their weights, and new independent random numbers.

        Each random number falls into the interval of a snapshot; its relative position there is the new one.
        """
        ends = np.cumsum(self.mixture_weights)
        drawn = np.minimum(np.searchsorted(ends, random_numbers * ends[-1], side="right"), len(ends) - 1)
        share = self.mixture_weights[drawn]
        inside = (random_numbers * ends[-1] - (ends[drawn] - share)) / np.where(share > 0, share, 1.0)
        return drawn, np.clip(inside, 0.0, np.nextafter(1.0, 0.0))

    @torch.inference_mode()
    def play_component(self, component: int, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Floats:
        """Return the action probabilities of one network, (n, num_actions)."""
        weights = {name: tensor[component] for name, tensor in self._tensors.items()}
        inputs = torch.from_numpy(np.asarray(observation, np.float32))
        return self._strategy(torch.func.functional_call(self._policy, weights, inputs).numpy(), action_mask)

    def probabilities(self, decisions: Decisions) -> Floats:
        """Return the probability of every action (n, num_actions), given the seat's earlier actions in the deal.

        Raises:
            ValueError: For games other than heads-up limit.
        """
        earlier = list(find_earlier_decisions(decisions))
        mixed, total = np.zeros(decisions.action_mask.shape), np.zeros(len(decisions))
        plain = np.zeros(decisions.action_mask.shape)
        for snapshot, weight in enumerate(self.mixture_weights.tolist()):
            reach = np.full(len(decisions), weight)
            for rows, before, actions in earlier:
                chances = self.play_component(snapshot, before.observation, before.action_mask)
                reach[rows] *= chances[np.arange(len(rows)), actions]
            strategy = self.play_component(snapshot, decisions.observation, decisions.action_mask)
            mixed += reach[:, None] * strategy
            plain += weight * strategy
            total += reach
        is_reached = total > 0
        return np.where(is_reached[:, None], mixed / np.where(is_reached, total, 1.0)[:, None], plain)


def find_earlier_decisions(decisions: Decisions) -> Iterator[tuple[Rows, Decisions, Rows]]:
    """Yield the earlier decisions of the same seats in their deals, from the latest to the earliest.

    The betting of a deal of a heads-up limit game is a path in a small tree, and a view determines the path. At every
    node of the path at which the seat acted, its observation is computed from a table with its cards.

    Yields:
        Indices (m,) of the later decisions, the earlier ones (m,), and the actions (m,) of the seats there.

    Raises:
        ValueError: For other games.
    """
    game, views = decisions.game, decisions.views
    if not is_two_player_limit(game.config):
        raise ValueError(f"{game.name} with these settings is no heads-up limit game: its betting is no small tree")
    tree, num_cards = grow_game(game.config), game.config.num_hole_cards
    nodes, rows, board = tree.find(views), np.arange(len(decisions)), slice(game.num_seats * num_cards, None)
    players = tree.player[nodes]
    while len(rows):
        actions, nodes = tree.action[nodes], tree.parent[nodes]
        keep = nodes >= 0
        rows, actions, nodes = rows[keep], actions[keep], nodes[keep]
        own = tree.player[nodes] == players[rows]
        if own.any():
            tables, later = tree.tables_at(nodes[own]), views[rows[own]]
            places = tables["actor"].astype(np.int64)[:, None] * num_cards + np.arange(num_cards)
            np.put_along_axis(tables["deck"], places, find_own_cards(later, num_cards), axis=1)
            tables["deck"][:, board] = later["deck"][:, board]
            numbers, unused = np.arange(len(later)), np.full(len(later), 0.5)
            before = decisions_at(game, tables, numbers, numbers, unused, encoder=decisions.encoder)
            yield rows[own], before, actions[own]
