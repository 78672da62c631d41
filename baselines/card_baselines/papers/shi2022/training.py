"""Train agents for limit hold'em as Shi et al. (2022) do: APU, Dual-APU, their controls and their ablations.

Read top to bottom: settings, who sits where and who learns, the loop, what is written along the way. An episode is six
hands, with every seat on the button once; `num_tables` hands are played side by side, then the learners are updated.

* `apu` (algorithm 1): six networks, one per seat, of which one learns at a time.
* `dual-apu` (algorithm 2): one network learns at one seat; a copy of it, renewed from time to time, has the others.
* `apu-ctrl` (algorithm A3): six networks that learn at the same time, each from its own hands.
* `dual-apu-ctrl` (algorithm A4): one network at all six seats learns from all hands.

`history` "fc" and "none" are the ablations of section 5.3, with any of the four.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from safetensors.torch import save_file

from card_baselines.agents.learned.devices import find_device
from card_baselines.papers.shi2022.encoder import most_decisions
from card_baselines.papers.shi2022.learner import ActorCriticLearner, LearnerSettings, Replay
from card_baselines.papers.shi2022.networks import ENCODER, PokerNetwork, actor_size, make_actor, make_critic
from card_baselines.papers.shi2022.rollout import Rollout, deal_tables
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.algorithm import Algorithm, list_settings
from card_baselines.runs.budget import Budget, Periodic
from card_baselines.runs.checkpoint import load_state, save_state, strip_prefix
from card_baselines.runs.config import RunConfig, require, require_above_0
from card_baselines.runs.learner import Learner
from card_envs.envs import make_game
from card_envs.files import replace_file
from card_envs.game import Game

ENV, SEATS = "limit_holdem-v0", 6


@dataclass(frozen=True, kw_only=True)
class Config(RunConfig):
    """Settings of a run; it ends after `episodes`, whatever the results look like."""

    algorithm: Literal["apu", "dual-apu", "apu-ctrl", "dual-apu-ctrl"] = "dual-apu"
    history: Literal["lstm", "fc", "none"] = "lstm"
    experience: Literal["long", "short"] = "long"
    """The next state of a decision: before the seat's next decision, or right after this one (section 4.4)."""
    reward: Literal["net", "printed"] = "net"
    """A win earns the share of the pot, or its square as the paper prints (section 4.3)."""
    reward_unit: float = 1.0
    """Small bets at which the square and the share are equal, if the reward is `printed`."""
    episodes: int = 20_000
    """Episodes of six hands each; 20,000 in the paper."""
    num_tables: int = 600
    """Hands side by side, and between two rounds of updates (TRAINING_PERIOD); a multiple of six."""
    updates: int = 24
    """Updates of each learner after each round."""
    batch_hands: int = 128
    """Hands of an update, each with all decisions of the learner."""
    warm_up: int = 400
    """Updates of each learner's critic before its actor begins to move."""
    replay: int = 240_000
    """Decisions kept, shared among the learners' own memories."""
    agent_period: int = 500
    """APU: episodes until the next network learns."""
    update_period: int = 500
    """Dual-APU: episodes until the copy at the other seats is renewed."""
    learning_rate_actor: float = 3e-4
    learning_rate_critic: float = 1e-3
    polyak: float = 0.01
    """Polyak averaging: share of the way that the critic's target network moves towards it with every update."""
    entropy: float = 0.02
    """Weight of the policy's entropy. With 0, policies settle on one action early and stay there."""
    final_share: float = 1.0
    """Learning rates and the weight of entropy move along a line to this share of themselves."""
    exploration: float = 0.05
    """Probability of a random action in a learner's decisions."""
    value_scale: float = 0.1
    """Rewards in small bets are multiplied by this: large numbers are hard for networks."""
    hidden: int = 128
    memory: int = 64
    """Width of the layers, and of the history."""
    hand_features: bool = True
    """Inputs that say how good hands are, beside the cards (not in the paper), on by default."""
    evaluation_episodes: int = 4000
    evaluation_hands: int = 6000
    panel: tuple[str, ...] = ("sklansky_strict", "chen_strict", "shi_rules_strict")
    """Agents that the learner is measured against along the way, in all other seats."""
    final_panel: tuple[str, ...] = ()
    """Agents of the final evaluation; by default those of the panel."""
    final_hands: int = 60_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 1, "episodes", "updates", "batch_hands", "replay", "agent_period", "update_period", "num_tables")
        require(self, 1, "hidden", "memory", "evaluation_episodes")
        if self.num_tables % SEATS:
            raise ValueError(f"num_tables {self.num_tables} must be a multiple of {SEATS}, the hands of an episode")
        require_above_0(
            self, "reward_unit", "value_scale", "final_share", "learning_rate_actor", "learning_rate_critic"
        )
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
    game = make_paper_game()
    return {
        "agent": "shi2022",
        "env": ENV,
        **list_settings(config),
        "game": game.name,
        "encoder": game.encoder.name,
        "encoder_version": game.encoder.version,
        "num_seats": game.num_seats,
        "num_actions": game.num_actions,
        "observation_size": game.layout.size,
        "num_actors": config.num_actors,
    }


