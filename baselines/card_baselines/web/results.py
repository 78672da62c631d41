"""Results of people against agents: means with 95 % intervals, also by control variates where a game has them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.session import deal_table, format_settings
from card_baselines.web.store import Store, StoredHand, StoredSession
from card_envs.agent import Agent, Decisions
from card_envs.analysis.variance.control_variates import AdjustedResult, ControlVariates
from card_envs.damaged_files import DamagedFileError, explain_damage
from card_envs.formatting import format_interval, json_number
from card_envs.game import Game
from card_envs.match.callbacks import MatchBatch, MatchCallback
from card_envs.match.result import MatchResult, units_of
from card_envs.match.summary import Summary

MIN_INTERVAL_DEALS = 20
"""Minimum number of deals for an interval: from fewer, the variance is not known well enough for one."""
_MIN_ADJUSTED_DEALS = 50
"""Minimum number of deals for control variates: with fewer, the regression would fit noise."""


@dataclass(frozen=True)
class Row:
    """Result of one person against the same others in the same game, over all sessions."""

    env: str
    settings: str
    who: str
    """Name of the person, or of the first agent at a table of agents."""
    against: tuple[str, ...]
    """Names of the other players."""
    hands: int
    deals: int
    unit: str
    """Unit of the means, per hand."""
    mean: float
    ci95: tuple[float | None, float | None]
    """95 % interval; None where fewer than `MIN_INTERVAL_DEALS` deals were played."""
    adjusted_mean: float | None
    """Result by control variates; None where the game has none, or deals are too few."""
    adjusted_ci95: tuple[float | None, float | None] | None
    is_duplicate: bool
    """Whether every deal that counts was played with all exchanges of seats."""


COLUMNS = ("who", "against", "game", "hands", "mean (± 95 %)", "control variates (± 95 %)", "unit")
"""Names of the columns of results."""


def format_row(row: Row) -> list[str]:
    """Return the cells of a row, as commands and pages show them."""
    game = " ".join([row.env, row.settings]).strip() + (", duplicate" if row.is_duplicate else "")
    counts = Counter(row.against)
    against = ", ".join(f"{count} x {name}" if count > 1 else name for name, count in counts.items())
    plain = format_interval(row.mean, row.ci95)
    adjusted = "-" if row.adjusted_mean is None else format_interval(row.adjusted_mean, row.adjusted_ci95)
    return [row.who, against, game, f"{row.hands:,}", plain, adjusted, row.unit]


class _Person(Agent):
    """Placeholder for a person among the agents of a replayed match. It shows no probabilities and cannot act."""

    def __init__(self, name: str) -> None:
        self.name = name

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Raise NotImplementedError."""
        raise NotImplementedError(f"{self.name} is a person")


def compute_results(store: Store, catalogue: Catalogue, people_only: bool = True) -> list[Row]:
    """Return a row for each person and set of other players.

    In sessions that repeat deals with seats exchanged, only deals that were played in all seats count.

    Args:
        store: Store of the sessions.
        catalogue: Games and agents of the sessions.
        people_only: Whether to leave out tables of agents.
    """
    groups: dict[tuple[Any, ...], list[StoredSession]] = {}
    for session, _ in catalogue.pair_with_games(store.sessions()):
        for index, player in enumerate(session.plan.players):
            if player.agent is None or (not people_only and index == 0):
                others = [each.agent or each.name for k, each in enumerate(session.plan.players) if k != index]
                plan = session.plan
                key = plan.env, format_settings(plan), player.name, tuple(others), plan.block > 0, index
                groups.setdefault(key, []).append(session)
    rows = []
    for key, sessions in groups.items():
        try:
            with explain_damage(store.path):
                rows.append(_row(store, catalogue, key, sessions))
        except DamagedFileError as error:
            numbers = ", ".join(str(session.id) for session in sessions)
            warnings.warn(f"of sessions {numbers} no result is shown: {error}", RuntimeWarning, stacklevel=2)
    return [row for row in rows if row is not None]


def _row(store: Store, catalogue: Catalogue, key: tuple[Any, ...], sessions: Sequence[StoredSession]) -> Row | None:
    env, settings, who, against, is_duplicate, index = key
    game = catalogue.game(env, settings)
    played = MatchHands(game, [(session, store.hands(session.id)) for session in sessions])
    if not played.hands:
        return None
    result = played.result()
    unit, factor = next(iter(result.units.items()))
    plain, adjusted = result.agents[index].scale(factor), _adjust(played, result, catalogue)
    corrected = None if adjusted is None else adjusted[index].summary.scale(factor)
    return Row(
        env=env,
        settings=settings,
        who=who,
        against=against,
        hands=result.hands,
        deals=result.deals,
        unit=unit,
        mean=plain.mean,
        ci95=_bounds(plain) if result.deals >= MIN_INTERVAL_DEALS else (None, None),
        adjusted_mean=None if corrected is None else corrected.mean,
        adjusted_ci95=None if corrected is None else _bounds(corrected),
        is_duplicate=is_duplicate,
    )


