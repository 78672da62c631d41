"""Random hands under the rules profile `acpc`: our engine, OpenSpiel's universal_poker, and where they differ."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

from card_envs.games.holdem.config import HoldemConfig
from card_envs.poker_hands import hand_rank
from tests.helpers.holdem_hands import Hand, Options, choose_all_in_often, choose_any, random_hand

ORACLE = Path(__file__).parent / "oracles" / "openspiel_hands.py"
SMALL_BLIND, BIG_BLIND = 50, 100
DEEP = 10_000


def no_limit(rng: random.Random, num_players: int, stacks: str) -> HoldemConfig:
    kinds = (
        lambda: rng.randint(BIG_BLIND, 3 * BIG_BLIND),
        lambda: rng.randint(BIG_BLIND, 10 * BIG_BLIND),
        lambda: rng.randint(10 * BIG_BLIND, 30 * BIG_BLIND),
    )
    uneven = tuple(rng.choice(kinds)() for _ in range(num_players))
    equal = rng.choice((1, 2, 10, 100)) * BIG_BLIND
    return HoldemConfig.no_limit(
        num_players, uneven if stacks == "uneven" else equal, SMALL_BLIND, BIG_BLIND, rules="acpc"
    )


def settle(hand: Hand, whole: bool) -> list[Fraction]:
    """Return the payoffs; odd chips are paid in fractions, or whole to the first winner left of the button."""
    ranks = [hand_rank([*cards, *hand.board]) for cards in hand.hole_cards]
    unpaid, players = list(hand.commits), range(len(hand.stacks))
    payoffs = [Fraction(-chips) for chips in hand.commits]
    while any(unpaid):
        live = [p for p in players if unpaid[p] and not hand.folded[p]]
        best = min(ranks[p] for p in live) if len(live) > 1 else None
        winners = [p for p in live if best is None or ranks[p] == best]
        level = min(unpaid[p] for p in winners) if hand.folded.count(False) > 1 else max(unpaid)
        pot = sum(min(chips, level) for chips in unpaid)
        unpaid = [max(0, chips - level) for chips in unpaid]
        for p in winners:
            payoffs[p] += pot // len(winners) if whole else Fraction(pot, len(winners))
        payoffs[winners[0]] += pot % len(winners) if whole else 0
    return payoffs


def ask_openspiel(hands: list[Hand], as_it_is: bool = False) -> list[dict[str, Any]]:
    """Return what a process of its own finds; `as_it_is`: with raises that nobody could call."""
    questions = [
        {
            "structure": hand.config.structure,
            "stacks": hand.stacks,
            "blinds": hand.config.blind_list,
            "raise_sizes": hand.config.raise_sizes,
            "max_raises": hand.config.max_raises,
            "hole_cards": hand.hole_cards,
            "board": hand.board,
            "decisions": [d for d, options in zip(hand.decisions, hand.trace, strict=True) if is_choice(options)],
            "as_it_is": as_it_is,
        }
        for hand in hands
    ]
    process = subprocess.run(
        [sys.executable, ORACLE], input=json.dumps(questions), capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)  # type: ignore[no-any-return]


def is_choice(options: Options) -> bool:
    return options.may_fold or options.to_call > 0 or options.raise_to is not None


def difference(hand: Hand, found: dict[str, Any]) -> str | None:
    """Return where OpenSpiel disagrees with our engine, None if nowhere."""
    ours = [list(options) for options in hand.trace if is_choice(options)]
    theirs = [[*options[:3], tuple(options[3]) if options[3] else None] for options in found["trace"]]
    if hand.config.structure == "limit":  # OpenSpiel's ids there say nothing about amounts
        ours, theirs = ([[*options[:3], options[3] is not None] for options in trace] for trace in (ours, theirs))
    for number, (our, their) in enumerate(zip(ours, theirs, strict=False)):
        if our != their:
            return f"decision {number}: {our} here, {their} in OpenSpiel; {hand}"
    if len(ours) != len(theirs) or found["refused"]:
        return f"{len(theirs)} decisions in OpenSpiel, {found['refused']} refused; {hand}"
    expected = settle(hand, whole=False)
    if any(abs(own - other) > 1e-6 for own, other in zip(expected, found["returns"], strict=True)):
        return f"returns {found['returns']} in OpenSpiel; {hand}"
    return None if hand.payoffs == settle(hand, whole=True) else f"payoffs of our engine; {hand}"


def differences(configs: list[HoldemConfig], seed: int) -> list[str]:
    rng = random.Random(seed)
    hands = [random_hand(rng, config, rng.choice((choose_any, choose_all_in_often))) for config in configs]
    found = map(difference, hands, ask_openspiel(hands))
    return [text for text in found if text]
