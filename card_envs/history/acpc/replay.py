"""Replay of hands of ACPC logs, which checks the legality of every action and each player's winnings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from card_envs.cards import NO_CARD
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RulesProfile, profile_of
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.history import replay
from card_envs.history.acpc.format import AcpcHand, cards_of
from card_envs.history.errors import HandHistoryError, shorten
from card_envs.history.hand_record import DEAL_BOARD, HandRecord, Move
from card_envs.history.holdem_replay import HoldemReplay
from card_envs.history.results import ReplayResult

_TOKEN = re.compile(r"[fc/]|r\d*")


@lru_cache(maxsize=64)
def with_rules(config: HoldemConfig, rules: str | RulesProfile | None) -> HoldemConfig:
    """Return the game of a log with other rules; the log still determines who posts the small blind heads-up."""
    if rules is None:
        return config
    button_owes_small_blind = config.profile.button_owes_small_blind
    return replace(config, rules=replace(profile_of(rules), button_owes_small_blind=button_owes_small_blind))


def replay_acpc_hand(hand: AcpcHand, config: HoldemConfig) -> ReplayResult:
    """Replay a recorded hand, and check that it is legal and that each player won the recorded chips.

    Args:
        hand: One hand of a log.
        config: The game of the log, `AcpcLog.config`.

    Returns:
        A result whose status is MATCHED, MISMATCHED or SKIPPED, with the reason.
    """
    return replay.replay_hand(hand.source, lambda: HoldemReplay(record_of(hand, config)))


def replay_acpc_tables(hand: AcpcHand, config: HoldemConfig) -> Iterator[tuple[str, Any]]:
    """Replay a recorded hand, and yield the table after every decision.

    Args:
        hand: One hand of a log.
        config: The game of the log, `AcpcLog.config`.

    Yields:
        (token of the betting, such as "c" or "r250"; copy of the table after it). The first token is "", for the table
        after the blinds.

    Raises:
        ValueError: If an action is not legal, with the reason.
    """
    tokens = _tokens(hand)
    for index, tables in replay.hand_frames(hand.source, lambda: HoldemReplay(record_of(hand, config))):
        yield tokens[index] if index >= 0 else "", tables


def record_of(hand: AcpcHand, config: HoldemConfig) -> HandRecord:
    """Return a hand in terms of the engine; HandHistoryError for impossible cards and unknown letters."""
    hole_cards, board = cards_of(hand, config)
    cards = [card for hole in hole_cards for card in hole or [NO_CARD] * config.num_hole_cards]
    cards += [card for street in board for card in street]
    tokens = _tokens(hand)
    return HandRecord(
        source=hand.source,
        config=config,
        stacks=tuple(config.stack_list),
        known=tuple(cards + [NO_CARD] * (config.num_dealt - len(cards))),
        moves=tuple(_moves(tokens, config)),
        texts=tuple(tokens),
        results={"values": hand.values},
        names=hand.players,
        is_log=True,
    )


def _moves(tokens: list[str], config: HoldemConfig) -> Iterator[Move]:
    due = iter(config.board_cards[1:])
    for token in tokens:
        if token == "/":
            yield Move(DEAL_BOARD, cards=(NO_CARD,) * next(due, 1))
        else:
            yield Move({"f": FOLD, "c": CALL}.get(token, RAISE), amount=int(token[1:] or 0))


def _tokens(hand: AcpcHand) -> list[str]:
    tokens = _TOKEN.findall(hand.betting)
    if "".join(tokens) != hand.betting:
        raise HandHistoryError(
            f"{hand.source}: betting {shorten(repr(hand.betting), 60)}: write f, c, r, numbers and /"
        )
    return tokens
