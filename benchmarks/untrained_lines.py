"""How often players lead a solver's table to betting that its training hardly visited, where it calls by pot odds.

    python benchmarks/untrained_lines.py [--hands 5000]

Prints, for each table and opponent (which has all other seats), the share of hands with at least one such decision of
the table's agent, with its exact 95 % interval, and the share of such decisions among its decisions.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from card_baselines.cli.console import print_table
from card_envs.agent import Decisions, find_agent
from card_envs.envs import make_game
from card_envs.match import play_match

TABLES: dict[str, dict[str, Any]] = {
    "cfr_no_limit": {},
    "cfr_no_limit_200": {"stacks": 20_000, "small_blind": 50, "big_blind": 100},
    "cfr_no_limit_six_max": {"num_players": 6},
}
"""Agent -> settings of no_limit_holdem-v0."""
OPPONENTS = ("always_call", "tight_aggressive", "position_ranges", "equity", "random", "always_raise")
NETWORKS = {2: ("ppo_no_limit_hu",), 6: ("ppo_no_limit_six_max", "tight_no_limit_six_max")}


class Recorder:
    """Plays as an agent does, and notes which of its decisions it explains by missing training."""

    def __init__(self, agent: Any) -> None:
        self._agent, self.deals, self.untrained = agent, list[NDArray[Any]](), list[NDArray[np.bool_]]()

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the actions (n,) of the agent."""
        self.deals.append(decisions.table_ids.copy())
        self.untrained.append(np.array([text != "" for text in self._agent.explain(decisions)]))
        return np.asarray(self._agent.act(decisions, rng))


def main() -> None:
    """Play the matches and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hands", type=int, default=5_000)
    hands = parser.parse_args().hands
    rows = []
    for name, settings in TABLES.items():
        game = make_game("no_limit_holdem-v0", **settings)
        for opponent in (*OPPONENTS, *NETWORKS[game.num_seats]):
            player, others = Recorder(find_agent(name, game)), [find_agent(opponent, game)] * (game.num_seats - 1)
            play_match(game, [player, *others], hands, seed=0)
            deals, untrained = np.concatenate(player.deals), np.concatenate(player.untrained)
            found = binomtest(len(np.unique(deals[untrained])), hands)
            low, high = found.proportion_ci()
            percent = [f"{100 * part:.2f}" for part in (found.statistic, low, high, untrained.mean())]
            rows.append((name, opponent, f"{percent[0]} ({percent[1]} to {percent[2]})", percent[3]))
    print_table(("agent", "opponent", "hands, %", "decisions, %"), rows)


if __name__ == "__main__":
    main()
