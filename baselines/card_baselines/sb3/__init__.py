"""Algorithms of Stable-Baselines3 as learners."""
