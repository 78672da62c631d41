"""Benchmarks on fixed deals: an agent against reference players, on the same deals and in the same seats as others."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.envs import make_game
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.match import Summary, play_match, summarise_deals
from card_envs.match.callbacks import rotations

__all__ = [
    "ADJUSTED", "AGENT", "MIXED", "Benchmark", "Kind", "Seating", "estimate_seconds", "list_balanced_orders",
    "list_groups", "play_group",
]  # fmt: skip

Cards = Mapping[str, NDArray[np.uint8]]
"""Name -> array whose rows are deals: how another package would deal them."""

NUM_DEALS = 10_000
AGENT = "agent"
"""Placeholder for the agent that is measured."""
ADJUSTED = "adjusted"
"""Key of a result that is adjusted by control variates."""
MIXED = "mixed"
"""Kind of the seatings at a table with different references."""


@dataclass(frozen=True)
class Kind:
    """A way in which an agent and copies of one reference player sit at a table, or the mean of several ways."""

    label: str
    """Words for the heading of a column."""
    agents: tuple[int, ...] = ()
    """Places of the agent in the order of play; the reference sits at the others."""
    mean_of: tuple[str, ...] = ()
    """Names of the kinds whose mean it is."""


@dataclass(frozen=True)
class Seating:
    """Players in the order of play; every deal is played with them at all rotations of the table."""

    kind: str
    """Name of a kind, or `MIXED`."""
    players: tuple[str, ...]
    """Names of agents in the order in which they act; `AGENT` for the agent to measure."""
    deals: int
    """Number of deals, the first ones of the file."""

    @property
    def opponents(self) -> tuple[str, ...]:
        """The reference players, in the order in which they follow the agent."""
        return tuple(player for player in self.players if player != AGENT)

    @property
    def hands(self) -> int:
        """Number of hands, one for each deal and rotation."""
        return len(self.players) * self.deals


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """Fixed deals of a game, reference players and seatings."""

    name: str
    """Name and version; it changes with deals, rules, references or seatings."""
    env: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the environment."""
    unit: str
    """Unit of the results."""
    per_hand: float = 1.0
    """Results in this unit for a reward of 1 a hand."""
    seed: int
    """Seed of the deals and of the agents' random numbers."""
    file: Path
    """The deals, an `.npz` file with the arrays that `read_cards` returns."""
    sha256: str
    """SHA-256 of the bytes of the arrays, one array after the other, row by row."""
    read_cards: Callable[[NDArray[Any]], Cards]
    """Function that returns the deals of tables on which nobody has acted."""
    references: tuple[str, ...]
    """The reference players, weakest first."""
    mixed_table: tuple[str, ...]
    """Different references that play at one table with the agent, in the orders of `list_balanced_orders`."""
    kinds: Mapping[str, Kind]
    """Name -> how the agent sits with copies of one reference."""
    control_variates: bool = False
    """Whether results are also adjusted for chance: smaller intervals, ten times the processor time."""
    deals_of_slow: Mapping[str, int] = field(default_factory=dict)
    """Reference that searches for milliseconds at each decision -> maximum number of its deals."""

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """Heading of a column -> keys of its cells in the results against a reference."""
        columns: dict[str, tuple[str, ...]] = {kind.label: (name,) for name, kind in self.kinds.items()}
        if self.control_variates:
            columns |= {f"{kind.label}, adjusted": (name, ADJUSTED) for name, kind in self.kinds.items()}
        return columns

    def make_game(self) -> Game:
        """Return the game that is played."""
        return make_game(self.env, **self.settings)

    def load_deals(self) -> dict[str, NDArray[np.uint8]]:
        """Return the arrays of the file, a row for each of the 10,000 deals.

        Raises:
            ValueError: The file is not the one that this version of the benchmark plays.
        """
        with np.load(self.file, allow_pickle=False) as arrays:
            cards = {name: np.asarray(arrays[name], np.uint8) for name in arrays.files}
        if (found := hash_deals(cards)) != self.sha256:
            raise ValueError(f"{self.file} holds deals {found}, {self.name} needs {self.sha256}: reinstall card-envs")
        return cards

    def deal_from_seed(self, count: int) -> Cards:
        """Return the first `count` deals from the seed, as matches deal them, arrays as in `load_deals`."""
        game = self.make_game()
        tables = game.seeded_tables(count, self.seed)
        game.deal_batch(tables, np.arange(count))
        return self.read_cards(tables)

    def require_same_deals(self, count: int) -> None:
        """Raise ValueError unless the first `count` deals of this machine are those of the file."""
        stored = self.load_deals()
        for name, dealt in self.deal_from_seed(count).items():
            if not np.array_equal(dealt, stored[name][:count]):
                raise ValueError(
                    f"seed {self.seed} does not give the deals of {self.file}: results would not compare with others"
                )

    def write_deals(self) -> str:
        """Write the file of the deals and return its hash, the value of `sha256`."""
        cards = self.deal_from_seed(NUM_DEALS)
        with replace_file(self.file) as temporary:
            np.savez_compressed(temporary, **cards)  # type: ignore[arg-type]  # its stub takes these for `allow_pickle`
        return hash_deals(cards)

    def list_seatings(
        self, references: Sequence[str] | None = None, deals: int = NUM_DEALS, mixed: bool = True
    ) -> list[Seating]:
        """Return the seatings of an agent: each kind with each reference, and the mixed table.

        Args:
            references: Names of reference players; None for all.
            deals: Number of deals, the first ones of the file; slow references play fewer.
            mixed: Whether to add the table with different references.

        Raises:
            ValueError: The number of deals is not in 2 .. 10,000, or a reference is not known.
        """
        if not 2 <= deals <= NUM_DEALS:
            raise ValueError(f"deals {deals} must be in 2 .. {NUM_DEALS}")
        size = len(self.mixed_table) + 1
        seatings = []
        for other in self.references if references is None else references:
            if other not in self.references:
                raise ValueError(f"reference {other!r} is not known: choose from {', '.join(self.references)}")
            count = min(deals, self.deals_of_slow.get(other, deals))
            for name, kind in self.kinds.items():
                if kind.agents:
                    players = tuple(AGENT if place in kind.agents else other for place in range(size))
                    seatings.append(Seating(name, players, count))
        if mixed:
            seatings += [Seating(MIXED, (AGENT, *order), deals) for order in list_balanced_orders(self.mixed_table)]
        return seatings


