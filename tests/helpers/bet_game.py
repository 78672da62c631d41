"""The bet game: two seats, one after the other, check (0) or bet (1); whoever bets gets a chip from the other.

Betting is strictly dominant for both. What the first seat wins is paid when the second one ends the deal: a wrapper
that gives rewards to whoever acted last teaches the first seat nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_envs.card_game import CardGame
from card_envs.compiler import kernel
from card_envs.game import NOBODY, Game
from card_envs.observation import Block

CHECK, BET = 0, 1


@kernel
def begin(t: Any) -> None:
    t.actor = 0
    t.bet[0], t.bet[1] = 0, 0


@kernel
def is_legal(t: Any, action: Any) -> Any:
    return True


@kernel
def apply(t: Any, action: Any) -> None:
    t.bet[t.actor] = action
    t.actor = 1 if t.actor == 0 else NOBODY
    if t.actor == NOBODY:
        t.payoff[0] = t.bet[0] - t.bet[1]
        t.payoff[1] = t.bet[1] - t.bet[0]


@kernel
def sees(t: Any, seat: Any, k: Any) -> Any:
    return False


@kernel
def write(t: Any, seat: Any, values: Any) -> None:
    values[seat] = 1


GAME = CardGame(
    name="bet_game", num_seats=2, num_actions=2, max_reward=1.0, num_cards=1, fields=[("bet", np.int32, 2)],
    begin=begin, is_legal=is_legal, apply=apply, sees=sees,
    blocks=[Block("seat", 2, "the seat that sees this")], write=write,
)  # fmt: skip


def bet_game() -> Game:
    return GAME.game()
