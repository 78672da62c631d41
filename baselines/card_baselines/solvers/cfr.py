"""The player of a strategy found by counterfactual regret minimisation.

Kuhn poker and Leduc hold'em for two are solved when the player is made, by CFR+. For heads-up limit hold'em the
strategy is one of an abstraction, in which like hands are one. Two are shipped: hands of like equity, by
`card-envs train mccfr`, and hands whose equity is distributed alike, by `card-envs train public_chance_cfr`.
"""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import HOLE_CARDS, hole_card
from card_baselines.solvers.betting_tree import NUM_ACTIONS, grow_tree, is_two_player_limit, node_of
from card_baselines.solvers.bucket_strategy import BucketStrategy
from card_baselines.solvers.equity_buckets import CARDS, bucket_of
from card_baselines.solvers.mccfr import hands_by_street
from card_baselines.solvers.tabular_cfr import small_game_hands, solve
from card_envs.agent import Agent, Decisions, choose, likeliest
from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.poker.hands import HANDS, NUM_HANDS

STRATEGY = "strategy.npz"
"""File of a run folder: array `chances` (rows, 2) uint8 holds the probabilities to fold and to raise, in 255ths, the
others define the buckets."""
ITERATIONS = 2000
"""Iterations of CFR+ in small games: Kuhn poker is then exploitable by at most 0.0001 chips a hand, Leduc by 0.001."""

SMALL, LARGE = "limit_holdem_heads_up.npz", "limit_holdem_heads_up_large.npz"
_DATA = Path(__file__).parent / "data"
_WHOLE = 255
_DEALT_TO_PLAYERS = 2 * HOLE_CARDS


class Cfr(Agent):
    """Plays an equilibrium of Kuhn or Leduc; in heads-up limit hold'em what CFR-BR found with 1,024 kinds of hands."""

    name = "cfr"
    greedy = False
    shipped: ClassVar[str] = LARGE
    """File of the strategy for limit hold'em that comes with the package."""

    def __init__(self, game: Game, folder: Path | None = None) -> None:
        """Take the strategy of a run folder, the shipped one, or that of a small game.

        Args:
            game: Kuhn poker, Leduc hold'em or limit hold'em for two players.
            folder: Run folder of `card-envs train mccfr` or `public_chance_cfr`; by default the shipped strategy.

        Raises:
            ValueError: For games with other betting: three or more players, no-limit, short stacks, other caps.
        """
        if not self.can_play(game):
            raise ValueError(
                f"agent {self.name!r} cannot play {game.name} with these settings: it needs two players, limit bets, "
                "the usual caps, stacks that never run out, and rules standard or acpc"
            )
        self._game = game
        if is_texas_holdem(game) and folder is not None and (folder / STRATEGY).exists():
            self.strategy = read_strategy(folder / STRATEGY)

    @cached_property
    def strategy(self) -> TableStrategy | SmallGameStrategy:
        """What it plays; the shipped strategy is read, and a small game solved, when that is first asked for."""
        if is_texas_holdem(self._game):
            return read_strategy(_DATA / self.shipped)
        return SmallGameStrategy(self._game.config)

    def can_play(self, game: Game) -> bool:
        """Return True for Kuhn poker, Leduc hold'em and limit hold'em for two, with stacks for every bet."""
        if not is_two_player_limit(game.config):
            return False
        return can_play_texas(game) if is_texas_holdem(game) else bool(game.config.num_hole_cards == 1)

    def table(self) -> TableStrategy | None:
        """Return the strategy for limit hold'em, None in small games."""
        return None if isinstance(self.strategy, SmallGameStrategy) else self.strategy

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probabilities to fold, call and raise, (n, 3)."""
        probabilities = self.strategy.probabilities(decisions.views)
        return likeliest(probabilities) if self.greedy else probabilities

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return actions drawn by their probabilities."""
        return choose(self.probabilities(decisions), decisions.random_numbers)


class CfrSmall(Cfr):
    """The same with a small strategy for limit hold'em, of 40 kinds of hands a street."""

    name = "cfr_small"
    shipped = SMALL


class CfrLarge(Cfr):
    """The same with the large strategy for limit hold'em, whatever `cfr` will play."""

    name = "cfr_large"
    shipped = LARGE


def can_play_texas(game: Game) -> bool:
    """Return True for limit hold'em for two, with the usual caps and stacks for every bet."""
    is_limit = is_texas_holdem(game) and is_two_player_limit(game.config)
    return is_limit and _same_betting(game.config, HoldemConfig.limit())


