"""Brennus as an agent: preflop table, beliefs and forest for each decision, a bandit over strategies for each hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.maitrepierre2008 import beliefs
from card_baselines.papers.maitrepierre2008.bandit import Bandit, Ucb
from card_baselines.papers.maitrepierre2008.beliefs import BELIEFS, STRENGTHS
from card_baselines.papers.maitrepierre2008.correlated import CorrelatedBandit
from card_baselines.papers.maitrepierre2008.forest import FOREST, best_action, value_actions
from card_baselines.papers.maitrepierre2008.models import LOOSENESS, strategy_tables
from card_baselines.papers.maitrepierre2008.preflop import preflop_move
from card_baselines.papers.maitrepierre2008.thoughts import belief_text, strategies_text
from card_baselines.solvers.tree import is_two_player_limit
from card_envs.agent import Agent, Decisions
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.games.holdem.state import CALL, RAISE
from card_envs.rng import seed_stream

NUM_TREES = 200
TIE_MARGIN = 0.03
"""Fraction of the pot by which raising may be worth less than calling and still count as equal, which raises.

The paper takes the more aggressive of equal actions. In its trees both sides know what the other thinks, so whoever
would fold is bluffed; opening the river with a good hand then comes out a few percent of the pot below checking, for
nearly every hand. With 0, Brennus checks a third of its best hands there.
"""
_SEED_BITS = 2.0**53


class Brennus(Agent):
    """Adapts to its opponent: five ways to read its actions, and a bandit that chooses among them hand by hand.

    It remembers the hands of a table (`Decisions.table_ids`), so sessions are tables of many hands. Settings: shares of
    the loose-passive model in the strategies, trees for each decision, whether the strategies take turns instead of
    being chosen by the bandit.
    """

    name = "brennus"
    looseness: tuple[float, ...] = LOOSENESS

    def __init__(
        self, looseness: Sequence[float] | None = None, num_trees: int = NUM_TREES, evenly: bool = False
    ) -> None:
        if num_trees < 1:
            raise ValueError(f"num_trees {num_trees} must be at least 1")
        self.looseness = tuple(looseness) if looseness is not None else type(self).looseness
        self.models = strategy_tables(self.looseness)
        self.num_trees, self.evenly = num_trees, evenly
        self._sessions: dict[int, Bandit] = {}
        self._row_of: dict[int, int] = {}  # table -> its beliefs
        self._beliefs = np.zeros(0, BELIEFS)
        self._strategy, self._seat = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self._strengths, self._forest = np.zeros(1, STRENGTHS), np.zeros(1, FOREST)

    def can_play(self, game: Game) -> bool:
        """Return True for heads-up limit hold'em."""
        return is_texas_holdem(game) and is_two_player_limit(game.config)

    def new_session(self) -> Bandit:
        """Return a bandit that has seen no hand."""
        return Ucb(len(self.models))

    def session(self, table: int) -> Bandit:
        """Return the record of the hands at a table."""
        if table not in self._sessions:
            self._sessions[table] = self.new_session()
        return self._sessions[table]

    def beliefs_at(self, table: int) -> NDArray[np.float64]:
        """Return the probabilities (1326,) of the opponent's hands at a table, in the order of `beliefs.HANDS`."""
        return np.asarray(self._beliefs["probability"][self._row_of[table]])

    def explain(self, decisions: Decisions) -> list[str]:
        """Return the strategy that plays and what it believes of the opponent's hand, for decisions just taken."""
        return [
            f"{self._strategies_text(table)}\n{belief_text(self.beliefs_at(table), view)}"
            for table, view in zip(decisions.table_ids.tolist(), decisions.views, strict=True)
        ]

    def _strategies_text(self, table: int) -> str:
        session = self.session(table)
        known = [
            f"won {mean:+.2f} ± {bound:.2f} a hand" if np.isfinite(bound) else "hardly played"
            for mean, bound in zip(session.means, session.bounds, strict=True)
        ]
        return strategies_text(self.strategy_at(table), self.looseness, known)

    @property
    def resets(self) -> int:
        """How often all hands of an opponent had become impossible, and beliefs began anew."""
        return int(self._beliefs["resets"].sum())

    def strategy_at(self, table: int) -> int:
        """Return the strategy that plays the hand at a table, from 0, the tightest reading."""
        return int(self._strategy[self._row_of[table]])

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Choose a strategy for the hand at each table."""
        for table in table_ids.tolist():
            if table not in self._row_of:
                self._row_of[table] = len(self._row_of)
        self._make_room(len(self._row_of))
        for table in table_ids.tolist():
            row = self._row_of[table]
            self._strategy[row] = self._choose(table)
            self._seat[row] = -1
            self._beliefs["followed"][row] = -1

    def _choose(self, table: int) -> int:
        """Return the strategy for the next hand at a table."""
        session = self.session(table)
        return len(session.played) % len(self.models) if self.evenly else session.choose()

    def _make_room(self, rows: int) -> None:
        missing = rows - len(self._beliefs)
        if missing > 0:
            self._beliefs = np.concatenate([self._beliefs, np.zeros(missing + len(self._beliefs), BELIEFS)])
            more = len(self._beliefs) - len(self._strategy)
            self._strategy = np.concatenate([self._strategy, np.zeros(more, np.int64)])
            self._seat = np.concatenate([self._seat, np.full(more, -1, np.int64)])

    def _rows(self, decisions: Decisions) -> NDArray[np.int64]:
        """Return the row of each decision's table; tables whose deal was not announced start one now."""
        known = self._row_of
        if new := [table for table in decisions.table_ids.tolist() if table not in known]:
            self.deal_starts(np.array(new, np.int64))
        return np.array([known[table] for table in decisions.table_ids.tolist()], np.int64)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the action that the forest finds best at each decision, before the flop that of the table."""
        rows = self._rows(decisions)
        self._seat[rows] = decisions.seats
        actions = np.empty(len(decisions), np.int64)
        choose_batch(
            decisions.views, rows, decisions.random_numbers, self._beliefs, self._strategy, self.models,
            self._strengths, self._forest, np.int64(self.num_trees), actions,
        )  # fmt: skip
        return actions

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.floating[Any]]) -> None:
        """Credit the strategies with what the hands won."""
        for table, won in zip(table_ids.tolist(), payoffs, strict=True):
            row = self._row_of[table]
            seat = int(self._seat[row])
            # who had no decision was in the big blind when the other folded, and won
            reward = float(won[seat] if seat >= 0 else won.max())
            self.session(table).learn(int(self._strategy[row]), reward)


class BrennusTight(Brennus):
    """Brennus with one strategy: it reads every opponent as tight-aggressive."""

    name = "brennus_tight"
    looseness = (0.0,)


class BrennusLoose(Brennus):
    """Brennus with one strategy: it reads every opponent as loose-passive."""

    name = "brennus_loose"
    looseness = (1.0,)


class BrennusMixed(Brennus):
    """Brennus that plays its five strategies in turn, whatever they win."""

    name = "brennus_mixed"

    def __init__(self) -> None:
        super().__init__(evenly=True)


class BrennusCorrelated(Brennus):
    """Brennus with a bandit of ours: winnings of a strategy count for similar ones too, and old hands fade."""

    name = "brennus_correlated"

    def new_session(self) -> Bandit:
        """Return a bandit that has seen no hand."""
        return CorrelatedBandit(self.looseness)


@kernel
def choose_batch(
    views: Any, rows: Any, random_numbers: Any, tables: Any, strategies: Any, models: Any, strengths: Any, forest: Any,
    trees: Any, actions: Any,
) -> None:  # fmt: skip
    """Write the action of each view's actor; beliefs stand in tables[rows[j]]."""
    s, f = strengths[0], forest[0]
    for j in range(views.shape[0]):
        t, b = views[j], tables[rows[j]]
        seat = np.int64(t.actor)
        seed = np.uint64(random_numbers[j] * _SEED_BITS)
        if b.followed < 0:
            beliefs.begin(b, t)
        model = models[strategies[rows[j]]]
        beliefs.update_beliefs(b, t, seat, model, s, seed)
        if t.street == 0:
            move = preflop_move(t, seat)
        else:
            seed_stream(f, seed, np.uint64(1))
            value_actions(f, t, seat, b.probability, trees)
            move = best_action(f, t, TIE_MARGIN * t.pot * trees)
        actions[j] = FIRST_RAISE_ACTION if move == RAISE else (CALL_ACTION if move == CALL else FOLD_ACTION)
