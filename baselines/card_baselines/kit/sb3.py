"""Models of Stable-Baselines3 as networks and as agents."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.kit.policies import policy_agent
from card_envs.agent import Agent


class _Actor(torch.nn.Module):
    """The part of an actor-critic policy that computes the logits of all actions."""

    def __init__(self, policy: Any) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return logits (n, num_actions) of observations (n, d)."""
        features = self.policy.extract_features(observation, self.policy.pi_features_extractor)
        logits: torch.Tensor = self.policy.action_net(self.policy.mlp_extractor.forward_actor(features))
        return logits


def sb3_network(model: Any) -> torch.nn.Module:
    """Return the actor of a model of PPO, A2C or MaskablePPO with "MlpPolicy", as `save_onnx_agent` needs it."""
    return _Actor(model.policy)


def sb3_agent(model: Any, name: str = "model") -> Agent:
    """Return the present policy of such a model as an agent, for matches during training."""
    network = sb3_network(model)

    @torch.inference_mode()
    def compute_probabilities(observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[Any]:
        logits = network(torch.as_tensor(observation, dtype=torch.float32, device=model.device))
        legal = torch.as_tensor(mask, device=model.device) == 1
        return np.asarray(torch.softmax(logits.double().masked_fill(~legal, -torch.inf), dim=1).cpu().numpy())

    return policy_agent(compute_probabilities, name)
