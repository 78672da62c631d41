"""Advice of agents about decisions of a current or a recorded hand, for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from card_baselines.advice import advise_on
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.replay import Moment
from card_baselines.web.session import Session, table_after
from card_envs.agent import Agent
from card_envs.game import Game, Tables

_KEPT_AGENTS = 64
_NOTHING = {"value": None, "value_error": None, "equity": None}

Thought = dict[str, Any]


class Thinkers:
    """Agents that give advice; they play at no table themselves."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Ask agents of this catalogue."""
        self._catalogue = catalogue
        self._agents: dict[tuple[str, str], Agent] = {}

    def ask_about_own_decision(
        self, session: Session, place: int, hand: int, step: int, name: str, actions: Sequence[int]
    ) -> Thought:
        """Return an agent's advice on a decision of the player at a place; `actions` are those of the hand so far.

        Raises ValueError for decisions of others: they would tell of cards that the place may not see.
        """
        if not 0 <= step <= len(actions):
            raise ValueError(f"step {step} must be in 0..{len(actions)}")
        game, plan = session.game, session.plan
        tables = table_after(game, plan, hand, actions[:step])
        seat = int(tables["actor"][0])
        if seat != plan.seat_of(place, hand):
            raise ValueError("this is not a decision of yours")
        return self.ask_about_decision(game, tables, name)

    def ask_about_moment(self, moment: Moment, name: str) -> Thought | None:
        """Return an agent's advice on a moment of a recording, as the seat to act saw it; None at the end."""
        if moment.taken is None:
            return None
        reason = f"{name} does not know this game"
        for game, tables in ((moment.game, moment.tables), *moment.in_other_games):
            try:
                return self.ask_about_decision(game, tables, name)
            except ValueError as error:
                reason = str(error)
        return {"agent": name, "unit": moment.game.unit, "actions": [], "note": reason} | _NOTHING

    def ask_about_decision(self, game: Game, tables: Tables, name: str) -> Thought:
        """Return an agent's advice on the decision at a single table.

        The keys are those of `Advice.as_json`.
        """
        return advise_on(game, tables, self._agent(name, game)).as_json()

    def _agent(self, name: str, game: Game) -> Agent:
        key = name, repr(game.config)
        if key not in self._agents:
            if len(self._agents) >= _KEPT_AGENTS:
                self._agents.clear()
            self._agents[key] = self._catalogue.agent(name, game)
        return self._agents[key]
