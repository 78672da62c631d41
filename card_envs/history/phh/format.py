"""Conversion of hands in the PHH file format, version 1, to `Hand` and back.

PHH is a subset of TOML with one field per line. Actions are short texts such as "p3 cbr 200". A `.phhs` text holds
several hands in sections [1], [2], ... Kim (2024), "Recording and Describing Poker Hands" (arXiv 2312.11753), describes
the format; the repository uoftcprg/phh-std specifies it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from card_envs.cards import DECK_SIZE, NO_CARD, card_name
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.history.errors import HandHistoryError, load_text, with_line_feeds
from card_envs.history.hand_record import DEAL_BOARD, DEAL_HOLE, MUCK, REMARK, SHOW, Move
from card_envs.history.phh.hand import BETS, HOLDEM_VARIANTS, MAX_RAISES_FIELD, OTHER_VARIANTS, RULES_FIELD, Hand
from card_envs.history.phh.toml import key_text, line_of, raise_toml_error, read_fields, split_sections, value_text
from card_envs.history.replay import UnreadHand
from card_envs.history.results import MISMATCHED, SKIPPED, Number

_BY_PLAYER = ("antes", "blinds_or_straddles", "starting_stacks", "finishing_stacks", "winnings")
_CARDS = {card_name(card): card for card in (*range(DECK_SIZE), NO_CARD)}
_ACTIONS = "'d dh pN CARDS', 'd db CARDS', 'pN f', 'pN cc', 'pN cbr AMOUNT', 'pN sm', 'pN sm CARDS' or '# remark'"
_ENDLESS = Decimal("Infinity")
_MOST_DIGITS = 100
"""Largest number of digits of an amount, zeros included: arithmetic with 1e999999999 would need them all."""
_PLAYER = re.compile(r"p[1-9][0-9]{0,2}")
_AMOUNT = re.compile(r"(?:[0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.[0-9]*)?|\.[0-9]+")


def load_hand(source: str | Path) -> Hand:
    """Read a file or text with a single PHH hand, see `load_hands`; HandHistoryError if there are several."""
    hands = load_hands(source)
    if len(hands) != 1:
        raise HandHistoryError(f"{hands[0].source}: the file holds {len(hands)} hands; read them with load_hands")
    return hands[0]


def load_hands(source: str | Path) -> list[Hand]:
    """Read the hands of a PHH or PHHS file or text.

    Args:
        source: A path; or text, which contains a line break or a "=".

    Raises:
        HandHistoryError: For a source that cannot be read or understood; the message names file, section, line and
            reason.
    """
    if isinstance(source, str) and ("\n" in source or "=" in source):
        found = _parse_hands(source, "text")
    else:
        found = _parse_hands(load_text(source, "utf-8"), str(source))
    return [hand for hand in found if isinstance(hand, Hand)]


def load_readable_hands(path: str | Path) -> list[Hand | UnreadHand]:
    """Read the hands of a PHH or PHHS file; a section that cannot be read becomes an `UnreadHand`.

    It is SKIPPED, and MISMATCHED if the end of the file cuts it off.

    A file that cannot be read, and a text that is no hand and has no sections, are a HandHistoryError.
    """
    return list(_parse_hands(load_text(path, "utf-8"), str(path), keeps_unread=True))


def _parse_hands(text: str, source: str, keeps_unread: bool = False) -> Iterator[Hand | UnreadHand]:
    """Yield the hands of a text; for a section that cannot be read an `UnreadHand`, or the error is raised."""
    text = with_line_feeds(text)
    if not text.strip():
        raise HandHistoryError(f"{source}: is empty; a hand needs at least the field 'variant'")
    names: set[str] = set()
    for name, part, line in split_sections(text):
        is_cut_off = not part.endswith("\n")  # the last section of a text without a line feed at its end
        place = f"{source} [{name}]" if name else source
        try:
            if name in names:
                raise HandHistoryError(f"{place}, line {line}: this section comes twice; number the hands 1, 2, ...")
            yield _parse_section(part, place, line)
        except HandHistoryError as error:
            if not keeps_unread or not name:
                raise
            yield UnreadHand(place, MISMATCHED if is_cut_off else SKIPPED, str(error).removeprefix(place).lstrip(":, "))
        names.add(name)


def _parse_section(text: str, place: str, first_line: int) -> Hand:
    """Return the hand of one section."""
    try:
        return hand_of(read_fields(text), place)
    except tomllib.TOMLDecodeError as error:
        raise_toml_error(error, place, text, first_line)
    except _FieldError as error:
        line = first_line + line_of(text, error.field)
        raise HandHistoryError(f"{place}, line {line}, {error}") from error
    except RecursionError as error:
        raise HandHistoryError(f"{place}, line {first_line}: arrays or tables are nested too deeply") from error
    except ValueError as error:  # numbers of more digits than Python reads
        problem = f"a number has more digits than are read; an amount has at most {_MOST_DIGITS}"
        raise HandHistoryError(f"{place}, line {first_line}: {problem}") from error


def hand_of(fields: Mapping[str, Any], source: str = "hand") -> Hand:
    """Return the hand with the given fields of a PHH file.

    Args:
        fields: Field name -> value, as `tomllib` reads them.
        source: Name of the hand in errors.

    Raises:
        HandHistoryError: For a field that is missing or wrong.
    """
    variant = fields.get("variant")
    if variant is None:
        raise _FieldError("variant", f"is missing: write one of {[*HOLDEM_VARIANTS, *OTHER_VARIANTS]}")
    if variant in OTHER_VARIANTS:
        return Hand(fields, (), source)
    if not isinstance(variant, str) or variant not in HOLDEM_VARIANTS:
        raise _FieldError("variant", f"{variant!r} is not known: write one of {[*HOLDEM_VARIANTS, *OTHER_VARIANTS]}")
    check_fields(fields)
    return Hand(fields, tuple(_moves(fields["actions"], len(fields["starting_stacks"]))), source)


def dump_hand(hand: Hand) -> str:
    """Return a hand as PHH text in the layout of the published PHH data sets, without a line break at the end."""
    return "\n".join(f"{key_text(name)} = {value_text(value)}" for name, value in hand.fields.items())


def dump_hands(hands: Iterable[Hand]) -> str:
    """Return hands as PHHS text, in sections [1], [2], ..."""
    return "\n\n".join(f"[{number}]\n{dump_hand(hand)}" for number, hand in enumerate(hands, start=1))


class _FieldError(HandHistoryError):
    """A field that is missing or wrong."""

    def __init__(self, field: str, problem: str, action: int | None = None) -> None:
        self.field = field
        super().__init__(f"field '{field}'{'' if action is None else f', action {action}'}: {problem}")


# --- fields -> checked fields and moves -------------------------------------------------------------------------------


def check_fields(fields: Mapping[str, Any]) -> None:
    """Raise HandHistoryError for a field of a hand of hold'em that is missing or wrong; actions are not parsed."""
    variant = fields["variant"]
    for name in ("antes", "blinds_or_straddles", "starting_stacks", "actions", *BETS[variant]):
        if name not in fields:
            raise _FieldError(name, f"is missing; variant {variant!r} needs it")
    for name in BETS[variant]:
        if not _is_number(fields[name]) or not 0 < fields[name] < _ENDLESS:
            raise _FieldError(
                name, f"{_quote(fields[name])} must be a positive number of chips, of at most {_MOST_DIGITS} digits"
            )
    players = fields["starting_stacks"]
    if not isinstance(players, list) or len(players) < 2:
        raise _FieldError("starting_stacks", f"{_quote(players)} must be an array of the stacks of two or more players")
    for name in _BY_PLAYER:
        if name in fields:
            _check_numbers(name, fields[name], len(players))
    if not isinstance(fields.get("ante_trimming_status", False), bool):
        raise _FieldError("ante_trimming_status", f"{_quote(fields['ante_trimming_status'])} must be true or false")
    names = fields.get("players", [])
    if not isinstance(names, list) or len(names) not in (0, len(players)):
        raise _FieldError("players", f"{_quote(names)} must be an array of {len(players)} names")
    _check_own_fields(fields)


