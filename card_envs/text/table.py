"""`TextTable`: one table with prompts and answers as text; agents may play some of the seats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from card_envs.agent import Agent, as_agent, decisions_at, find_agent
from card_envs.agent.hooks import end_deals, group_by_agent, show_actions
from card_envs.game import ILLEGAL, NOBODY, Game, IllegalActionError, Tables, check_actions
from card_envs.rng import make_generator, random_seed
from card_envs.text.answers import parse_action
from card_envs.text.interface import action_names, find_text
from card_envs.text.prompts import check_form, write_prompt
from card_envs.text.transcript import Transcript
from card_envs.typing import Rows

_KEPT_SUMMARIES = 100
_ROW = np.zeros(1, np.int64)
"""Row and id of the only table."""


class TextTable:
    """One table that is played by text.

    `prompt` describes what the seat to act (`seat`) may know, and `answer` takes its reply. A reply that names no legal
    action raises `ActionTextError` and changes nothing. Agents may play some of the seats: they act by themselves.

    Args:
        game: The game, such as `make_game("no_limit_holdem-v0", num_players=6)`.
        agents: Seat -> agent or its name, for the seats that agents play; None for no such seats.
        form: Form of the prompts, "compact" or "verbose".

    Example:
        >>> from card_envs import make_game
        >>> table = TextTable(make_game("leduc_holdem-v0"), agents={1: "random"})
        >>> _ = table.reset(seed=3)
        >>> while not table.is_over:
        ...     _ = table.answer("call" if "call" in table.action_names().values() else "check")
        >>> bool(table.rewards.sum() == 0)
        True
    """

    def __init__(self, game: Game, *, agents: Mapping[int, str | Agent] | None = None, form: str = "compact") -> None:
        if not isinstance(game, Game):
            raise TypeError(f"{game!r} is no game: pass make_game(...)")
        self.game, self.form = game, check_form(form)
        self._agents = {seat: self._find_agent(seat, agent) for seat, agent in (agents or {}).items()}
        self._encoders = {seat: agent.find_encoder(game) for seat, agent in self._agents.items()}
        self._listeners = group_by_agent(self._agents)
        self._tables = self.game.seeded_tables(1, random_seed())
        self._rng = np.random.default_rng()
        self.transcript = Transcript(self.game)
        self.summaries: list[str] = []
        """Public summaries of earlier deals since the last seeded `reset`, one line each."""
        self.seat = NOBODY
        """Seat to act; NOBODY if the deal is over."""

    def _find_agent(self, seat: int, agent: str | Agent) -> Agent:
        if not 0 <= seat < self.game.num_seats:
            raise ValueError(f"agent at seat {seat}: seats are 0..{self.game.num_seats - 1}")
        return find_agent(agent, self.game) if isinstance(agent, str) else as_agent(agent)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> str:
        """Deal, and return the prompt of the first seat to act that no agent plays; "" if the deal is over by then.

        Args:
            seed: Seed of this and all later deals and of the agents; None continues the random streams.
            options: Cards, stacks or button of this deal only, as in the environment's `reset`.

        Raises:
            TypeError: If the options are no mapping.
            ValueError: For values that no deal can have; unknown options are ignored with a warning.
        """
        known = self.game.check_options(options)
        tables = self._tables.copy() if seed is None else self.game.seeded_tables(1, seed)
        actor = self.game.deal_with(tables, 0, known)  # {} restores the settings after a deal with options
        if seed is not None:
            self._rng = make_generator(seed)
            self.summaries.clear()
        self._tables = tables
        self.transcript.clear()
        for agent, _ in self._listeners:
            agent.deal_starts(_ROW)
        self._play_agents(int(actor))
        return self.prompt()

    def prompt(self, seat: int | None = None) -> str:
        """Return the prompt of a seat, by default of the seat to act; "" if the deal is over."""
        seat = self.seat if seat is None else seat
        if seat == NOBODY:
            return ""
        return write_prompt(
            self.game, self._tables, 0, seat, form=self.form, transcript=self.transcript, earlier=self.summaries[-3:]
        )

    def view(self, seat: int) -> Any:
        """Return the record of the table (1,), censored for a seat."""
        return self.game.views(self._tables, [0], [seat])

    def action_names(self) -> dict[int, str]:
        """Return the legal actions of the seat to act: action id -> name."""
        return action_names(self.game, self._tables, 0)

    def answer(self, text: str) -> str:
        """Take the action that an answer names, and return its name, such as "raise to 80".

        Raises:
            ActionTextError: If the answer names no legal action; nothing has changed.
        """
        return self.act(parse_action(self.game, self._tables, 0, text))

    def act(self, action: int) -> str:
        """Take an action id of the seat to act, let the agents after it act, and return the name of the action.

        Raises:
            IllegalActionError: If the action is not legal; nothing has changed.
        """
        if self.seat == NOBODY:
            raise IllegalActionError("the deal is over: call reset()")
        words, actor = self._apply(action)
        self._play_agents(actor)
        return words

    def _apply(self, action: int) -> tuple[str, int]:
        before = self._tables.copy()
        actor = int(self.game.step(self._tables, 0, action))
        if actor == ILLEGAL:
            raise IllegalActionError(self.game.why_illegal(self._tables, 0, action))
        self._call_hook(show_actions, before, np.array([action]))
        return self.transcript.record(before, 0, action).words, actor

    def _call_hook(self, hook: Callable[..., None], tables: Tables, *actions: Rows) -> None:
        """Call a function of `card_envs.agent.hooks` for every agent."""
        for agent, seats in self._listeners:
            hook(self.game, agent, tables, _ROW, _ROW, seats[:, None], *actions)

    def _play_agents(self, actor: int) -> None:
        """Let agents act until a seat without one is to act or the deal is over."""
        while actor != NOBODY and actor in self._agents:
            agent = self._agents[actor]
            numbers, encoder = self._rng.random(1), self._encoders[actor]
            decisions = decisions_at(self.game, self._tables, _ROW, _ROW, numbers, encoder=encoder)
            actor = self._apply(int(check_actions(agent.act(decisions, self._rng), 1)[0]))[1]
        self.seat = actor
        if actor == NOBODY:
            self._finish()

    def _finish(self) -> None:
        outcome = find_text(self.game).describe_outcome(self._tables, 0)
        parts = [*self.transcript.lines(), outcome, self.result()]
        self.summaries = [*self.summaries, "; ".join(part for part in parts if part)][-_KEPT_SUMMARIES:]
        self._call_hook(end_deals, self._tables)

    @property
    def is_over(self) -> bool:
        """True before the first `reset` and after the last action of a deal."""
        return self.seat == NOBODY

    @property
    def rewards(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Rewards of all seats (num_seats,), zero until the deal is over."""
        payoff = self._tables["payoff"][0, : self.game.num_seats]
        return np.asarray(payoff, np.float64) / self.game.chips_per_reward

    def result(self, names: Sequence[str] | None = None) -> str:
        """Return how the deal ended for every seat, such as "player_0 +3, player_1 -3 bb"."""
        shown = names or [f"player_{seat}" for seat in range(self.game.num_seats)]
        won = zip(shown, self.rewards.tolist(), strict=True)
        return ", ".join(f"{name} {reward:+g}" for name, reward in won) + f" {self.game.unit}"
