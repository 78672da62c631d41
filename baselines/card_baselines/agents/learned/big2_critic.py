"""The critic that training with all hands in view leaves beside a Big 2 policy, for searches with imagined hands.

It estimates what a position is worth to the seat to act when all hands are known, and predicts from what that seat may
see who holds each unseen card. `asymmetric_ppo` trains both and saves them in the run folder as `critic.safetensors`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.dense_layers import apply_layers
from card_baselines.agents.learned.hidden_hands import HIDDEN_SIZE, NUM_OPPONENTS, show_hidden_hands
from card_baselines.agents.learned.mlp_policy import read_weights
from card_baselines.run_folder import CONFIG
from card_envs.agent import Decisions
from card_envs.cards import DECK_SIZE
from card_envs.game import Game, Tables
from card_envs.typing import Floats, Rows

CRITIC = "critic.safetensors"


class Big2Critic:
    """Values of positions with known hands, and the likely holders of unseen cards."""

    def __init__(self, folder: Path, game: Game, embed: Callable[[Decisions], torch.Tensor]) -> None:
        """Load the critic of a run folder.

        Args:
            folder: Run folder, with config.json and critic.safetensors.
            game: Big 2, observed with the encoder of the policy.
            embed: Function (n decisions) -> (n, width) last hidden layer of the policy.

        Raises:
            ValueError: If the file is damaged, or does not fit config.json.
        """
        config = json.loads((folder / CONFIG).read_text())
        weights = read_weights(folder / CRITIC)
        self._game, self._embed = show_hidden_hands(game), embed
        self._reward_scale = float(config["reward_scale"])
        self._value = make_critic(self._game.layout.size, tuple(config["critic_hidden"]))
        self._cards = torch.nn.Linear(config["hidden"][-1], HIDDEN_SIZE) if "cards.weight" in weights else None
        parts = {"value": self._value} | ({"cards": self._cards} if self._cards else {})
        try:
            torch.nn.ModuleDict(parts).load_state_dict(weights)
        except RuntimeError as error:
            raise ValueError(f"{folder / CRITIC} does not fit {folder / CONFIG}: {error}") from error

    @property
    def predicts_cards(self) -> bool:
        """Whether it was trained to predict the holders of cards."""
        return self._cards is not None

    @torch.inference_mode()
    def estimate_values(self, tables: Tables, rows: Rows) -> Floats:
        """Return (n,) points that the actors of the tables `rows`, whose hands are all known, can expect to win."""
        observation, _ = self._game.observe_actors(tables, rows)
        value = apply_layers(list(self._value), torch.from_numpy(observation).float())
        return np.asarray(value[:, 0].double().numpy() / self._reward_scale)

    @torch.inference_mode()
    def predict_holders(self, decisions: Decisions) -> NDArray[np.float32]:
        """Return log-probabilities (n, 3, 52) that an opponent, the next seat first, holds a card.

        Those of cards that no opponent holds mean nothing. Raises ValueError if it was not trained to predict cards.
        """
        if self._cards is None:
            raise ValueError("this critic was trained without a prediction of cards")
        logits = self._cards(self._embed(decisions)).view(-1, NUM_OPPONENTS, DECK_SIZE)
        return np.asarray(torch.log_softmax(logits, dim=1).numpy())


def make_critic(num_inputs: int, hidden: tuple[int, ...]) -> torch.nn.Sequential:
    """Return a network that computes a value, with hidden layers of these widths."""
    layers: list[torch.nn.Module] = []
    for inputs, outputs in zip((num_inputs, *hidden), hidden, strict=False):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers, torch.nn.Linear((num_inputs, *hidden)[-1], 1))
