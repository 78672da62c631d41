"""PokerKit as an oracle: replays a recorded hand and tells what it found at every decision."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from pokerkit import (
    Automation,
    BettingStructure,
    Card,
    FixedLimitTexasHoldem,
    Mode,
    NoLimitTexasHoldem,
    StandardHighHand,
    State,
)

from card_envs.cards import card_name
from card_envs.games.holdem.state import CALL, FOLD
from tests.helpers.holdem_hands import Found, Hand, Options

# Everything but the cards, which are dealt from the recorded deck.
AUTOMATIONS = (
    Automation.ANTE_POSTING,
    Automation.BET_COLLECTION,
    Automation.BLIND_OR_STRADDLE_POSTING,
    Automation.RUNOUT_COUNT_SELECTION,
    Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
    Automation.HAND_KILLING,
    Automation.CHIPS_PUSHING,
    Automation.CHIPS_PULLING,
)
UNKNOWN_CARD = "??"


class RememberedHand(StandardHighHand):
    """PokerKit's hand; it asks for the same one many times at a showdown, which takes most of its time."""

    @classmethod
    def from_game(cls, hole_cards: Iterable[Card], board_cards: Iterable[Card] = ()) -> Any:
        return best_hand(tuple(hole_cards), tuple(board_cards))


@lru_cache(maxsize=256)
def best_hand(hole_cards: tuple[Card, ...], board_cards: tuple[Card, ...]) -> Any:
    return StandardHighHand.from_game(hole_cards, board_cards)


class NoLimit(NoLimitTexasHoldem):
    hand_types = (RememberedHand,)


class PotLimit(NoLimit):
    """PokerKit has pot-limit games, but not this one."""

    betting_structure = BettingStructure.POT_LIMIT


class FixedLimit(FixedLimitTexasHoldem):
    hand_types = (RememberedHand,)


def replay(hand: Hand) -> Found:
    """Play the decisions of a hand, up to the first that PokerKit refuses or expects of another player."""
    trace: list[Options] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)  # PokerKit warns of actions that it finds odd
        state = new_state(hand)
        for position, cards in enumerate(hand.hole_cards):
            state.deal_hole("".join(map(card_name, cards)), position)
        board = iter(hand.board)
        for index in range(len(hand.decisions) + 1):
            while state.status and state.actor_index is None:
                state.burn_card(UNKNOWN_CARD)
                state.deal_board("".join(card_name(next(board)) for _ in range(state.street.board_dealing_count)))
            if not state.status or index == len(hand.decisions):
                break
            trace.append(options_of(state))
            if trace[-1].position != hand.trace[index].position:
                return Found(tuple(trace), (), index)
            try:
                apply(state, *hand.decisions[index])
            except (ValueError, UserWarning):
                return Found(tuple(trace), (), index)
    if state.status or len(trace) < len(hand.decisions):
        return Found(tuple(trace), (), len(trace))
    return Found(tuple(trace), tuple(map(Fraction, state.payoffs)), None)


def apply(state: State, kind: int, raise_to: int) -> None:
    if kind == FOLD:
        state.fold()
    elif kind == CALL:
        state.check_or_call()
    else:
        state.complete_bet_or_raise_to(raise_to)


def options_of(state: State) -> Options:
    low = state.min_completion_betting_or_raising_to_amount
    high = state.max_completion_betting_or_raising_to_amount
    return Options(
        position=state.actor_index,
        may_fold=state.can_fold(),
        to_call=state.checking_or_calling_amount,
        raise_to=None if low is None or high is None else (low, high),
    )


def new_state(hand: Hand) -> State:
    config, n = hand.config, len(hand.stacks)
    antes, blinds = config.ante_list, list(config.blinds) + [0] * (n - len(config.blinds))
    if n == 2:
        antes = antes[::-1]  # PokerKit's lists name the small blind first, its player 0 is the big blind
    settings = (AUTOMATIONS, not config.profile.dead_antes, antes, blinds)
    if config.structure == "limit":
        small, big = config.raise_sizes[0], config.raise_sizes[-1]
        return FixedLimit.create_state(*settings, small, big, hand.stacks, n, mode=Mode.TOURNAMENT)
    game = NoLimit if config.structure == "no_limit" else PotLimit
    return game.create_state(*settings, config.min_bet, hand.stacks, n, mode=Mode.TOURNAMENT)
