"""Playing for self-play PPO: one network at all seats, and in some deals a player of a pool besides.

The pool holds named agents, past selves (networks as they once were) and exploiters (networks that were trained
against the learner). Agents and past selves have all seats but one, an exploiter has one. Players are drawn anew for
every deal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.legal_logits import list_legal
from card_baselines.ppo.config import Config
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.rollout_buffer import RolloutBuffer
from card_baselines.runs.checkpoint import strip_prefix
from card_envs.agent import Agent, Decisions, choose, decisions_at, find_agent
from card_envs.game import Game
from card_envs.observation import mask_records, observation_records
from card_envs.typing import Rows
from card_envs.vector import VectorTables

PAST_SELF, EXPLOITER = "self", "exploiter"
"""Names of past selves and of exploiters in a pool."""
NUM_PAST_SELVES, NUM_EXPLOITERS = 8, 8
"""The most recent networks that are kept of each."""
_PAST, _EXPLOITERS = "past_self.", "exploiter."
"""Prefixes of their names in a checkpoint."""
LEARNER = 0
"""Number of the learner among the players; then come the agents of the pool, then past selves, then exploiters."""


class SelfPlayTables:
    """N tables that deal anew when a deal is over, with the players at their seats."""

    def __init__(self, game: Game, num_tables: int, seed: int, pool: Sequence[str] = (), mixed: float = 0.0) -> None:
        """Deal at all tables.

        Args:
            game: The game.
            num_tables: Number of tables.
            seed: Seed of deals, seating and actions.
            pool: Names as in `find_agent`, "self" for past selves, and "exploiter".
            mixed: Share of deals with a player of the pool.
        """
        self.game = game
        self.past_selves: list[ActorCritic] = []
        self.exploiters: list[ActorCritic] = []
        self._is_past = np.array([name == PAST_SELF for name in pool], np.bool_)
        self._is_exploiter = np.array([name == EXPLOITER for name in pool], np.bool_)
        networks = (PAST_SELF, EXPLOITER)
        self._agents = [None if name in networks else _require_memoryless(find_agent(name, game)) for name in pool]
        self._mixed = mixed if pool else 0.0
        self.rng = np.random.default_rng([seed % 2**64, 1])
        tables = VectorTables(game, num_tables, seed)
        tables.reset()
        self._tables = tables.tables
        self._players = np.zeros((num_tables, game.num_seats), np.int64)
        self.rows = np.arange(num_tables, dtype=np.int64)
        self.seat_players(self.rows)

    def seat_players(self, rows: Rows) -> None:
        """Draw the players of the deals that begin at `rows`."""
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
        """Return the seat to act at each of the tables `rows` (n,), and the number of the player who sits there."""
        seats = self._tables["actor"][rows].astype(np.int64)
        return seats, self._players[rows, seats]

    def list_forced(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return those of the tables `rows` at which one action is legal, and that action."""
        mask = np.empty((len(rows), self.game.num_actions), np.int8)
        self.game.mask_batch(self._tables, rows, mask_records(mask))
        counts = np.empty(len(rows), np.int64)
        legal = list_legal(mask, counts)
        is_forced = counts == 1
        return rows[is_forced], legal[is_forced, 0].astype(np.int64)

    def observe(self, rows: Rows) -> tuple[NDArray[Any], NDArray[np.int16]]:
        """Return observations (n, d) and lists of legal actions (n, k) of the actors at `rows`."""
        observation = np.empty((len(rows), self.game.layout.size), self.game.layout.dtype)
        mask = np.empty((len(rows), self.game.num_actions), np.int8)
        self.game.encoder.observe_batch(self._tables, rows, observation_records(observation), mask_records(mask))
        return observation, list_legal(mask, np.empty(len(rows), np.int64))

    def step(self, rows: Rows, actions: Rows) -> tuple[Rows, NDArray[np.float32]]:
        """Act at `rows`; deal anew where deals end, and return those tables and the rewards of all seats (n, seats)."""
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
        """Return the actions of an agent of the pool, of a past self or of an exploiter, at `rows`."""
        if player > len(self._agents):
            observation, legal = self.observe(rows)
            network = self._network(player - len(self._agents) - 1)
            choice, _, _ = sample_actions(network, observation, legal, self.rng.random(len(rows)))
            return legal[np.arange(len(rows)), choice].astype(np.int64)
        agent = self._agents[player - 1]
        assert agent is not None
        return np.asarray(agent.act(self.decisions_of(agent, rows), self.rng), np.int64)

    def decisions_of(self, agent: Agent, rows: Rows) -> Decisions:
        """Return the decisions of the actors at `rows` as an agent without memory sees them."""
        return decisions_at(agent.apply_encoder(self.game), self._tables, rows, rows, self.rng.random(len(rows)))

    def _network(self, number: int) -> ActorCritic:
        """Return a past self or an exploiter; a seated one that was replaced since then goes on as its successor."""
        if number < NUM_PAST_SELVES:
            return self.past_selves[number % len(self.past_selves)]
        return self.exploiters[(number - NUM_PAST_SELVES) % len(self.exploiters)]

    def add_past_self(self, network: ActorCritic) -> None:
        """Add a copy of the network to the past selves, if the pool has them; the oldest one leaves."""
        if self._is_past.any():
            self.past_selves = [*self.past_selves, _freeze(network)][-NUM_PAST_SELVES:]

    def add_exploiter(self, network: ActorCritic) -> None:
        """Add a copy of the network to the exploiters; the oldest one leaves."""
        self.exploiters = [*self.exploiters, _freeze(network)][-NUM_EXPLOITERS:]

    def state(self) -> tuple[dict[str, NDArray[Any]], str]:
        """Return arrays and a text from which `restore` continues exactly; networks are saved as parameters."""
        arrays: dict[str, NDArray[Any]] = {"tables": self._tables.view(np.uint8), "players": self._players}
        for prefix, networks in ((_PAST, self.past_selves), (_EXPLOITERS, self.exploiters)):
            for k, network in enumerate(networks):
                weights = network.state_dict().items()
                arrays |= {f"{prefix}{k}.{name}": tensor.cpu().numpy() for name, tensor in weights}
        return arrays, json.dumps(self.rng.bit_generator.state)

    def restore(self, arrays: dict[str, NDArray[Any]], text: str, network: ActorCritic) -> None:
        """Continue from a `state`; all networks are like `network`. Raises ValueError for other tables."""
        tables = self._tables.view(np.uint8)
        if arrays["tables"].shape != tables.shape:
            raise ValueError("the checkpoint holds tables of another version of the game: train anew")
        tables[:] = arrays["tables"]
        self._players = arrays["players"].copy()
        self.rng.bit_generator.state = json.loads(text)
        self.past_selves = _load_networks(_PAST, arrays, network)
        self.exploiters = _load_networks(_EXPLOITERS, arrays, network)


