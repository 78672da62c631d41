"""Conversion of logs of the Annual Computer Poker Competition to `AcpcLog` and back.

A log has one line per hand, `STATE:NUMBER:BETTING:CARDS:VALUES:PLAYERS`. Lists begin with the first seat left of the
button. A line that begins with `#` is a remark, and the last line is the score. A separate file, the *game definition*,
describes the game. Logs that this module writes contain the definition in remarks, which the competition's programs
skip. For other logs the first line names the file, which is searched for beside the log and in `KNOWN_GAMES`. The
README of the competition's server (project_acpc_server) describes the format.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import NoReturn

from card_envs.cards import card_ids, card_name
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.history.acpc.game_file import KNOWN_GAMES, card_shift, game_lines, parse_game
from card_envs.history.errors import HandHistoryError, load_text, shorten
from card_envs.history.hand_record import DEAL_BOARD, HandRecord
from card_envs.history.results import MISMATCHED, Number, ReplayResult

_HEADER = "# name/game/hands/seed"
_NUMBER = re.compile(r"[0-9]{1,18}")
_VALUE = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_ROUNDING = Decimal("0.000001")
"""Fractions of chips are printed with six digits."""
_LONGEST_NAME = 200


@dataclass(frozen=True)
class AcpcHand:
    """One hand: the parts of a line of a log."""

    number: int
    betting: str
    """Letters f, c and r by street, such as "cr250c/cc". In no-limit games the player's total chips follow r."""
    cards: str
    """Hole cards, then the board, such as "9s8h|9c6h/Qd8dAs/5c"."""
    values: tuple[Number, ...]
    """Chips that each player won, negative for losses."""
    players: tuple[str, ...]
    source: str
    """File and line."""


@dataclass(frozen=True)
class AcpcLog:
    """The log of a match."""

    config: HoldemConfig
    """The game, with the rules profile that the log names, by default `acpc`."""
    hands: tuple[AcpcHand, ...]
    lines: tuple[str, ...]
    """All lines, including remarks and the score."""


def load_log(path: str | Path, game: HoldemConfig | None = None) -> AcpcLog:
    """Read a log of the Annual Computer Poker Competition.

    Args:
        path: The file.
        game: The game of the log; None for the game that the log describes or names.

    Raises:
        HandHistoryError: For a file that cannot be read or understood; the message names file, line and reason.
    """
    return parse_log(load_text(path, "ascii"), str(path), game)


def parse_log(text: str, source: str = "log", game: HoldemConfig | None = None) -> AcpcLog:
    """Parse the text of a log, see `load_log`; errors call the text `source`."""
    lines = tuple(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))
    config = game or _game_of(lines, source)
    hands = tuple(
        _parse_hand(line, f"{source}, line {number}", config)
        for number, line in enumerate(lines, start=1)
        if line and not line.startswith(("#", "SCORE:"))
    )
    _check_complete(lines, hands, source)
    return AcpcLog(config, hands, lines)


def compare_scores(log: AcpcLog, source: str) -> list[ReplayResult]:
    """Return a MISMATCHED result for each line with scores that are not the sums of the values of the hands before."""
    totals: dict[str, Number] = defaultdict(int)
    hands, wrong = iter(log.hands), list[ReplayResult]()
    players = {name for hand in log.hands for name in hand.players}
    for number, line in enumerate(log.lines, start=1):
        if line.startswith("STATE:"):
            hand = next(hands)
            for name, value in zip(hand.players, hand.values, strict=True):
                totals[name] += value
        elif line.startswith("SCORE:"):
            values, _, names = line.removeprefix("SCORE:").partition(":")
            is_number = [_VALUE.fullmatch(value) is not None for value in values.split("|")]
            stated = [Decimal(value) for value in values.split("|")] if all(is_number) else []
            won = [Decimal(totals[name]) for name in names.split("|")]
            has_all = not log.hands or set(names.split("|")) == players
            rounding = len(log.hands) * _ROUNDING if any(value % 1 for value in won) else 0
            is_same = has_all and len(won) == len(stated)
            if not is_same or any(abs(a - b) > rounding for a, b in zip(won, stated, strict=True)):
                reason = f"the score is {_short(line)}, but the hands add up to {'|'.join(map(str, won))}"
                wrong.append(ReplayResult(f"{source}, line {number}", MISMATCHED, reason))
    return wrong


