"""Gymnasium: `card_envs.gymnasium_env` beside the other APIs."""

from card_envs.gymnasium_env import CardEnv, CardVectorEnv

__all__ = ["CardEnv", "CardVectorEnv"]
