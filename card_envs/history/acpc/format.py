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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.history.acpc.game_file import KNOWN_GAMES, format_cards, game_lines, parse_game
from card_envs.history.acpc.hand import AcpcHand, quote
from card_envs.history.errors import WHOLE_NUMBER, HandHistoryError, load_text, shorten, with_line_feeds
from card_envs.history.hand_record import DEAL_BOARD, HandRecord
from card_envs.history.history_format import number_equal_names
from card_envs.history.holdem_format import HoldemFormat, HoldemWriter
from card_envs.history.holdem_match import rules_name
from card_envs.history.replay import ParsedHand, UnreadHand
from card_envs.history.results import MISMATCHED, SKIPPED, Number

__all__ = ["ACPC", "AcpcFormat", "AcpcLog", "dump_log", "load_log", "parse_log"]

_HEADER = "# name/game/hands/seed"
_VALUE = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
_ROUNDING = Decimal("0.000001")
"""Fractions of chips are printed with six digits."""
_LONGEST_NAME = 200


@dataclass(frozen=True)
class AcpcLog:
    """The log of a match."""

    config: HoldemConfig
    """The game, with the rules profile that the log names, by default `acpc`."""
    entries: tuple[AcpcHand | UnreadHand, ...]
    """Hands in the order of the log. An `UnreadHand` stands for a line that is no hand of this match (SKIPPED), for one
    that is cut off by the end of the file, and for a score that is not the sum of the hands before (MISMATCHED)."""
    lines: tuple[str, ...]
    """All lines, including remarks and the score."""

    @property
    def hands(self) -> tuple[AcpcHand, ...]:
        """The hands that can be read."""
        return tuple(entry for entry in self.entries if isinstance(entry, AcpcHand))


def load_log(path: str | Path, game: HoldemConfig | None = None) -> AcpcLog:
    """Read a log of the Annual Computer Poker Competition.

    Args:
        path: The file.
        game: The game of the log; None for the game that the log describes or names.

    Raises:
        HandHistoryError: For a file that cannot be read, whose game is not known, that has fewer hands than it
            announces, or that holds several matches; the message names file, line and reason.
    """
    return parse_log(load_text(path, "ascii"), str(path), game)


def parse_log(text: str, source: str = "log", game: HoldemConfig | None = None) -> AcpcLog:
    """Parse the text of a log, see `load_log`; errors call the text `source`."""
    lines = tuple(with_line_feeds(text).removesuffix("\n").split("\n"))
    config = game or _game_of(lines, source)
    entries: list[AcpcHand | UnreadHand] = []
    totals: dict[str, Number] = defaultdict(int)  # chips that each player has won so far
    hands: list[AcpcHand] = []
    num_unread = 0
    for number, line in enumerate(map(str.rstrip, lines), start=1):
        where = f"{source}, line {number}"
        if line.startswith(_HEADER) and entries:
            raise HandHistoryError(f"{where}: another match begins here: write each match to a file of its own")
        if line.startswith("SCORE:"):
            # the chips of a line that cannot be read are not known, and equal names do not say whose chips they are
            is_unknown = num_unread or (hands and len(totals) < config.num_players)
            reason = "" if is_unknown else _why_wrong_score(line, totals, len(hands))
            entries += [UnreadHand(where, MISMATCHED, reason)] if reason else []
        elif line and not line.startswith("#"):
            entry = _parse_hand(line, where, config, set(totals))
            if isinstance(entry, UnreadHand) and number == len(lines) and text[-1] not in "\r\n":
                entry = replace(entry, status=MISMATCHED)  # the end of the file cuts it off
            entries.append(entry)
            if isinstance(entry, AcpcHand):
                hands.append(entry)
                for name, value in zip(entry.players, entry.values, strict=True):
                    totals[name] += value
            else:
                num_unread += 1
    announced = _parse_first_line(lines)
    if announced is not None and len(hands) + num_unread < announced[1]:
        last = f"the last is {hands[-1].number}" if hands else "it holds none"
        raise HandHistoryError(f"{source}: the log ends too early: {announced[1]} hands are announced, {last}")
    return AcpcLog(config, tuple(entries), lines)


def dump_log(log: AcpcLog) -> str:
    """Return the text of a log."""
    return "\n".join(log.lines) + "\n"


