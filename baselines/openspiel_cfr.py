"""CFR+ of OpenSpiel on a game of this package, and its strategy as an agent.

    python baselines/openspiel_cfr.py --iterations 200

Needs `pip install 'card-envs[openspiel,train]'`. `python baselines/mccfr.py` solves the same games without OpenSpiel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyspiel
import tyro
from tqdm import tqdm

import card_wrappers.openspiel  # noqa: F401  registers the games
from card_baselines.kit import print_matches, save_table_agent
from card_envs import make_game
from card_envs.agent import find_agent


@dataclass(frozen=True)
class Args:
    """Settings of a run."""

    env: str = "kuhn_poker-v0"
    """Id of an environment with few deals; Leduc takes about half a second an iteration."""
    iterations: int = 200
    folder: str = "runs/openspiel_cfr"
    """Folder of the average strategy."""
    opponents: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents of the matches at the end."""
    hands: int = 20_000


def collect(state: Any, policy: Any, rows: dict[str, tuple[list[float], dict[int, float]]]) -> None:
    """Add observation and action probabilities of all information states below a state."""
    if not state.is_terminal() and not state.is_chance_node():
        rows[state.information_state_string()] = state.observation_tensor(), policy.action_probabilities(state)
    for action in state.legal_actions():
        collect(state.child(action), policy, rows)


def main(args: Args) -> None:
    """Solve the game, save the average strategy, and play the matches."""
    game, rows = make_game(args.env), dict[str, tuple[list[float], dict[int, float]]]()
    spiel = pyspiel.load_game(f"card_envs_{args.env.partition('-')[0]}")
    solver = pyspiel.CFRPlusSolver(spiel)
    for _ in tqdm(range(args.iterations), unit="iterations"):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    print(f"exploitability: {pyspiel.exploitability(spiel, policy):.4f} a hand")
    collect(spiel.new_initial_state(), policy, rows)
    strategy = np.array(
        [[chosen.get(action, 0.0) for action in range(game.num_actions)] for _, chosen in rows.values()]
    )
    observation = np.array(
        [tensor[game.num_seats :] for tensor, _ in rows.values()], game.layout.dtype
    )  # without the player
    folder = save_table_agent(args.folder, game, observation, strategy)
    print_matches(game, find_agent(str(folder), game), args.opponents, args.hands)


if __name__ == "__main__":
    main(tyro.cli(Args))