def hash_deals(cards: Cards) -> str:
    """Return the SHA-256 of deals as hexadecimal digits."""
    digest = hashlib.sha256()
    for array in cards.values():
        digest.update(array.tobytes())
    return digest.hexdigest()


def list_balanced_orders(players: Sequence[str]) -> list[tuple[str, ...]]:
    """Return orders in which an odd number of players follow an agent, as few as treat all alike.

    At the round table of the agent and the players, everybody sits directly behind each of the others in equally many
    orders, and each player as often at each distance from the agent. Of three players these are all six orders, of
    five players ten of 120 (Williams 1949, designs for carry-over effects).

    Raises:
        ValueError: The number of players is even.
    """
    n = len(players)
    if n % 2 == 0:
        raise ValueError(f"{n} players have no such orders: choose an odd number")
    zigzag = [place // 2 if place % 2 == 0 else n - (place + 1) // 2 for place in range(n)]
    rows = [[(place + shift) % n for place in zigzag] for shift in range(n)]
    return [tuple(players[place] for place in row) for row in sorted([*rows, *(row[::-1] for row in rows)])]


def list_groups(seatings: Sequence[Seating]) -> dict[str, list[Seating]]:
    """Return seatings by their reference, and those of the mixed table under `MIXED`."""
    groups: dict[str, list[Seating]] = {}
    for seating in seatings:
        groups.setdefault(MIXED if seating.kind == MIXED else seating.opponents[0], []).append(seating)
    return groups


Samples = NDArray[np.float64]
"""(deals, k) winnings of the agent in the unit of the benchmark, by deal and seating: mean over seats and rotations."""

_COST_OF_CONTROLS = 10.0
"""Processor time of a hand with control variates, divided by that of a hand without."""
_PILOT_DEALS = (1, 32)
"""Numbers of deals of the first pilot match, and of the second, which follows if the first is quick."""
_QUICK_SECONDS = 0.25


def play_group(
    benchmark: Benchmark,
    agents: Mapping[str, Agent],
    seatings: Sequence[Seating],
    progress: Callable[[int], None] | None = None,
) -> dict[str, Any]:
    """Play the seatings of one reference, or those of the mixed table, and return the winnings of the agent.

    Args:
        benchmark: The benchmark.
        agents: Name -> agent, for the references; `AGENT` -> the agent to measure.
        seatings: Seatings of a group, see `list_groups`.
        progress: Called with the number of hands finished since its last call.

    Returns:
        Winnings of the agent in the unit of the benchmark with 95 % intervals over deals, and under `ADJUSTED` the same
        by control variates if the benchmark has them. For a reference, kind -> its cell; for the mixed table the mean
        over all orders and a list of the `orders`.
    """
    if seatings[0].kind == MIXED:
        samples, adjusted = play_seatings(benchmark, agents, seatings, progress)
        orders = [{"order": list(seating.opponents), **_to_json(samples[:, k])} for k, seating in enumerate(seatings)]
        return {**_to_json(samples.mean(axis=1), adjusted), "orders": orders}
    cells, by_kind = dict[str, Any](), dict[str, Samples]()
    for seating in seatings:
        samples, adjusted = play_seatings(benchmark, agents, [seating], progress)
        by_kind[seating.kind] = samples[:, 0]
        cells[seating.kind] = _to_json(samples[:, 0], adjusted)
    for name, kind in benchmark.kinds.items():
        if kind.mean_of:
            cells[name] = _to_json(np.mean([by_kind[each] for each in kind.mean_of], axis=0))
    return {name: cells[name] for name in benchmark.kinds}


def play_seatings(
    benchmark: Benchmark,
    agents: Mapping[str, Agent],
    seatings: Sequence[Seating],
    progress: Callable[[int], None] | None = None,
) -> tuple[Samples, Summary | None]:
    """Play each deal with all seatings of the same players, each at all rotations of the table.

    Returns:
        Winnings of the agent, and their mean adjusted by control variates if the benchmark has them.
    """
    game, players = benchmark.make_game(), sorted(seatings[0].players, key=lambda player: player != AGENT)
    playing, own = [agents[player] for player in players], players.count(AGENT)
    at_seats = np.concatenate([_place(players, seating.players)[rotations(game.num_seats)] for seating in seatings])
    controls = [ControlVariates(game, playing, benchmark.seed, num_adjusted=own)] if benchmark.control_variates else []
    result = play_match(
        game, playing, len(at_seats) * seatings[0].deals, benchmark.seed, duplicate=True, progress=progress,
        callbacks=controls, seatings=at_seats,
    )  # fmt: skip
    won = result.payoffs[:, :own].mean(axis=1).reshape(result.deals, len(seatings), game.num_seats).mean(axis=2)
    adjusted = [each.adjust(result)[0].summary.scale(benchmark.per_hand) for each in controls]
    scale = benchmark.per_hand / result.chips_per_reward
    return np.asarray(won * scale, np.float64), adjusted[0] if adjusted else None


def _place(players: Sequence[str], order: Sequence[str]) -> NDArray[np.int64]:
    """Return for each place of an order of play an index of `players`, each once."""
    free = list(enumerate(players))
    found = []
    for name in order:
        place = next(place for place in free if place[1] == name)
        free.remove(place)
        found.append(place[0])
    return np.array(found)


def estimate_seconds(benchmark: Benchmark, agents: Mapping[str, Agent], seatings: Sequence[Seating]) -> float:
    """Return about how many processor seconds the seatings take, from short matches of each player with itself."""
    game = benchmark.make_game()
    per_seat = {name: _measure_hand(game, agent) / game.num_seats for name, agent in agents.items()}
    seconds = sum(seating.hands * sum(per_seat[player] for player in seating.players) for seating in seatings)
    return seconds * (_COST_OF_CONTROLS if benchmark.control_variates else 1.0)


def _measure_hand(game: Game, agent: Agent) -> float:
    """Return the processor seconds of a hand between copies of an agent in all seats."""
    seed, seconds = 0, 0.0
    play_match(game, [agent] * game.num_seats, 1, seed)  # kernels may have to be compiled first
    for deals in _PILOT_DEALS:
        hands, start = deals * game.num_seats, time.process_time()
        play_match(game, [agent] * game.num_seats, hands, seed, duplicate=True)
        seconds = (time.process_time() - start) / hands
        if seconds * hands > _QUICK_SECONDS:
            break
    return seconds


def _to_json(won: NDArray[np.float64], adjusted: Summary | None = None) -> dict[str, Any]:
    """Return mean, 95 % interval and number of deals of samples (deals,), and the adjusted mean and interval."""
    summary = summarise_deals(AGENT, won)
    cell = {**_interval(summary), "deals": summary.num_samples}
    return cell if adjusted is None else {**cell, ADJUSTED: _interval(adjusted)}


def _interval(summary: Summary) -> dict[str, Any]:
    return {"mean": round(summary.mean, 4), "ci95": [round(bound, 4) for bound in summary.ci95]}