def _bounds(summary: Summary) -> tuple[float | None, float | None]:
    """Return the bounds of an interval, None if there is none."""
    low, high = summary.ci95
    return json_number(low), json_number(high)


def list_finished_hands(game: Game, session: StoredSession, hands: Sequence[StoredHand]) -> list[StoredHand]:
    """Return the finished hands of a session; ValueError if the payoffs of one are not those of its players."""
    over = [hand for hand in hands if hand.payoffs is not None]
    if any(len(hand.payoffs or ()) != game.num_seats for hand in over):
        raise ValueError(f"session {session.id} has payoffs of other than {game.num_seats} players")
    return over


class MatchHands:
    """Hands of sessions with the same players, in the order and with the numbers that a match would give them."""

    def __init__(self, game: Game, sessions: Sequence[tuple[StoredSession, Sequence[StoredHand]]]) -> None:
        """Take the finished hands; of deals that are repeated with seats exchanged, only those played in all seats."""
        self.game, self.plan = game, sessions[0][0].plan
        self.plays = game.num_seats if self.plan.block else 1
        self.hands: list[tuple[int, StoredSession, StoredHand]] = []
        """(number in the match, session, hand)."""
        first = 0
        for session, hands in sessions:
            over = list_finished_hands(game, session, hands)
            numbered = sorted(((session.plan.match_hand(hand.number), hand) for hand in over), key=itemgetter(0))
            deals = Counter(number // self.plays for number, _ in numbered)
            whole = [(number, hand) for number, hand in numbered if deals[number // self.plays] == self.plays]
            self.hands += [(first + number, session, hand) for number, hand in whole]
            if whole:  # the next session's numbers follow, with the same seat for each player
                first += (whole[-1][0] // game.num_seats + 1) * game.num_seats

    def result(self) -> MatchResult:
        """Return the payoffs and their summaries."""
        batch, _ = self.batch()  # positions are fixed when the cards are dealt
        return MatchResult(
            names=tuple(player.name for player in self.plan.players),
            payoffs=np.array([hand.payoffs for _, _, hand in self.hands], np.int64),
            positions=batch.order_by_agent(self.game.positions(batch.tables)).astype(np.int8),
            position_names=self.game.position_names,
            seed=self.plan.seed,
            plays=self.plays,
            unit=self.game.unit,
            chips_per_reward=self.game.chips_per_reward,
            units=units_of(self.game),
        )

    def batch(self) -> tuple[MatchBatch, list[list[int]]]:
        """Return all hands as they were dealt, and the actions of each."""
        tables = np.concatenate([deal_table(self.game, session.plan, hand.number) for _, session, hand in self.hands])
        numbers = np.array([number for number, _, _ in self.hands])
        actions = [list(hand.actions) for _, _, hand in self.hands]
        return MatchBatch(self.game, tables, numbers, numbers // self.plays, self.plays), actions

    def replay(self, callback: MatchCallback) -> None:
        """Play the hands again and report them to a callback, as a match does."""
        batch, actions = self.batch()
        rewards, is_over = np.empty((len(actions), self.game.num_seats), np.float32), np.empty(len(actions), np.uint8)
        callback.on_deal(batch)
        for step in range(max(map(len, actions))):
            rows = np.array([row for row, taken in enumerate(actions) if step < len(taken)])
            chosen = np.array([actions[row][step] for row in rows])
            callback.on_actions(batch, rows, chosen)
            if self.game.step_batch(batch.tables, rows, chosen, rewards, is_over, False) >= 0:
                raise ValueError("a stored decision is not legal")
        callback.on_end(batch)


def _adjust(played: MatchHands, result: MatchResult, catalogue: Catalogue) -> tuple[AdjustedResult, ...] | None:
    """Return results by control variates; None for games without control terms and for too few deals."""
    if result.deals < _MIN_ADJUSTED_DEALS:
        return None
    agents = [
        _Person(player.name) if player.agent is None else catalogue.agent(player.agent, played.game)
        for player in played.plan.players
    ]
    try:
        controls = ControlVariates(played.game, agents, played.plan.seed, replayed=True)
    except ValueError:  # the game has none
        return None
    played.replay(controls)
    return controls.adjust(result)
