"""Tournaments: each of a few agents against each other, as often as the time allows."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from card_baselines.league.league import League
from card_baselines.league.pools import Pool
from card_baselines.league.store import LeagueError

DIVISION = "tournament"


def play_tournament(
    folder: Path, env: str, agents: Sequence[str], *, settings: dict[str, Any], hands: int, seed: int, seconds: float,
    passes: int | None = None, pool: Pool | None = None, progress: Callable[[float, int], None] | None = None,
) -> League:  # fmt: skip
    """Play a tournament and return its league.

    In a pass, every two agents play a round with half of the seats each, every deal once for each way to move them
    around the table.

    Args:
        folder: New folder of the league.
        env: Environment id.
        agents: Names of two or more agents.
        settings: Settings of the environment.
        hands: Hands of a round.
        seed: Seed of the deals.
        seconds: Passes are played as long as they are expected to end within this time, at least one.
        passes: Number of passes instead, so that the result depends on the seed alone.
        pool: Pool that plays; this process by default.
        progress: Called after every round with the completed share, 0 .. 1, and the number of rounds.
    """
    if len(set(agents)) < 2:
        raise LeagueError(f"a tournament of {list(agents)}: name at least two different agents")
    league = League.new(folder, env, seed=seed, **settings)
    league.add_division(DIVISION, "round_robin", teachers=list(agents), hands=hands, duplicate=True)
    pairs = len(set(agents)) * (len(set(agents)) - 1) // 2
    start = time.monotonic()
    done = 0

    def on_round(_: str, played: int, outcome: object) -> None:
        share = played / (pairs * (passes or 1))
        if passes is None:
            share = max((time.monotonic() - start) / seconds, share if done == 0 else 0.0)
        if progress is not None:
            progress(min(1.0, share), played)

    while True:
        begin = time.monotonic()
        league.run({DIVISION: pairs * (done + 1)}, pool, on_round)
        done += 1
        now = time.monotonic()
        if done == passes or (passes is None and now - start + (now - begin) > seconds):
            return league
