"""Frozen networks in the pool of self-play PPO: past selves and exploiters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import torch
from numpy.typing import NDArray

from card_baselines.ppo.network import ActorCritic
from card_baselines.runs.checkpoint import strip_prefix

PAST_SELF, EXPLOITER = "self", "exploiter"
"""Names of past selves and of exploiters in a pool."""
NUM_PAST_SELVES, NUM_EXPLOITERS = 8, 8
"""Number of most recent past selves and exploiters that are kept."""
_PREFIXES = "past_self.", "exploiter."
"""Prefixes of their weights in a checkpoint."""
Networks = tuple[Sequence[ActorCritic], Sequence[ActorCritic]]
"""Past selves and exploiters, the newest last."""


class NetworkPool:
    """Copies of networks that play, and no longer learn."""

    def __init__(self, opponents: Sequence[str]) -> None:
        """Begin without networks; past selves are kept only if `opponents` has them."""
        self._has_past_selves = PAST_SELF in opponents
        self.past_selves: Sequence[ActorCritic] = ()
        """Earlier copies of the learner's network, the newest last."""
        self.exploiters: Sequence[ActorCritic] = ()
        """Networks that were trained against the learner, the newest last."""

    def set_networks(self, past_selves: Sequence[ActorCritic], exploiters: Sequence[ActorCritic]) -> None:
        """Keep the newest of these networks in place of the present ones."""
        self.past_selves, self.exploiters = past_selves[-NUM_PAST_SELVES:], exploiters[-NUM_EXPLOITERS:]

    def add_past_self(self, network: ActorCritic) -> None:
        """Add a copy of the network to the past selves, if the pool has them, and drop the oldest one."""
        if self._has_past_selves:
            self.set_networks([*self.past_selves, _freeze(network)], self.exploiters)

    def add_exploiter(self, network: ActorCritic) -> None:
        """Add a copy of the network to the exploiters, and drop the oldest one."""
        self.set_networks(self.past_selves, [*self.exploiters, _freeze(network)])

    def network_arrays(self) -> dict[str, NDArray[Any]]:
        """Return the weights of all networks as arrays, from which `load_networks` makes them again."""
        return {
            f"{prefix}{k}.{name}": tensor.cpu().numpy()
            for prefix, networks in zip(_PREFIXES, (self.past_selves, self.exploiters), strict=True)
            for k, network in enumerate(networks)
            for name, tensor in network.state_dict().items()
        }

    def restore_networks(self, arrays: Mapping[str, NDArray[Any]], network: ActorCritic) -> None:
        """Take the networks, with the architecture of `network`, from the arrays of a checkpoint, and nothing else."""
        self.set_networks(*load_networks(arrays, network))


def load_networks(arrays: Mapping[str, NDArray[Any]], network: ActorCritic) -> Networks:
    """Return the networks of `NetworkPool.network_arrays`, which have the architecture of `network`."""
    loaded: list[list[ActorCritic]] = []
    for prefix in _PREFIXES:
        found: list[ActorCritic] = []
        while weights := strip_prefix(f"{prefix}{len(found)}.", arrays):
            found.append(_freeze(network))
            found[-1].load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
        loaded.append(found)
    return loaded[0], loaded[1]


def _freeze(network: ActorCritic) -> ActorCritic:
    """Return a copy without gradients."""
    return deepcopy(network).requires_grad_(False)