class Training(Learner):
    """The actors and critics of a run, the copy that Dual-APU plays against, and how far the run is."""

    def __init__(self, config: Config, game: Game) -> None:
        """Make networks with random weights."""
        torch.manual_seed(config.seed)
        self.config, self.game, self.device = config, game, find_device(config.device)
        self.episodes = 0
        self.learners = [self._make_learner() for _ in range(config.num_actors)]
        self.copy: PokerNetwork | None = None
        if config.algorithm == "dual-apu":
            self.copy = make_actor(game, asdict(config)).to(self.device)
            self._renew_copy()

    def _make_learner(self) -> ActorCriticLearner:
        config, game = self.config, self.game
        fixed_size = actor_size(game.layout, config.hand_features)
        rows = config.replay // config.num_actors
        replay = Replay(rows, most_decisions(game.config), game.num_seats, fixed_size, game.num_actions)
        names = [field.name for field in fields(LearnerSettings) if hasattr(config, field.name)]
        chosen = {name: getattr(config, name) for name in names}
        settings = LearnerSettings(**chosen, chips_per_small_bet=float(game.config.raise_sizes[0]))
        actor, critic = make_actor(game, asdict(config)), make_critic(game, asdict(config))
        return ActorCriticLearner(actor.to(self.device), critic.to(self.device), replay, settings)

    @property
    def num_steps(self) -> int:
        """Episodes so far."""
        return self.episodes

    @property
    def seating(self) -> tuple[list[PokerNetwork], list[int], list[int | None]]:
        """Networks, and for each seat which of them plays there and which learner sees it."""
        actors = [learner.actor for learner in self.learners]
        if self.copy is not None:
            return [*actors, self.copy], [0] + [1] * (SEATS - 1), [0, *[None] * (SEATS - 1)]
        if len(actors) > 1:
            return actors, list(range(SEATS)), list(range(SEATS))
        return actors, [0] * SEATS, [0] * SEATS

    def active_learners(self) -> list[ActorCriticLearner]:
        """Return the learners that are updated after this round."""
        if self.config.algorithm == "apu":
            return [self.learners[(self.episodes - 1) // self.config.agent_period % SEATS]]
        return self.learners

    def update(self, fraction: float) -> dict[str, float]:
        """Play a round of hands side by side, and update the learners; returns means over their updates."""
        config, per_round = self.config, self.config.num_tables // SEATS
        number = self.episodes // per_round
        rng = np.random.default_rng([config.seed % 2**64, number])
        actors, actor_of_seat, learner_of_seat = self.seating
        tables = deal_tables(self.game, config.num_tables, config.seed, number)
        rollout = Rollout(
            self.game, tables, actors, actor_of_seat, learner_of_seat,
            fixed_size=actor_size(self.game.layout, config.hand_features),
            short=config.experience == "short", exploration=config.exploration, rng=rng,
        )  # fmt: skip
        for learner, trajectories in zip(self.learners, rollout.play(), strict=True):
            learner.replay.add(trajectories)
        share = 1.0 + (config.final_share - 1.0) * self.episodes / config.episodes
        self.episodes += per_round
        learners = self.active_learners()
        losses = [learner.update(rng, share) for learner in learners for _ in range(config.updates)]
        if self.copy is not None and self._has_passed(config.update_period):
            self._renew_copy()
        actions = dict(zip(("folds", "calls", "raises"), rollout.counts / rollout.counts.sum(), strict=True))
        return {name: float(np.mean([row[name] for row in losses])) for name in losses[0]} | actions

    def _has_passed(self, period: int) -> bool:
        """Return True if the last round passed a multiple of `period` episodes."""
        return self.episodes // period > (self.episodes - self.config.num_tables // SEATS) // period

    def _renew_copy(self) -> None:
        assert self.copy is not None
        self.copy.load_state_dict(self.learners[0].actor.state_dict())

    def save_policy(self, run: RunFolder) -> None:
        """Write the actors."""
        weights = {
            f"{number}.{name}": tensor.contiguous()
            for number, learner in enumerate(self.learners)
            for name, tensor in learner.actor.state_dict().items()
        }
        with replace_file(run.path / WEIGHTS) as temporary:
            save_file(weights, temporary)

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write what `load` needs to continue exactly; of a finished run, that it is finished."""
        tensors: dict[str, torch.Tensor] = {}
        if self.episodes < self.config.episodes:
            for number, learner in enumerate(self.learners):
                tensors |= {f"{number}.{name}": tensor for name, tensor in learner.state().items()}
            if self.copy is not None:
                tensors |= {f"copy.{name}": tensor.clone() for name, tensor in self.copy.state_dict().items()}
        save_state(path, tensors, {**progress, "episodes": self.episodes})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`."""
        tensors, progress = load_state(path)
        self.episodes = progress["episodes"]
        if self.episodes < self.config.episodes:
            for number, learner in enumerate(self.learners):
                learner.restore(strip_prefix(f"{number}.", tensors))
            if self.copy is not None:
                self.copy.load_state_dict(strip_prefix("copy.", tensors))
        return progress


ALGORITHM = Algorithm(
    name="shi2022",
    config=Config,
    make_learner=Training,
    describe=describe,
    budget=lambda config, done: Budget(0.0, config.episodes, done),
    evaluation_timer=lambda config, budget, learner: Periodic(
        config.evaluation_episodes, lambda: float(learner.num_steps), aligned=True
    ),
    folder_name=lambda config: f"shi2022-{config.algorithm}-{config.history}",
    counts="episodes",
    final_panel=lambda config: config.final_panel or config.panel,
    checkpoint_seconds=120.0,
    may_change=(),
    logs_means=True,
)
