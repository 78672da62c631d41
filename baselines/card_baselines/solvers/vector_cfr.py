"""CFR over all hands and all boards of a two-player game, and strategies for it.

Such games are Kuhn poker, Leduc hold'em, flop hold'em, games with small decks, and endgames. Both players learn in
turn, in every iteration with every hand on every board (`boards`) of every street (`streets`); the variant of CFR is a
`regret.Schedule`.
"""

from __future__ import annotations

from functools import cache
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.boards import BoardList
from card_baselines.solvers.buckets.suit_isomorphism import SUIT_ORDERS, count_classes, rename_suits
from card_baselines.solvers.game_trees import endgame_of, first_table, is_two_player_menu, is_usual_limit
from card_baselines.solvers.hands import HAND_CARDS, NUM_PLAYERS, RANKED, BoardHands, find_own_cards
from card_baselines.solvers.multiplayer.public_state import MAX_ACTIONS
from card_baselines.solvers.regret import SCHEDULES, Schedule, normalise
from card_baselines.solvers.solver import CfrSolver
from card_baselines.solvers.streets import STREAM, Boards, LaterStreet, Streets, make_street_walk
from card_baselines.solvers.tree import grow_tree
from card_baselines.solvers.walk import BEST, LEARN, NO_GROUPS, VISIT_ALL, Board, Frames, Settings, StrategyTables
from card_envs.analysis.exploitability.public_tree import has_few_deals
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.damaged_files import open_arrays
from card_envs.game import Game, Tables
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem
from card_envs.memory import find_free_memory
from card_envs.poker.hands import HOLE_CARDS, NUM_HANDS, hand_numbers
from card_envs.typing import Floats, Integers

MAX_BYTES = 2**32
"""Maximum memory of regrets, strategies and hands."""
MAX_BOARDS = 50_000
"""Maximum number of boards whose hands need not be counted before the tree of betting is grown."""
MAX_NODES = 100_000
"""Maximum number of nodes of the tree of betting, which take up to 200 MB while it is grown."""
_TABLES = 3
"""Tables with an entry for each hand and action: regrets, predicted regrets and strategies."""
_ROUNDING = 1e-3
"""Largest error of the sum of probabilities of 32 bits."""
_LARGE = 2**29
"""Strategies of so many bytes are stored uncompressed, since compressing them takes minutes."""
_SMALL = 2**26
"""Strategies of so many bytes are read whatever the game, so that errors name it."""
_FLOP_CARDS = 3
__all__ = ["VectorCfr"]


