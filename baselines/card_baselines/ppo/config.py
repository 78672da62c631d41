"""Settings of self-play PPO, and the values of those that change in the course of a run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from card_baselines.runs.config import GameRunConfig, require, require_above_0, require_shares

Schedule = tuple[float, ...]
"""A value, or values at the start and at the end, linear in the used share of the budget."""


@dataclass(frozen=True, kw_only=True)
class Config(GameRunConfig):
    """Settings of a run; the defaults suit hold'em, `PRESETS` has others under names.

    Learning rate, entropy, clip and KL penalty hold one value, or the values at the start and at the end of the run.
    """

    opponents: tuple[str, ...] = ()
    """Pool for mixed deals: agent names, "module:Class", run folders, "self" for past selves, or "exploiter" for
    learners that are trained against the policy along the way (`ppo.exploiters`). A name may stand there twice."""
    mixed: float = 0.0
    """Probability that a deal is mixed: the learner has one seat and a player of the pool all others, or an exploiter
    has one seat and the learner all others."""
    exploiter_updates: int = 100
    """Updates between the trainings of exploiters; the first one is trained after the first update."""
    exploiter_batches: int = 30
    """Batches that each exploiter learns from. They count as decisions of the run."""
    num_tables: int = 1024
    """Tables that are played side by side."""
    batch: int = 16_384
    """Decisions of finished deals per update, at least."""
    minibatch: int = 1024
    """Decisions per step of the optimiser, about: a batch is split evenly."""
    epochs: int = 2
    """Passes over a batch."""
    learning_rate: Schedule = (3e-4, 1e-4)
    """Learning rate of Adam."""
    entropy: Schedule = (0.02, 0.01)
    """Weight of the entropy in the objective."""
    clip: Schedule = (0.2,)
    """Range of the probability ratio in which the objective is not clipped: 1 - clip .. 1 + clip."""
    kl_penalty: Schedule = (0.0,)
    """Weight of the KL divergence from the policy that played the batch (Schulman et al. 2017, section 4)."""
    clip_value: bool = False
    """Keep values within `clip` of the old ones too, as Charlesworth (2018) does."""
    normalise: bool = True
    """Give the advantages of each minibatch mean 0 and deviation 1. --no-normalise keeps their scale: the weights of
    entropy and penalty then mean the same throughout a run."""
    gamma: float = 1.0
    """Discount per decision of a seat."""
    gae_lambda: float = 0.95
    """Lambda of generalised advantage estimation (Schulman et al. 2016)."""
    reward_scale: float = 0.1
    """Rewards are multiplied by this: big blinds and points are large numbers for a network."""
    skip_forced: bool = True
    """Let the engine play decisions with one legal action; --no-skip-forced gives them to the learner."""
    hidden: tuple[int, ...] = (128, 128)
    """Widths of the hidden layers of the policy; the value has the same."""
    shared_layers: int = 0
    """Hidden layers that policy and value share; the value has the others a second time."""
    activation: str = "relu"
    """Activation of the hidden layers: relu or tanh."""
    average: float = 0.0
    """Decay per update of the averaged weights, which then play and are exported; 0 for the latest weights."""
    fast_cpu: Literal["off", "float32", "bfloat16", "auto"] = "float32"
    """Computation of the network on a CPU: with kernels that skip zeros and illegal actions (float32), with hidden
    layers in bfloat16 (up to three times as fast with AMX or AVX-512 BF16, much slower elsewhere), with the faster of
    the two, measured when the run begins (auto), or in plain PyTorch (off), as on GPUs."""
    average_strategy: Literal["off", "exact", "snapshots", "network"] = "off"
    """Average of all policies of the run, kept beside the latest: in small hold'em games as a table, with the exact
    exploitability of both along the run (exact; folder `average`); in games of any size as a mixture of networks of
    which one is drawn for each deal (snapshots; `average_snapshots`), or as one (network; `average_network`)."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 1, "num_tables", "batch", "minibatch", "epochs", "hidden")
        require(self, 1, "exploiter_updates", "exploiter_batches")
        require(self, 0, "shared_layers", *SCHEDULES)
        require_above_0(self, "learning_rate", "reward_scale")
        require_shares(self, "mixed", "gamma", "gae_lambda", "average")
        for name in SCHEDULES:
            if len(getattr(self, name)) not in (1, 2):
                raise ValueError(f"{name} {getattr(self, name)} must be one value, or two: at the start and at the end")


@dataclass(frozen=True)
class Schedules:
    """The values of the scheduled settings at one moment of a run."""

    learning_rate: float
    entropy: float
    clip: float
    kl_penalty: float

    @classmethod
    def from_config(cls, config: Config, fraction: float) -> Schedules:
        """Return the values when a `fraction` of the budget is used."""
        ends = {name: getattr(config, name) for name in SCHEDULES}
        return cls(**{name: (1.0 - fraction) * values[0] + fraction * values[-1] for name, values in ends.items()})


SCHEDULES = tuple(field.name for field in fields(Schedules))
"""Names of the scheduled settings."""
