"""Who plays at which table: contiguous ranges of tables for the learner alone, frozen networks and scripts.

`rollout.SelfPlayTables` draws a player of the pool for every deal; here a table keeps its kind of player, so that the
shapes of all matrix products stay the same. The learner's seat is drawn for every deal in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.scripted.scripts import Script, find_script
from card_baselines.ppo import rollout
from card_baselines.ppo.config import Config
from card_baselines.ppo.network import ActorCritic
from card_baselines.ppo.on_device import kernels
from card_baselines.ppo.on_device.memory import Records
from card_baselines.ppo.rollout import EXPLOITER, GAE_LAMBDA, PAST_SELF
from card_envs.agent import find_agent
from card_envs.game import Game

_KINDS = {PAST_SELF: kernels.PAST, EXPLOITER: kernels.EXPLOITED}


class FrozenNetworks:
    """The policies of several frozen networks of one shape, each at its own range of tables."""

    def __init__(self, network: ActorCritic, tables: slice, most: int) -> None:
        """Make room for networks with the shape of `network`: the largest number up to `most` that divides the tables.

        A place is a range of tables at which one network plays.
        """
        self.tables, self.networks = tables, list[ActorCritic]()
        count = tables.stop - tables.start
        self._most = most
        self._places = next((n for n in range(min(most, count), 0, -1) if count % n == 0), 0)
        self._weights = [
            torch.zeros((self._places, *parameter.shape), device=parameter.device)
            for parameter in network.policy.parameters()
        ]
        self._activations = [layer for layer in network.policy.layers if not isinstance(layer, torch.nn.Linear)]

    def replace(self, networks: Sequence[ActorCritic]) -> None:
        """Keep copies of the newest networks; fewer than there are places have several places each."""
        self.networks = [deepcopy(network).requires_grad_(False) for network in networks[-self._most :]]
        if not self.networks:
            return
        with torch.no_grad():
            for place in range(self._places):
                found = self.networks[place % len(self.networks)].policy.parameters()
                for weights, parameter in zip(self._weights, found, strict=True):
                    weights[place].copy_(parameter)

    def logits(self, observation: torch.Tensor) -> torch.Tensor:
        """Return logits (n, actions), given the observations (N, d) at all tables; n tables are of these networks."""
        shown = observation[self.tables].float()
        features = shown.view(self._places, -1, shown.shape[1])
        activations = iter(self._activations)
        for weight, bias in zip(self._weights[::2], self._weights[1::2], strict=True):
            features = torch.baddbmm(bias[:, None], features, weight.transpose(1, 2))
            if (activation := next(activations, None)) is not None:
                features = activation(features)
        return features.reshape(len(shown), -1)


class Pool:
    """The players beside the learner, and the tables at which they play."""

    def __init__(self, config: Config, game: Game, network: ActorCritic, device: torch.device) -> None:
        """Give every player of the pool its range of tables, together the share `config.mixed`.

        Raises:
            ValueError: For agents that only the processor can play, naming them.
        """
        self.scripts = _find_scripts(config.opponents, game)
        self.kinds = _assign_kinds(config.opponents, config.num_tables, config.mixed)
        """(N,) kind of each table, in increasing order."""
        self._is_pooled = PAST_SELF in config.opponents
        self._past = FrozenNetworks(network, self._tables_of(kernels.PAST), rollout.NUM_PAST_SELVES)
        self._exploiters = FrozenNetworks(network, self._tables_of(kernels.EXPLOITED), rollout.NUM_EXPLOITERS)
        self.settings = Records(kernels.SETTINGS, 1, device)
        settings: NDArray[Any] = np.zeros(1, kernels.SETTINGS)
        for name in ("reward_scale", "gamma", "tremble", "skip_forced"):
            settings[name] = getattr(config, name)
        settings["gae_lambda"], settings["first_frozen"] = GAE_LAMBDA, self._past.tables.start
        self.settings.write(settings)
        others = game.num_seats - 1
        shares = np.full(kernels.FIRST_SCRIPT + len(self.scripts), 1 / game.num_seats)
        shares[kernels.SELF_PLAY], shares[kernels.EXPLOITED] = 1.0, others / game.num_seats
        self.learner_share = float(shares[self.kinds].mean())
        """Share of the decisions that the learner takes, if all seats decide equally often."""

    @property
    def frozen_tables(self) -> slice:
        """The tables with past selves and exploiters."""
        return slice(self._past.tables.start, self._exploiters.tables.stop)

    def _tables_of(self, kind: int) -> slice:
        return slice(*np.searchsorted(self.kinds, [kind, kind + 1]).tolist())

    @property
    def past_selves(self) -> list[ActorCritic]:
        """Copies of the learner's network, the newest last."""
        return self._past.networks

    @property
    def exploiters(self) -> list[ActorCritic]:
        """Networks that were trained against the learner, the newest last."""
        return self._exploiters.networks

    def add_past_self(self, network: ActorCritic) -> None:
        """Add a copy of the network to the past selves, if the pool has them, and drop the oldest one."""
        if self._is_pooled:
            self.restore([*self.past_selves, network], self.exploiters)

    def add_exploiter(self, network: ActorCritic) -> None:
        """Add a copy of the network to the exploiters, and drop the oldest one."""
        self.restore(self.past_selves, [*self.exploiters, network])

    def restore(self, past_selves: Sequence[ActorCritic], exploiters: Sequence[ActorCritic]) -> None:
        """Keep copies of these networks in place of the present ones."""
        for frozen, kind, networks in (
            (self._past, kernels.PAST, past_selves),
            (self._exploiters, kernels.EXPLOITED, exploiters),
        ):
            frozen.replace(networks)
            self.settings.field("has_network")[0, kind] = int(bool(networks))

    def restore_networks(self, arrays: dict[str, NDArray[Any]], network: ActorCritic) -> None:
        """Take past selves and exploiters, with the architecture of `network`, from the arrays of a checkpoint."""
        self.restore(*rollout.load_frozen(arrays, network))

    def logits(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the logits (F, actions) of past selves and exploiters at their tables, given all observations."""
        found = [
            frozen.logits(observation)
            for frozen in (self._past, self._exploiters)
            if frozen.tables.stop > frozen.tables.start
        ]
        return torch.cat(found) if found else observation.new_zeros((1, 1), dtype=torch.float32)


def _find_scripts(opponents: Sequence[str], game: Game) -> list[Script]:
    """Return the kernels of the agents of a pool, in the order of `_names`."""
    agents = {name: find_agent(name, game) for name in _names(opponents)}
    scripts = {name: find_script(agent, game) for name, agent in agents.items()}
    if missing := [name for name, script in scripts.items() if script is None]:
        raise ValueError(
            f"opponents {missing} play on the processor only: leave them out of --opponents, or train with --device cpu"
        )
    return [script for script in scripts.values() if script is not None]


def _names(opponents: Sequence[str]) -> list[str]:
    """Return the agents of a pool, each once."""
    return [name for name in dict.fromkeys(opponents) if name not in _KINDS]


def _assign_kinds(opponents: Sequence[str], num_tables: int, mixed: float) -> NDArray[np.int64]:
    """Return the kind of each table (N,), in increasing order; each player has as many tables as it is often named."""
    kinds = np.full(num_tables, kernels.SELF_PLAY, np.int64)
    if not opponents:
        return kinds
    numbers = _KINDS | {name: kernels.FIRST_SCRIPT + k for k, name in enumerate(_names(opponents))}
    num_mixed = round(mixed * num_tables)
    ends = np.round(num_mixed * np.arange(1, len(opponents) + 1) / len(opponents)).astype(int)
    players = np.sort([numbers[name] for name in opponents])
    kinds[num_tables - num_mixed :] = np.repeat(players, np.diff(ends, prepend=0))
    return kinds
