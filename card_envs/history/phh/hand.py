"""`Hand`: one hand of a PHH file, and its conversion to a `HandRecord`: game, rules, the value of a chip, the cards."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from hashlib import sha256
from math import gcd, lcm
from typing import Any, NoReturn

from card_envs.cards import NO_CARD, card_name, card_names
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RULES, RulesProfile, profile_of
from card_envs.games.holdem.state import MAX_CHIPS, MAX_SEATS, TEXAS_BOARD
from card_envs.history.hand_record import DEAL_BOARD, DEAL_HOLE, SHOW, HandRecord, Move
from card_envs.history.holdem_format import HoldemHand
from card_envs.history.results import MISMATCHED, SKIPPED, Number, Stop
from card_envs.poker.hands import BOARD_SIZE, HOLE_CARDS

__all__ = ["Hand"]

HOLDEM_VARIANTS = {"NT": "no_limit", "FT": "limit", "PT": "pot_limit"}
"""Variants that can be replayed -> betting structure. PT (pot limit) is an addition to PHH 1."""
BETS = {"NT": ("min_bet",), "PT": ("min_bet",), "FT": ("small_bet", "big_bet")}
"""Fields with the sizes of bets of each of these variants."""
OTHER_VARIANTS = ("NS", "PO", "FO/8", "F7S", "F7S/8", "FR", "N2L1D", "F2L3D", "FB")  # codespell:ignore
"""Other variants of PHH 1, which can be read and written but not replayed."""

RULES_FIELD, MAX_RAISES_FIELD = "_rules", "_max_raises"
"""Fields for the rules profile, and for the caps on raises by street. PHH reserves names with "_" for additions."""

LIMIT_RAISES = 4
"""Maximum number of bets and raises on a street of limit hold'em, without the big blind, as in PokerKit."""

_CENTS = 2
"""Decimal places of an amount with fractions."""


@dataclass(frozen=True)
class Hand(HoldemHand):
    """One recorded hand. Lists by player begin with p1, the first seat left of the button, and end with the button."""

    fields: Mapping[str, Any]
    """All fields in the order of the file; fractions are `Decimal`, exactly as written."""
    moves: tuple[Move, ...]
    """The parsed field `actions`; empty for `OTHER_VARIANTS`."""
    source: str
    """File of the hand, and its section in a .phhs file."""

    @property
    def variant(self) -> str:
        """Code of the variant, such as "NT"."""
        return str(self.fields["variant"])

    @property
    def identity(self) -> Hashable:
        """A hash of all fields, since numbers are not unique; None for a hand without a number.

        It is the same in every process, unlike `hash`.
        """
        return sha256(repr(self.fields).encode("utf-8", "replace")).digest() if "hand" in self.fields else None

    @property
    def actions(self) -> list[str]:
        """Actions as the file writes them."""
        return list(self.fields["actions"])

    @property
    def num_players(self) -> int:
        """Number of players in the hand."""
        return len(self.fields["starting_stacks"])

    @property
    def bets(self) -> list[Number]:
        """Size of the smallest bet, or in limit games of the small and the big bet."""
        return [self.fields[name] for name in BETS[self.variant]]

    @property
    def stakes(self) -> list[Number]:
        """Antes, blinds, bets and stacks."""
        fields = self.fields
        return [*fields["antes"], *fields["blinds_or_straddles"], *self.bets, *fields["starting_stacks"]]

    @property
    def amounts(self) -> list[Number]:
        """All amounts that the replay counts in chips of our tables."""
        return [*self.stakes, *(move.amount for move in self.moves)]

    def to_record(self, rules: str | RulesProfile | None = None) -> HandRecord:
        """Return the hand in terms of the engine; `Stop` for a hand that our tables do not play.

        Amounts with fractions are counted in units of a hundredth or smaller, stacks above `MAX_CHIPS` in the largest
        common unit of the amounts.

        Args:
            rules: Rules profile or its name; None for the profile that the hand names, else `standard`. The hand, not
                the profile, says whether antes are trimmed.
        """
        _check_playable(self)
        fields, scale = self.fields, _chip_scale(self)
        chips = partial(_to_chips, scale)
        stacks = chips(fields["starting_stacks"])
        if max(stacks) > MAX_CHIPS:
            counted = f", of 1/{scale} each for amounts with fractions" if scale > 1 else ""
            raise Stop(SKIPPED, f"a stack is larger than {MAX_CHIPS} chips, the most that our tables count{counted}")
        named = fields.get(RULES_FIELD, "standard")
        if rules is None and named not in RULES:
            known = ", ".join(sorted(RULES))
            raise Stop(SKIPPED, f"field {RULES_FIELD!r}: rules {named!r} are not known: {known}")
        caps = fields.get(MAX_RAISES_FIELD, [LIMIT_RAISES] * len(TEXAS_BOARD)) if self.variant == "FT" else []
        config = _config_of(
            self.variant,
            chips(fields["blinds_or_straddles"]),
            chips(fields["antes"]),
            chips(self.bets),
            tuple(caps) or None,
            named if rules is None else rules,
            bool(fields.get("ante_trimming_status", False)),
        )
        return HandRecord(
            source=self.source,
            config=config,
            stacks=stacks,
            known=tuple(_cards_in_deck_order(self)),
            moves=self.moves,
            texts=tuple(fields["actions"]),
            results={name: fields[name] for name in ("finishing_stacks", "winnings") if name in fields},
            names=tuple(map(str, fields.get("players", ()))),
            scale=scale,
        )


