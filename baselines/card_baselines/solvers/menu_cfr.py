"""Monte Carlo CFR with public chance sampling for two-player no-limit hold'em on a bet menu, with hands in buckets.

Johanson, Bard, Lanctot, Gibson and Bowling (AAMAS 2012), Efficient Nash equilibrium approximation through Monte Carlo
counterfactual regret minimization: an iteration draws a board, and both players learn in turn with all hands. Regrets
of iteration t count t times (linear CFR), its strategy t * t times in the average (Brown and Sandholm 2019).

With `cfr_br` each player learns against a responder that is not bound to buckets on the last street (Johanson, Bard,
Burch and Bowling, AAAI 2012); before it the responder learns with buckets.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hand_buckets import HandBuckets
from card_baselines.solvers.hand_vectors import Hands, arrange_hands
from card_baselines.solvers.menu_tree import NUM_PLAYERS, MenuTree, grow_menu_tree
from card_baselines.solvers.menu_walk import ANSWER, LEARN, RESPOND, Settings, Tables, Walk, walk_from
from card_baselines.solvers.public_chance_cfr import BucketsOfBoard
from card_envs.cards import DECK_SIZE
from card_envs.games.holdem.config import HoldemConfig
from card_envs.rng import seeded_streams

Floats = NDArray[np.float32]


class Boards(Protocol):
    """Boards that are drawn, and the hands that can be held with them."""

    num_buckets: list[int]
    """By street."""
    ranked: np.ndarray[Any, np.dtype[Any]]
    """(1,) of `RANKED`: the hands, weakest first."""
    rows: NDArray[np.int64]
    """(streets, hands): bucket of the hand at each place."""

    def draw(self, rng: np.random.Generator) -> None:
        """Draw a board."""
        ...


class HoldemBoards(BucketsOfBoard):
    """Boards of Texas hold'em."""

    def __init__(self, buckets: HandBuckets, turn: NDArray[np.uint16]) -> None:
        """Begin with no board; `turn` is the table of `turn_table`."""
        super().__init__(buckets, turn)
        self.num_buckets = buckets.hands_by_street

    def draw(self, rng: np.random.Generator) -> None:
        """Draw five cards."""
        self.set_board(rng.choice(DECK_SIZE, 5, replace=False))


class MenuCfr:
    """A run: regrets and summed strategies in the layout of the tree, which `run` improves."""

    def __init__(
        self, config: HoldemConfig, boards: Boards, seed: int, *, least: float = 0.1, cfr_br: bool = False,
        plain_iterations: int = 0,
    ) -> None:  # fmt: skip
        """Start from scratch.

        Args:
            config: A game for which `is_two_player_menu` holds.
            boards: The boards that are drawn.
            seed: Seed of boards and sampled actions.
            least: The opponent's reach probability below which its actions are sampled, see `menu_walk`.
            cfr_br: Learn against responders.
            plain_iterations: Iterations before that in which both players see buckets only. Their strategies are left
                out of the average, and their regrets count as if a tenth as many iterations had led to them.
        """
        self.tree: MenuTree = grow_menu_tree(config, boards.num_buckets)
        self.boards, self.seed, self.least = boards, seed, np.float32(least)
        self.plain_iterations = plain_iterations if cfr_br else None
        self.regrets: Floats = np.zeros(self.tree.size, np.float32)
        self.averages: Floats = np.zeros(self.tree.size, np.float32)
        self.responder: Floats = np.zeros(self.tree.early_size if cfr_br else 0, np.float32)
        self.iterations = 0
        self._streams = seeded_streams(1, seed)
        walk, response = Walk.for_tree(self.tree), Walk.for_tree(self.tree)
        self._walks = walk, response._replace(choices=walk.choices)
        self._hands = Hands.for_buckets(self.tree.num_buckets)

    def run(self, iterations: int) -> None:
        """Do so many more iterations."""
        for _ in range(iterations):
            self.boards.draw(np.random.default_rng((self.seed, self.iterations)))
            arrange_hands(self.boards.ranked[0], self.boards.rows, self._hands)
            if self.iterations == self.plain_iterations:
                self._begin_responding()
            self.iterations += 1
            plain = self.plain_iterations is None or self.iterations <= self.plain_iterations
            for learner in range(NUM_PLAYERS):
                if plain:
                    self._learn(learner, LEARN, self.regrets, self.regrets, 1.0)
                else:
                    self._learn(1 - learner, RESPOND, self.responder, self.regrets, 1.0)
                    self._learn(learner, ANSWER, self.regrets, self.responder, 0.0)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `restore` continues."""
        return {
            "regrets": self.regrets,
            "averages": self.averages,
            "responder": self.responder,
            "stream": self._streams.view(np.uint8),
        }

    def restore(self, state: dict[str, NDArray[Any]], iterations: int) -> None:
        """Become the solver whose `state` was kept after so many iterations; ValueError for one of other buckets."""
        own = self.state()
        if any(state[name].shape != array.shape for name, array in own.items()):
            raise ValueError("the checkpoint holds a strategy for other buckets: begin anew in another folder")
        for name, array in own.items():
            array[:] = state[name]
        self.iterations = iterations

    def _weight(self) -> float:
        """Return the weight of the regrets of the latest iteration."""
        if self.plain_iterations is None or self.iterations <= self.plain_iterations:
            return float(self.iterations)
        return self.iterations - self.plain_iterations + self.plain_iterations // _DISCOUNT

    def _begin_responding(self) -> None:
        self.regrets *= np.float32(1 / _DISCOUNT**2)
        self.averages[:] = 0
        self.responder[:] = self.regrets[: len(self.responder)]

    def _learn(self, learner: int, mode: int, own: Floats, other: Floats, average: float) -> None:
        """Let a player learn on the board."""
        num, weight = int(self._hands.size[0]), self._weight()
        self._walks[0].reach[0, :num] = 1 / num
        self._walks[0].own[0, :num] = 1 / num
        settings = Settings(
            np.int64(learner), np.int64(self.tree.last_street), np.float32(weight), np.float32(average * weight**2),
            self.least,
        )  # fmt: skip
        walk_from(
            self.tree.decisions, np.int64(0), Tables(own, other, self.averages), settings, np.int64(mode), self._hands,
            self._streams[0], self._walks,
        )  # fmt: skip


_DISCOUNT = 10
"""Plain iterations for each that they count as."""
