"""Train agents for limit hold'em as Shi et al. (2022) do: APU, Dual-APU, their controls and their ablations.

Read top to bottom: who sits where and who learns, the loop, what is written along the way. An episode is six
hands, with every seat on the button once; `num_tables` hands are played side by side, then the learners are updated.

* `apu` (algorithm 1): six networks, one per seat, of which one learns at a time.
* `dual-apu` (algorithm 2): one network learns at one seat; a copy of it, renewed from time to time, has the others.
* `apu-ctrl` (algorithm A3): six networks that learn at the same time, each from its own hands.
* `dual-apu-ctrl` (algorithm A4): one network at all six seats learns from all hands.

`history` "fc" and "none" are the ablations of section 5.3, with any of the four.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import save_policy
from card_baselines.papers.shi2022.config import SEATS, Config, describe
from card_baselines.papers.shi2022.encoder import most_decisions
from card_baselines.papers.shi2022.learner import ActorCriticLearner, Replay
from card_baselines.papers.shi2022.networks import PokerNetwork, actor_size, make_actor, make_critic, number_actors
from card_baselines.papers.shi2022.rollout import Rollout, deal_tables
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.algorithm import Algorithm
from card_baselines.runs.budget import Budget, Periodic
from card_baselines.runs.learner import Learner
from card_envs.game import Game
from card_envs.rng import make_generator


class Training(Learner):
    """The actors and critics of a run, the copy that Dual-APU plays against, and how far the run is."""

    counts = ("episodes",)

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
        actor, critic = (make(game, asdict(config)).to(self.device) for make in (make_actor, make_critic))
        return ActorCriticLearner(actor, critic, replay, config, float(game.config.raise_sizes[0]))

    @property
    def num_steps(self) -> int:
        """Episodes so far."""
        return self.episodes

    @property
    def parts(self) -> Mapping[str, Any]:
        """What a checkpoint holds; of a finished run nothing more."""
        if self.episodes >= self.config.episodes:
            return {}
        copy = {} if self.copy is None else {"copy": self.copy}
        return copy | {str(number): learner for number, learner in enumerate(self.learners)}

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
        rng = make_generator(config.seed, number)
        actors, actor_of_seat, learner_of_seat = self.seating
        tables = deal_tables(self.game, config.num_tables, config.seed, number)
        rollout = Rollout(
            self.game, tables, actors, actor_of_seat, learner_of_seat,
            fixed_size=actor_size(self.game.layout, config.hand_features),
            exploration=config.exploration, rng=rng,
        )  # fmt: skip
        for learner, trajectories in zip(self.learners, rollout.play(), strict=True):
            learner.replay.add(trajectories)
        share = 1.0 + (config.final_share - 1.0) * self.episodes / config.episodes
        self.episodes += per_round
        learners = self.active_learners()
        losses = [learner.update(rng, share) for learner in learners for _ in range(config.updates)]
        if self.episodes // config.update_period > (self.episodes - per_round) // config.update_period:
            self._renew_copy()
        actions = dict(zip(("folds", "calls", "raises"), rollout.counts / rollout.counts.sum(), strict=True))
        return {name: float(np.mean([row[name] for row in losses])) for name in losses[0]} | actions

    def _renew_copy(self) -> None:
        if self.copy is not None:
            self.copy.load_state_dict(self.learners[0].actor.state_dict())

    def save_policy(self, run: RunFolder) -> None:
        """Write the actors."""
        save_policy(number_actors([learner.actor for learner in self.learners]), run.path / WEIGHTS)


ALGORITHM = Algorithm(
    name="shi2022",
    config=Config,
    make_learner=Training,
    describe=describe,
    budget=lambda config, done: Budget(0.0, config.episodes, done),
    evaluation_timer=lambda config, budget, learner: Periodic(
        config.evaluation_episodes, lambda: float(learner.num_steps), aligned=True
    ),
    counts="episodes",
    final_panel=lambda config: config.final_panel or config.panel,
    checkpoint_seconds=120.0,
    may_change=(),
    logs_means=True,
)
