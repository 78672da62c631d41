"""RLlib: any environment id as a multi-agent environment with action masks, for PPO on the current API stack.

    config = ppo_config("limit_holdem-v0", num_players=2).env_runners(num_env_runners=2)
    algorithm = config.build_algo()
    algorithm.train()

One shared module plays all seats; whoever acts gets an observation, and when the deal is over everybody who has acted
gets its reward, so credit is that of the environment. RLlib has one masking module, for PPO in PyTorch. Other modules
ignore the mask; their first illegal action raises an error that says so.

RLlib pins one exact version of Gymnasium: give it an environment of its own.
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

SHARED_MODULE = "shared"
"""The one module that plays all seats."""

_FIRST_SAMPLE_SECONDS = 600.0

Returned = dict[str, Any]


class CardMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]  # Ray ships no types
    """A table whose seats are RLlib's agents. Observations are {"observations", "action_mask"}, float32.

    `config` has the `env_id`, and the arguments of that environment.
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
        """Deal; return the observation of the seat to act. Deals that are over at once are dealt again."""
        self.env.reset(seed, options)
        while self._is_over():
            self.env.reset()
        self._has_acted.clear()
        return self._turn(), {}

    def step(self, action_dict: Mapping[str, Any]) -> tuple[Returned, Returned, Returned, Returned, Returned]:
        """Take the action of the seat to act; return observations, rewards, terminations, truncations, infos."""
        agent = self.env.agent_selection
        if list(action_dict) != [agent]:
            raise ValueError(f"actions of {list(action_dict)}: it is the turn of {agent} alone")
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
        """Pay everybody who has acted; seats that were never asked have no step that could be credited."""
        paid = [agent for agent in self.possible_agents if agent in self._has_acted]
        everything = np.ones(self.env.game.num_actions)  # a mask of zeros would leave no distribution over actions
        observations = {agent: _as_floats(self.env.observe(agent)["observation"], everything) for agent in paid}
        rewards = {agent: float(self.env.rewards[agent]) for agent in paid}
        return observations, rewards, {"__all__": True}, {"__all__": False}, {}


def ppo_config(env_id: str, hidden: tuple[int, ...] = (256, 256), **settings: Any) -> PPOConfig:
    """Return PPO with masked actions and one module for all seats; `settings` are the environment's arguments.

    All else (`env_runners`, `learners`, `training`) is RLlib's to set. Discounting is off: deals are short, and paid at
    their end.
    """
    env_config = {"env_id": find_entry(env_id).id, **settings}
    CardMultiAgentEnv(env_config)  # unknown settings fail here, not in a remote worker
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config=DefaultModelConfig(fcnet_hiddens=list(hidden), fcnet_activation="relu"),
    )
    return (
        PPOConfig()
        # RLlib's check of environments samples actions without the mask
        .environment(CardMultiAgentEnv, env_config=env_config, disable_env_checking=True)
        .multi_agent(policies={SHARED_MODULE}, policy_mapping_fn=_shared_module)
        # RLlib's minute may be too short where workers compile the kernels first: it would go on without samples
        .env_runners(sample_timeout_s=_FIRST_SAMPLE_SECONDS)
        .rl_module(rl_module_spec=module)
        .training(gamma=1.0)
    )


def _shared_module(agent: str, episode: Any, **more: Any) -> str:
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
