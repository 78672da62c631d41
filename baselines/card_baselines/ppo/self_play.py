"""Tables for self-play: one network at all seats, and in some deals a player of a pool besides.

The pool holds named agents, past selves, networks as they once were, and exploiters, networks that were trained against
the learner. Agents and past selves have all seats but one, an exploiter has one. Who sits where is drawn anew for every
deal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.actor_critic import ActorCritic
from card_baselines.agents.learned.legal_logits import list_legal
from card_baselines.runs.checkpoint import strip_prefix
from card_baselines.runs.devices import Coming, sent
from card_envs.agent import Agent, choose, decisions_at, find_agent
from card_envs.game import Game
from card_envs.observation import mask_records, observation_records
from card_envs.vector import VectorTables

Rows = NDArray[np.int64]

PAST_SELF, EXPLOITER = "self", "exploiter"
"""Stand for past selves and for exploiters among the names of a pool."""
_PAST, _EXPLOITERS = "past.", "past.exploiter."
"""Begin their names in a checkpoint. All processes have the same networks: what begins with "past." is kept once."""
LEARNER = 0
"""The number of the learner among the players; then come the agents of the pool, then past selves, then exploiters."""


class SelfPlayTables:
    """N tables that deal anew when a deal is over, and who sits where."""

    def __init__(
        self,
        game: Game,
        num_tables: int,
        seed: int,
        *,
        pool: Sequence[str] = (),
        mixed: float = 0.0,
        past_selves: int = 0,
        exploiters: int = 0,
    ) -> None:
        """Deal at all tables.

        `pool` holds names as in `find_agent`, "self" for the last `past_selves` networks, and "exploiter" for the last
        `exploiters` of those.
        """
        self.game = game
        self.past: list[ActorCritic] = []
        self.exploiters: list[ActorCritic] = []
        self._is_past = np.array([name == PAST_SELF for name in pool], np.bool_)
        self._is_exploiter = np.array([name == EXPLOITER for name in pool], np.bool_)
        networks = (PAST_SELF, EXPLOITER)
        self._agents = [None if name in networks else _memoryless(find_agent(name, game)) for name in pool]
        self._mixed = mixed if pool else 0.0
        self._past_selves, self._exploiters = past_selves, exploiters
        self.rng = np.random.default_rng([seed % 2**64, 1])
        dealt = VectorTables(game, num_tables, seed)
        dealt.reset()
        self._tables = dealt.tables
        self._players = np.zeros((num_tables, game.num_seats), np.int64)
        self.all = np.arange(num_tables, dtype=np.int64)
        self.seat_players(self.all)

    def actors(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the seat to act at each of the tables `rows` (n,), and the number of the player who sits there."""
        seats = self._tables["actor"][rows].astype(np.int64)
        return seats, self._players[rows, seats]

    def forced(self, rows: Rows) -> tuple[Rows, Rows]:
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
        """Act at `rows`; deal anew where deals end, and return those tables and what all seats won (n, seats)."""
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

    def act_of(self, player: int, rows: Rows) -> Rows:
        """Return the actions of an agent of the pool, of a past self or of an exploiter, at `rows`."""
        if player > len(self._agents):
            observation, legal = self.observe(rows)
            network = self._network(player - len(self._agents) - 1)
            choice, _, _ = Drawing(network, observation, legal, self.rng.random(len(rows))).result()
            return legal[np.arange(len(rows)), choice].astype(np.int64)
        agent = self._agents[player - 1]
        assert agent is not None
        decisions = decisions_at(agent.encoded(self.game), self._tables, rows, rows, self.rng.random(len(rows)))
        return np.asarray(agent.act(decisions, self.rng), np.int64)

    def _network(self, number: int) -> ActorCritic:
        """Return a past self, or an exploiter: their numbers begin after those of all past selves that may be kept."""
        if number < self._past_selves:
            return self.past[number % len(self.past)]
        return self.exploiters[(number - self._past_selves) % len(self.exploiters)]

    def remember(self, network: ActorCritic) -> None:
        """Add a copy of the network to the past selves; the oldest one leaves when there are too many."""
        if self._past_selves and self._is_past.any():
            self.past = [*self.past, deepcopy(network).requires_grad_(False)][-self._past_selves :]

    def add_exploiter(self, network: ActorCritic) -> None:
        """Add a network to the exploiters; the oldest one leaves when there are too many."""
        self.exploiters = [*self.exploiters, deepcopy(network).requires_grad_(False)][-self._exploiters :]

    def seat_players(self, rows: Rows) -> None:
        """Decide who plays the deals that begin at `rows`."""
        self._players[rows] = LEARNER
        mixed = rows[self.rng.random(len(rows)) < self._mixed] if self._mixed else rows[:0]
        if not len(mixed):
            return
        place = self.rng.integers(len(self._agents), size=len(mixed))
        first = 1 + len(self._agents)
        past = first + self.rng.integers(max(1, len(self.past)), size=len(mixed))
        player = np.where(self._is_past[place], past if self.past else LEARNER, 1 + place)
        self._players[mixed] = player[:, None]
        seat = self.rng.integers(self.game.num_seats, size=len(mixed))
        self._players[mixed, seat] = LEARNER
        exploited = self._is_exploiter[place]
        self._players[mixed[exploited]] = LEARNER
        if self.exploiters:
            number = first + self._past_selves + self.rng.integers(len(self.exploiters), size=int(exploited.sum()))
            self._players[mixed[exploited], seat[exploited]] = number

    def state(self) -> tuple[dict[str, NDArray[Any]], str]:
        """Return arrays and a text from which `restore` continues exactly; networks are kept as parameters."""
        arrays: dict[str, NDArray[Any]] = {"tables": self._tables.view(np.uint8), "players": self._players}
        for prefix, networks in ((_PAST, self.past), (_EXPLOITERS, self.exploiters)):
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
        self.past = _networks(_PAST, arrays, network)
        self.exploiters = _networks(_EXPLOITERS, arrays, network)


