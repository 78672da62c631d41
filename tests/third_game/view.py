"""What one seat may see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from card_envs.compiler import kernel
from card_envs.game import NOBODY
from tests.third_game.state import NO_CARD, NUM_CARDS, NUM_SEATS


@kernel
def censor(t: Any, seat: Any) -> None:
    """Delete the cards that the others hold."""
    for other in range(NUM_SEATS):
        if other != seat:
            t.hand[other] = 0


def cards_in(cards: Any) -> list[int]:
    """Return the cards of a set, the lowest first."""
    return [card for card in range(NUM_CARDS) if int(cards) >> card & 1]


def words(cards: Iterable[int]) -> str:
    """Return cards as people call them."""
    return " ".join(str(card + 1) for card in cards) or "-"


def action_name(tables: Any, i: int, action: int) -> str:
    """Return what an action does: "play 7"."""
    return f"play {action + 1}"


def why_illegal(tables: Any, i: int, action: int) -> str:
    """Return why the actor may not take `action`, and what it may do."""
    t = tables[i]
    if t.actor == NOBODY:
        return f"action {action}: the deal is over; call reset()"
    return f"action {action} is no card that player_{t.actor} holds; legal: {cards_in(t.hand[t.actor])}"


def text(tables: Any, i: int, seat: int | None) -> str:
    """Return table i as lines of text."""
    t = tables[i]
    lines = [f"trick {min(t.num_tricks + 1, 4)} of 4, player_{t.leader} leads"]
    for k in range(NUM_SEATS):
        hand = words(cards_in(t.hand[k])) if seat is None or seat == k else "?"
        card = words([t.trick[k]] if t.trick[k] != NO_CARD else [])
        turn = " *" if t.actor == k else ""
        lines.append(f"player_{k}: holds {hand}, plays {card}, has {t.points[k]} points, won {t.payoff[k]}{turn}")
    return "\n".join(lines)
