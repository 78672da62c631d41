"""The configuration of the table that replays a PHH hand: game, rules, and the value of a chip."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any

from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RULES, RulesProfile, profile_of
from card_envs.games.holdem.state import MAX_CHIPS, MAX_SEATS, TEXAS_BOARD
from card_envs.history.phh.format import HOLDEM_VARIANTS, MAX_RAISES_FIELD, RULES_FIELD, Hand
from card_envs.history.results import SKIPPED, Number, Stop

LIMIT_RAISES = 4
"""Maximum number of bets and raises on a street of limit hold'em, without the big blind, as in PokerKit."""

_CENTS = 2
"""Decimal places of an amount with fractions."""


@lru_cache(maxsize=1024)
def template_of(
    variant: str,
    blinds: tuple[int, ...],
    antes: tuple[int, ...],
    bets: tuple[int, ...],
    max_raises: tuple[int, ...] | None,
    profile: RulesProfile,
) -> tuple[HoldemConfig, Any]:
    """Return the configuration of a game, and a read-only table to copy; amounts are in chips of our tables."""
    small, big = bets[0], bets[-1]
    try:
        config = HoldemConfig(
            structure=HOLDEM_VARIANTS[variant],
            num_players=len(blinds),
            blinds=blinds,
            antes=antes[::-1] if len(antes) == 2 else antes,  # PHH gives the forced bets of two players in reverse
            min_bet=small,
            raise_sizes=(small, small, big, big),
            max_raises=max_raises,
            rules=profile,
            chips_per_reward=small,
        )
    except ValueError as error:
        raise Stop(SKIPPED, f"our tables cannot play it: {error}") from None
    tables = config.new_tables(1)
    tables.flags.writeable = False
    return config, tables


def chip_scale(hand: Hand) -> int | Fraction:
    """Return the number of our chips per unit of the file.

    This is 1 for whole amounts, 100 or more for fractions, and below 1 for stacks that exceed `MAX_CHIPS`.
    """
    amounts = [*_sum_forced_bets(hand), *hand.fields["starting_stacks"], *(move.amount for move in hand.moves)]
    amounts += [move.stated for move in hand.moves if move.stated is not None]
    amounts += [*hand.returned, hand.pot or 0]
    scale: int | Fraction = 1
    if any(type(amount) is not int for amount in amounts):
        places = max(Fraction(amount).denominator for amount in amounts)
        if places > 1:
            digits = max(-int(Decimal(amount).normalize().as_tuple().exponent) for amount in amounts)
            scale = 10 ** max(_CENTS, digits)
    if max(hand.fields["starting_stacks"]) * scale > MAX_CHIPS:
        scale = Fraction(scale, gcd(*(int(amount * scale) for amount in amounts)))
    return scale


def _sum_forced_bets(hand: Hand) -> list[Number]:
    fields = hand.fields
    bets = [fields[name] for name in ("min_bet", "small_bet", "big_bet") if name in fields]
    return [*fields["antes"], *fields["blinds_or_straddles"], *bets]


def check_playable(hand: Hand) -> None:
    """Raise `Stop` with SKIPPED for a hand that our tables do not play."""
    if hand.variant not in HOLDEM_VARIANTS:
        raise Stop(SKIPPED, f"variant {hand.variant!r} is not among those replayed: {', '.join(HOLDEM_VARIANTS)}")
    if hand.num_players > MAX_SEATS:
        raise Stop(SKIPPED, f"{hand.num_players} players are more than the {MAX_SEATS} seats of our tables")
    if min(hand.fields["blinds_or_straddles"]) < 0:
        raise Stop(SKIPPED, "negative blinds (posts of players who join) are not replayed")
    amounts = [*_sum_forced_bets(hand), *hand.fields["starting_stacks"]]
    for name in ("finishing_stacks", "winnings"):
        amounts += hand.fields.get(name, ())
    if max(amounts) == Decimal("Infinity"):
        raise Stop(SKIPPED, "an amount is unknown (inf)")


def max_raises_of(hand: Hand) -> tuple[int, ...] | None:
    """Return the caps on raises of a limit game by street; None for games without caps."""
    caps = hand.fields.get(MAX_RAISES_FIELD, [LIMIT_RAISES] * len(TEXAS_BOARD)) if hand.variant == "FT" else []
    return tuple(caps) or None


def rules_of(hand: Hand) -> str:
    """Return the name of the rules profile of a hand, by default `standard`."""
    name: str = hand.fields.get(RULES_FIELD, "standard")
    if name not in RULES:
        raise Stop(SKIPPED, f"field {RULES_FIELD!r}: rules {name!r} are not known: {', '.join(sorted(RULES))}")
    return name


@lru_cache(maxsize=64)
def profile_with_antes(rules: str | RulesProfile, trims_antes: bool) -> RulesProfile:
    """Return a rules profile with the ante rule of a hand; ValueError for an unknown name."""
    return replace(profile_of(rules), dead_antes=not trims_antes)
