"""Stable-Baselines3: one seat of a card game at many tables, as a VecEnv over the batched engine.

    tables = CardVecEnv("limit_holdem-v0", 1024, opponents="always_call")
    MaskablePPO("MlpPolicy", tables).learn(1_000_000)

`opponents` is an agent, a name of `card_envs.agent.find_agent`, or a list, from which each deal draws an item: an agent
for all other seats, or a list with an agent for each. `card_envs.single_seat` defines episodes and rewards.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from card_envs.conventional_aec import ILLEGAL_REWARD
from card_envs.envs import as_game, find_entry
from card_envs.game import Game, IllegalActionError, check_actions, check_switch, is_whole
from card_envs.memory import explain_memory
from card_envs.rng import make_generator
from card_envs.single_seat import Opponents, SingleSeatTables, check_illegal_action

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn
except ImportError as error:
    raise ImportError(
        "card_wrappers.sb3 needs Stable-Baselines3 and sb3-contrib: pip install 'card-envs[sb3]'"
    ) from error

__all__ = ["CardVecEnv"]


_WITHOUT_MASKS = (
    'algorithms without action masks, such as PPO, DQN and QR-DQN, need CardVecEnv(..., illegal_action="penalty") '
    'or "random"; MaskablePPO uses the masks'
)


class CardVecEnv(VecEnv):
    """One seat at each of N tables, as a vectorised environment of Stable-Baselines3.

    Every step returns new arrays. sb3-contrib's MaskablePPO calls `action_masks`. `infos[i]["episode"]` holds the
    return ("r", in the unit of the game) and length ("l") of an episode that ended.

    Args:
        game: The game, see `card_envs.make_game`, or an environment id.
        num_tables: Number of tables N.
        opponents: Agents at the other seats: a name of `find_agent`, an agent, or a list, from which each deal draws an
            item: an agent for all seats, or a list with one for each, in the order of play after the learner.
        seat: Seat of the learner; None draws it for each deal.
        seed: Seed of deals and opponents; None: unpredictable.
        reward_scale: Factor by which rewards are multiplied.
        mask_in_observation: Whether observations are {"observation", "action_mask"} instead of vectors, for algorithms
            that keep masks in a replay buffer. The mask of a terminal observation is all ones.
        illegal_action: Treatment of illegal actions: "raise" raises IllegalActionError, "penalty" plays a random legal
            action instead and subtracts 1 from the reward, "random" plays one without the penalty. The info of such a
            step has `illegal_action`.
        skip_forced: Whether decisions with one legal action are taken without being shown.
        settings: Arguments of the environment, such as num_players=6, if `game` is an id.

    Raises:
        ValueError: For numbers out of range, unknown agents, and agents that cannot play the game.

    Example:
        >>> tables = CardVecEnv("limit_holdem-v0", num_tables=8, seed=0)
        >>> tables.reset().shape[0], tables.action_masks().shape
        (8, (8, 3))
    """

    def __init__(
        self,
        game: Game | str,
        num_tables: int,
        opponents: Opponents = "random",
        seat: int | None = None,
        seed: int | None = None,
        reward_scale: float = 1.0,
        mask_in_observation: bool = False,
        illegal_action: str = "raise",
        skip_forced: bool = False,
        **settings: Any,
    ) -> None:
        game_id, self.game = game, as_game(game, **settings)
        game = self.game
        with explain_memory(game, num_tables):
            self.tables = SingleSeatTables(game, num_tables, opponents, seat, seed, skip_forced)
        self.reward_scale = reward_scale
        self.render_mode: str | None = None
        self.spec = _spec_of(game_id, opponents, seat, skip_forced, settings)
        """Spec of the same seat as a Gymnasium environment; None if `game` is no id."""
        self._mask_in_observation = check_switch("mask_in_observation", mask_in_observation)
        self._illegal_action = check_illegal_action(illegal_action)
        self._rng = np.random.default_rng() if seed is None else make_generator(seed)
        """Draws actions in place of illegal ones."""
        self._is_ready = False
        self._actions = np.zeros(num_tables, np.int64)
        self._returns = np.zeros(num_tables)
        self._lengths = np.zeros(num_tables, np.int64)
        self._started = time.monotonic()
        space: spaces.Space[Any] = game.observation_space if mask_in_observation else game.layout.space
        super().__init__(self.tables.num_tables, space, spaces.Discrete(game.num_actions))
        metadata: dict[str, Any] = {"name": game.name, **self.metadata}
        self.metadata = metadata

    def reset(self) -> VecEnvObs:
        """Begin a new episode at every table; a preceding `seed(s)` seeds this and all later episodes."""
        seed = self._seeds[0]
        if seed is not None:
            self._rng = make_generator(seed)
        result = self.tables.reset(seed)
        self._is_ready = True
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0.0
        self._lengths[:] = 0
        return self._make_observation(result.observation, result.action_mask)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next `reset`, any integer; None draws one.

        Raises:
            ValueError: For a seed that is no integer; the environment is unchanged.
        """
        if seed is not None and not is_whole(seed):
            raise ValueError(f"seed {seed!r} must be a whole number")
        return super().seed(seed)

    def step_async(self, actions: NDArray[Any]) -> None:
        """Store the actions (N,) for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Take the actions of `step_async`.

        Returns:
            Observations, rewards (N,), dones (N,) and infos. Where an episode ended, the observation is the first of
            the next one, and `infos[i]["terminal_observation"]` the last of the ended one.

        Raises:
            IllegalActionError: For an illegal action with illegal_action="raise"; the tables are unchanged.
        """
        actions, replaced = self._legal_actions()
        try:
            result = self.tables.step(actions)
        except IllegalActionError as error:
            raise IllegalActionError(f"{error}; {_WITHOUT_MASKS}") from None
        if self._illegal_action == "penalty":
            result.rewards[replaced] += ILLEGAL_REWARD
        self._returns += result.rewards
        self._lengths += 1
        nothing: dict[str, Any] = {}  # shared, since N new dicts in each step would cost as much time as the game
        infos = [nothing] * self.num_envs
        for i in np.flatnonzero(replaced).tolist():
            infos[i] = {"illegal_action": True}
        finished = np.flatnonzero(result.is_over)
        if len(finished):
            masks = np.ones((len(finished), self.game.num_actions), np.int8)  # a policy needs at least one action
            finals = _split(self._make_observation(result.final_observation, masks), len(finished))
            seconds = round(time.monotonic() - self._started, 6)
            for i, final in zip(finished.tolist(), finals, strict=True):
                episode = {"r": float(self._returns[i]), "l": int(self._lengths[i]), "t": seconds}
                infos[i] = {**infos[i], "episode": episode, "terminal_observation": final}
            self._returns[finished] = 0.0
            self._lengths[finished] = 0
        rewards = result.rewards * np.float32(self.reward_scale)
        return self._make_observation(result.observation, result.action_mask), rewards, result.is_over, infos

    def _legal_actions(self) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return legal actions (N,), and True where they replace illegal ones (N,)."""
        if self._illegal_action == "raise" or not self._is_ready:
            return self._actions, np.zeros(self.num_envs, np.bool_)
        return self.tables.replace_illegal(check_actions(self._actions, self.num_envs), self._illegal_action, self._rng)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions (N, num_actions), for sb3-contrib."""
        if not self._is_ready:
            raise RuntimeError("call reset() before action_masks()")
        return self.tables.action_masks().astype(np.bool_)

    def _make_observation(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> VecEnvObs:
        return {"observation": observation, "action_mask": mask} if self._mask_in_observation else observation

    def close(self) -> None:
        """Do nothing: the tables are arrays."""

    def has_attr(self, attr_name: str) -> bool:
        """Return True if every table has the attribute."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute once per table; the tables share all attributes."""
        value = getattr(self, attr_name)
        return [value] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all tables; ValueError for some of them."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"the tables share all attributes: {attr_name!r} cannot be set for some of them")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method, such as "action_masks", and return its result for each table."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        chosen = list(self._get_indices(indices))
        return [result[i] for i in chosen] if isinstance(result, np.ndarray) else [result] * len(chosen)

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """Return True for SB3's Monitor, whose episode statistics are in the infos; False for other wrappers."""
        return [issubclass(wrapper_class, Monitor)] * len(list(self._get_indices(indices)))

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return no pictures; the Gymnasium and PettingZoo environments render tables."""
        return [None] * self.num_envs


def _spec_of(
    game: Game | str, opponents: Opponents, seat: int | None, skip_forced: bool, settings: dict[str, Any]
) -> EnvSpec | None:
    if not isinstance(game, str):
        return None
    spec = gymnasium.spec(f"card_envs/{find_entry(game).gymnasium_id}")
    spec = copy.copy(spec)
    spec.kwargs = {**spec.kwargs, "opponents": opponents, "seat": seat, "skip_forced": skip_forced, **settings}
    return spec


def _split(observations: VecEnvObs, count: int) -> list[Any]:
    """Return the observations one by one."""
    if isinstance(observations, dict):
        return [{key: value[j] for key, value in observations.items()} for j in range(count)]
    assert isinstance(observations, np.ndarray)
    return list(observations)
