"""Seatings of the Big 2 benchmark: an agent and reference players in circular order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from card_baselines.big2_benchmark.deals import NUM_DEALS

BENCHMARK = "big2-benchmark-v1"
"""Name and version; it changes with deals, rules, references or seatings."""
AGENT = "agent"
"""Placeholder for the agent that is measured."""
REFERENCES = ("random", "big2_greedy", "big2_planner", "ppo_big2", "ppo_big2:rollout")
"""The reference players, weakest first."""
MIXED_TABLE = ("big2_greedy", "big2_planner", "ppo_big2")
"""Three different references that play at one table with the agent, in all six circular orders."""

ONE_AGAINST_THREE, NEIGHBOURS, OPPOSITE, MIXED = "one_against_three", "neighbours", "opposite", "mixed"

_DEALS_OF_SLOW = {"ppo_big2:rollout": 200}
"""Maximum number of deals against references that search for milliseconds at each decision."""


@dataclass(frozen=True)
class Seating:
    """Four players in the order of play; every deal is played with them at all four rotations of the table."""

    kind: str
    """`one_against_three`, `neighbours`, `opposite` or `mixed`."""
    players: tuple[str, ...]
    """Names of agents in the order in which they act; `AGENT` for the agent to measure."""
    deals: int
    """Number of deals, the first ones of the file."""

    @property
    def opponents(self) -> tuple[str, ...]:
        """The reference players, in the order in which they follow the agent."""
        return tuple(player for player in self.players if player != AGENT)

    @property
    def hands(self) -> int:
        """Number of hands, four for each deal."""
        return len(self.players) * self.deals


def list_seatings(references: Sequence[str] = REFERENCES, deals: int = NUM_DEALS, mixed: bool = True) -> list[Seating]:
    """Return the seatings of an agent: one against three and two against two of each reference, and the mixed table.

    Args:
        references: Names of reference players.
        deals: Number of deals, the first ones of the file; slow references play fewer.
        mixed: Whether to add the table with three different references.

    Raises:
        ValueError: The number of deals is not in 2 .. 10,000, or a reference is not known.
    """
    if not 2 <= deals <= NUM_DEALS:
        raise ValueError(f"deals {deals} must be in 2 .. {NUM_DEALS}")
    seatings = []
    for other in references:
        if other not in REFERENCES:
            raise ValueError(f"reference {other!r} is not known: choose from {', '.join(REFERENCES)}")
        count = min(deals, _DEALS_OF_SLOW.get(other, deals))
        seatings += [
            Seating(ONE_AGAINST_THREE, (AGENT, other, other, other), count),
            Seating(NEIGHBOURS, (AGENT, AGENT, other, other), count),
            Seating(OPPOSITE, (AGENT, other, AGENT, other), count),
        ]
    if mixed:
        seatings += [Seating(MIXED, (AGENT, *order), deals) for order in permutations(MIXED_TABLE)]
    return seatings


def list_groups(seatings: Sequence[Seating]) -> dict[str, list[Seating]]:
    """Return seatings by their reference, and those of the mixed table under `MIXED`."""
    groups: dict[str, list[Seating]] = {}
    for seating in seatings:
        groups.setdefault(MIXED if seating.kind == MIXED else seating.opponents[0], []).append(seating)
    return groups
