"""Rollouts with a policy: it says which actions of Big 2 are worth a trial, and plays all seats to the end of the deal.

A network is often surer of its likeliest action than it should be: what it gives a chance of one in a thousand wins
more points in some positions. The same imagined deals, and the same random numbers for what is played there, serve all
actions of a decision, so that luck does not decide between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.search.big2_deals import deal_unseen
from card_envs.agent import Agent, Decisions, decisions_at
from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.games.big2.tricks import act

TRIED = 4
"""Number of likeliest actions that are tried."""

_SEED_BITS = 2.0**53


def choose_with(policy: Agent, decisions: Decisions, deals: int, doubt: float) -> NDArray[np.int64]:
    """Return the policy's likeliest action of each decision, or one that wins more on imagined deals.

    Another one has to be ahead by `doubt` standard errors of the difference.
    """
    chances = np.asarray(policy.probabilities(decisions))
    actions = np.asarray(chances.argmax(axis=1), np.int64)
    for j in np.flatnonzero(decisions.num_legal > 1):
        tried = _likeliest(chances[j])
        seed = int(decisions.random_numbers[j] * _SEED_BITS)
        points = points_of(policy, decisions.game, decisions.views[j : j + 1], tried, deals, seed)
        ahead = points - points[0]
        actions[j] = tried[(ahead.mean(axis=1) - doubt * ahead.std(axis=1) / np.sqrt(deals)).argmax()]
    return actions


def _likeliest(chances: NDArray[np.floating]) -> NDArray[np.int64]:
    """Return the ids of up to `TRIED` actions that have a chance at all, the likeliest first."""
    order = np.argsort(-chances, kind="stable")[:TRIED]
    return np.asarray(order[chances[order] > 0], np.int64)


def points_of(
    policy: Agent, game: Game, view: Tables, actions: NDArray[np.int64], deals: int, seed: int
) -> NDArray[np.float64]:
    """Return the points (k, deals) that the actor of view[0] wins with each of the actions (k,), on the same deals."""
    imagined = np.empty(deals, view.dtype)
    imagine(view, imagined, np.uint64(seed))
    tables = np.tile(imagined, len(actions))
    rows = np.arange(len(tables))
    act_until_a_choice(tables, rows, np.repeat(actions, deals))
    rng = np.random.default_rng(seed)
    while len(rows := np.flatnonzero(tables["is_over"] == 0)):
        random_numbers = rng.random(deals)[rows % deals]
        act_until_a_choice(tables, rows, policy.act(decisions_at(game, tables, rows, rows, random_numbers), rng))
    won = tables["payoff"][:, view["actor"][0]]
    return np.asarray(won.reshape(len(actions), deals), np.float64)


@kernel
def imagine(views: Any, imagined: Any, seed: Any) -> None:
    """Make every table of `imagined` another deal of the cards that the actor of views[0] does not see."""
    for number in range(imagined.shape[0]):
        imagined[number] = views[0]
        deal_unseen(imagined[number], seed, number)


@kernel
def act_until_a_choice(tables: Any, rows: Any, actions: Any) -> None:
    """Apply an action at each of the tables `rows`, then all decisions that have one legal action."""
    for j in range(rows.shape[0]):
        t = tables[rows[j]]
        act(t, actions[j])
        while t.is_over == 0 and t.num_legal == 1:
            act(t, np.int64(t.legal[0]))
