"""The Big 2 benchmark: fixed deals, reference players and seatings for comparing Big 2 agents."""

from card_baselines.big2_benchmark.deals import DEALS_SHA256, NUM_DEALS, SEED, load_deals
from card_baselines.big2_benchmark.play import estimate_seconds, play_group
from card_baselines.big2_benchmark.seatings import BENCHMARK, REFERENCES, Seating, list_groups, list_seatings

__all__ = [
    "BENCHMARK",
    "DEALS_SHA256",
    "NUM_DEALS",
    "REFERENCES",
    "SEED",
    "Seating",
    "estimate_seconds",
    "list_groups",
    "list_seatings",
    "load_deals",
    "play_group",
]
