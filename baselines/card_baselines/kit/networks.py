"""Models of Stable-Baselines3 and RLlib as networks that `save_onnx_agent` takes, and as agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.kit.policies import policy_agent
from card_envs.agent import Agent


class _Actor(torch.nn.Module):
    """The part of another library's policy that computes the logits of all actions."""

    def __init__(self, policy: Any, compute_logits: Callable[[Any, torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.policy, self._compute_logits = policy, compute_logits

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return logits (n, num_actions) of observations (n, d)."""
        return self._compute_logits(self.policy, observation)


def sb3_network(model: Any) -> torch.nn.Module:
    """Return the actor of a model of PPO, A2C or MaskablePPO with "MlpPolicy", as `save_onnx_agent` needs it."""

    def compute_logits(policy: Any, observation: torch.Tensor) -> torch.Tensor:
        features = policy.extract_features(observation, policy.pi_features_extractor)
        logits: torch.Tensor = policy.action_net(policy.mlp_extractor.forward_actor(features))
        return logits

    return _Actor(model.policy, compute_logits)


def rllib_network(module: Any) -> torch.nn.Module:
    """Return the actor of RLlib's masked PPO module (`card_wrappers.rllib`), as `save_onnx_agent` needs it.

    Args:
        module: The module, such as `algorithm.get_module("shared")`.
    """

    def compute_logits(module: Any, observation: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = module.pi(module.encoder({"obs": observation})["encoder_out"]["actor"])
        return logits

    return _Actor(module, compute_logits)


def sb3_agent(model: Any, name: str = "model") -> Agent:
    """Return the present policy of a model of Stable-Baselines3 as an agent, for matches during training."""
    network = sb3_network(model)

    @torch.inference_mode()
    def compute_probabilities(observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[Any]:
        logits = network(torch.as_tensor(observation, dtype=torch.float32, device=model.device))
        legal = torch.as_tensor(mask, device=model.device) == 1
        return np.asarray(torch.softmax(logits.double().masked_fill(~legal, -torch.inf), dim=1).cpu().numpy())

    return policy_agent(compute_probabilities, name)
