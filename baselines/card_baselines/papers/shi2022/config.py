"""Settings of a run of Shi et al. (2022), and its game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from card_baselines.papers.shi2022.networks import ENCODER
from card_baselines.runs.algorithm import describe_game_run
from card_baselines.runs.config import RunConfig
from card_baselines.runs.ranges import ABOVE_0, AT_LEAST_1
from card_envs.envs import make_game
from card_envs.game import Game

ENV, SEATS = "limit_holdem-v0", 6


@dataclass(frozen=True, kw_only=True)
class Config(RunConfig):
    """Settings of a run; it ends after `episodes`, whatever the results look like."""

    algorithm: Literal["apu", "dual-apu", "apu-ctrl", "dual-apu-ctrl"] = "dual-apu"
    history: Literal["lstm", "fc", "none"] = "lstm"
    reward: Literal["net", "printed"] = "net"
    """A win earns the share of the pot in small bets, or its square as the paper prints (section 4.3)."""
    episodes: Annotated[int, AT_LEAST_1] = 20_000
    """Episodes of six hands each; 20,000 in the paper."""
    num_tables: Annotated[int, AT_LEAST_1] = 600
    """Hands side by side, and between two rounds of updates (TRAINING_PERIOD); a multiple of six."""
    updates: Annotated[int, AT_LEAST_1] = 24
    """Updates of each learner after each round."""
    batch_hands: Annotated[int, AT_LEAST_1] = 128
    """Hands of an update, each with all decisions of the learner."""
    warm_up: int = 400
    """Updates of each learner's critic before its actor begins to move."""
    replay: Annotated[int, AT_LEAST_1] = 240_000
    """Decisions kept, shared among the learners' own memories."""
    agent_period: Annotated[int, AT_LEAST_1] = 500
    """APU: episodes until the next network learns."""
    update_period: Annotated[int, AT_LEAST_1] = 500
    """Dual-APU: episodes until the copy at the other seats is renewed."""
    learning_rate_actor: Annotated[float, ABOVE_0] = 3e-4
    learning_rate_critic: Annotated[float, ABOVE_0] = 1e-3
    polyak: float = 0.01
    """Polyak averaging: share of the way that the critic's target network moves towards it with every update."""
    entropy: float = 0.02
    """Weight of the policy's entropy. With 0, policies settle on one action early and stay there."""
    final_share: Annotated[float, ABOVE_0] = 1.0
    """Learning rates and the weight of entropy move along a line to this share of themselves."""
    exploration: float = 0.05
    """Probability of a random action in a learner's decisions."""
    value_scale: Annotated[float, ABOVE_0] = 0.1
    """Rewards in small bets are multiplied by this: large numbers are hard for networks."""
    hidden: Annotated[int, AT_LEAST_1] = 128
    memory: Annotated[int, AT_LEAST_1] = 64
    """Width of the layers, and of the history."""
    hand_features: bool = True
    """Inputs that say how good hands are, beside the cards (not in the paper), on by default."""
    evaluation_episodes: Annotated[int, AT_LEAST_1] = 4000
    evaluation_hands: int = 6000
    panel: tuple[str, ...] = ("sklansky_strict", "chen_strict", "shi_rules_strict")
    """Agents that the learner is measured against along the way, in all other seats."""
    final_panel: tuple[str, ...] = ()
    """Agents of the final evaluation; by default those of the panel."""
    final_hands: int = 60_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        if self.num_tables % SEATS:
            raise ValueError(f"num_tables {self.num_tables} must be a multiple of {SEATS}, the hands of an episode")
        if self.num_actors > 1 and self.replay // self.num_actors < 10 * self.num_tables:
            raise ValueError(f"replay {self.replay} is too small for six learners at {self.num_tables} tables")

    @property
    def num_actors(self) -> int:
        """Networks that learn: six or one."""
        return SEATS if self.algorithm.startswith("apu") else 1

    def game(self) -> Game:
        """Return the game of the paper."""
        return make_paper_game()


def make_paper_game() -> Game:
    """Return six-max limit hold'em with the encoder `shi2022`."""
    return make_game(ENV, num_players=SEATS, encoder=ENCODER)


def describe(config: Config) -> dict[str, Any]:
    """Return the content of config.json: the settings, and what a player needs to rebuild the networks."""
    return describe_game_run(config, "shi2022", "shi2022", env=ENV, num_actors=config.num_actors)