class TableStrategy(Protocol):
    """A strategy for limit hold'em that is a table of probabilities."""

    tree: np.ndarray[Any, np.dtype[Any]]
    hands_by_street: list[int]
    """Number of hands that each street distinguishes."""

    def probabilities(self, views: Tables) -> NDArray[np.float64]:
        """Return the probabilities to fold, call and raise (n, 3) of each view's actor."""
        ...

    def rows(self, first: int, count: int) -> NDArray[np.float64]:
        """Return the probabilities (count, 3) in rows of the table, as `grow_tree` numbers them."""
        ...

    def hands_on(self, board: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which of its street's hands each hand is on a board of 0, 3, 4 or 5 cards, (1326,).

        Hands that share a card with the board may have any number.
        """
        ...


class EquityStrategy:
    """A strategy for limit hold'em by buckets of like equity (`equity_buckets`)."""

    def __init__(self, table: NDArray[np.float64], bounds: NDArray[np.float64]) -> None:
        """Take probabilities (rows, 3) and the bounds of the buckets."""
        self.table, self.bounds = table, bounds
        self.hands_by_street = hands_by_street(bounds)
        self.tree = grow_tree(HoldemConfig.limit(), self.hands_by_street)
        self._cards = np.zeros(1, CARDS)

    def probabilities(self, views: Tables) -> NDArray[np.float64]:
        """Return the probabilities to fold, call and raise (n, 3) of each view's actor."""
        probabilities = np.empty((len(views), NUM_ACTIONS))
        look_up(views, self.tree, self.table, self.bounds, self._cards, probabilities)
        return probabilities

    def rows(self, first: int, count: int) -> NDArray[np.float64]:
        """Return the probabilities (count, 3) in rows of the table."""
        return self.table[first : first + count]

    def hands_on(self, board: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the bucket of each hand on a board, (1326,)."""
        buckets = np.zeros(NUM_HANDS, np.int64)
        self._cards[0].card[_DEALT_TO_PLAYERS : _DEALT_TO_PLAYERS + len(board)] = board
        used = np.bitwise_or.reduce(np.int64(1) << board, initial=np.int64(0))
        write_buckets(self._cards, used, np.int64(max(0, len(board) - 2)), self.bounds, buckets)
        return buckets


class SmallGameStrategy:
    """The equilibrium of a small game, solved when it is made."""

    def __init__(self, config: HoldemConfig) -> None:
        """Solve the game."""
        self.table, self.tree = solve(config, ITERATIONS), grow_tree(config, small_game_hands(config))

    def probabilities(self, views: Tables) -> NDArray[np.float64]:
        """Return the probabilities to fold, call and raise (n, 3) of each view's actor."""
        probabilities = np.empty((len(views), NUM_ACTIONS))
        look_up_small(views, self.tree, self.table, probabilities)
        return probabilities


@cache
def _same_betting(config: HoldemConfig, other: HoldemConfig) -> bool:
    """Return True if the same actions are legal after the same actions in both games."""
    if config == other:
        return True
    trees = [grow_tree(c, [1] * len(c.board_cards)) for c in (config, other)]
    return all(np.array_equal(trees[0][name], trees[1][name]) for name in ("player", "street", "folded", "child"))


def read_strategy(path: Path) -> TableStrategy:
    """Return the strategy for limit hold'em in a file of `save_strategy` or of `BucketStrategy.save`."""
    with np.load(path) as data:
        is_of_equity = "bounds" in data
    return EquityStrategy(*load_strategy(path)) if is_of_equity else BucketStrategy.load(path)


def save_strategy(path: Path, strategy: NDArray[np.float64], bounds: NDArray[np.float64]) -> None:
    """Write a strategy (rows, 3) and the bounds of its buckets, rounded to 255ths."""
    table = np.rint(strategy[:, [0, 2]] * _WHOLE).astype(np.uint8)
    with path.open("wb") as file:
        np.savez_compressed(file, chances=table, bounds=bounds.astype(np.float32))


def load_strategy(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the strategy (rows, 3) and the bounds of its buckets."""
    with np.load(path) as data:
        fold, raise_ = data["chances"].T / _WHOLE
        return np.column_stack([fold, np.maximum(0.0, 1.0 - fold - raise_), raise_]), data["bounds"].astype(np.float64)


@kernel
def look_up(views: Any, tree: Any, strategy: Any, bounds: Any, cards: Any, probabilities: Any) -> None:
    """Write the probabilities of actions for each view's actor in limit hold'em; `cards` is one record to work on."""
    for j in range(views.shape[0]):
        t = views[j]
        for k in range(num_board_cards(t)):
            cards[0].card[_DEALT_TO_PLAYERS + k] = t.deck[_DEALT_TO_PLAYERS + k]
        bucket = bucket_of(hole_card(t, 0), hole_card(t, 1), cards[0], np.int64(t.street), bounds)
        row = np.int64(tree[node_of(t, tree)].first_row) + bucket
        for action in range(NUM_ACTIONS):
            probabilities[j, action] = strategy[row, action]


@kernel
def write_buckets(cards: Any, used: Any, street: Any, bounds: Any, buckets: Any) -> None:
    """Write the bucket of each hand that shares no card with the set `used`, the board of `cards`."""
    for hand in range(NUM_HANDS):
        a, b = np.int64(HANDS[hand, 0]), np.int64(HANDS[hand, 1])
        if ((used >> a) | (used >> b)) & 1 == 0:
            buckets[hand] = bucket_of(a, b, cards[0], street, bounds)


@kernel
def look_up_small(views: Any, tree: Any, strategy: Any, probabilities: Any) -> None:
    """Write the probabilities of actions for each view's actor in a game with one hole card."""
    for j in range(views.shape[0]):
        t = views[j]
        hand = _place_of(t, np.int64(t.deck[t.actor]))
        if num_board_cards(t) > 0:
            hand = hand * np.int64(t.deck_size) + _place_of(t, np.int64(t.deck[t.num_seats]))
        row = np.int64(tree[node_of(t, tree)].first_row) + hand
        for action in range(NUM_ACTIONS):
            probabilities[j, action] = strategy[row, action]


@kernel
def _place_of(t: Any, card: Any) -> Any:
    """Return the place of a card in the ordered deck."""
    return (card // 4 - t.lowest_rank) * t.num_suits + card % 4
