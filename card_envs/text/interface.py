"""`TextInterface`: a game in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from card_envs.features import Feature
from card_envs.game import NOBODY, Game
from card_envs.records import Tables


@dataclass(frozen=True)
class TextInterface:
    """Functions that describe a game in words and read actions from text; see `card_envs.text`."""

    rules: str
    """The rules of the game with its settings, in a few sentences; "" if they are not known."""
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


def find_text(game: Game) -> TextInterface:
    """Return the text interface of a game, or one made from its `text` and the names of its actions."""
    return TEXT.find(game) or _make_plain_text(game)


def _make_plain_text(game: Game) -> TextInterface:
    def read_action(tables: Tables, i: int, words: str) -> int:
        named = [action for action, name in action_names(game, tables, i).items() if name.lower() == words]
        if not named:
            raise ValueError("no legal action has this name")
        return named[0]

    return TextInterface(
        rules="",
        describe=lambda views, i, seat, verbose: [f"You are player_{seat}.", game.text(views, i, seat)],
        stage=lambda tables, i: "",
        describe_legal=lambda tables, i: ", ".join(action_names(game, tables, i).values()),
        describe_outcome=lambda tables, i: "",
        read_action=read_action,
    )


def action_names(game: Game, tables: Tables, i: int) -> dict[int, str]:
    """Return the actor's legal actions at table i: action id -> name, such as "raise to 6", in increasing order.

    Without an actor, the result is {}.
    """
    if int(tables["actor"][i]) == NOBODY:
        return {}
    return {action: game.action_name(tables, i, action) for action in game.legal_actions(tables, i)}
