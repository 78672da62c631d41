"""PokerKit's state with all chores automated: fold, check or call, raise the minimum, the pot or all-in."""

from __future__ import annotations

import random
from typing import Any

from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

from card_baselines.speed.paths import DECISIONS
from card_baselines.speed.stopwatch import Work

AUTOMATIONS = tuple(Automation)


def step_loop(name: str) -> Work:
    deal = _deal_limit if name == "limit2" else _deal_no_limit
    num_players = 6 if name == "nl6" else 2
    state = deal(num_players)

    def run() -> int:
        nonlocal state
        for _ in range(DECISIONS):
            _act(state)
            if not state.status:
                state = deal(num_players)
        return DECISIONS

    return run


def _deal_limit(num_players: int) -> Any:
    return FixedLimitTexasHoldem.create_state(AUTOMATIONS, True, 0, (1, 2), 2, 4, 200, num_players)


def _deal_no_limit(num_players: int) -> Any:
    return NoLimitTexasHoldem.create_state(AUTOMATIONS, True, 0, (1, 2), 2, 200, num_players)


def _act(state: Any) -> None:
    moves = [state.check_or_call]
    if state.can_fold():
        moves.append(state.fold)
    if state.can_complete_bet_or_raise_to():
        low, high = (
            state.min_completion_betting_or_raising_to_amount,
            state.max_completion_betting_or_raising_to_amount,
        )
        amounts = {low, min(max(low, state.pot_completion_betting_or_raising_to_amount), high), high}
        moves += [lambda amount=amount: state.complete_bet_or_raise_to(amount) for amount in amounts]
    moves[int(random.random() * len(moves))]()
