"""What a replay says about a recorded hand."""

from __future__ import annotations

from dataclasses import dataclass

from card_envs.history.phh.format import Number

MATCHED, MISMATCHED, SKIPPED = "matched", "mismatched", "skipped"
"""Values of `ReplayResult.status`."""

EXACT, ODD_CHIP, RAKE, LEGAL_ONLY = "exactly", "up to odd chips", "up to a rake", "legality only"
"""Values of `ReplayResult.agreement`: how the recorded result and ours agree; LEGAL_ONLY: none was recorded."""


@dataclass(frozen=True)
class ReplayResult:
    """The result of replaying one recorded hand."""

    source: str
    """The file, and the section of a .phhs file."""
    status: str
    """MATCHED, MISMATCHED or SKIPPED."""
    reason: str = ""
    """Reason why the hand did not match."""
    action_index: int | None = None
    """Index in `Hand.actions` of the action that is wrong; its number in texts is one more."""
    agreement: str = ""
    """Kind of agreement of a matched hand: EXACT, ODD_CHIP, RAKE or LEGAL_ONLY; else empty."""
    stacks: tuple[Number, ...] = ()
    """Our stacks after the last action, by player, in the unit of the file; empty where unknown cards decide them."""


class Stop(Exception):
    """Signal that ends a replay with a status other than MATCHED."""

    def __init__(self, status: str, reason: str, action_index: int | None = None) -> None:
        self.status, self.reason, self.action_index = status, reason, action_index
