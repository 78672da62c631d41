"""Conversion of a hand of a match to the fields of a PHH `Hand`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from card_envs.cards import card_name
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD
from card_envs.history.holdem_hand import HoldemHand, rules_name
from card_envs.history.phh.format import HOLDEM_VARIANTS, MAX_RAISES_FIELD, RULES_FIELD, Hand, hand_of

_VARIANTS = {structure: variant for variant, structure in HOLDEM_VARIANTS.items()}


def require_phh(config: HoldemConfig) -> None:
    """Raise ValueError for a game that PHH cannot describe."""
    small, big = config.raise_sizes[0], config.raise_sizes[-1]
    if not config.is_texas:
        raise ValueError("PHH has no code for games with other cards than Texas hold'em")
    if config.structure == "limit" and config.raise_sizes != (small, small, big, big):
        raise ValueError(f"PHH has a small and a big bet, not raise_sizes {config.raise_sizes}")
    rules_name(config)


def phh_of(hand: HoldemHand, more: Mapping[str, Any]) -> Hand:
    """Return a hand as PHH, with the further fields `more`, such as the event."""
    config, n = hand.config, hand.config.num_players
    antes = config.ante_list
    is_limit = config.structure == "limit"
    fields: dict[str, Any] = {
        "variant": _VARIANTS[config.structure],
        "ante_trimming_status": not config.profile.dead_antes,
        "antes": antes[::-1] if n == 2 else antes,  # PHH gives the forced bets of two players in reverse
        "blinds_or_straddles": [*config.blinds, *[0] * (n - len(config.blinds))],
    }
    if is_limit:
        fields |= {"small_bet": config.raise_sizes[0], "big_bet": config.raise_sizes[-1]}
    else:
        fields |= {"min_bet": config.min_bet}
    fields |= {
        "starting_stacks": list(hand.stacks),
        "actions": list(_actions(hand)),
        "hand": hand.number,
        "players": list(hand.players),
        "finishing_stacks": [stack + won for stack, won in zip(hand.stacks, hand.payoffs, strict=True)],
        RULES_FIELD: rules_name(config),
    }
    if is_limit:
        fields[MAX_RAISES_FIELD] = list(config.max_raises or ())
    return hand_of({**fields, **more}, f"hand {hand.number}")


def _actions(hand: HoldemHand) -> Iterator[str]:
    for position, cards in enumerate(hand.hole_cards):
        yield f"d dh p{position + 1} {_names(cards)}"
    street = 0
    for decision in hand.decisions:
        while street < decision.street:
            street += 1
            yield f"d db {_names(hand.board_by_street[street])}"
        yield _action(decision.position + 1, decision.kind, decision.raise_to)
    for cards in hand.board_by_street[street + 1 :]:
        yield f"d db {_names(cards)}"
    if hand.is_showdown:
        for position, cards in enumerate(hand.hole_cards):
            if not hand.folded[position]:
                yield f"p{position + 1} sm {_names(cards)}"


def _action(player: int, kind: int, raise_to: int) -> str:
    return f"p{player} f" if kind == FOLD else f"p{player} cc" if kind == CALL else f"p{player} cbr {raise_to}"


def _names(cards: tuple[int, ...]) -> str:
    return "".join(map(card_name, cards))
