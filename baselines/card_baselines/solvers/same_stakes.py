"""Whether a strategy that was found for one game can be played in another."""

from __future__ import annotations

from card_envs.games.holdem.config import HoldemConfig


def has_same_stakes(config: HoldemConfig, other: HoldemConfig) -> bool:
    """Return True if seats, rules, caps, and blinds and stacks in big blinds are the same; menus may differ."""
    return _list_stakes(config) == _list_stakes(other)


def _list_stakes(config: HoldemConfig) -> tuple[object, ...]:
    """Return blinds, antes, stacks and fixed raises in units of the smallest bet, the structure, caps and rules."""
    raises = config.raise_sizes if config.structure == "limit" else ()
    chips = (*config.blinds, *config.ante_list, *config.stack_list, *raises)
    return tuple(amount / config.min_bet for amount in chips), config.structure, config.max_raises, config.rules
