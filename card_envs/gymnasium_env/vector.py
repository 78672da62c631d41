"""One seat at each of many tables as a Gymnasium vector environment, see `card_envs.gymnasium_env`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from card_envs.conventional_aec import ILLEGAL_REWARD
from card_envs.envs import as_game
from card_envs.game import Game, check_actions
from card_envs.gymnasium_env.environment import Info
from card_envs.memory import explain_memory
from card_envs.rendering import FRAMES_PER_SECOND, Frame, RenderMode, check_render_mode
from card_envs.rendering.pictures import render_table
from card_envs.single_seat import (
    LearnerStep,
    Opponents,
    SingleSeatTables,
    check_illegal_action,
    final_mask,
)
from card_envs.typing import Observation

_RENDER_MODES: tuple[RenderMode, ...] = ("ansi", "rgb_array")  # not "human", which would open a window for each table


class CardVectorEnv(VectorEnv[Observation, NDArray[Any], NDArray[Any]]):
    """One seat at each of N tables, stepped together.

    Args:
        game: Environment id, such as "limit_holdem-v0", or a game, see `card_envs.make_game`.
        num_envs: Number of tables N.
        opponents: Agents at the other seats, as in `CardEnv`.
        seat: Seat of the learner; None draws it for each deal.
        illegal_action: Treatment of illegal actions: "penalty", "random" or "raise", see the module.
        render_mode: "ansi", "rgb_array" or None.
        autoreset_mode: Gymnasium's autoreset mode. "SameStep": the next episode begins in the step that ends one, and
            the info has `final_obs` and `final_info`. "NextStep": that step returns the final observation, and the next
            step, with any action, returns the first observation of the next episode. "Disabled": tables whose episode
            is over wait for `reset(options={"reset_mask": mask})`. The action mask of a final observation is all ones.
            Several vector wrappers of Gymnasium refuse "SameStep".
        skip_forced: Whether decisions with one legal action are taken without being shown.
        settings: Arguments of the environment for an id, such as num_players=6.

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
        game: Game | str,
        num_envs: int = 1,
        opponents: Opponents = "random",
        seat: int | None = None,
        illegal_action: str = "penalty",
        render_mode: RenderMode | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        skip_forced: bool = False,
        **settings: Any,
    ) -> None:
        self.game = game = as_game(game, **settings)
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)  # TorchRL reads this attribute, Gymnasium the metadata
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = check_render_mode(render_mode, _RENDER_MODES)
        self.single_observation_space = game.observation_space
        self.single_action_space = spaces.Discrete(game.num_actions)
        self._illegal_action = check_illegal_action(illegal_action)
        with explain_memory(game, num_envs):
            self._tables = SingleSeatTables(game, num_envs, opponents, seat, skip_forced=skip_forced)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._everywhere = np.ones(num_envs, np.bool_)
        self._ended = np.zeros(num_envs, np.bool_)  # True where the observation is the final one of an episode
        self._final_tables = self._tables.tables[:0]  # (N,) tables at the end of these episodes; unused with SameStep
        self._final_seats = self._tables.seats.copy()  # (N,) seats of the learner there
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._final_tables = self._tables.tables.copy()
        self._is_ready = False

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
            ValueError: For options that contradict the game, a mask of another shape, and a seed with a mask for some
                tables.
            ResetNeeded: For a mask before the first `reset` of all tables.
        """
        if isinstance(options, Mapping) and "reset_mask" in options and self.autoreset_mode is AutoresetMode.DISABLED:
            others = {key: value for key, value in options.items() if key != "reset_mask"}
            mask = options["reset_mask"]
            if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
                raise ValueError(f"reset_mask {mask!r} must be a boolean array of shape ({self.num_envs},)")
            if not mask.all():
                return self._reset_some(mask, seed, others)
            options = others
        known = self._tables.check_options(options)
        super().reset(seed=seed)
        self._is_ready = False  # if the next line raises, the environment needs another reset
        result = self._tables.reset(seed, known)
        self._is_ready = True
        self._ended[:] = False
        return self._observation(result), self._info(result)

    def _reset_some(self, mask: NDArray[np.bool_], seed: int | None, options: Info) -> tuple[Observation, Info]:
        if seed is not None:
            raise ValueError("a seed resets all tables: pass a reset_mask that is True for all, or seed=None")
        if not self._is_ready:
            raise gymnasium.error.ResetNeeded("call reset() for all tables before reset() for some")
        dealt = mask if options else mask & ~self._ended  # tables whose episode ended are already dealt again
        result = self._tables.restart(np.flatnonzero(dealt), options)
        self._ended &= ~mask
        self._write_finals(result)
        return self._observation(result), self._info(result)

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
        self._require_reset("step")
        if self.autoreset_mode is AutoresetMode.DISABLED and self._ended.any():
            raise gymnasium.error.ResetNeeded(
                f"episodes at tables {np.flatnonzero(self._ended).tolist()} are over, and autoreset_mode is Disabled: "
                'call reset(options={"reset_mask": terminations})'
            )
        rows = np.flatnonzero(~self._ended) if self._ended.any() else None
        chosen = check_actions(actions, self.num_envs)
        legal, replaced = self._tables.replace_illegal(chosen, self._illegal_action, self.np_random, rows)
        result = self._tables.step(legal, rows)
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        if not same_step:
            self._ended = result.is_over.copy()
            self._final_tables[self._ended] = result.final_tables
            self._final_seats[self._ended] = result.final_seats
            self._write_finals(result)
        info = self._info(result)
        if same_step and result.is_over.any():
            info.update(self._final(result))
        if replaced.any():
            info["illegal_action"], info["_illegal_action"] = replaced, self._everywhere.copy()
            if self._illegal_action == "penalty":
                result.rewards[replaced] += ILLEGAL_REWARD
        return (
            self._observation(result),
            result.rewards,
            result.is_over,
            np.zeros(self.num_envs, np.bool_),
            info,
        )

    def _write_finals(self, result: LearnerStep) -> None:
        """Replace the first decisions of new episodes by the final observations that are still shown."""
        rows = np.flatnonzero(self._ended)
        if len(rows):
            seats = self._final_seats[rows]
            result.observation[rows] = self.game.observe_seats(self._final_tables, rows, seats)[0]
            result.action_mask[rows] = final_mask(self.game)
            result.seats[rows] = seats

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions (N, num_actions); all True where an episode is over."""
        self._require_reset("action_masks")
        return self._tables.action_masks().astype(np.bool_) | self._ended[:, None]

    def render(self) -> tuple[Frame, ...] | None:
        """Return a text or picture of each table as the learner sees it."""
        self._require_reset("render")
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode draws nothing: make the environment with one")
            return None
        tables, seats = self._tables.tables, np.where(self._ended, self._final_seats, self._tables.seats)
        if self._ended.any():
            tables = tables.copy()
            tables[self._ended] = self._final_tables[self._ended]
        shown = enumerate(seats.tolist())
        frames = (render_table(self.game, tables[i : i + 1], seat, self.render_mode) for i, seat in shown)
        return tuple(frame for frame in frames if frame is not None)

    def _require_reset(self, method: str) -> None:
        if not self._is_ready:
            raise gymnasium.error.ResetNeeded(f"call reset() before {method}()")

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
            final_obs[i] = {"observation": observation, "action_mask": final_mask(self.game)}
        seats = np.zeros(self.num_envs, np.int64)
        seats[finished] = result.final_seats
        return {
            "final_obs": final_obs,
            "_final_obs": result.is_over.copy(),
            "final_info": {"seat": seats, "_seat": result.is_over.copy()},
            "_final_info": result.is_over.copy(),
        }
