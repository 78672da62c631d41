"""The algorithm `recurrent_ppo`: sb3-contrib's RecurrentPPO (PPO with an LSTM) with action masks.

Illegal actions have the smallest finite logit, when acting and when learning. The LSTM state is reset at every deal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from sb3_contrib import RecurrentPPO
from sb3_contrib.ppo_recurrent.policies import MlpLstmPolicy
from stable_baselines3.common.distributions import Distribution

from card_baselines.agents.learned.recurrent_policy import RecurrentPolicy
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.ranges import AT_LEAST_1
from card_baselines.sb3 import maskable_ppo
from card_baselines.sb3.mask_at_end import MaskAtEnd, MaskRemover, extractor_settings, mask_values
from card_baselines.sb3.sb3_run import MAY_CHANGE, Sb3Learner


@dataclass(frozen=True, kw_only=True)
class Config(maskable_ppo.Config):
    """Settings of a run."""

    num_tables: int = 128
    minibatch: int = 1024
    memory: Annotated[int, AT_LEAST_1] = 128
    """Size of the hidden state of the LSTM."""
    hidden: tuple[int, ...] = (128,)


class MaskedLstmPolicy(MlpLstmPolicy):
    """SB3's recurrent policy for observations that end with the mask."""

    def _get_action_dist_from_latent(self, latent_pi: torch.Tensor) -> Distribution:
        assert isinstance(self.features_extractor, MaskRemover)  # it was just called on the observations of `latent_pi`
        logits = mask_values(self.action_net(latent_pi), self.features_extractor.latest)
        return self.action_dist.proba_distribution(action_logits=logits)


class RecurrentPpoLearner(Sb3Learner):
    """Learner of RecurrentPPO with `MaskedLstmPolicy`."""

    model_class = RecurrentPPO
    wrap_tables = MaskAtEnd
    policy_class = RecurrentPolicy

    @staticmethod
    def model_settings(config: Config) -> dict[str, Any]:
        """Return the arguments of RecurrentPPO."""
        settings = maskable_ppo.MaskablePpoLearner.model_settings(config)
        memory = {"lstm_hidden_size": config.memory, **extractor_settings(config.game())}
        return {**settings, "policy": MaskedLstmPolicy, "policy_kwargs": {**settings["policy_kwargs"], **memory}}

    def policy_parameters(self) -> Iterable[torch.nn.Parameter]:
        """Return the parameters of the policy: the LSTM, then the fully connected layers."""
        policy = self.model.policy
        head = (*policy.mlp_extractor.policy_net.parameters(), *policy.action_net.parameters())
        return [*policy.lstm_actor.parameters(), *head]


ALGORITHM = make_game_algorithm(
    "recurrent_ppo", Config, RecurrentPpoLearner, agent="recurrent", may_change=MAY_CHANGE, activation="tanh"
)
