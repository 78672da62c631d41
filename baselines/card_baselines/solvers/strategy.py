"""Strategies as tables: probabilities by information state of the betting and bucket of the hand, and their files.

Probabilities are stored as numerators of a common denominator, `whole`: for each state a number per bucket for each
legal action but the last one, whose probability is the rest.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.betting_keys import find_sorted
from card_baselines.solvers.buckets.lookup import Buckets, from_stored_arrays, make_finder, to_stored_arrays
from card_baselines.solvers.game_trees import grow_game
from card_baselines.solvers.multiplayer.public_state import (
    MAX_STATES,
    check_keys,
    find_public_states,
    legal_actions_of,
    street_of,
)
from card_baselines.solvers.pot_odds import call_by_odds
from card_baselines.solvers.tree import BettingTree
from card_envs.compiler import kernel
from card_envs.damaged_files import decompress_bytes, open_arrays
from card_envs.game import Tables
from card_envs.game_loops import NO_ACTION
from card_envs.games.holdem.actions import FIRST_RAISE_ACTION, amount_to_call, is_legal, raise_to_of
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import MAX_STREETS
from card_envs.memory import find_file_limit, require_free_memory
from card_envs.typing import Floats, Integers

__all__ = ["TableStrategy", "load_config"]

STRATEGY = "strategy.npz"
"""File of a run folder."""
DATA = Path(__file__).parent / "data"
"""Folder of the strategies that come with the package."""
FIFTEENTHS, FINE = 15, 255
"""Denominators of stored probabilities: four bits each, or eight."""


class States(NamedTuple):
    """The information states of the betting of a game."""

    legal: Integers
    """(states,): set of legal actions: bit a stands for action a."""
    num_buckets: Integers
    """(states,): number of buckets on the street of each state."""
    order: Integers
    """(states,): states in the order of their probabilities in a table."""
    find: Callable[[Tables], Integers]
    """Returns the states (n,) of the actors of tables or views, -1 where there is none."""
    keys: Integers | None = None
    """(states,): public states, ascending (`multiplayer.public_state`); None if the betting tells the states."""
    tree: BettingTree | None = None
    """The tree of two-player games."""


def list_states(config: HoldemConfig, hands_by_street: list[int], keys: Integers | None = None) -> States:
    """Return the information states of a game: all decisions of a tree for two players, or the public states `keys`."""
    num_buckets = np.asarray(hands_by_street, np.int64)
    if keys is not None:
        legal, streets = (np.array([int(f(key)) for key in keys], np.int64) for f in (legal_actions_of, street_of))
        widths, order = num_buckets[streets], np.arange(len(keys))
        return States(legal, widths, order, lambda views: find_sorted(keys, find_public_states(views)), keys)
    tree = grow_game(config)
    streets = tree.street[tree.first]
    is_last = (streets == len(num_buckets) - 1) & (config.structure != "limit")  # the last street of menus comes last
    order = np.argsort(is_last, kind="stable")
    return States(tree.legal[tree.first], num_buckets[streets], order, tree.find_states, tree=tree)


MAX_PERCENTAGE = 10**9
"""Largest limit of bets: products with the chips of a pot still are 64-bit integers."""


class TableStrategy:
    """Probabilities of actions by information state of the betting and bucket of the hand.

    Args:
        config: The game.
        buckets: The hand abstraction.
        shares: The table (see the module), numerators of probabilities.
        keys: Public states in ascending order, None for all decisions of a two-player game.
        whole: The denominator.
        trained: (states,): False where training hardly came; None for True everywhere.
        largest_river_bet: Bets and raises on the river by more than this percentage of the pot after calling are played
            as the next smaller raise, if one is legal; 0 for no limit.

    Raises:
        ValueError: If the table is not of the size that the betting asks for, or holds no probabilities.
    """

    def __init__(
        self, config: HoldemConfig, buckets: Buckets, shares: NDArray[np.uint8],
        keys: Integers | None = None, whole: int = FIFTEENTHS, trained: NDArray[np.bool_] | None = None,
        largest_river_bet: int = 0,
    ) -> None:  # fmt: skip
        self.config, self.buckets, self.shares, self.whole = config, buckets, shares, whole
        self.states, self.largest_river_bet = list_states(config, buckets.hands_by_street, keys), largest_river_bet
        self.trained = np.ones(len(self.states.legal), np.bool_) if trained is None else trained
        self._first, size = lay_out(self.states, 1)
        if len(shares) != size:
            raise ValueError(f"the strategy has {len(shares)} numbers, but the betting of its game asks for {size}")
        check_largest_river_bet(largest_river_bet)
        if whole not in (FIFTEENTHS, FINE):
            raise ValueError(f"the denominator of the strategy is {whole}: it must be {FIFTEENTHS} or {FINE}")
        if len(self.trained) != len(self.states.legal):
            raise ValueError(f"the strategy tells of {len(self.trained)} states whether they were trained, not of all")
        if (largest := find_largest_sum(self.states.legal, self.states.num_buckets, self._first, shares)) > whole:
            raise ValueError(f"probabilities of the strategy sum to {largest} parts of {whole}")
        self._finder = make_finder(buckets)

    @staticmethod
    def from_parts(
        config: HoldemConfig, buckets: Buckets, find_part: Callable[[int, Integers], Integers],
        keys: Integers | None = None, whole: int = FIFTEENTHS, trained: NDArray[np.bool_] | None = None,
        largest_river_bet: int = 0,
    ) -> TableStrategy:  # fmt: skip
        """Return the strategy of numerators by state, of which `find_part` gets the number and the legal actions (m,).

        It returns (m, buckets), see `quantise`; other arguments as of the class.
        """
        states = list_states(config, buckets.hands_by_street, keys)
        first, size = lay_out(states, 1)
        shares = np.zeros(size, np.uint8)
        for state, legal in enumerate(states.legal.tolist()):
            part = find_part(state, np.flatnonzero(legal >> np.arange(config.num_actions) & 1))[:-1]
            shares[first[state] : first[state] + part.size] = part.reshape(-1)
        return TableStrategy(config, buckets, shares, keys, whole, trained, largest_river_bet)

    def probabilities(self, views: Tables) -> Floats:
        """Return the probabilities of actions (n, num_actions) of each view's actor.

        Where the strategy was not trained, the player calls by pot odds (`pot_odds`).
        """
        states = self.states.find(views)
        found, others = self.look_up(states, self.find_buckets(views)), np.flatnonzero(~self.is_trained(states))
        found[others] = call_by_odds(views[others], found.shape[1])
        if self.largest_river_bet:
            make_bets_smaller(views, np.int64(self.largest_river_bet), found)
        return found

    def is_trained(self, states: Integers) -> NDArray[np.bool_]:
        """Return False for states (n,) below 0, which the table lacks, and for those that training hardly visited."""
        return np.append(self.trained, False)[states]  # the last entry is that of -1

    def find_buckets(self, views: Tables) -> Integers:
        """Return the bucket (n,) of each actor's hand."""
        return self._finder.find(views)

    def hands_on(self, board: Integers) -> Integers:
        """Return the bucket (1326,) of each hand on a board of 0, 3, 4 or 5 cards.

        The entries of hands that share a card with the board are undefined.
        """
        return self._finder.hands_on(board)

    def look_up(self, states: Integers, buckets: Integers) -> Floats:
        """Return the probabilities (n, num_actions) at states (n,) with hands in buckets (n,); 0 at states below 0."""
        found = np.zeros((len(states), self.config.num_actions))
        legal, num_buckets = self.states.legal, self.states.num_buckets
        write_probabilities(states, buckets, legal, num_buckets, self._first, self.shares, self.whole, found)
        return found

    def fingerprint(self) -> str:
        """Return a hash of the game, the buckets and the probabilities."""
        parts = {"config": repr(self.config), "shares": self.shares, "whole": self.whole, "keys": self.states.keys}
        digest = sha256()
        for name, part in {**parts, **to_stored_arrays(self.buckets)}.items():
            digest.update(name.encode() + (part.tobytes() if isinstance(part, np.ndarray) else str(part).encode()))
        return digest.hexdigest()[:16]

    def save(self, path: Path) -> None:
        """Write a file that `load` reads."""
        settings = {name: value for name, value in asdict(self.config).items() if value != getattr(HoldemConfig, name)}
        settings["max_raises"] = self.config.max_raises
        keys = self.states.keys
        arrays = to_stored_arrays(self.buckets)
        if keys is not None:
            arrays["states"] = np.frombuffer(lzma.compress(keys.tobytes(), preset=9), np.uint8)
        if not self.trained.all():
            arrays["trained"] = compress(self.trained.astype(np.uint8))
        if self.largest_river_bet:
            arrays["largest_river_bet"] = np.array(self.largest_river_bet)
        with path.open("wb") as file:
            np.savez(
                file, shares=compress(self.shares, self.whole), whole=np.array(self.whole),
                config=np.array(json.dumps(settings)), **arrays,
            )  # fmt: skip

    @staticmethod
    def load(path: Path) -> TableStrategy:
        """Return the strategy in a file written by `save`, also by one of an earlier version.

        Raises:
            ValueError: For other and damaged files.
        """
        with open_arrays(path, find_file_limit()) as data:
            if "shares" not in data and "bounds" not in data:
                raise ValueError(f"{path} holds no strategy that this version reads: train it again")
            config, buckets, keys = _read_config(data), from_stored_arrays(data), None
            if "config" not in data:
                return _from_rows(config, buckets, data)
            if "states" in data:
                size = MAX_STATES * np.dtype(np.int64).itemsize
                keys = np.frombuffer(decompress_bytes(data["states"].tobytes(), size), np.int64)
                check_keys(keys, config.num_actions)
                if (np.diff(keys) < 0).any():
                    raise ValueError("the public states are not in ascending order")
            whole = int(data["whole"]) if "whole" in data else FIFTEENTHS
            states = list_states(config, buckets.hands_by_street, keys)
            shares = decompress(data["shares"], lay_out(states, 1)[1], whole)
            trained = decompress(data["trained"], len(states.legal)).astype(np.bool_) if "trained" in data else None
            largest = int(data["largest_river_bet"]) if "largest_river_bet" in data else 0
            return TableStrategy(config, buckets, shares, keys, whole, trained, largest)


