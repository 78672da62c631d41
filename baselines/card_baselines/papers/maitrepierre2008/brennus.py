"""Brennus as an agent: preflop table, beliefs and forest for each decision, a bandit over strategies for each hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.papers.maitrepierre2008 import beliefs
from card_baselines.papers.maitrepierre2008.bandit import Bandit, CorrelatedBandit, GrowingUcb, Ucb
from card_baselines.papers.maitrepierre2008.beliefs import BELIEFS, STRENGTHS, TableRecords
from card_baselines.papers.maitrepierre2008.forest import FOREST, best_action, value_actions
from card_baselines.papers.maitrepierre2008.models import LOOSENESS, NUM_STRENGTHS, strategy_tables
from card_baselines.papers.maitrepierre2008.preflop import preflop_move
from card_baselines.solvers.game_trees import is_two_player_limit
from card_envs.agent import Agent, Decisions
from card_envs.cards import RANKS
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.games.holdem.state import CALL, RAISE
from card_envs.poker.hands import BOARD_CARDS, HANDS
from card_envs.rng import SEED_SCALE, seed_stream

NUM_TREES = 200
TIE_MARGIN = 0.03
"""Fraction of the pot by which raising may be worth less than calling and still count as equal, which raises.

The paper takes the more aggressive of equal actions. In its trees both sides know what the other thinks, so whoever
would fold is bluffed; opening the river with a good hand then comes out a few percent of the pot below checking, for
nearly every hand. With 0, Brennus checks a third of its best hands there.
"""
_MAX_SHOWN = 6
"""Number of starting hands in a summary of what is believed."""
_SEED = np.uint64(0)


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
        self._tables = TableRecords(BELIEFS)
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
        return np.asarray(self._tables.record_at(table)["probability"])

    def explain(self, decisions: Decisions) -> list[str]:
        """Return the strategy that plays and what it believes of the opponent's hand, for decisions just taken."""
        return [
            f"{self._strategies_text(table)}\n{belief_text(self.beliefs_at(table), view)}"
            for table, view in zip(decisions.table_ids.tolist(), decisions.views, strict=True)
        ]

    def _strategies_text(self, table: int) -> str:
        """Return which strategy plays, how it reads the opponent, and what each has won."""
        session, current = self.session(table), self.strategy_at(table)
        known = ", ".join(
            f"{k + 1}{'*' if k == current else ''} "
            + (f"won {mean:+.2f} ± {bound:.2f} a hand" if np.isfinite(bound) else "hardly played")
            for k, (mean, bound) in enumerate(zip(session.means, session.bounds, strict=True))
        )
        reading = f"{self.looseness[current]:.0%} loose-passive"
        return f"strategy {current + 1} of {len(self.looseness)} reads you as {reading}; {known}"

    def strategy_at(self, table: int) -> int:
        """Return the strategy that plays the hand at a table, from 0, the tightest reading."""
        return int(self._tables.record_at(table)["strategy"])

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Choose a strategy for the hand at each table."""
        for table, row in zip(table_ids.tolist(), self._tables.find_rows(table_ids).tolist(), strict=True):
            session, b = self.session(table), self._tables.records[row]
            b["strategy"] = len(session.played) % len(self.models) if self.evenly else session.choose()
            b["seat"], b["followed"] = -1, -1

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the action that the forest finds best at each decision, before the flop that of the table.

        Tables whose deal was not announced start one now.
        """
        if new := [table for table in decisions.table_ids.tolist() if table not in self._sessions]:
            self.deal_starts(np.array(new, np.int64))
        rows, tables = self._tables.find_rows(decisions.table_ids), self._tables.records
        tables["seat"][rows] = decisions.seats
        actions = np.empty(len(decisions), np.int64)
        choose_batch(
            decisions.views, rows, decisions.random_numbers, tables, self.models, self._strengths, self._forest,
            np.int64(self.num_trees), actions,
        )  # fmt: skip
        return actions

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.floating[Any]]) -> None:
        """Credit the strategies with what the hands won."""
        for table, won in zip(table_ids.tolist(), payoffs, strict=True):
            b = self._tables.record_at(table)
            seat = int(b["seat"])
            # who had no decision was in the big blind when the other folded, and won
            reward = float(won[seat] if seat >= 0 else won.max())
            self.session(table).learn(int(b["strategy"]), reward)


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


