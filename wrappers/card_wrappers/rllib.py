"""RLlib: every environment id as a multi-agent environment with action masks, for PPO on the current API stack.

    config = ppo_config("limit_holdem-v0", num_players=2).env_runners(num_env_runners=2)
    algorithm = config.build_algo()
    algorithm.train()

One shared module plays all seats. The seat to act gets an observation; at the end of the deal every seat that has acted
gets its reward. RLlib has one module with action masks, for PPO in PyTorch. Other modules ignore the mask, and their
first illegal action raises an error.

RLlib requires one exact version of Gymnasium, so install it in a separate Python environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from card_envs.aec import GameAEC
from card_envs.envs import ENVS, find_entry, make_raw_env
from card_envs.game import IllegalActionError

try:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
except ImportError as error:
    raise ImportError(
        "card_wrappers.rllib needs Ray RLlib: pip install 'card-envs[rllib]', in an environment of its own"
    ) from error

__all__ = ["SHARED_MODULE", "CardMultiAgentEnv", "ppo_config"]

SHARED_MODULE = "shared"
"""Id of the module that plays all seats."""

_FIRST_SAMPLE_SECONDS = 600.0
_MAX_DEALS = 1_000

Returned = dict[str, Any]


class CardMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]  # Ray ships no types
    """One table whose seats are RLlib's agents. Observations are {"observations", "action_mask"}, float32.

    Args:
        config: Key "env_id" with an environment id, such as "limit_holdem-v0", and the arguments of that environment.

    Raises:
        ValueError: If `config` has no "env_id", or arguments that the environment refuses.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        settings = dict(config)
        if "env_id" not in settings:
            raise ValueError(f"env_config {sorted(settings)} has no env_id: add one, such as {next(iter(ENVS))!r}")
        self.env: GameAEC = make_raw_env(settings.pop("env_id"), **settings)
        self.possible_agents = list(self.env.possible_agents)
        self.agents = list(self.possible_agents)
        self.observation_spaces = {agent: _space(self.env) for agent in self.possible_agents}
        self.action_spaces = dict(self.env.action_spaces)
        self._has_acted: set[str] = set()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Returned, Returned]:
        """Deal the cards. A deal in which no seat has a decision is dealt again.

        Args:
            seed: Seed of this and all later deals; None continues the random stream.
            options: Options of this deal only, such as cards or stacks; see the page of the environment.

        Returns:
            The observation of the seat to act, and an empty info.

        Raises:
            TypeError: If the options are no mapping.
            ValueError: For values that no deal can have; unknown options are ignored with a warning.
            RuntimeError: If no deal has a decision.
        """
        known = self.env.game.check_options(options)
        self.env.reset(seed, known)
        for _ in range(_MAX_DEALS):
            if not self._is_over():
                self._has_acted.clear()
                return self._turn(), {}
            self.env.reset(None, known)
        raise RuntimeError(f"no seat had a decision in {_MAX_DEALS} deals with reset options {known}: check stacks")

    def step(self, action_dict: Mapping[str, Any]) -> tuple[Returned, Returned, Returned, Returned, Returned]:
        """Take the action of the seat to act.

        Args:
            action_dict: The seat to act -> action id.

        Returns:
            Observations, rewards, terminations, truncations and infos by seat.

        Raises:
            ValueError: If the actions are not those of the seat to act alone.
            IllegalActionError: For an illegal action.
        """
        agent = self.env.agent_selection
        if list(action_dict) != [agent]:
            raise ValueError(f"actions for {list(action_dict)}: only {agent} is to act")
        try:
            self.env.step(action_dict[agent])
        except IllegalActionError as error:
            raise IllegalActionError(
                f"{error}. A module that ignores 'action_mask' plays such actions: use ppo_config() or RLlib's "
                "ActionMaskingTorchRLModule"
            ) from error
        self._has_acted.add(agent)
        if self._is_over():
            return self._end()
        return self._turn(), {self.env.agent_selection: 0.0}, {"__all__": False}, {"__all__": False}, {}

    def _is_over(self) -> bool:
        return all(self.env.terminations.values())

    def _turn(self) -> Returned:
        agent = self.env.agent_selection
        seen = self.env.observe(agent)
        return {agent: _as_floats(seen["observation"], seen["action_mask"])}

    def _end(self) -> tuple[Returned, Returned, Returned, Returned, Returned]:
        """Return the rewards of the seats that have acted; RLlib accepts no rewards for other seats."""
        acted = [agent for agent in self.possible_agents if agent in self._has_acted]
        everything = np.ones(self.env.game.num_actions)  # a mask of zeros would leave no distribution over actions
        observations = {agent: _as_floats(self.env.observe(agent)["observation"], everything) for agent in acted}
        rewards = {agent: float(self.env.rewards[agent]) for agent in acted}
        return observations, rewards, {"__all__": True}, {"__all__": False}, {}


def ppo_config(env_id: str, hidden: tuple[int, ...] = (256, 256), **settings: Any) -> PPOConfig:
    """Return a configuration of PPO with action masks and one module for all seats, without discounting.

    RLlib's methods (`env_runners`, `learners`, `training`) set everything else.

    Args:
        env_id: Environment id, such as "limit_holdem-v0".
        hidden: Sizes of the hidden layers.
        **settings: Arguments of the environment, such as `num_players=2`.

    Raises:
        ValueError: For an unknown id, and for arguments that the environment refuses.
    """
    env_config = {"env_id": find_entry(env_id).id, **settings}
    CardMultiAgentEnv(env_config)  # raises an error for wrong settings here, not in a remote worker
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config=DefaultModelConfig(fcnet_hiddens=list(hidden), fcnet_activation="relu"),
    )
    return (
        PPOConfig()
        # RLlib's check of environments samples actions without the mask
        .environment(CardMultiAgentEnv, env_config=env_config, disable_env_checking=True)
        .multi_agent(policies={SHARED_MODULE}, policy_mapping_fn=_map_to_shared_module)
        # workers compile the kernels first, which may take longer than RLlib's default of a minute
        .env_runners(sample_timeout_s=_FIRST_SAMPLE_SECONDS)
        .rl_module(rl_module_spec=module)
        .training(gamma=1.0)
    )


def _map_to_shared_module(agent: str, episode: Any, **more: Any) -> str:
    return SHARED_MODULE


def _space(env: GameAEC) -> spaces.Dict:
    box = env.game.layout.space
    return spaces.Dict(
        {
            "observations": spaces.Box(box.low.astype(np.float32), box.high.astype(np.float32), dtype=np.float32),
            "action_mask": spaces.Box(0.0, 1.0, (env.game.num_actions,), np.float32),
        }
    )


def _as_floats(observation: Any, mask: Any) -> dict[str, Any]:
    return {"observations": observation.astype(np.float32), "action_mask": mask.astype(np.float32)}
