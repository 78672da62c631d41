"""Algorithms of Stable-Baselines3 with action masks: `maskable_ppo`, `maskable_dqn` and `recurrent_ppo`.

`sb3_run` holds the learner that they share.
"""
