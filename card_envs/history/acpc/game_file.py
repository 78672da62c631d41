"""Conversion of game definitions of the Annual Computer Poker Competition to `HoldemConfig` and back.

A definition has a line `FIELD = NUMBERS` for each setting, between GAMEDEF and END GAMEDEF. Lists are by position: the
first seat left of the button comes first, which is the big blind in heads-up games. Source: game.c of the competition's
server.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from card_envs.cards import NO_CARD, card_name
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import profile_of
from card_envs.games.holdem.state import MAX_CHIPS, MAX_SEATS, STREET_NAMES
from card_envs.history.errors import WHOLE_NUMBER, shorten

_FIELDS = (
    "numPlayers", "numRounds", "stack", "blind", "raiseSize", "firstPlayer", "maxRaises", "numSuits", "numRanks",
    "numHoleCards", "numBoardCards",
)  # fmt: skip
UNLIMITED_RAISES = 255
"""Number of raises per street that stands for no cap; the default of a definition without `maxRaises`."""


def _holdem(betting: str, **fields: str) -> tuple[str, ...]:
    """Return the definition of a game with the cards of Texas hold'em."""
    cards = {"numRounds": "4", "numSuits": "4", "numRanks": "13", "numHoleCards": "2", "numBoardCards": "0 3 1 1"}
    return betting, *(f"{name} = {value}" for name, value in (fields | cards).items())


_LIMIT = {"raiseSize": "10 10 20 20", "maxRaises": "3 4 4 4"}

KNOWN_GAMES = {
    "holdem.limit.2p.reverse_blinds.game": _holdem(
        "limit", numPlayers="2", blind="10 5", firstPlayer="2 1 1 1", **_LIMIT
    ),
    "holdem.limit.3p.game": _holdem("limit", numPlayers="3", blind="5 10 0", firstPlayer="3 1 1 1", **_LIMIT),
    "holdem.nolimit.2p.reverse_blinds.game": _holdem(
        "nolimit", numPlayers="2", blind="100 50", firstPlayer="2 1 1 1", stack="20000 20000"
    ),
    "holdem.nolimit.3p.game": _holdem(
        "nolimit", numPlayers="3", blind="50 100 0", firstPlayer="3 1 1 1", stack="20000 20000 20000"
    ),
}
"""Name of the file -> definition, for games of the competition."""


def parse_game(lines: Iterable[str], rules: str = "acpc") -> HoldemConfig:
    """Return the game of a definition with a rules profile.

    Raises ValueError for an incomplete definition, a line that is not understood, an unknown profile, and a game that
    our tables do not play.
    """
    fields: dict[str, str] = {}
    betting = ""
    known = {name.lower() for name in _FIELDS}
    for line in _select_lines(lines):
        key, equals, value = (part.strip() for part in line.partition("="))
        if equals and key.lower() in known:
            if (before := fields.setdefault(key.lower(), value)) != value:
                raise ValueError(
                    f"{shorten(key, 60)} is {shorten(before, 60)}, and on another line {shorten(value, 60)}"
                )
        elif key.lower() in ("limit", "nolimit"):
            if betting not in ("", key.lower()):
                raise ValueError("both 'limit' and 'nolimit' stand on lines of their own")
            betting = key.lower()
        else:
            raise ValueError(
                f"{shorten(line, 60)!r} is not understood: write limit or nolimit, and lines FIELD = NUMBERS with the "
                f"fields {', '.join(_FIELDS)}"
            )
    if not betting:
        raise ValueError("neither 'limit' nor 'nolimit' stands on a line of its own")
    return _config_of(fields, betting == "limit", rules)


def _select_lines(lines: Iterable[str]) -> list[str]:
    """Return the lines with settings, without blanks around them; ValueError for a definition that is cut off."""
    written = [line for line in map(str.strip, lines) if line and line[0] != "#"]
    lowered = [line.lower() for line in written]
    if "end gamedef" in lowered:
        written = written[: lowered.index("end gamedef")]
    elif "gamedef" in lowered:
        raise ValueError("the line 'END GAMEDEF' is missing: the definition is cut off")
    return [line for line in written if line.lower() != "gamedef"]