def dump_log(log: AcpcLog) -> str:
    """Return the text of a log."""
    return "\n".join(log.lines) + "\n"


def _parse_hand(line: str, where: str, config: HoldemConfig) -> AcpcHand:
    parts = line.split(":")
    if len(parts) != 6 or parts[0] != "STATE" or not _NUMBER.fullmatch(parts[1]):
        raise HandHistoryError(
            f"{where}: {_short(line)} is not a hand: write STATE:NUMBER:BETTING:CARDS:VALUES:PLAYERS"
        )
    values, players = parts[4].split("|"), tuple(parts[5].split("|"))
    for name, found in (("values", values), ("players", players)):
        if len(found) != config.num_players:
            raise HandHistoryError(
                f"{where}, hand {parts[1]}: {len(found)} {name} in a game for {config.num_players} players"
            )
    wrong = next((value for value in values if not _VALUE.fullmatch(value)), None)
    if wrong is not None:
        raise HandHistoryError(f"{where}, hand {parts[1]}: value {_short(wrong)} is not a number of chips")
    return AcpcHand(
        int(parts[1]), parts[2], parts[3], tuple(map(_number, values)), players, f"{where}, hand {parts[1]}"
    )


def _check_complete(lines: tuple[str, ...], hands: tuple[AcpcHand, ...], source: str) -> None:
    """Raise HandHistoryError if players' names change, or if there are fewer hands than the first line announces."""
    names = set(hands[0].players) if hands else set()
    for hand in hands:
        if set(hand.players) != names:
            raise HandHistoryError(
                f"{hand.source}: players {shorten('|'.join(hand.players), 60)} are not those of the hands before, "
                f"{sorted(names)}"
            )
    announced = _parse_first_line(lines)
    if announced is not None and len(hands) < announced[1]:
        last = f"the last is {hands[-1].number}" if hands else "it holds none"
        raise HandHistoryError(f"{source}: the log ends too early: {announced[1]} hands are announced, {last}")


def _short(text: str) -> str:
    return repr(shorten(text, 60))


def _number(text: str) -> Number:
    return int(text) if "." not in text else Decimal(text)


# --- the game of a log ------------------------------------------------------------------------------------------------


def _game_of(lines: tuple[str, ...], source: str) -> HoldemConfig:
    """Return the game of a log: from its remarks, from the file that it names, or from `KNOWN_GAMES`."""
    remarks = [line[1:].strip() for line in lines if line.startswith("#")]
    rules = next((remark.split()[1] for remark in remarks if remark.startswith("rules ")), "acpc")
    if "GAMEDEF" in remarks:
        return _parse_game_lines(remarks[remarks.index("GAMEDEF") :], source, rules)
    announced = _parse_first_line(lines)
    if announced is None:
        raise HandHistoryError(
            f"{source}: does not name its game: begin it with '{_HEADER} NAME GAME-FILE HANDS SEED' or with the "
            "game definition in remarks (# GAMEDEF ... # END GAMEDEF), or pass game="
        )
    name = announced[0]
    if len(name) > _LONGEST_NAME or Path(name).name != name or name in ("", ".", ".."):
        raise HandHistoryError(
            f"{source}, line 1: game file {_short(name)}: a log may name a file beside it, without a folder"
        )
    beside = Path(source).parent / name
    if beside.is_file() and not beside.is_symlink():
        return _parse_game_lines(beside.read_text(encoding="ascii", errors="replace").split("\n"), str(beside), rules)
    if name in KNOWN_GAMES:
        return _parse_game_lines(KNOWN_GAMES[name], name, rules)
    raise HandHistoryError(
        f"{source}, line 1: game {name!r} is not known: put the file beside the log, use one of {sorted(KNOWN_GAMES)}, "
        "or pass game="
    )


def _parse_game_lines(lines: Sequence[str], source: str, rules: str) -> HoldemConfig:
    try:
        return parse_game(lines, rules)
    except ValueError as error:
        raise HandHistoryError(f"{source}: game definition: {error}") from error


