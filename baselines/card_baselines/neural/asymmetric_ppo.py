"""Self-play PPO with a critic that sees all hands: an asymmetric actor-critic for Big 2.

Pinto et al. (Asymmetric actor critic for image-based robot learning, RSS 2018) give the critic the full state, which a
simulator knows, and the policy what it will see when it plays. PerfectDou (Yang et al., NeurIPS 2022) does so in a
shedding game. Most of what a deal is worth lies in hidden cards, so such a value leaves advantages with less noise, and
the policy gradient stays unbiased. The policy may also have a second head, which predicts who holds each unseen card
(52 x 3), and so shapes the last hidden layer.

Everything else is self-play PPO, `card_baselines.ppo`: the learner's game shows the hidden hands behind each
observation, and this network keeps them from the policy. What plays in the end is an ordinary policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.mlp_policy import make_layers
from card_baselines.ppo.algorithm import make_callbacks
from card_baselines.ppo.config import Config as PpoConfig
from card_baselines.ppo.config import Schedules
from card_baselines.ppo.fast_cpu import FastActorCritic, FastPpo
from card_baselines.ppo.network import EXPLOITER, VALUE_GAIN, initialise
from card_baselines.ppo.ppo import Loss, ppo_loss
from card_baselines.ppo.presets import PRESETS as PPO_PRESETS
from card_baselines.run_folder import RunFolder
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.ranges import AT_LEAST_0, AT_LEAST_1
from card_envs.cards import DECK_SIZE
from card_envs.game import Game, Tables
from card_envs.games.big2.config import is_big2
from card_envs.games.big2.state import NUM_SEATS
from card_envs.observation import Block, Encoder, Layout, observation_records

NUM_OPPONENTS = NUM_SEATS - 1
HIDDEN_SIZE = NUM_OPPONENTS * DECK_SIZE
"""Size of the hidden hands, the last numbers of an observation."""
_HIDDEN = Block(
    "hidden_hands", (NUM_OPPONENTS, DECK_SIZE), "cards 3D .. 2S in the hand of each opponent, the next seat first"
)


def show_hidden_hands(game: Game) -> Game:
    """Return Big 2 whose observations end with one more block: the opponent that holds each unseen card."""
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
        raise NotImplementedError("hidden hands are observed for batches of tables only: call observe_batch")

    name = f"{own.name}+hidden_hands"
    return replace(game, encoder=Encoder(name, own.version, layout, observe, observe_batch, own.decode))


def list_hidden_hands(tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return (n, 3 * 52) 1 where an opponent of the actor of tables[rows[j]] holds a card, the next seat first."""
    seats = (tables["actor"][rows, None].astype(np.int64) + np.arange(1, NUM_SEATS)) % NUM_SEATS
    held = np.take_along_axis(tables["held"][rows], seats, axis=1)
    return ((held[:, :, None] >> np.arange(DECK_SIZE)) & 1).astype(np.int8).reshape(len(rows), HIDDEN_SIZE)


@dataclass(frozen=True, kw_only=True)
class Config(PpoConfig):
    """Settings of self-play PPO, and those of the critic and the prediction of cards."""

    critic_hidden: Annotated[tuple[int, ...], AT_LEAST_1] = (256, 128)
    """Widths of the hidden layers of the critic, which shares none with the policy."""
    critic_updates: Annotated[int, AT_LEAST_0] = 50
    """Updates in which critic and prediction of cards alone learn, where a run starts from a policy without them."""
    card_prediction: Annotated[float, AT_LEAST_0] = 0.0
    """Weight of the cross-entropy of the predicted holders of unseen cards, in nats a card; 0 for no prediction."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range and for what goes with plain PPO alone."""
        super().__post_init__()
        if EXPLOITER in self.opponents:
            raise ValueError("opponents: exploiters learn by plain PPO; leave them out, or train self_play_ppo")
        if self.shared_layers:
            raise ValueError(f"shared_layers {self.shared_layers} must be 0: policy and critic see different things")
        if self.fast_cpu != "float32":
            raise ValueError(f"fast_cpu {self.fast_cpu!r} must be float32: this network is computed in no other way")