def load_config(path: Path) -> HoldemConfig:
    """Return the game of the strategy in a file."""
    with open_arrays(path, find_file_limit()) as data:
        return _read_config(data)


def _read_config(data: Any) -> HoldemConfig:
    """Return the game that a file tells; the earliest files are for limit hold'em and tell none."""
    if "config" not in data:
        return HoldemConfig.limit()
    settings = json.loads(str(data["config"]))
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in settings.items()}
    defaults: Mapping[str, Any] = {} if "states" in data else {"max_raises": None}
    return HoldemConfig(**{**defaults, **values})


def _from_rows(config: HoldemConfig, buckets: Buckets, data: Any) -> TableStrategy:
    """Return a strategy of an early file: rows (fold, raise) for each bucket of each decision."""
    widths = list_states(config, buckets.hands_by_street).num_buckets
    begin = np.cumsum(widths) - widths
    whole = FINE if "bounds" in data else FIFTEENTHS
    table = data["chances"] if whole == FINE else decompress(data["shares"], 2 * int(widths.sum())).reshape(-1, 2)
    fold, raise_ = table.T.astype(np.int16)
    call = whole - fold - raise_
    if len(table) != widths.sum() or call.min() < (-1 if whole == FINE else 0):  # rounded numbers may sum to 256
        raise ValueError(f"the strategy has {table.shape} numbers, but the betting of its game asks for others")
    rows = np.stack([fold, np.maximum(call, 0), raise_])

    def find_part(state: int, legal: Integers) -> Integers:
        return rows[legal, begin[state] : begin[state] + widths[state]]

    return TableStrategy.from_parts(config, buckets, find_part, whole=whole)


