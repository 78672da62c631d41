"""Six-max no-limit hold'em as the paper plays it, and what its agents need to know beside their observation.

Amounts are *raise to*: the chips that a seat has put in on the street after its raise. Wishes that the rules do not
allow become the nearest legal action: to fold where nothing is owed is to check, to raise where nobody may is to call,
and an amount is brought between the smallest and the largest raise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import raise_action_to
from card_baselines.agents.scripted.rule_player import RulePlayer
from card_envs.compiler import kernel
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.games.holdem.actions import CALL_ACTION, FOLD_ACTION
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.games.holdem.state import FOLD, RAISE, Table
from card_envs.records import Tables

ENV, ENCODER = "no_limit_holdem-v0", "kaminsky404"
SEATS, STACK = 6, 200
SETTINGS = {"num_players": SEATS, "stacks": STACK, "bet_menu": "integers", "encoder": ENCODER}
"""Blinds of 1 and 2 chips and 200 chips before every hand (section 2.1.5), every amount as an action of its own."""


def make_paper_game() -> Game:
    """Return six-max no-limit hold'em with an action for every amount, observed as in section 3.4.2."""
    return make_game(ENV, **SETTINGS)


def is_playable(game: Game) -> bool:
    """Return True for no-limit hold'em with six seats and 200 chips each, whatever its bet menu."""
    config = game.config
    return is_texas_holdem(game) and config.structure == "no_limit" and config.stack_list == [STACK] * SEATS


def choose_nearest(views: Tables, kinds: NDArray[np.int64], amounts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the legal action ids (n,) nearest to wishes: FOLD, CALL or RAISE, the last with a raise-to amount."""
    actions = np.empty(len(kinds), np.int64)
    write_actions(views, kinds, amounts, actions)
    return actions


@kernel
def write_actions(views: Tables, kinds: Any, amounts: Any, actions: Any) -> None:
    """Write the legal action id that is nearest to each wish; see `choose_nearest`."""
    for j in range(views.shape[0]):
        actions[j] = nearest_action(views[j], kinds[j], amounts[j])


@kernel
def nearest_action(t: Table, kind: Any, amount: Any) -> Any:
    """Return the legal action id that is nearest to the wish to FOLD, CALL or RAISE to an amount."""
    if kind == RAISE and t.max_raise_to > 0:
        return raise_action_to(t, min(max(np.int64(amount), np.int64(t.min_raise_to)), np.int64(t.max_raise_to)))
    if kind == FOLD and t.legal & 1 == 1:
        return np.int64(FOLD_ACTION)
    return np.int64(CALL_ACTION)


@kernel
def write_random_actions(views: Tables, random_numbers: Any, setting: Any, actions: Any) -> None:
    """Write random actions; see `KaminskyRandom`.

    One number decides which of the three wishes, and by what is left of it the amount.
    """
    for j in range(views.shape[0]):
        t = views[j]
        thirds = random_numbers[j] * 3.0
        kind = np.int64(thirds)  # FOLD, CALL, RAISE stand in this order
        span = np.int64(t.max_raise_to) - t.min_raise_to + 1
        actions[j] = nearest_action(t, kind, t.min_raise_to + np.int64((thirds - kind) * span))


class KaminskyRandom(RulePlayer):
    """Folds, calls or raises with a third each; a raise is to any amount that is allowed, each as likely.

    The random player of the competition (section 3.4.1); the other baseline is `always_call`.
    """

    name = "kaminsky_random"
    mixes = True
    choose_rows = staticmethod(write_random_actions)
    plays = staticmethod(is_playable)
