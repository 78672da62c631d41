"""Replay of hands of ACPC logs, which checks the legality of every action and each player's winnings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NoReturn

from card_envs.cards import NO_CARD
from card_envs.game import ILLEGAL, NOBODY
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.kernels import apply_decision, begin_hand
from card_envs.games.holdem.rules import RulesProfile, profile_of
from card_envs.games.holdem.state import CALL, FOLD, MAX_CHIPS, RAISE, STREET_NAMES
from card_envs.history.acpc.format import AcpcHand, cards_of
from card_envs.history.errors import HandHistoryError, shorten
from card_envs.history.phh.replay import legal_words
from card_envs.history.recorded_cards import RecordedDecisions
from card_envs.history.results import EXACT, MATCHED, MISMATCHED, ODD_CHIP, SKIPPED, ReplayResult, Stop
from card_envs.history.settle import differ_by_odd_chips, settle

_TOKEN = re.compile(r"[fc/]|r\d*")


@lru_cache(maxsize=64)
def with_rules(config: HoldemConfig, rules: str | RulesProfile | None) -> HoldemConfig:
    """Return the game of a log with other rules; the log still determines who posts the small blind heads-up."""
    if rules is None:
        return config
    button_owes_small_blind = config.profile.button_owes_small_blind
    return replace(config, rules=replace(profile_of(rules), button_owes_small_blind=button_owes_small_blind))


def replay_acpc_hand(hand: AcpcHand, config: HoldemConfig) -> ReplayResult:
    """Replay a recorded hand, and check that it is legal and that each player won the recorded chips.

    Args:
        hand: One hand of a log.
        config: The game of the log, `AcpcLog.config`.

    Returns:
        A result whose status is MATCHED, MISMATCHED or SKIPPED, with the reason.
    """
    try:
        play = _Play(hand, config)
        for index, token in enumerate(_tokens(hand)):
            play.apply(index, token)
        return play.compare_result()
    except Stop as stop:
        return ReplayResult(hand.source, stop.status, stop.reason, stop.action_index)
    except HandHistoryError as error:
        return ReplayResult(hand.source, MISMATCHED, str(error).removeprefix(f"{hand.source}: "))


def replay_acpc_tables(hand: AcpcHand, config: HoldemConfig) -> Iterator[tuple[str, Any]]:
    """Replay a recorded hand, and yield the table after every decision.

    Args:
        hand: One hand of a log.
        config: The game of the log, `AcpcLog.config`.

    Yields:
        (token of the betting, such as "c" or "r250"; copy of the table after it). The first token is "", for the table
        after the blinds.

    Raises:
        ValueError: If an action is not legal, with the reason.
    """
    try:
        play = _Play(hand, config)
        yield "", play.tables.copy()
        for index, token in enumerate(_tokens(hand)):
            is_decision = token != "/" and play.actor != NOBODY
            play.apply(index, token)
            if is_decision:
                yield token, play.tables.copy()
    except Stop as stop:
        raise ValueError(f"{hand.source}: {stop.reason}") from None


def replay_decisions(hand: AcpcHand, config: HoldemConfig) -> RecordedDecisions:
    """Return the cards and decisions of a hand; seat 0 is the first seat left of the button.

    Raises ValueError for a hand that is not legal.
    """
    try:
        play = _Play(hand, config)
        known, decisions = play.cards_in_deck_order(), []
        for index, token in enumerate(_tokens(hand)):
            before = play.tables.copy()
            play.apply(index, token)
            if int(play.tables["num_decisions"][0]) > int(before["num_decisions"][0]):
                kind = {"f": FOLD, "c": CALL}.get(token, RAISE)
                seat = int(before["actor"][0])
                paid = int(play.tables["hand_commit"][0, seat] - before["hand_commit"][0, seat])
                decisions.append((kind, int(before["street_commit"][0, seat]) + paid if kind == RAISE else 0))
    except Stop as stop:
        raise ValueError(f"{hand.source}: {stop.reason}") from None
    stacks = tuple(config.stack_list)
    return RecordedDecisions(hand.source, config, hand.players, stacks, known, tuple(decisions))


def _tokens(hand: AcpcHand) -> list[str]:
    tokens = _TOKEN.findall(hand.betting)
    if "".join(tokens) != hand.betting:
        raise HandHistoryError(
            f"{hand.source}: betting {shorten(repr(hand.betting), 60)}: write f, c, r, numbers and /"
        )
    return tokens


@lru_cache(maxsize=64)
def _template(config: HoldemConfig) -> Any:
    """Return a read-only table of a game, to copy."""
    tables = config.new_tables(1)
    tables.flags.writeable = False
    return tables


class _Play:
    """The replay of one hand. The last seat has the button, so that seats equal positions."""

    def __init__(self, hand: AcpcHand, config: HoldemConfig) -> None:
        self.hand, self.config, self.tables = hand, config, _template(config).copy()
        self.hole_cards, self.board = cards_of(hand, config)
        self.actor = begin_hand(self.tables, 0, config.num_players - 1, config.stack_list, self._deck())
        self.street = 0
        self.is_limit = config.structure == "limit"

    def cards_in_deck_order(self) -> tuple[int, ...]:
        """Return the card ids in the order of the deck field; NO_CARD for unknown cards."""
        missing = [NO_CARD] * self.config.num_hole_cards
        cards = [card for hole in self.hole_cards for card in (hole or missing)]
        cards += [card for street in self.board for card in street]
        return tuple(cards + [NO_CARD] * (self.config.num_dealt - len(cards)))

    def _deck(self) -> list[int]:
        """Return the card ids in the order of the deck field, with unused cards in place of unknown cards."""
        cards = self.cards_in_deck_order()
        unused = iter(sorted(set(self.config.deck_cards).difference(cards)))
        return [next(unused) if card == NO_CARD else card for card in cards]

    def apply(self, index: int, token: str) -> None:
        """Apply one token of the betting; `Stop`, with the legal actions, if it is not legal."""
        if token == "/":
            self.street += 1
            if self.street > int(self.tables["street"][0]):
                self._stop(index, token, f"the {STREET_NAMES[self.street - 1]} is not over; {self._situation()}")
            return
        if self.actor == NOBODY and token == "c" and self._is_showdown:
            return  # the server asks a seat that can only check; our tables skip this decision
        if self.actor != NOBODY and self.street < int(self.tables["street"][0]):
            self._stop(index, token, f"the {STREET_NAMES[self.street]} is over: write / before the next action")
        kind = {"f": FOLD, "c": CALL}.get(token, RAISE)
        if self.actor == NOBODY or self._apply(kind, token) == ILLEGAL:
            self._stop(index, token, self._situation())
        self.actor = int(self.tables["actor"][0])

    def _apply(self, kind: int, token: str) -> int:
        raise_to = 0
        if kind == RAISE and (len(token) == 1) != self.is_limit:
            return ILLEGAL
        if kind == RAISE:
            raise_to = int(self.tables["max_raise_to"][0]) if self.is_limit else int(token[1:]) - self._before()
        return int(apply_decision(self.tables, 0, kind, min(raise_to, MAX_CHIPS + 1)))

    def _before(self) -> int:
        """Return the chips that the actor put in on earlier streets, which the log includes in raises."""
        return int(self.tables["hand_commit"][0, self.actor]) - int(self.tables["street_commit"][0, self.actor])

    @property
    def _is_showdown(self) -> bool:
        in_hand = int(self.tables["in_hand"][0])
        return self.actor == NOBODY and in_hand & (in_hand - 1) != 0

    def _situation(self) -> str:
        if self.actor == NOBODY:
            return "the betting is over"
        words = legal_words(self.tables, int, 0 if self.is_limit else self._before())
        return f"{self.hand.players[self.actor]} is to act and may {words}"

    def _stop(self, index: int, token: str, reason: str) -> NoReturn:
        raise Stop(MISMATCHED, f"action {index + 1} of the betting, {token!r}, is not legal: {reason}", index)

    def compare_result(self) -> ReplayResult:
        """Compare the winnings after the betting, which must be legal."""
        if self.actor != NOBODY:
            raise Stop(MISMATCHED, f"the recorded betting ends although {self._situation()}")
        t, n = self.tables[0], self.config.num_players
        streets = len(self.config.board_cards) if self._is_showdown else int(t.street) + 1
        if len(self.board) != streets - 1 or self.hand.betting.count("/") != streets - 1:
            raise Stop(
                MISMATCHED, f"the hand has {streets} streets, but the betting or the board of the log has another"
            )
        hidden = [k for k in range(n) if not self.hole_cards[k] and int(t.in_hand) >> k & 1]
        if self._is_showdown and hidden:
            raise Stop(SKIPPED, "hole cards that decide the showdown are not recorded")
        ours = [int(chips) for chips in t.payoff[:n]]
        stacks = tuple(int(chips) for chips in t.stack[:n])
        if list(self.hand.values) == ours:
            return ReplayResult(self.hand.source, MATCHED, agreement=EXACT, stacks=stacks)
        taken = [Fraction(value) + int(commit) for value, commit in zip(self.hand.values, t.hand_commit, strict=False)]
        settlement = settle(t, int(t.in_hand)) if self._is_showdown else None
        if settlement is not None and differ_by_odd_chips(settlement, taken):
            return ReplayResult(self.hand.source, MATCHED, agreement=ODD_CHIP, stacks=stacks)
        recorded = "|".join(map(str, self.hand.values))
        reason = f"values are {recorded} in the recording, {'|'.join(map(str, ours))} by the rules"
        return ReplayResult(self.hand.source, MISMATCHED, reason, stacks=stacks)
