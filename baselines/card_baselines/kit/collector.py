"""Self-play for learning: `Collector` plays tables and returns the learner's decisions as `Rows`.

A learner provides a function that chooses actions. The collector keeps account of seats and deals: which decision of a
seat follows which, and the rewards between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.learning.columns import NO_ROW, Columns
from card_baselines.runs.checkpoint import (
    check_arrays,
    read_count,
    read_rng,
    restore_rng,
    restore_tables,
    strip_prefix,
)  # fmt: skip
from card_baselines.runs.ranges import require_range
from card_envs.agent import Agent, SupportsAct, as_agent, decisions_at, find_agent
from card_envs.compiler import kernel
from card_envs.game import Game, check_actions, is_whole
from card_envs.rng import make_generator
from card_envs.typing import Rows as Indices
from card_envs.vector import VectorStep, VectorTables

if TYPE_CHECKING:
    import torch

Act = Callable[[VectorStep], tuple[NDArray[Any], Mapping[str, NDArray[Any]]]]
"""Function that chooses actions: from a `VectorStep` with n rows to action ids (n,) and further columns, each (n, ...),
such as log-probabilities and values, which are kept beside the decisions."""

_LEARNER = 0
"""Player number of the learner; opponents have the numbers after it."""
_OWN_COLUMNS = ("observation", "action_mask", "action", "seat", "table", "deal", "state", "next_row", "reward")
"""Columns that a `Collector` writes itself."""
_SAVED = ("deal", "last_row", "num_rows", "players")
"""Attributes of a `Collector` with one entry or row per table, without the underscore."""


class Rows(Mapping[str, NDArray[Any]]):
    """K decisions of the learner from finished deals, in the order of time: columns by name.

    * `observation` (K, d), `action_mask` (K, num_actions), `action` (K,), `seat` (K,), `table` (K,);
    * `deal` (K,): number of the deal, counted over all calls of a collector;
    * `state` (K, s) on request, and the columns of `act`;
    * `reward` (K,): reward of the seat between this decision and its next one, or the end of the deal;
    * `next_row` (K,): row of the seat's next decision in the deal, -1 for its last.
    """

    def __init__(self, columns: Mapping[str, NDArray[Any]]) -> None:
        self._columns = dict(columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column."""
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the columns."""
        return iter(self._columns)

    def __len__(self) -> int:
        """Return the number of columns; `num_rows` is that of decisions."""
        return len(self._columns)

    @property
    def num_rows(self) -> int:
        """Number K of decisions."""
        return len(self["reward"])

    def gae(
        self, value: NDArray[Any], gamma: float = 1.0, lam: float = 0.95
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Compute generalised advantage estimates along the decisions of each seat (Schulman et al. 2016, equation 16).

        Args:
            value: (K,) estimated values of the decisions.
            gamma: Discount between two decisions of a seat. The reward at the end of a deal is not discounted.
            lam: Lambda, in [0, 1].

        Returns:
            Advantages and targets of the values, both (K,).

        Raises:
            ValueError: For values of another shape.
        """
        value = np.asarray(value, np.float32)
        if value.shape != (self.num_rows,):
            raise ValueError(f"value of shape {value.shape} must be one number for each of {self.num_rows} rows")
        advantage = np.empty(self.num_rows, np.float32)
        _write_advantages(self["reward"], self["next_row"], value, float(gamma), float(lam), advantage)
        return advantage, advantage + value

    def returns(self) -> NDArray[np.float32]:
        """Return the sum of the rewards from each decision to the end of its deal, (K,)."""
        return self.gae(np.zeros(self.num_rows), lam=1.0)[0]

    def minibatches(self, size: int, rng: np.random.Generator) -> Iterator[Indices]:
        """Yield the rows in random order, `size` at a time; what is left at the end is skipped, unless it is all.

        Raises:
            ValueError: For a size below 1.
        """
        if not is_whole(size) or size < 1:
            raise ValueError(f"size {size!r} must be a whole number of rows, at least 1")
        order = rng.permutation(self.num_rows)
        for first in range(0, max(1, self.num_rows - size + 1), size):
            yield order[first : first + size]

    def torch(self, device: str = "cpu") -> dict[str, torch.Tensor]:
        """Return the columns as tensors on a device, without copies on the CPU."""
        import torch

        return {name: torch.from_numpy(column).to(device) for name, column in self.items()}


