"""Results of replaying recorded hands."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

__all__ = [
    "EXACT",
    "LEGAL_ONLY",
    "MATCHED",
    "MISMATCHED",
    "ODD_CHIP",
    "RAKE",
    "SKIPPED",
    "Number",
    "ReplayResult",
    "Stop",
]

Number = int | Decimal
"""An amount of chips or money as a file records it."""

MATCHED, MISMATCHED, SKIPPED = "matched", "mismatched", "skipped"
"""Values of `ReplayResult.status`."""

EXACT, ODD_CHIP, RAKE, LEGAL_ONLY = "exactly", "up to odd chips", "up to a rake", "legality only"
"""Values of `ReplayResult.agreement`. LEGAL_ONLY means that the file records no result."""


@dataclass(frozen=True)
class ReplayResult:
    """The result of replaying one recorded hand."""

    source: str
    """File of the hand, and its position there."""
    status: str
    """MATCHED, MISMATCHED or SKIPPED."""
    reason: str = ""
    """Reason why the hand did not match or was skipped."""
    action_index: int | None = None
    """Index of the wrong action in the recording, from 0; messages count from 1."""
    agreement: str = ""
    """EXACT, ODD_CHIP, RAKE or LEGAL_ONLY for a matched hand; else empty."""
    stacks: tuple[Number, ...] = ()
    """Our final stacks by player, in the unit of the file; empty if they depend on unknown cards."""


class Stop(Exception):
    """Raised inside a replay to end it with a status other than MATCHED.

    Args:
        status: MISMATCHED or SKIPPED.
        reason: Reason for the report.
        action_index: Index of the wrong action in the recording, from 0; None if no action is wrong.
    """

    def __init__(self, status: str, reason: str, action_index: int | None = None) -> None:
        self.status, self.reason, self.action_index = status, reason, action_index
