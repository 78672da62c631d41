"""Card games of imperfect information for reinforcement learning: PettingZoo, Gymnasium and a batched engine."""

from __future__ import annotations

from card_envs.envs import ENVS, make_game, make_vector, register_env, register_installed_games, warmup
from card_envs.game import IllegalActionError

__version__ = "0.1.0"
__all__ = ["ENVS", "IllegalActionError", "__version__", "make_game", "make_vector", "register_env", "warmup"]

register_installed_games()  # last: a package that lists its games in a mapping may import this one