def _parse_hand(line: str, where: str, config: HoldemConfig, names: set[str]) -> AcpcHand | UnreadHand:
    """Return the hand of a line, or the reason why it is none; `names` are the players of the hands before."""
    parts = line.split(":")
    if len(parts) != 6 or parts[0] != "STATE" or not WHOLE_NUMBER.fullmatch(parts[1]):
        return UnreadHand(
            where, SKIPPED, f"{quote(line)} is not a hand: write STATE:NUMBER:BETTING:CARDS:VALUES:PLAYERS"
        )
    where = f"{where}, hand {parts[1]}"
    values, players = parts[4].split("|"), tuple(parts[5].split("|"))
    for name, found in (("values", values), ("players", players)):
        if len(found) != config.num_players:
            return UnreadHand(where, SKIPPED, f"{len(found)} {name} in a game for {config.num_players} players")
    wrong = next((value for value in values if not _VALUE.fullmatch(value)), None)
    if wrong is not None:
        return UnreadHand(where, SKIPPED, f"value {quote(wrong)} is not a number of chips")
    if names and set(players) != names:
        shown = shorten("|".join(players), 60)
        return UnreadHand(where, SKIPPED, f"players {shown} are not those of the hands before, {sorted(names)}")
    won = tuple(Decimal(value) if "." in value else int(value) for value in values)
    return AcpcHand(int(parts[1]), parts[2], parts[3], won, players, where, config)


def _why_wrong_score(line: str, totals: Mapping[str, Number], num_hands: int) -> str:
    """Return why a line with scores is not the sum of the hands before, in which players won `totals`; "" if it is."""
    values, _, names = line.removeprefix("SCORE:").partition(":")
    is_number = [_VALUE.fullmatch(value) is not None for value in values.split("|")]
    stated = [Decimal(value) for value in values.split("|")] if all(is_number) else []
    won = [Decimal(totals.get(name, 0)) for name in names.split("|")]
    has_all = not num_hands or set(names.split("|")) == set(totals)
    rounding = num_hands * _ROUNDING if any(value % 1 for value in won) else 0
    is_same = has_all and len(won) == len(stated)
    if is_same and all(abs(a - b) <= rounding for a, b in zip(won, stated, strict=True)):
        return ""
    return f"the score is {quote(line)}, but the hands add up to {'|'.join(map(str, won))}"


# --- the game of a log ------------------------------------------------------------------------------------------------


def _game_of(lines: tuple[str, ...], source: str) -> HoldemConfig:
    """Return the game of a log: from its remarks, from the file that it names, or from `KNOWN_GAMES`."""
    remarks = [line[1:].strip() for line in lines if line.startswith("#")]
    named = (remark.split() for remark in remarks)  # other remarks may begin with this word, too
    rules = next((words[1] for words in named if len(words) == 2 and words[0] == "rules"), "acpc")
    if "GAMEDEF" in remarks:
        if (count := remarks.count("GAMEDEF")) > 1:
            raise HandHistoryError(f"{source}: {count} lines '# GAMEDEF' begin game definitions; keep the right one")
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
            f"{source}, line 1: game file {quote(name)}: a log may name a file beside it, without a folder"
        )
    beside = Path(source).parent / name
    if beside.is_file() and not beside.is_symlink():
        return _parse_game_lines(load_text(beside, "latin-1").split("\n"), str(beside), rules)
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
    return (words[1], int(words[2])) if len(words) >= 4 and WHOLE_NUMBER.fullmatch(words[2]) else None


# --- hands -> text ----------------------------------------------------------------------------------------------------


def hand_line(hand: HandRecord) -> str:
    """Return the line of a hand of a match, without a line break."""
    cards = format_cards(hand.config, hand.hole_cards, hand.boards)
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


# --- the format -------------------------------------------------------------------------------------------------------


class _Writer(HoldemWriter):
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        super().__init__(game, number_equal_names(map(player_name, names), "_"), seed)
        self._name, self._seed, self._totals = game.name, seed or 0, [0] * len(names)

    def header(self, num_hands: int) -> str:
        name = player_name(self._name)
        definition = [*game_lines(self.config), f"rules {rules_name(self.config)}"]
        lines = [f"{_HEADER} {name} {name}.game {num_hands} {self._seed}", *(f"# {line}" for line in definition)]
        return "\n".join(lines) + "\n"

    def text(self, hand: HandRecord) -> str:
        for seat, won in zip(hand.seats, hand.results["values"], strict=True):
            self._totals[(seat - hand.number) % len(self._totals)] += int(won)
        return hand_line(hand) + "\n"

    def footer(self) -> str:
        return f"SCORE:{'|'.join(map(str, self._totals))}:{'|'.join(map(player_name, self.names))}\n"


class AcpcFormat(HoldemFormat):
    """Logs of limit and no-limit hold'em with equal stacks and decks of any size.

    The default rules are the rules that the log names, else `acpc`. Unknown cards are replaced by unused ones. See
    `AcpcLog.entries` for lines that are not read.
    """

    suffixes = (".acpc",)
    suffixes_if_named = (".log",)
    writer_class = _Writer

    def require(self, config: HoldemConfig) -> None:
        """Raise ValueError for a game that a game definition cannot describe, and for rules without a name."""
        game_lines(config)
        rules_name(config)

    def load_hands(self, file: Path) -> Sequence[ParsedHand]:
        """Return the entries of a log, see `AcpcLog.entries`."""
        return load_log(file).entries


ACPC = AcpcFormat()
