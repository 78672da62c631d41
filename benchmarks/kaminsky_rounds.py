"""How long rounds of the league of Kaminsky and Liebendörfer (2020) take, in seconds of one core.

    python benchmarks/kaminsky_rounds.py [--agents FOLDER ...]

10,000 hands between six agents, for scripted players, and for networks of the paper's sizes: random ones, or those of
folders that hold clones. The thesis (section 3.5): 0.84 s for three callers and three random players, 8.74 s for six
Qlearn-All; PyPokerEngine on the same machine 39.25 s and 539.55 s.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import torch

from card_baselines.papers.kaminsky2020.baselines import KaminskyRandom
from card_baselines.papers.kaminsky2020.players import as_played, load_player, play_dtype
from card_baselines.papers.kaminsky2020.qlearn import Qlearn8, QlearnAll
from card_baselines.papers.kaminsky2020.sac import SacLow
from card_baselines.papers.kaminsky2020.situation import make_paper_game
from card_envs.agent import Agent, find_agent
from card_envs.match import play_match

HANDS, REPEATS = 10_000, 5


def seconds_of(agents: list[Agent]) -> float:
    """Return the processor time of 10,000 hands, the best of some repeats: others may slow a machine down."""
    game, taken = make_paper_game(), []
    for repeat in range(REPEATS + 1):
        start = time.process_time()
        play_match(game, agents, HANDS, repeat, num_tables=HANDS)
        taken.append(time.process_time() - start)
    return min(taken[1:])  # the first may compile


def networks(dtype: str, folders: list[Path]) -> dict[str, Callable[[], Agent]]:
    """Return the players that are made of networks, by name."""
    if folders:
        return {folder.name: lambda folder=folder: load_player(folder, dtype) for folder in folders}  # type: ignore[misc]

    def made(kind: type[Qlearn8] | type[QlearnAll] | type[SacLow]) -> Agent:
        student = kind(seed=0)
        student.networks["policy"] = as_played(student.networks["policy"], play_dtype(dtype))
        student._played = student.networks["policy"]
        return student.player()

    return {kind.name: lambda kind=kind: made(kind) for kind in (Qlearn8, QlearnAll, SacLow)}  # type: ignore[misc]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", nargs="*", type=Path, default=[])
    folders = parser.parse_args().agents
    torch.set_num_threads(1)
    game = make_paper_game()
    call, chance = find_agent("always_call", game), KaminskyRandom()
    tables = {"6 call": [call] * 6, "3 call, 3 random": [call, chance] * 3, "6 random": [chance] * 6}
    for name, agents in tables.items():
        seconds = seconds_of(agents)
        print(f"{name:32} {seconds:8.3f} s, 20 million hands {2000 * seconds:6.1f} s", flush=True)
    for dtype in ("float32", "bfloat16"):
        for name, make in networks(dtype, folders).items():
            print(f"{f'6 {name}, {dtype}':32} {seconds_of([make()] * 6):8.3f} s", flush=True)


if __name__ == "__main__":
    main()
