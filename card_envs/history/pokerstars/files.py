"""The format of PokerStars' hand histories, and the text of a hand of a match, in play money, for trackers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from card_envs.cards import card_names
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.history.hand_record import DEAL_BOARD, SHOW, HandRecord, Move
from card_envs.history.history_format import number_equal_names
from card_envs.history.holdem_format import HoldemFormat, HoldemWriter
from card_envs.history.holdem_match import rules_name
from card_envs.history.phh.files import PHH
from card_envs.history.pokerstars.format import OWN_TABLE, load_pokerstars
from card_envs.history.replay import ParsedHand
from card_envs.poker_hands import hand_category, hand_rank

__all__ = ["POKERSTARS", "PokerStarsFormat", "write_hand"]

_LIMITS = {"limit": "Limit", "pot_limit": "Pot Limit", "no_limit": "No Limit"}
_STREETS = ("preflop", "FLOP", "TURN", "RIVER")
_FOLDED = ("before Flop", "on the Flop", "on the Turn", "on the River")
_BEGIN = datetime(2000, 1, 1)
"""Date of the first hand; the others follow a second apart, so that equal matches have equal files."""
_ALL_IN = " and is all-in"
_CAPS = ((3, 4, 4, 4), (4, 4, 4, 4))
"""Caps of limit games, with which the text is read back."""
_HANDS_PER_MATCH = 10**9
"""Hand numbers that are reserved for each match, so that the numbers of two matches differ."""


class _Writer(HoldemWriter):
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        plain = (re.sub(r"[^\w.+-]+", " ", name).strip() or "player" for name in names)
        super().__init__(game, number_equal_names(plain, " "), seed)
        match = sha256(f"{game.name} {names} {seed}".encode()).digest()
        self._first = int.from_bytes(match[:4], "big") * _HANDS_PER_MATCH

    def text(self, hand: HandRecord) -> str:
        return write_hand(hand, self._first + hand.number + 1) + "\n\n"


class PokerStarsFormat(HoldemFormat):
    """Texas hold'em with two blinds. The default rules are `pokerstars`.

    Written amounts are play money, and the pots of a hand are added up. A hand that cannot be read is loaded as an
    `UnreadHand`.
    """

    suffixes = (".pokerstars",)
    suffixes_if_named = (".txt",)
    writer_class = _Writer

    def require(self, config: HoldemConfig) -> None:
        """Raise ValueError for a game that the text cannot describe, or that its readers play differently."""
        PHH.require(config)
        profile, rules, (low, high) = config.profile, rules_name(config), (*config.blinds, 0, 0)[:2]
        if len(config.blinds) != 2 or not 0 <= low <= high or not high:
            raise ValueError("PokerStars' text has a small and a big blind, no straddles")
        if config.structure == "limit" and config.max_raises not in _CAPS:
            raise ValueError(
                "a limit game of PokerStars has at most 4 bets and raises on a street, equally many on all"
            )
        if high != (config.raise_sizes[0] if config.structure == "limit" else config.min_bet):
            raise ValueError("PokerStars' text has no smallest bet that differs from the big blind")
        if len(set(config.ante_list)) > 1:
            raise ValueError("PokerStars' text has one ante for all players")
        if profile.fold_when_free or profile.last_actor_opens or not profile.button_owes_small_blind:
            raise ValueError(f"PokerStars' text follows the order of its site, which rules {rules!r} do not")
        if profile.short_raise_reopens and len(set(config.stack_list)) > 1:
            raise ValueError(
                f"PokerStars has no raises after short all-ins, which {rules!r} allows with different stacks"
            )

    def load_hands(self, file: Path) -> Sequence[ParsedHand]:
        """Return the hands of a file, see `load_pokerstars`."""
        return load_pokerstars(file)


def write_hand(hand: HandRecord, number: int) -> str:
    """Return a hand of a match as text that ends with a line break.

    Args:
        hand: The hand; all players have different names.
        number: Number of the hand, unique among all hands that a tracker knows.
    """
    return "\n".join([*_HandWriter(hand).write_lines(number), ""])


class _HandWriter:
    def __init__(self, hand: HandRecord) -> None:
        self.hand, self.names, self.config, self.n = hand, hand.names, hand.config, len(hand.names)
        self.seats = [(seat - hand.number) % self.n + 1 for seat in hand.seats]
        """Seat number of each position. Trackers expect that players keep their seats and the button moves."""
        self.by_seat = sorted(range(self.n), key=lambda position: self.seats[position])
        self.blinds = (1, 0) if self.n == 2 else (0, 1)
        """Positions of small and big blind."""
        self.board = sum(hand.boards, ())
        self.won = hand.results["winnings"]
        self.shown = [move.seat for move in hand.moves if move.kind == SHOW]
        self.folded_on: dict[int, int] = {}

    def write_lines(self, number: int) -> Iterator[str]:
        yield from self._write_head(number)
        yield from self._write_posts()
        yield "*** HOLE CARDS ***"
        for name, cards in zip(self.names, self.hand.hole_cards, strict=True):
            yield f"Dealt to {name} [{card_names(cards)}]"
        yield from self._write_betting()
        if self.shown:
            yield "*** SHOW DOWN ***"
        for position in self.shown:
            yield f"{self.names[position]}: shows [{self._cards(position)}] ({self._category(position)})"
        for name, chips in zip(self.names, self.won, strict=True):
            if chips:
                yield f"{name} collected {chips} from pot"
        yield from self._write_summary()

    def _write_head(self, number: int) -> Iterator[str]:
        config, time = self.config, _BEGIN + timedelta(seconds=self.hand.number)
        is_limit = config.structure == "limit"
        low, high = (config.raise_sizes[0], config.raise_sizes[-1]) if is_limit else config.blinds
        game = f"Hold'em {_LIMITS[config.structure]} ({low}/{high})"
        yield f"PokerStars Hand #{number}:  {game} - {time:%Y/%m/%d %H:%M:%S} ET"
        rules = rules_name(config)
        table = OWN_TABLE if rules == "standard" else f"{OWN_TABLE} {rules}"
        yield f"Table '{table}' {self.n}-max (Play Money) Seat #{self.seats[-1]} is the button"
        for position in self.by_seat:
            yield f"Seat {self.seats[position]}: {self.names[position]} ({self.hand.stacks[position]} in chips)"

    def _write_posts(self) -> Iterator[str]:
        left = list(self.hand.stacks)
        antes = [min(ante, stack) for ante, stack in zip(self.config.ante_list, left, strict=True)]
        largest = max(antes) if self.config.profile.dead_antes else sorted(antes)[-2]
        posts = [("the ante", position, min(ante, largest)) for position, ante in enumerate(antes)]
        blinds = zip(("small", "big"), self.blinds, self.config.blinds, strict=True)
        posts += [(f"{kind} blind", position, blind) for kind, position, blind in blinds]
        for kind, position, owed in posts:
            if paid := min(owed, left[position]):
                left[position] -= paid
                yield f"{self.names[position]}: posts {kind} {paid}{'' if left[position] else _ALL_IN}"

    def _write_betting(self) -> Iterator[str]:
        """Yield the lines of decisions and boards, and the line of an uncalled bet after the last decision."""
        moves = [move for move in self.hand.moves if move.kind in (FOLD, CALL, RAISE, DEAL_BOARD)]
        last = max((index for index, move in enumerate(moves) if move.kind != DEAL_BOARD), default=-1)
        before: tuple[int, ...] = ()
        street = 0
        for index, move in enumerate(moves):
            if index == last + 1:
                yield from self._write_uncalled()
            if move.kind == DEAL_BOARD:
                street += 1
                shown = f"[{card_names(before)}] " if before else ""
                yield f"*** {_STREETS[street]} *** {shown}[{card_names(move.cards)}]"
                before += move.cards
            else:
                yield f"{self.names[move.seat]}: {_action(move)}{_ALL_IN if move.is_all_in else ''}"
            if move.kind == FOLD:
                self.folded_on[move.seat] = street
        if len(moves) == last + 1:
            yield from self._write_uncalled()

    def _write_uncalled(self) -> Iterator[str]:
        for name, chips in zip(self.names, self.hand.returned, strict=True):
            if chips:
                yield f"Uncalled bet ({chips}) returned to {name}"

    def _cards(self, position: int) -> str:
        return card_names(self.hand.hole_cards[position])

    def _category(self, position: int) -> str:
        return hand_category(hand_rank((*self.hand.hole_cards[position], *self.board)))

    def _write_summary(self) -> Iterator[str]:
        yield "*** SUMMARY ***"
        yield f"Total pot {sum(self.won)} | Rake 0"
        if self.board:
            yield f"Board [{card_names(self.board)}]"
        roles = {self.n - 1: " (button)"}
        for position, role in zip(self.blinds, (" (small blind)", " (big blind)"), strict=True):
            roles[position] = roles.get(position, "") + role
        for position in self.by_seat:
            who = f"Seat {self.seats[position]}: {self.names[position]}{roles.get(position, '')}"
            yield f"{who} {self._write_end(position)}"

    def _write_end(self, position: int) -> str:
        won = self.won[position]
        if position in self.folded_on:
            return f"folded {_FOLDED[self.folded_on[position]]}"
        if not self.shown:
            return f"collected ({won})"
        ending = f"won ({won})" if won else "lost"
        return f"showed [{self._cards(position)}] and {ending} with {self._category(position)}"


def _action(move: Move) -> str:
    if move.kind == FOLD:
        return "folds"
    if move.kind == CALL:
        return f"calls {move.stated}" if move.stated else "checks"
    return f"bets {move.amount}" if move.stated == move.amount else f"raises {move.stated} to {move.amount}"


POKERSTARS = PokerStarsFormat()