def lay_out(states: States, omitted: int) -> tuple[Integers, int]:
    """Return the index (states,) of the first entry of each state in a table, and the number of entries in all.

    A state has an entry per bucket for each legal action but the last `omitted` ones.
    """
    sizes = (np.array([each.bit_count() for each in states.legal.tolist()], np.int64) - omitted) * states.num_buckets
    first = np.empty(len(sizes), np.int64)
    first[states.order] = np.cumsum(sizes[states.order]) - sizes[states.order]
    return first, int(sizes.sum())


@kernel
def write_probabilities(
    states: Any, buckets: Any, legal: Any, num_buckets: Any, first: Any, shares: Any, whole: Any, found: Any
) -> None:
    """Write the result of `TableStrategy.look_up` to `found`, which holds zeros."""
    for j in range(states.shape[0]):
        state = states[j]
        if state < 0:
            continue
        at, left, last = first[state] + buckets[j], np.int64(whole), np.int64(0)
        for action in range(found.shape[1]):
            if (legal[state] >> action) & 1:
                last = np.int64(action)
                if legal[state] >> (action + 1):
                    found[j, action] = shares[at] / whole
                    left -= shares[at]
                    at += num_buckets[state]
        found[j, last] = left / whole


def check_largest_river_bet(percentage: int) -> None:
    """Raise ValueError for a percentage of the pot that no bet can have."""
    if not 0 <= percentage <= MAX_PERCENTAGE:
        raise ValueError(f"largest_river_bet {percentage} must be at least 0 and at most {MAX_PERCENTAGE} percent")


