"""Settings of self-play PPO, and the schedules of those that change during a run."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Literal

from card_baselines.runs.config import GameRunConfig
from card_baselines.runs.ranges import ABOVE_0, AT_LEAST_0, AT_LEAST_1, SHARE, Range

Schedule = tuple[float, ...]
"""One value for the whole run, or the values at its start and end, interpolated linearly over the budget."""


@dataclass(frozen=True, kw_only=True)
class Config(GameRunConfig):
    """Settings of a run. The defaults suit hold'em; `presets.PRESETS` holds settings for other games under names.

    Learning rate, entropy, clip and KL penalty are schedules: one value, or the values at the start and end of the run.
    """

    opponents: tuple[str, ...] = ()
    """Pool of players for mixed deals: agent names, "module:Class", run folders, "self" for past selves, or "exploiter"
    for learners that are trained against the policy during the run (`ppo.exploiters`). Repeating a name makes it more
    frequent."""
    mixed: Annotated[float, SHARE] = 0.0
    """Probability that a deal is mixed: the learner has one seat and a player of the pool all others, or an exploiter
    has one seat and the learner all others."""
    tremble: Annotated[float, Range(0, 0.5)] = 0.0
    """Probability that a decision of the learner is drawn uniformly from the legal actions, and not learned from: a
    trembling hand (Selten 1975). The learner then meets, and learns to play, positions to which its policy never leads.
    """
    exploiter_updates: Annotated[int, AT_LEAST_1] = 100
    """Number of updates between two trainings of exploiters; the first one is trained after the first update."""
    exploiter_batches: Annotated[int, AT_LEAST_1] = 30
    """Number of batches that each exploiter is trained on. They count as decisions of the run."""
    num_tables: Annotated[int, AT_LEAST_1] = 1024
    """Number of tables that are played side by side."""
    batch: Annotated[int, AT_LEAST_1] = 16_384
    """Minimum number of decisions of finished deals in an update."""
    minibatch: Annotated[int, AT_LEAST_1] = 1024
    """Approximate number of decisions per optimiser step; a batch is split evenly."""
    epochs: Annotated[int, AT_LEAST_1] = 2
    """Number of passes over a batch."""
    learning_rate: Annotated[Schedule, ABOVE_0] = (3e-4, 1e-4)
    """Learning rate of Adam."""
    entropy: Annotated[Schedule, AT_LEAST_0] = (0.02, 0.01)
    """Weight of the entropy in the objective."""
    clip: Annotated[Schedule, AT_LEAST_0] = (0.2,)
    """The probability ratio is clipped to 1 - clip .. 1 + clip."""
    kl_penalty: Annotated[Schedule, AT_LEAST_0] = (0.0,)
    """Weight of the KL divergence from the policy that collected the batch (Schulman et al. 2017, section 4)."""
    clip_value: bool = False
    """Clip values to `clip` around the old ones too, as Charlesworth (2018) does."""
    normalise: bool = True
    """Normalise the advantages of each minibatch to mean 0 and standard deviation 1. With --no-normalise they keep
    their scale, so that the weights of entropy and KL penalty have the same effect throughout a run."""
    gamma: Annotated[float, SHARE] = 1.0
    """Discount factor from one decision of a seat to its next."""
    reward_scale: Annotated[float, ABOVE_0] = 0.1
    """Factor of the rewards, since big blinds and points are large numbers for a network."""
    skip_forced: bool = True
    """Let the engine play decisions with one legal action; --no-skip-forced leaves them to the learner."""
    hidden: Annotated[tuple[int, ...], AT_LEAST_1] = (128, 128)
    """Widths of the hidden layers of the policy; the value network has the same."""
    shared_layers: Annotated[int, AT_LEAST_0] = 0
    """Number of hidden layers that policy and value share; the value has its own copy of the others."""
    activation: str = "relu"
    """Activation of the hidden layers: relu or tanh."""
    average: Annotated[float, SHARE] = 0.0
    """Decay per update of an exponential moving average of the weights, which is evaluated and saved in place of the
    latest weights; 0 for the latest weights."""
    fast_cpu: Literal["off", "float32", "bfloat16", "auto"] = "float32"
    """Computation of the network on a CPU. float32: kernels that skip zeros and illegal actions. bfloat16: hidden
    layers in bfloat16, up to three times as fast with AMX or AVX-512 BF16, much slower elsewhere. auto: the faster of
    the two, measured when the run begins. off: plain PyTorch, as on GPUs."""
    average_strategy: Literal["off", "exact", "snapshots"] = "off"
    """Average of all policies of the run, saved beside the latest one. exact: in small hold'em games, as a table, with
    the exact exploitability of both during the run (folder `average`). snapshots: in games of any size, as a mixture of
    networks, one of which is drawn for each deal (folder `average_snapshots`)."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        for name in SCHEDULES:
            if len(getattr(self, name)) not in (1, 2):
                raise ValueError(f"{name} {getattr(self, name)} must be one value, or two: at the start and at the end")


@dataclass(frozen=True)
class Schedules:
    """The current values of the scheduled settings."""

    learning_rate: float
    entropy: float
    clip: float
    kl_penalty: float

    @classmethod
    def from_config(cls, config: Config, fraction: float) -> Schedules:
        """Return the values after a `fraction` of the budget, 0 to 1."""
        ends = {name: getattr(config, name) for name in SCHEDULES}
        return cls(**{name: (1.0 - fraction) * values[0] + fraction * values[-1] for name, values in ends.items()})


SCHEDULES = tuple(field.name for field in fields(Schedules))
"""Names of the scheduled settings."""