class Rollout:
    """Plays at `SelfPlayTables` with a network, and fills a `RolloutBuffer` with its decisions."""

    def __init__(self, config: Config, game: Game) -> None:
        """Deal at all tables."""
        self._config = config
        self.tables = SelfPlayTables(game, config.num_tables, config.seed, config.opponents, config.mixed)
        self.buffer = RolloutBuffer(game, config.num_tables, 4 * config.num_tables)
        self.action_counts = np.zeros(game.num_actions, np.int64)
        """(num_actions,): number of times that each action was chosen in the latest batch."""

    def collect(self, network: ActorCritic, num_decisions: int) -> int:
        """Play until `num_decisions` more of the network's are in finished deals; return how many are."""
        num_finished = 0
        self.action_counts[:] = 0
        while num_finished < num_decisions:
            if self._config.skip_forced:
                num_finished += self._play_forced()
            num_finished += self._play_step(network)
        return num_finished

    def _play_forced(self) -> int:
        """Play decisions with one legal action; return how many of the network's decisions are in deals that ended."""
        num_finished = 0
        rows, actions = self.tables.list_forced(self.tables.rows)
        while len(rows):
            num_finished += self._step(rows, actions)
            rows, actions = self.tables.list_forced(rows)
        return num_finished

    def _play_step(self, network: ActorCritic) -> int:
        """Take an action at every table; return how many of the network's decisions are in deals that ended."""
        tables, rows = self.tables, self.tables.rows
        seats, players = tables.actors(rows)
        own = np.flatnonzero(players == LEARNER)
        observation, legal = tables.observe(rows[own])
        choice, log_probability, value = sample_actions(network, observation, legal, tables.rng.random(len(own)))
        actions = np.empty(len(rows), np.int64)
        for player in np.unique(players[players != LEARNER]).tolist():
            theirs = np.flatnonzero(players == player)
            actions[theirs] = tables.act_for(player, rows[theirs])
        actions[own] = legal[np.arange(len(choice)), choice]
        self.action_counts += np.bincount(actions[own], minlength=len(self.action_counts))
        self.buffer.add(
            rows[own], seats[own], legal,
            observation=observation, choice=choice, log_probability=log_probability, value=value,
        )  # fmt: skip
        return self._step(rows, actions)

    def _step(self, rows: Rows, actions: Rows) -> int:
        """Act at `rows`; return how many of the network's decisions are in deals that ended."""
        over, rewards = self.tables.step(rows, actions)
        config = self._config
        return self.buffer.finish_deals(over, rewards * config.reward_scale, config.gamma, config.gae_lambda)

    def state(self) -> tuple[dict[str, NDArray[Any]], str]:
        """Return arrays and a text from which `restore` continues exactly."""
        arrays, text = self.tables.state()
        arrays |= {f"buffer.{name}": array for name, array in self.buffer.state().items()}
        return arrays | {"action_counts": self.action_counts}, text

    def restore(self, arrays: dict[str, NDArray[Any]], text: str, network: ActorCritic) -> None:
        """Continue from a `state`; past selves and exploiters are like `network`."""
        self.tables.restore(arrays, text, network)
        self.buffer.restore(strip_prefix("buffer.", arrays))
        self.action_counts = arrays["action_counts"].copy()


