"""Our hands in other people's engines."""

from __future__ import annotations

import random

from tests.fuzz.check import Difference

POKERKIT_HANDS, OPENSPIEL_HANDS, RLCARD_HANDS = 40, 200, 100


def against_pokerkit(seed: int) -> int:
    """Play hands of one betting structure with one kind of antes in PokerKit as well; return how many."""
    from tests.differential.against_pokerkit import ANTES, STRUCTURES, differences

    structure, antes = STRUCTURES[seed % len(STRUCTURES)], ANTES[seed // len(STRUCTURES) % len(ANTES)]
    _fail_on(differences(structure, antes, POKERKIT_HANDS, seed), f"{structure}, antes {antes}, rules standard")
    return POKERKIT_HANDS


def against_openspiel(seed: int) -> int:
    """Play hands under the rules profile `acpc` in universal_poker as well; return how many."""
    from card_envs.games.holdem.config import HoldemConfig
    from tests.differential.against_openspiel import DEEP, differences, no_limit

    rng = random.Random(seed)
    if seed % 4 == 0:
        config = HoldemConfig.limit(rng.randint(2, 4), DEEP, 5, 10, rules="acpc")
        configs = [config] * OPENSPIEL_HANDS
    else:
        configs = [no_limit(rng, rng.randint(2, 10), "uneven" if seed % 2 else "equal") for _ in range(OPENSPIEL_HANDS)]
    _fail_on(differences(configs, seed), f"{configs[0].structure}, rules acpc")
    return OPENSPIEL_HANDS


def against_rlcard(seed: int) -> int:
    """Play heads-up limit hands under the rules profile `rlcard` in RLCard as well; return how many."""
    from tests.differential.test_rlcard import make_both, play_the_same

    rng, (theirs, ours) = random.Random(seed), make_both(seed)
    for number in range(RLCARD_HANDS):
        try:
            play_the_same(theirs, ours, rng)
        except AssertionError as error:
            raise Difference("limit_holdem, rules rlcard, encoder rlcard", f"hand {number}", str(error)) from error
    return RLCARD_HANDS


def _fail_on(found: list[str], game: str) -> None:
    if found:
        seen, _, hand = found[0].partition("; ")
        raise Difference(game, hand, seen)