def _to_chips(scale: int | Fraction, amounts: Sequence[Number]) -> tuple[int, ...]:
    return tuple(map(int, amounts)) if scale == 1 else tuple(int(Fraction(amount) * scale) for amount in amounts)


@lru_cache(maxsize=1024)
def _config_of(
    variant: str,
    blinds: tuple[int, ...],
    antes: tuple[int, ...],
    bets: tuple[int, ...],
    max_raises: tuple[int, ...] | None,
    rules: str | RulesProfile,
    trims_antes: bool,
) -> HoldemConfig:
    """Return the configuration of a game; amounts are in chips of our tables. ValueError for unknown rules."""
    small, big = bets[0], bets[-1]
    profile = replace(profile_of(rules), dead_antes=not trims_antes)
    try:
        return HoldemConfig(
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


def _chip_scale(hand: Hand) -> int | Fraction:
    """Return the number of our chips per unit of the file.

    This is 1 for whole amounts, 100 or more for fractions, and below 1 for stacks that exceed `MAX_CHIPS`.
    """
    amounts = hand.amounts
    scale: int | Fraction = 1
    units = lcm(*(Fraction(amount).denominator for amount in amounts if type(amount) is not int))
    if units > 1:
        scale = 10**_CENTS
        while scale % units:
            scale *= 10
    if max(hand.fields["starting_stacks"]) * scale > MAX_CHIPS:
        scale = Fraction(scale, gcd(*_to_chips(scale, amounts)))
    return scale


def _check_playable(hand: Hand) -> None:
    """Raise `Stop` with SKIPPED for a hand that our tables do not play."""
    if hand.variant not in HOLDEM_VARIANTS:
        raise Stop(SKIPPED, f"variant {hand.variant!r} is not among those replayed: {', '.join(HOLDEM_VARIANTS)}")
    if hand.num_players > MAX_SEATS:
        raise Stop(SKIPPED, f"{hand.num_players} players are more than the {MAX_SEATS} seats of our tables")
    if min(hand.fields["blinds_or_straddles"]) < 0:
        raise Stop(SKIPPED, "negative blinds (posts of players who join) are not replayed")
    amounts = hand.stakes
    for name in ("finishing_stacks", "winnings"):
        amounts += hand.fields.get(name, ())
    if max(amounts) == Decimal("Infinity"):
        raise Stop(SKIPPED, "an amount is unknown (inf)")


# --- cards ------------------------------------------------------------------------------------------------------------


def _cards_in_deck_order(hand: Hand) -> list[int]:
    """Return the card ids of a hand in the order of the deck field; NO_CARD for unknown cards."""
    n = hand.num_players
    holes: list[tuple[int, ...]] = [()] * n
    board: tuple[int, ...] = ()
    for index, move in enumerate(hand.moves):
        kind, seat, cards = move.kind, move.seat, move.cards
        if kind == DEAL_BOARD:
            board += cards
        elif kind == DEAL_HOLE:
            holes[seat] += cards
            if len(holes[seat]) > HOLE_CARDS:
                _stop_cards(hand, index, f"p{seat + 1} has {len(holes[seat])} hole cards; hold'em is played with 2")
        elif kind == SHOW and cards:
            holes[seat] = _find_shown_cards(hand, index, holes[seat], cards)
    deck = [card for hole in holes for card in (*hole, *[NO_CARD] * (HOLE_CARDS - len(hole)))]
    deck += board[:BOARD_SIZE]
    deck += [NO_CARD] * (HOLE_CARDS * n + BOARD_SIZE - len(deck))
    known = [card for card in deck if card != NO_CARD]
    if len(set(known)) < len(known):
        _stop_at_double(hand)
    return deck


def _find_shown_cards(hand: Hand, index: int, dealt: tuple[int, ...], shown: tuple[int, ...]) -> tuple[int, ...]:
    """Return the hole cards of a seat after it showed cards; both `dealt` and `shown` may contain NO_CARD."""
    if len(shown) != 2:
        _stop_cards(hand, index, f"{len(shown)} cards are shown; hold'em is played with 2")
    known = {card for card in dealt if card != NO_CARD}
    seen = {card for card in shown if card != NO_CARD}
    if len(seen) < 2 and NO_CARD not in shown:
        _stop_cards(hand, index, "one card is shown twice")
    if len(known | seen) > 2:
        _stop_cards(hand, index, f"the hand was dealt {card_names(dealt)}")
    if known >= seen and len(known) == len(dealt):
        return dealt
    both = tuple(sorted(known | seen))
    return (*both, *[NO_CARD] * (2 - len(both)))


def _stop_at_double(hand: Hand) -> NoReturn:
    seen: dict[int, int] = {}
    for index, move in enumerate(hand.moves):
        cards = move.cards
        for card in cards if move.kind in (DEAL_HOLE, DEAL_BOARD) else ():
            if card != NO_CARD and card in seen:
                _stop_cards(hand, index, f"{card_name(card)} was dealt before, by action {seen[card] + 1}")
            seen[card] = index
    index = max(index for index, move in enumerate(hand.moves) if move.kind == SHOW)
    _stop_cards(hand, index, "a shown card was dealt to another player")


def _stop_cards(hand: Hand, index: int, reason: str) -> NoReturn:
    text = hand.fields["actions"][index]
    raise Stop(MISMATCHED, f"action {index + 1} '{text}' is not possible: {reason}", index)
