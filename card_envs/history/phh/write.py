"""Conversion of a hand of a match to the fields of a PHH `Hand`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from card_envs.games.holdem.config import HoldemConfig
from card_envs.history.hand_record import HandRecord
from card_envs.history.holdem_match import rules_name
from card_envs.history.phh.format import HOLDEM_VARIANTS, MAX_RAISES_FIELD, RULES_FIELD, Hand, action_text, hand_of

_VARIANTS = {structure: variant for variant, structure in HOLDEM_VARIANTS.items()}


def require_phh(config: HoldemConfig) -> None:
    """Raise ValueError for a game that PHH cannot describe."""
    small, big = config.raise_sizes[0], config.raise_sizes[-1]
    if not config.is_texas:
        raise ValueError("PHH has no code for games with other cards than Texas hold'em")
    if config.structure == "limit" and config.raise_sizes != (small, small, big, big):
        raise ValueError(f"PHH has a small and a big bet, not raise_sizes {config.raise_sizes}")
    rules_name(config)


def phh_of(hand: HandRecord, more: Mapping[str, Any]) -> Hand:
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
        "actions": list(map(action_text, hand.moves)),
        "hand": hand.number,
        "players": list(hand.names),
        "finishing_stacks": [stack + won for stack, won in zip(hand.stacks, hand.results["values"], strict=True)],
        RULES_FIELD: rules_name(config),
    }
    if is_limit:
        fields[MAX_RAISES_FIELD] = list(config.max_raises or ())
    return hand_of({**fields, **more}, f"hand {hand.number}")
