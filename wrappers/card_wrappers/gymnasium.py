"""Gymnasium: `card_envs.gymnasium_env` beside the other APIs."""

from card_envs.gymnasium_env import CardEnv, CardVectorEnv, make_env, make_vector_env

__all__ = ["CardEnv", "CardVectorEnv", "make_env", "make_vector_env"]
