"""One seat at each of many tables as a Gymnasium vector environment, see `card_envs.gymnasium_env`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from card_envs.conventional_aec import ILLEGAL_REWARD
from card_envs.envs import find_entry, make_game
from card_envs.game import Game, check_actions
from card_envs.gymnasium_env.environment import Info, Observation
from card_envs.rendering import FRAMES_PER_SECOND, Frame, check_render_mode, render_table
from card_envs.single_seat import LearnerStep, Opponents, SingleSeatTables, check_illegal_action, replace_illegal

_RENDER_MODES = ("ansi", "rgb_array")  # not "human", which would open a window for each table


def make_vector_env(
    game_id: str,
    num_envs: int = 1,
    opponents: Opponents = "random",
    seat: int | None = None,
    illegal_action: str = "penalty",
    render_mode: str | None = None,
    autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    skip_forced: bool = False,
    **settings: Any,
) -> CardVectorEnv:
    """Return `num_envs` tables of an environment id as one Gymnasium vector environment.

    Args:
        game_id: Environment id, such as "limit_holdem-v0".
        num_envs: Number of tables.
        opponents: Agents at the other seats, as in `make_env`.
        seat: Seat of the learner; None draws it for each deal.
        illegal_action: Treatment of illegal actions: "penalty", "random" or "raise", see the module.
        render_mode: "rgb_array", "ansi" or None.
        autoreset_mode: Gymnasium's autoreset mode, see `CardVectorEnv`.
        skip_forced: Whether decisions with one legal action are taken without being shown.
        settings: Arguments of the environment, such as num_players=6.
    """
    entry = find_entry(game_id)
    game = make_game(entry.id, **settings)
    return CardVectorEnv(game, num_envs, opponents, seat, illegal_action, render_mode, autoreset_mode, skip_forced)


class CardVectorEnv(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """One seat at each of N tables, stepped together.

    Args:
        game: The game, as `card_envs.make_game` returns it.
        num_envs: Number of tables N.
        opponents: Agents at the other seats, as in `make_env`.
        seat: Seat of the learner; None draws it for each deal.
        illegal_action: Treatment of illegal actions: "penalty", "random" or "raise", see the module.
        render_mode: "ansi", "rgb_array" or None.
        autoreset_mode: Gymnasium's autoreset mode. "SameStep": the next episode begins in the step that ends one, and
            the info has `final_obs` and `final_info`. "NextStep": that step returns the final observation, without
            legal actions, and the next step, with any action, returns the first observation of the next episode.
            "Disabled": tables whose episode is over wait for `reset(options={"reset_mask": mask})`. Several vector
            wrappers of Gymnasium refuse "SameStep".
        skip_forced: Whether decisions with one legal action are taken without being shown.

    Example:
        >>> import gymnasium
        >>> envs = gymnasium.make_vec("card_envs:card_envs/KuhnPoker-v0", 4, autoreset_mode="NextStep")
        >>> envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)

    """

    metadata = {  # noqa: RUF012  so Gymnasium declares it
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": list(_RENDER_MODES),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Opponents = "random",
        seat: int | None = None,
        illegal_action: str = "penalty",
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        skip_forced: bool = False,
    ) -> None:
        self.game = game
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)  # TorchRL reads this attribute, Gymnasium the metadata
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = check_render_mode(render_mode, _RENDER_MODES)
        self.single_observation_space = game.observation_space
        self.single_action_space = spaces.Discrete(game.num_actions)
        self._illegal_action = check_illegal_action(illegal_action)
        self._tables = SingleSeatTables(game, num_envs, opponents, seat, skip_forced=skip_forced)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everywhere = np.ones(num_envs, np.bool_)
        self._ended = np.zeros(num_envs, np.bool_)  # True where the observation is the final one of an episode
        self._final_tables = self._tables.tables[:0]  # (N,) tables at the end of these episodes; unused with SameStep
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._final_tables = self._tables.tables.copy()
        self._last_step: LearnerStep | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Begin a new episode at every table.

        Args:
            seed: Seed of this and all later episodes; None continues the random streams.
            options: Options that fix the first deal of every table, as in `CardEnv.reset`. With autoreset mode
                "Disabled", options["reset_mask"] (N,), bool, selects the tables to reset; the others do not change.

        Returns:
            Observations and infos of the learner's first decisions.

        Raises:
            TypeError: If the options are not a mapping.
            ValueError: For unknown options, a mask of another shape, and a seed with a mask for some tables.
            ResetNeeded: For a mask before the first `reset` of all tables.
        """
        if options is not None and "reset_mask" in options and self.autoreset_mode is AutoresetMode.DISABLED:
            others = {key: value for key, value in options.items() if key != "reset_mask"}
            mask = self._check_reset_mask(options["reset_mask"])
            if not mask.all():
                return self._reset_some(mask, seed, others)
            options = others
        known = self._tables.check_options(options)
        super().reset(seed=seed)
        self._last_step = None  # if the next line raises, the environment needs another reset
        self._last_step = self._tables.reset(seed, known)
        self._ended[:] = False
        return self._observation(self._last_step), self._info(self._last_step)

    def _check_reset_mask(self, mask: Any) -> NDArray[np.bool_]:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask {mask!r} must be a boolean array of shape ({self.num_envs},)")
        return mask

    def _reset_some(self, mask: NDArray[np.bool_], seed: int | None, options: Info) -> tuple[Observation, Info]:
        if seed is not None:
            raise ValueError("a seed resets all tables: pass a reset_mask that is True for all, or seed=None")
        if self._last_step is None:
            raise gymnasium.error.ResetNeeded("call reset() for all tables before reset() for some")
        dealt = mask if options else mask & ~self._ended  # tables whose episode ended are already dealt again
        result = self._tables.restart(np.flatnonzero(dealt), options)
        self._ended &= ~mask
        self._last_step = self._with_ends(result, self._last_step, self._ended)
        return self._observation(self._last_step), self._info(self._last_step)

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], Info]:
        """Take the learner's actions (N,); the opponents act until its next decisions.

        Returns:
            Observations, rewards (N,) in the unit of the game, terminations (N,), truncations (N,; all False), infos.

        Raises:
            IllegalActionError: For an action outside the space, and for an illegal one with illegal_action="raise".
            ResetNeeded: Before the first `reset`; with autoreset mode "Disabled", if an episode is over.
        """
        if self._last_step is None:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise gymnasium.error.ResetNeeded(
                f"episodes at tables {np.flatnonzero(self._ended).tolist()} are over, and autoreset_mode is Disabled: "
                'call reset(options={"reset_mask": terminations})'
            )
        chosen, acting = check_actions(actions, self.num_envs), ~self._ended
        mask = np.where(acting[:, None], self._last_step.action_mask, np.int8(1))
        legal, replaced = replace_illegal(chosen, mask, self._illegal_action, self.np_random)
        result = self._tables.step(legal, None if acting.all() else np.flatnonzero(acting))
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self._last_step = result if same_step else self._with_finals(result)
        info = self._info(self._last_step)
        if same_step and result.is_over.any():
            info.update(self._final(result))
        if replaced.any():
            info["illegal_action"], info["_illegal_action"] = replaced, self._everywhere.copy()
            if self._illegal_action == "penalty":
                result.rewards[replaced] += ILLEGAL_REWARD
        return (
            self._observation(self._last_step),
            result.rewards,
            result.is_over,
            np.zeros(self.num_envs, np.bool_),
            info,
        )

    def _with_finals(self, result: LearnerStep) -> LearnerStep:
        """Return the step with final observations and without legal actions at tables whose episode ended."""
        self._ended = result.is_over.copy()
        if result.is_over.any():
            self._final_tables[result.is_over] = result.final_tables
            result.observation[result.is_over] = result.final_observation
            result.action_mask[result.is_over] = 0
            result.seats[result.is_over] = result.final_seats
        return result

    def _with_ends(self, result: LearnerStep, before: LearnerStep, ended: NDArray[np.bool_]) -> LearnerStep:
        """Return the step with the observations of `before` at the tables in the mask `ended`."""
        for new, old in ((result.observation, before.observation), (result.action_mask, before.action_mask),
                         (result.seats, before.seats)):  # fmt: skip
            new[ended] = old[ended]
        return result

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions (N, num_actions)."""
        if self._last_step is None:
            raise gymnasium.error.ResetNeeded("call reset() before action_masks()")
        return self._last_step.action_mask.astype(np.bool_)

    def render(self) -> tuple[Frame, ...] | None:
        """Return a text or picture of each table as the learner sees it."""
        if self._last_step is None:
            raise gymnasium.error.ResetNeeded("call reset() before render()")
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode draws nothing: make the environment with one")
            return None
        tables, seats = self._tables.tables, self._last_step.seats.tolist()
        if self._ended.any():
            tables = tables.copy()
            tables[self._ended] = self._final_tables[self._ended]
        frames = (render_table(self.game, tables[i : i + 1], seat, self.render_mode) for i, seat in enumerate(seats))
        return tuple(frame for frame in frames if frame is not None)

    def _observation(self, result: LearnerStep) -> Observation:
        return {"observation": result.observation, "action_mask": result.action_mask}

    def _info(self, result: LearnerStep) -> Info:
        return {
            "action_mask": result.action_mask,
            "_action_mask": self._everywhere.copy(),
            "seat": result.seats,
            "_seat": self._everywhere.copy(),
        }

    def _final(self, result: LearnerStep) -> Info:
        finished = np.flatnonzero(result.is_over)
        final_obs = np.full(self.num_envs, None, object)
        for i, observation in zip(finished.tolist(), result.final_observation, strict=True):
            final_obs[i] = {"observation": observation, "action_mask": np.zeros(self.game.num_actions, np.int8)}
        seats = np.zeros(self.num_envs, np.int64)
        seats[finished] = result.final_seats
        return {
            "final_obs": final_obs,
            "_final_obs": result.is_over.copy(),
            "final_info": {"seat": seats, "_seat": result.is_over.copy()},
            "_final_info": result.is_over.copy(),
        }
