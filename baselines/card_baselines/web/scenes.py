"""Scenes: a table as JSON for a page, with shapes and text made from what its seat may see."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from card_envs.cards import NO_CARD
from card_envs.game import Game, Tables
from card_envs.rendering.pictures import PICTURE

_PLAYER = re.compile(r"\bplayer_(\d+)\b")

Scene = dict[str, Any]
"""A table as JSON: see `make_scene`."""


@dataclass(frozen=True)
class Move:
    """An action at a table, in words."""

    seat: int
    action: str
    is_forfeit: bool = False
    """Whether the agent failed, so that the first legal action was taken."""
    is_forced: bool = False
    """Whether the deal made the move, such as a blind."""


def make_scene(
    game: Game, tables: Tables, seat: int | None, names: Sequence[str], reveal_at_end: bool = False
) -> Scene:
    """Return a single table as JSON.

    Args:
        game: The game.
        tables: (1,) the table.
        seat: Seat whose view is shown; None for all cards.
        names: Names of the players, by seat.
        reveal_at_end: Whether all cards are shown when the deal is over, in games whose players show their hands.

    Returns:
        The keys picture and narrow (the same for a narrow screen), each with size and shapes (see
        `card_envs.canvas.Canvas.to_json`), or null for a game without it; text, seat, names, actor (-1 when the hand is
        over), over, payoffs (by seat), cards (of the seat), choices (empty unless the seat is to act).
    """
    is_revealed = reveal_at_end and game.info.shows_hands_at_end and bool(tables["is_over"][0])
    views = tables if seat is None or is_revealed else game.views(tables, [0], [seat])
    private_cards = game.info.private_cards
    held = [] if seat is None or private_cards is None else private_cards(views, 0, seat)
    actor = int(views["actor"][0])
    return {
        "picture": _paint(game, views, seat, names, narrow=False),
        "narrow": _paint(game, views, seat, names, narrow=True),
        "text": insert_names(game.text(views, 0, None if is_revealed else seat), names),
        "seat": seat,
        "names": list(names),
        "actor": actor,
        "over": bool(views["is_over"][0]),
        "payoffs": [won / game.chips_per_reward for won in views["payoff"][0, : game.num_seats].tolist()],
        "cards": [card for card in held if card != NO_CARD],
        "choices": list_choices(game, views) if actor == seat else [],
    }


def _paint(game: Game, views: Tables, seat: int | None, names: Sequence[str], narrow: bool) -> dict[str, Any] | None:
    painting = PICTURE.find(game)
    if painting is None:
        return None
    canvas = painting(views, seat, names, narrow)
    return {"size": list(canvas.size), "shapes": canvas.to_json()}


def insert_names(text: str, names: Sequence[str]) -> str:
    """Return a text with names in place of player_0, player_1 ..."""
    return _PLAYER.sub(lambda found: names[int(found[1])], text)


def list_choices(game: Game, tables: Tables) -> list[dict[str, Any]]:
    """Return the legal actions of the actor as JSON.

    Each entry has the keys action, name, cards (played by it), raise_to (null if it raises nothing) and count. Raises
    whose amounts differ by one chip are one entry: its k-th has `action` + k and `raise_to` + k.
    """
    found: list[dict[str, Any]] = []
    for action in game.legal_actions(tables, 0):
        parts = game.info.action_parts(tables, 0, action)
        if found and parts.raise_to is not None and _continues(found[-1], action, parts.raise_to):
            found[-1]["count"] += 1
            continue
        found.append(
            {
                "action": action,
                "name": game.action_name(tables, 0, action),
                "cards": list(parts.cards),
                "raise_to": parts.raise_to,
                "count": 1,
            }
        )
    return found


def _continues(entry: dict[str, Any], action: int, raise_to: int) -> bool:
    count = entry["count"]
    return entry["raise_to"] is not None and (entry["action"] + count, entry["raise_to"] + count) == (action, raise_to)
