"""Self-play on the batched engine: one network at all seats of many tables, or with others at some of them.

Decisions with one legal action are played by the engine and not learned from. In a `mixed` share of the deals, the
learner has one seat, and one player of a pool has all others: a named agent, or the learner as it once was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.actor_critic import ActorCritic
from card_baselines.agents.learned.legal_logits import list_legal
from card_baselines.training.checkpoint import strip_prefix
from card_baselines.training.experience import Experience
from card_envs.agent import Agent, choose, decisions_at, find_agent
from card_envs.game import Game
from card_envs.observation import mask_records, observation_records
from card_envs.vector import VectorTables

Rows = NDArray[np.int64]

PAST_SELF = "self"
"""Stands for past selves among the names of a pool."""
_LEARNER = 0


class Rollouts:
    """N tables, who sits where, and the experience that the learner gathers."""

    def __init__(
        self,
        game: Game,
        network: ActorCritic,
        num_tables: int,
        seed: int,
        *,
        pool: Sequence[str] = (),
        mixed: float = 0.0,
        past_selves: int = 0,
        skip_forced: bool = True,
    ) -> None:
        """Deal at all tables. `pool` holds names as in `find_agent`, and "self" for the last `past_selves` networks."""
        self.game, self.network = game, network
        self.experience = Experience(game, num_tables, 4 * num_tables)
        self.actions = np.zeros(game.num_actions, np.int64)
        """How often the learner chose each action since `actions` was last set to zero."""
        self.past: list[ActorCritic] = []
        self._agents = [None if name == PAST_SELF else _memoryless(find_agent(name, game)) for name in pool]
        self._mixed = mixed if pool else 0.0
        self._past_selves, self._skip_forced = past_selves, skip_forced
        self._rng = np.random.default_rng([seed % 2**64, 1])
        dealt = VectorTables(game, num_tables, seed)
        dealt.reset()
        self._tables = dealt.tables
        self._players = np.zeros((num_tables, game.num_seats), np.int64)  # learner, agents of the pool, past selves
        self._all = np.arange(num_tables, dtype=np.int64)
        self._seat_players(self._all)

    def collect(self, decisions: int, gamma: float, lambda_: float, reward_scale: float) -> int:
        """Play until `decisions` more of the learner's are in finished deals; return how many were finished.

        Rewards are multiplied by `reward_scale` before they are credited.
        """
        finished = 0
        credit = lambda rows, rewards: self.experience.finish(rows, rewards * reward_scale, gamma, lambda_)  # noqa: E731
        while finished < decisions:
            finished += self._play_forced(credit) if self._skip_forced else 0
            seats = self._tables["actor"].astype(np.int64)
            finished += self._step(self._all, self._decide(seats), credit)
        return finished

    def remember_self(self) -> None:
        """Add a copy of the network to the past selves; the oldest one leaves when there are too many."""
        if self._past_selves and None in self._agents:
            kept = deepcopy(self.network).requires_grad_(False)
            if len(self.past) < self._past_selves:
                self.past.append(kept)
            else:
                self.past = [*self.past[1:], kept]

    def _decide(self, seats: Rows) -> Rows:
        """Return an action for each table, and record those of the learner."""
        players = self._players[self._all, seats]
        mine = np.flatnonzero(players == _LEARNER)
        if len(mine) == len(seats):
            return self._act_and_record(self._all, seats)
        actions = np.empty(len(seats), np.int64)
        if len(mine):
            actions[mine] = self._act_and_record(mine, seats[mine])
        for player in np.unique(players[players != _LEARNER]).tolist():
            theirs = np.flatnonzero(players == player)
            actions[theirs] = self._act_of(player, theirs)
        return actions

    def _act_and_record(self, rows: Rows, seats: Rows) -> Rows:
        observation, legal = self._observed(rows)
        log_probabilities, value = _evaluate(self.network, observation, legal)
        choice = choose(np.exp(log_probabilities), self._rng.random(len(rows)))
        chosen = np.arange(len(rows)), choice
        self.experience.add(
            rows,
            seats,
            observation=observation,
            legal=legal,
            choice=choice,
            log_probability=log_probabilities[chosen],
            value=value,
        )
        actions = legal[chosen].astype(np.int64)
        self.actions += np.bincount(actions, minlength=self.game.num_actions)
        return actions

    def _act_of(self, player: int, rows: Rows) -> Rows:
        """Return the actions of an agent of the pool, or of a past self."""
        if player > len(self._agents):
            past = self.past[(player - len(self._agents) - 1) % len(self.past)]
            observation, legal = self._observed(rows)
            log_probabilities, _ = _evaluate(past, observation, legal)
            choice = choose(np.exp(log_probabilities), self._rng.random(len(rows)))
            return legal[np.arange(len(rows)), choice].astype(np.int64)
        agent = self._agents[player - 1]
        assert agent is not None
        decisions = decisions_at(agent.encoded(self.game), self._tables, rows, rows, self._rng.random(len(rows)))
        return np.asarray(agent.act(decisions, self._rng), np.int64)

    def _observed(self, rows: Rows) -> tuple[NDArray[Any], NDArray[np.int16]]:
        """Return observations (n, d) and lists of legal actions (n, k) of the actors at `rows`."""
        observation = np.empty((len(rows), self.game.layout.size), self.game.layout.dtype)
        mask = np.empty((len(rows), self.game.num_actions), np.int8)
        self.game.encoder.observe_batch(self._tables, rows, observation_records(observation), mask_records(mask))
        return observation, list_legal(mask, np.empty(len(rows), np.int64))

    def _play_forced(self, credit: Any) -> int:
        """Play decisions that are none until every table has a real one; return how many of the learner's finished."""
        finished, rows = 0, self._all
        while len(rows):
            mask = np.empty((len(rows), self.game.num_actions), np.int8)
            self.game.mask_batch(self._tables, rows, mask_records(mask))
            counts = np.empty(len(rows), np.int64)
            legal = list_legal(mask, counts)
            forced = counts == 1
            rows = rows[forced]
            finished += self._step(rows, legal[forced, 0].astype(np.int64), credit)
        return finished

    def _step(self, rows: Rows, actions: Rows, credit: Any) -> int:
        """Act at `rows`, credit and deal anew where deals end; return how many of the learner's decisions finished."""
        rewards = np.empty((len(rows), self.game.num_seats), np.float32)
        is_over = np.empty(len(rows), np.uint8)
        illegal = self.game.step_batch(self._tables, rows, actions, rewards, is_over, True)
        if illegal >= 0:
            row = int(rows[illegal])
            raise RuntimeError(f"table {row}: {self.game.why_illegal(self._tables, row, int(actions[illegal]))}")
        over = np.flatnonzero(is_over)
        if not len(over):
            return 0
        finished = int(credit(rows[over], rewards[over]))
        self._seat_players(rows[over])
        return finished

    def _seat_players(self, rows: Rows) -> None:
        """Decide who plays the deals that begin at `rows`."""
        self._players[rows] = _LEARNER
        mixed = rows[self._rng.random(len(rows)) < self._mixed] if self._mixed else rows[:0]
        if not len(mixed):
            return
        player = 1 + self._rng.integers(len(self._agents), size=len(mixed))
        past = 1 + len(self._agents) + self._rng.integers(max(1, len(self.past)), size=len(mixed))
        is_past = np.array([agent is None for agent in self._agents])[player - 1]
        player = np.where(is_past, past if self.past else _LEARNER, player)
        self._players[mixed] = player[:, None]
        self._players[mixed, self._rng.integers(self.game.num_seats, size=len(mixed))] = _LEARNER

    def state(self) -> tuple[dict[str, NDArray[Any]], str]:
        """Return arrays and a text from which `restore` continues exactly; past selves are kept as parameters."""
        arrays = {f"experience.{name}": array for name, array in self.experience.state().items()}
        for k, past in enumerate(self.past):
            arrays |= {f"past.{k}.{name}": tensor.numpy() for name, tensor in past.state_dict().items()}
        arrays |= {"tables": self._tables.view(np.uint8), "players": self._players, "actions": self.actions}
        return arrays, json.dumps(self._rng.bit_generator.state)

    def restore(self, arrays: dict[str, NDArray[Any]], text: str) -> None:
        """Continue from a `state`; raises ValueError for one of other tables."""
        tables = self._tables.view(np.uint8)
        if arrays["tables"].shape != tables.shape:
            raise ValueError("the checkpoint holds tables of another version of the game: train anew")
        tables[:] = arrays["tables"]
        self._players, self.actions = arrays["players"].copy(), arrays["actions"].copy()
        self.experience.restore(strip_prefix("experience.", arrays))
        self._rng.bit_generator.state = json.loads(text)
        self.past = []
        while weights := strip_prefix(f"past.{len(self.past)}.", arrays):
            past = deepcopy(self.network).requires_grad_(False)
            past.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
            self.past.append(past)


@torch.inference_mode()
def _evaluate(
    network: ActorCritic, observation: NDArray[Any], legal: NDArray[np.int16]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return logarithms of probabilities (n, k) and values (n,)."""
    logits, value = network(torch.from_numpy(observation).float(), torch.from_numpy(legal))
    return torch.log_softmax(logits, dim=1).numpy(), value.numpy()


def _memoryless(agent: Agent) -> Agent:
    """Return the agent; ValueError for one that follows deals, since a continued run could not give that back."""
    if agent.follows_deals:
        raise ValueError(f"agent {agent.name!r} remembers deals: self_play_ppo trains only against agents that do not")
    return agent