def _config_of(fields: dict[str, str], is_limit: bool, rules: str) -> HoldemConfig:
    n, rounds = _count(fields, "numPlayers", MAX_SEATS), _count(fields, "numRounds", len(STREET_NAMES))
    blinds = _numbers(fields, "blind", n)
    caps = _numbers(fields, "maxRaises", rounds, UNLIMITED_RAISES)
    is_reverse = n == 2 and blinds[0] > blinds[1]
    num_ranks = _number(fields, "numRanks")
    config = HoldemConfig(
        structure="limit" if is_limit else "no_limit",
        num_players=n,
        stacks=_numbers(fields, "stack", n, MAX_CHIPS),
        blinds=blinds[::-1] if is_reverse else blinds,
        min_bet=max(blinds),
        raise_sizes=_numbers(fields, "raiseSize", rounds, None if is_limit else max(blinds)),
        max_raises=None if max(caps) >= UNLIMITED_RAISES else caps,
        rules=replace(profile_of(rules), button_owes_small_blind=is_reverse),
        num_hole_cards=_number(fields, "numHoleCards"),
        board_cards=_numbers(fields, "numBoardCards", rounds),
        lowest_rank=max(0, 12 - num_ranks),  # the highest card of our small decks is a king
        num_ranks=num_ranks,
        num_suits=_number(fields, "numSuits"),
        button_moves=False,
        chips_per_reward=max(blinds),
    )
    first, ours = _numbers(fields, "firstPlayer", rounds, 1), first_players(config)
    if first != ours:
        raise ValueError(f"firstPlayer = {_words(first)}: our tables can only play it with {_words(ours)}")
    return config


def _count(fields: dict[str, str], name: str, most: int) -> int:
    count = _number(fields, name)
    if not 1 <= count <= most:
        raise ValueError(f"{name} = {count}: our tables have 1 .. {most}")
    return count


def _number(fields: dict[str, str], name: str) -> int:
    if len(fields.get(name.lower(), "").split()) > 1:
        raise ValueError(f"{name} = {shorten(fields[name.lower()], 60)}: one whole number is needed")
    return _numbers(fields, name, 1)[0]


def _numbers(fields: dict[str, str], name: str, count: int, default: int | None = None) -> tuple[int, ...]:
    """Return `count` numbers of a field; `default`, if given, for each number of a missing field."""
    text = fields.get(name.lower())
    if text is None:
        if default is None:
            raise ValueError(f"{name} is missing")
        return (default,) * count
    words = text.split()[:count]  # the server's own definitions give more numbers than there are rounds
    if len(words) < count or not all(map(WHOLE_NUMBER.fullmatch, words)):
        raise ValueError(f"{name} = {shorten(text, 60)}: {count} whole numbers are needed")
    return tuple(map(int, words))


def first_players(config: HoldemConfig) -> tuple[int, ...]:
    """Return the first position to act on each street, from 1: left of the last highest blind, then of the button."""
    blinds = config.blind_list
    highest = max(range(len(blinds)), key=lambda position: (blinds[position], position))
    opener = (highest + 1) % config.num_players if any(blinds) else 0
    return opener + 1, *[1] * (len(config.board_cards) - 1)


def game_lines(config: HoldemConfig) -> list[str]:
    """Return the lines of the definition of a game; ValueError if the format cannot describe it."""
    _check_describable(config)
    blinds = config.blind_list if any(config.blinds) else config.ante_list  # equal antes are equal blinds
    is_limit = config.structure == "limit"
    fields = {
        "numPlayers": (config.num_players,),
        "numRounds": (len(config.board_cards),),
        "stack": config.stack_list,
        "blind": blinds,
        "raiseSize": config.raise_sizes if is_limit else (),
        "firstPlayer": first_players(config),
        "maxRaises": config.max_raises or (),
        "numSuits": (config.num_suits,),
        "numRanks": (config.num_ranks,),
        "numHoleCards": (config.num_hole_cards,),
        "numBoardCards": config.board_cards,
    }
    written = [f"{name} = {_words(numbers)}" for name, numbers in fields.items() if numbers]
    return ["GAMEDEF", "limit" if is_limit else "nolimit", *written, "END GAMEDEF"]


def _words(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _check_describable(config: HoldemConfig) -> None:
    problem = ""
    if config.structure == "pot_limit":
        problem = "no pot-limit games"
    elif len(set(config.stack_list)) > 1:
        problem = "stacks by position, which move with the button where seats have different ones"
    elif any(config.blinds) and any(config.ante_list):
        problem = "no antes beside blinds"
    elif len(set(config.ante_list)) > 1:
        problem = "no antes that differ"
    elif config.profile.last_actor_opens:
        problem = "no streets that open left of the last actor (rules rlcard)"
    if problem:
        raise ValueError(f"ACPC logs have {problem}")


def card_shift(config: HoldemConfig) -> int:
    """Return the difference of the competition's card ids to ours; its small decks are the top ranks and suits."""
    return 4 * (13 - config.lowest_rank - config.num_ranks) + 4 - config.num_suits


def format_cards(config: HoldemConfig, holes: Iterable[Iterable[int]], streets: Iterable[Iterable[int]]) -> str:
    """Return the cards of a state: hole cards by position, then those of each later street. `NO_CARD` is left out."""
    shift = card_shift(config)

    def names(cards: Iterable[int]) -> str:
        return "".join(card_name(card + shift) for card in cards if card != NO_CARD)

    return "/".join(["|".join(map(names, holes)), *map(names, streets)])
