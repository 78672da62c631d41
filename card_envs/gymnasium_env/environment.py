"""One seat of a card game as a Gymnasium environment, see `card_envs.gymnasium_env`."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from card_envs.conventional_aec import ILLEGAL_REWARD
from card_envs.display import Display
from card_envs.envs import as_game
from card_envs.game import Game, check_action
from card_envs.rendering import FRAMES_PER_SECOND, RENDER_MODES, Frame, RenderMode, check_render_mode
from card_envs.rendering.pictures import render_table
from card_envs.single_seat import LearnerStep, Opponents, SingleSeatTables, check_illegal_action, final_mask
from card_envs.text import action_names, parse_action, write_prompt
from card_envs.typing import Observation

Info = dict[str, Any]


class CardSpec(EnvSpec):
    """Arguments with which `gymnasium.make` makes an environment again."""

    def to_json(self) -> str:
        """Return the spec as JSON; TypeError if an argument is an object, such as an agent."""
        for name, value in self.kwargs.items():
            try:
                json.dumps(value)
            except TypeError:
                raise TypeError(
                    f"spec.to_json() cannot hold {name}={value!r} of type {type(value).__name__}: pass a name in its "
                    'place, such as opponents="tight_aggressive" or "my_agents.py:MyAgent", or pickle the spec'
                ) from None
        return super().to_json()


class CardEnv(gymnasium.Env[Observation, Any]):
    """One seat of a game against agents. An episode is a deal; the reward comes with its last step.

    `gymnasium.make` copies its arguments, agents included, into the environment's spec; this class does not.

    Args:
        game: Environment id, such as "limit_holdem-v0", or a game, see `card_envs.make_game`.
        opponents: Agents at the other seats: a name of `find_agent`, an agent, or a list, from which each deal draws an
            item: an agent for all seats, or a list with one for each, in the order of play after the learner.
        seat: Seat of the learner; None draws it for each deal.
        illegal_action: Treatment of illegal actions: "penalty", "random" or "raise", see the module.
        render_mode: "human", "rgb_array", "ansi" or None.
        skip_forced: Whether decisions with one legal action are taken without being shown.
        settings: Arguments of the environment for an id, such as num_players=6.

    Example:
        >>> env = CardEnv("limit_holdem-v0", opponents="always_call")
        >>> observation, info = env.reset(seed=0)
        >>> sorted(observation)
        ['action_mask', 'observation']
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012  so Gymnasium declares it

    def __init__(
        self,
        game: Game | str,
        opponents: Opponents = "random",
        seat: int | None = None,
        illegal_action: str = "penalty",
        render_mode: RenderMode | None = None,
        skip_forced: bool = False,
        **settings: Any,
    ) -> None:
        self.game = game = as_game(game, **settings)
        self.render_mode = check_render_mode(render_mode)
        self._display = Display(game.name, FRAMES_PER_SECOND)
        self.observation_space = game.observation_space
        self.action_space = spaces.Discrete(game.num_actions)
        self._illegal_action = check_illegal_action(illegal_action)
        self._tables = SingleSeatTables(game, 1, opponents, seat, skip_forced=skip_forced)
        self._last_step: LearnerStep | None = None
        self._is_over = True
        self._spec: EnvSpec | None = None

    @property
    def spec(self) -> EnvSpec | None:
        """Arguments with which `gymnasium.make` makes the environment again; None if it was not made by it."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None:
            spec = CardSpec(**{each.name: getattr(spec, each.name) for each in fields(EnvSpec) if each.init})
        self._spec = spec

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        """Begin the next episode.

        Args:
            seed: Seed of this and all later episodes; None continues the random streams.
            options: Options that fix the deal of this episode, see the module; unknown ones are ignored with a warning.

        Returns:
            The observation of the learner's first decision, and an info with "action_mask" and "seat". Deals that end
            before that decision are dealt again.

        Raises:
            TypeError: If the options are not a mapping; the environment is unchanged.
            ValueError: For options that contradict the game; the environment is unchanged.
        """
        known = self._tables.check_options(options)
        super().reset(seed=seed)
        # `SingleSeatTables` has already dealt the next episode when one ends.
        if seed is not None or known or self._last_step is None or not self._is_over:
            self._last_step = None  # if the next line raises, the environment needs another reset
            self._last_step = self._tables.reset(seed, known)
        self._is_over = False
        self._show()
        info = {"action_mask": self._last_step.action_mask[0], "seat": int(self._last_step.seats[0])}
        return {"observation": self._last_step.observation[0], "action_mask": info["action_mask"]}, info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, Info]:
        """Take the learner's action; the opponents act until its next decision or the end of the deal.

        Args:
            action: Action id.

        Returns:
            Observation, reward in the unit of the game, terminated, truncated (always False), info. The action mask of
            the final observation is all ones.

        Raises:
            IllegalActionError: For an action outside the space, and for an illegal one with illegal_action="raise".
            ResetNeeded: If the episode is over or has not begun.
        """
        if self._last_step is None or self._is_over:
            raise gymnasium.error.ResetNeeded("the episode is over, or has not begun: call reset()")
        chosen = np.array([check_action(action, self.game.num_actions)])
        legal, replaced = self._tables.replace_illegal(chosen, self._illegal_action, self.np_random)
        seat = int(self._last_step.seats[0])
        self._last_step = result = self._tables.step(legal)
        self._is_over = bool(result.is_over[0])
        self._show()
        reward = float(result.rewards[0])
        if self._is_over:
            mask, observation = final_mask(self.game), result.final_observation[0]
        else:
            mask, observation = result.action_mask[0], result.observation[0]
        info: Info = {"action_mask": mask, "seat": seat}
        if replaced[0]:
            info["illegal_action"] = True
            reward += ILLEGAL_REWARD if self._illegal_action == "penalty" else 0.0
        return {"observation": observation, "action_mask": mask}, reward, self._is_over, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal actions (num_actions,), for sb3-contrib; all True if no episode runs."""
        if self._last_step is None or self._is_over:
            return np.asarray(final_mask(self.game), np.bool_)
        return np.asarray(self._tables.action_masks()[0], np.bool_)

    def action_names(self) -> dict[int, str]:
        """Return the learner's legal actions: action id -> name, such as "raise to 6"; {} after the episode."""
        return {} if self._is_over else action_names(self.game, self._tables.tables, 0)

    def parse_action(self, text: str) -> int:
        """Return the id of the learner's legal action that a text names; see `card_envs.text.parse_action`.

        Raises:
            ActionTextError: If the text does not name a legal action; the message lists the legal actions.
            ResetNeeded: If the episode is over or has not begun.
        """
        self._require_decision("parse_action")
        return parse_action(self.game, self._tables.tables, 0, text)

    def prompt(self, form: str = "compact") -> str:
        """Return a text that describes the learner's information and lists its legal actions.

        Args:
            form: "compact" (a few lines) or "verbose" (sentences, with the rules).

        Raises:
            ResetNeeded: If the episode is over or has not begun.
        """
        result = self._require_decision("prompt")
        return write_prompt(self.game, self._tables.tables, 0, int(result.seats[0]), form=form)

    def _require_decision(self, name: str) -> LearnerStep:
        if self._last_step is None or self._is_over:
            raise gymnasium.error.ResetNeeded(f"call reset() before {name}(): the episode is over, or has not begun")
        return self._last_step

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Frame | None:
        """Return the table as the learner sees it: text ("ansi") or an RGB picture ("rgb_array").

        Mode "human" shows the table in a window or on the terminal; `reset` and `step` call this method in that mode.
        """
        if self._last_step is None:
            raise gymnasium.error.ResetNeeded("call reset() before render()")
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode draws nothing: make the environment with one")
            return None
        ended = self._is_over and len(self._last_step.final_tables) > 0
        tables, seats = (
            (self._last_step.final_tables, self._last_step.final_seats)
            if ended
            else (self._tables.tables, self._last_step.seats)
        )
        return render_table(self.game, tables, int(seats[0]), self.render_mode, self._display)

    def close(self) -> None:
        """Close the window of render mode "human"; other modes have nothing to close."""
        self._display.close()