class BrennusGrowing(Brennus):
    """Brennus that begins with its tightest reading; the others join one by one, after a hundred hands each."""

    name = "brennus_growing"

    def new_session(self) -> Bandit:
        """Return a bandit that has seen no hand."""
        return GrowingUcb(len(self.models))


class BrennusCorrelated(Brennus):
    """Brennus with a bandit of ours: winnings of a strategy count for similar ones too, and old hands fade."""

    name = "brennus_correlated"

    def new_session(self) -> Bandit:
        """Return a bandit that has seen no hand."""
        return CorrelatedBandit(self.looseness)


# --- decisions ---


@kernel
def choose_batch(
    views: Any, rows: Any, random_numbers: Any, tables: Any, models: Any, strengths: Any, forest: Any, trees: Any,
    actions: Any,
) -> None:  # fmt: skip
    """Write the action of each view's actor; beliefs stand in tables[rows[j]]."""
    s, f = strengths[0], forest[0]
    for j in range(views.shape[0]):
        t, b = views[j], tables[rows[j]]
        seat = np.int64(t.actor)
        seed = np.uint64(random_numbers[j] * SEED_SCALE)
        if b.followed < 0:
            beliefs.begin(b, t)
        beliefs.update_beliefs(b, t, seat, models[b.strategy], s, seed)
        if t.street == 0:
            move = preflop_move(t, seat)
        else:
            seed_stream(f, seed, np.uint64(1))
            value_actions(f, t, seat, b.probability, trees)
            move = best_action(f, t, TIE_MARGIN * t.pot * trees)
        actions[j] = FIRST_RAISE_ACTION if move == RAISE else (CALL_ACTION if move == CALL else FOLD_ACTION)


# --- explanations ---


def class_name(first: int, second: int) -> str:
    """Return the name of a starting hand whatever its suits: "AA", "AKs", "T9o"."""
    low, high = sorted((first, second), key=lambda card: card // 4)
    ranks = RANKS[high // 4] + RANKS[low // 4]
    return ranks if ranks[0] == ranks[1] else ranks + ("s" if high % 4 == low % 4 else "o")


CLASSES = [class_name(int(a), int(b)) for a, b in HANDS]
"""Class of each hand, in the order of `HANDS`."""


def likeliest(probability: NDArray[np.float64]) -> list[tuple[str, float]]:
    """Return the starting hands, suits aside, to which the probabilities (1326,) give most, the likeliest first."""
    sums: dict[str, float] = {}
    for name, chance in zip(CLASSES, probability.tolist(), strict=True):
        sums[name] = sums.get(name, 0.0) + chance
    return sorted(sums.items(), key=lambda item: -item[1])[:_MAX_SHOWN]


def strength_distribution(probability: NDArray[np.float64], view: Any) -> NDArray[np.float64]:
    """Return how probable each fifth of strength is, (5,), weakest first; `view` is a record with a board."""
    scratch = np.zeros(1, STRENGTHS)
    beliefs.write_hand_strengths(scratch[0], view, np.int64(BOARD_CARDS[view.street]), _SEED)
    fifths = np.minimum((scratch[0]["share"] * NUM_STRENGTHS).astype(np.int64), NUM_STRENGTHS - 1)
    return np.asarray(np.bincount(fifths, weights=probability, minlength=NUM_STRENGTHS), np.float64)


def belief_text(probability: NDArray[np.float64], view: Any) -> str:
    """Return a summary of the probabilities (1326,) of the opponent's hands: strengths and likeliest hands."""
    if view.street == 0:
        return "your hand: nothing believed before the flop, which is played by a table"
    hands = ", ".join(f"{name} {chance:.1%}" for name, chance in likeliest(probability))
    strengths = " ".join(f"{chance:.0%}" for chance in strength_distribution(probability, view))
    return f"your hand, weakest fifth to strongest: {strengths}; likeliest: {hands}"
