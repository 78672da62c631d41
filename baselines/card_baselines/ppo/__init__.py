"""Self-play PPO on the batched engine."""
