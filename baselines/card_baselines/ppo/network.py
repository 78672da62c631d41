"""The actor-critic of self-play PPO: an `MlpPolicy`, and a value network that may share its first layers.

`NetworkPool` has frozen copies that play against it: past selves and exploiters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Self

import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.legal_logits import select_legal_logits
from card_baselines.agents.learned.mlp_policy import MlpPolicy, make_layers
from card_baselines.ppo.config import Config
from card_baselines.runs.checkpoint import strip_prefix
from card_envs.game import Game

_HIDDEN_GAIN, _LOGIT_GAIN, VALUE_GAIN = 2**0.5, 0.01, 1.0
"""Gains of the orthogonal initialisation, the usual ones for PPO (Charlesworth 2018)."""
PAST_SELF, EXPLOITER = "self", "exploiter"
"""Names of past selves and of exploiters in a pool."""
NUM_PAST_SELVES, NUM_EXPLOITERS = 8, 8
"""Number of most recent past selves and exploiters that are kept."""
_PREFIXES = "past_self.", "exploiter."
"""Prefixes of their weights in a checkpoint."""


class ActorCritic(torch.nn.Module):
    """Maps observations and lists of legal actions to the logits of those actions and the value of the position."""

    def __init__(
        self,
        observation_size: int,
        hidden: Sequence[int],
        num_actions: int,
        activation: str = "tanh",
        value_hidden: Sequence[int] = (),
        shared_layers: int = 0,
    ) -> None:
        """Make a network.

        Args:
            observation_size: Length of an observation.
            hidden: Widths of the hidden layers of the policy.
            num_actions: Number of action ids.
            activation: Activation of the hidden layers: relu or tanh.
            value_hidden: Widths of the hidden layers that only the value has, after the shared ones.
            shared_layers: Number of hidden layers of the policy that the value shares.
        """
        super().__init__()
        if not 0 <= shared_layers <= len(hidden):
            raise ValueError(f"shared_layers {shared_layers} must be in 0..{len(hidden)}, the hidden layers there are")
        self.policy = MlpPolicy(observation_size, list(hidden), num_actions, activation)
        self._shared = 2 * shared_layers  # modules: each layer is a linear map and its activation
        width = hidden[shared_layers - 1] if shared_layers else observation_size
        self.value = make_layers(width, value_hidden, 1, activation)
        initialise(self.policy.layers, _LOGIT_GAIN)
        initialise(self.value, VALUE_GAIN)

    @classmethod
    def from_config(cls, config: Config, game: Game, **options: Any) -> Self:
        """Return a new network with the sizes in the settings; `options` are further arguments of the class."""
        own = config.hidden[config.shared_layers :]
        sizes = (game.layout.size, config.hidden, game.num_actions, config.activation, own, config.shared_layers)
        return cls(*sizes, **options)

    def forward(self, observation: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (n, k) of the legal actions (n, k) and values (n,)."""
        hidden, last, value = self._last_layers(observation)
        return self.logits(hidden, last, legal), value

    def all_logits(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (n, num_actions) of all actions, legal or not, and values (n,)."""
        hidden, last, value = self._last_layers(observation)
        return last(hidden).float(), value

    def _last_layers(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.nn.Linear, torch.Tensor]:
        """Return the last hidden layer of the policy (n, d), its output layer, and values (n,)."""
        layers, shared = list(self.policy.layers), self._shared
        if shared:
            features = self.embed(layers[:shared], observation)
            value, hidden = self.transform(list(self.value), features), self.transform(layers[shared:-1], features)
        else:
            value, hidden = self.embed(list(self.value), observation), self.embed(layers[:-1], observation)
        last = layers[-1]
        assert isinstance(last, torch.nn.Linear)
        return hidden.float(), last, value[:, 0].float()

    def embed(self, layers: Sequence[torch.nn.Module], observation: torch.Tensor) -> torch.Tensor:
        """Return the output of `layers`, given observations; `fast_cpu` overrides it."""
        return self.transform(layers, observation)

    def transform(self, layers: Sequence[torch.nn.Module], features: torch.Tensor) -> torch.Tensor:
        """Return the output of `layers`, given features (n, d); `fast_cpu` overrides it."""
        return torch.nn.Sequential(*layers)(features)  # type: ignore[no-any-return]

    def logits(self, hidden: torch.Tensor, last: torch.nn.Linear, legal: torch.Tensor) -> torch.Tensor:
        """Return the logits (n, k) of legal actions (n, k), given the last hidden layer (n, d); see `fast_cpu`."""
        return select_legal_logits(hidden, last, legal)


def initialise(layers: Iterable[torch.nn.Module], last_gain: float) -> None:
    """Set orthogonal weights with the usual gain, in the last layer with `last_gain`, and biases of 0."""
    linear = [layer for layer in layers if isinstance(layer, torch.nn.Linear)]
    for layer in linear:
        torch.nn.init.orthogonal_(layer.weight, last_gain if layer is linear[-1] else _HIDDEN_GAIN)
        torch.nn.init.zeros_(layer.bias)


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
