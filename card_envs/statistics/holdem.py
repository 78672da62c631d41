"""Play statistics of hold'em, as poker players and papers define them; see `docs/results/evaluation_methods.md`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.state import Street
from card_envs.match.callbacks import MatchBatch
from card_envs.statistics import PlayCounter, Statistic, ratio, share
from card_envs.typing import Rows


def make_statistics(game: Game) -> Callable[[], HoldemStatistics]:
    """Return the function that makes a counter."""
    return partial(HoldemStatistics, game.num_seats)


class HoldemStatistics(PlayCounter):
    """Counter of VPIP, PFR, 3-bet, aggression and showdowns."""

    def __init__(self, seats: int) -> None:
        self._hands = 0
        self._done = dict.fromkeys(
            ("vpip", "pfr", "could_3bet", "3bet", "saw_flop", "showdown", "won_showdown"), np.zeros(seats, np.int64)
        )
        self._actions = np.zeros((2, seats, 3), np.int64)  # preflop or later, agent, fold / call / raise

    def on_deal(self, batch: MatchBatch) -> None:
        """Prepare for new hands."""
        shape = len(batch.tables), self._actions.shape[1]
        self._now = {name: np.zeros(shape, bool) for name in self._done}
        self._folded_preflop = np.zeros(shape, bool)

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Count the actions."""
        tables, seats = batch.tables, batch.tables["actor"][rows].astype(np.int64)
        agents, street = batch.agent_indices(rows, seats), tables["street"][rows].astype(np.int64)
        owes = tables["current_bet"][rows] > tables["street_commit"][rows, seats]
        raised, folded = actions >= FIRST_RAISE_ACTION, actions == FOLD_ACTION
        called = (actions == CALL_ACTION) & owes
        for kind, chosen in enumerate((folded, called, raised)):
            np.add.at(self._actions[:, :, kind], (np.minimum(street, 1), agents), chosen)
        preflop = street == Street.PREFLOP
        one_raise = preflop & (tables["street_raises"][rows, 0] == 1) & owes
        for name, happened in (
            ("vpip", preflop & (called | raised)),
            ("pfr", preflop & raised),
            ("could_3bet", one_raise & (tables["max_raise_to"][rows] > 0)),
            ("3bet", one_raise & raised),
        ):
            self._now[name][rows, agents] |= happened
        self._folded_preflop[rows, agents] |= preflop & folded

    def on_end(self, batch: MatchBatch) -> None:
        """Count the hands."""
        tables, seats = batch.tables, self._actions.shape[1]
        in_hand = tables["in_hand"].astype(np.int64)
        stayed = batch.order_by_agent((in_hand[:, None] >> np.arange(seats)) & 1) == 1
        shown = stayed & (in_hand & (in_hand - 1) != 0)[:, None]
        self._now["saw_flop"] = ~self._folded_preflop & (tables["street"] > 0)[:, None]
        self._now["showdown"] = shown
        self._now["won_showdown"] = shown & (batch.payoffs > 0)
        self._done = {name: self._done[name] + happened.sum(axis=0) for name, happened in self._now.items()}
        self._hands += len(tables)

    def compute_statistics(self) -> tuple[tuple[Statistic, ...], ...]:
        """Return the statistics of each agent."""
        return tuple(self._agent_statistics(agent) for agent in range(self._actions.shape[1]))

    def _agent_statistics(self, agent: int) -> tuple[Statistic, ...]:
        done = {name: int(counts[agent]) for name, counts in self._done.items()}
        folds, calls, raises = (int(count) for count in self._actions[:, agent].sum(axis=0))
        _, later_calls, later_raises = (int(count) for count in self._actions[1, agent])
        return (
            share("VPIP", done["vpip"], self._hands),
            share("PFR", done["pfr"], self._hands),
            share("3-bet", done["3bet"], done["could_3bet"]),
            ratio("aggression factor", later_raises, later_calls),
            share("WTSD", done["showdown"], done["saw_flop"]),
            share("W$SD", done["won_showdown"], done["showdown"]),
            ratio("aggression", raises, calls),
            share("distorted aggression", raises, raises + calls),
            ratio("tightness", folds, calls + raises),
        )
