"""Exploitability of the average strategies of variants of CFR, as a table: python benchmarks/cfr_variants.py."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from card_baselines.solvers.regret import SCHEDULES
from card_baselines.solvers.vector_cfr import VectorCfr
from card_envs import make_game
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.presets import river_endgame

GAMES: Mapping[str, Callable[[], Game]] = {
    "Kuhn": lambda: make_game("kuhn_poker-v0"),
    "Leduc": lambda: make_game("leduc_holdem-v0"),
    "flop hold'em, 12 cards": lambda: holdem_game(
        "flop_12_cards", replace(HoldemConfig.flop(), num_suits=2, num_ranks=6)
    ),
    "river endgame": lambda: river_endgame(stacks=(60, 60)),
}


def main() -> None:
    """Print a row for each game and variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, nargs="+", default=[100, 500])
    arguments = parser.parse_args()
    print(f"| game | variant | {' | '.join(str(number) for number in arguments.iterations)} | ms an iteration |")
    print("|---" * (3 + len(arguments.iterations)) + "|")
    for name, make in GAMES.items():
        for variant in SCHEDULES:
            solver, seconds, found = VectorCfr(make(), variant), 0.0, []
            solver.run(1)  # compiles
            for number in arguments.iterations:
                start = time.process_time()
                solver.run(number - solver.iterations)
                seconds += time.process_time() - start
                found.append(f"{1000 * solver.exploitability:.4f}")
            per_iteration = 1000 * seconds / (solver.iterations - 1)
            print(f"| {name} | `{variant}` | {' | '.join(found)} | {per_iteration:.3g} |", flush=True)


if __name__ == "__main__":
    main()
