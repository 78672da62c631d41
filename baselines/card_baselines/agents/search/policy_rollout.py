"""Monte Carlo rollouts with a policy in Big 2: it selects the candidate actions, and plays all seats to the end.

Networks are often overconfident: in some positions an action with a probability of one in a million wins more points.
So decisions are searched unless one action has nearly all of the probability. All actions of a decision are played on
the same sampled deals with the same random numbers, which reduces the variance of their differences. Candidates are
tried in two rounds, as in sequential halving (Karnin, Koren and Somekh 2013): all of them on a quarter of the deals,
then the best ones on the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.search.big2_deals import deal_unseen
from card_envs.agent import Agent, Decisions, decisions_at
from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.games.big2.tricks import act
from card_envs.rng import SEED_SCALE
from card_envs.typing import Integers

CANDIDATES = 8
"""Number of likeliest actions that are tried."""
FINALISTS = 2
"""Number of actions, beside the likeliest one, that are tried on all deals."""
FIRST_ROUND = 0.25
"""Fraction of the deals on which all candidates are tried."""
GROUP = 8
"""Number of decisions that are searched side by side: calls of a network cost less together."""


def choose_with(policy: Agent, decisions: Decisions, deals: int, doubt: float, threshold: float) -> Integers:
    """Return the policy's likeliest action of each decision, or one that wins more on imagined deals.

    Args:
        policy: Agent that shows its probabilities and remembers nothing.
        decisions: Decisions of Big 2.
        deals: Number of imagined deals, at least 2.
        doubt: Standard errors of the difference by which another action has to be ahead.
        threshold: Smallest probability of all other actions together at which a decision is searched.

    Returns:
        (n,) action ids.
    """
    probabilities = np.asarray(policy.probabilities(decisions))
    actions = np.asarray(probabilities.argmax(axis=1), np.int64)
    is_unsure = 1.0 - probabilities.max(axis=1) >= threshold
    searched = np.flatnonzero((decisions.num_legal > 1) & is_unsure)
    for start in range(0, len(searched), GROUP):
        rows = searched[start : start + GROUP]
        candidates = [_likeliest(probabilities[j]) for j in rows]
        seeds = [int(number * SEED_SCALE) for number in decisions.random_numbers[rows]]
        actions[rows] = _search(policy, decisions.game, decisions.views[rows], candidates, deals, doubt, seeds)
    return actions


def _likeliest(probabilities: NDArray[np.floating]) -> Integers:
    """Return the ids of up to `CANDIDATES` actions with a probability above 0, the likeliest first."""
    order = np.argsort(-probabilities, kind="stable")[:CANDIDATES]
    return np.asarray(order[probabilities[order] > 0], np.int64)


def _search(
    policy: Agent, game: Game, views: Tables, candidates: list[Integers], deals: int, doubt: float, seeds: list[int]
) -> Integers:
    """Return the best candidate in each of the views (m,): the first one unless another is ahead by `doubt`."""
    first = max(1, round(FIRST_ROUND * deals))
    points = compute_points(policy, game, views, candidates, first, seeds)
    kept = [_select_finalists(won) for won in points]
    finalists = [actions[places] for actions, places in zip(candidates, kept, strict=True)]
    rest = compute_points(policy, game, views, finalists, deals - first, seeds, first)
    won = [np.concatenate([a[places], b], axis=1) for a, b, places in zip(points, rest, kept, strict=True)]
    return np.array([actions[_find_best(each, doubt)] for actions, each in zip(finalists, won, strict=True)], np.int64)


def _select_finalists(points: NDArray[np.float64]) -> Integers:
    """Return the indices of the first candidate and of the `FINALISTS` best others, given points (k, deals)."""
    best = 1 + np.argsort(-points[1:].mean(axis=1), kind="stable")[:FINALISTS]
    return np.concatenate([[0], np.sort(best)]).astype(np.int64)


def _find_best(points: NDArray[np.float64], doubt: float) -> np.int64:
    """Return the place of the candidate whose lead over the first one, less `doubt` standard errors, is largest."""
    ahead = points - points[0]
    return np.int64((ahead.mean(axis=1) - doubt * ahead.std(axis=1) / np.sqrt(points.shape[1])).argmax())


def compute_points(
    policy: Agent,
    game: Game,
    views: Tables,
    actions: Sequence[Integers],
    deals: int,
    seeds: Sequence[int],
    first: int = 0,
) -> list[NDArray[np.float64]]:
    """Play actions on imagined deals to their ends, the same deals for all actions of a view.

    Args:
        policy: Plays all seats after the action.
        game: Big 2.
        views: (m,) tables as their actors see them.
        actions: For each view, (k,) actions.
        deals: Number of imagined deals.
        seeds: For each view, the seed of a sequence of deals and of random numbers.
        first: Number of the first deal of the sequence that is played.

    Returns:
        For each view, (k, deals) points that its actor wins.
    """
    imagined = np.empty((len(views), deals), views.dtype)
    for j, seed in enumerate(seeds):
        imagine(views[j : j + 1], imagined[j], np.uint64(seed), first)
    sizes = np.array([len(each) for each in actions])
    view_of = np.repeat(np.arange(len(views)), sizes * deals)
    deal_of = np.tile(np.arange(deals), sizes.sum())
    tables = imagined[view_of, deal_of]
    act_until_a_choice(tables, np.arange(len(tables)), np.repeat(np.concatenate(list(actions)), deals))
    streams = [np.random.default_rng(seed + first) for seed in seeds]
    numbers = np.empty((len(views), deals))
    while len(rows := np.flatnonzero(tables["is_over"] == 0)):
        for j in np.unique(view_of[rows]):
            numbers[j] = streams[j].random(deals)
        decisions = decisions_at(game, tables, rows, rows, numbers[view_of[rows], deal_of[rows]])
        act_until_a_choice(tables, rows, policy.act(decisions, streams[0]))
    seats = views["actor"].astype(np.int64)[view_of]
    won = tables["payoff"][np.arange(len(tables)), seats].astype(np.float64)
    return [part.reshape(-1, deals) for part in np.split(won, np.cumsum(sizes * deals)[:-1])]


@kernel
def imagine(views: Any, imagined: Any, seed: Any, first: Any) -> None:
    """Make every table of `imagined` another deal, from number `first` on, of the cards that views[0] hides."""
    for k in range(imagined.shape[0]):
        imagined[k] = views[0]
        deal_unseen(imagined[k], seed, first + k)


@kernel
def act_until_a_choice(tables: Any, rows: Any, actions: Any) -> None:
    """Apply an action at each of the tables `rows`, then all decisions that have one legal action."""
    for j in range(rows.shape[0]):
        t = tables[rows[j]]
        act(t, actions[j])
        while t.is_over == 0 and t.num_legal == 1:
            act(t, np.int64(t.legal[0]))
