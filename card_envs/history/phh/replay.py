"""Replay of PHH hands, which checks the legality of every action and the final stacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from card_envs.games.holdem.rules import RulesProfile
from card_envs.history import replay
from card_envs.history.holdem_replay import HoldemReplay
from card_envs.history.phh.format import Hand
from card_envs.history.phh.tables import record_of
from card_envs.history.results import ReplayResult


def replay_hand(hand: Hand, rules: str | RulesProfile | None = None) -> ReplayResult:
    """Replay a recorded hand, and check that it is legal and ends with the recorded stacks.

    Amounts with fractions are played in units of a hundredth or smaller, stacks above `MAX_CHIPS` in the largest common
    unit of the amounts.

    Args:
        hand: One hand of a PHH file.
        rules: Rules profile or its name; None for the profile that the file names in RULES_FIELD, else `standard`. The
            hand, not the profile, determines whether antes are trimmed.

    Returns:
        A result whose status is MATCHED, MISMATCHED or SKIPPED, with the reason.
    """
    return replay.replay_hand(hand.source, lambda: HoldemReplay(record_of(hand, rules)))


def replay_tables(hand: Hand, rules: str | RulesProfile | None = None) -> Iterator[tuple[int, Any]]:
    """Replay a recorded hand, and yield the table after every decision.

    Args:
        hand: One hand of a PHH file.
        rules: Rules profile or its name, see `replay_hand`.

    Yields:
        (index of the action, copy of the table after it). The first index is -1, for the table after the blinds. The
        table is a record array of length 1 with chips in units of 1 / `chip_scale`.

    Raises:
        ValueError: If `replay_hand` returns MISMATCHED or SKIPPED before the comparison of stacks, with the reason.
    """
    return replay.hand_frames(hand.source, lambda: HoldemReplay(record_of(hand, rules)))
