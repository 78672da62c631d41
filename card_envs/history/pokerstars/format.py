"""Conversion of hands in PokerStars' text to PHH hands.

The format has no specification. The parser understands hands of hold'em, also in tournaments and for play money:
header, table, seats, posts, actions, boards, shown cards, collected chips and the summary. It knows the remarks of the
site ("has timed out", "joins the table") and chat, and ignores them. A hand with any other line is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from card_envs.cards import card_ids
from card_envs.games.holdem.rules import RULES
from card_envs.games.holdem.state import CALL, FOLD, MAX_SEATS, RAISE
from card_envs.history.errors import HandHistoryError, detect_foreign_format, load_text, shorten, with_line_feeds
from card_envs.history.hand_record import DEAL_BOARD, MUCK, SHOW, Move
from card_envs.history.phh.hand import Hand
from card_envs.history.pokerstars.hand import Player, TextHand
from card_envs.history.pokerstars.header import parse_header
from card_envs.history.replay import UnreadHand
from card_envs.history.results import MISMATCHED, SKIPPED, Stop
from card_envs.poker.hands import HOLE_CARDS

OWN_TABLE = "card-envs"
"""Name of the table in files that this package writes, followed by the rules profile unless it is `standard`."""

_START = re.compile(r"^\ufeff?PokerStars .*?(?:Hand|Game) #", re.MULTILINE)
_HEADER = re.compile(r"\ufeff?PokerStars (?:[\w ]+ )?(?:Hand|Game) #([0-9]{1,20}):(.*)")
_TABLE = re.compile(r"Table '(.*)' (?:([0-9]{1,2})-max )?(?:[^']* )?Seat #([0-9]{1,2}) is the button")
_SEAT = re.compile(
    r"Seat ([0-9]{1,2}): (.+) \(([^()]+) in chips(?:, [^()\s]+ bounty)?\)"
    r"( is sitting out| out of hand(?: \([^()]*\))?)?"
)
_SUMMARY_SEAT = re.compile(r"Seat ([0-9]{1,2}): (.+)")
_SUMMARY_END = re.compile(
    r"(?: \((?:button|small blind|big blind)\))*(?: (?:folded|showed|mucked|collected|doesn't).*)?"
)
_SUMMARY_CARDS = re.compile(r" (?:showed|mucked) \[([^\[\]]+)\]")
_POT = re.compile(r"Total pot (\S+)(?: Main pot (\S+)\.)?((?: Side pot(?:-\d+)? \S+\.)*) \| Rake (\S+)")
_HEADING = re.compile(
    r"\*\*\* (FIRST |SECOND |THIRD )?(HOLE CARDS|FLOP|TURN|RIVER|SHOW DOWN|SUMMARY) \*\*\*((?: \[[^\[\]]*\])*)"
)
_PARTS = ("seats", "HOLE CARDS", "FLOP", "TURN", "RIVER", "SHOW DOWN", "SUMMARY")
_BOARD_CARDS = {"FLOP": 3, "TURN": 4, "RIVER": 5}
_ALL_IN = " and is all-in"
_SHOWN = re.compile(r"(shows|folds) \[([^\[\]]+)\](?: \(.*\))?\Z")
_POST = re.compile(r"posts (?:the |a )?(small blind|big blind|small & big blinds|ante|straddle|dead blind) (.+)")
_COLLECTED = re.compile(r" collected (\S+) from (?:the )?(?:main |side )?pot(?:-\d+)?(?: \(.*\))?")
_RETURNED = re.compile(r"Uncalled bet \(([^()]*)\) returned to (.+)")
_CANCELLED = re.compile(r"Hand (?:#\d+ )?(?:was |has been )?(?:cancelled|canceled)\b")
_RUN_TWICE = re.compile(r"(?:FIRST|SECOND|THIRD) Board \[|Hand was run ")
_BEFORE_HANDS = re.compile(r"^(\*\*\* |Seat \d+: |Total pot )", re.MULTILINE)
_REMARK = re.compile(
    r"(?!Seat \d+:).+?:? (?:said, |has timed out|has registered|(?:is|has been) (?:dis)?connected|joins the table|"
    r"was (?:removed|moved) from |re-buys and receives |takes the add-on |adds |finished the tournament|"
    r"wins (?:(?:the|an?) |\S+ for (?:eliminating|splitting) )|split the \S+ bounty for |received? |"
    r"cashed out the hand|is feeling |has \d+ seconds? left |\[observer\] said, |"
    r"(?:has returned|has requested TIME|is sitting out|is no longer sitting out|sits out|sits down|stands up|"
    r"leaves the table|will be allowed to play after the button)\Z)"
    r"|Time has expired|The deal is |(?:Betting is capped|\*+ # \d+ \*+)\Z"
)


def load_pokerstars(source: str | Path) -> list[Hand | UnreadHand]:
    """Read the hands of a file or text of PokerStars.

    Args:
        source: A path, or a text with line breaks.

    Returns:
        The hands in the order of the text, as PHH. A hand that cannot be read (Omaha, a board that is dealt twice, a
        straddle, a line that is not understood) is replaced by an `UnreadHand` with the line and the reason: SKIPPED,
        and MISMATCHED for a hand whose amounts contradict each other, and for one that is cut off within a line.

    Raises:
        HandHistoryError: If the file cannot be read, or holds no hand of PokerStars.
    """
    if isinstance(source, str) and ("\n" in source or "\r" in source):
        return list(_hands(source, "text"))
    return list(_hands(load_text(source, "utf-8"), str(source)))


def _hands(text: str, source: str) -> Iterator[Hand | UnreadHand]:
    text = with_line_feeds(text)
    starts = [found.start() for found in _START.finditer(text)]
    if not starts:
        found = detect_foreign_format(text)
        raise HandHistoryError(
            f"{source}: no hand of PokerStars: a line 'PokerStars Hand #1: ...' begins each"
            + (f"; this is {found}, which is not read" if found else "")
        )
    if _BEFORE_HANDS.search(text, 0, starts[0]):
        yield UnreadHand(source, SKIPPED, "the lines before the first 'PokerStars Hand #' belong to no hand")
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield _parse_hand(text[start:end], source, text.count("\n", 0, start) + 1)


def _parse_hand(text: str, source: str, first_line: int) -> Hand | UnreadHand:
    """Return the hand of a text that begins with its header, or the reason why it is not read."""
    title, *lines = text.split("\n")
    found = _HEADER.fullmatch(title.rstrip())
    where = f"{source}, hand #{found[1]}" if found else f"{source}, line {first_line}"
    number = first_line
    try:
        if found is None:
            raise ValueError(f"{shorten(title, 80)!r} is not understood")
        reader = _HandReader(parse_header(found[2]))
        for number, line in enumerate(lines, start=first_line + 1):  # noqa: B007  the error names the number
            reader.parse_line(line.rstrip())
        number = 0  # what the whole hand lacks is on no line
        return reader.to_hand(int(found[1]), where)
    except Stop as stop:
        return UnreadHand(where, stop.status, stop.reason)
    except ValueError as error:
        is_cut_off = number == first_line + len(lines)  # its line has no end: a line feed makes an empty line after it
        status = MISMATCHED if is_cut_off else SKIPPED
        return UnreadHand(where, status, f"line {number}: {error}" if number else str(error))


class _HandReader(TextHand):
    """Reads one hand line by line."""

    def parse_line(self, line: str) -> None:
        """Process one line; ValueError if it cannot be understood."""
        if not line:
            return
        if found := _HEADING.fullmatch(line):
            self._parse_heading(*found.groups())
        elif self.part == "SUMMARY":
            self._parse_summary(line)
        elif self.part == "seats" and (found := _TABLE.fullmatch(line)):
            self._parse_table(found[1], int(found[2] or MAX_SEATS), int(found[3]))
        elif self.part == "seats" and (found := _SEAT.fullmatch(line)):
            self._parse_seat(int(found[1]), found[2], found[3], bool(found[4]))
        elif not (self._parse_action(line) or self._parse_other(line)):
            raise ValueError(f"{shorten(line, 80)!r} is not understood")

    def _parse_heading(self, which: str | None, part: str, cards: str) -> None:
        if which:
            raise Stop(SKIPPED, "the board is dealt twice")
        if _PARTS.index(part) <= _PARTS.index(self.part):
            raise ValueError(f"*** {part} *** comes after *** {self.part} ***")
        self.part = part
        if part in _BOARD_CARDS:
            shown = [tuple(card_ids(group)) for group in re.findall(r"\[([^\[\]]*)\]", cards)]
            if not shown or sum(shown[:-1], ()) != self.board or len(sum(shown, ())) != _BOARD_CARDS[part]:
                raise ValueError(f"the {part.lower()} is dealt beside {cards!r}, which is not the board before it")
            self.board += shown[-1]
            self.moves.append(("", Move(DEAL_BOARD, cards=shown[-1])))

    def _parse_table(self, name: str, num_seats: int, button: int) -> None:
        if not 1 <= button <= num_seats:
            raise ValueError(f"the button is at seat {button} of {num_seats}")
        if self.button:
            raise ValueError("a second line names the table and the button")
        self.button, self.num_seats = button, num_seats
        own, _, rules = name.partition(" ")
        if own == OWN_TABLE and (rules or "standard") in RULES:
            self.rules = rules or "standard"

    def _parse_seat(self, seat: int, name: str, stack: str, is_absent: bool) -> None:
        if name in self.players or any(player.seat == seat for player in self.players.values()):
            raise ValueError(f"seat {seat} or the player {shorten(name, 40)!r} comes twice")
        self.players[name] = Player(seat, name, self.to_amount(stack), is_absent)

    def _find_player(self, line: str, end: str = "") -> Player | None:
        """Return the player whose name begins a line and is followed by `end`; names may contain anything."""
        names = [name for name in self.players if line.startswith(name + end)]
        return self.players[max(names, key=len)] if names else None

    def _parse_action(self, line: str) -> bool:
        """Process a line "NAME: ACTION"; return False if it is none."""
        player = self._find_player(line, ": ")
        if player is None:
            return False
        words = line[len(player.name) + 2 :]
        is_all_in = words.endswith(_ALL_IN)
        words = words.removesuffix(_ALL_IN)
        if words.startswith("posts "):
            self._post(player, words, is_all_in)
            return True
        if found := _SHOWN.match(words):
            self._see_cards(player, found[2])
            if found[1] == "shows":
                if self.part == "SHOW DOWN":
                    self._act(player, Move(SHOW, cards=player.cards))
                return True
            words = "folds"
        move = self._parse_move(words, is_all_in)
        if move is not None:
            self._act(player, move)
        return move is not None or words in ("doesn't show hand", "is sitting out", "sits out")

    def _parse_move(self, words: str, is_all_in: bool) -> Move | None:
        match words.split(" "):
            case ["folds"] if not is_all_in:
                return Move(FOLD)
            case ["checks"] if not is_all_in:
                return Move(CALL, stated=0)
            case ["calls", amount]:
                return Move(CALL, stated=self.to_amount(amount), is_all_in=is_all_in)
            case ["bets", amount]:
                return Move(RAISE, amount=self.to_amount(amount), stated=self.to_amount(amount), is_all_in=is_all_in)
            case ["raises", by, "to", amount]:
                return Move(RAISE, amount=self.to_amount(amount), stated=self.to_amount(by), is_all_in=is_all_in)
            case ["mucks", "hand"]:
                return Move(MUCK)
        return None

    def _act(self, player: Player, move: Move) -> None:
        if move.kind in (FOLD, CALL, RAISE) and any(each.collected or each.returned for each in self.players.values()):
            raise ValueError(f"{player.name} acts after chips of the pot are returned or collected")
        player.acts = True
        if move.kind == FOLD:
            player.folded_with = len(self.board)
        self.moves.append((player.name, move))

    def _parse_other(self, line: str) -> bool:
        """Process a line that is no action of a player; return False if it is not understood."""
        if found := _RETURNED.fullmatch(line):
            if found[2] not in self.players:
                raise ValueError(f"{shorten(found[2], 40)!r} has no seat in this hand")
            if not (returned := self.to_amount(found[1])):
                raise ValueError(f"an uncalled bet of {found[1]} is none")
            self.players[found[2]].returned += returned
        elif (player := self._find_player(line, " collected ")) and (
            found := _COLLECTED.fullmatch(line, len(player.name))
        ):
            player.collected += self.to_amount(found[1])
        elif line.startswith("Dealt to "):
            player = self._find_player(line[len("Dealt to ") :], " [")
            if player is None:
                raise ValueError(
                    f"{shorten(line[len('Dealt to ') :].partition(' [')[0], 40)!r} has no seat in this hand"
                )
            self._see_cards(player, line.rpartition("[")[2].partition("]")[0])
        elif _CANCELLED.match(line):
            raise Stop(SKIPPED, "the hand was cancelled")
        else:
            return _REMARK.match(line) is not None
        return True

    def _parse_summary(self, line: str) -> None:
        if found := _POT.fullmatch(line):
            if self.pot is not None:
                raise ValueError("a second line states the total pot")
            self.pot, self.rake = self.to_amount(found[1]), self.to_amount(found[4])
            parts = [found[2], *re.findall(r" Side pot\S* (\S+)\.", found[3])]
            # the site takes the rake from these parts
            if found[2] and self.pot - sum(map(self.to_amount, parts)) not in (0, self.rake):
                raise ValueError(f"{line!r}: main pot, side pots and rake are not the total pot")
        elif line.startswith("Board ["):
            if tuple(card_ids(line[len("Board [") :].rstrip("]"))) != self.board:
                raise ValueError(f"{line!r} is not the board that was dealt")
        elif _CANCELLED.match(line):
            raise Stop(SKIPPED, "the hand was cancelled")
        elif _RUN_TWICE.match(line):
            raise Stop(SKIPPED, "the board is dealt twice")
        elif not ((found := _SUMMARY_SEAT.fullmatch(line)) and self._parse_summary_seat(int(found[1]), found[2])):
            raise ValueError(f"{shorten(line, 80)!r} is not understood")

    def _parse_summary_seat(self, seat: int, words: str) -> bool:
        player = next((each for each in self.players.values() if each.seat == seat), None)
        if player is None or not words.startswith(player.name) or player.summary is not None:
            return False
        player.summary = words[len(player.name) :]
        if found := _SUMMARY_CARDS.search(player.summary):
            self._see_cards(player, found[1])
        return _SUMMARY_END.fullmatch(player.summary) is not None

    def _post(self, player: Player, words: str, is_all_in: bool) -> None:
        found = _POST.fullmatch(words)
        if found is None:
            raise ValueError(f"{shorten(words, 80)!r} is not understood")
        kind = found[1]
        if kind in ("ante", "small blind", "big blind") and self.part != "seats":
            raise ValueError(f"{player.name} posts the {kind} after the cards are dealt")
        if kind == "ante" and not player.ante:
            player.ante = self.to_amount(found[2])
        elif kind in ("small blind", "big blind") and not any(each.blind == kind for each in self.players.values()):
            if player.blind:
                raise ValueError(f"{player.name} posts the {player.blind} and the {kind}")
            player.blind, player.posted = kind, self.to_amount(found[2])
        else:
            raise Stop(SKIPPED, f"{player.name} posts a {kind} besides the usual ones")
        if is_all_in and (left := player.stack - player.ante - player.posted):
            raise ValueError(f"{player.name} still has {left} after the {kind}")

    def _see_cards(self, player: Player, cards: str) -> None:
        ids = tuple(card_ids(cards))
        if not 1 <= len(ids) <= HOLE_CARDS or (player.cards and not set(ids) <= set(player.cards)):
            raise ValueError(f"[{cards}] are not the {HOLE_CARDS} cards of {player.name}")
        player.seen |= set(ids)
        if len(ids) == HOLE_CARDS:  # a player may show a single card, which does not affect the result
            player.cards = ids
