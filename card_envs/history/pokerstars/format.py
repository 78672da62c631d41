"""Conversion of hands in PokerStars' text to PHH hands.

The format has no specification. The parser understands hands of hold'em, also in tournaments and for play money:
header, table, seats, posts, actions, boards, shown cards and collected chips. It ignores chat and remarks of the site
("has timed out", "joins the table").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from card_envs.cards import card_ids, card_names
from card_envs.history.errors import HandHistoryError, load_text, shorten
from card_envs.history.phh.format import Hand, hand_of
from card_envs.history.results import SKIPPED, Number, ReplayResult
from card_envs.poker.hands import HOLE_CARDS

_HEADER = re.compile(r"^\ufeff?PokerStars .*?(?:Hand|Game) #(\d+):(.*)$", re.MULTILINE)
_GAME = re.compile(r"(\S+(?: \S+)??) (No Limit|Pot Limit|Limit) .*?\(([^()]*/[^()]*)\)")
_BUTTON = re.compile(r"^Table .* Seat #(\d+) is the button")
_SEAT = re.compile(r"^Seat (\d+): (.+) \((\S+) in chips[^()]*\)(.*)$")
_BOARD = re.compile(r"^\*\*\* (FLOP|TURN|RIVER) \*\*\*.*\[([^\[\]]+)\]\s*$")
_DEALT = re.compile(r"^Dealt to (.+?) (?:\[[^\[\]]*\] )?\[([^\[\]]+)\]\s*$")
_SUMMARY_CARDS = re.compile(r"^Seat (\d+): .* (?:showed|mucked) \[([^\[\]]+)\]")
_COLLECTED = re.compile(r"^(.+) collected (\S+) from ")
_RAISE = re.compile(r"^(?:bets|raises \S+ to) (\S+)")
_POST = re.compile(r"^posts (?:the |a )?(small blind|big blind|small & big blinds|ante|straddle|dead blind) (\S+)")
_NOT_MONEY = re.compile(r"[^0-9.]")
_MONEY = re.compile(r"\d{1,15}(\.\d{1,4})?")
_VARIANTS = {"No Limit": "NT", "Pot Limit": "PT", "Limit": "FT"}
_OTHER_VERBS = ("doesn't", "is ", "has ", "sits ", "cashed", "stands")
"""Beginnings of remarks about a player that do not affect the hand."""


def load_pokerstars(source: str | Path) -> list[Hand | ReplayResult]:
    """Read the hands of a file or text of PokerStars.

    Args:
        source: A path, or a text with line breaks.

    Returns:
        The hands in the order of the text, as PHH. A hand that our tables cannot play (Omaha, a board that is dealt
        twice, a straddle) is replaced by a SKIPPED result with the reason.

    Raises:
        HandHistoryError: If the file cannot be read, or a line of a hand cannot be understood; the message names file
            and line.
    """
    if isinstance(source, str) and "\n" in source:
        return list(_hands(source, "text"))
    return list(_hands(load_text(source, "utf-8"), str(source)))


def _hands(text: str, source: str) -> Iterator[Hand | ReplayResult]:
    text = text.replace("\r\n", "\n")
    headers = list(_HEADER.finditer(text))
    if not headers:
        raise HandHistoryError(f"{source}: no hand of PokerStars: a line 'PokerStars Hand #1: ...' begins each")
    ends = [*(header.start() for header in headers[1:]), len(text)]
    for header, end in zip(headers, ends, strict=True):
        where = f"{source}, hand #{header[1]}"
        first_line = text.count("\n", 0, header.start()) + 1
        try:
            yield _parse_hand(header, text[header.end() : end], where, first_line)
        except _SkippedError as error:
            yield ReplayResult(where, SKIPPED, str(error))


class _SkippedError(Exception):
    """Raised for a hand that our tables do not play."""


def _parse_hand(header: re.Match[str], text: str, where: str, first_line: int) -> Hand:
    game = _GAME.search(header[2])
    if game is None:
        raise HandHistoryError(f'{where}, line {first_line}: no game with stakes, such as "Hold\'em No Limit (1/2)"')
    if game[1].split()[-1] != "Hold'em" or "6+" in game[1]:
        raise _SkippedError(f"{game[1]} is not Texas hold'em")
    try:
        stakes = [_parse_amount(part) for part in game[3].split()[0].split("/")[:2]]
    except ValueError as error:
        raise HandHistoryError(f"{where}, line {first_line}: {error}") from error
    reader = _HandReader()
    for number, line in enumerate(text.split("\n"), start=first_line):
        try:
            reader.parse_line(line.rstrip())
        except ValueError as error:
            raise HandHistoryError(f"{where}, line {number}: {error}") from error
    try:
        return hand_of({**reader.fields(_VARIANTS[game[2]], stakes), "hand": int(header[1])}, where)
    except ValueError as error:
        raise HandHistoryError(f"{where}: {error}") from error


@dataclass
class _Player:
    """One player, as described by the lines that are read so far."""

    seat: int
    name: str
    stack: Number
    is_dealt_in: bool = False
    """True after the first post or action of the player."""
    ante: Number = 0
    blind: str = ""
    """"small blind", "big blind" or empty."""
    posted: Number = 0
    """Amount of the blind that the player posted."""
    collected: Number = 0
    cards: tuple[int, ...] = ()


class _HandReader:
    """Reads one hand line by line."""

    def __init__(self) -> None:
        self.players: dict[str, _Player] = {}
        self.actions: list[tuple[str, str]] = []
        """(name of the player, or "" for board cards; action in PHH notation)."""
        self.button = 0
        self.is_showdown = False

    def parse_line(self, line: str) -> None:
        """Process one line; ValueError if it cannot be understood."""
        if line.startswith("***"):
            self._parse_heading(line)
        elif found := _BUTTON.match(line):
            self.button = int(found[1])
        elif found := _SUMMARY_CARDS.match(line):
            self._see_cards(self._find_seat(int(found[1])), found[2])
        elif found := _SEAT.match(line):
            self.players[found[2]] = _Player(int(found[1]), found[2], _parse_amount(found[3]))
        elif found := _DEALT.match(line):
            self._see_cards(self._find_player(found[1]), found[2])
        elif (found := _COLLECTED.match(line)) and found[1] in self.players:
            self.players[found[1]].collected += _parse_amount(found[2])
        else:
            self._parse_action(line)

    def _parse_heading(self, line: str) -> None:
        if "FIRST" in line or "SECOND" in line:
            raise _SkippedError("the board is dealt twice")
        self.is_showdown = "SHOW DOWN" in line
        if found := _BOARD.match(line):
            self.actions.append(("", f"d db {_without_blanks(card_ids(found[2]))}"))

    def _parse_action(self, line: str) -> None:
        """Process a line "NAME: ACTION". Names may contain colons, so the longest name that matches counts."""
        names = [name for name in self.players if line.startswith(f"{name}: ")]
        if not names:
            return  # chat, or a remark of the site
        player = self.players[max(names, key=len)]
        words = line[len(player.name) + 2 :]
        if words.startswith("posts "):
            self._post(player, words)
        elif words.startswith("shows ["):
            self._see_cards(player, words.partition("[")[2].partition("]")[0])
            if self.is_showdown:
                self._act(player, f"sm {_without_blanks(player.cards)}" if player.cards else "sm")
        elif not words.startswith(_OTHER_VERBS):
            self._act(player, _phh_action(words))

    def _act(self, player: _Player, words: str) -> None:
        player.is_dealt_in = True
        self.actions.append((player.name, words))

    def _post(self, player: _Player, words: str) -> None:
        found = _POST.match(words)
        if found is None:
            raise ValueError(f"{shorten(words, 80)!r} is not understood")
        kind, amount = found[1], _parse_amount(found[2])
        player.is_dealt_in = True
        if kind == "ante":
            player.ante = amount
        elif kind.endswith(" blind") and all(each.blind != kind for each in self.players.values()):
            player.blind, player.posted = kind, amount
        else:
            raise _SkippedError(f"{player.name} posts a {kind} besides the usual ones")

    def _find_player(self, name: str) -> _Player:
        if name not in self.players:
            raise ValueError(f"{name!r} has no seat in this hand")
        return self.players[name]

    def _find_seat(self, seat: int) -> _Player:
        for player in self.players.values():
            if player.seat == seat:
                return player
        raise ValueError(f"nobody has seat {seat} in this hand")

    def _see_cards(self, player: _Player, cards: str) -> None:
        ids = tuple(card_ids(cards))
        if len(ids) == HOLE_CARDS:  # a player may show a single card, which does not affect the result
            player.cards = ids

    def fields(self, variant: str, stakes: list[Number]) -> dict[str, Any]:
        """Return the PHH fields of the hand; p1 is the first seat left of the button."""
        dealt = [player for player in self.players.values() if player.is_dealt_in]
        dealt.sort(key=lambda player: (player.seat <= self.button, player.seat))
        if len(dealt) < 2:
            raise ValueError(f"{len(dealt)} players take part; a hand needs two")
        order = {player.name: number for number, player in enumerate(dealt, start=1)}
        small, big = (stakes[0] / Decimal(2), stakes[0]) if variant == "FT" else stakes
        nominal = {"": 0, "small blind": small, "big blind": big}
        # a player who posts less than the blind is all-in, but PHH records the full blind
        blinds = [max(player.posted, _whole(nominal[player.blind])) for player in dealt]
        ante = max(player.ante for player in dealt)
        antes = [ante if player.ante else 0 for player in dealt]
        if len(dealt) == 2:  # PHH gives the forced bets of two players in reverse
            blinds, antes = blinds[::-1], antes[::-1]
        bets = {"small_bet": stakes[0], "big_bet": stakes[1]} if variant == "FT" else {"min_bet": big}
        holes = [f"d dh p{order[player.name]} {_without_blanks(player.cards) or '????'}" for player in dealt]
        actions = [f"p{order[name]} {words}" if name else words for name, words in self.actions]
        found: dict[str, Any] = {
            "variant": variant,
            "ante_trimming_status": False,
            "antes": antes,
            "blinds_or_straddles": blinds,
            **bets,
            "starting_stacks": [player.stack for player in dealt],
            "actions": [*holes, *actions],
            "players": [player.name for player in dealt],
            "seats": [player.seat for player in dealt],
            "venue": "PokerStars",
        }
        if any(player.collected for player in dealt):
            found["winnings"] = [player.collected for player in dealt]
        return found


def _phh_action(words: str) -> str:
    """Convert an action such as "raises 4 to 6" to PHH notation; ValueError if it is not an action."""
    for verbs, action in ((("folds",), "f"), (("checks", "calls "), "cc"), (("mucks",), "sm")):
        if words.startswith(verbs):
            return action
    if found := _RAISE.match(words):
        return f"cbr {_parse_amount(found[1])}"
    raise ValueError(f"{shorten(words, 80)!r} is not understood")


def _without_blanks(cards: Iterable[int]) -> str:
    return card_names(cards).replace(" ", "")


def _parse_amount(text: str) -> Number:
    """Return an amount such as "$1,200.50" or "20"; ValueError for anything else."""
    digits = _NOT_MONEY.sub("", text).rstrip(".")
    if not _MONEY.fullmatch(digits):
        raise ValueError(f"{shorten(text, 40)!r} is not an amount")
    return _whole(Decimal(digits))


def _whole(amount: Number) -> Number:
    return int(amount) if amount == int(amount) else amount
