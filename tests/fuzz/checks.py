"""Every check of the fuzz by name: one line each."""

from __future__ import annotations

from tests.fuzz import builds, caches, copies, engines
from tests.fuzz.check import Check
from tests.fuzz.games import ENCODERS
from tests.fuzz.leaks import leaks_through

CHECKS = {
    "pokerkit": Check("profile standard plays as PokerKit", "hands", engines.against_pokerkit, "pokerkit"),
    "openspiel": Check("profile acpc plays as OpenSpiel", "hands", engines.against_openspiel, "pyspiel"),
    "rlcard": Check("profile rlcard plays as RLCard", "hands", engines.against_rlcard, "rlcard"),
    "batches": Check("a batch of N is N batches of one", "tables", copies.batches),
    "clones": Check("copied tables and environments go on alike", "copies", copies.clones),
    "seats": Check("seats are exchangeable", "states", copies.seats),
    "plain": Check("plain Python plays as compiled code", "games", builds.plain_python),
    "bounds": Check("no index is out of bounds", "runs", builds.bounds_checked),
    "caches": Check("kernels of many processes in one folder play as plain Python", "games", caches.shared_cache),
    **{
        f"leaks-{encoder}": Check(
            f"{encoder} shows nothing unseen, nor do view and text", "states", leaks_through(encoder)
        )
        for encoder in ENCODERS
    },
}
"""Name -> what it claims, what it counts, how it is tried."""
