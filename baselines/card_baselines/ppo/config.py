"""Settings of self-play PPO, and those among them that change in the course of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from card_baselines.runs.config import GameRunConfig, require, require_above_0, require_shares


@dataclass(frozen=True, kw_only=True)
class Config(GameRunConfig):
    """Settings of a run; the defaults suit hold'em. Settings with a `final_` counterpart move there along a line.

    `PRESETS` has others under names.
    """

    opponents: tuple[str, ...] = ()
    """Pool for mixed deals: agent names, "module:Class", run folders, "self" for past selves, or "exploiter" for
    learners that are trained against the policy along the way (`ppo.exploiters`). Names may stand there twice."""
    mixed: float = 0.0
    """Share of deals in which the learner has one seat and a player of the pool all others, or an exploiter has one
    seat and the learner all others."""
    past_selves: int = 8
    """How many past selves are kept."""
    past_self_updates: int = 50
    """One is added after so many updates."""
    exploiters: int = 8
    """How many exploiters are kept."""
    exploiter_updates: int = 100
    """One is trained after so many updates, the first one after the first update."""
    exploiter_batches: int = 30
    """From so many batches it learns. They count as decisions of the run."""
    num_tables: int = 1024
    batch: int = 16_384
    """Decisions of finished deals per update, at least."""
    minibatch: int = 1024
    epochs: int = 2
    learning_rate: float = 3e-4
    final_learning_rate: float = 1e-4
    entropy: float = 0.02
    """Weight of the entropy in the objective."""
    final_entropy: float = 0.01
    clip: float = 0.2
    final_clip: float = 0.2
    kl_penalty: float = 0.0
    """Weight of the KL divergence from the policy that played the batch (Schulman et al. 2017, section 4)."""
    final_kl_penalty: float = 0.0
    clip_value: bool = False
    """Keep values within `clip` of the old ones too, as Charlesworth (2018) does."""
    value_weight: float = 0.5
    max_gradient: float = 0.5
    """Longer gradients are shortened to this norm."""
    normalise: bool = True
    """Give the advantages of each minibatch mean 0 and deviation 1. --no-normalise keeps their scale: the weights of
    entropy and penalty then mean the same throughout a run."""
    gamma: float = 1.0
    gae_lambda: float = 0.95
    reward_scale: float = 0.1
    """Rewards are multiplied by this: big blinds and points are large numbers for a network."""
    skip_forced: bool = True
    """Let the engine play decisions with one legal action; --no-skip-forced gives them to the learner."""
    hidden: tuple[int, ...] = (128, 128)
    value_hidden: tuple[int, ...] = (128, 128)
    shared_layers: int = 0
    """Hidden layers of the policy that the value shares."""
    activation: str = "relu"
    average: float = 0.0
    """Decay per update of the averaged weights, which then play and are exported; 0 for the latest weights."""
    bfloat16: bool | Literal["auto"] = False
    """Compute hidden layers in bfloat16: up to three times as fast on processors with AMX or AVX-512 BF16, much slower
    on others. "auto" measures it when the run begins."""
    exploitability: bool = False
    """Small hold'em games: measure the exact exploitability of the policy, and of the average of all so far, which the
    folder `average` plays."""

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense, by name."""
        super().__post_init__()
        require(self, 1, "num_tables", "batch", "minibatch", "epochs", "past_self_updates", "hidden", "value_hidden")
        require(self, 1, "exploiters", "exploiter_updates", "exploiter_batches")
        require(self, 0, "past_selves", "shared_layers", "entropy", "final_entropy", "kl_penalty", "final_kl_penalty")
        require_above_0(self, "learning_rate", "max_gradient", "reward_scale")
        require_shares(self, "mixed", "gamma", "gae_lambda", "average")


RATES = ("learning_rate", "entropy", "clip", "kl_penalty")


@dataclass(frozen=True)
class Rates:
    """What changes in the course of a run."""

    learning_rate: float
    entropy: float
    clip: float
    kl_penalty: float

    @classmethod
    def at(cls, fraction: float, config: Config) -> Rates:
        """Return the rates when a `fraction` of the budget is used."""

        def between(first: float, final: float) -> float:
            return (1.0 - fraction) * first + fraction * final

        return cls(
            learning_rate=between(config.learning_rate, config.final_learning_rate),
            entropy=between(config.entropy, config.final_entropy),
            clip=between(config.clip, config.final_clip),
            kl_penalty=between(config.kl_penalty, config.final_kl_penalty),
        )
