"""Self-play PPO on the batched engine.

Read in this order: `config` (settings), `network` (and its frozen copies in the pool), `rollout` (who sits where, how
decisions are collected), `rollout_buffer` (advantages), `ppo` (loss, update, checkpoints). `presets` holds settings
under names, `fast_cpu` a faster network, `exploiters` an extension, `algorithm` what `card-envs train` runs.
"""
