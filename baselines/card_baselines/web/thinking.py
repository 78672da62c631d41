"""What an agent thinks of a decision: the probability of every legal action, the value of the state, the hand's equity.

It is given the decision as the seat faces it, so that nothing is shown that the seat may not see.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.replay import Moment
from card_baselines.web.scenes import legal_actions
from card_baselines.web.session import Session, censor_table, table_after
from card_envs.agent import Agent, action_probabilities, decisions_at, estimate_probabilities
from card_envs.game import Game, Tables

PLAYOUTS = 200
"""Hands that an agent plays out for the value of a state."""
_PLAYOUT_SECONDS = 0.5
"""Time limit of all playouts of a value, in seconds; later ones are left out."""
_FIRST_SECONDS = 5.0
"""Time limit of the first playouts, in seconds: kernels may have to be loaded."""
_BATCH, _FIRST_BATCH = 50, 2
_KEPT_AGENTS = 64

_MOST_DRAWS, _DRAW_SECONDS = 20, 0.4
"""Limits on asking an agent without probabilities for its action: number of times, seconds."""
_ROW = np.zeros(1, np.int64)
_NOTHING = {"value": None, "value_error": None, "equity": None}

Thought = dict[str, Any]


class Thinkers:
    """Agents that are asked what they think; they play at no table themselves."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Ask agents of this catalogue."""
        self._catalogue = catalogue
        self._agents: dict[tuple[str, str], Agent] = {}

    def ask_about_own_decision(
        self, session: Session, place: int, hand: int, step: int, name: str, actions: Sequence[int]
    ) -> Thought:
        """Return what an agent thinks of a decision that a place faces or faced; `actions` are those of the hand.

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
        """Return what an agent thinks of a moment of a recording, as the seat to act saw it; None at the end."""
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
        """Return what an agent thinks of the decision at a single table.

        Keys: agent, actions (each with action, name, probability; the most likely first), note (why there are none),
        value and its standard error in the game's unit (or null), equity from 0 to 1 (or null), unit.
        """
        agent = self._agent(name, game)
        seat = int(tables["actor"][0])
        views = censor_table(game, tables, seat)
        shown, note = _action_shares(game, agent, tables)
        likely = [] if shown is None else sorted(legal_actions(game, tables), key=lambda action: -shown[action])
        value = playout_value(game, agent, views, seat)
        return {
            "agent": name,
            "unit": game.unit,
            "actions": [
                {"action": each, "name": game.action_name(views, 0, each), "probability": float(shown[each])}
                for each in likely
                if shown is not None
            ],
            "note": note,
            "value": None if value is None else value[0],
            "value_error": None if value is None else value[1],
            "equity": None if game.info.equity is None else game.info.equity(views, seat),
        }

    def _agent(self, name: str, game: Game) -> Agent:
        key = name, repr(game.config)
        if key not in self._agents:
            if len(self._agents) >= _KEPT_AGENTS:
                self._agents.clear()
            self._agents[key] = self._catalogue.agent(name, game)
        return self._agents[key]


def _action_shares(game: Game, agent: Agent, tables: Tables) -> tuple[NDArray[np.float64] | None, str | None]:
    """Return the probabilities of all actions (num_actions,) and a remark: from the agent, or from what it does.

    An agent without probabilities is asked a few times, with other random numbers: how often it takes each action.
    """
    seen = agent.apply_encoder(game)
    if agent.shows_probabilities:
        return action_probabilities(agent, decisions_at(seen, tables, _ROW, _ROW, np.array([0.5])))[0], None
    decisions = decisions_at(seen, tables, _ROW, _ROW, np.array([0.5]))
    start = time.perf_counter()
    agent.deal_starts(_ROW)  # it may have been asked about another hand before
    agent.act(decisions, np.random.default_rng(0))
    told = ". ".join(text.replace("\n", ". ") for text in agent.explain(decisions) if text)
    draws = max(1, min(_MOST_DRAWS, int(_DRAW_SECONDS / (time.perf_counter() - start))))
    shown = estimate_probabilities(agent, decisions, np.random.default_rng(0), draws)[0]
    times = "asked once" if draws == 1 else f"asked {draws} times"
    note = f"{agent.name} does not show probabilities: {times}, it did this"
    return np.asarray(shown, np.float64), f"{told}. {note}" if told else note


def playout_value(game: Game, agent: Agent, views: Tables, seat: int) -> tuple[float, float] | None:
    """Return what a seat wins on average from here if the agent plays every seat, and the standard error.

    Cards that the seat cannot see are dealt at random, all ways alike. None where the game cannot deal them, and for
    agents that are too slow.
    """
    if game.info.redeal is None:
        return None
    rng, won = np.random.default_rng(0), np.empty(0)
    deadline = time.perf_counter() + _FIRST_SECONDS  # the first time, kernels may have to be loaded
    while len(won) < PLAYOUTS:
        tables = np.repeat(views, _BATCH if len(won) else _FIRST_BATCH)
        game.info.redeal(tables, seat, rng)
        if not _play_out(game, agent, tables, rng, deadline):
            break
        if not len(won):
            deadline = time.perf_counter() + _PLAYOUT_SECONDS
        won = np.append(won, tables["payoff"][:, seat] / game.chips_per_reward)
    if len(won) < 2 * _BATCH:
        return None
    return float(won.mean()), float(won.std(ddof=1)) / math.sqrt(len(won))


def _play_out(game: Game, agent: Agent, tables: Tables, rng: np.random.Generator, deadline: float) -> bool:
    """Let an agent play tables to their ends; return False if there was no time for it."""
    seen = agent.apply_encoder(game)
    rewards, is_over = np.empty((len(tables), game.num_seats), np.float32), np.empty(len(tables), np.uint8)
    active = np.flatnonzero(tables["is_over"] == 0)
    agent.deal_starts(active)  # tables of their own, for agents that remember them
    while len(active):
        if time.perf_counter() > deadline:
            return False
        decisions = decisions_at(seen, tables, active, active, rng.random(len(active)))
        game.step_batch(tables, active, np.asarray(agent.act(decisions, rng), np.int64), rewards, is_over, False)
        active = active[is_over[: len(active)] == 0]
    return True
