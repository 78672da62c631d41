"""What re-solving is worth: the exact exploitability of turn endgames with and without it.

    python benchmarks/resolving.py --endgames 10 --cards 12 --shares 0 0.5 1
    python benchmarks/resolving.py --endgames 10 --turn-iterations 600    # the turn too

A blueprint plays hands against itself until the turn. There an endgame begins, with the ranges that follow from its
probabilities: in it a best response may play the turn so that it comes to the river with any hands, which is where
re-solving with a fixed range can go wrong. The card is one of `--cards` random ones; all are measured on the same.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

from card_baselines.exploitability.ranges.endgame import EndgameResponses
from card_baselines.exploitability.ranges.strategy import AgentStrategy
from card_baselines.solvers.resolving.agent import RANGE_SHARE, Resolve, ResolveTurn
from card_baselines.solvers.resolving.trunk import Blueprint
from card_baselines.solvers.tree import NUM_PLAYERS, grow_betting
from card_envs import make_game
from card_envs.agent import Agent, decisions_at, find_agent
from card_envs.game import Game
from card_envs.games.holdem.state import Street
from card_envs.match.summary import summarise

_FIRST_BOARD_CARD, _TURN_CARDS = 4, 4


def draw_turn(
    game: Game, agent: Agent, smallest_pot: float, rng: np.random.Generator
) -> tuple[np.ndarray, NDArray[np.int64]]:
    """Return a table (1,) at which a hand has come to the turn, both seats played by the agent, and its board (4,).

    Hands with less than `smallest_pot` there, in big blinds, are left out.
    """
    while True:
        tables, row = game.new_tables(1), np.zeros(1, np.int64)
        cards = rng.permutation(game.config.deck_cards)[: game.config.num_dealt].tolist()
        game.deal_with(tables, 0, {"button": NUM_PLAYERS - 1, "deck": cards})
        while not tables["is_over"][0]:
            if tables["street"][0] == Street.TURN and tables["pot"][0] < smallest_pot * game.chips_per_reward:
                break
            if tables["street"][0] == Street.TURN:
                board = tables["deck"][0, _FIRST_BOARD_CARD : _FIRST_BOARD_CARD + _TURN_CARDS]
                return tables, board.astype(np.int64)
            action = agent.act(decisions_at(game, tables, row, row, rng.random(1)), rng)
            game.step(tables, 0, int(action[0]))


def main() -> None:
    """Print the exploitability of each endgame, then means and differences with 95 % intervals."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--env", default="limit_holdem-v0")
    parser.add_argument("--agent", default="cfr_large", help="the blueprint")
    parser.add_argument("--endgames", type=int, default=10)
    parser.add_argument("--smallest-pot", type=float, default=0.0, help="in big blinds; small ones have long betting")
    parser.add_argument("--cards", type=int, default=0, help="cards that the river may be; 0 for all")
    parser.add_argument("--shares", type=float, nargs="*", default=[RANGE_SHARE], help="shares of the estimated range")
    parser.add_argument("--iterations", type=int, default=0, help="of CFR+ on a river; 0 for those of the agent")
    parser.add_argument("--turn-iterations", type=int, nargs="*", default=[], help="re-solve the turn with so many")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    game = make_game(arguments.env)
    blueprint = find_agent(arguments.agent, game)
    agents: dict[str, Agent] = {"blueprint": blueprint}
    for share in arguments.shares:
        agents[f"river, range share {share:.2f}"] = Resolve(game, blueprint, arguments.iterations, share)
        for iterations in arguments.turn_iterations:
            turn = ResolveTurn(game, blueprint, arguments.iterations, share, turn_iterations=iterations)
            agents[f"turn ({iterations}), range share {share:.2f}"] = turn
    measuring = Blueprint(game, blueprint)
    rng, deck = np.random.default_rng(arguments.seed), np.array(game.config.deck_cards, np.int64)
    found = []
    for number in range(arguments.endgames):
        tables, board = draw_turn(game, blueprint, arguments.smallest_pot, rng)
        node = int(measuring.paths.find(tables)[0])
        ranges = measuring.find_ranges(tables, board)
        betting = grow_betting(game, measuring.paths.tables[node : node + 1])
        rest = deck[~np.isin(deck, board)]
        cards = rng.choice(rest, arguments.cards or len(rest), replace=False)
        endgame = EndgameResponses(betting, board, ranges, deck, cards)
        lost, seconds = [], []
        for agent in agents.values():
            start = time.process_time()
            _, best = endgame.evaluate(AgentStrategy(game, agent, betting, 1))
            lost.append(float(best.sum()) / NUM_PLAYERS / game.chips_per_reward * 1000)
            seconds.append(time.process_time() - start)
        found.append(lost)
        pot = int(tables["pot"][0]) / game.chips_per_reward
        parts = [f"{name} {e:.1f} ({s:.1f} s)" for name, e, s in zip(agents, lost, seconds, strict=True)]
        print(f"{number + 1}: pot {pot:g} bb, mbb: {', '.join(parts)}", flush=True)
    table = np.array(found)
    print(f"mean exploitability of {len(table)} turn endgames, mbb; change against the blueprint")
    for k, name in enumerate(agents):
        change = table[:, k] - table[:, 0]
        half = summarise(name, change).half_width
        print(f"{name:30} {table[:, k].mean():7.1f}   {change.mean():+.1f} ± {half:.1f}")


if __name__ == "__main__":
    main()
