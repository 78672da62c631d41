"""The deal worked through in section 13 of the description of Charlesworth's environment, decision by decision."""

from __future__ import annotations

import numpy as np

from card_envs.games.big2.actions import PASS, action_of
from tests.helpers.big2_deals import Deal

HANDS = (
    "3D 4D 4C 6C 7C 8C 9C TC JH JS KS AD 2S",
    "3C 3H 4H 5D 6D 7D 8D 9D JC QC KC AC 2C",
    "3S 5C 5S 6S 7S 8S 9S TH JD QH KD AH 2D",
    "4S 5H 6H 7H 8H 9H TD TS QD QS KH AS 2H",
)
OWN_HAND = 286  # numbers that describe the own hand


def ones(deal: Deal) -> list[int]:
    """Observe; return the indices behind the own hand that are 1."""
    deal.observe()
    assert np.flatnonzero(deal.mask[0]).tolist() == deal.legal
    return [int(k) for k in np.flatnonzero(deal.observation[0]) if k >= OWN_HAND]


def own_ones(deal: Deal, slot: int) -> list[int]:
    return [int(k) for k in np.flatnonzero(deal.observation[0]) if 22 * slot <= k < 22 * (slot + 1)]


def test_worked_example() -> None:
    deal = Deal(*HANDS)

    assert (deal.actor, deal.legal) == (1, [*range(13), PASS])
    assert ones(deal) == [298, 325, 351, 383, 396, 401, 409]
    # 21: the seat holds six clubs; the description leaves it out here, unlike its list of blocks and recorded games
    assert own_ones(deal, 0) == [0, 14, 17, 20, 21]
    assert own_ones(deal, 3) == [68, 79, 86, 87]
    deal.play("2C")

    assert (deal.actor, deal.legal) == (2, [PASS])
    assert ones(deal) == [298, 324, 351, 358, 380, 395, 397, 401, 409]
    deal.pass_()

    assert (deal.actor, deal.legal) == (3, [12, PASS])
    assert ones(deal) == [297, 324, 331, 352, 380, 395, 397, 401, 410]
    deal.play("2H")

    assert (deal.actor, deal.legal) == (0, [11, PASS])
    assert ones(deal) == [297, 304, 325, 351, 359, 380, 381, 395, 398, 401, 409]
    deal.play("2S")

    deal.pass_(2)
    assert (deal.actor, deal.legal) == (3, [PASS])
    assert ones(deal) == [296, 306, 324, 331, 352, 380, 381, 382, 395, 399, 401, 411]
    deal.pass_()

    assert (deal.actor, len(deal.legal)) == (0, 22)
    assert ones(deal) == [297, 304, 325, 351, 359, 380, 381, 382, 400]
    sizes = [len(name.split(" ")) for name in deal.legal_names if name.startswith(("single", "pair", "two pair"))]
    assert (sizes, PASS in deal.legal) == ([2] * 11 + [3] * 2 + [6], False)
    assert deal.action("7C 8C 9C TC JH") == 1442
    deal.play("7C 8C 9C TC JH")

    assert (deal.actor, deal.legal) == (1, [897, 1442, PASS])
    assert deal.legal_names == ["flush 3C JC QC KC AC", "straight flush 5D 6D 7D 8D 9D", "pass"]
    assert ones(deal) == [298, 324, 332, 345, 360, 364, 366, 380, 381, 382, 389, 406, 408, 409]
    deal.act(1442)

    assert (deal.actor, deal.legal) == (2, [PASS])
    assert "5S 6S 7S 8S 9S" in " ".join(deal.hand(2))
    assert ones(deal) == [297, 305, 318, 333, 337, 339, 346, 358, 364, 365, 380, 381, 382, 389, 396, 406, 407, 409]
    deal.pass_(3)

    assert (deal.actor, deal.legal) == (1, [*range(7), 13, 692])
    assert ones(deal) == [298, 324, 332, 345, 360, 364, 366, 380, 381, 382, 400]
    deal.play("3C 3H")

    assert (deal.actor, deal.legal) == (2, [action_of((1, 2)), PASS])
    assert deal.legal_names == ["pair 5C 5S", "pass"]
    assert ones(deal) == [297, 305, 318, 333, 337, 339, 344, 358, 361, 364, 365, 380, 381, 382, 383, 398, 402, 409]
    deal.pass_()

    assert (deal.actor, deal.legal) == (3, [31, 37, PASS])
    assert deal.legal_names == ["pair TD TS", "pair QD QS", "pass"]
    assert ones(deal) == [291, 306, 310, 312, 317, 331, 334, 337, 338, 352, 380, 381, 382, 383, 398, 402, 410]
