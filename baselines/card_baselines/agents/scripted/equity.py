"""The agent that plays by equity and pot odds; equity against random hands is estimated by sampling.

Hand strength and pot odds are the textbook baseline of computer poker (Billings et al. 2002, The challenge of poker,
sections 5.2 and 5.5). The thresholds for raising are ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import action_for, hole_card, sum_cards
from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.chance.contested import contested_pot
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import amount_to_call
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker.equity import sample_share
from card_envs.poker.hands import BOARD_SIZE, HOLE_CARDS
from card_envs.poker.starting_hands import STARTING_EQUITIES, starting_hand
from card_envs.rng import SEED_SCALE, splitmix64

SAMPLES = 100
"""Number of deals of the hidden cards per decision; an equity of one half then has a standard error of 0.05."""
RAISE_FROM: NDArray[np.float64] = np.array([0.55, 0.66, 0.76, 0.86])
"""Equity against one opponent from which the agent bets, raises, raises again ... on a street."""


@kernel
def choose_action(t: Any, random_number: Any, samples: Any) -> Any:
    """Return the action of a view's actor."""
    opponents = num_opponents(t)
    share = pot_share(t, opponents, samples, splitmix64(np.uint64(random_number * SEED_SCALE)))
    return action_for(t, move_by_share(t, opponents, share))


@kernel
def move_by_share(t: Any, opponents: Any, share: Any) -> Any:
    """Return RAISE, CALL or FOLD, given the expected share of the pot."""
    bets = min(np.int64(t.street_raises[t.street]), RAISE_FROM.shape[0] - 1)
    if share ** (1.0 / opponents) >= RAISE_FROM[bets]:
        return RAISE
    price = min(amount_to_call(t), np.int64(t.stack[t.actor]))
    return CALL if share * (contested_pot(t, t.actor) + price) >= price else FOLD


@kernel
def num_opponents(t: Any) -> Any:
    """Return the number of other seats that have not folded."""
    count = np.int64(-1)
    for seat in range(t.num_seats):
        count += np.int64(t.in_hand) >> seat & 1
    return count


@kernel
def pot_share(t: Any, opponents: Any, samples: Any, seed: Any) -> Any:
    """Return the expected share of the pot, 0 to 1, of the actor if all cards that it does not see are random.

    It is estimated from `samples` deals with the seed `seed` (uint64); before the flop against one opponent it is
    exact.
    """
    first, second = hole_card(t, 0), hole_card(t, 1)
    if opponents == 1 and t.street == 0:
        return STARTING_EQUITIES[starting_hand(first, second)]
    known = num_board_cards(t)
    key, bits, board = sum_cards(t, np.int64(t.num_seats) * HOLE_CARDS, known)
    used = board | np.int64(1) << first | np.int64(1) << second
    return sample_share(first, second, key, bits, used, BOARD_SIZE - known, opponents, samples, seed)


class Equity(RulePlayer):
    """Raises when it is likely to hold the best hand, calls when its equity is worth the price, folds otherwise.

    Its equity is that against random hands of all opponents who have not folded, from `samples` deals.
    """

    name = "equity"
    mixes = True
    choose_rows = rule_kernel(choose_action)

    def __init__(self, samples: int = SAMPLES) -> None:
        if samples < 1:
            raise ValueError(f"samples {samples} must be at least 1")
        self.setting = np.int64(samples)
