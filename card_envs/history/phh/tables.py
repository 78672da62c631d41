"""Which of our tables plays a recorded hand: game, rules, the size of a chip; or why none does."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any

from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RULES, RulesProfile
from card_envs.games.holdem.state import MAX_CHIPS, MAX_SEATS
from card_envs.history.phh.format import HOLDEM_VARIANTS, MAX_RAISES_FIELD, RULES_FIELD, Hand, Number
from card_envs.history.results import SKIPPED, Stop

LIMIT_RAISES = 4
"""Bets and raises on a street of limit hold'em, as PokerKit counts them: the blind is none."""

BOARD = (0, 3, 1, 1)
"""Cards that come on each street."""
_CENTS = 2


@lru_cache(maxsize=1024)
def template_of(
    variant: str,
    blinds: tuple[int, ...],
    antes: tuple[int, ...],
    bets: tuple[int, ...],
    max_raises: tuple[int, ...] | None,
    profile: RulesProfile,
) -> tuple[HoldemConfig, Any]:
    """Return the game of a hand, and a table of it that nobody can write to."""
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
            board_cards=BOARD,
            chips_per_reward=small,
        )
    except ValueError as error:
        raise Stop(SKIPPED, f"our tables cannot play it: {error}") from None
    tables = config.new_tables(1)
    tables.flags.writeable = False
    return config, tables


def chip_scale(hand: Hand) -> int | Fraction:
    """Return our chips per unit of the file: 1 for whole amounts, 100 or more for fractions, less for huge stacks."""
    amounts = [*_sum_forced_bets(hand), *hand.fields["starting_stacks"], *(move.amount for move in hand.moves)]
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
    """Stop with SKIPPED where the hand is of a kind that our tables do not play."""
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
    """Return the caps of a limit game by street, None without caps and in other games."""
    caps = hand.fields.get(MAX_RAISES_FIELD, [LIMIT_RAISES] * len(BOARD)) if hand.variant == "FT" else []
    return tuple(caps) or None


def rules_of(hand: Hand) -> str:
    """Return the name of the rules profile that a file asks for."""
    name: str = hand.fields.get(RULES_FIELD, "standard")
    if name not in RULES:
        raise Stop(SKIPPED, f"field {RULES_FIELD!r}: rules {name!r} are not known: {', '.join(sorted(RULES))}")
    return name


@lru_cache(maxsize=64)
def profile_of(rules: str | RulesProfile, trims_antes: bool) -> RulesProfile:
    """Return a rules profile with the treatment of antes that a hand names; ValueError for an unknown name."""
    if isinstance(rules, str) and rules not in RULES:
        raise ValueError(f"rules {rules!r} are not known: choose one of {sorted(RULES)}")
    return replace(RULES[rules] if isinstance(rules, str) else rules, dead_antes=not trims_antes)