def _check_own_fields(fields: Mapping[str, Any]) -> None:
    caps = fields.get(MAX_RAISES_FIELD, [])
    if not isinstance(caps, list) or len(caps) not in (0, 4) or any(type(cap) is not int or cap < 0 for cap in caps):
        raise _FieldError(MAX_RAISES_FIELD, f"{_quote(caps)} must be an array of 4 whole numbers, or empty for no cap")
    if not isinstance(fields.get(RULES_FIELD, ""), str):
        raise _FieldError(RULES_FIELD, f"{_quote(fields[RULES_FIELD])} must be the name of a rules profile")


def _check_numbers(name: str, values: object, length: int) -> None:
    if not isinstance(values, list) or len(values) != length:
        raise _FieldError(name, f"{_quote(values)} must be an array of {length} numbers, one for each starting stack")
    signed = name == "blinds_or_straddles"  # PokerKit writes the post of a player who joins as a negative blind
    for index, value in enumerate(values):
        if not _is_number(value):
            raise _FieldError(
                name,
                f"{_quote(value)} of p{index + 1} must be a number (int or Decimal) of at most {_MOST_DIGITS} digits",
            )
        if (value < 0 and not signed) or (name == "starting_stacks" and value == 0):
            raise _FieldError(name, f"{value} of p{index + 1} must not be {'negative' if value < 0 else 'zero'}")


