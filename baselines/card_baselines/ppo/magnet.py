"""A magnet: an earlier policy of the learner, from which the latest one is not to stray far.

In zero-sum games, policies that each answer the other run in circles. With a penalty for the distance from a fixed
policy they come to rest near it; and if the point of rest becomes the next fixed policy, and so on, near an equilibrium
(Perolat et al., Mastering the game of Stratego with model-free multi-agent reinforcement learning, Science 2022, who
put the penalty into the rewards; Sokota et al., A unified approach to reinforcement learning, quantal response
equilibria, and two-player zero-sum games, ICLR 2023, who put it into the loss, as is done here). With the uniform
policy as the magnet the penalty is a bonus for entropy, which `self_play_ppo` has besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

import torch

from card_baselines.agents.learned.actor_critic import ActorCritic


class Magnet:
    """A copy of the learner's network, which follows it in jumps."""

    def __init__(self, network: ActorCritic, updates: int) -> None:
        """Begin where the network is, nearly at random; follow every `updates` updates."""
        self.network = deepcopy(network).requires_grad_(False)
        self._updates = updates

    def follow(self, network: ActorCritic, updates: int) -> None:
        """Become the network if that is due after so many updates in all."""
        if updates % self._updates == 0:
            self.load(network.state_dict())

    def divergence(
        self, log_probabilities: torch.Tensor, observation: torch.Tensor, legal: torch.Tensor
    ) -> torch.Tensor:
        """Return the mean KL divergence of the policy from the magnet, with the gradient of the policy alone.

        `log_probabilities` (n, k) are the policy's, of the `legal` actions (n, k) that `observation` (n, d) has.
        """
        with torch.no_grad():
            logits, _ = self.network(observation, legal)
        apart = log_probabilities - torch.log_softmax(logits, dim=1)
        return (log_probabilities.exp() * apart).sum(dim=1).mean()

    def state_dict(self) -> dict[str, torch.Tensor]:
        """Return the weights, from which `load` makes it again."""
        return {name: tensor.clone() for name, tensor in self.network.state_dict().items()}

    def load(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Take these weights."""
        self.network.load_state_dict(weights)
