"""Settings of `self_play_ppo` under names: those of the shipped agents, of a paper, and for small games."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from card_baselines.ppo.config import Config
from card_baselines.runs.evaluation import LOCAL_BEST_RESPONSE

_SCRIPTED = ("chen", "sklansky", "shi_rules", "rlcard_rule", "tight_aggressive", "loose_passive")
_SIMPLE = ("random", "always_call", "always_raise")
BEST_RESPONSE = Config(batch=8192, learning_rate=(1e-3, 2e-4), entropy=(0.02, 0.002))
"""Settings of learners whose opponent is fixed: exploiters and learned best responses."""
_BIG2 = Config(
    env="big2-v0",
    panel=("random", "big2_greedy", "big2_planner"),
    hidden=(512, 256),
    shared_layers=1,
    reward_scale=0.2,
    final_hands=20_000,
)
"""Network and panel for Big 2."""


def _small_game(env: str, scale: float, width: int, evaluation_seconds: float, **settings: Any) -> Config:
    """Return settings for a small game: four passes over each batch, a KL penalty, and unnormalised advantages.

    Without normalisation the weights of entropy and penalty have the same effect throughout a run.
    """
    return Config(
        env=env, reward_scale=scale, hidden=(width, width), evaluation_seconds=evaluation_seconds,
        evaluation_hands=2_000, average_strategy="exact", epochs=4, normalise=False, **settings,
    )  # fmt: skip


# A high entropy weight at first, so that unusual bluffs are explored; KL penalty and unnormalised advantages as in
# small games. A shared first layer and large minibatches make decisions cheap.
_HOLDEM = Config(
    hidden=(256, 128),
    shared_layers=1,
    batch=32_768,
    minibatch=4096,
    average=0.995,
    normalise=False,
    learning_rate=(1e-3, 1e-4),
    entropy=(0.04, 0.003),
    kl_penalty=(1.0, 4.0),
)
_HEADS_UP = replace(
    _HOLDEM,
    env_args=("encoder=equity",),  # the network need not learn the equity of a hand from its cards
    panel=(*_SIMPLE, *_SCRIPTED, LOCAL_BEST_RESPONSE),
    fast_cpu="auto",
    minutes=35.0,
    evaluation_seconds=500.0,
    evaluation_hands=20_000,
    final_hands=100_000,
)
_AT_SIX = ("always_raise", "always_call", *_SCRIPTED, "equity")
_TABLE_OF_SIX = replace(
    _HOLDEM,
    opponents=("self", *_AT_SIX),
    mixed=0.7,  # the learner has one seat of six in these deals, so they make up a quarter of its decisions
    panel=(*_SIMPLE, *_SCRIPTED, "equity"),
    fast_cpu="auto",
    minutes=35.0,
    evaluation_seconds=300.0,
    evaluation_hands=10_000,
    final_hands=300_000,
)
_NO_LIMIT_TABLE_OF_SIX = replace(
    _TABLE_OF_SIX,
    env="no_limit_holdem-v0",
    exploiter_updates=150,
    exploiter_batches=150,
    reward_scale=0.03,  # pots are several times as large as in limit games
)

PRESETS = {
    # After 2, 10 and 35 minutes a pool of opponents and an average of the weights have cost more than they gained
    # (docs/results/ablations_limit.md).
    "ppo_limit_hu": replace(_HEADS_UP, env="limit_holdem-v0", average=0.0),
    "ppo_no_limit_hu": replace(
        _HEADS_UP,
        env="no_limit_holdem-v0",
        opponents=("self", "exploiter", "exploiter", "always_raise", "always_call", "loose_passive"),
        mixed=0.3,
        exploiter_updates=200,
        exploiter_batches=80,
        average=0.998,
        reward_scale=0.02,  # pots are several times as large as in limit games
    ),
    "ppo_limit_six_max": replace(_TABLE_OF_SIX, env="limit_holdem-v0", env_args=("num_players=6",)),
    "ppo_no_limit_six_max": replace(
        _NO_LIMIT_TABLE_OF_SIX,
        env_args=("num_players=6",),
        opponents=("self", "exploiter", "exploiter", *_AT_SIX),  # exploiters are twice as frequent as others
        mixed=0.6,
        minutes=24.0,
    ),
    # Made for --start-from an imitation of position_ranges (`distill --preset no_limit_six_max`): from random weights
    # all seats learn to limp, which no single seat can change. The imitation never limps and rarely raises again, so
    # trembling hands and a high entropy at first teach it to play against those who do.
    "tight_no_limit_six_max": replace(
        _NO_LIMIT_TABLE_OF_SIX,
        env_args=("encoder=equity", "num_players=6"),
        # Few and mostly tight players: against many weak ones, opening most hands pays, and the policy learns it.
        opponents=(
            "self", "exploiter", "exploiter", "position_ranges", "tight_aggressive", "equity", "loose_passive",
            "always_raise",
        ),
        mixed=0.3,
        tremble=0.05,
        learning_rate=(5e-4, 5e-5),
        entropy=(0.04, 0.003),
        minutes=14.0,
    ),
    "ppo_big2": replace(
        _BIG2,
        minutes=60.0,
        num_tables=256,
        batch=8192,
        minibatch=2048,
        epochs=3,
        learning_rate=(5e-4, 2e-5),
        entropy=(0.01, 0.005),
        average=0.99,
        fast_cpu="auto",
        evaluation_seconds=300.0,
        evaluation_hands=8_000,
        final_hands=50_000,
    ),
    # Section 5 of Charlesworth (2018), `papers.charlesworth2018`. His batches hold 20 steps of each game, ours finished
    # games.
    "charlesworth2018": replace(
        _BIG2, minutes=0.0, steps=131_000_000, num_tables=48, batch=960, minibatch=240, epochs=5,
        learning_rate=(2.5e-4, 1e-6), entropy=(0.01,), clip=(0.2, 0.0), clip_value=True, gamma=0.995, skip_forced=False,
    ),
    # Made for --start-from a run of asymmetric_big2 (`asymmetric_ppo`), whose policy it improves.
    "ppo_big2_clean": replace(
        _BIG2,
        env_args=("encoder=clean",),
        panel=("ppo_big2", "big2_planner"),
        minutes=38.0,
        num_tables=512,
        batch=16_384,
        minibatch=4096,
        epochs=2,
        learning_rate=(3e-4, 1e-5),
        entropy=(0.006, 0.002),
        average=0.995,
        fast_cpu="auto",
        evaluation_seconds=900.0,
        evaluation_hands=8_000,
        final_hands=40_000,
    ),
    # With less KL penalty and, at the end, less entropy than elsewhere, exploitability falls sooner
    # (docs/results/flop_holdem.md).
    "flop": replace(
        _HOLDEM,
        env="flop_holdem-v0",
        env_args=("encoder=equity",),
        entropy=(0.04, 0.0003),
        kl_penalty=(0.3,),
        panel=_SIMPLE,
        average_strategy="snapshots",
        fast_cpu="auto",
        minutes=10.0,
        evaluation_seconds=120.0,
        evaluation_hands=10_000,
        final_hands=50_000,
    ),
    "leduc": _small_game(
        "leduc_holdem-v0", 0.2, 64, 10.0, minutes=10.0, batch=4096,
        learning_rate=(3e-3, 3e-4), entropy=(0.06, 0.01), kl_penalty=(2.0, 20.0),
    ),
    "kuhn": _small_game(
        "kuhn_poker-v0", 1.0, 32, 2.0, minutes=2.0, steps=2_000_000, batch=2048,
        learning_rate=(2e-3, 3e-4), entropy=(0.1, 0.03), kl_penalty=(3.0, 20.0),
    ),
}  # fmt: skip
