"""How agents play, not only what they win: the numbers that poker players know, those of papers, those of Big 2.

`docs/evaluation.md` defines each. Callbacks collect them during a match, many hands at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from card_envs.game import Game
from card_envs.games.big2.config import Big2Config
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.match.callbacks import Batch, MatchCallback, Rows

_Z95 = 1.959963984540054


@dataclass(frozen=True)
class Statistic:
    """One number about an agent's play."""

    name: str
    value: float | None
    """None where there was no occasion."""
    occasions: int
    """What it is a share, mean or ratio of: how many."""
    ci95: tuple[float, float] | None = None
    """Of shares: Wilson's interval (1927)."""


class StatisticsCallback(MatchCallback, Protocol):
    """A callback that reports on each agent when the match is over."""

    def of_agents(self) -> tuple[tuple[Statistic, ...], ...]:
        """Return the statistics of each agent, in the order of the match."""
        ...


def play_statistics(game: Game) -> StatisticsCallback:
    """Return a callback that collects the statistics of a game; ValueError for games that have none."""
    if isinstance(game.config, HoldemConfig):
        return HoldemStatistics(game)
    if isinstance(game.config, Big2Config):
        return Big2Statistics(game)
    raise ValueError(f"there are no play statistics for {game.name}")


class HoldemStatistics:
    """VPIP, PFR, 3-bet, aggression, showdowns of hold'em, Leduc and Kuhn."""

    def __init__(self, game: Game) -> None:
        seats = game.num_seats
        self._hands = 0
        self._done = dict.fromkeys(
            ("vpip", "pfr", "could_3bet", "3bet", "saw_flop", "showdown", "won_showdown"), np.zeros(seats, np.int64)
        )
        self._actions = np.zeros((2, seats, 3), np.int64)  # (preflop, later), place, (fold, call, raise); no checks

    def on_deal(self, batch: Batch) -> None:
        """Prepare for new hands."""
        shape = len(batch.tables), batch.game.num_seats
        self._now = {name: np.zeros(shape, bool) for name in self._done}
        self._folded_preflop = np.zeros(shape, bool)

    def on_actions(self, batch: Batch, rows: Rows, actions: Rows) -> None:
        """Count the actions."""
        tables, seats = batch.tables, batch.tables["actor"][rows].astype(np.int64)
        places, street = batch.places(rows, seats), tables["street"][rows].astype(np.int64)
        owes = tables["current_bet"][rows] > tables["street_commit"][rows, seats]
        raised, folded = actions >= FIRST_RAISE_ACTION, actions == FOLD_ACTION
        called = (actions == CALL_ACTION) & owes
        for kind, chosen in enumerate((folded, called, raised)):
            np.add.at(self._actions[:, :, kind], (np.minimum(street, 1), places), chosen)
        preflop = street == 0
        one_raise = preflop & (tables["street_raises"][rows, 0] == 1) & owes
        for name, happened in (
            ("vpip", preflop & (called | raised)),
            ("pfr", preflop & raised),
            ("could_3bet", one_raise & (tables["max_raise_to"][rows] > 0)),
            ("3bet", one_raise & raised),
        ):
            self._now[name][rows, places] |= happened
        self._folded_preflop[rows, places] |= preflop & folded

    def on_end(self, batch: Batch) -> None:
        """Count the hands."""
        tables, seats = batch.tables, batch.game.num_seats
        in_hand = tables["in_hand"].astype(np.int64)
        stayed = batch.by_place((in_hand[:, None] >> np.arange(seats)) & 1) == 1
        shown = stayed & (in_hand & (in_hand - 1) != 0)[:, None]
        self._now["saw_flop"] = ~self._folded_preflop & (tables["street"] > 0)[:, None]
        self._now["showdown"] = shown
        self._now["won_showdown"] = shown & (batch.by_place(tables["payoff"][:, :seats].astype(np.int64)) > 0)
        self._done = {name: self._done[name] + happened.sum(axis=0) for name, happened in self._now.items()}
        self._hands += len(tables)

    def of_agents(self) -> tuple[tuple[Statistic, ...], ...]:
        """Return the statistics of each agent."""
        return tuple(self._of(place) for place in range(self._actions.shape[1]))

    def _of(self, place: int) -> tuple[Statistic, ...]:
        done = {name: int(counts[place]) for name, counts in self._done.items()}
        folds, calls, raises = (int(count) for count in self._actions[:, place].sum(axis=0))
        _, later_calls, later_raises = (int(count) for count in self._actions[1, place])
        return (
            _share("VPIP", done["vpip"], self._hands),
            _share("PFR", done["pfr"], self._hands),
            _share("3-bet", done["3bet"], done["could_3bet"]),
            _ratio("aggression factor", later_raises, later_calls),
            _share("WTSD", done["showdown"], done["saw_flop"]),
            _share("W$SD", done["won_showdown"], done["showdown"]),
            _ratio("aggression", raises, calls),
            _share("distorted aggression", raises, raises + calls),
            _ratio("tightness", folds, calls + raises),
        )


class Big2Statistics:
    """Wins, cards left and control in Big 2."""

    def __init__(self, game: Game) -> None:
        self._deals = 0
        self._wins, self._cards_left, self._leads = (np.zeros(game.num_seats, np.int64) for _ in range(3))

    def on_deal(self, batch: Batch) -> None:
        """Do nothing: all counts are of whole matches."""

    def on_actions(self, batch: Batch, rows: Rows, actions: Rows) -> None:
        """Count who leads."""
        leading = rows[batch.tables["trick_size"][rows] == 0]
        places = batch.places(leading, batch.tables["actor"][leading].astype(np.int64))
        self._leads += np.bincount(places, minlength=len(self._leads))

    def on_end(self, batch: Batch) -> None:
        """Count wins and cards."""
        left = batch.by_place(batch.tables["num_cards"].astype(np.int64))
        self._wins += (left == 0).sum(axis=0)
        self._cards_left += left.sum(axis=0)
        self._deals += len(left)

    def of_agents(self) -> tuple[tuple[Statistic, ...], ...]:
        """Return the statistics of each agent."""
        return tuple(
            (
                _share("win rate", int(wins), self._deals),
                _ratio("cards left", int(cards), self._deals - int(wins)),
                _share("control share", int(leads), int(self._leads.sum())),
            )
            for wins, cards, leads in zip(self._wins, self._cards_left, self._leads, strict=True)
        )


def _share(name: str, count: int, occasions: int) -> Statistic:
    """Return a share with Wilson's interval."""
    if occasions == 0:
        return Statistic(name, None, 0)
    share, z = count / occasions, _Z95**2 / occasions
    middle, reach = share + z / 2, math.sqrt(z * share * (1 - share) + z**2 / 4)
    low, high = max(0.0, (middle - reach) / (1 + z)), min(1.0, (middle + reach) / (1 + z))
    return Statistic(name, share, occasions, (low, high))


def _ratio(name: str, count: int, occasions: int) -> Statistic:
    return Statistic(name, count / occasions if occasions else None, occasions)


def statistics_json(statistics: tuple[Statistic, ...]) -> dict[str, dict[str, object]]:
    """Return statistics as JSON has them, by name."""
    return {
        each.name: {"value": each.value, "n": each.occasions, **({"ci95": list(each.ci95)} if each.ci95 else {})}
        for each in statistics
    }