def _parse_first_line(lines: tuple[str, ...]) -> tuple[str, int] | None:
    """Return the game file and the number of hands that the first line names; None if it names none."""
    words = lines[0].removeprefix(_HEADER).split() if lines[0].startswith(_HEADER) else []
    return (words[1], int(words[2])) if len(words) >= 4 and _NUMBER.fullmatch(words[2]) else None


# --- hands -> text ----------------------------------------------------------------------------------------------------


def hand_line(hand: HandRecord) -> str:
    """Return the line of a hand of a match, without a line break."""
    shift = card_shift(hand.config)

    def names(cards: Iterable[int]) -> str:
        return "".join(card_name(card + shift) for card in cards)

    cards = "/".join(["|".join(map(names, hand.hole_cards)), *map(names, hand.boards)])
    values, players = "|".join(map(str, hand.results["values"])), "|".join(map(player_name, hand.names))
    return f"STATE:{hand.number}:{''.join(_letters(hand))}:{cards}:{values}:{players}"


def _letters(hand: HandRecord) -> Iterator[str]:
    """Yield the letters of the betting. In no-limit games, raises have the player's chips since the deal."""
    is_limit = hand.config.structure == "limit"
    blinds = [min(blind, stack) for blind, stack in zip(hand.config.blind_list, hand.stacks, strict=True)]
    earlier, street = [0] * len(blinds), blinds
    for kind, seat, amount, _, stated, _ in hand.moves:
        if kind == DEAL_BOARD:
            earlier, street = [a + b for a, b in zip(earlier, street, strict=True)], [0] * len(blinds)
            yield "/"
        elif kind == FOLD:
            yield "f"
        elif kind == CALL:
            street[seat] += int(stated or 0)
            yield "c"
        elif kind == RAISE:
            street[seat] = int(amount)
            yield "r" if is_limit else f"r{earlier[seat] + amount}"


def player_name(name: str) -> str:
    """Return a name without the characters that separate parts of a log."""
    return re.sub(r"[\s:|#]+", "_", name.encode("ascii", "replace").decode()) or "_"


def header_lines(config: HoldemConfig, name: str, hands: int, seed: int, rules: str) -> Iterator[str]:
    """Yield the lines of a log before the first hand."""
    yield f"{_HEADER} {player_name(name)} {player_name(name)}.game {hands} {seed}"
    yield from (f"# {line}" for line in game_lines(config))
    yield f"# rules {rules}"


def score_line(names: Iterable[str], totals: Iterable[int]) -> str:
    """Return the last line of a log, with the total winnings of each player."""
    return f"SCORE:{'|'.join(map(str, totals))}:{'|'.join(map(player_name, names))}"


# --- text -> cards and moves ------------------------------------------------------------------------------------------


def cards_of(hand: AcpcHand, config: HoldemConfig) -> tuple[list[list[int]], list[list[int]]]:
    """Return the hole cards by position (empty if unknown), and the board cards by street after the first."""
    shift = card_shift(config)
    holes, *board = hand.cards.split("/")
    try:
        parts = [[card_ids(text) for text in part] for part in (holes.split("|"), board)]
    except ValueError as error:
        _refuse(hand, f"cards {_short(hand.cards)}: {error}")
    shifted = [[[card - shift for card in cards] for cards in part] for part in parts]
    allowed = set(config.deck_cards)
    every = [card for part in shifted for cards in part for card in cards]
    if not set(every) <= allowed:
        _refuse(hand, f"cards {_short(hand.cards)}: not all are among the {len(allowed)} cards of this game")
    if len(set(every)) < len(every):
        _refuse(hand, f"cards {_short(hand.cards)}: a card is dealt twice")
    hole_cards, by_street = shifted
    complete = all(len(cards) in (0, config.num_hole_cards) for cards in hole_cards)
    if len(hole_cards) != config.num_players or not complete:
        _refuse(
            hand, f"cards {_short(hand.cards)}: {config.num_players} hands of {config.num_hole_cards} cards are needed"
        )
    due = config.board_cards[1:]
    if len(by_street) > len(due) or any(len(cards) != count for cards, count in zip(by_street, due, strict=False)):
        _refuse(hand, f"cards {_short(hand.cards)}: the board comes in {', '.join(map(str, due)) or 'no'} cards")
    return hole_cards, by_street


def _refuse(hand: AcpcHand, reason: str) -> NoReturn:
    raise HandHistoryError(f"{hand.source}: {reason}")
