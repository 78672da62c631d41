"""A two-player game with all its hands and boards, for the passes of `vector`, and strategies for it.

Such games are Kuhn poker, Leduc hold'em, flop hold'em with a small deck, and endgames on the river and the turn: cards
come at most once after the first bets.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.hands import RANKED, BoardHands
from card_baselines.solvers.regret import normalise
from card_baselines.solvers.tree import NUM_PLAYERS, BettingPaths, endgame_of, first_table, grow_betting
from card_baselines.solvers.vector import Boards, Nodes, Parts, Work, find_stages
from card_envs.damaged_files import open_arrays
from card_envs.game import NOBODY, Game, Tables
from card_envs.games.holdem.config import HoldemConfig
from card_envs.poker.hands import hand_number
from card_envs.typing import Floats

MAX_BYTES = 2**32
"""Maximum memory of regrets, strategies and hands."""
_TABLES = 3
"""Tables of numbers with float64: regrets, predicted regrets and strategies."""


class VectorGame:
    """The tree of betting, the boards, and the hands on each."""

    def __init__(self, game: Game) -> None:
        """Grow the tree and list the hands.

        Raises:
            ValueError: For games of other betting, seats and streets, and for too many bets, boards or hands.
        """
        num_cards, config = count_coming_cards(game), game.config
        endgame = endgame_of(game)
        self.game, self.tree = game, grow_betting(game, first_table(game))
        stage = find_stages(self.tree, num_cards > 0)
        self.nodes, self.parts = Nodes.from_tree(self.tree, stage, np.float64), Parts.from_tree(self.tree, stage)
        self._is_late = stage > 0
        deck = np.sort(np.array(config.deck_cards, np.int64))
        board = np.zeros(0, np.int64) if endgame is None else np.asarray(endgame.cards, np.int64)
        self._refuse_if_large(num_cards, len(deck) - len(board))
        single = config if config.num_hole_cards == 1 else None
        self.hands = BoardHands(board, deck, single)
        """Hands on the cards that lie from the start."""
        rest = np.setdiff1d(deck, board)
        drawn = list(combinations(rest.tolist(), num_cards)) if num_cards else []
        late = [BoardHands(np.append(board, cards).astype(np.int64), deck, single) for cards in drawn]
        self._board_of = {cards: k for k, cards in enumerate(drawn)}
        self.late_numbers = np.array([hands.numbers for hands in late], np.int64).reshape(len(late), -1 if late else 0)
        """(boards, hands): number of the hand at each place, after more cards have come."""
        self._place_of = np.zeros(int(self.hands.numbers.max()) + 1, np.int64)
        self._place_of[self.hands.numbers] = np.arange(len(self.hands))
        ranked = np.zeros(len(late), RANKED)
        for k, hands in enumerate(late):
            ranked[k] = hands.ranked
        chance = 1 / comb(len(rest) - NUM_PLAYERS * config.num_hole_cards, num_cards)
        no_groups = np.zeros((len(late), 0), np.int64)
        self.boards = Boards(ranked, self._place_of[self.late_numbers], no_groups, np.int64(0), chance)
        weights = np.ones((NUM_PLAYERS, len(self.hands))) if endgame is None else endgame.weights[:, self.hands.numbers]
        self.weights: Floats = np.ascontiguousarray(weights)
        """(2, hands): weights of the hands of both players."""
        self.num_deals = float(self.weights[0] @ self.hands.sum_compatible(self.weights[1]))
        """Sum of the weights of all pairs of hands."""

    @cached_property
    def _paths(self) -> BettingPaths:
        """The decisions, as found at tables."""
        return BettingPaths(self.tree)

    @property
    def num_boards(self) -> int:
        """Number of boards of the second street."""
        return len(self.late_numbers)

    def allocate_work(self) -> tuple[Work, Work]:
        """Return arrays for `vector.traverse`."""
        num, actions = self.tree.child.shape
        late = num if self.num_boards else 1, actions, self.late_numbers.shape[1]
        return Work.allocate(num, actions, len(self.hands), np.float64), Work.allocate(*late, np.float64)

    def shape_of(self, is_late: bool) -> tuple[int, ...]:
        """Return the shape of a table of one street: (decisions, actions, hands), by board on the second street."""
        decisions = int((self.tree.player[self.parts[is_late]] != NOBODY).sum())
        shape = decisions, self.tree.child.shape[1], self.late_numbers.shape[1] if is_late else len(self.hands)
        return (self.num_boards, *shape) if is_late else shape

    def legal_of(self, is_late: bool) -> NDArray[np.bool_]:
        """Return the legal actions of the decisions of one street, (decisions, actions)."""
        part = self.parts[is_late]
        return np.asarray(self.tree.child[part[self.tree.player[part] != NOBODY]] >= 0)

    def find(self, views: Tables) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the row of the decision, the board (-1 on the first street) and the place of the hand, each (n,).

        Raises:
            ValueError: For tables with other betting.
        """
        numbers = self._paths.find(views)
        if (numbers < 0).any():
            raise ValueError(f"the bets at a table are none of {self.game.name} with these settings")
        nodes = self._paths.nodes[numbers]
        hole, known = self.game.config.num_hole_cards, len(self.hands.board)
        boards, places = np.full(len(views), -1), np.zeros(len(views), np.int64)
        first = NUM_PLAYERS * hole + known
        for j, (t, node) in enumerate(zip(views, nodes, strict=True)):
            own = t["deck"][hole * int(t["actor"]) :][:hole].tolist()
            number = own[0] if hole == 1 else hand_number(*own)
            places[j] = self._place_of[number]
            if self._is_late[node]:
                cards = t["deck"][first : first + sum(self.game.config.board_cards) - known]
                boards[j] = self._board_of[tuple(sorted(cards.tolist()))]
                places[j] = np.flatnonzero(self.late_numbers[boards[j]] == number)[0]
        return self.nodes.row[nodes], boards, places

    def _refuse_if_large(self, num_cards: int, left: int) -> None:
        """Raise ValueError if the tables would not fit, before any of them is allocated."""
        hole = self.game.config.num_hole_cards
        num_boards, num_hands = comb(left, num_cards), comb(left - num_cards, hole)
        late = int((self.tree.player[self.parts.late] != NOBODY).sum())
        size = num_boards * (_TABLES * 8 * late * self.tree.child.shape[1] * num_hands + RANKED.itemsize)
        if size > MAX_BYTES:
            raise ValueError(
                f"{self.game.name} has {num_boards:,} boards, {num_hands:,} hands and {late:,} decisions on each, "
                f"which take {size / 2**30:,.0f} GiB of at most {MAX_BYTES / 2**30:.0f}: choose a smaller deck, fewer "
                "bets or an endgame, or train public_chance_cfr or menu_cfr, whose hands are in buckets"
            )


