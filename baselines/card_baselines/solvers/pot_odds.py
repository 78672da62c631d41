"""What a strategy plays where it was not trained: it checks, and calls a bet if its equity is worth the price."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.equity import SAMPLES, num_opponents, pot_share
from card_envs.chance.contested import contested_pot
from card_envs.compiler import kernel
from card_envs.game import Tables
from card_envs.games.holdem.actions import CALL_ACTION, FOLD_ACTION, amount_to_call
from card_envs.typing import Floats

__all__ = ["call_by_odds"]

_SEED = np.uint64(0)  # the same hand gets the same answer


def call_by_odds(views: Tables, num_actions: int) -> Floats:
    """Return probabilities (n, num_actions), 0 or 1: each view's actor checks, calls or folds, and never raises.

    It calls if its expected share of the pot, against random hands of all opponents in the hand, is at least the
    price's share of the pot after the call. The share is estimated from deals of the hidden cards.
    """
    found = np.zeros((len(views), num_actions))
    write_moves(views, found)
    return found


@kernel
def write_moves(views: Any, found: Any) -> None:
    """Write the result of `call_by_odds` to `found`, which holds zeros."""
    for j in range(views.shape[0]):
        t, action = views[j], np.int64(CALL_ACTION)  # which also stands for a check
        price = min(amount_to_call(t), np.int64(t.stack[t.actor]))
        if price > 0:
            share = pot_share(t, num_opponents(t), np.int64(SAMPLES), _SEED)
            if share * (contested_pot(t, t.actor) + price) < price:
                action = np.int64(FOLD_ACTION)
        found[j, action] = 1.0
