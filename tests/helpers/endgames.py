"""Helpers for tests of endgames: an agent that mixes by hand and bets, targets, and best responses hand by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.exploitability.methods import Target
from card_envs.agent import Decisions, action_probabilities, as_agent, decisions_at
from card_envs.game import ILLEGAL, Game
from tests.helpers.scripted_agents import ShowsProbabilities


class Mixed(ShowsProbabilities):
    """Mixes by hand and bets."""

    name = "mixed"

    def probabilities(self, decisions: Decisions) -> Any:
        found = []
        for t, me, mask in zip(decisions.views, decisions.seats, decisions.action_mask, strict=True):
            hand = sorted(t["deck"][2 * me : 2 * me + 2].tolist())
            rng = np.random.default_rng([*hand, *t["hand_commit"][:2].tolist(), int(t["num_decisions"])])
            weights = rng.random(len(mask)) ** 3 * mask
            found.append(weights / weights.sum())
        return np.array(found)


def target_of(game: Game, agent: Any) -> Target:
    playing = as_agent(agent)
    return Target(env="endgame", settings={}, agent=playing.name, game=game, player=playing)


def best_value(game: Game, agent: Any, seat: int, tables: Any, reach: Any) -> float:
    """Return the value of tables that the responder cannot tell apart, but for a card that has just come."""
    over = tables["is_over"] == 1
    if over.all():
        return float(reach @ tables["payoff"][:, seat])
    if tables["street"][0] == 3 and len(np.unique(tables["deck"][:, 8])) > 1:
        cards = tables["deck"][:, 8]
        return sum(best_value(game, agent, seat, tables[cards == c], reach[cards == c]) for c in np.unique(cards))
    rows = np.arange(len(tables))
    decisions = decisions_at(game, tables, rows, rows, np.zeros(len(rows)))
    found = []
    for action in np.flatnonzero(decisions.action_mask[0]).tolist():
        after = tables.copy()
        assert all(game.step(after, row, action) != ILLEGAL for row in range(len(rows)))
        share = 1.0 if tables["actor"][0] == seat else action_probabilities(agent, decisions)[:, action]
        found.append(best_value(game, agent, seat, after, reach * share))
    return max(found) if tables["actor"][0] == seat else sum(found)
