"""Advice of an agent about a decision: action probabilities, the value of the state, and the equity of the hand.

The agent receives the decision as the acting seat sees it, so the advice reveals no hidden cards.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, action_probabilities, decisions_at, estimate_probabilities
from card_envs.chance import EQUITY, REDEAL
from card_envs.game import Game, Tables, check_actions
from card_envs.match.summary import summarise_deals
from card_envs.text import action_names

PLAYOUTS = 200
"""Maximum number of deals that an agent plays out for the value of a state."""
_FEWEST_PLAYOUTS = 20
"""Minimum number of deals for a value with its error."""
_PLAYOUT_SECONDS = 0.5
"""Time after which no more playouts begin, in seconds, once there are enough for a value."""
_MOST_SECONDS = 5.0
"""Time after which playouts are given up, in seconds: an agent that is too slow, or kernels that have to be loaded."""
_FIRST_BATCH = 10
"""Number of deals that are first played out side by side; each later batch is as large as all before it."""
_MOST_DRAWS, _DRAW_SECONDS = 20, 0.4
"""Limits on asking an agent without probabilities for its action: number of times, seconds."""
_ROW = np.zeros(1, np.int64)


@dataclass(frozen=True)
class ActionAdvice:
    """A legal action with its probability."""

    action: int
    name: str
    probability: float


@dataclass(frozen=True)
class Advice:
    """An agent's advice about one decision."""

    agent: str
    unit: str
    actions: tuple[ActionAdvice, ...]
    """The legal actions, the most likely first."""
    note: str | None = None
    """Method that estimated the probabilities, if the agent does not show them."""
    value: float | None = None
    """Mean future winnings of the seat if the agent plays every seat, in `unit`; None if unknown."""
    value_error: float | None = None
    """Standard error of the value."""
    value_ci95: tuple[float, float] | None = None
    """Bounds of the 95 % interval of the value."""
    value_deals: int = 0
    """Number of deals on which the value rests."""
    value_note: str | None = None
    """Sentence that says why there is no value; None if there is one."""
    equity: float | None = None
    """Equity: mean share of the pot won against unknown hands without more betting, 0..1; None in other games."""

    def as_json(self) -> dict[str, Any]:
        """Return the advice as JSON."""
        return {**asdict(self), "actions": [asdict(each) for each in self.actions]}


def advise_on(game: Game, tables: Tables, agent: Agent) -> Advice:
    """Return the advice of an agent about the decision at a table.

    Args:
        game: The game of the table.
        tables: (1,) tables, complete or as the acting seat sees them.
        agent: The agent; it must play the game.

    Returns:
        Probabilities, value and equity. An agent without probabilities is asked up to 20 times.
    """
    seat = int(tables["actor"][0])
    views = game.views(tables, [0], [seat])
    probabilities, note = _find_probabilities(game, agent, tables)
    names = action_names(game, views, 0)
    actions = [ActionAdvice(action, name, float(probabilities[action])) for action, name in names.items()]
    estimate_equity = EQUITY.find(game)
    equity = None if estimate_equity is None else estimate_equity(views, seat)
    likely = tuple(sorted(actions, key=lambda each: -each.probability))
    return Advice(agent.name, game.unit, likely, note, equity=equity, **estimate_value(game, agent, views, seat))


def _find_probabilities(game: Game, agent: Agent, tables: Tables) -> tuple[NDArray[np.float64], str | None]:
    """Return the probabilities of all actions, (num_actions,), and a note: what the agent explains, if anything.

    Probabilities of an agent that does not show them are estimated: the agent acts several times with different
    random numbers, and the frequencies of its actions are counted.
    """
    decisions = decisions_at(game, tables, _ROW, _ROW, np.array([0.5]), encoder=agent.find_encoder(game))
    if agent.shows_probabilities:
        return action_probabilities(agent, decisions)[0], agent.explain(decisions)[0] or None
    start = time.perf_counter()
    agent.deal_starts(_ROW)  # it may have been asked about another hand before
    agent.act(decisions, np.random.default_rng(0))
    explanation = ". ".join(text.replace("\n", ". ") for text in agent.explain(decisions) if text)
    draws = max(1, min(_MOST_DRAWS, int(_DRAW_SECONDS / (time.perf_counter() - start))))
    shown = estimate_probabilities(agent, decisions, np.random.default_rng(0), draws)[0]
    times = "asked once" if draws == 1 else f"asked {draws} times"
    note = f"{agent.name} does not show probabilities: {times}, it did this"
    return np.asarray(shown, np.float64), f"{explanation}. {note}" if explanation else note


def estimate_value(game: Game, agent: Agent, views: Tables, seat: int) -> dict[str, Any]:
    """Return the fields of `Advice` about the mean future winnings of a seat if the agent plays every seat.

    Cards that the seat cannot see are dealt uniformly at random. A slow agent plays out fewer deals. There is no value,
    but a note, if the game cannot deal hidden cards or the agent does not finish 20 deals in five seconds.
    """
    redeal = REDEAL.find(game)
    if redeal is None:
        return {"value_note": f"no value: {game.name} cannot deal the cards that a seat does not see"}
    rng, won, start = np.random.default_rng(0), np.empty(0), time.perf_counter()
    while len(won) < PLAYOUTS:
        is_enough = len(won) >= _FEWEST_PLAYOUTS
        if is_enough and time.perf_counter() - start > _PLAYOUT_SECONDS:
            break
        tables = np.repeat(views, min(max(_FIRST_BATCH, len(won)), PLAYOUTS - len(won)))
        redeal(tables, seat, rng)
        if not _play_out(game, agent, tables, rng, start + (_PLAYOUT_SECONDS if is_enough else _MOST_SECONDS)):
            break
        won = np.append(won, tables["payoff"][:, seat] / game.chips_per_reward)
    if len(won) < _FEWEST_PLAYOUTS:
        played = f"{agent.name} played out {len(won)} deals in {_MOST_SECONDS:g} seconds"
        return {"value_deals": len(won), "value_note": f"no value: {played}, at least {_FEWEST_PLAYOUTS} are needed"}
    found = summarise_deals(agent.name, won)
    return {
        "value": found.mean, "value_error": found.standard_error, "value_ci95": found.ci95, "value_deals": len(won),
    }  # fmt: skip


def _play_out(game: Game, agent: Agent, tables: Tables, rng: np.random.Generator, deadline: float) -> bool:
    """Let an agent finish the hands at some tables; return False if the deadline passes first."""
    encoder = agent.find_encoder(game)
    rewards, is_over = np.empty((len(tables), game.num_seats), np.float32), np.empty(len(tables), np.uint8)
    active = np.flatnonzero(tables["is_over"] == 0)
    agent.deal_starts(active)  # tables of their own, for agents that remember them
    while len(active):
        if time.perf_counter() > deadline:
            return False
        decisions = decisions_at(game, tables, active, active, rng.random(len(active)), encoder=encoder)
        actions = check_actions(agent.act(decisions, rng), len(active))
        illegal = game.step_batch(tables, active, actions, rewards, is_over, False)
        if illegal >= 0:
            why = game.why_illegal(tables, int(active[illegal]), int(actions[illegal]))
            raise ValueError(f"agent {agent.name!r} chose an illegal action: {why}")
        active = active[is_over[: len(active)] == 0]
    return True
