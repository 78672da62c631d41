"""Benchmarks on fixed deals: an agent against reference players, on the same deals and in the same seats as others."""

from card_baselines.fixed_deals.benchmark import (
    ADJUSTED,
    AGENT,
    MIXED,
    Benchmark,
    Kind,
    Seating,
    balanced_orders,
    list_groups,
)
from card_baselines.fixed_deals.play import estimate_seconds, play_group

__all__ = [
    "ADJUSTED",
    "AGENT",
    "MIXED",
    "Benchmark",
    "Kind",
    "Seating",
    "balanced_orders",
    "estimate_seconds",
    "list_groups",
    "play_group",
]
