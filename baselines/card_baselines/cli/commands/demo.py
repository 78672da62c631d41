"""`card-envs demo`: two minutes of training on heads-up limit hold'em, then a table of matches."""

from __future__ import annotations

from pathlib import Path

from card_baselines.cli.commands.train import print_evaluation, print_how_to_activate, print_next_match
from card_baselines.progress import count_minutes
from card_baselines.runs.run import train
from card_baselines.sb3 import maskable_ppo

TRAINING_OPPONENTS = ("always_call", "always_raise", "chen", "shi_rules", "tight_aggressive", "equity")
NEW_OPPONENTS = ("random", "loose_passive", "cfr_small")

_CURVE_POINTS = 10
"""Number of evaluations during the training."""


def demo(minutes: float = 2.0, hands: int = 50_000, seed: int = 0, folder: Path | None = None) -> None:
    """Train on heads-up limit hold'em for two minutes, then play against simple players.

    Args:
        minutes: Processor time to train, evaluations along the way included; longer by the clock on a busy machine.
        hands: Hands of each match at the end.
        seed: Seed of the network and of all deals.
        folder: Run folder; by default a new one below `runs/`.
    """
    if not minutes > 0:
        raise ValueError(f"minutes {minutes} must be above 0")
    print(
        f"Training MaskablePPO on heads-up limit hold'em for {count_minutes(minutes)} of processor time ...", flush=True
    )
    run = train(
        maskable_ppo.ALGORITHM,
        maskable_ppo.Config(
            minutes=minutes,
            opponents=TRAINING_OPPONENTS,
            panel=(*TRAINING_OPPONENTS, *NEW_OPPONENTS),
            num_tables=256,  # small batches, many updates: what two minutes are best spent on
            steps_per_update=16,
            minibatch=512,
            epochs=4,
            evaluation_seconds=60.0 * minutes / _CURVE_POINTS,
            evaluation_hands=1000,
            final_hands=hands,
            seed=seed,
        ),
        folder,
    )
    print_evaluation(run)
    print(f"It trained against the first {len(TRAINING_OPPONENTS)}; {', '.join(NEW_OPPONENTS)} were new to it.")
    print_next_match(run, ["--env", "limit_holdem-v0", "--agents", str(run.path), "equity", "--hands", "100000"])
    print_how_to_activate()
