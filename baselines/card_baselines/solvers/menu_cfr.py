"""Monte Carlo CFR with public chance sampling for two-player no-limit hold'em on a bet menu, with hands in buckets.

Johanson, Bard, Lanctot, Gibson and Bowling (AAMAS 2012), Efficient Nash equilibrium approximation through Monte Carlo
counterfactual regret minimization: an iteration draws a board, and both players learn in turn with all hands. The
regrets of iteration t have the weight t, its strategy has the weight t^2 in the average (linear CFR, Brown and Sandholm
2019).

After the plain iterations each player learns, in a share of the iterations, against a responder that plays the best
response with every hand on the last street and learns with buckets before it (CFR-BR; Johanson, Bard, Burch and
Bowling, AAAI 2012), in the others against the other player. Which of the two it meets is hidden from it, as in the
restricted Nash responses of Johanson, Zinkevich and Bowling (NeurIPS 2007): strategies are less timid than of CFR-BR.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import BoardBuckets, HandBuckets
from card_baselines.solvers.game_trees import grow_game
from card_baselines.solvers.hands import NUM_PLAYERS
from card_baselines.solvers.regret import Schedule
from card_baselines.solvers.solver import DealSolver
from card_baselines.solvers.strategy import TableStrategy, lay_out, list_states, quantise
from card_baselines.solvers.walk import (
    ANSWER,
    OWN_REACH,
    RESPOND,
    SAMPLE,
    Board,
    Frames,
    Groups,
    Settings,
    StrategyTables,
    make_walk,
    stay_on_board,
)
from card_envs.compiler import kernel
from card_envs.game import NOBODY
from card_envs.games.holdem.actions import CALL_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.memory import require_free_memory
from card_envs.poker.hands import NUM_HANDS
from card_envs.rng import make_generator, seed_streams, seeded_streams, wrap_seed
from card_envs.typing import Floats32, Integers

_DISCOUNT = 10
"""Weight of iterations after `plain_iterations`, relative to plain ones."""
_ZERO, _ONE = np.float32(0), np.float32(1)
_HARDLY_REACHED = 1e-3
"""Reach probability below which the strategy of a bucket is replaced by the mean over all buckets of the decision."""


class MenuCfr(DealSolver):
    """The solver: regrets and summed strategies, for each information state a block of entries for each legal action.

    A block has an entry for each bucket; the states of the last street come last.
    """

    def __init__(
        self, config: HoldemConfig, boards: BoardBuckets, seed: int, *, least: float = 0.1,
        plain_iterations: int | None = None, responder_share: float = 1.0, num_threads: int = 1,
    ) -> None:  # fmt: skip
        """Start with regrets of 0.

        Args:
            config: A game for which `game_trees.is_two_player_menu` holds.
            boards: Source of random boards, with the ranks and buckets of their hands.
            seed: Seed of boards and sampled actions.
            least: The opponent's reach probability below which its actions are sampled, see `walk.Settings`.
            plain_iterations: Number of iterations, before responders come, in which the players learn against each
                other; None if all are. Their strategies are left out of the average, and their regrets are discounted
                as if a tenth as many iterations had led to them.
            responder_share: Share of the later iterations, drawn at random, in which the players learn against
                responders; in the others they learn against each other.
            num_threads: Number of threads that learn from different boards.

        Raises:
            ValueError: As `require_memory`.
        """
        require_memory(config, boards.num_buckets)
        self._config, self.tree = config, grow_game(config)
        states = list_states(config, boards.num_buckets)
        self.first, size = lay_out(states, 0)
        """(states,): index of the first entry of each information state."""
        self.nodes = self.tree.pack(self.first, is_packed=True)
        self.boards, self.seed, self.least = boards, seed, np.float32(least)
        self.plain_iterations, self.responder_share = plain_iterations, responder_share
        self.regrets: Floats32 = np.zeros(size, np.float32)
        self.averages: Floats32 = np.zeros(size, np.float32)
        self._last_street = len(boards.num_buckets) - 1
        is_last = self.tree.street[self.tree.first] == self._last_street
        early_size = int(self.first[is_last].min()) if plain_iterations is not None else 0
        self.responder: Floats32 = np.zeros(early_size, np.float32)
        super().__init__(num_threads)

    def allocate_scratch(self) -> None:
        """Allocate the hands on a board, the arrays of walks over the tree, and a random stream."""
        self.boards = self.boards.copy()
        self._streams = seeded_streams(1, self.seed)
        self._number = 0
        num_buckets = np.array(self.boards.num_buckets, np.int64)
        last = self.tree.street == self._last_street
        largest = int((self.tree.end - np.arange(len(self.tree.end)))[last].max())
        shape = NUM_HANDS, int(num_buckets.max()), np.float32
        self._frames = Frames.allocate(self.tree, *shape, largest)
        self._response = Frames.allocate(self.tree, *shape)._replace(choices=self._frames.choices)
        self._groups = Groups(self.boards.rows, num_buckets)

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; both players learn in each."""
        end = self.iterations + iterations
        if self.plain_iterations is not None and self.iterations <= self.plain_iterations < end:
            super().run(self.plain_iterations - self.iterations)
            self._begin_responding()
        super().run(end - self.iterations)

    def learn(self, number: int) -> None:
        """Draw the board of iteration `number`, on which both players learn in turn."""
        generator = make_generator(self.seed, number - 1)
        self.boards.draw(generator)
        seed_streams(self._streams, np.uint64(wrap_seed(self.seed)), np.uint64(number))
        self._number = number
        responds = not self._is_plain and generator.random() < self.responder_share
        for learner in range(NUM_PLAYERS):
            if not responds:
                self._learn(learner, SAMPLE, self.regrets, self.regrets, 1.0)
            else:
                self._learn(1 - learner, RESPOND, self.responder, self.regrets, 1.0)
                self._learn(learner, ANSWER, self.regrets, self.responder, 0.0)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return regrets, summed strategies and the responders' regrets."""
        return {"regrets": self.regrets, "averages": self.averages, "responder": self.responder}

    def restore(self, state: dict[str, NDArray[Any]], iterations: int) -> None:
        """Continue from a `state`; ValueError for one of other buckets, and if only one of the two has responders."""
        had, has = (array is not None and len(array) > 0 for array in (state.get("responder"), self.responder))
        if had != has:
            raise ValueError(
                f"the checkpoint is of a run with{'' if had else 'out'} responders: continue it with a responder_share "
                f"{'above' if had else 'of'} 0, or begin anew in another folder"
            )
        super().restore(state, iterations)

    def strategy(self) -> TableStrategy:
        """Return the average strategy, of which buckets that are hardly ever reached play as all others there do."""
        return make_strategy(self._config, self.averages, self.boards.buckets)

    @property
    def _is_plain(self) -> bool:
        """True in the iterations before those of responders."""
        return self.plain_iterations is None or self._number <= self.plain_iterations

    def _weight(self) -> float:
        """Return the weight of the regrets of the current iteration."""
        if self.plain_iterations is None or self._is_plain:
            return float(self._number)
        return self._number - self.plain_iterations + self.plain_iterations // _DISCOUNT

    def _begin_responding(self) -> None:
        """Discount the regrets of the plain iterations, and start the responders with them."""
        self.regrets *= np.float32(1 / _DISCOUNT**2)
        self.averages[:] = 0
        self.responder[:] = self.regrets[: len(self.responder)]

    def _learn(self, learner: int, mode: int, own: Floats32, other: Floats32, average: float) -> None:
        """Update the tables of a player on the board; `mode` is one of `walk`."""
        num, weight = int(self.boards.ranked[0].num_hands), self._weight()
        self._frames.reach[0, :num] = 1 / num
        self._frames.own_reach[0, :num] = 1 / num
        schedule = Schedule(np.float32(weight), _ONE, _ONE, _ZERO, np.float32(average * weight**2))
        settings = Settings(learner, mode, schedule, False, self.least, self._last_street)
        board, tables = Board(self.boards.ranked[0], 0, 0), StrategyTables(own, other, own, self.averages)
        _walk(
            self.nodes, 0, board, self._groups, tables, settings, self._streams[0], self._frames, self._response,
        )  # fmt: skip


