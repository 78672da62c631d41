"""Strategies for two-player no-limit hold'em on a bet menu: how they are stored, loaded and looked up."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_baselines.solvers.buckets.lookup import BucketFinder
from card_baselines.solvers.buckets.stored_buckets import from_stored_arrays, to_stored_arrays
from card_baselines.solvers.fifteenths import WHOLE, compress, decompress, to_fifteenths
from card_baselines.solvers.no_limit.menu_tree import MenuTree, grow_menu_tree
from card_envs.game import Tables
from card_envs.games.holdem.actions import CALL_ACTION
from card_envs.games.holdem.config import HoldemConfig

STRATEGY = "strategy.npz"
"""File of a run folder."""
_HARDLY_REACHED = 3e-4
"""Reach probability below which the strategy of a bucket is replaced by the mean over all buckets of the decision."""
_CONFIG = ("stacks", "blinds", "bet_menu", "structure", "rules", "min_bet", "chips_per_reward")


class MenuStrategy:
    """Probabilities of actions by betting and bucket."""

    def __init__(self, config: HoldemConfig, shares: NDArray[np.uint8], buckets: HandBuckets) -> None:
        """Make a strategy from probabilities in 15ths: of each decision, in the order of the tree, all but the last."""
        self.config, self.shares, self.buckets = config, shares, buckets
        self.tree = grow_menu_tree(config, buckets.hands_by_street)
        self._first, size = _layout(self.tree)
        if len(shares) != size:
            raise ValueError(f"the strategy has {len(shares)} numbers, but the betting of its game asks for {size}")
        self._finder = BucketFinder(buckets)

    def probabilities(self, views: Tables) -> NDArray[np.float64]:
        """Return the probabilities of actions (n, actions) of each view's actor; the betting must be in the tree."""
        return self.look_up(self.tree.find_states(views), self._finder.find(views))

    def find_buckets(self, views: Tables) -> NDArray[np.int64]:
        """Return the bucket (n,) of each actor's hand."""
        return self._finder.find(views)

    def look_up(self, states: NDArray[np.int64], buckets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the probabilities of actions (n, actions) at information states (n,) with hands in buckets (n,)."""
        nodes = self.tree.decisions[self.tree.first[states]]
        size, num_legal = self.tree.num_buckets[nodes["street"]], nodes["num_legal"]
        found, rows = np.zeros((len(states), self.config.num_actions)), np.arange(len(states))
        left = np.full(len(states), WHOLE, np.int64)
        for place in range(int(num_legal.max(initial=0))):
            is_kept, is_last = place < num_legal - 1, place == num_legal - 1
            kept = rows[is_kept]
            parts = np.where(is_last, left, 0)
            parts[kept] = self.shares[self._first[states[kept]] + place * size[kept] + buckets[kept]]
            left -= np.where(is_kept, parts, 0)
            legal = rows[is_kept | is_last]
            found[legal, nodes["action"][legal, place]] = parts[legal] / WHOLE
        return found

    def save(self, path: Path) -> None:
        """Write a file that `load` reads."""
        settings = {name: value for name, value in asdict(self.config).items() if name in _CONFIG}
        with path.open("wb") as file:
            np.savez(
                file, shares=compress(self.shares), config=np.array(json.dumps(settings)),
                **to_stored_arrays(self.buckets),
            )  # fmt: skip

    @staticmethod
    def load(path: Path) -> MenuStrategy:
        """Return the strategy in a file written by `save`."""
        with np.load(path) as data:
            buckets, packed = from_stored_arrays(data), data["shares"]
        config = MenuStrategy.load_config(path)
        _, size = _layout(grow_menu_tree(config, buckets.hands_by_street))
        return MenuStrategy(config, decompress(packed, size), buckets)

    @staticmethod
    def load_config(path: Path) -> HoldemConfig:
        """Return the game of the strategy in a file."""
        with np.load(path) as data:
            settings = json.loads(str(data["config"]))
        return HoldemConfig(max_raises=None, **{name: _as_tuple(value) for name, value in settings.items()})


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _layout(tree: MenuTree) -> tuple[NDArray[np.int64], int]:
    """Return the start of each information state in the stored shares, (states,), and their total number."""
    nodes = tree.decisions[tree.first]
    sizes = (nodes["num_legal"] - 1) * tree.num_buckets[nodes["street"]]
    order = np.argsort(nodes["offset"])
    first = np.empty(len(nodes), np.int64)
    first[order] = np.cumsum(sizes[order]) - sizes[order]
    return first, int(sizes.sum())


def to_shares(tree: MenuTree, averages: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the probabilities in 15ths (see `MenuStrategy`) of summed strategies in the layout of the tree."""
    first, size = _layout(tree)
    shares = np.zeros(size, np.uint8)
    whole = _root_weight(tree, averages)
    for state, number in enumerate(tree.first.tolist()):
        node = tree.decisions[number]
        num, width = int(node["num_legal"]), int(tree.num_buckets[node["street"]])
        sums = averages[node["offset"] : node["offset"] + num * width].reshape(num, width).astype(np.float64)
        parts = quantise(sums, whole / width, node["action"][:num])
        shares[first[state] : first[state] + (num - 1) * width] = parts[:-1].reshape(-1)
    return shares


def _root_weight(tree: MenuTree, averages: NDArray[np.float32]) -> float:
    """Return the sum of the strategies of the first decision: the weight of a decision that is always reached."""
    node = tree.decisions[0]
    end = node["offset"] + node["num_legal"] * tree.num_buckets[0]
    return float(averages[node["offset"] : end].sum(dtype=np.float64))


def quantise(sums: NDArray[np.float64], reached: float, actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the probabilities of a decision (actions, buckets) in 15ths.

    Args:
        sums: (actions, buckets): summed strategies.
        reached: Sum of a bucket that is always reached.
        actions: (actions,): ids of the actions.
    """
    mean = sums.sum(axis=1)
    if mean.sum() <= _HARDLY_REACHED * reached:
        mean = (actions == CALL_ACTION).astype(np.float64)
    known = sums.sum(axis=0) > _HARDLY_REACHED * reached
    shares = np.where(known, sums, mean[:, None])
    return to_fifteenths(shares / shares.sum(axis=0))