@kernel
def _write_advantages(reward: Any, next_row: Any, value: Any, gamma: Any, lam: Any, advantage: Any) -> None:
    """Write advantages, the latest decision first: every decision comes before the next one of its seat."""
    for back in range(reward.shape[0]):
        k = reward.shape[0] - 1 - back
        advantage[k] = reward[k] - value[k]
        following = next_row[k]
        if following >= 0:
            advantage[k] += gamma * (value[following] + lam * advantage[following])


class Collector:
    """Plays tables with the learner at all seats, or in some deals at one seat against an opponent at the others.

    Args:
        tables: Tables of `card_envs.make_vector`; the collector resets them.
        act: Chooses the learner's actions; see `Act`.
        state: Whether to keep the perfect-information vectors of the tables as the column `state`.
        opponents: Agents, or names of `card_envs.agent.find_agent`, without memory. A deal with an opponent draws one
            for all seats but one.
        mixed: Probability that a deal has an opponent. The default is 0 without opponents, else 1.
        reward_scale: Factor of the rewards.
        seed: Seed of opponents and their seats; deals have the seed of `tables`.

    Raises:
        ValueError: For an opponent that keeps a memory, an unknown one, and a probability outside of [0, 1].

    Example:
        >>> from card_envs import make_vector
        >>> tables = make_vector("leduc_holdem-v0", 8, seed=0)
        >>> collector = Collector(tables, lambda step: (step.action_mask.argmax(axis=1), {}))
        >>> rows = collector.collect(100)
        >>> rows.num_rows >= 100, rows["observation"].shape[0] == rows.num_rows
        (True, True)
    """

    def __init__(
        self,
        tables: VectorTables,
        act: Act,
        *,
        state: bool = False,
        opponents: Sequence[SupportsAct | str] = (),
        mixed: float | None = None,
        reward_scale: float = 1.0,
        seed: int = 0,
    ) -> None:
        self.tables, self.act, self.reward_scale = tables, act, reward_scale
        self._game = tables.game
        self._with_state = state
        self._opponents = [_find(each, self._game) for each in opponents]
        self._mixed = (1.0 if opponents else 0.0) if mixed is None else mixed
        if not 0 <= self._mixed <= 1 or (self._mixed and not opponents):
            raise ValueError(f"mixed {mixed!r} must be a probability, and 0 without opponents")
        self.rng = make_generator(seed, 6)
        self._step = tables.reset()
        self._all = np.arange(tables.num_tables)
        self._deal = self._all.copy()
        self._num_deals = tables.num_tables
        self._last_row = np.full((tables.num_tables, self._game.num_seats), NO_ROW, np.int64)
        self._num_rows = np.zeros(tables.num_tables, np.int64)
        self._players = np.zeros((tables.num_tables, self._game.num_seats), np.int64)
        self._rows = Columns({})
        self._seat_players(self._all)

    def collect(self, decisions: int) -> Rows:
        """Play until deals with at least so many decisions of the learner are over, and return these decisions.

        Decisions of unfinished deals are kept for the next call.

        Raises:
            ValueError: For less than one decision, and for actions or columns of `act` that are not one for each row.
        """
        if not is_whole(decisions) or decisions < 1:
            raise ValueError(f"decisions {decisions!r} must be a whole number, at least 1")
        num_finished = 0
        while num_finished < decisions:
            num_finished += self._play_step()
        return self._take_finished()

    def _seat_players(self, tables: Indices) -> None:
        """Draw the players of the deals that begin at some tables."""
        if not self._mixed:
            return
        mixed = tables[self.rng.random(len(tables)) < self._mixed]
        self._players[tables] = _LEARNER
        self._players[mixed] = 1 + self.rng.integers(len(self._opponents), size=len(mixed))[:, None]
        self._players[mixed, self.rng.integers(self._game.num_seats, size=len(mixed))] = _LEARNER

    def _play_step(self) -> int:
        """Take an action at every table; return the number of the learner's decisions in the deals that ended."""
        step, actions = self._step, np.empty(len(self._all), np.int64)
        players = self._players[self._all, step.seats]
        own = np.flatnonzero(players == _LEARNER)
        if len(own):
            shown = step if len(own) == len(self._all) else VectorStep._make(array[own] for array in step)
            chosen, columns = self.act(shown)
            actions[own] = check_actions(chosen, len(own))
            self._add(own, shown, actions[own], columns)
        for player in np.unique(players[players != _LEARNER]).tolist():
            rows = np.flatnonzero(players == player)
            actions[rows] = self._act_for(self._opponents[player - 1], rows)
        self._step = step = self.tables.step(actions)
        over = np.flatnonzero(step.is_over)
        return self._end_deals(over, step.rewards[over]) if len(over) else 0

    def _act_for(self, agent: Agent, rows: Indices) -> NDArray[np.int64]:
        encoder, random_numbers = agent.find_encoder(self._game), self.rng.random(len(rows))
        decisions = decisions_at(self._game, self.tables.tables, rows, rows, random_numbers, encoder=encoder)
        return check_actions(agent.act(decisions, self.rng), len(rows))

    def _add(self, rows: Indices, step: VectorStep, actions: Indices, columns: Mapping[str, NDArray[Any]]) -> None:
        """Add the decisions of the learner at the tables `rows`."""
        added = self._own_columns(rows, step, actions) | self._check_columns(columns, len(rows))
        previous = self._last_row[rows, step.seats]
        numbers = self._rows.append(**added)
        self._rows["next_row"][previous[previous != NO_ROW]] = numbers[previous != NO_ROW]
        self._last_row[rows, step.seats] = numbers
        self._num_rows[rows] += 1

    def _own_columns(self, rows: Indices, step: VectorStep, actions: Indices) -> dict[str, NDArray[Any]]:
        """Return all columns but those of `act`, for decisions at the tables `rows`."""
        state = {"state": self.tables.state()[rows]} if self._with_state else {}
        return state | {
            "observation": step.observation, "action_mask": step.action_mask, "action": actions, "seat": step.seats,
            "table": rows, "deal": self._deal[rows], "next_row": np.full(len(rows), NO_ROW),
            "reward": np.zeros(len(rows), np.float32),
        }  # fmt: skip

    def _check_columns(self, columns: Mapping[str, Any], count: int) -> dict[str, NDArray[Any]]:
        """Return the columns of `act` as arrays; ValueError unless they are those of earlier calls, of `count` rows."""
        found = {name: np.asarray(values) for name, values in columns.items()}
        names = sorted({*self._rows.arrays}.difference(_OWN_COLUMNS) if self._rows.arrays else found)
        if sorted(found) != names or not set(names).isdisjoint(_OWN_COLUMNS):
            raise ValueError(
                f"act returned the columns {sorted(found)}: it must return the same ones at every call, "
                f"none of them called {', '.join(_OWN_COLUMNS)}"
            )
        for name, values in found.items():
            earlier = self._rows.arrays.get(name, values)
            if values.shape != (count, *earlier.shape[1:]) or not np.can_cast(values.dtype, earlier.dtype, "same_kind"):
                kind = f"{earlier.dtype} of shape {(count, *earlier.shape[1:])}"
                raise ValueError(f"act returned {name} as {values.dtype} of shape {values.shape}: {kind} is needed")
        return found

    def _end_deals(self, tables: Indices, rewards: NDArray[np.float32]) -> int:
        """Give the rewards (n, seats) of the deals that ended at `tables` to the last decisions of the seats."""
        number, seats = np.nonzero(self._last_row[tables] != NO_ROW)
        last = self._last_row[tables[number], seats]
        if len(last):
            self._rows["reward"][last] = rewards[number, seats] * np.float32(self.reward_scale)
        num_finished = int(self._num_rows[tables].sum())
        self._last_row[tables], self._num_rows[tables] = NO_ROW, 0
        self._deal[tables] = np.arange(self._num_deals, self._num_deals + len(tables))
        self._num_deals += len(tables)
        self._seat_players(tables)
        return num_finished

    def _take_finished(self) -> Rows:
        """Return the decisions of finished deals, and keep the others."""
        is_finished = self._rows["deal"] != self._deal[self._rows["table"]]
        taken = np.flatnonzero(is_finished)
        rows, numbers = self._rows.take(taken), np.full(len(is_finished) + 1, NO_ROW)  # the last one is for NO_ROW
        numbers[taken] = np.arange(len(taken))
        rows["next_row"] = numbers[rows["next_row"]]
        new_rows = self._rows.keep(np.flatnonzero(~is_finished))
        self._rows["next_row"][:] = new_rows[self._rows["next_row"]]
        self._last_row = new_rows[self._last_row]
        return Rows(rows)

    def state_dict(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `load_state_dict` continues exactly: tables, seating, random numbers, open deals."""
        arrays = {"tables": self.tables.tables.view(np.uint8), "rng": read_rng(self.rng)}
        arrays |= {"num_deals": np.array(self._num_deals)} | {name: getattr(self, f"_{name}") for name in _SAVED}
        return arrays | {f"rows.{name}": column for name, column in self._rows.used().items()}

    def load_state_dict(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict` of a collector with the same arguments.

        Raises:
            ValueError: For tables of another game, another number of them, tables that cannot go on, and rows that do
                not exist.
        """
        if arrays["tables"].shape != self.tables.tables.view(np.uint8).shape:
            raise ValueError("the state has other tables: make the collector with the same game and number of tables")
        columns = strip_prefix("rows.", arrays)
        size = len(columns["reward"]) if columns else 0
        check_arrays(arrays, {name: getattr(self, f"_{name}") for name in _SAVED})
        if any(len(column) != size for column in columns.values()):
            raise ValueError("the columns of the open deals have different lengths")
        require_range("players", arrays["players"], _LEARNER, len(self._opponents))
        if columns:
            check_arrays(columns, self._own_columns(self._all, self._step, self._all), rows=True)
            for name, most in (("table", len(self._all) - 1), ("seat", self._game.num_seats - 1)):
                require_range(name, columns[name], 0, most)
        for name, rows in (("last_row", arrays["last_row"]), ("next_row", columns.get("next_row", arrays["last_row"]))):
            require_range(name, rows, NO_ROW, size - 1)
        num_deals, rng = read_count(arrays, "num_deals"), np.random.default_rng(0)
        restore_rng(rng, arrays.get("rng"))
        restore_tables(self._game, self.tables.tables, "tables", arrays["tables"])
        self.rng.bit_generator.state = rng.bit_generator.state
        self._num_deals, self._rows = num_deals, Columns({})
        for name in _SAVED:
            setattr(self, f"_{name}", arrays[name].copy())
        if columns:
            self._rows.append(**columns)
        observation, mask = self._game.observe_actors(self.tables.tables, self._all)
        seats = self.tables.tables["actor"].astype(np.int64)
        rewards = np.zeros((len(self._all), self._game.num_seats), np.float32)
        self._step = VectorStep(observation, mask, seats, rewards, np.zeros(len(self._all), np.bool_))


def _find(opponent: SupportsAct | str, game: Game) -> Agent:
    """Return an opponent; ValueError if it has a memory, because a collector tells nobody of deals."""
    agent = find_agent(opponent, game) if isinstance(opponent, str) else as_agent(opponent)
    if agent.needs_deal_events:
        raise ValueError(
            f"opponent {agent.name!r} keeps a memory of deals, which a collector does not serve: choose another"
        )
    return agent