class VectorGame:
    """The tree of betting, the boards, and the hands on each.

    Tables have an entry for each street. There are at least two: the second one has no boards if no cards come.
    """

    def __init__(self, game: Game, merge_suits: bool = True) -> None:
        """Grow the tree and list the hands.

        Args:
            game: The game.
            merge_suits: In flop hold'em and in games with more streets, keep one of the boards that differ in the names
                of suits alone (`boards`).

        Raises:
            ValueError: For games of other betting and seats, and for too many bets, boards or hands.
        """
        coming, config, endgame = list_coming_cards(game), game.config, endgame_of(game)
        self.game, self._coming = game, [num for num in coming if num]
        deck = np.sort(np.array(config.deck_cards, np.int64))
        board = np.zeros(0, np.int64) if endgame is None else np.asarray(endgame.cards, np.int64)
        rest = np.setdiff1d(deck, board)
        is_flop = (self._coming, config.num_hole_cards) == ([_FLOP_CARDS], HOLE_CARDS)
        self._merges = merge_suits and endgame is None and (is_flop or len(self._coming) > 1)
        left = (len(rest) - np.cumsum([0, *self._coming])).tolist()
        streets = range(1, len(left))
        self.num_boards = [1, *(self._count_boards(left, street) for street in streets)] + [0] * (not streets)
        """Number of boards of each street."""
        self.num_hands = [comb(num, config.num_hole_cards) for num in left] + [0] * (not streets)
        """Number of hands on a board of each street."""
        if sum(self.num_boards) > MAX_BOARDS:
            self._check_memory(None)
        advice = f", or lower caps; {suggest_solver(game)}"
        self.tree = grow_tree(first_table(game), game.num_actions, MAX_NODES, advice)
        has_cards = [num > 0 for num in coming[self.tree.street[0] :]]
        self.streets = Streets(self.tree, has_cards, self.num_hands)
        self.dtype: Any = self._check_memory([len(decisions) for decisions in self.streets.decisions])
        """Type of all numbers: float64, or float32 for games that would take too much memory otherwise."""
        self.lists = [BoardList.start(self._merges)]
        """The boards of each street on which cards come, and that of the first street."""
        for num_cards in self._coming or [0]:
            self.lists.append(self.lists[-1].follow(rest, num_cards))
        self._list_hands(board, deck)
        weights = np.ones((NUM_PLAYERS, len(self.hands))) if endgame is None else endgame.weights[:, self.hands.numbers]
        weights = np.ascontiguousarray(weights)
        self.weights: Floats = weights.astype(self.dtype)
        """(2, hands): weights of the hands of both players."""
        self.num_deals = float(weights[0] @ self.hands.sum_compatible(weights[1]))
        """Sum of the weights of all pairs of hands."""

    @property
    def names(self) -> list[str]:
        """The names of the streets in files."""
        num = len(self.num_boards)
        return ["early", "late"] if num == 2 else [f"street_{street}" for street in range(num)]

    def shape_of(self, street: int) -> tuple[int, ...]:
        """Return the shape of a table of one street: (decisions, actions, hands), by board on later streets."""
        shape = self.streets.shape_of(street, self.num_hands[street])
        return (self.num_boards[street], *shape) if street else shape

    @property
    def max_file_bytes(self) -> int:
        """Largest size of a file of probabilities, uncompressed: entries of 64 bits and headers."""
        entries = sum(prod(self.shape_of(street)) for street in range(len(self.num_boards)))
        return entries * np.dtype(np.float64).itemsize + _SMALL

    def find(self, views: Tables) -> tuple[Integers, Integers, Integers, Integers]:
        """Return the street, the board, the row of the decision and the place of the hand, each (n,).

        Raises:
            ValueError: For tables with other betting or another deck.
        """
        nodes = self.tree.find(views)
        if (nodes < 0).any():
            raise ValueError(f"the bets at a table are none of {self.game.name} with these settings")
        config = self.game.config
        own, deck = find_own_cards(views, config.num_hole_cards), views["deck"].astype(np.int64)
        streets, boards = self.streets.nodes["street"][nodes], np.zeros(len(views), np.int64)
        places = self.hands.place_of[_number_hands(own)]
        end = NUM_PLAYERS * config.num_hole_cards + len(self.hands.board)
        for street, num_cards in enumerate(self._coming, 1):
            rows, first = np.flatnonzero(streets >= street), end
            end += num_cards
            if not len(rows):
                break
            boards[rows], order = self.lists[street].find(boards[rows], deck[rows, first:end])
            if (boards[rows] < 0).any():
                raise ValueError(f"the cards at a table are none of {self.game.name} with these settings")
            own[rows], deck[rows] = (rename_suits(cards[rows], SUIT_ORDERS[order]) for cards in (own, deck))
            places[rows] = self.places[street][boards[rows], _number_hands(own[rows])]
        return streets, boards, self.streets.row[nodes], places

    def _count_boards(self, left: list[int], street: int) -> int:
        """Return how many boards a street has; `left` (streets,) are the cards that are not on the board on each."""
        sizes, config = self._coming[:street], self.game.config
        if self._merges:
            return count_classes(sizes, config.num_ranks, config.num_suits)
        return prod(map(comb, left, sizes))

    def _list_hands(self, board: Integers, deck: Integers) -> None:
        """List the hands on all boards, which continue `board`, of the cards of a deck."""
        config = self.game.config
        single = config if config.num_hole_cards == 1 else None
        self.hands = BoardHands(board, deck, single)
        """Hands on the cards that lie from the start."""
        self.places = [_list_places(self.hands.numbers[None])]
        """For each street, (boards, hand numbers): place of each hand on each board."""
        self.boards: list[Boards] = []
        """The hands on the boards of each later street."""
        for street, listed in enumerate(self.lists[1:], 1):
            num_known, num_cards = (each.cards.shape[1] for each in self.lists[street - 1 : street + 1])
            num_left = len(deck) - len(board) - num_known - NUM_PLAYERS * config.num_hole_cards
            factor = listed.counts * np.ones(len(listed.counts)) / comb(num_left, num_cards - num_known)
            on_boards = (BoardHands(np.append(board, cards), deck, single) for cards in listed.cards)
            boards = Boards.arrange(on_boards, self.places[-1][listed.parent], factor.astype(self.dtype))
            self.boards.append(self._find_kinds(boards, street - 1) if self._merges else boards)
            self.places.append(_list_places(boards.ranked["number"][:, : self.num_hands[street]]))

    def _find_kinds(self, boards: Boards, street: int) -> Boards:
        """Return boards with the classes of hands on their parents, which are the boards of `street`.

        The class of a hand is the place of the one with the least number that suits can be renamed to.
        """
        places, orders = self.places[street], self.lists[street].orders
        numbers = self.hands.numbers[None] if street == 0 else self.boards[street - 1].ranked["number"]
        numbers = numbers[:, : self.num_hands[street]]
        cards = HAND_CARDS if self.game.config.num_hole_cards == HOLE_CARDS else np.arange(DECK_SIZE)[:, None]
        least = numbers
        for k, suits in enumerate(SUIT_ORDERS):
            renamed = _number_hands(rename_suits(cards, suits))[numbers]
            least = np.where(orders[:, k, None], np.minimum(least, renamed), least)
        kind = np.take_along_axis(places, least, 1).astype(np.int64)
        sizes = np.zeros_like(kind)
        np.add.at(sizes, (np.arange(len(kind))[:, None], kind), 1)
        return boards._replace(kind=kind, kind_size=sizes)

    def _check_memory(self, num_decisions: list[int] | None) -> Any:
        """Return float64, or float32 if that takes too much memory.

        Args:
            num_decisions: Number of decisions on each street; None before the tree is grown, when hands alone count.

        Raises:
            ValueError: If both take too much, or more than is free, before any of it is allocated.
        """
        decisions = [0] * len(self.num_boards) if num_decisions is None else num_decisions
        counts = list(zip(self.num_boards, self.num_hands, decisions, strict=True))
        entries = _TABLES * self.game.num_actions * sum(prod(each) for each in counts)
        for dtype in (np.float64, np.float32):
            size = entries * np.dtype(dtype).itemsize + sum(self.num_boards[1:]) * RANKED.itemsize
            if size <= MAX_BYTES:
                break
        free = find_free_memory()
        if size > min(MAX_BYTES, free):
            most = f"at most {MAX_BYTES / 2**30:.1f}" if size > MAX_BYTES else f"{free / 2**30:.1f} that are free"
            counted = ", then ".join(
                f"{boards:,} board{'s' * (boards != 1)}, {hands:,} hands"
                + (f" and {each:,} decisions on each" if num_decisions else "")
                for boards, hands, each in (counts[1:] if self._coming else counts[:1])
            )
            is_whole = self.game.config.num_hole_cards == HOLE_CARDS and endgame_of(self.game) is None
            endgame = " or an Endgame" if is_whole else ""
            or_more = "" if num_decisions else " or more"
            raise ValueError(
                f"{self.game.name} has {counted}, which take {size / 2**30:,.1f} GiB{or_more} of {most}: choose a "
                f"smaller deck, fewer bets{endgame}; {suggest_solver(self.game)}"
            )
        return dtype


