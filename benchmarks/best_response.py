"""What the local best response costs: processor seconds for 1,000 hands against an agent.

    python benchmarks/best_response.py [--agents ppo_limit_hu always_call] [--hands 128] [--rounds 5]

Each round plays the same hands twice, in turns: with every question answered once (`RangeStrategy`), and with each hand
of each range asked anew, as it was done before. Both take the same actions. Medians of the rounds; the first match,
which compiles, does not count. PyTorch has one thread.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
import torch

from card_baselines.cli.console import print_table
from card_envs import make_game
from card_envs.agent import Agent, decisions_at, find_agent, find_probabilities
from card_envs.analysis.exploitability.deals import HIDDEN_HANDS
from card_envs.analysis.exploitability.local_best_response import NUM_TABLES, LocalBestResponse
from card_envs.analysis.exploitability.range_strategy import RangeStrategy
from card_envs.game import Game
from card_envs.match import MatchResult, play_match


class AskedAnew(RangeStrategy):
    """Asks the agent about every hand of every range, from a table at which the hand is held."""

    def probabilities(self, tables: Any, seats: Any, wanted: Any) -> Any:
        """Return the agent's probabilities, zero for hands that are not wanted."""
        rows, hands = np.nonzero(wanted)
        held, cells = self._hold(tables, seats, rows, hands), np.arange(len(rows))
        decisions = decisions_at(self._game, held, cells, cells, np.full(len(cells), 0.5))
        answers = np.zeros((*wanted.shape, self._game.num_actions))
        answers[rows, hands] = find_probabilities(self._agent, decisions, self._rng, self._draws)
        return answers


def play(game: Game, agent: Agent, hands: int, strategy: type[RangeStrategy]) -> tuple[float, MatchResult]:
    """Return the processor seconds of a match, and its result."""
    response = LocalBestResponse(game, agent)
    response._strategy = strategy(game, agent, HIDDEN_HANDS.require(game))
    start = time.process_time()
    result = play_match(game, [response, agent], hands, 0, duplicate=True, num_tables=NUM_TABLES, callbacks=[response])
    return time.process_time() - start, result


def main() -> None:
    """Print a row for each agent."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--env", default="limit_holdem-v0")
    parser.add_argument("--agents", nargs="+", default=["ppo_limit_hu", "always_call"])
    parser.add_argument("--hands", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows, game = [], make_game(arguments.env)
    for name in arguments.agents:
        agent, seconds = find_agent(name, game), []
        for strategy in (RangeStrategy, AskedAnew):
            play(game, agent, 4, strategy)
        for _ in range(arguments.rounds):
            once, found = play(game, agent, arguments.hands, RangeStrategy)
            anew, expected = play(game, agent, arguments.hands, AskedAnew)
            assert (found.payoffs == expected.payoffs).all(), "both take the same actions"
            seconds.append((once, anew, anew / once))
        once, anew, ratio = map(statistics.median, zip(*seconds, strict=True))
        scale = 1000 / arguments.hands
        rows.append([name, f"{once * scale:.1f}", f"{anew * scale:.1f}", f"{ratio:.1f}"])
    print_table(["agent", "seconds for 1,000 hands", "each hand asked anew", "ratio"], rows, arguments.env)


if __name__ == "__main__":
    main()