_respond = make_walk(stay_on_board)


@kernel
def _answer(
    nodes: Any, node: Any, depth: Any, row: Any, board: Any, groups: Any, tables: Any, settings: Any, stream: Any,
    frames: Any, response: Any,
) -> Any:  # fmt: skip
    """In mode ANSWER, write to `choices` the opponent's best response to the learner on the last street."""
    if settings.mode != ANSWER or nodes[node].street != settings.last_street or nodes[node].player == NOBODY:
        return False
    own_reach, reach, choices, total = frames.own_reach, response.reach, frames.choices, _ZERO
    own_row, num_hands = frames.path[depth + 1, OWN_REACH], board.ranked.num_hands
    for h in range(num_hands):
        reach[0, h] = own_reach[own_row, h]
        total += own_reach[own_row, h]
    for number in range(node, np.int64(nodes[node].end)):
        if nodes[number].player == 1 - settings.learner:  # default where the learner's reach is tiny: check or call
            call = np.int8(nodes[number].legal & 1)  # its slot: 1 where a fold is legal
            for h in range(num_hands):
                choices[number - node, h] = call
    learns_nothing = Schedule(_ZERO, _ONE, _ONE, _ZERO, _ZERO)
    swapped = Settings(1 - settings.learner, RESPOND, learns_nothing, False, total, settings.last_street)
    swapped_tables = StrategyTables(tables.opponent, tables.learner, tables.opponent, tables.sums)
    _respond(nodes, node, board, groups, swapped_tables, swapped, stream, response, 0)
    return False


