"""Conversion of Big 2 deals to text and back, in this project's own format for people.

`docs/guides/hand_histories.md` describes the format. Example:

    deal 12
    rules charlesworth2018 straights=two_low
    player_0 big2_greedy: 3D 5C 5S 6H 8D 9C TH JD QC KS AD AH 2C
    player_1 ...
    0 3D, 1 4S, 2 pass, 3 KH, 0 2C, 1 pass, 2 pass, 3 pass
    0 5C 5S, ...
    payoffs 21 -5 -7 -9

The lowest card is 3D. Each line of plays is a trick; each play begins with its seat.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from card_envs.game import Game
from card_envs.games.big2.actions import POSITIONS
from card_envs.games.big2.combos import order_name, order_names
from card_envs.games.big2.config import RULES, Big2Config, is_big2
from card_envs.games.big2.kernels import step
from card_envs.games.big2.state import HAND_SIZE, NUM_SEATS
from card_envs.history.big2.replay import Big2Deal, Play
from card_envs.history.errors import WHOLE_NUMBER, HandHistoryError, load_text, with_line_feeds
from card_envs.history.history_format import HistoryFormat, HistoryWriter, PlayedHands, names_by_seat
from card_envs.history.replay import UnreadHand
from card_envs.history.results import MISMATCHED

__all__ = ["BIG2", "Big2Format", "dump_deals", "load_deals", "parse_deals", "rules_words"]

_ORDERS = {order_name(order): order for order in range(NUM_SEATS * HAND_SIZE)}
_PLAYER = re.compile(r"player_([0-9]) (\S+): (.+)")
_CONSTANTS = {"True": True, "False": False, "None": None}

_Block = list[tuple[int, str]]
"""Lines of a deal, each with its number in the file."""


# --- deals -> text ----------------------------------------------------------------------------------------------------


def dump_deal(deal: Big2Deal) -> str:
    """Return a deal as text, with a line break at the end."""
    lines = [f"deal {deal.number}", f"rules {rules_words(deal.config)}"]
    for seat, (name, hand) in enumerate(zip(deal.players, deal.hands, strict=True)):
        lines.append(f"player_{seat} {player_name(name)}: {order_names(hand)}")
    lines += [", ".join(f"{seat} {order_names(cards) or 'pass'}" for seat, cards in trick) for trick in deal.tricks]
    return "\n".join([*lines, f"payoffs {' '.join(map(str, deal.payoffs))}"]) + "\n"


def dump_deals(deals: Iterable[Big2Deal]) -> str:
    """Return deals as the text of a file, separated by empty lines."""
    return "\n".join(map(dump_deal, deals))


def rules_words(config: Big2Config) -> str:
    """Return rules as text: the profile with the fewest different options, then these options as "name=value"."""

    def different(name: str) -> list[str]:
        profile = Big2Config.profile(name)
        return [field.name for field in fields(config) if getattr(config, field.name) != getattr(profile, field.name)]

    nearest = min(RULES, key=lambda name: len(different(name)))
    return " ".join([nearest, *(f"{name}={getattr(config, name)}" for name in different(nearest))])


def player_name(name: str) -> str:
    """Return a name without blanks, since a blank ends a name in the text."""
    return re.sub(r"\s+", "_", name) or "_"


# --- text -> deals ----------------------------------------------------------------------------------------------------


def load_deals(path: str | Path) -> list[Big2Deal]:
    """Read the deals of a file of Big 2 as text.

    Raises:
        HandHistoryError: For a file that cannot be read or understood; the message names file, line and reason.
    """
    return parse_deals(load_text(path, "utf-8"), str(path))


def parse_deals(text: str, source: str = "text") -> list[Big2Deal]:
    """Parse the deals of a text, see `load_deals`; errors call the text `source`."""
    return [_parse_deal(block, source) for block in _split_blocks(text, source)]


def _split_blocks(text: str, source: str) -> list[_Block]:
    """Return the lines of each deal: blocks between empty lines. HandHistoryError if there are none."""
    blocks: list[_Block] = [[]]
    for number, line in enumerate(with_line_feeds(text).split("\n"), start=1):
        if line.strip():
            blocks[-1].append((number, line.strip()))
        elif blocks[-1]:
            blocks.append([])
    if not blocks[0]:
        raise HandHistoryError(f"{source}: is empty; a deal begins with 'deal NUMBER'")
    return [block for block in blocks if block]


def _parse_deal(block: _Block, source: str) -> Big2Deal:
    lines = [line for _, line in block]
    where = f"{source}, line {block[0][0]}"
    if not re.fullmatch(r"deal [0-9]{1,18}", lines[0]):
        raise HandHistoryError(f"{where}: {lines[0]!r}: a deal begins with 'deal NUMBER', after an empty line")
    where = f"{where}, {lines[0]}"
    if not lines[-1].startswith("payoffs ") or len(lines) < 3 + NUM_SEATS:
        raise HandHistoryError(f"{where}: ends too early, with {lines[-1]!r}; the last line is 'payoffs' and 4 numbers")
    number_of = {line: f"{source}, line {number}, {lines[0]}" for number, line in block}

    def parse(read: Callable[[str], Any], line: str) -> Any:
        try:
            return read(line)
        except ValueError as error:
            raise HandHistoryError(f"{number_of[line]}: {error}") from error

    seats = [parse(_parse_player, line) for line in lines[2 : 2 + NUM_SEATS]]
    if [seat for seat, _, _ in seats] != list(range(NUM_SEATS)):
        raise HandHistoryError(f"{where}: the lines of player_0 to player_3 follow the rules, in this order")
    hands = tuple(cards for _, _, cards in seats)
    if len(set().union(*hands)) < NUM_SEATS * HAND_SIZE:
        raise HandHistoryError(f"{where}: a card is dealt twice")
    return Big2Deal(
        number=int(lines[0].split()[1]),
        config=parse(_parse_rules, lines[1]),
        players=tuple(name for _, name, _ in seats),
        hands=hands,
        tricks=tuple(parse(_parse_trick, line) for line in lines[2 + NUM_SEATS : -1]),
        payoffs=parse(_parse_payoffs, lines[-1]),
        source=where,
    )


@lru_cache(maxsize=256)
def _parse_rules(line: str) -> Big2Config:
    words = line.split()
    if words[0] != "rules" or len(words) < 2:
        raise ValueError(f"{line!r}: the second line of a deal is 'rules PROFILE', then options as name=value")
    options: dict[str, Any] = {}
    for word in words[2:]:
        name, _, value = word.partition("=")
        if name in options:
            raise ValueError(f"{line!r}: option {name!r} comes twice")
        options[name] = (
            _CONSTANTS[value] if value in _CONSTANTS else int(value) if WHOLE_NUMBER.fullmatch(value) else value
        )
    return Big2Config.profile(words[1], **options)


def _parse_player(line: str) -> tuple[int, str, tuple[int, ...]]:
    found = _PLAYER.fullmatch(line)
    if found is None:
        raise ValueError(f"{line!r}: write 'player_SEAT NAME: CARDS'")
    cards = _cards(found[3].split())
    if len(cards) != HAND_SIZE:
        raise ValueError(f"player_{found[1]} has {len(cards)} cards: a hand has {HAND_SIZE}")
    return int(found[1]), found[2], cards


def _parse_trick(line: str) -> tuple[Play, ...]:
    return tuple(map(_parse_play, line.split(", ")))


@lru_cache(maxsize=1 << 14)
def _parse_play(text: str) -> Play:
    seat, *cards = text.split()
    if seat not in ("0", "1", "2", "3") or not cards:
        raise ValueError(f"{text!r} is not a play: write the seat, then its cards or 'pass', such as '2 5C 5S'")
    return int(seat), () if cards == ["pass"] else _cards(cards)


def _parse_payoffs(line: str) -> tuple[int, ...]:
    numbers = line.split()[1:]
    if len(numbers) != NUM_SEATS or not all(re.fullmatch(r"-?[0-9]{1,18}", number) for number in numbers):
        raise ValueError(f"{line!r}: {NUM_SEATS} whole numbers are needed")
    return tuple(map(int, numbers))


def _cards(names: list[str]) -> tuple[int, ...]:
    unknown = next((name for name in names if name not in _ORDERS), None)
    if unknown is not None:
        raise ValueError(f"{unknown!r} is not a card: write rank and suit such as '3D' or 'TS'")
    return tuple(sorted(_ORDERS[name] for name in names))


# --- matches ----------------------------------------------------------------------------------------------------------


class Big2Format(HistoryFormat):
    """This project's text format for Big 2. A file names its rules; the argument `rules` is not used.

    A deal that cannot be read is loaded as an `UnreadHand`.
    """

    suffixes = (".big2",)

    def why_not(self, game: Game) -> str | None:
        """Return the reason why a game's hands cannot be written as Big 2 text; None for Big 2."""
        return None if is_big2(game) else "it is for Big 2"

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """Return a writer for a match, whose seed the text does not name."""
        return _Writer(game, names)

    def load_hands(self, file: Path) -> list[Big2Deal | UnreadHand]:
        """Return the deals of a file; HandHistoryError for a file that cannot be read or is empty."""
        source, deals = str(file), list[Big2Deal | UnreadHand]()
        for block in _split_blocks(load_text(file, "utf-8"), source):
            try:
                deals.append(_parse_deal(block, source))
            except HandHistoryError as error:
                deals.append(UnreadHand(source, MISMATCHED, str(error).removeprefix(f"{source}, ")))
        return deals


