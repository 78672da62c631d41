"""Advice of agents on decisions of current and recorded hands, for pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from card_baselines.advice import Advice, advise_on
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.replay import Moment
from card_baselines.web.session import Session, table_after
from card_envs.game import Game, Tables

_MAX_AGENTS = 64
"""Maximum number of agents that are kept for later questions."""

AdviceJson = dict[str, Any]
"""Advice as JSON, see `Advice.as_json`."""


class Advisers:
    """Agents that give advice. They are not those that play in sessions."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Use the agents of a catalogue."""
        self._agent = lru_cache(_MAX_AGENTS)(catalogue.agent)

    def ask_about_own_decision(
        self, session: Session, index: int, hand: int, step: int, name: str, actions: Sequence[int]
    ) -> AdviceJson:
        """Return an agent's advice on a decision of a player.

        Args:
            session: Session of the player.
            index: Index of the player.
            hand: Number of the hand.
            step: Number of decisions before the one in question.
            name: Name of the agent.
            actions: Actions of the hand so far.

        Raises:
            ValueError: The decision is another player's, so that advice would reveal hidden cards.
        """
        if not 0 <= step <= len(actions):
            raise ValueError(f"step {step} must be in 0..{len(actions)}")
        game, plan = session.game, session.plan
        tables = table_after(game, plan, hand, actions[:step])
        seat = int(tables["actor"][0])
        if seat != plan.seat_of(index, hand):
            raise ValueError("this is not a decision of yours")
        return self.ask_about_decision(game, tables, name)

    def ask_about_moment(self, moment: Moment, name: str) -> AdviceJson | None:
        """Return an agent's advice on the next decision of a recorded hand; None at the end of the hand."""
        if moment.taken is None:
            return None
        reason = f"{name} does not know this game"
        for game, tables in ((moment.recorded.game, moment.tables), *moment.in_other_games):
            try:
                return self.ask_about_decision(game, tables, name)
            except ValueError as error:
                reason = str(error)
        return Advice(name, moment.recorded.game.unit, (), reason).as_json()

    def ask_about_decision(self, game: Game, tables: Tables, name: str) -> AdviceJson:
        """Return an agent's advice on the decision at a single table."""
        return advise_on(game, tables, self._agent(name, game)).as_json()