_walk = make_walk(_answer)


def require_memory(config: HoldemConfig, hands_by_street: list[int]) -> None:
    """Raise ValueError if the betting of a game, or regrets and summed strategies, take more memory than is free."""
    states = list_states(config, hands_by_street)
    require_free_memory(
        2 * lay_out(states, 0)[1] * np.dtype(np.float32).itemsize,
        f"{len(states.legal):,} sequences of bets with {hands_by_street} buckets",
        "choose a smaller width, a smaller bet_menu or smaller stacks",
    )


def make_strategy(config: HoldemConfig, averages: NDArray[np.float32], buckets: HandBuckets) -> TableStrategy:
    """Return the strategy of summed strategies in the layout of `MenuCfr`."""
    states = list_states(config, buckets.hands_by_street)
    first, _ = lay_out(states, 0)
    order = np.argsort(first)
    weights = np.empty(len(first))
    weights[order] = np.add.reduceat(averages, first[order], dtype=np.float64)
    whole = weights[0]  # the weight of a decision always reached

    def find_part(state: int, legal: Integers) -> Integers:
        width = int(states.num_buckets[state])
        sums = averages[first[state] :][: len(legal) * width].reshape(len(legal), width)
        return round_sums(sums.astype(np.float64), whole / width, legal)

    trained = weights > _HARDLY_REACHED * whole / states.num_buckets
    return TableStrategy.from_parts(config, buckets, find_part, trained=trained)


def round_sums(sums: NDArray[np.float64], reached: float, actions: Integers) -> Integers:
    """Return the probabilities of a decision (actions, buckets) in 15ths.

    Args:
        sums: (actions, buckets): summed strategies.
        reached: Sum of a bucket that is always reached.
        actions: (actions,): ids of the actions.
    """
    mean = sums.sum(axis=1)
    if mean.sum() <= _HARDLY_REACHED * reached:
        mean = (actions == CALL_ACTION).astype(np.float64)
    return quantise(sums, mean, _HARDLY_REACHED * reached)
