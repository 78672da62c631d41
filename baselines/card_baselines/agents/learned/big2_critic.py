"""A value of Big 2 positions in which all hands are known: the critic that `asymmetric_ppo` leaves in a run folder.

Search deals the hidden cards, so it may ask the critic instead of playing a deal to its end.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from card_baselines.agents.learned.mlp_policy import read_weights
from card_envs.cards import DECK_SIZE
from card_envs.game import Game, Tables
from card_envs.games.big2.state import NUM_SEATS
from card_envs.observation import Block, Encoder, Layout, mask_records, observation_records

CRITIC_WEIGHTS = "critic.safetensors"
"""Weights of the critic, in the run folder beside those of the policy."""
NUM_OPPONENTS = NUM_SEATS - 1
HIDDEN_SIZE = NUM_OPPONENTS * DECK_SIZE
_HIDDEN = Block(
    "hidden_hands", (NUM_OPPONENTS, DECK_SIZE), "cards 3D .. 2S in the hand of each opponent, the next seat first"
)


def make_critic(num_inputs: int, hidden: tuple[int, ...]) -> torch.nn.Sequential:
    """Return a network of a value with hidden layers of these widths."""
    layers: list[torch.nn.Module] = []
    for inputs, outputs in zip((num_inputs, *hidden), hidden, strict=False):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear((num_inputs, *hidden)[-1], 1))


class Big2Critic:
    """Points that the actor of a position wins in the mean, where the policy of the same run plays all seats."""

    def __init__(self, game: Game, network: torch.nn.Sequential) -> None:
        """Take a network that reads observations of the game with hidden hands."""
        self._game, self._network = show_hidden_hands(game), network.eval()

    @classmethod
    def load(cls, folder: Path, game: Game) -> Self:
        """Return the critic in a run folder; raises ValueError where there is none that fits the game."""
        weights = read_weights(folder / CRITIC_WEIGHTS)
        biases = sorted((name for name in weights if name.endswith("bias")), key=lambda name: int(name.split(".")[0]))
        hidden = tuple(len(weights[name]) for name in biases[:-1])
        network = make_critic(show_hidden_hands(game).layout.size, hidden)
        network.load_state_dict(weights)
        return cls(game, network)

    @torch.inference_mode()
    def compute_values(self, tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return (n,) points of the actors of tables[rows]."""
        observation = np.empty((len(rows), self._game.layout.size), self._game.layout.dtype)
        masks = np.empty((len(rows), self._game.num_actions), np.int8)
        self._game.encoder.observe_batch(tables, rows, observation_records(observation), mask_records(masks))
        value: torch.Tensor = self._network(torch.from_numpy(observation).float())
        return np.asarray(value[:, 0].double().numpy())


def save_critic(network: torch.nn.Sequential, reward_scale: float, path: Path) -> None:
    """Write the weights of a critic of rewards times `reward_scale`, so that it tells points when it is loaded."""
    weights = {name: tensor.detach().clone() for name, tensor in network.state_dict().items()}
    for name in list(weights)[-2:]:
        weights[name] /= reward_scale
    save_file(weights, path)


def show_hidden_hands(game: Game) -> Game:
    """Return Big 2 with one more block of observations, the last: who holds each card that the actor does not see."""
    own = game.encoder

    def layout(config: Any) -> Layout:
        shown = own.layout(config)
        return replace(shown, blocks=(*shown.blocks, _HIDDEN))

    def observe_batch(tables: Tables, rows: NDArray[np.int64], observations: Any, masks: Any) -> None:
        values = observations["values"]
        visible = np.empty((len(rows), game.layout.size), values.dtype)
        own.observe_batch(tables, rows, observation_records(visible), masks)
        values[:, : game.layout.size] = visible
        values[:, game.layout.size :] = list_hidden_hands(tables, rows)

    def observe(tables: Tables, i: Any, seat: Any, observations: Any, masks: Any) -> None:
        raise NotImplementedError("hidden hands are shown to the actors of many tables: call observe_batch")

    name = f"{own.name}+hidden_hands"
    return game.with_encoder(Encoder(name, own.version, layout, observe, observe_batch, own.decode))


def list_hidden_hands(tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return (n, 3 * 52) 1 where an opponent of the actor of tables[rows[j]] holds a card, the next seat first."""
    seats = (tables["actor"][rows, None].astype(np.int64) + np.arange(1, NUM_SEATS)) % NUM_SEATS
    held = np.take_along_axis(tables["held"][rows], seats, axis=1)
    return ((held[:, :, None] >> np.arange(DECK_SIZE)) & 1).astype(np.int8).reshape(len(rows), HIDDEN_SIZE)
