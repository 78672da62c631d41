"""The settings of Charlesworth (2018), section 5, for `card-envs train self_play_ppo --preset charlesworth2018`."""

from __future__ import annotations

from dataclasses import replace

from card_baselines.ppo.presets import BIG2

PRESET = replace(  # his batches hold 20 steps of each game, ours finished games
    BIG2,
    minutes=0.0,
    steps=131_000_000,
    num_tables=48,
    batch=960,
    minibatch=240,
    epochs=5,
    learning_rate=(2.5e-4, 1e-6),
    entropy=(0.01,),
    clip=(0.2, 0.0),
    clip_value=True,
    gamma=0.995,
    skip_forced=False,
)
