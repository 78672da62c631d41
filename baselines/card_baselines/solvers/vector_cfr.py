"""CFR over all hands and all boards of a two-player game, and strategies for it.

Such games are Kuhn poker, Leduc hold'em, flop hold'em, and endgames on the river and the turn: cards come at most once
after the first bets. Both players learn in turn, in every iteration with every hand on every board; the variant of CFR
is a `regret.Schedule`.
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers import walk
from card_baselines.solvers.betting_keys import find_sorted
from card_baselines.solvers.buckets.hand_buckets import STARTING_HANDS
from card_baselines.solvers.buckets.suit_isomorphism import canonical_boards, rename_suits
from card_baselines.solvers.game_trees import endgame_of, first_table, grow_betting, is_two_player_menu, is_usual_limit
from card_baselines.solvers.hands import RANKED, BoardHands, find_own_cards
from card_baselines.solvers.multiplayer.public_state import MAX_ACTIONS
from card_baselines.solvers.regret import SCHEDULES, Schedule, normalise
from card_baselines.solvers.solver import CfrSolver
from card_baselines.solvers.tree import NUM_PLAYERS
from card_baselines.solvers.two_streets import STREAM, Boards, TwoStreets, walk_boards
from card_baselines.solvers.walk import BEST, LEARN, NO_GROUPS, VISIT_ALL, Frames, Settings
from card_envs.analysis.exploitability.public_tree import has_few_deals
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.damaged_files import open_arrays
from card_envs.game import Game, Tables
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem
from card_envs.memory import find_free_memory
from card_envs.poker.hands import HOLE_CARDS, NUM_HANDS, hand_numbers
from card_envs.typing import Floats

MAX_BYTES = 2**32
"""Maximum memory of regrets, strategies and hands."""
_TABLES = 3
"""Tables of numbers: regrets, predicted regrets and strategies."""
_ROUNDING = 1e-3
"""Largest error of the sum of probabilities of 32 bits."""
_LARGE = 2**29
"""Strategies of so many bytes are stored uncompressed, since compressing them takes minutes."""
_FLOP_CARDS = 3
_CARD_FACTORS = DECK_SIZE ** np.arange(5)
"""Factors that make a number of the cards of a board."""
__all__ = ["VectorCfr"]


class VectorGame:
    """The tree of betting, the boards, and the hands on each."""

    def __init__(self, game: Game, merge_suits: bool = True) -> None:
        """Grow the tree and list the hands.

        Args:
            game: The game.
            merge_suits: Of flops that differ in the names of suits alone, keep one (see `Boards.kind`).

        Raises:
            ValueError: For games of other betting, seats and streets, and for too many bets, boards or hands.
        """
        num_cards, config = count_coming_cards(game), game.config
        endgame = endgame_of(game)
        self.game, self.tree = game, grow_betting(game, first_table(game))
        deck = np.sort(np.array(config.deck_cards, np.int64))
        board = np.zeros(0, np.int64) if endgame is None else np.asarray(endgame.cards, np.int64)
        rest = np.setdiff1d(deck, board)
        late = comb(len(rest) - num_cards, config.num_hole_cards) if num_cards else 0
        self.num_hands = comb(len(rest), config.num_hole_cards), late
        self.streets = TwoStreets(self.tree, num_cards > 0, self.num_hands)
        self._merges = merge_suits and endgame is None and (num_cards, config.num_hole_cards) == (_FLOP_CARDS, 2)
        canonical, counts = canonical_boards(_FLOP_CARDS).list_of(deck) if self._merges else (None, 1)
        self.num_boards = (comb(len(rest), num_cards) if canonical is None else len(canonical)) if num_cards else 0
        """Number of boards of the second street."""
        self.dtype: Any = self._choose_dtype()
        """Type of all numbers: float64, or float32 for games that would take too much memory otherwise."""
        cards = canonical if canonical is not None else np.array(list(combinations(rest.tolist(), num_cards)), np.int64)
        cards = cards[: self.num_boards]  # without cards that come, there is one combination, of no cards
        single = config if config.num_hole_cards == 1 else None
        self.hands = BoardHands(board, deck, single)
        """Hands on the cards that lie from the start."""
        on_boards = [BoardHands(np.append(board, each), deck, single) for each in cards]
        chance = counts * np.ones(len(cards)) / comb(len(rest) - NUM_PLAYERS * config.num_hole_cards, num_cards)
        self.boards = Boards.arrange(self.hands, on_boards, chance.astype(self.dtype))
        if self._merges:
            kind = np.unique(STARTING_HANDS[self.hands.numbers], return_inverse=True)[1]
            self.boards = self.boards._replace(kind=kind, kind_size=np.bincount(kind))
        keys = cards @ _CARD_FACTORS[:num_cards]
        self._board_order = np.argsort(keys)
        self._board_keys = keys[self._board_order]
        weights = np.ones((NUM_PLAYERS, len(self.hands))) if endgame is None else endgame.weights[:, self.hands.numbers]
        weights = np.ascontiguousarray(weights)
        self.weights: Floats = weights.astype(self.dtype)
        """(2, hands): weights of the hands of both players."""
        self.num_deals = float(weights[0] @ self.hands.sum_compatible(weights[1]))
        """Sum of the weights of all pairs of hands."""

    @cached_property
    def late_places(self) -> NDArray[np.int16]:
        """(boards, hand numbers): place of each hand on each board of the second street."""
        places = np.zeros((self.num_boards, NUM_HANDS), np.int16)
        numbers = self.boards.ranked["number"][:, : self.num_hands[1]]
        np.put_along_axis(places, numbers, np.arange(self.num_hands[1], dtype=np.int16)[None], 1)
        return places

    def shape_of(self, is_late: bool) -> tuple[int, ...]:
        """Return the shape of a table of one street: (decisions, actions, hands), by board on the second street."""
        shape = len(self.streets.decisions[is_late]), self.tree.child.shape[1], self.num_hands[is_late]
        return (self.num_boards, *shape) if is_late else shape

    def find(self, views: Tables) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the row of the decision, the board (-1 on the first street) and the place of the hand, each (n,).

        Raises:
            ValueError: For tables with other betting or another deck.
        """
        nodes = self.tree.find(views)
        if (nodes < 0).any():
            raise ValueError(f"the bets at a table are none of {self.game.name} with these settings")
        config, known = self.game.config, len(self.hands.board)
        hole, deck = config.num_hole_cards, views["deck"].astype(np.int64)
        own = find_own_cards(views, hole)
        boards, places = np.full(len(views), -1), self.hands.place_of[_number_hands(own)]
        late, first = np.flatnonzero(self.streets.nodes["street"][nodes]), NUM_PLAYERS * hole
        if len(late):
            cards, own = deck[late, first + known : first + sum(config.board_cards)], own[late]
            if self._merges:
                _, suits = canonical_boards(_FLOP_CARDS).find(cards)
                cards, own = rename_suits(cards, suits), rename_suits(own, suits)
            keys = np.sort(cards, axis=1) @ _CARD_FACTORS[: cards.shape[1]]
            found = find_sorted(self._board_keys, keys)
            if (found < 0).any():
                raise ValueError(f"the cards at a table are none of {self.game.name} with these settings")
            boards[late] = self._board_order[found]
            places[late] = self.late_places[boards[late], _number_hands(own)]
        return self.streets.row[nodes], boards, places

    def _choose_dtype(self) -> Any:
        """Return float64, or float32 if that takes too much memory.

        Raises:
            ValueError: If both take too much, or more than is free, before any of it is allocated.
        """
        num_boards, late, _, num_hands = shape = self.shape_of(True)
        numbers = _TABLES * prod(shape)
        for dtype in (np.float64, np.float32):
            size = numbers * np.dtype(dtype).itemsize + num_boards * RANKED.itemsize
            if size <= MAX_BYTES:
                break
        free = find_free_memory()
        if size > min(MAX_BYTES, free):
            most = f"at most {MAX_BYTES / 2**30:.1f}" if size > MAX_BYTES else f"{free / 2**30:.1f} that are free"
            raise ValueError(
                f"{self.game.name} has {num_boards:,} boards, {num_hands:,} hands and {late:,} decisions on each, "
                f"which take {size / 2**30:,.1f} GiB of {most}: choose a smaller deck, fewer bets or an endgame; "
                f"{suggest_solver(self.game)}"
            )
        return dtype