@kernel
def make_bets_smaller(views: Any, largest: Any, found: Any) -> None:
    """Move the probabilities of raises on the river above `largest` percent of the pot to the next smaller legal one.

    Args:
        views: (n,) views of the seats to act.
        largest: Percentage of the pot after calling.
        found: (n, num_actions) probabilities, changed in place.
    """
    for j in range(views.shape[0]):
        t = views[j]
        if t.street < MAX_STREETS - 1:
            continue
        pot, smaller = np.int64(t.pot) + amount_to_call(t), np.int64(NO_ACTION)
        for action in range(FIRST_RAISE_ACTION, found.shape[1]):
            if not is_legal(t, action):
                continue
            raised = raise_to_of(t, np.int64(action)) - np.int64(t.current_bet)
            if smaller != NO_ACTION and raised * 100 > largest * pot:
                found[j, smaller] += found[j, action]
                found[j, action] = 0.0
            else:
                smaller = np.int64(action)


@kernel
def find_largest_sum(legal: Any, num_buckets: Any, first: Any, shares: Any) -> Any:
    """Return the largest sum of the stored numbers of a bucket: of all actions but the last one."""
    largest = np.int64(0)
    for state in range(legal.shape[0]):
        for bucket in range(num_buckets[state]):
            total, at = np.int64(0), first[state] + bucket
            left = legal[state] & (legal[state] - 1)  # without its first action: one bit for each stored number
            while left:
                total += shares[at]
                at += num_buckets[state]
                left &= left - 1
            largest = max(largest, total)
    return largest


# --- numerators -----------------------------------------------------------------------------------------------------


def quantise(
    sums: NDArray[Any], otherwise: NDArray[Any], least: float = 0.0, smallest: float = 0.02, whole: int = FIFTEENTHS
) -> Integers:
    """Return the average strategy (actions, buckets) of summed strategies in parts of `whole`.

    Args:
        sums: (actions, buckets): summed strategies.
        otherwise: (actions,): weights of the actions for buckets whose sums are at most `least` in all.
        least: Such buckets are hardly ever reached.
        smallest: See `to_parts`.
        whole: The denominator.
    """
    known = sums.sum(axis=0) > least
    shares = np.where(known, sums, otherwise[:, None]).astype(np.float64)
    return to_parts(shares / shares.sum(axis=0), smallest, whole)


def to_parts(shares: Floats, smallest: float = 0.02, whole: int = FIFTEENTHS) -> Integers:
    """Return probabilities (actions, n) in parts of `whole`, which sum to it for each column.

    Probabilities below `smallest` become 0, except the largest one.
    """
    shares = np.where((shares < smallest) & (shares < shares.max(axis=0)), 0, shares)
    ends = np.rint(np.cumsum(shares / shares.sum(axis=0), axis=0) * whole).astype(np.int64)
    return np.asarray(np.diff(ends, axis=0, prepend=0), np.int64)


def compress(shares: NDArray[np.uint8], whole: int = FIFTEENTHS) -> NDArray[np.uint8]:
    """Return numbers up to `whole` in compressed bytes, which `decompress` reads; two to a byte if they are 15ths."""
    if whole == FIFTEENTHS:
        even = np.append(shares, np.uint8(0)) if len(shares) % 2 else shares
        shares = np.asarray(even[::2] << 4 | even[1::2], np.uint8)
    return np.frombuffer(lzma.compress(shares.tobytes(), preset=9), np.uint8)


def decompress(packed: NDArray[np.uint8], size: int, whole: int = FIFTEENTHS) -> NDArray[np.uint8]:
    """Return the `size` numbers of `compress`; raises ValueError for more, and for more than fit into free memory."""
    require_free_memory(size, "the probabilities of the strategy", "close other programs or take another one")
    content = decompress_bytes(packed.tobytes(), (size + 1) // 2 if whole == FIFTEENTHS else size)
    numbers = np.frombuffer(content, np.uint8)
    if whole == FIFTEENTHS:
        numbers = np.stack([numbers >> 4, numbers & 15], axis=1).reshape(-1)
    return numbers[:size]
