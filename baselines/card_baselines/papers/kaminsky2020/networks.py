"""The networks: four layers of 256, an unusual activation, and tanh at the end (section 3.4.2)."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.functional import leaky_relu

PRINTED_SLOPE = -0.001
"""The activation is printed as max(x, -0.001x): below zero it rises to the left, unlike a leaky ReLU's."""
_LEAST_LOG_STD, _MOST_LOG_STD = -20.0, 2.0
_HALF_LOG_2_PI, _LOG_2 = 0.9189385332046727, 0.6931471805599453


class PrintedReLU(nn.Module):
    """max(x, slope * x), as printed."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the activation, of the shape of `x`."""
        return leaky_relu(x, PRINTED_SLOPE)


def make_hidden_layers(inputs: int, width: int, layers: int) -> nn.Sequential:
    """Return `layers` layers of `width` neurons, each with its activation."""
    parts: list[nn.Module] = []
    for number in range(layers):
        parts += [nn.Linear(inputs if number == 0 else width, width), PrintedReLU()]
    return nn.Sequential(*parts)


class StateValues(nn.Module):
    """One pass gives the values of all moves: the network of Qlearn-All."""

    def __init__(self, observation_size: int, num_moves: int, width: int = 256, layers: int = 4) -> None:
        super().__init__()
        self.hidden = make_hidden_layers(observation_size, width, layers)
        self.head = nn.Linear(width, num_moves)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return (n, num_moves) values in -1 .. 1."""
        return torch.tanh(self.head(self.hidden(observation)))

    def evaluate_moves(self, observation: torch.Tensor, moves: torch.Tensor) -> torch.Tensor:
        """Return the value (n,) of one move in each state."""
        values: torch.Tensor = self(observation)
        return values.gather(1, moves[:, None])[:, 0]


class PairValues(nn.Module):
    """The value of a state and a move, which are both inputs: the network of Qlearn-8.

    The first layer's part that reads the state is computed once for all moves of a state.
    """

    def __init__(self, observation_size: int, num_moves: int, width: int = 256, layers: int = 4) -> None:
        super().__init__()
        self.state = nn.Linear(observation_size, width)
        self.move = nn.Embedding(num_moves, width)  # a linear layer that reads the move one-hot
        nn.init.uniform_(self.move.weight, -(observation_size**-0.5), observation_size**-0.5)
        self.hidden = nn.Sequential(PrintedReLU(), *make_hidden_layers(width, width, layers - 1))
        self.head = nn.Linear(width, 1)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return (n, num_moves) values in -1 .. 1."""
        first = self.state(observation)[:, None] + self.move.weight
        return torch.tanh(self.head(self.hidden(first)))[:, :, 0]

    def evaluate_moves(self, observation: torch.Tensor, moves: torch.Tensor) -> torch.Tensor:
        """Return the value (n,) of one move in each state."""
        return torch.tanh(self.head(self.hidden(self.state(observation) + self.move(moves))))[:, 0]


class Critic(nn.Module):
    """The value of a state and a continuous action, for the soft actor-critic."""

    def __init__(self, observation_size: int, action_size: int, width: int = 256, layers: int = 4) -> None:
        super().__init__()
        self.hidden = make_hidden_layers(observation_size + action_size, width, layers)
        self.head = nn.Linear(width, 1)

    def forward(self, observation: torch.Tensor, action: torch.Tensor) -> torch.Tensor:
        """Return values (n,) in -1 .. 1."""
        return torch.tanh(self.head(self.hidden(torch.cat((observation, action), dim=1))))[:, 0]


class GaussianPolicy(nn.Module):
    """A normal distribution over `action_size` numbers, squashed by tanh (section 2.2.3)."""

    def __init__(self, observation_size: int, action_size: int, width: int = 256, layers: int = 4) -> None:
        super().__init__()
        self.hidden = make_hidden_layers(observation_size, width, layers)
        self.head = nn.Linear(width, 2 * action_size)

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return means and logarithms of standard deviations, (n, action_size) each, before the squashing."""
        mean, log_std = self.head(self.hidden(observation)).chunk(2, dim=1)
        return mean, log_std.clamp(_LEAST_LOG_STD, _MOST_LOG_STD)

    def sample(self, observation: torch.Tensor, normals: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return squashed actions (n, action_size) made of standard normal numbers, and their log densities (n,)."""
        mean, log_std = (part.float() for part in self(observation))
        raw = mean + log_std.exp() * normals
        density = -0.5 * normals**2 - log_std - _HALF_LOG_2_PI
        squashing = 2 * (_LOG_2 - raw - nn.functional.softplus(-2 * raw))  # log(1 - tanh(raw)^2), without overflow
        return torch.tanh(raw), (density - squashing).sum(dim=1)


def native_bfloat16() -> bool:
    """Return True where the processor multiplies bfloat16 numbers itself."""
    capabilities = torch.cpu.get_capabilities()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16") or capabilities.get("bf16"))