def _networks(prefix: str, arrays: Mapping[str, NDArray[Any]], network: ActorCritic) -> list[ActorCritic]:
    """Return the networks whose parameters stand under the numbered prefix."""
    found: list[ActorCritic] = []
    while weights := strip_prefix(f"{prefix}{len(found)}.", arrays):
        found.append(deepcopy(network).requires_grad_(False))
        found[-1].load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
    return found


class Drawing:
    """Actions that a network draws; a GPU computes its probabilities while the processor does something else."""

    @torch.inference_mode()
    def __init__(
        self,
        network: ActorCritic,
        observation: NDArray[Any],
        legal: NDArray[np.int16],
        random_numbers: NDArray[np.float64],
    ) -> None:
        """Ask the network about observations (n, d) and lists of legal actions (n, k).

        `random_numbers` (n,) in 0 .. 1 decide the draws.
        """
        device = next(network.parameters()).device
        logits, value = network(sent(observation, device).float(), sent(legal, device))
        self._coming = Coming(torch.log_softmax(logits, dim=1), value)
        self._uniforms = random_numbers

    def result(self) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Return choices (n,) from the lists of legal actions, their log-probabilities, and values (n,)."""
        log_probabilities, value = self._coming.arrays()
        choice = choose(np.exp(log_probabilities), self._uniforms)
        return choice, log_probabilities[np.arange(len(choice)), choice], value


@dataclass(frozen=True)
class Asked:
    """Tables with an action for each, those of the learner still to be drawn by its network."""

    rows: Rows
    actions: Rows
    mine: Rows
    """Positions within `rows` where the learner acts."""
    seats: Rows
    """The learner's seats there."""
    observation: NDArray[Any]
    legal: NDArray[np.int16]
    drawing: Drawing


def _memoryless(agent: Agent) -> Agent:
    """Return the agent; ValueError for one that follows deals, since a continued run could not give that back."""
    if agent.needs_deal_events:
        raise ValueError(f"agent {agent.name!r} remembers deals: self_play_ppo trains only against agents that do not")
    return agent
