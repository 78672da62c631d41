"""Who plays at which table: contiguous ranges of tables for the learner alone, frozen networks and scripts.

`rollout.SelfPlayTables` draws a player of the pool for every deal; here a table keeps its kind of player, so that the
shapes of all matrix products stay the same. The learner's seat is drawn for every deal in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.scripted.rule_player import Script, find_script
from card_baselines.ppo.config import Config
from card_baselines.ppo.network import EXPLOITER, NUM_EXPLOITERS, NUM_PAST_SELVES, PAST_SELF, ActorCritic, NetworkPool
from card_baselines.ppo.on_device import kernels
from card_baselines.ppo.on_device.memory import Records
from card_baselines.ppo.rollout import GAE_LAMBDA
from card_envs.agent import find_agent
from card_envs.game import Game

_KINDS = {PAST_SELF: kernels.PAST, EXPLOITER: kernels.EXPLOITED}


class StackedPolicies:
    """The policies of several frozen networks of one shape, each at its own range of tables."""

    def __init__(self, network: ActorCritic, tables: slice, most: int) -> None:
        """Make room for networks with the shape of `network`: the largest number up to `most` that divides the tables.

        A place is a range of tables at which one network plays.
        """
        self.tables = tables
        count = tables.stop - tables.start
        self._places = next((n for n in range(min(most, count), 0, -1) if count % n == 0), 0)
        self._weights = [
            torch.zeros((self._places, *parameter.shape), device=parameter.device)
            for parameter in network.policy.parameters()
        ]
        self._activations = [layer for layer in network.policy.layers if not isinstance(layer, torch.nn.Linear)]

    @torch.no_grad()
    def copy_from(self, networks: Sequence[ActorCritic]) -> None:
        """Copy the weights of networks; fewer than there are places have several places each."""
        for place in range(self._places if networks else 0):
            found = networks[place % len(networks)].policy.parameters()
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


class Pool(NetworkPool):
    """The players beside the learner, and the tables at which they play."""

    def __init__(self, config: Config, game: Game, network: ActorCritic, device: torch.device) -> None:
        """Give every player of the pool its range of tables, together the share `config.mixed`.

        Raises:
            ValueError: For agents that only the processor can play, naming them.
        """
        super().__init__(config.opponents)
        self.scripts = _find_scripts(config.opponents, game)
        self.kinds = _assign_kinds(config.opponents, config.num_tables, config.mixed)
        """(N,) kind of each table, in increasing order."""
        self._past = StackedPolicies(network, self._tables_of(kernels.PAST), NUM_PAST_SELVES)
        self._exploiters = StackedPolicies(network, self._tables_of(kernels.EXPLOITED), NUM_EXPLOITERS)
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

    def set_networks(self, past_selves: Sequence[ActorCritic], exploiters: Sequence[ActorCritic]) -> None:
        """Keep the newest of these networks in place of the present ones, and let them play."""
        super().set_networks(past_selves, exploiters)
        for frozen, kind, networks in (
            (self._past, kernels.PAST, self.past_selves),
            (self._exploiters, kernels.EXPLOITED, self.exploiters),
        ):
            frozen.copy_from(networks)
            self.settings.field("has_network")[0, kind] = int(bool(networks))

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