class _Writer(HistoryWriter):
    def __init__(self, game: Game, names: tuple[str, ...]) -> None:
        self._config, self._names = game.config, names

    def hands(self, played: PlayedHands) -> Iterator[str]:
        tables = played.dealt.copy()
        for i, actions in enumerate(played.actions):
            number = int(played.numbers[i])
            names = names_by_seat(self._names, number)
            yield dump_deal(_replay_hand(self._config, tables[i : i + 1], actions, number, names)) + "\n"


def _replay_hand(config: Big2Config, tables: Any, actions: list[int], number: int, names: tuple[str, ...]) -> Big2Deal:
    """Take the actions at a table after the deal, and return the deal as it is written."""
    held = (int(sets[0]) | int(sets[1]) for sets in zip(tables["held"][0], tables["played"][0], strict=True))
    hands = tuple(tuple(order for order in range(NUM_SEATS * HAND_SIZE) if cards >> order & 1) for cards in held)
    leads_3d = not config.opening_decision and not tables["is_over"][0]  # a dragon wins before the first lead
    tricks: list[list[Play]] = [[(int(tables["opener"][0]), (0,))]] if leads_3d else []
    hand, actor, trick_size = tables["hand"][0], tables["actor"], tables["trick_size"]
    for action in actions:
        if not trick_size[0]:
            tricks.append([])
        seat = int(actor[0])
        tricks[-1].append((seat, tuple(int(hand[seat, position]) for position in POSITIONS[action])))
        step(tables, 0, action)
    payoffs = tuple(int(points) for points in tables["payoff"][0])
    return Big2Deal(number, config, names, hands, tuple(map(tuple, tricks)), payoffs)


BIG2 = Big2Format()
