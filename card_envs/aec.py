"""Any `Game` as a PettingZoo AEC environment: a batch of one table."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from card_envs.compiler import entry_point
from card_envs.game import ILLEGAL, NOBODY, Game, IllegalActionError, Tables, check_action
from card_envs.observation import mask_records, observation_records
from card_envs.rendering import FRAMES_PER_SECOND, RENDER_MODES, Frame, RenderMode, check_render_mode
from card_envs.rng import random_seed

if TYPE_CHECKING:
    from card_envs.display import Display
    from card_envs.observation import NumberType
    from card_envs.typing import Observation

__all__ = ["CommonSettings", "GameAEC", "ResetNeededError"]

_BUFFERS = ("_scratch", "_no_mask", "_is_compiled", "_deal", "_step", "_observe", "_display")
"""Attributes that copies and pickles leave out, see `GameAEC._make_buffers`."""
_HUGE = 2**62  # kernels take 64-bit integers


class CommonSettings(TypedDict, total=False):
    """Arguments of every environment, beside those of its game."""

    render_mode: RenderMode | None
    """"ansi" (text), "rgb_array" (picture), "human" (window or terminal), or None."""
    dtype: NumberType | None
    """Type of the numbers in observations, "float32" or "int8"; None for the encoder's own."""


class ResetNeededError(RuntimeError, AssertionError, AttributeError):
    """Raised by methods that need a deal before the first `reset`.

    It is an AssertionError and an AttributeError, too: PettingZoo's wrappers raise one or the other.
    """


