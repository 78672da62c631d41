"""Tabular external-sampling Monte Carlo CFR on any small game, with its exact exploitability printed along the way.

    python baselines/mccfr.py --env leduc_holdem-v0 --iterations 2000

Lanctot et al. (2009). The betting of a small game is the same tree for all deals, so an iteration walks it once for a
batch of sampled deals: all actions at the decisions of one player, one sampled action at those of the others. The
average strategy is saved as an agent: `card-envs match --env leduc_holdem-v0 --agents runs/mccfr random`. Needs
`pip install 'card-envs[train]'`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import tyro
from numpy.typing import NDArray
from tqdm import tqdm

from card_baselines.kit import print_matches, regret_matching, save_table_agent
from card_envs import make_game
from card_envs.agent import choose, find_agent
from card_envs.analysis.exploitability.best_response import strategy_exploitability
from card_envs.analysis.exploitability.public_tree import Node, PublicTree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "leduc_holdem-v0"
    """Id of an environment with few deals."""
    iterations: int = 2000
    """Walks through the tree for each player."""
    deals: int = 64
    """Sampled deals of each walk."""
    seed: int = 0
    folder: str = "runs/mccfr"
    """Folder of the average strategy."""
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents of the matches at the end, each at all other seats."""
    hands: int = 20_000
    """Hands of each of these matches."""


class ExternalSampling:
    """The regrets and the average strategy of all information states.

    Args:
        tree: The public states of the game, with its information states.
        seed: Seed of the sampled deals and actions.
    """

    def __init__(self, tree: PublicTree, seed: int) -> None:
        self.tree, self.rng = tree, np.random.default_rng(seed)
        self.mask = tree.decisions.action_mask == 1
        self.regrets, self.weights = np.zeros(self.mask.shape), np.zeros(self.mask.shape)

    def iterate(self, num_deals: int) -> None:
        """Walk through the tree once for each player, with newly sampled deals."""
        for player in range(self.tree.game.num_seats):
            self._walk(self.tree.root, self.rng.integers(self.tree.num_deals, size=num_deals), player)

    def average_strategy(self) -> Floats:
        """Return the average strategy (states, num_actions), uniform at states that were never visited."""
        return regret_matching(self.weights, self.mask)

    def _walk(self, node: Node, deals: NDArray[np.int64], player: int) -> Floats:
        """Return the sampled values (n,) of a node to a player for some deals; update what it visits."""
        if node.seat < 0:
            return np.asarray(node.rewards[deals, player])
        states = node.states[deals]
        strategy = regret_matching(self.regrets[states], self.mask[states])[:, node.actions]
        if node.seat == player:
            values = np.stack([self._walk(child, deals, player) for child in node.children], axis=1)
            expected = (strategy * values).sum(axis=1)
            np.add.at(self.regrets, (states[:, None], node.actions), values - expected[:, None])
            return np.asarray(expected)
        if node.seat == (player + 1) % self.tree.game.num_seats:  # once for each player in an iteration
            np.add.at(self.weights, (states[:, None], node.actions), strategy)
        drawn, values = choose(strategy, self.rng.random(len(deals))), np.empty(len(deals))
        for number, child in enumerate(node.children):
            rows = np.flatnonzero(drawn == number)
            if len(rows):
                values[rows] = self._walk(child, deals[rows], player)
        return values


def train(args: Args) -> None:
    """Run the iterations, save the average strategy, and play the matches."""
    game = make_game(args.env)
    tree = PublicTree(game)
    solver = ExternalSampling(tree, args.seed)
    next_report = 1
    for iteration in tqdm(range(1, args.iterations + 1), unit="iterations"):
        solver.iterate(args.deals)
        if iteration in (next_report, args.iterations):
            exploitability = strategy_exploitability(tree, solver.average_strategy()).exploitability
            tqdm.write(f"{iteration:>8,} iterations: exploitability {exploitability:.4f} {game.unit} a hand")
            next_report *= 2
    folder = save_table_agent(args.folder, game, tree.decisions.observation, solver.average_strategy())
    print(f"the average strategy is saved in {folder}")
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)


if __name__ == "__main__":
    train(tyro.cli(Args))
