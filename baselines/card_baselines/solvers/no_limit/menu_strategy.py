"""Strategies for two-player no-limit hold'em on a bet menu: how they are made from a solver, and looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_baselines.solvers.fifteenths import to_fifteenths
from card_baselines.solvers.no_limit.menu_tree import MenuTree, grow_menu_tree
from card_baselines.solvers.stored_strategy import Layout, StoredStrategy
from card_envs.game import Tables
from card_envs.games.holdem.actions import CALL_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.typing import Floats

_HARDLY_REACHED = 3e-4
"""Reach probability below which the strategy of a bucket is replaced by the mean over all buckets of the decision."""


class MenuStrategy(StoredStrategy):
    """Probabilities of actions by betting and bucket; the information states are those of the tree."""

    defaults: ClassVar[Mapping[str, Any]] = {"max_raises": None}

    def __init__(self, config: HoldemConfig, shares: NDArray[np.uint8], buckets: HandBuckets) -> None:
        """Make a strategy from probabilities in 15ths: of each decision, in the order of the tree, all but the last."""
        self.tree = grow_menu_tree(config, buckets.hands_by_street)
        super().__init__(config, _lay_out(self.tree), shares, buckets)

    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities of actions (n, actions) of each view's actor; the betting must be in the tree."""
        return self.look_up(self.tree.find_states(views), self.find_buckets(views))

    def states_to_store(self) -> dict[str, Any]:
        """Return nothing: the game tells the tree."""
        return {}

    @classmethod
    def find_layout(cls, config: HoldemConfig, data: Any, buckets: HandBuckets) -> tuple[Any, Layout]:
        """Return None, and the layout of the tree."""
        return None, _lay_out(grow_menu_tree(config, buckets.hands_by_street))

    @classmethod
    def from_states(cls, config: HoldemConfig, states: Any, shares: NDArray[np.uint8], buckets: HandBuckets) -> Self:
        """Return the strategy of a file."""
        return cls(config, shares, buckets)


def _lay_out(tree: MenuTree) -> Layout:
    """Return the layout of the stored probabilities: states lie in the order of tables of the solver."""
    nodes = tree.decisions[tree.first]
    is_legal = np.arange(nodes["action"].shape[1]) < nodes["num_legal"][:, None]
    legal = np.where(is_legal, 1 << nodes["action"], 0).sum(axis=1)
    return Layout.from_states(legal, tree.num_buckets[nodes["street"]], np.argsort(nodes["offset"]))


def to_shares(tree: MenuTree, averages: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the probabilities in 15ths (see `MenuStrategy`) of summed strategies in the layout of the tree."""
    layout = _lay_out(tree)
    shares = np.zeros(layout.size, np.uint8)
    whole = _root_weight(tree, averages)
    for state, number in enumerate(tree.first.tolist()):
        node = tree.decisions[number]
        num, width = int(node["num_legal"]), int(tree.num_buckets[node["street"]])
        sums = averages[node["offset"] : node["offset"] + num * width].reshape(num, width).astype(np.float64)
        parts = quantise(sums, whole / width, node["action"][:num])
        shares[layout.first[state] :][: (num - 1) * width] = parts[:-1].reshape(-1)
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
