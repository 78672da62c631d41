"""MaskablePPO on our VecEnv, heads-up limit hold'em against a random player; units are the learner's decisions."""

from __future__ import annotations

from sb3_contrib import MaskablePPO

from card_baselines.sb3.maskable_ppo import Config
from card_baselines.speed.stopwatch import Work
from card_envs.envs import make_game
from card_wrappers.sb3 import CardVecEnv
from peers.learner import NETWORK, learning, with_eight_tables


def eight_tables(steps: str) -> Work:
    """Return learning from as many tables as the peer has, with the same settings."""
    return learning(with_eight_tables(_tables(8), steps))


def as_our_script() -> Work:
    """Return learning with the numbers of tables, steps, minibatch and epochs of our training script."""
    config = Config()
    return learning(
        MaskablePPO(
            "MlpPolicy",
            _tables(config.num_tables),
            n_steps=config.steps_per_update,
            batch_size=config.minibatch,
            n_epochs=config.epochs,
            policy_kwargs=NETWORK,
            device="cpu",
        )
    )


def _tables(number: int) -> CardVecEnv:
    return CardVecEnv(make_game("limit_holdem-v0", num_players=2), number, opponents="random", seed=0)
