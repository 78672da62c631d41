"""Functions and networks as agents: their probabilities, and models of Stable-Baselines3 and RLlib as networks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.mlp_policy import compute_probabilities
from card_envs.agent import Agent, Decisions, StochasticAgent

Policy = Callable[[NDArray[Any], NDArray[np.int8]], NDArray[Any]]
"""Function from observations (n, d) and action masks (n, num_actions) to action probabilities (n, num_actions)."""


class _PolicyAgent(StochasticAgent):
    """Plays the probabilities that a function returns."""

    is_stateless = True

    def __init__(self, policy: Policy, name: str) -> None:
        self._policy, self.name = policy, name

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return the function's probabilities, (n, num_actions)."""
        return np.asarray(self._policy(decisions.observation, decisions.action_mask))


def policy_agent(policy: Policy, name: str = "policy") -> Agent:
    """Return an agent that plays the probabilities of a function, for matches and best responses within a script.

    Args:
        policy: Function of observations (n, d) and action masks (n, num_actions) that returns probabilities
            (n, num_actions): rows sum to 1 over legal actions.
        name: Name of the agent in results.

    Example:
        >>> from card_envs import make_game
        >>> from card_envs.match import play_match
        >>> uniform = policy_agent(lambda observation, mask: mask / mask.sum(axis=1, keepdims=True), "uniform")
        >>> play_match(make_game("kuhn_poker-v0"), [uniform, uniform], hands=10, seed=0).names
        ('uniform', 'uniform')
    """
    return _PolicyAgent(policy, name)


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
    return policy_agent(partial(compute_probabilities, sb3_network(model)), name)