def _list_places(numbers: Integers) -> NDArray[np.int16]:
    """Return the place (boards, hand numbers) of each hand, given the hand numbers (boards, places)."""
    places = np.zeros((len(numbers), NUM_HANDS), np.int16)
    np.put_along_axis(places, numbers, np.arange(numbers.shape[1], dtype=np.int16)[None], 1)
    return places


def _number_hands(cards: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number (n,) of hands (n, cards) of one card or two, in any order."""
    return cards[:, 0] if cards.shape[1] == 1 else hand_numbers(cards)


def list_coming_cards(game: Game) -> list[int]:
    """Return how many unknown cards come before each betting round; ValueError for games that are no `VectorGame`."""
    config = game.config
    if not isinstance(config, HoldemConfig):
        raise ValueError(f"{game.name} is no game of hold'em's betting: {suggest_solver(game)}")
    if game.num_seats != NUM_PLAYERS:
        raise ValueError(f"{game.name} has {game.num_seats} seats, the solver two: {suggest_solver(game)}")
    endgame = endgame_of(game)
    first = 0 if endgame is None else endgame.street + 1
    return [0] * first + list(config.board_cards[first:])


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

    def __init__(self, game: VectorGame, tables: list[NDArray[Any]]) -> None:
        """Store probabilities, with shapes as of `VectorGame.shape_of`; ValueError for those of another game."""
        if [table.shape for table in tables] != [game.shape_of(street) for street in range(len(game.num_boards))]:
            raise ValueError(f"the strategy was made for another game than {game.game.name} with these settings")
        if not all(np.isfinite(table).all() and (table >= 0).all() for table in tables):
            raise ValueError("the strategy has probabilities that are NaN, infinite or negative")
        self._game, self._tables = game, [tables[0][None], *tables[1:]]
        """(boards, decisions, actions, hands) on each street."""

    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities of the actions (n, num_actions) of each view's actor."""
        streets, boards, rows, places = self._game.find(views)
        found = np.empty((len(views), self._tables[0].shape[2]))
        for street, table in enumerate(self._tables):
            here = streets == street
            found[here] = table[boards[here], rows[here], :, places[here]]
        return found

    def save(self, path: Path) -> None:
        """Write a file that `load` reads."""
        first, *later = (table.astype(np.float32, copy=False) for table in self._tables)
        save = np.savez_compressed if sum(table.nbytes for table in self._tables[1:]) < _LARGE else np.savez
        with path.open("wb") as file:
            save(file, **dict(zip(self._game.names, [first[0], *later], strict=True)))

    @staticmethod
    def load(path: Path, game: VectorGame) -> VectorStrategy:
        """Return the strategy in a file written by `save`; ValueError for numbers that are no probabilities."""
        with open_arrays(path, game.max_file_bytes) as data:
            names = [name for name in game.names if name in data]
            strategy = VectorStrategy(game, [data[name].astype(game.dtype, copy=False) for name in names])
            for street, boards in enumerate(strategy._tables):
                is_legal = game.streets.legal_of(street)
                for table in boards:  # board by board: a copy of all may be large
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
        self._tables = [self._allocate(street) for street in range(len(self.game.num_boards))]
        self._walked = len(self._tables) - 1, 0, bool(self.game.streets.nodes["street"][0])
        """Arguments of `streets.make_street_walk`."""
        tree, dtype = self.game.tree, self.game.dtype
        self._frames = [Frames.allocate(tree, num, num, dtype) for num in self.game.num_hands]

    def _allocate(self, street: int) -> StrategyTables:
        """Return the tables of one street; regrets and their prediction are one table if nothing is predicted."""
        shape = self.game.shape_of(street)
        regrets, sums = (np.zeros(shape, self.game.dtype) for _ in range(2))
        predicted = np.zeros_like(regrets) if self._schedule(1).prediction else regrets
        return StrategyTables(predicted, predicted, regrets, sums)

    def run(self, iterations: int) -> None:
        """Run `iterations` more iterations; both players learn in each."""
        numbers = range(self.iterations + 1, self.iterations + iterations + 1)
        schedules = np.array([self._schedule(number) for number in numbers], self.game.dtype).reshape(-1, 5)
        nodes, board, tables, extra = self._list_arguments(self._tables)
        learn = make_learn(*self._walked)
        learn(nodes, board, tables, extra, self._frames[0], self.game.weights, schedules, STREAM)
        self.iterations += iterations

    def _list_arguments(self, tables: list[StrategyTables]) -> tuple[Any, ...]:
        """Return the nodes, the board and tables of the first street, and the `extra` of `streets.make_street_walk`."""
        game = self.game
        first, *later = (StrategyTables(*(table.reshape(-1) for table in street)) for street in tables)
        streets = zip(game.boards, game.lists[1:], later, self._frames[1:], strict=True)
        extra = tuple(
            LaterStreet(boards, listed.begin, stored, prod(game.shape_of(street)[1:]), frames)
            for street, (boards, listed, stored, frames) in enumerate(streets, 1)
        )
        return game.streets.nodes, Board(game.hands.ranked, 0, 0), first, extra

    def state(self) -> dict[str, NDArray[Any]]:
        """Return regrets, summed strategies and, if regrets are predicted, the predictions of all streets."""
        fields = {"regrets": "regrets", "predicted": "learner", "sums": "sums"}
        if not self._schedule(1).prediction:
            del fields["predicted"]
        streets = zip(self.game.names, self._tables, strict=True)
        return {f"{name}.{key}": getattr(tables, field) for name, tables in streets for key, field in fields.items()}

    def strategy(self) -> VectorStrategy:
        """Return the average strategy, uniform where no hand plays to."""
        game, averages = self.game, [np.empty_like(tables.sums) for tables in self._tables]
        for street, (average, tables) in enumerate(zip(averages, self._tables, strict=True)):
            is_legal = game.streets.legal_of(street)[..., None]
            by_board = (average, tables.sums) if street else (average[None], tables.sums[None])
            for board, sums in zip(*by_board, strict=True):  # board by board, since the copies may be large
                board[:] = normalise(sums, is_legal, -2, game.dtype)
        return VectorStrategy(game, averages)

    def find_best_responses(self) -> Floats:
        """Return what a best response of each player wins from the average strategy, (2,), in the unit of rewards."""
        game, schedule = self.game, Schedule(*(self.game.dtype(number) for number in self._schedule(1)))
        averages = [tables._replace(learner=tables.sums, opponent=tables.sums) for tables in self._tables]
        nodes, board, first, extra = self._list_arguments(averages)
        walk_streets, best = make_street_walk(*self._walked), np.zeros(NUM_PLAYERS)
        for player in range(NUM_PLAYERS):
            self._frames[0].reach[0] = game.weights[1 - player]
            settings = Settings(player, BEST, schedule, False, VISIT_ALL, 0)
            walk_streets(nodes, 0, board, NO_GROUPS, first, settings, STREAM, self._frames[0], extra)
            best[player] = game.weights[player].astype(np.float64) @ self._frames[0].values[0]
        return best / (game.num_deals * game.game.chips_per_reward)

    @property
    def exploitability(self) -> float:
        """What a best response wins from the average strategy, the mean of both positions."""
        return float(self.find_best_responses().mean())


@cache
def make_learn(num_later: int, street: int, may_pass: bool) -> Any:
    """Return the kernel of iterations, with arguments as of `streets.make_street_walk`."""
    walk_streets = make_street_walk(num_later, street, may_pass)

    @kernel
    def learn(
        nodes: Any, board: Any, tables: Any, extra: Any, frames: Any, weights: Any, schedules: Any, stream: Any
    ) -> None:
        """Run an iteration for each of the `schedules` (iterations, 5), the numbers of a `regret.Schedule`.

        `weights` are (2, hands), further arguments as of `streets.make_street_walk`.
        """
        for t in range(schedules.shape[0]):
            row = schedules[t]
            schedule = Schedule(row[0], row[1], row[2], row[3], row[4])
            for learner in range(NUM_PLAYERS):
                for h in range(board.ranked.num_hands):
                    frames.reach[0, h], frames.own_reach[0, h] = weights[1 - learner, h], schedule.average
                settings = Settings(learner, LEARN, schedule, False, VISIT_ALL, 0)
                walk_streets(nodes, 0, board, NO_GROUPS, tables, settings, stream, frames, extra)

    return learn
