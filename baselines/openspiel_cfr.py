"""CFR+ of OpenSpiel on a game of this package, and its strategy as an agent.

    python baselines/openspiel_cfr.py --iterations 200

Needs `pip install 'card-envs[openspiel,train]'`. `python baselines/mccfr.py` solves the same games without OpenSpiel.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyspiel
import tyro
from tqdm import tqdm

import card_wrappers.openspiel  # noqa: F401  registers the games
from card_baselines.kit import print_matches, save_table_agent
from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.analysis.exploitability.public_tree import PublicTree
from card_wrappers.openspiel.policies import OpenSpielAgent


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "kuhn_poker-v0"
    """Id of a limit game for two with few deals; Leduc takes about half a second an iteration."""
    iterations: int = 200
    folder: str = "runs/openspiel_cfr"
    """Folder of the average strategy."""
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents of the matches at the end."""
    hands: int = 20_000


def main(args: Args) -> None:
    """Solve the game, save the average strategy, and play the matches."""
    game, spiel = make_game(args.env), pyspiel.load_game(f"card_envs_{args.env.partition('-')[0]}")
    solver = pyspiel.CFRPlusSolver(spiel)
    for _ in tqdm(range(args.iterations), unit="iterations"):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    print(f"exploitability: {pyspiel.exploitability(spiel, policy):.4f} a hand")
    decisions = PublicTree(game).decisions  # one for each information state
    strategy = OpenSpielAgent(policy, game, spiel).compute_probabilities(decisions)
    folder = save_table_agent(args.folder, game, decisions.observation, strategy)
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)


if __name__ == "__main__":
    main(tyro.cli(Args))