class AsymmetricActorCritic(FastActorCritic):
    """A policy that reads the first part of an observation, and a critic that reads all of it."""

    def __init__(self, observation_size: int, config: Config, num_actions: int) -> None:
        """Make a network for observations whose last `HIDDEN_SIZE` numbers are hidden hands."""
        self._own_size = observation_size - HIDDEN_SIZE
        super().__init__(self._own_size, config.hidden, num_actions, config.activation)
        self.value = make_layers(observation_size, config.critic_hidden, 1, "relu")
        initialise(self.value, VALUE_GAIN)
        self.cards = torch.nn.Linear(config.hidden[-1], HIDDEN_SIZE) if config.card_prediction else None
        if self.cards:
            initialise([self.cards], last_gain=0.01)

    def forward(self, observation: torch.Tensor, legal: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (n, k) of the legal actions (n, k) and values (n,)."""
        return self.compute_logits(self.embed_own(observation), legal), self.compute_value(observation)

    def embed_own(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the last hidden layer (n, d) of the policy, which sees no hidden hands."""
        return self.embed(list(self.policy.layers)[:-1], observation[:, : self._own_size])

    def compute_logits(self, hidden: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
        """Return logits (n, k) of the legal actions (n, k), given the last hidden layer."""
        return self.logits(hidden, cast(torch.nn.Linear, self.policy.layers[-1]), legal)

    def compute_value(self, observation: torch.Tensor) -> torch.Tensor:
        """Return values (n,)."""
        return self.embed(list(self.value), observation)[:, 0]


class AsymmetricPpo(FastPpo):
    """Self-play PPO with such a network."""

    config: Config

    def __init__(self, config: Config, game: Game) -> None:
        """Begin with a network that plays nearly at random; ValueError for other games than Big 2."""
        if not is_big2(game):
            raise ValueError(f"asymmetric_ppo learns Big 2, not {game.name}: train self_play_ppo")
        super().__init__(config, show_hidden_hands(game), make_callbacks(config, game))

    def make_network(self) -> AsymmetricActorCritic:
        """Return a new network."""
        return AsymmetricActorCritic(self.game.layout.size, self.config, self.game.num_actions)

    def compute_loss(self, minibatch: Mapping[str, torch.Tensor], schedules: Schedules) -> Loss:
        """Return the loss of PPO, plus that of the predicted cards.

        While only the critic is trained, the gradients of the policy are not computed.
        """
        network = cast(AsymmetricActorCritic, self.network)
        observation = minibatch["observation"].float()
        if self.updates < self.value_updates:
            with torch.no_grad():
                hidden = network.embed_own(observation) if network.cards else None
            error = 0.5 * (network.compute_value(observation) - minibatch["target"]).square().mean()
            loss, measures = error, {"value_loss": error.detach()}
        else:
            hidden = network.embed_own(observation)
            log_probabilities = torch.log_softmax(network.compute_logits(hidden, minibatch["legal"]), dim=1)
            value = network.compute_value(observation)
            loss, measures = ppo_loss(log_probabilities, value, minibatch, schedules, self.config)
        if network.cards is None or hidden is None:
            return loss, measures
        hidden_hands = observation[:, -HIDDEN_SIZE:]
        error = card_loss(network.cards(hidden), hidden_hands)
        measures |= {"card_loss": error.detach(), "uniform_card_loss": uniform_card_loss(hidden_hands)}
        return loss + self.config.card_prediction * error, measures

    def start_from(self, run: RunFolder) -> None:
        """Begin with the networks of another run of this algorithm, or with the policy of any; then the critic learns.

        Where there is a policy alone, the critic alone learns for `critic_updates`.
        """
        super().start_from(run)
        self.value_updates = self.config.critic_updates if self.value_updates else 0


def card_loss(logits: torch.Tensor, hidden_hands: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy, in nats a card, of the predicted holders of the cards that opponents hold.

    Args:
        logits: (n, 3 * 52) for each opponent, the next seat first, and each card.
        hidden_hands: (n, 3 * 52) 1 where the opponent holds the card.
    """
    holders = hidden_hands.view(len(hidden_hands), NUM_OPPONENTS, -1)
    log_probabilities = torch.log_softmax(logits.view_as(holders), dim=1)
    return -(holders * log_probabilities).sum() / holders.sum()


def uniform_card_loss(hidden_hands: torch.Tensor) -> torch.Tensor:
    """Return the same for deals that are equally likely: a card's chances are as the numbers of cards held.

    Args:
        hidden_hands: (n, 3 * 52) 1 where the opponent holds the card.
    """
    counts = hidden_hands.view(len(hidden_hands), NUM_OPPONENTS, -1).sum(dim=2)
    shares = counts / counts.sum(dim=1, keepdim=True)
    return -torch.xlogy(counts, shares).sum() / counts.sum()


def _with_critic(preset: PpoConfig, **changes: Any) -> Config:
    """Return the settings of a preset of PPO, with a critic of its own and these changes."""
    return replace(Config(**vars(replace(preset, shared_layers=0, fast_cpu="float32"))), **changes)


PRESETS = {
    # Made for --start-from an imitation of ppo_big2 (`distill --preset big2`), which saves most of an hour.
    "asymmetric_big2": _with_critic(
        PPO_PRESETS["ppo_big2"],
        env_args=("encoder=clean",), card_prediction=0.1, num_tables=512, batch=16_384, minibatch=4096, epochs=2,
        learning_rate=(5e-4, 1e-5), entropy=(0.008, 0.002), average=0.995, panel=("ppo_big2", "big2_planner"),
        minutes=100.0, evaluation_seconds=900.0, final_hands=40_000,
    ),
}  # fmt: skip

ALGORITHM = make_game_algorithm("asymmetric_ppo", Config, AsymmetricPpo, presets=PRESETS, keeps_frozen_selves=True)