@torch.inference_mode()
def sample_actions(
    network: ActorCritic, observation: NDArray[Any], legal: NDArray[np.int16], random_numbers: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """Return choices (n,) from lists of legal actions (n, k), their log-probabilities, and values (n,).

    `observation` is (n, d); `random_numbers` (n,) in [0, 1) decide the draws.
    """
    device = next(network.parameters()).device
    logits, value = network(torch.from_numpy(observation).to(device).float(), torch.from_numpy(legal).to(device))
    log_probabilities = torch.log_softmax(logits, dim=1).cpu().numpy()
    choice = choose(np.exp(log_probabilities), random_numbers)
    return choice, log_probabilities[np.arange(len(choice)), choice], value.cpu().numpy()


def _freeze(network: ActorCritic) -> ActorCritic:
    """Return a copy that does not learn."""
    return deepcopy(network).requires_grad_(False)


def _load_networks(prefix: str, arrays: Mapping[str, NDArray[Any]], network: ActorCritic) -> list[ActorCritic]:
    """Return the networks whose parameters have the numbered prefix."""
    found: list[ActorCritic] = []
    while weights := strip_prefix(f"{prefix}{len(found)}.", arrays):
        found.append(_freeze(network))
        found[-1].load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return found


def _require_memoryless(agent: Agent) -> Agent:
    """Return the agent; ValueError for one that follows deals, since a continued run could not give that back."""
    if agent.needs_deal_events:
        raise ValueError(f"agent {agent.name!r} remembers deals: self_play_ppo trains only against agents that do not")
    return agent
