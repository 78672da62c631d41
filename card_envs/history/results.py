"""Results of replaying recorded hands."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

Number = int | Decimal
"""An amount of chips or money as a file records it."""

MATCHED, MISMATCHED, SKIPPED = "matched", "mismatched", "skipped"
"""Values of `ReplayResult.status`."""

EXACT, ODD_CHIP, RAKE, LEGAL_ONLY = "exactly", "up to odd chips", "up to a rake", "legality only"
"""Values of `ReplayResult.agreement`. LEGAL_ONLY: the file records no result, and the actions are legal."""


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
    """Agreement of a matched hand: EXACT, ODD_CHIP, RAKE or LEGAL_ONLY; else empty."""
    stacks: tuple[Number, ...] = ()
    """Our final stacks by player, in the unit of the file; empty if they depend on unknown cards."""


class Stop(Exception):
    """Raised inside a replay to end it with a status other than MATCHED."""

    def __init__(self, status: str, reason: str, action_index: int | None = None) -> None:
        self.status, self.reason, self.action_index = status, reason, action_index
