"""Replay of recorded Big 2 deals, which checks that every play is legal and that the payoffs follow the rules."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NoReturn

import numpy as np

from card_envs.game import ILLEGAL, NOBODY, Game
from card_envs.games.big2.actions import PASS, action_of
from card_envs.games.big2.combos import card_of, order_names
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.game import big2_game
from card_envs.games.big2.kernels import deal_known, step
from card_envs.games.big2.state import HAND_SIZE
from card_envs.history.big2.format import Big2Deal, Play
from card_envs.history.results import EXACT, MATCHED, MISMATCHED, ReplayResult, Stop
from card_envs.history.steps import HandSteps


def replay_deal(deal: Big2Deal) -> ReplayResult:
    """Replay a recorded deal under its rules.

    Args:
        deal: The deal.

    Returns:
        MATCHED if all plays are legal and the payoffs are equal, else MISMATCHED with the reason.
    """
    try:
        ours = _replay(deal)
    except Stop as stop:
        return ReplayResult(deal.source, stop.status, stop.reason, stop.action_index)
    if ours == deal.payoffs:
        return ReplayResult(deal.source, MATCHED, agreement=EXACT, stacks=ours)
    return ReplayResult(
        deal.source, MISMATCHED, f"payoffs are {deal.payoffs} in the recording, {ours} by the rules", stacks=ours
    )


def steps_of(deal: Big2Deal) -> HandSteps:
    """Return a deal decision by decision; ValueError if a play is not legal."""
    frames: list[Any] = []
    actions: list[str] = []
    try:
        _replay(deal, frames, actions)
    except Stop as stop:
        raise ValueError(f"{deal.source}: {stop.reason}") from None
    return HandSteps(_template(deal.config)[0], deal.source, deal.players, np.concatenate(frames), tuple(actions))


@lru_cache(maxsize=64)
def _template(config: Big2Config) -> tuple[Game, Any]:
    """Return the game of a configuration, and a read-only table to copy."""
    game = big2_game(config)
    tables = game.new_tables(1)
    tables.flags.writeable = False
    return game, tables


def replay_actions(deal: Big2Deal) -> tuple[Game, list[list[int]], list[int]]:
    """Return the game, the card ids of the hands, and the action ids of a deal; ValueError if one is not legal."""
    actions: list[int] = []
    try:
        _replay(deal, ids=actions)
    except Stop as stop:
        raise ValueError(f"{deal.source}: {stop.reason}") from None
    return _template(deal.config)[0], [[card_of(order) for order in hand] for hand in deal.hands], actions


def _replay(
    deal: Big2Deal,
    frames: list[Any] | None = None,
    actions: list[str] | None = None,
    ids: list[int] | None = None,
) -> tuple[int, ...]:
    """Replay a deal and return the payoffs; Stop if a play is not legal.

    Lists that are given receive the tables before each decision and at the end, the plays as text, and the action ids.
    """
    game, template = _template(deal.config)
    tables = template.copy()
    tables["hand"][0], tables["num_cards"][0] = deal.hands, HAND_SIZE
    tables["held"][0] = [sum(1 << order for order in hand) for hand in deal.hands]
    actor = int(deal_known(tables, 0))
    hands = [list(hand) for hand in deal.hands]
    plays = [play for trick in deal.tricks for play in trick]
    taken = [] if ids is None else ids
    first = 0
    if not deal.config.opening_decision and actor != NOBODY:
        opener = next(seat for seat, hand in enumerate(hands) if hand[0] == 0)
        if plays[:1] != [(opener, (0,))]:
            raise Stop(MISMATCHED, f"the first play must be '{opener} 3D': the seat with 3D leads it", 0)
        hands[opener].remove(0)
        first = 1
    if frames is not None:
        frames.append(tables.copy())
    for index in range(first, len(plays)):
        seat, cards = plays[index]
        if seat != actor:
            _stop(index, deal, plays, _whose_turn(actor))
        action = _action(index, deal, plays, hands[seat])
        actor = int(step(tables, 0, action))
        if actor == ILLEGAL:
            _stop(index, deal, plays, game.why_illegal(tables, 0, _action(index, deal, plays, hands[seat])))
        for card in cards:
            hands[seat].remove(card)
        if frames is not None and actions is not None:
            frames.append(tables.copy())
            actions.append(order_names(cards) or "pass")
        taken.append(action)
    if actor != NOBODY:
        raise Stop(MISMATCHED, f"the recorded plays end although {_whose_turn(actor)}")
    return tuple(tables["payoff"][0].tolist())


def _action(index: int, deal: Big2Deal, plays: list[Play], hand: list[int]) -> int:
    cards = plays[index][1]
    if not cards:
        return PASS
    try:
        return action_of(hand.index(card) for card in cards)
    except ValueError:
        held = set(cards) <= set(hand)
        _stop(index, deal, plays, "they are not a combination" if held else f"the seat holds {order_names(hand)}")


def _whose_turn(actor: int) -> str:
    return "the deal is over" if actor == NOBODY else f"player_{actor} is to act"


def _stop(index: int, deal: Big2Deal, plays: list[Play], reason: str) -> NoReturn:
    seat, cards = plays[index]
    where = f"trick {_trick_of(deal, index) + 1}, play {index + 1} '{seat} {order_names(cards) or 'pass'}'"
    raise Stop(MISMATCHED, f"{where} is not legal: {reason}", index)


def _trick_of(deal: Big2Deal, index: int) -> int:
    for number, trick in enumerate(deal.tricks):
        if index < len(trick):
            return number
        index -= len(trick)
    return len(deal.tricks)
