"""Settings of the search for a response, and of the learners that take part in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from card_baselines.settings import parse_settings
from card_baselines.training.ppo_config import Config as PpoConfig
from card_baselines.training.presets import PRESETS, default_preset
from card_baselines.training.run_config import require, require_above_0
from card_envs.envs import find_entry, make_game
from card_envs.game import Game

RESPONSE: dict[str, Any] = {
    "batch": 8192,
    "learning_rate": 1e-3,
    "final_learning_rate": 2e-4,
    "entropy": 0.02,
    "final_entropy": 0.002,
}
"""Settings of PPO against an opponent that stands still."""
_ENCODER, _PREFERRED = "encoder", "equity"
"""The setting, and the encoder that responses see a game through where it has one: it tells what hands are worth."""
_OF_PRESET = ("hidden", "value_hidden", "shared_layers", "reward_scale")
"""What learners take from the preset of their environment."""


@dataclass(frozen=True, kw_only=True)
class ResponseConfig:
    """How a response is looked for."""

    env: str
    """Environment id."""
    agent: str
    """Whom to respond to, in all other seats: a name as in `find_agent`."""
    set: tuple[str, ...] = ()
    """Environment arguments, such as num_players=6."""
    minutes: float = 5.0
    """Processor time for everything but the last match."""
    seeds: int = 2
    """Learners from each start."""
    hands: int = 50_000
    """Of the last match."""
    control_variates: bool = False
    """Take chance off the result of the last match."""
    selection_hands: int = 8_000
    """Of each match by which learners are compared, and no more than `hands`."""
    seed: int = 0
    folder: str = ""
    """Where learners, their curves and the result are kept; by default a new folder below `runs/`."""

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense, by name."""
        require(self, 1, "seeds", "hands", "selection_hands")
        require_above_0(self, "minutes")

    def settings(self) -> tuple[str, ...]:
        """Return the arguments of the environment as the learners see it: with an encoder, unless one is named."""
        if any(word.startswith(f"{_ENCODER}=") for word in self.set):
            return self.set
        preferred = (*self.set, f"{_ENCODER}={_PREFERRED}")
        try:
            make_game(find_entry(self.env).id, **parse_settings(preferred))
        except ValueError:
            return self.set
        return preferred

    def learner(self, game: Game, seed: int) -> PpoConfig:
        """Return the settings of one learner: only deals against the agent, and rates that do not depend on time."""
        preset = PRESETS.get(default_preset(find_entry(self.env).id, game.num_seats), {})
        taken: dict[str, Any] = {name: preset[name] for name in _OF_PRESET if name in preset}
        return PpoConfig(
            env=self.env, set=self.settings(), opponents=(self.agent,), mixed=1.0, panel=(self.agent,), past_selves=0,
            minutes=self.minutes, seed=seed, average=0.98, **RESPONSE, **taken,
        )  # fmt: skip
