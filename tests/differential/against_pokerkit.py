"""Random hands of every kind that PokerKit plays, in our engine and in PokerKit, and where the two differ."""

from __future__ import annotations

import random
from dataclasses import replace

from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RULES
from tests.differential.oracles import pokerkit_hands
from tests.helpers.holdem_hands import Hand, choose_all_in_often, choose_any, random_hand, random_stacks

BLINDS = ((1, 2), (5, 10), (2, 5), (50, 100), (1, 2, 4), (3, 3))
STRUCTURES = ("no_limit", "pot_limit", "limit")
ANTES = ("none", "dead", "live", "big_blind")
UNEVEN = "live_uneven"
"""Live antes that differ from seat to seat: not all of these hands are settled alike, see docs/rules.md."""


def random_config(rng: random.Random, structure: str, antes: str) -> HoldemConfig:
    num_players = rng.randint(2, 9)
    blinds = rng.choice([blinds for blinds in BLINDS if len(blinds) <= num_players])
    big = blinds[1]
    ante = rng.randint(1, big)
    amounts: int | tuple[int, ...] = 0 if antes == "none" else ante
    if antes == "big_blind":
        amounts = (big, 0) if num_players == 2 else (0, big)
    if antes == UNEVEN:
        amounts = tuple(rng.choice((0, ante, rng.randint(0, 2 * big))) for _ in range(num_players))
    stacks: int | tuple[int, ...] = random_stacks(rng, num_players, big)
    if antes == UNEVEN or rng.random() < 0.2:
        stacks = rng.randint(200 if antes == UNEVEN else 2, 200) * big
    return HoldemConfig(
        structure=structure,
        num_players=num_players,
        stacks=stacks,
        blinds=blinds,
        antes=amounts,
        min_bet=big,
        raise_sizes=(big, big, 2 * big, 2 * big),
        max_raises=(4, 4, 4, 4) if structure == "limit" else None,
        rules=replace(RULES["standard"], dead_antes=not antes.startswith("live")),
    )


def difference(hand: Hand) -> str | None:
    """Return where PokerKit disagrees with our engine, None if nowhere."""
    found = pokerkit_hands.replay(hand)
    for number, (ours, theirs) in enumerate(zip(hand.trace, found.trace, strict=False)):
        if ours != theirs:
            return f"decision {number}: {ours} here, {theirs} in PokerKit; {hand}"
    if (len(found.trace), list(found.payoffs)) != (len(hand.trace), hand.payoffs):
        return f"{len(found.trace)} decisions, {found.refused} refused, payoffs {found.payoffs} in PokerKit; {hand}"
    return None


def is_settled_alike(hand: Hand) -> bool:
    """Return True if nobody is all-in, and one of those who put in the most has not folded: see docs/rules.md."""
    most = max(hand.commits)
    payers = [folded for commit, folded in zip(hand.commits, hand.folded, strict=True) if commit == most]
    return min(hand.behind) > 0 and not all(payers)


def differences(structure: str, antes: str, count: int, seed: int) -> list[str]:
    """Return what is different in `count` random hands, each with all that is needed to play it again."""
    rng = random.Random(seed)
    hands = (
        random_hand(rng, random_config(rng, structure, antes), rng.choice((choose_any, choose_all_in_often)))
        for _ in range(count)
    )
    compared = (hand for hand in hands if antes != UNEVEN or is_settled_alike(hand))
    return [found for found in map(difference, compared) if found]
