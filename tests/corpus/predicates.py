"""Which random games to look at for a rule, how to play them, and how to tell that a hand shows the rule.

A hand has everything by position: 0 is the first seat left of the button, the last one the button (heads-up: the small
blind). Predicates read decisions, what was offered at them (`trace`), streets, chips behind, and payoffs.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker_hands import hand_rank
from tests.helpers.holdem_hands import Hand, OneTable, Options

Config = Callable[[random.Random], HoldemConfig]

CLASSES = ("straight flush", "four of a kind", "full house", "flush", "straight", "three", "two pair", "pair", "high")
_LAST_RANKS = (10, 166, 322, 1599, 1609, 2467, 3325, 6185, 7462)
"""The weakest rank of each class, as treys counts."""


class Event(NamedTuple):
    """One decision of a hand."""

    index: int
    street: int
    position: int
    kind: int
    raise_to: int
    options: Options
    behind: int
    """Chips left after it."""


def events(hand: Hand) -> list[Event]:
    return [
        Event(i, street, options.position, kind, raise_to, options, behind)
        for i, (street, (kind, raise_to), options, behind) in enumerate(
            zip(hand.streets, hand.decisions, hand.trace, hand.behind, strict=True)
        )
    ]


# --- games ------------------------------------------------------------------------------------------------------------


def no_limit(least: int, most: int, low: int, high: int, **settings: object) -> Config:
    """Seats, and the range of stacks in big blinds of 10 chips."""

    def config(rng: random.Random) -> HoldemConfig:
        n = rng.randint(least, most)
        stacks = tuple(rng.randint(10 * low, 10 * high) for _ in range(n))
        return replace(HoldemConfig.no_limit(n, stacks, 5, 10), **settings)  # type: ignore[arg-type]

    return config


def with_stacks(n: int, *stacks: tuple[int, int], **settings: object) -> Config:
    """Stacks by seat, each from a range of chips; seats beyond the last take its range."""

    def config(rng: random.Random) -> HoldemConfig:
        ranges = [*stacks, *[stacks[-1]] * (n - len(stacks))]
        chosen = tuple(rng.randint(*chips) for chips in ranges)
        return replace(HoldemConfig.no_limit(n, chosen, 5, 10), **settings)  # type: ignore[arg-type]

    return config


def limit(least: int, most: int, stack: int = 10_000, rules: str = "standard") -> Config:
    """Deep stacks, so that OpenSpiel can play it too; blinds of 1 and 2, bets of 2 and 4, capped at four."""
    return lambda rng: HoldemConfig.limit(rng.randint(least, most), stack, max_raises=(4, 4, 4, 4), rules=rules)


def short_limit(rng: random.Random) -> HoldemConfig:
    n = rng.randint(3, 5)
    stacks = tuple(rng.randint(3, 30) for _ in range(n))
    return HoldemConfig.limit(n, stacks, 2, 4, max_raises=(4, 4, 4, 4))


# --- ways to play -----------------------------------------------------------------------------------------------------


def calls(rng: random.Random, table: OneTable, options: Options) -> tuple[int, int]:
    """Call, with a small raise now and then."""
    if options.raise_to is not None and rng.random() < 0.12:
        return RAISE, options.raise_to[0]
    return CALL, 0


def raises(rng: random.Random, table: OneTable, options: Options) -> tuple[int, int]:
    """Raise more often than not, mostly by little."""
    if options.raise_to is not None and rng.random() < 0.7:
        low, high = options.raise_to
        return RAISE, min(high, low + rng.choice((0, 0, 1, 7, 30)))
    return (FOLD, 0) if options.may_fold and rng.random() < 0.1 else (CALL, 0)


def all_in(rng: random.Random, table: OneTable, options: Options) -> tuple[int, int]:
    """Put everything in, or call."""
    if options.raise_to is not None and rng.random() < 0.5:
        return RAISE, options.raise_to[1]
    return CALL, 0


def folds(rng: random.Random, table: OneTable, options: Options) -> tuple[int, int]:
    """Fold a third of the time, so that blinds of others lie in the pot."""
    if options.may_fold and rng.random() < 0.3:
        return FOLD, 0
    return calls(rng, table, options)


# --- what happened ----------------------------------------------------------------------------------------------------


def is_showdown(hand: Hand) -> bool:
    return hand.folded.count(False) > 1


def ranks(hand: Hand) -> dict[int, int]:
    """Rank of the hand of every position that did not fold; lower is better."""
    return {
        position: hand_rank([*cards, *hand.board])
        for position, cards in enumerate(hand.hole_cards)
        if not hand.folded[position]
    }


def class_of(rank: int) -> str:
    return next(name for name, last in zip(CLASSES, _LAST_RANKS, strict=True) if rank <= last)


def classes(hand: Hand) -> list[str]:
    """Classes of the hands that are compared, best first."""
    return [class_of(rank) for rank in sorted(ranks(hand).values())] if is_showdown(hand) else []


def pots(hand: Hand) -> list[tuple[int, list[int]]]:
    """(chips, positions that may win them) of every pot of a showdown, the main pot first; no dead antes."""
    levels = sorted({hand.commits[p] for p in range(len(hand.stacks)) if not hand.folded[p]})
    found: list[tuple[int, list[int]]] = []
    for below, level in zip([0, *levels], levels, strict=False):
        chips = sum(min(paid, level) - min(paid, below) for paid in hand.commits)
        contenders = [p for p in range(len(hand.stacks)) if not hand.folded[p] and hand.commits[p] >= level]
        found.append((chips, contenders))
    return [pot for pot in found if len(pot[1]) > 1]


def winners(hand: Hand, contenders: list[int]) -> list[int]:
    rank = ranks(hand)
    best = min(rank[p] for p in contenders)
    return [p for p in contenders if rank[p] == best]


def odd_chips(hand: Hand, winner_count: int, side: bool = False) -> bool:
    """True if the main pot (or a side pot) leaves odd chips among so many winners."""
    if not is_showdown(hand):
        return False
    found = pots(hand)[1:] if side else pots(hand)[:1]
    return any(len(winners(hand, who)) == winner_count and chips % winner_count for chips, who in found)


def short_all_ins(hand: Hand) -> Iterator[tuple[Event, int]]:
    """Yield raises all-in that are below a full raise, with the raise that would have been full."""
    bet, full, street = max(hand.config.blinds), hand.config.min_bet, 0
    for event in events(hand):
        if event.street != street:
            bet, full, street = 0, hand.config.min_bet, event.street
        if event.kind != RAISE:
            continue
        if event.behind == 0 and event.raise_to - bet < full and bet > 0:
            yield event, full
        else:
            full = max(full, event.raise_to - bet)
        bet = event.raise_to


def acted_before(hand: Hand, later: Event, since: Event) -> bool:
    """True if the player of `later` acted on that street before `since`, and again at `later` is its next turn."""
    same = [e for e in events(hand) if e.street == later.street and e.position == later.position]
    return any(e.index < since.index for e in same) and not any(since.index < e.index < later.index for e in same)


def faces_short_all_in(hand: Hand, may_raise: bool) -> bool:
    """True if somebody who acted before a short all-in, and has chips to raise, may (not) raise after it."""
    for short, _ in short_all_ins(hand):
        for event in events(hand)[short.index + 1 :]:
            if event.street != short.street or event.kind == RAISE:
                break
            chips = event.options.to_call < event.behind and others_have_chips(hand, event)
            if chips and acted_before(hand, event, short) and (event.options.raise_to is not None) == may_raise:
                return True
    return False


def others_have_chips(hand: Hand, event: Event) -> bool:
    """True if somebody else who is in the hand has chips behind at a decision."""
    behind = dict(enumerate(hand.stacks))
    folded = set()
    for earlier in events(hand)[: event.index]:
        behind[earlier.position] = earlier.behind
        if earlier.kind == FOLD:
            folded.add(earlier.position)
    return any(chips > 0 and p != event.position and p not in folded for p, chips in behind.items())


def adds_up(hand: Hand) -> bool:
    """True if two short all-ins on one street let somebody raise who had acted before both."""
    short = [event for event, _ in short_all_ins(hand)]
    for first, second in itertools.pairwise(short):
        if first.street != second.street:
            continue
        for event in events(hand)[second.index + 1 :]:
            if event.street != second.street or event.kind == RAISE:
                break
            if acted_before(hand, event, first) and event.options.raise_to is not None:
                return True
    return False
