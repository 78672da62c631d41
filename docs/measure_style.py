"""How the shipped hold'em agents play before the flop and after it, beside Pluribus and the professionals it played.

    python docs/measure_style.py FOLDER --hands 5000     # FOLDER: the 834 recorded hands, see checked.md

Prints the two tables of results/agents.md: the usual statistics of each agent, which has all seats, and the shares of
fold, limp and raise of players who are first in at six seats in no-limit, by position.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.formatting import markdown_table
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, RAISE
from card_envs.games.holdem.view import position_names, positions_of
from card_envs.history import find_files, load_hands, replay_tables
from card_envs.match import play_match
from card_envs.statistics.holdem import HoldemStatistics
from card_envs.statistics.holdem_openings import OpeningCounter, is_first_in

SEATS = 6
PLURIBUS, PROFESSIONALS = "Pluribus", "the professionals"
AGENTS = {
    ("limit_holdem-v0", 2): ("cfr_large", "cfr_small", "distilled_limit_hu", "mmd_limit_hu", "ppo_limit_hu"),
    ("no_limit_holdem-v0", 2): ("cfr_no_limit", "ppo_no_limit_hu"),
    ("limit_holdem-v0", 6): ("cfr_limit_six_max", "ppo_limit_six_max", "tight_aggressive"),
    ("no_limit_holdem-v0", 6): (
        "cfr_no_limit_six_max",
        "ppo_no_limit_six_max",
        "tight_no_limit_six_max",
        "position_ranges",
        "tight_aggressive",
    ),
}
"""(Environment, seats) -> agents of the tables."""
STATISTICS = ("VPIP", "PFR", "3-bet", "aggression factor", "WTSD")
Counts = NDArray[np.int64]
"""(positions, 3): how often a player folded, limped and raised when first in."""


class RecordedStyle:
    """How a group of players played recorded hands of six seats: openings, and shares of hands bet before the flop."""

    def __init__(self) -> None:
        self.openings: Counts = np.zeros((SEATS, 3), np.int64)
        self.hands = self.entered = self.raised = 0

    def shares(self) -> list[str]:
        """Return VPIP and PFR in percent."""
        return [f"{100 * count / self.hands:.1f}" for count in (self.entered, self.raised)]


def measure_recorded(folder: Path) -> dict[str, RecordedStyle]:
    """Return the style of Pluribus and of all other players in recorded hands of six seats."""
    found = {name: RecordedStyle() for name in (PLURIBUS, PROFESSIONALS)}
    for path in find_files([folder]):
        for hand in load_hands(path):
            if hand.num_players != SEATS:
                continue
            kinds: list[set[int]] = [set() for _ in range(SEATS)]
            groups = [found[PLURIBUS if name == PLURIBUS else PROFESSIONALS] for name in hand.fields["players"]]
            tables = None
            for index, after in replay_tables(hand):
                if tables is not None and tables["street"][0] == 0:
                    move = hand.moves[index]
                    owes = tables["current_bet"][0] > tables["street_commit"][0, move.seat]
                    if move.kind == RAISE or (move.kind == CALL and owes):
                        kinds[move.seat].add(move.kind)
                    if is_first_in(tables, tables["actor"].astype(np.int64))[0]:
                        groups[move.seat].openings[positions_of(SEATS, tables)[0, move.seat], move.kind] += 1
                tables = after
            for group, chosen in zip(groups, kinds, strict=True):
                group.hands += 1
                group.entered += bool(chosen)
                group.raised += RAISE in chosen
    return found


def measure_agent(env: str, seats: int, name: str, hands: int, seed: int) -> tuple[Counts, list[str]]:
    """Return the openings of an agent that has all seats, and its `STATISTICS`, means over the seats, as text."""
    game = make_game(env, num_players=seats)
    openings, counter = OpeningCounter(game), HoldemStatistics(seats)
    play_match(game, [find_agent(name, game)] * seats, hands, seed, callbacks=[openings, counter])
    by_name = [{statistic.name: statistic for statistic in agent} for agent in counter.compute_statistics()]
    means = {name: float(np.mean([agent[name].value or 0.0 for agent in by_name])) for name in STATISTICS}
    texts = [
        f"{means[name]:.1f}" if by_name[0][name].ci95 is None else f"{100 * means[name]:.1f}" for name in STATISTICS
    ]
    return np.asarray(openings.counts.sum(axis=0), np.int64), texts


def format_shares(counts: Counts) -> str:
    """Return "fold / limp / raise" in percent."""
    return " / ".join(f"{100 * count / counts.sum():.0f}" for count in counts)


def format_opening(counts: Counts) -> str:
    """Return the shares and the number of occasions, "" if there was none."""
    return f"{format_shares(counts)} ({counts.sum():,})" if counts.any() else ""


def openings_table(openings: dict[str, Counts], order: Sequence[str]) -> str:
    """Return the table of openings by position."""
    config = make_game("no_limit_holdem-v0", num_players=SEATS).config
    assert isinstance(config, HoldemConfig)
    names = position_names(config)
    rows = [
        [who, *(format_opening(counts[names.index(name)]) for name in order),
         format_shares(counts.sum(axis=0))]
        for who, counts in openings.items()
    ]  # fmt: skip
    return markdown_table(["fold / limp / raise, %", *order, "all"], rows)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="recorded hands (PHH)")
    parser.add_argument("--hands", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    recorded = measure_recorded(arguments.folder)
    openings = {who: style.openings for who, style in recorded.items()}
    rows = []
    for (env, seats), names in AGENTS.items():
        game = f"{'limit' if env.startswith('limit') else 'no-limit'}, {'two' if seats == 2 else 'six'} seats"
        for name in names:
            counts, texts = measure_agent(env, seats, name, arguments.hands, arguments.seed)
            rows.append([f"`{name}`", game, format_shares(counts.sum(axis=0)), *texts])
            if (env, seats) == ("no_limit_holdem-v0", SEATS):
                openings[f"`{name}`"] = counts
    for who, style in recorded.items():
        unknown = [""] * (len(STATISTICS) - 2)
        rows.append([who, "no-limit, six seats", format_shares(style.openings.sum(axis=0)), *style.shares(), *unknown])
    print(markdown_table(["agent", "game", "first in: fold / limp / raise, %", "VPIP, %", "PFR, %", "3-bet, %",
                          "aggression factor", "WTSD, %"], rows))  # fmt: skip
    print()
    print(openings_table(openings, ("UTG", "HJ", "CO", "BTN", "SB")))


if __name__ == "__main__":
    main()