def _number_hands(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number (n,) of hands (n, cards) of one card or two, in any order."""
    return cards[:, 0] if cards.shape[1] == 1 else hand_numbers(cards)


def count_coming_cards(game: Game) -> int:
    """Return how many cards come after the first bets; ValueError for games that are no `VectorGame`."""
    config = game.config
    if not isinstance(config, HoldemConfig):
        raise ValueError(f"{game.name} is no game of hold'em's betting: {suggest_solver(game)}")
    if game.num_seats != NUM_PLAYERS:
        raise ValueError(f"{game.name} has {game.num_seats} seats, the solver two: {suggest_solver(game)}")
    endgame, streets = endgame_of(game), np.cumsum(config.board_cards)
    known = 0 if endgame is None else len(endgame.cards)
    coming = [cards for cards, total in zip(config.board_cards, streets, strict=True) if total > known and cards]
    if len(coming) > 1:
        later = ", or solve an Endgame in which cards come once or never" if config.num_hole_cards == HOLE_CARDS else ""
        raise ValueError(
            f"in {game.name} cards come {len(coming)} times after the first bets, and the solver, which goes over all "
            f"boards, allows one: {suggest_solver(game)}{later}"
        )
    return int(sum(coming))


def suggest_solver(game: Game) -> str:
    """Return which other solver or learner takes a game that has no `VectorGame`, as an advice."""
    is_texas, config = is_texas_holdem(game) and endgame_of(game) is None, game.config
    if is_texas and is_usual_limit(game):
        return "train public_chance_cfr or mccfr"
    if is_texas and is_two_player_menu(config):
        return "train menu_cfr"
    if is_texas and game.num_actions <= MAX_ACTIONS:
        return "train multiplayer_mccfr"
    if is_texas:
        return f"choose a bet_menu with at most {MAX_ACTIONS} action ids and train multiplayer_mccfr"
    is_for_two = game.num_seats == NUM_PLAYERS
    if has_few_deals(game):
        return "train tabular_mccfr" if is_for_two else "card_baselines.solvers.sampled_cfr.SampledCfr solves it"
    return f"no solver takes it: train self_play_ppo{' or sd_cfr' if is_for_two else ''}"


class VectorStrategy:
    """Probabilities of both players with every hand on every board of a `VectorGame`."""

    def __init__(self, game: VectorGame, early: NDArray[Any], late: NDArray[Any]) -> None:
        """Store probabilities, with shapes as of `VectorGame.shape_of`; ValueError for those of another game."""
        if (early.shape, late.shape) != (game.shape_of(False), game.shape_of(True)):
            raise ValueError(f"the strategy was made for another game than {game.game.name} with these settings")
        if not all(np.isfinite(part).all() and (part >= 0).all() for part in (early, late)):
            raise ValueError("the strategy has probabilities that are NaN, infinite or negative")
        self._game, self._early, self._late = game, early, late

    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities of the actions (n, num_actions) of each view's actor."""
        rows, boards, places = self._game.find(views)
        found, is_late = np.empty((len(views), self._early.shape[1])), boards >= 0
        found[~is_late] = self._early[rows[~is_late], :, places[~is_late]]
        found[is_late] = self._late[boards[is_late], rows[is_late], :, places[is_late]]
        return found

    def save(self, path: Path) -> None:
        """Write a file that `load` reads."""
        save = np.savez_compressed if self._late.nbytes < _LARGE else np.savez
        with path.open("wb") as file:
            save(file, early=self._early.astype(np.float32, copy=False), late=self._late.astype(np.float32, copy=False))

    @staticmethod
    def load(path: Path, game: VectorGame) -> VectorStrategy:
        """Return the strategy in a file written by `save`; ValueError for numbers that are no probabilities."""
        with open_arrays(path) as data:
            early, late = (data[name].astype(game.dtype, copy=False) for name in ("early", "late"))
            strategy = VectorStrategy(game, early, late)
            for is_late, tables in ((False, [early]), (True, late)):  # board by board: a copy of all may be large
                is_legal = game.streets.legal_of(is_late)
                for table in tables:
                    if table[~is_legal].any() or not (abs(table.sum(1) - 1) <= _ROUNDING).all():
                        raise ValueError("the strategy has probabilities that do not sum to 1, or of illegal actions")
            return strategy


class VectorCfr(CfrSolver):
    """The solver: regrets and summed strategies of all hands on all boards."""

    def __init__(self, game: Game, variant: str = "cfr_plus") -> None:
        """Start with regrets of 0.

        Args:
            game: A game as of `VectorGame`.
            variant: Name of a schedule in `regret.SCHEDULES`.

        Raises:
            ValueError: For unknown variants, and games that are no `VectorGame`.
        """
        if variant not in SCHEDULES:
            raise ValueError(f"variant {variant!r} is not known: choose one of {sorted(SCHEDULES)}")
        self.game, self._schedule = VectorGame(game), SCHEDULES[variant]
        self._early, self._late = (self._allocate(is_late) for is_late in (False, True))
        tree, dtype = self.game.tree, self.game.dtype
        self._frames = [Frames.allocate(tree, num, num, dtype) for num in self.game.num_hands]

    def _allocate(self, is_late: bool) -> walk.StrategyTables:
        """Return the tables of one street; regrets and their prediction are one table if nothing is predicted."""
        shape = self.game.shape_of(is_late)
        regrets, sums = (np.zeros(shape, self.game.dtype) for _ in range(2))
        predicted = np.zeros_like(regrets) if self._schedule(1).prediction else regrets
        return walk.StrategyTables(predicted, predicted, regrets, sums)

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; both players learn in each."""
        numbers = range(self.iterations + 1, self.iterations + iterations + 1)
        schedules = np.array([self._schedule(number) for number in numbers], self.game.dtype).reshape(-1, 5)
        nodes, ranked, early, extra = self._list_arguments(self._early, self._late)
        learn(nodes, ranked, early, extra, NO_GROUPS, self._frames[0], self.game.weights, schedules, STREAM)
        self.iterations += iterations

    def _list_arguments(self, early: walk.StrategyTables, late: walk.StrategyTables) -> tuple[Any, ...]:
        """Return nodes, hands, strategies and the `extra` of `two_streets.walk_boards`."""
        game = self.game
        tables, late = (walk.StrategyTables(*(table.reshape(-1) for table in street)) for street in (early, late))
        extra = game.boards, np.arange(game.num_boards), late, prod(game.shape_of(True)[1:]), self._frames[1]
        return game.streets.nodes, game.hands.ranked, tables, extra

    def state(self) -> dict[str, NDArray[Any]]:
        """Return regrets, summed strategies and, if regrets are predicted, the predictions of both streets."""
        tables = {"early": self._early, "late": self._late}
        names = {"regrets": "regrets", "predicted": "own", "sums": "sums"}
        if not self._schedule(1).prediction:
            del names["predicted"]
        return {f"{street}.{name}": getattr(tables[street], own) for street in tables for name, own in names.items()}

    def strategy(self) -> VectorStrategy:
        """Return the average strategy, uniform where no hand plays to."""
        game, early, late = self.game, self._early.sums, np.empty_like(self._late.sums)
        is_legal, is_legal_late = (game.streets.legal_of(is_late)[..., None] for is_late in (False, True))
        for board, sums in zip(late, self._late.sums, strict=True):  # board by board, since the copies may be large
            board[:] = normalise(sums, is_legal_late, -2, game.dtype)
        return VectorStrategy(game, normalise(early, is_legal, -2, game.dtype), late)

    def find_best_responses(self) -> Floats:
        """Return what a best response of each player wins from the average strategy, (2,), in the unit of rewards."""
        game, schedule = self.game, Schedule(*(self.game.dtype(number) for number in self._schedule(1)))
        averages = (tables._replace(own=tables.sums, other=tables.sums) for tables in (self._early, self._late))
        nodes, ranked, early, extra = self._list_arguments(*averages)
        best = np.zeros(NUM_PLAYERS)
        for player in range(NUM_PLAYERS):
            self._frames[0].reach[0] = game.weights[1 - player]
            settings = Settings(player, BEST, schedule, 0, VISIT_ALL, False, 0, 0)
            walk_boards(nodes, 0, ranked, NO_GROUPS, early, settings, STREAM, self._frames[0], extra)
            best[player] = game.weights[player].astype(np.float64) @ self._frames[0].values[0]
        return best / (game.num_deals * game.game.chips_per_reward)

    @property
    def exploitability(self) -> float:
        """What a best response wins from the average strategy, the mean of both positions."""
        return float(self.find_best_responses().mean())


@kernel
def learn(
    nodes: Any, ranked: Any, tables: Any, extra: Any, groups: Any, frames: Any, weights: Any, schedules: Any,
    stream: Any,
) -> None:  # fmt: skip
    """Run an iteration for each of the `schedules` (iterations, 5), the numbers of a `regret.Schedule`.

    `weights` are (2, hands), further arguments as of `two_streets.walk_boards`.
    """
    for t in range(schedules.shape[0]):
        row = schedules[t]
        schedule = Schedule(row[0], row[1], row[2], row[3], row[4])
        for learner in range(NUM_PLAYERS):
            for h in range(ranked.num_hands):
                frames.reach[0, h], frames.own[0, h] = weights[1 - learner, h], schedule.average
            settings = Settings(learner, LEARN, schedule, 0, VISIT_ALL, False, 0, 0)
            walk_boards(nodes, 0, ranked, groups, tables, settings, stream, frames, extra)
