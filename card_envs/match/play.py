"""`play_match`: agents play hands against each other, at many tables at a time.

The cards of a deal depend on the seed and the index of the deal; the random number of a decision depends on seed, deal,
decision and seat. Results therefore do not depend on the number of tables, for agents that use no other random numbers
than `Decisions.random_numbers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from card_envs.agent import SupportsAct, decisions_at, find_agent, require_playable, write_random_numbers
from card_envs.agent.hooks import end_deals, show_actions
from card_envs.envs import as_game
from card_envs.game import Game, Tables, check_count, check_list, check_switch
from card_envs.match.callbacks import MatchBatch, MatchCallback, rotations
from card_envs.match.result import AgentError, MatchInterrupted, MatchResult, units_of
from card_envs.match.runner import AgentRunner, Player
from card_envs.match.stopping import StoppingRule
from card_envs.memory import require_free_memory
from card_envs.rng import make_generator, wrap_seed
from card_envs.typing import Rows


def play_match(
    game: Game | str,
    agents: Sequence[SupportsAct | str],
    hands: int,
    seed: int,
    duplicate: bool = False,
    num_tables: int = 4096,
    progress: Callable[[int], None] | None = None,
    *,
    hands_per_table: int = 1,
    until: StoppingRule | None = None,
    on_error: str = "abort",
    callbacks: Sequence[MatchCallback] = (),
    seatings: Sequence[Sequence[int]] | Rows | None = None,
) -> MatchResult:
    """Play hands between agents and return payoffs and means with 95 % intervals.

    In hand h, agent j sits at seat (j + h) % num_seats, so that every agent has every seat equally often, unless other
    `seatings` are given.

    Args:
        game: The game with its settings, see `card_envs.make_game`, or an environment id.
        agents: One agent per seat: a name of `find_agent`, or any object with a method `act`, which may have several
            seats.
        hands: Number of hands; rounded up to whole deals of a duplicate match, and to whole tables.
        seed: Seed of the deals and of the random numbers of decisions.
        duplicate: Whether to play each deal (cards, button, stacks) with each seating in a row, by default num_seats
            times with the agents moved around the table, which removes most of the variance of the cards.
        num_tables: Maximum number of hands that are played at the same time.
        progress: Called with the number of hands finished since its last call.
        hands_per_table: Number of consecutive hands at the same table (`Decisions.table_ids`), for agents with memory.
            Intervals then count a table as one sample.
        until: Rule that ends the match as soon as it is decided; `hands` is then the maximum.
        on_error: "abort" raises an AgentError if an agent fails; "forfeit" takes the first legal action instead and
            lists the faults in the result.
        callbacks: Observers of the match, see `MatchCallback`. With `until`, they may observe more hands than were
            needed to decide the match.
        seatings: (k, num_seats) the agent at each seat, an index of `agents`; hand h has seating h % k. Several orders
            around the table give each agent each of the others as a neighbour, see `callbacks.rotations`.

    Returns:
        The result; `result.agents` are the summaries, in the order of `agents`.

    Raises:
        ValueError: If the number of agents is not the number of seats, another argument is out of range, or the
            payoffs of so many hands do not fit into free memory.
        AgentError: If an agent fails. `error.result` is the result of the complete hands.
        MatchInterrupted: On Ctrl-C; a KeyboardInterrupt with the same attribute.

    Example:
        >>> result = play_match("leduc_holdem-v0", ["random", "random"], hands=1000, seed=0)
        >>> result.names, result.hands
        (('random', 'random'), 1000)
    """
    hands, num_tables = check_count("hands", hands), check_count("num_tables", num_tables)
    hands_per_table, duplicate = check_count("hands_per_table", hands_per_table), check_switch("duplicate", duplicate)
    game, listed = as_game(game), check_list("agents", agents, "a list of agents, one for each seat")
    if len(listed) != game.num_seats:
        raise ValueError(
            f"{game.name} has {game.num_seats} seats: {game.num_seats} agents are needed, not {len(listed)}"
        )
    playing = [find_agent(agent, game) if isinstance(agent, str) else agent for agent in listed]
    in_turn = rotations(game.num_seats) if seatings is None else _check_seatings(seatings, game.num_seats)
    match = _Match(game, playing, seed, in_turn, duplicate, hands_per_table, on_error, callbacks)
    samples = -(-hands // match.hands_per_sample)
    record = _Record(match, samples, until)
    samples_at_once = max(1, num_tables // match.plays)
    for first in range(0, samples, samples_at_once):
        try:
            match.play_samples(first, min(first + samples_at_once, samples), record)
        except AgentError as error:
            error.result = record.result() if record.samples else None
            raise
        except KeyboardInterrupt as interrupt:
            raise MatchInterrupted(record.result() if record.samples else None) from interrupt
        if progress is not None:
            progress((record.samples - first) * match.hands_per_sample)
        if record.is_decided():
            break
    return record.result()


def _check_seatings(seatings: Sequence[Sequence[int]] | Rows, num_seats: int) -> Rows:
    """Return seatings as an array; ValueError unless each has every agent once."""
    found = np.array(seatings, np.int64)
    if (
        found.ndim != 2
        or not len(found)
        or not np.array_equal(np.sort(found), np.tile(range(num_seats), (len(found), 1)))
    ):
        raise ValueError(f"seatings must be rows with each of the agents 0 .. {num_seats - 1} once, one row or more")
    return found


class _Record:
    """Payoffs and positions of the agents in the hands played so far."""

    def __init__(self, match: _Match, samples: int, until: StoppingRule | None) -> None:
        self._match, self._until = match, until
        shape = hands, num_seats = samples * match.hands_per_sample, match.game.num_seats
        num_bytes = hands * num_seats * (np.dtype(np.int64).itemsize + np.dtype(np.int8).itemsize)
        require_free_memory(num_bytes, f"payoffs and positions of {hands:,} hands", "play fewer")
        self.payoffs = np.empty(shape, np.int64)
        self.positions = np.empty(shape, np.int8)
        self.samples = 0
        """Number of complete samples."""

    def add(self, batch: MatchBatch) -> None:
        """Record the hands of a batch, which must be over."""
        self.payoffs[batch.hands] = batch.payoffs
        self.positions[batch.hands] = batch.order_by_agent(batch.game.positions(batch.tables))

    def is_decided(self) -> bool:
        """Return True if the stopping rule decides the match, and drop the samples after its decision."""
        if self._until is None:
            return False
        decided = self._until.first_decision(self.result().deal_means[:, 0])
        if decided is not None:
            self.samples = decided
        return decided is not None

    def result(self) -> MatchResult:
        """Return the result of the complete samples."""
        match, hands = self._match, self.samples * self._match.hands_per_sample
        return MatchResult(
            names=tuple(agent.name for agent in match.agents),
            payoffs=self.payoffs[:hands],
            positions=self.positions[:hands],
            position_names=match.game.position_names,
            seed=match.seed,
            plays=match.plays,
            hands_per_table=match.hands_per_table,
            unit=match.game.unit,
            chips_per_reward=match.game.chips_per_reward,
            units=units_of(match.game),
            until=self._until,
            faults=match.runner.faults(),
        )


class _Match:
    """The agents of a match, and how its hands are dealt and played."""

    def __init__(
        self, game: Game, agents: Sequence[SupportsAct], seed: int, seatings: Rows, duplicate: bool,
        hands_per_table: int, on_error: str, callbacks: Sequence[MatchCallback],
    ) -> None:  # fmt: skip
        self.game, self.seed, self.hands_per_table = game, seed, hands_per_table
        self.seatings, self.plays = seatings, len(seatings) if duplicate else 1
        self.callbacks = callbacks
        different = {id(agent): require_playable(agent, game) for agent in agents}
        self.agents = [different[id(agent)] for agent in agents]
        self.players = [
            Player(agent, agent.find_encoder(game), make_generator(seed, index))
            for index, agent in enumerate(different.values())
        ]
        indices = {key: index for index, key in enumerate(different)}
        self.player_of_agent = np.array([indices[id(agent)] for agent in agents])
        """Index of an agent -> index of its player; an agent with two seats is one player."""
        self._observers = [index for index, player in enumerate(self.players) if player.agent.needs_actions]
        # observers are shown only legal actions
        is_observed = len(callbacks) + len(self._observers) > 0
        self.runner = AgentRunner(game, seed, on_error, checks_legality=is_observed)

    @property
    def hands_per_sample(self) -> int:
        """Number of hands that depend on each other: the hands of a table, or of a duplicate deal."""
        return self.plays * self.hands_per_table

    def play_samples(self, first: int, end: int, record: _Record) -> None:
        """Play the samples first .. end - 1, the hands of a table one after the other, and record them."""
        samples = np.arange(first, end)
        for hand in range(self.hands_per_table):
            deals = samples * self.hands_per_table + hand
            hands = (deals[:, None] * self.plays + np.arange(self.plays)).ravel()
            table_ids = (samples[:, None] * self.plays + np.arange(self.plays)).ravel()
            batch = MatchBatch(self.game, self._deal_tables(deals), hands, table_ids, self.plays, self.seatings)
            self._play_hands(batch)
            record.add(batch)
        record.samples = end

    def _play_hands(self, batch: MatchBatch) -> None:
        tables = batch.tables
        for player in self.players:
            self.runner.call(player, player.agent.deal_starts, batch.table_ids)
        for callback in self.callbacks:
            callback.on_deal(batch)
        active = np.flatnonzero(tables["is_over"] == 0)
        rewards = np.empty((len(tables), self.game.num_seats), np.float32)
        is_over = np.empty(len(tables), np.uint8)
        decision = 0
        while len(active):
            actions = self._choose_actions(batch, active, decision)
            for callback in self.callbacks:
                callback.on_actions(batch, active, actions)
            for index in self._observers:
                self._call_hook(show_actions, index, batch, active, actions)
            illegal = self.game.step_batch(tables, active, actions, rewards, is_over, False)
            if illegal >= 0:
                raise self._illegal_action(batch, int(active[illegal]), int(actions[illegal]))
            active = active[is_over[: len(active)] == 0]
            decision += 1
        for index in range(len(self.players)):
            self._call_hook(end_deals, index, batch, np.arange(len(tables)))
        for callback in self.callbacks:
            callback.on_end(batch)

    def _call_hook(self, hook: Callable[..., None], index: int, batch: MatchBatch, rows: Rows, *actions: Rows) -> None:
        """Call a function of `agent.hooks` for a player, with the tables `rows` of a batch."""
        player, agents = self.players[index], np.flatnonzero(self.player_of_agent == index)
        seats = batch.seats[rows][:, agents].T
        table_ids, call = batch.table_ids[rows], partial(self.runner.call, player)
        hook(self.game, player.agent, batch.tables, rows, table_ids, seats, *actions, call=call)

    def _deal_tables(self, deals: Rows) -> Tables:
        """Return the tables of `deals` after dealing, each `plays` times."""
        if self.hands_per_table == 1:  # the indices of the deals are consecutive
            tables = self.game.seeded_tables(len(deals), self.seed, int(deals[0]))
        else:
            tables = self.game.new_tables(len(deals))
            for i, deal in enumerate(deals.tolist()):
                self.game.seed(tables[i : i + 1], self.seed, deal)
        self.game.deal_batch(tables, np.arange(len(tables)))
        return tables if self.plays == 1 else np.repeat(tables, self.plays)

    def _choose_actions(self, batch: MatchBatch, rows: Rows, decision: int) -> Rows:
        """Return the agents' actions at tables[rows]; `decision` is the index of these decisions in their deals."""
        seats = batch.tables["actor"][rows].astype(np.int64)
        random_numbers = np.empty(len(rows))
        write_random_numbers(np.uint64(wrap_seed(self.seed)), batch.deals[rows], decision, seats, random_numbers)
        actions = np.empty(len(rows), np.int64)
        players = self.player_of_agent[batch.agent_indices(rows, seats)]
        for index, player in enumerate(self.players):
            mine = np.flatnonzero(players == index) if len(self.players) > 1 else np.arange(len(rows))
            if len(mine):
                decisions = decisions_at(
                    self.game, batch.tables, rows[mine], batch.table_ids[rows[mine]], random_numbers[mine],
                    encoder=player.encoder,
                )  # fmt: skip
                actions[mine] = self.runner.ask(player, decisions, batch, rows[mine])
        return actions

    def _illegal_action(self, batch: MatchBatch, row: int, action: int) -> AgentError:
        agent = batch.agent_indices(np.array([row]), batch.tables["actor"][[row]].astype(np.int64))
        return self.runner.illegal_action(self.players[self.player_of_agent[int(agent[0])]], batch, row, action)