def _is_number(value: object) -> bool:
    if not isinstance(value, Decimal):
        return type(value) is int
    _, digits, exponent = value.as_tuple()
    return exponent == "F" or (isinstance(exponent, int) and abs(exponent) + len(digits) <= _MOST_DIGITS)


def _quote(value: object) -> str:
    text = str(value) if isinstance(value, Decimal) else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _moves(actions: object, num_players: int) -> Iterator[Move]:
    if not isinstance(actions, list):
        raise _FieldError("actions", f"{_quote(actions)} must be an array of texts")
    for number, action in enumerate(actions, start=1):
        if not isinstance(action, str):
            raise _FieldError("actions", f"{_quote(action)} must be a text", number)
        try:
            move = parse_action(action)
        except ValueError as error:
            raise _FieldError("actions", str(error), number) from error
        if move.seat >= num_players:
            raise _FieldError("actions", f"{action!r} names a player beyond p{num_players}", number)
        yield move


@lru_cache(maxsize=1 << 16)
def parse_action(action: str) -> Move:
    """Parse the text of an action; ValueError if it is not an action."""
    match action.partition("#")[0].split():
        case ["d", "dh", player, cards]:
            return Move(DEAL_HOLE, _seat(player, action), cards=_card_ids(cards, action))
        case ["d", "db", cards]:
            return Move(DEAL_BOARD, cards=_card_ids(cards, action))
        case [player, "f"]:
            return Move(FOLD, _seat(player, action))
        case [player, "cc"]:
            return Move(CALL, _seat(player, action))
        case [player, "cbr", amount]:
            return Move(RAISE, _seat(player, action), _amount(amount, action))
        case [player, "sm"]:
            return Move(MUCK, _seat(player, action))
        case [player, "sm", "-"]:
            return Move(SHOW, _seat(player, action))
        case [player, "sm", cards]:
            return Move(SHOW, _seat(player, action), cards=_card_ids(cards, action))
        case []:
            return Move(REMARK)
    raise ValueError(f"{action!r} is not an action: write {_ACTIONS}")


def _seat(player: str, action: str) -> int:
    if not _PLAYER.fullmatch(player):
        raise ValueError(f"{action!r}: {player!r} is not a player; write p1, p2, ...")
    return int(player[1:]) - 1


def _card_ids(text: str, action: str) -> tuple[int, ...]:
    try:
        return tuple(_CARDS[text[i : i + 2]] for i in range(0, len(text), 2))
    except KeyError as error:
        raise ValueError(
            f"{action!r}: {error.args[0]!r} is not a card; write rank and suit such as 'As', or '??' if unknown"
        ) from None


def _amount(text: str, action: str) -> Number:
    if not _AMOUNT.fullmatch(text) or len(text) > _MOST_DIGITS:
        raise ValueError(
            f"{action!r}: {_quote(text)} is not an amount; write the chips to raise to, such as 200 or 3.50"
        )
    digits = text.replace(",", "")
    return int(digits) if digits.isdecimal() else Decimal(digits)


def action_text(move: Move) -> str:
    """Return the text of a move."""
    player, cards = f"p{move.seat + 1}", "".join(map(card_name, move.cards))
    texts = {
        FOLD: f"{player} f",
        CALL: f"{player} cc",
        RAISE: f"{player} cbr {move.amount}",
        DEAL_HOLE: f"d dh {player} {cards}",
        DEAL_BOARD: f"d db {cards}",
        SHOW: f"{player} sm {cards or '-'}",
        MUCK: f"{player} sm",
    }
    return texts[move.kind]