def count_coming_cards(game: Game) -> int:
    """Return how many cards come after the first bets; ValueError for games that are no `VectorGame`."""
    config = game.config
    if not isinstance(config, HoldemConfig):
        raise ValueError(f"{game.name} is no game of hold'em's betting: train tabular_mccfr")
    if game.num_seats != NUM_PLAYERS:
        raise ValueError(f"{game.name} has {game.num_seats} seats, the solver two: train multiplayer_mccfr")
    endgame, streets = endgame_of(game), np.cumsum(config.board_cards)
    known = 0 if endgame is None else len(endgame.cards)
    coming = [cards for cards, total in zip(config.board_cards, streets, strict=True) if total > known and cards]
    if len(coming) > 1:
        raise ValueError(
            f"in {game.name} cards come {len(coming)} times after the first bets, and the solver, which goes over all "
            "boards, allows one: train public_chance_cfr or menu_cfr, or solve an endgame on the turn or the river"
        )
    return int(sum(coming))


class VectorStrategy:
    """Probabilities of both players with every hand on every board of a `VectorGame`."""

    def __init__(self, game: VectorGame, early: NDArray[Any], late: NDArray[Any]) -> None:
        """Store probabilities, with shapes as of `VectorGame.shape_of`; ValueError for those of another game."""
        if (early.shape, late.shape) != (game.shape_of(False), game.shape_of(True)):
            raise ValueError(f"the strategy was made for another game than {game.game.name} with these settings")
        if not all(np.isfinite(part).all() and (part >= 0).all() for part in (early, late)):
            raise ValueError("the strategy has probabilities that are NaN, infinite or negative")
        self._game, self._early, self._late = game, early, late

    @staticmethod
    def from_sums(game: VectorGame, early: Floats, late: Floats) -> VectorStrategy:
        """Return the average strategy of summed strategies, uniform where they are 0."""
        streets = ((False, early), (True, late))
        return VectorStrategy(game, *(normalise(sums, game.legal_of(late)[..., None], -2) for late, sums in streets))

    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities of the actions (n, num_actions) of each view's actor."""
        rows, boards, places = self._game.find(views)
        found, is_late = np.empty((len(views), self._early.shape[1])), boards >= 0
        found[~is_late] = self._early[rows[~is_late], :, places[~is_late]]
        found[is_late] = self._late[boards[is_late], rows[is_late], :, places[is_late]]
        return found

    def save(self, path: Path) -> None:
        """Write a file that `load` reads."""
        with path.open("wb") as file:
            np.savez_compressed(file, early=self._early.astype(np.float32), late=self._late.astype(np.float32))

    @staticmethod
    def load(path: Path, game: VectorGame) -> VectorStrategy:
        """Return the strategy in a file written by `save`."""
        with open_arrays(path) as data:
            return VectorStrategy(game, *(data[name].astype(np.float64) for name in ("early", "late")))
