"""The algorithm `self_play_ppo` of `card-envs train`: its settings, presets, learner and callbacks."""

from __future__ import annotations

from card_baselines.agents.learned.devices import find_device
from card_baselines.average_strategy.snapshots import SnapshotAverage
from card_baselines.ppo.config import SCHEDULES, Config
from card_baselines.ppo.exploiters import ExploiterTraining
from card_baselines.ppo.fast_cpu import FastPpo
from card_baselines.ppo.network import EXPLOITER
from card_baselines.ppo.on_device.learner import DevicePpo
from card_baselines.ppo.ppo import Ppo
from card_baselines.ppo.presets import PRESETS
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.exploitability_meter import ExactAverage
from card_baselines.runs.learner import LearnerCallback
from card_envs.game import Game

__all__ = ["ALGORITHM"]


def make_callbacks(config: Config, game: Game) -> list[LearnerCallback]:
    """Return the extensions of PPO that the settings select."""
    callbacks: list[LearnerCallback] = []
    if config.average_strategy == "exact":
        callbacks.append(ExactAverage(game))
    if config.average_strategy == "snapshots":
        callbacks.append(SnapshotAverage())
    if EXPLOITER in config.opponents:
        callbacks.append(ExploiterTraining(config, game))
    return callbacks


def make_learner(config: Config, game: Game) -> Ppo:
    """Return a new learner with the extensions that the settings select; on a GPU with its tables there too."""
    kind = FastPpo if find_device(config.device).type == "cpu" else DevicePpo
    return kind(config, game, make_callbacks(config, game))


ALGORITHM = make_game_algorithm(
    "self_play_ppo",
    Config,
    make_learner,
    presets=PRESETS,
    may_change=(
        "minutes",
        "steps",
        "evaluation_seconds",
        "exploiter_updates",
        "exploiter_batches",
        "fast_cpu",
        *SCHEDULES,
    ),
    keeps_frozen_selves=True,
)
