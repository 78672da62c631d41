"""One learner of Shi et al. (2022): its memory of hands, and the updates of its actor and critic (sections 4.1 to 4.4).

The critic moves towards r + sum_a' pi(a' | o') Q_target(w', a'), without discount; the actor towards the largest
sum_a pi(a | o) Q(w, a), with a bonus for entropy: without it, a policy that has settled on one action never leaves it.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.learning.adam import Adam
from card_baselines.learning.memories import ReplayMemory
from card_baselines.learning.optimisation import set_learning_rate, take_step
from card_baselines.papers.shi2022.config import Config
from card_baselines.papers.shi2022.networks import PokerNetwork, action_probabilities
from card_baselines.papers.shi2022.rollout import ROW_FIELDS, Trajectories
from card_baselines.runs.checkpoint import collect_parts, read_count, restore_parts
from card_baselines.runs.learner import divergence_error
from card_envs.cards import DECK_SIZE

_HANDS_PER_ROW = 0.5
"""Room for hands in a replay, for each row: more than hands have on average."""
_MAX_GRADIENT_NORM = 1.0
_UNUSED = np.random.default_rng(0)
"""Random generator for memories that need none."""


class Replay:
    """The last rows of experience, and the hands that they belong to; older ones are overwritten."""

    def __init__(self, rows: int, most_tokens: int, num_seats: int, fixed_size: int, num_actions: int) -> None:
        """Make an empty memory of at most `rows` rows."""
        widths = {"fixed": (fixed_size,), "percentiles": (num_seats,), "mask": (num_actions,)}
        self.rows = ReplayMemory(rows, {name: (widths.get(name, ()), dtype) for name, dtype in ROW_FIELDS.items()})
        self.hands = ReplayMemory(max(1, int(rows * _HANDS_PER_ROW)), {
            "tokens": ((most_tokens,), np.uint16),
            "holes": ((2 * num_seats,), np.uint8),
            "first": ((), np.int64),  # number of a hand's first row, counted from the start
            "count": ((), np.int64),
        })  # fmt: skip

    def add(self, trajectories: Trajectories) -> None:
        """Add the hands of trajectories; they replace the oldest rows."""
        counts = trajectories.counts
        if counts.sum() > self.rows.capacity or len(counts) > self.hands.capacity:
            raise ValueError(
                f"a replay of {self.rows.capacity} rows cannot hold a round of {counts.sum()}: make it larger"
            )
        first = self.rows.num_added + np.cumsum(counts) - counts
        self.hands.add(_UNUSED, tokens=trajectories.tokens, holes=trajectories.holes, first=first, count=counts)
        self.rows.add(_UNUSED, **trajectories.rows)

    def sample(self, hands: int, rng: np.random.Generator) -> dict[str, torch.Tensor]:
        """Return the rows of some random hands, with `hand` (which of them) and `next` (row of the next state)."""
        total, firsts = self.hands.num_added, self.hands.column("first")
        num_whole = int((firsts >= self.rows.num_added - self.rows.capacity).sum())  # others lack overwritten rows
        picked = rng.integers(total - num_whole, total, hands) % self.hands.capacity
        first, count = firsts[picked], self.hands.column("count")[picked]
        hand = np.repeat(np.arange(hands), count)
        rows = (np.repeat(first - np.cumsum(count) + count, count) + np.arange(len(hand))) % self.rows.capacity
        batch = {name: torch.from_numpy(self.rows.column(name)[rows]) for name in ROW_FIELDS}
        longest = int(batch["length"].max())
        batch["tokens"] = torch.from_numpy(self.hands.column("tokens")[picked, :longest].astype(np.int64))
        batch["holes"] = torch.from_numpy(self.hands.column("holes")[picked].astype(np.int64))
        batch["hand"] = torch.from_numpy(hand)
        batch["next"] = torch.from_numpy(np.minimum(np.arange(1, len(hand) + 1), len(hand) - 1))
        return batch


class ActorCriticLearner:
    """An actor with its critic, the critic's target network, and the hands that it learns from."""

    def __init__(
        self, actor: PokerNetwork, critic: PokerNetwork, replay: Replay, settings: Config, chips_per_small_bet: float
    ) -> None:
        """Begin with no experience."""
        self._chips = chips_per_small_bet
        self.actor, self.critic, self.target_critic = actor, critic, deepcopy(critic)
        self.replay, self.updates, self._settings = replay, 0, settings
        self._actor_optimiser = Adam(actor.parameters(), settings.learning_rate_actor, fused=True)
        self._critic_optimiser = Adam(critic.parameters(), settings.learning_rate_critic, fused=True)

    def update(self, rng: np.random.Generator, share: float = 1.0) -> dict[str, float]:
        """Update once on a batch of hands, with a `share` of the learning rates and of the entropy; return the losses.

        The actor is not updated during the first `warm_up` updates of the critic.
        """
        sampled = self.replay.sample(self._settings.batch_hands, rng)
        batch = {name: tensor.to(self.actor.device) for name, tensor in sampled.items()}
        logits = self.actor(batch["fixed"].float(), self._read_history(self.actor, batch))
        probabilities = action_probabilities(logits, batch["mask"])
        cards = self._critic_inputs(batch)
        values = self.critic(cards, self._read_history(self.critic, batch))
        chosen = values.gather(1, batch["action"].long()[:, None])[:, 0]
        critic_loss = (chosen - self._targets(batch, cards, probabilities)).square().mean()
        entropy = -(probabilities * torch.log(probabilities.clamp(min=1e-8))).sum(dim=1).mean()
        actor_loss = -(probabilities * values.detach()).sum(dim=1).mean()
        self._require_finite(critic_loss, actor_loss)
        settings = self._settings
        set_learning_rate(self._critic_optimiser, settings.learning_rate_critic * share)
        take_step(self._critic_optimiser, critic_loss, _MAX_GRADIENT_NORM)
        if self.updates >= settings.warm_up:
            set_learning_rate(self._actor_optimiser, settings.learning_rate_actor * share)
            take_step(self._actor_optimiser, actor_loss - settings.entropy * share * entropy, _MAX_GRADIENT_NORM)
        self._update_target()
        self.updates += 1
        measures = {"critic_loss": critic_loss, "actor_loss": actor_loss, "entropy": entropy}
        return {name: float(measure.detach()) for name, measure in measures.items()}

    def _read_history(self, network: PokerNetwork, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the encoding of the betting at each row, by one pass over the hands."""
        return network.history.encode_first(batch["tokens"], batch["hand"], batch["length"].long())

    def _critic_inputs(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the critic's inputs beside the history."""
        hands, cards = batch["holes"].shape
        holes = torch.zeros(hands, cards // 2, DECK_SIZE, device=self.actor.device)
        holes.scatter_(2, batch["holes"].view(hands, cards // 2, 2), 1.0)
        parts = [batch["fixed"].float(), holes.view(hands, -1)[batch["hand"]]]
        return torch.cat([*parts, batch["percentiles"].float()] if self._settings.hand_features else parts, dim=1)

    @torch.no_grad()
    def _targets(
        self, batch: dict[str, torch.Tensor], cards: torch.Tensor, probabilities: torch.Tensor
    ) -> torch.Tensor:
        following = self.target_critic(cards, self._read_history(self.target_critic, batch))
        expected = (probabilities * following).sum(dim=1)[batch["next"]]
        return self.rewards(batch) + torch.where(batch["done"], 0.0, expected)

    def rewards(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        """Return the rewards of rows (section 4.3) in small bets, times the scale of values.

        Minus the chips put in; the share of the pot for a win, or its square ("printed").
        """
        settings = self._settings
        share = batch["share"] / self._chips
        if settings.reward == "printed":
            share = share.square()
        return settings.value_scale * (share - batch["cost"] / self._chips)

    def _require_finite(self, critic: torch.Tensor, actor: torch.Tensor) -> None:
        if not (torch.isfinite(critic) and torch.isfinite(actor)):
            losses = f"critic loss {float(critic.detach())}, actor loss {float(actor.detach())}"
            raise divergence_error(f"update {self.updates} gave {losses}", self._settings.learning_rate_critic)

    @torch.no_grad()
    def _update_target(self) -> None:
        for slow, fast in zip(self.target_critic.parameters(), self.critic.parameters(), strict=True):
            slow.lerp_(fast, self._settings.polyak)

    @property
    def _parts(self) -> dict[str, Any]:
        """All that has a state, by name; beside it there is the number of updates."""
        return {
            "actor": self.actor, "critic": self.critic, "target_critic": self.target_critic,
            "actor_optimiser": self._actor_optimiser, "critic_optimiser": self._critic_optimiser,
            "rows": self.replay.rows, "hands": self.replay.hands,
        }  # fmt: skip

    def state_dict(self) -> dict[str, Any]:
        """Return tensors and a number from which `load_state_dict` continues."""
        return {**collect_parts(self._parts), "updates": self.updates}

    def load_state_dict(self, state: dict[str, NDArray[Any]]) -> None:
        """Continue from a `state_dict`."""
        self.updates = read_count(state, "updates")
        restore_parts(self._parts, {name: torch.from_numpy(array) for name, array in state.items()})