class GameAEC(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """One table of a game. An illegal action raises an error and changes nothing.

    Observations are {"observation": vector, "action_mask": int8}, and the same mask object is in `infos[agent]`. The
    mask is all zeros for agents that are not to act; in `infos`, they share one that cannot be changed. Rewards are
    zero until the episode ends. Agents are named "player_0", "player_1", ... `agent_selection` and the other attributes
    of a deal exist after the first `reset`.

    Args:
        game: The game, from `card_envs.make_game`.
        name: Name of the environment, as in `metadata` and `str(env)`.
        render_mode: "ansi" (text), "rgb_array" (picture), "human" (window or terminal), or None.

    Raises:
        ValueError: For an unknown render mode.

    Example:
        >>> from card_envs import kuhn_poker_v0
        >>> env = kuhn_poker_v0.raw_env()
        >>> env.reset(seed=7)
        >>> observation, reward, termination, truncation, info = env.last()
        >>> observation["action_mask"].tolist()
        [0, 1, 1]
        >>> env.step(1)
    """

    def __init__(self, game: Game, name: str, render_mode: RenderMode | None = None) -> None:
        self.game = game
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": FRAMES_PER_SECOND,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_seats)]
        self.observation_spaces = {agent: copy.deepcopy(game.observation_space) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents}
        self.state_space = game.state_layout.space
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._dealt = False
        self._observed: dict[str, Observation | None] = {}
        """The agent to act -> its observation, None after `observe` returned it; empty if nobody is to act."""
        self._make_buffers()
        self._tables = game.seeded_tables(1, random_seed())

    def _make_buffers(self) -> None:
        observation = np.zeros((1, self.game.layout.size), self.game.layout.dtype)
        mask = np.zeros((1, self.game.num_actions), np.int8)
        # in one tuple, with bound methods: looking them up one by one takes longer than the game itself
        self._scratch = (observation_records(observation), mask_records(mask), observation[0].copy, mask[0].copy)
        self._no_mask = np.zeros(self.game.num_actions, np.int8)
        self._no_mask.flags.writeable = False  # all agents that are not to act share it, and a copy each step is slow
        self._all_zero = dict.fromkeys(self.possible_agents, 0.0)
        self._all_false = dict.fromkeys(self.possible_agents, False)
        self._all_true = dict.fromkeys(self.possible_agents, True)
        self._is_compiled = False
        self._display: Display | None = None  # made at the first frame

    def _compile_kernels(self) -> None:
        """Compile the kernels for the types of this table, so that calls skip Numba's dispatch on types."""
        observations, masks, _, _ = self._scratch
        self._deal = entry_point(self.game.deal, self._tables, 0)
        self._step = entry_point(self.game.step, self._tables, 0, 0)
        self._observe = entry_point(self.game.encoder.observe, self._tables, 0, 0, observations, masks)
        self._is_compiled = True

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the buffers; copies and pickles continue the deal in progress."""
        return {key: value for key, value in self.__dict__.items() if key not in _BUFFERS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy or pickle."""
        self.__dict__.update(state)
        self._make_buffers()
        if self._dealt:
            self._compile_kernels()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of {"observation", "action_mask"}, the same object at every call."""
        self._find_seat(agent)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of action ids."""
        self._find_seat(agent)
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal the next episode.

        Args:
            seed: Seed of this and all later deals; None continues the random stream of the table.
            options: Options of the game, such as cards or stacks, for this deal only; see the page of the game.
                Unknown options are ignored with a warning.

        Raises:
            ValueError: For options that contradict the game; the table is unchanged.
        """
        if not self._is_compiled:
            self._compile_kernels()
        known = self.game.check_options(options) if options else {}
        needs_copy = seed is not None or bool(known)
        self._begin(self._deal_anew(seed, known) if needs_copy else self._deal(self._tables, 0))

    def _deal_anew(self, seed: int | None, options: dict[str, Any]) -> int:
        """Deal on a copy of the table, so that refused options change nothing."""
        tables = self._tables.copy() if seed is None else self.game.seeded_tables(1, seed)
        actor = self.game.deal_with(tables, 0, options) if options else self.game.deal(tables, 0)
        self._tables = tables
        return actor

    def _begin(self, actor: int) -> None:
        self._dealt = True
        self.agents = list(self.possible_agents)
        self.rewards, self._cumulative_rewards = self._all_zero.copy(), self._all_zero.copy()
        self.terminations, self.truncations = self._all_false.copy(), self._all_false.copy()
        self.infos = {agent: {"action_mask": self._no_mask} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._observed = {}
        if actor == NOBODY:
            self._finish()
        else:
            self._select(actor)
        if self.render_mode == "human":
            self.render()

    def _select(self, seat: int) -> None:
        """Make a seat the one to act and compute its observation, once."""
        observations, masks, copied_observation, copied_mask = self._scratch
        self._observe(self._tables, 0, seat, observations, masks)
        mask = copied_mask()
        self.agent_selection = agent = self.possible_agents[seat]
        self.infos[agent] = {"action_mask": mask}
        self._observed = {agent: {"observation": copied_observation(), "action_mask": mask}}

    def _finish(self) -> None:
        payoffs, scale = self._tables["payoff"][0].tolist(), self.game.chips_per_reward
        self.rewards = {agent: payoff / scale for agent, payoff in zip(self.possible_agents, payoffs, strict=False)}
        self._cumulative_rewards = self.rewards.copy()
        self.terminations = self._all_true.copy()
        self._observed = {}
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """Return the current observation of an agent.

        Args:
            agent: One of `possible_agents`, whether it is to act or not.

        Returns:
            {"observation": vector of `game.layout`, "action_mask": int8 (num_actions,)}; the mask is all zeros unless
            the agent is to act.
        """
        seen = self._observed.get(agent)  # by name, because PettingZoo's wrappers write to agent_selection
        if seen is not None:
            self._observed[agent] = None  # what is returned belongs to the caller
            return seen
        seat = self._find_seat(agent)
        self._require_deal("observe")
        observations, masks, copied_observation, copied_mask = self._scratch
        self._observe(self._tables, 0, seat, observations, masks)
        if agent not in self._observed:
            return {"observation": copied_observation(), "action_mask": self._no_mask.copy()}
        mask = copied_mask()
        self.infos[agent] = {"action_mask": mask}
        return {"observation": copied_observation(), "action_mask": mask}

    def _find_seat(self, agent: str) -> int:
        if agent not in self._seats:
            raise ValueError(f"agent {agent!r} is not known: choose one of {self.possible_agents}")
        return self._seats[agent]

    def agent_iter(self, max_iter: int = 2**63) -> Iterable[str]:
        """Yield the agent to act until all agents have left, at most `max_iter` times, as PettingZoo defines it."""
        self._require_deal("agent_iter")
        return self._agents_in_turn(max_iter)

    def _agents_in_turn(self, max_iter: int) -> Iterator[str]:
        while self.agents and max_iter > 0:
            max_iter -= 1
            yield self.agent_selection

    @overload
    def last(self, observe: Literal[True] = True) -> tuple[Observation, float, bool, bool, dict[str, Any]]: ...
    @overload
    def last(self, observe: bool) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]: ...
    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, cumulative reward, termination, truncation and info of the agent to act."""
        try:
            agent = self.agent_selection
        except AttributeError:  # free where it exists; a `__getattr__` for all attributes of a deal slows every step
            self._require_deal("last")
            raise
        if agent not in self.infos:
            raise ResetNeededError("the episode is over and all agents have left: call reset()")
        observation, info = self.observe(agent) if observe else None, self.infos[agent]
        is_over = self.terminations[agent]
        if is_over and observation is not None:
            self.infos[agent] = info = {"action_mask": observation["action_mask"]}
        return observation, self._cumulative_rewards[agent], is_over, self.truncations[agent], info

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Take the action of `agent_selection`.

        Args:
            action: Action id; None when the agent's episode is over.

        Raises:
            IllegalActionError: If the action is illegal. The table is unchanged; the message lists the legal actions.
        """
        if not (self._dealt and self.agents):
            self._require_deal("step")
            raise IllegalActionError("the episode is over and all agents have left: call reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._remove(agent, action)
            return
        if type(action) is not int or not -_HUGE < action < _HUGE:
            action = self._whole_number(action)
        actor = self._step(self._tables, 0, action)
        if actor == ILLEGAL:
            raise IllegalActionError(f"{agent}: {self.game.why_illegal(self._tables, 0, action)}")
        self.infos[agent] = {"action_mask": self._no_mask}
        if actor == NOBODY:
            self._finish()
        else:
            self._select(actor)
        if self.render_mode == "human":
            self.render()

    def _whole_number(self, action: Any) -> int:
        try:
            return check_action(action, self.game.num_actions)
        except IllegalActionError as error:
            raise IllegalActionError(f"{self.agent_selection}: {error}") from None

    def _remove(self, agent: str, action: Any) -> None:
        """Take PettingZoo's dead step: an agent whose episode is over leaves the table."""
        if action is not None:
            raise IllegalActionError(
                f"{agent}: action {action!r} after the end of the episode: pass None, or call reset()"
            )
        self.agents.remove(agent)
        del self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if self.agents:
            self.agent_selection = self.agents[0]

    def _require_deal(self, method: str) -> None:
        if not self._dealt:
            raise ResetNeededError(f"call reset() before {method}()")

    def state(self) -> NDArray[Any]:
        """Return the perfect-information vector of `game.state_layout`, for critics; it holds undealt cards too."""
        self._require_deal("state")
        return self.game.state(self._tables, 0)

    def _tables_to_render(self) -> Tables:
        """Return the table as texts and pictures show it; without an actor if the episode is over."""
        return self._tables

    def action_name(self, action: int | np.integer[Any]) -> str:
        """Describe an action id of the agent to act, such as "raise to 4".

        Ids that are not legal now are described as far as they have a meaning, else as "action 3".

        Raises:
            IllegalActionError: For anything that is not an action id, and if the episode is over.
        """
        self._require_deal("action_name")
        tables, number = self._tables_to_render(), self._whole_number(action)
        if tables["actor"][0] == NOBODY:
            raise IllegalActionError(f"action {number}: the episode is over and no agent is to act; call reset()")
        if not 0 <= number < self.game.num_actions:
            raise IllegalActionError(f"action {number} is outside 0..{self.game.num_actions - 1}")
        return self.game.action_name(tables, 0, number)

    def action_names(self) -> dict[int, str]:
        """Return the legal actions of the agent to act: action id -> name, such as "raise to 6"; {} after the end."""
        from card_envs.text import action_names  # imported here because stepping does not need it

        self._require_deal("action_names")
        return action_names(self.game, self._tables_to_render(), 0)

    def parse_action(self, text: str) -> int:
        """Return the legal action of the agent to act that a text names; see `card_envs.text.parse_action`.

        Raises:
            ActionTextError: If the text does not name a legal action, or the episode is over; the message lists the
                legal actions.
        """
        from card_envs.text import parse_action

        self._require_deal("parse_action")
        return parse_action(self.game, self._tables_to_render(), 0, text)

    def prompt(self, agent: str | None = None, form: str = "compact") -> str:
        """Return a text with what an agent may know, and its legal actions if it is to act; see `card_envs.text`.

        Args:
            agent: The agent that reads the text; by default the agent to act.
            form: "compact" (a few lines) or "verbose" (sentences, with the rules).

        Raises:
            ValueError: If the agent or the form is not known.
        """
        from card_envs.text import write_prompt

        self._require_deal("prompt")
        seat = self._find_seat(self.agent_selection if agent is None else agent)
        return write_prompt(self.game, self._tables_to_render(), 0, seat, form=form)

    def render(self) -> Frame | None:
        """Render the table with all cards.

        Returns:
            Text in render mode "ansi", a picture (height, width, 3) in "rgb_array", None in "human": the table is then
            shown in a window or on the terminal. `reset` and `step` do so by themselves.
        """
        self._require_deal("render")
        if self.render_mode is None:
            warnings.warn("render() without a render_mode draws nothing: make the environment with one", stacklevel=2)
            return None
        if self.render_mode == "human" and self._display is None:
            from card_envs.display import Display

            self._display = Display(str(self.metadata["name"]), FRAMES_PER_SECOND)
        from card_envs.rendering.pictures import render_table

        return render_table(self.game, self._tables_to_render(), None, self.render_mode, self._display)

    def close(self) -> None:
        """Close the window of render mode "human"; other modes have nothing to close."""
        if self._display is not None:
            self._display.close()

    def __str__(self) -> str:
        """Return the name of the environment with its version."""
        return str(self.metadata["name"])
