"""How the agents for six seats open the pot in no-limit hold'em, beside Pluribus and the professionals that it played.

    python docs/measure_openings.py FOLDER --hands 12000     # FOLDER: the 834 recorded hands, see checked.md

Prints the table of results/agents.md: shares of fold, limp and raise of players who are first in, by position.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.formatting import markdown_table
from card_envs.games.holdem.openings import OpeningCounter, is_first_in
from card_envs.games.holdem.positions import position_names, positions_of
from card_envs.history import find_files, load_hands, replay_tables
from card_envs.match import play_match

SEATS = 6
PLURIBUS, PROFESSIONALS = "Pluribus", "the professionals"
Counts = NDArray[np.int64]
"""(positions, 3): how often a player folded, limped and raised."""


def recorded_openings(folder: Path) -> dict[str, Counts]:
    """Return the openings of Pluribus and of all other players in recorded hands of six seats."""
    found = {name: np.zeros((SEATS, 3), np.int64) for name in (PLURIBUS, PROFESSIONALS)}
    for path in find_files([folder]):
        for hand in load_hands(path):
            if hand.num_players != SEATS:
                continue
            tables = None
            for index, after in replay_tables(hand):
                if tables is not None and is_first_in(tables, tables["actor"].astype(np.int64))[0]:
                    move = hand.moves[index]
                    who = PLURIBUS if hand.fields["players"][move.seat] == PLURIBUS else PROFESSIONALS
                    found[who][positions_of(SEATS, tables)[0, move.seat], move.kind] += 1
                tables = after
    return found


def agents_openings(name: str, hands: int, seed: int) -> Counts:
    """Return the openings of an agent that has all six seats."""
    game = make_game("no_limit_holdem-v0", num_players=SEATS)
    counter = OpeningCounter(game)
    play_match(game, [find_agent(name, game) for _ in range(SEATS)], hands, seed, callbacks=[counter])
    return np.asarray(counter.counts.sum(axis=0), np.int64)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="recorded hands (PHH)")
    parser.add_argument("--agents", nargs="*", default=["ppo_no_limit_six_max", "tight_aggressive"])
    parser.add_argument("--hands", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    found = recorded_openings(arguments.folder)
    found |= {f"`{name}`": agents_openings(name, arguments.hands, arguments.seed) for name in arguments.agents}
    names = position_names(make_game("no_limit_holdem-v0", num_players=SEATS).config)
    order = [names.index(name) for name in ("UTG", "HJ", "CO", "BTN", "SB")]
    rows = []
    for who, counts in found.items():
        shares = [f"{' / '.join(f'{100 * n / max(1, c.sum()):.0f}' for n in c)} ({c.sum():,})" for c in counts[order]]
        total = counts.sum(axis=0)
        rows.append([who, *shares, " / ".join(f"{100 * n / total.sum():.0f}" for n in total)])
    print(markdown_table(["fold / limp / raise, %", *(names[k] for k in order), "all"], rows))


if __name__ == "__main__":
    main()
