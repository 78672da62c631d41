"""`TextInterface`: a game in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from card_envs.features import Feature
from card_envs.records import Tables


@dataclass(frozen=True)
class TextInterface:
    """Functions that describe a game in words and read actions from text; see `card_envs.text`."""

    rules: str
    """The rules of the game with its settings, in a few sentences."""
    describe: Callable[[Tables, int, int, bool], list[str]]
    """Function (views, i, seat, verbose) -> lines that describe table i; views are censored for `seat`."""
    stage: Callable[[Tables, int], str]
    """Function (tables, i) -> heading for the actions of this stage of the deal, such as "flop 7c 8c 2s", or ""."""
    describe_legal: Callable[[Tables, int], str]
    """Function (tables, i) -> the actor's legal actions in one line, with long lists and ranges shortened."""
    describe_outcome: Callable[[Tables, int], str]
    """Function (tables, i) -> public outcome of the deal, such as the hands of a showdown, or ""."""
    read_action: Callable[[Tables, int, str], int]
    """Function (tables, i, text in lower case) -> the legal action that the text names; ValueError if there is none."""


FORCED_MOVES: Feature[Callable[[Tables, int], list[tuple[int, str]]]] = Feature(
    "forced_moves", "card_envs.text", "list of forced moves"
)
"""Function (tables, i) -> seat and name of each move that the deal of table i has made itself, such as a blind; the
table is as it was dealt. Games without it have no such moves."""
TEXT: Feature[TextInterface] = Feature("text", "card_envs.text", "text interface")
"""The game in words; without it, tables are described by `Game.text` and actions are read by their names only."""
