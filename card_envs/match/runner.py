"""Calls agents in a match, checks the actions that they return, and reports failures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from card_envs.agent import Agent, Decisions
from card_envs.formatting import describe_error
from card_envs.game import Game, check_actions
from card_envs.match.callbacks import MatchBatch
from card_envs.match.result import AgentError, Fault
from card_envs.observation import Encoder
from card_envs.typing import Rows

ON_ERROR = ("abort", "forfeit")
"""Reactions to an agent that fails: end the match, or take the first legal action instead."""


@dataclass(frozen=True, eq=False)
class Player:
    """An agent with its encoder and random generator. It may have several seats."""

    agent: Agent
    encoder: Encoder
    rng: np.random.Generator


class AgentRunner:
    """Asks agents for actions, checks the actions, and handles failures as `on_error` requires."""

    def __init__(self, game: Game, seed: int, on_error: str, checks_legality: bool) -> None:
        if on_error not in ON_ERROR:
            raise ValueError(f"on_error {on_error!r} is not known: choose one of {list(ON_ERROR)}")
        self._game, self._seed, self._forfeits = game, seed, on_error == "forfeit"
        self._checks_legality = checks_legality or self._forfeits  # else `Game.step_batch` does, without a mask
        self._faults: dict[str, Fault] = {}

    def faults(self) -> tuple[Fault, ...]:
        """Return the faults so far, one per agent that failed."""
        return tuple(self._faults.values())

    def ask(self, player: Player, decisions: Decisions, batch: MatchBatch, rows: Rows) -> Rows:
        """Return the legal actions (k,) that an agent takes in its `decisions`, which are at batch.tables[rows].

        With on_error="forfeit", an agent that fails is asked again about each half of the decisions, recursively, so
        that the forfeited decisions do not depend on how decisions are batched.
        """
        try:
            return self._ask_once(player, decisions, batch, rows)
        except AgentError as error:
            if not self._forfeits:
                raise
            if len(rows) == 1:
                self._add_fault(player.agent, str(error))
                return np.array(decisions.legal_actions(0)[:1])
        half = len(rows) // 2
        parts = slice(0, half), slice(half, len(rows))
        return np.concatenate([self.ask(player, decisions.part(part), batch, rows[part]) for part in parts])

    def call(self, player: Player, hook: Callable[..., None], *arguments: Any) -> None:
        """Call a hook of an agent, such as `deal_starts`."""
        try:
            hook(*arguments)
        except Exception as error:
            message = f"agent {player.agent.name!r} (seed {self._seed}, {hook.__name__}) raised {describe_error(error)}"
            if not self._forfeits:
                raise AgentError(message) from error
            self._add_fault(player.agent, message, decisions=0)

    def _ask_once(self, player: Player, decisions: Decisions, batch: MatchBatch, rows: Rows) -> Rows:
        def failure(what: str) -> AgentError:
            where = _locate(batch, int(rows[0]), self._seed)
            asked = f"asked for {len(rows)} decisions, the first: {where}, legal actions {decisions.legal_actions(0)}"
            return AgentError(f"agent {player.agent.name!r} ({asked}) {what}{_table_text(batch, int(rows[0]))}")

        try:
            returned = player.agent.act(decisions, player.rng)
        except Exception as error:
            raise failure(f"raised {describe_error(error)}") from error
        try:
            actions = check_actions(returned, len(decisions))
        except ValueError as error:
            raise failure(f"returned {error}") from None
        if self._checks_legality:
            self._check_legality(player, actions, decisions, batch, rows)
        return actions

    def _check_legality(
        self, player: Player, actions: Rows, decisions: Decisions, batch: MatchBatch, rows: Rows
    ) -> None:
        is_known = (actions >= 0) & (actions < self._game.num_actions)
        is_legal = is_known & (decisions.action_mask[np.arange(len(rows)), np.where(is_known, actions, 0)] == 1)
        if not is_legal.all():
            wrong = int(np.argmin(is_legal))
            raise self.illegal_action(player, batch, int(rows[wrong]), int(actions[wrong]))

    def illegal_action(self, player: Player, batch: MatchBatch, row: int, action: int) -> AgentError:
        """Return the error of an agent that chose an illegal action at batch.tables[row]."""
        where, why = _locate(batch, row, self._seed), self._game.why_illegal(batch.tables, row, action)
        return AgentError(
            f"agent {player.agent.name!r} chose an illegal action ({where}): {why}{_table_text(batch, row)}"
        )

    def _add_fault(self, agent: Agent, message: str, decisions: int = 1) -> None:
        fault = self._faults.get(agent.name, Fault(agent.name, 0, message))
        self._faults[agent.name] = replace(fault, decisions=fault.decisions + decisions)


def _locate(batch: MatchBatch, row: int, seed: int) -> str:
    hand, seat = int(batch.hands[row]), int(batch.tables["actor"][row])
    return f"hand {hand}, deal {hand // batch.plays}, table {batch.table_ids[row]}, seed {seed}, seat {seat}"


def _table_text(batch: MatchBatch, row: int) -> str:
    """Return a line that describes the table as the seat to act sees it."""
    lines = batch.game.text(batch.tables, row, int(batch.tables["actor"][row])).splitlines()
    return f"; the table: {' / '.join(' '.join(line.split()) for line in lines)}"
