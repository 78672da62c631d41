"""Collecting decisions for self-play PPO: the learner has all seats, or in mixed deals plays a player of a pool.

The pool holds named agents, past selves (earlier copies of the network) and exploiters (networks trained against the
learner). Agents and past selves have all seats but one, an exploiter has one seat. Players are drawn for every deal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.legal_logits import list_legal
from card_baselines.ppo.config import Config
from card_baselines.ppo.network import (
    EXPLOITER,
    NUM_EXPLOITERS,
    NUM_PAST_SELVES,
    PAST_SELF,
    ActorCritic,
    NetworkPool,
    load_networks,
)
from card_baselines.ppo.rollout_buffer import RolloutBuffer
from card_baselines.runs.checkpoint import check_arrays, read_rng, restore_rng, restore_tables, strip_prefix
from card_baselines.runs.learner import divergence_error
from card_baselines.runs.ranges import require_range
from card_envs.agent import Agent, Decisions, choose, decisions_at, find_agent
from card_envs.game import Game, check_actions
from card_envs.observation import mask_records
from card_envs.rng import make_generator
from card_envs.typing import Rows
from card_envs.vector import VectorTables

GAE_LAMBDA = 0.95
"""Lambda of generalised advantage estimation (Schulman et al. 2016)."""
LEARNER = 0
"""Player number of the learner. The numbers after it are the agents of the pool, then past selves, then exploiters."""


class SelfPlayTables(NetworkPool):
    """N tables with players at their seats; a table deals again as soon as its deal is over."""

    def __init__(self, game: Game, num_tables: int, seed: int, pool: Sequence[str] = (), mixed: float = 0.0) -> None:
        """Deal at all tables.

        Args:
            game: The game.
            num_tables: Number of tables.
            seed: Seed of deals, seating and actions.
            pool: Names as in `find_agent`, "self" for past selves, and "exploiter".
            mixed: Probability that a deal has a player of the pool.
        """
        super().__init__(pool)
        self.game = game
        self._is_past = np.array([name == PAST_SELF for name in pool], np.bool_)
        self._is_exploiter = np.array([name == EXPLOITER for name in pool], np.bool_)
        networks = (PAST_SELF, EXPLOITER)
        self._agents = [None if name in networks else find_agent(name, game) for name in pool]
        for agent in self._agents:
            if agent is not None and agent.needs_deal_events:  # a checkpoint could not restore its state
                raise ValueError(
                    f"agent {agent.name!r} remembers deals: self_play_ppo trains only against agents that do not"
                )
        self._mixed = mixed if pool else 0.0
        self.rng = make_generator(seed, 1)
        tables = VectorTables(game, num_tables, seed)
        tables.reset()
        self._tables = tables.tables
        self._players = np.zeros((num_tables, game.num_seats), np.int64)
        self.rows = np.arange(num_tables, dtype=np.int64)
        self.seat_players(self.rows)

    def seat_players(self, rows: Rows) -> None:
        """Draw the players of the deals that begin at the tables `rows`."""
        self._players[rows] = LEARNER
        mixed = rows[self.rng.random(len(rows)) < self._mixed] if self._mixed else rows[:0]
        if not len(mixed):
            return
        drawn = self.rng.integers(len(self._agents), size=len(mixed))
        first = 1 + len(self._agents)
        past_self = first + self.rng.integers(max(1, len(self.past_selves)), size=len(mixed))
        player = np.where(self._is_past[drawn], past_self if self.past_selves else LEARNER, 1 + drawn)
        self._players[mixed] = player[:, None]
        seat = self.rng.integers(self.game.num_seats, size=len(mixed))
        self._players[mixed, seat] = LEARNER
        exploited = self._is_exploiter[drawn]
        self._players[mixed[exploited]] = LEARNER
        if self.exploiters:
            exploiter = self.rng.integers(len(self.exploiters), size=int(exploited.sum()))
            self._players[mixed[exploited], seat[exploited]] = first + NUM_PAST_SELVES + exploiter

    def actors(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the seat to act at each of the tables `rows` (n,), and its player number."""
        seats = self._tables["actor"][rows].astype(np.int64)
        return seats, self._players[rows, seats]

    def list_forced(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the tables among `rows` at which only one action is legal, and that action."""
        counts = np.empty(len(rows), np.int64)
        legal = list_legal(self._mask_actions(rows), counts)
        is_forced = counts == 1
        return rows[is_forced], legal[is_forced, 0].astype(np.int64)

    def find_forced(self) -> Iterator[tuple[Rows, Rows]]:
        """Yield what `list_forced` returns, as long as a table is left without a choice; the caller applies it."""
        rows, actions = self.list_forced(self.rows)
        while len(rows):
            yield rows, actions
            rows, actions = self.list_forced(rows)

    def observe(self, rows: Rows) -> tuple[NDArray[Any], NDArray[np.int16]]:
        """Return observations (n, d) and lists of legal actions (n, k) of the actors at `rows`."""
        observation, mask = self.game.observe_actors(self._tables, rows)
        return observation, list_legal(mask, np.empty(len(rows), np.int64))

    def step(self, rows: Rows, actions: Rows) -> tuple[Rows, NDArray[np.float32]]:
        """Apply actions at the tables `rows`, and deal again where a deal ends.

        Returns the m tables whose deals ended, and the rewards of all seats there (m, seats).
        """
        rewards = np.empty((len(rows), self.game.num_seats), np.float32)
        is_over = np.empty(len(rows), np.uint8)
        illegal = self.game.step_batch(self._tables, rows, actions, rewards, is_over, True)
        if illegal >= 0:
            row = int(rows[illegal])
            raise RuntimeError(f"table {row}: {self.game.why_illegal(self._tables, row, int(actions[illegal]))}")
        over = np.flatnonzero(is_over)
        if len(over):
            self.seat_players(rows[over])
        return rows[over], rewards[over]

    def act_for(self, player: int, rows: Rows) -> Rows:
        """Return the actions of a player (any but the learner) at `rows`."""
        if player > len(self._agents):
            observation, legal = self.observe(rows)
            network = self._network(player - len(self._agents) - 1)
            choice, _, _ = sample_actions(network, observation, legal, self.rng.random(len(rows)))
            return legal[np.arange(len(rows)), choice].astype(np.int64)
        agent = self._agents[player - 1]
        assert agent is not None
        return check_actions(agent.act(self.decisions_of(agent, rows), self.rng), len(rows))

    def act_for_others(self, players: Rows, actions: Rows) -> None:
        """Write the actions (N,) of all actors, given as player numbers (N,), that are not the learner."""
        for player in np.unique(players[players != LEARNER]).tolist():
            rows = np.flatnonzero(players == player)
            actions[rows] = self.act_for(player, rows)

    def draw_uniformly(self, rows: Rows) -> Rows:
        """Return a random legal action, all equally likely, for each of the actors at `rows`."""
        return choose(self._mask_actions(rows), self.rng.random(len(rows)))

    def _mask_actions(self, rows: Rows) -> NDArray[np.int8]:
        """Return the action masks of the actors at `rows`, (n, num_actions)."""
        mask = np.empty((len(rows), self.game.num_actions), np.int8)
        self.game.mask_batch(self._tables, rows, mask_records(mask))
        return mask

    def decisions_of(self, agent: Agent, rows: Rows) -> Decisions:
        """Return the decisions of the actors at `rows`, observed with the agent's encoder."""
        numbers, encoder = self.rng.random(len(rows)), agent.find_encoder(self.game)
        return decisions_at(self.game, self._tables, rows, rows, numbers, encoder=encoder)

    def _network(self, number: int) -> ActorCritic:
        """Return a past self or an exploiter. If one was replaced during a deal, its successor finishes the deal."""
        if number < NUM_PAST_SELVES:
            return self.past_selves[number % len(self.past_selves)]
        return self.exploiters[(number - NUM_PAST_SELVES) % len(self.exploiters)]

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `restore` continues exactly."""
        arrays: dict[str, NDArray[Any]] = {"tables": self._tables.view(np.uint8), "players": self._players}
        return arrays | {"rng": read_rng(self.rng)} | self.network_arrays()

    def restore(self, arrays: dict[str, NDArray[Any]], network: ActorCritic) -> None:
        """Continue from a `state`; past selves and exploiters have the architecture of `network`.

        Raises ValueError for tables of another game, and for players that the pool does not have.
        """
        restore_tables(self.game, self._tables, "tables", arrays["tables"])
        past_selves, exploiters = load_networks(arrays, network)
        check_arrays(arrays, {"players": self._players})
        players, first = arrays["players"], 1 + len(self._agents)
        require_range("players", players, LEARNER, first + NUM_PAST_SELVES + NUM_EXPLOITERS - 1)
        numbers = set(np.unique(players[players > LEARNER]).tolist())
        has_none = {
            *(1 + k for k, agent in enumerate(self._agents) if agent is None),
            *(range(first, first + NUM_PAST_SELVES) if not past_selves else ()),
            *(range(first + NUM_PAST_SELVES, first + NUM_PAST_SELVES + NUM_EXPLOITERS) if not exploiters else ()),
        }
        if numbers & has_none:
            raise ValueError(f"players has the numbers {sorted(numbers & has_none)}, which no player has")
        restore_rng(self.rng, arrays.get("rng"))
        self._players = players.copy()
        self.set_networks(past_selves, exploiters)


class Rollout:
    """Plays a network at `SelfPlayTables` and collects its decisions in a `RolloutBuffer`."""

    def __init__(self, config: Config, game: Game) -> None:
        """Deal at all tables."""
        self._config = config
        self.tables = SelfPlayTables(game, config.num_tables, config.seed, config.opponents, config.mixed)
        self.buffer = RolloutBuffer(game, config.num_tables)
        self.action_counts = np.zeros(game.num_actions, np.int64)
        """(num_actions,): counts of the network's actions in the latest batch."""

    def collect(self, network: ActorCritic, num_decisions: int) -> int:
        """Play until deals with at least `num_decisions` decisions of the network have ended; return their number."""
        num_finished = 0
        self.action_counts[:] = 0
        while num_finished < num_decisions:
            if self._config.skip_forced:
                num_finished += sum(self._step(*forced) for forced in self.tables.find_forced())
            num_finished += self._play_step(network)
        return num_finished

    def _play_step(self, network: ActorCritic) -> int:
        """Take an action at every table; return the number of the network's decisions in deals that ended."""
        tables, rows = self.tables, self.tables.rows
        seats, players = tables.actors(rows)
        own, tremble = np.flatnonzero(players == LEARNER), self._config.tremble
        trembles = tables.rng.random(len(own)) < tremble if tremble else np.zeros(len(own), np.bool_)
        own, trembling = own[~trembles], own[trembles]
        observation, legal = tables.observe(rows[own])
        choice, log_probability, value = sample_actions(network, observation, legal, tables.rng.random(len(own)))
        actions = np.empty(len(rows), np.int64)
        tables.act_for_others(players, actions)
        if len(trembling):
            actions[trembling] = tables.draw_uniformly(rows[trembling])
        actions[own] = legal[np.arange(len(choice)), choice]
        if not np.isfinite(log_probability).all() or (actions[own] < 0).any():
            problem = "the network's logits are NaN or so large that an illegal action was drawn"
            raise divergence_error(problem, self._config.learning_rate[0])
        self.action_counts += np.bincount(actions[own], minlength=len(self.action_counts))
        self.buffer.add(
            rows[own], seats[own], legal,
            observation=observation, choice=choice, log_probability=log_probability, value=value,
        )  # fmt: skip
        return self._step(rows, actions)

    def _step(self, rows: Rows, actions: Rows) -> int:
        """Apply actions at the tables `rows`; return the number of the network's decisions in deals that ended."""
        over, rewards = self.tables.step(rows, actions)
        config = self._config
        return self.buffer.finish_deals(over, rewards * config.reward_scale, config.gamma, GAE_LAMBDA)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `restore` continues exactly."""
        buffer = {f"buffer.{name}": array for name, array in self.buffer.state().items()}
        return {**self.tables.state(), **buffer, "action_counts": self.action_counts}

    def can_restore(self, arrays: Mapping[str, NDArray[Any]]) -> bool:
        """Return False for arrays of a run on another device (`on_device.rollout`), whose deals cannot go on here."""
        return "seatings" not in arrays

    def reseat(self) -> None:
        """Draw the players of all tables anew."""
        self.tables.seat_players(self.tables.rows)

    def restore(self, arrays: dict[str, NDArray[Any]], network: ActorCritic) -> None:
        """Continue from a `state`; past selves and exploiters have the architecture of `network`."""
        self.tables.restore(arrays, network)
        self.buffer.restore(strip_prefix("buffer.", arrays))
        check_arrays(arrays, {"action_counts": self.action_counts})
        self.action_counts = arrays["action_counts"].copy()


@torch.inference_mode()
def sample_actions(
    network: ActorCritic, observation: NDArray[Any], legal: NDArray[np.int16], random_numbers: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """Sample an action at each of n decisions.

    Args:
        network: Policy and value.
        observation: (n, d).
        legal: (n, k): lists of legal actions.
        random_numbers: (n,) in [0, 1), one for each sample.

    Returns:
        Indices of the sampled actions in their lists, their log-probabilities, and values, each (n,).
    """
    device = next(network.parameters()).device
    logits, value = network(torch.from_numpy(observation).to(device).float(), torch.from_numpy(legal).to(device))
    log_probabilities = torch.log_softmax(logits, dim=1).cpu().numpy()
    choice = choose(np.exp(log_probabilities), random_numbers)
    return choice, log_probabilities[np.arange(len(choice)), choice], value.cpu().numpy()
