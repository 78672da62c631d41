"""Charlesworth (2018): self-play PPO in Big 2."""
