"""Expert iteration: a network learns the actions that a search with this network finds (Anthony, Tian and Barber 2017).

The search, `teacher`, improves the policy at each decision, at the price of milliseconds. The network plays all seats,
asks the search what it would do, and learns that; then it plays better without search, and a search with it is better
again. A run is one round: for the next one, the new network is both `start_from` and the policy of the teacher.

Searched decisions are dear, so they are kept in a memory and learned from several times. Most of them confirm the
policy and the others err at times, so the network learns a mixture of the search's action and the policy that the run
began with (`anchor`).
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import torch

from card_baselines.agents.learned.legal_logits import list_legal
from card_baselines.agents.learned.mlp_policy import load_weights, read_weights
from card_baselines.learning.memories import ReplayMemory
from card_baselines.learning.optimisation import take_step
from card_baselines.neural import distill
from card_baselines.neural.distill import Distillation
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.ranges import AT_LEAST_1, SHARE
from card_envs.agent import choose
from card_envs.game import Game
from card_envs.rng import make_generator

_STEPS_PER_UPDATE = 8


@dataclass(frozen=True, kw_only=True)
class Config(distill.Config):
    """Settings of a run: those of distillation, where the teacher is a search, and those of its memory."""

    teacher: str = "ppo_big2:rollout"
    """The search: an agent name "policy:search", or any agent that does not remember deals."""
    opponents: tuple[str, ...] = ()
    """None: the network plays all seats."""
    mixed: float = 0.0
    """0: the network plays all seats."""
    num_tables: int = 128
    """Number of tables that are played side by side."""
    learning_rate: tuple[float, float] = (2e-4, 1e-5)
    """Learning rate of Adam at the start and at the end of the run, linear in between."""
    anchor: Annotated[float, SHARE] = 0.5
    """Share of the policy that the run begins with in the target; the rest is the action of the search."""
    memory: Annotated[int, AT_LEAST_1] = 300_000
    """Number of most recent decisions that are learned from."""
    minibatch: Annotated[int, AT_LEAST_1] = 1024
    """Number of decisions in an optimiser step."""
    replays: Annotated[int, AT_LEAST_1] = 8
    """Number of times that a decision is learned from, on average."""

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        if self.opponents or self.mixed:
            raise ValueError(
                f"opponents {self.opponents} and mixed {self.mixed} must be empty and 0: the network plays all seats"
            )


class ExpertIteration(Distillation):
    """The learner: the network, the policy that it began with, the search, and a memory of searched decisions."""

    checkpoint = "expert_iteration.safetensors"
    config: Config

    def __init__(self, config: Config, game: Game) -> None:
        """Make a network whose weights `start_from` will set; ValueError if the settings name none to start from."""
        if not config.start_from:
            raise ValueError("start_from '' must name the network that the search improves: a run folder or an agent")
        super().__init__(config, game)
        self.anchor = deepcopy(self.network).requires_grad_(False)
        columns = {
            "observation": ((game.layout.size,), game.layout.dtype),
            "mask": ((-(-game.num_actions // 8),), np.uint8),
            "action": ((), np.int64),
        }
        self.memory = ReplayMemory(config.memory, columns)
        self.rng = make_generator(config.seed, 3)

    def start_from(self, run: RunFolder) -> None:
        """Begin with the policy of another run, which is also the anchor; ValueError where it has another shape."""
        for network in (self.network, self.anchor):
            load_weights(network.policy, read_weights(run.path / WEIGHTS), run.path)

    def play(self) -> dict[str, float]:
        """Search eight decisions of every table, learn from the memory, and return measures."""
        before = self.memory.num_added
        for _ in range(_STEPS_PER_UPDATE):
            self._search_step()
        new = self.memory.num_added - before
        self.decisions += new
        steps = max(1, round(new * self.config.replays / self.config.minibatch))
        measures = torch.stack([self._learn() for _ in range(steps)]).mean(dim=0).tolist()
        return dict(zip(("loss", "agrees", "anchor_agrees"), measures, strict=True))

    def _search_step(self) -> None:
        """Play forced decisions, then search and play one decision at every table."""
        tables = self.tables
        for rows, actions in tables.find_forced():
            tables.step(rows, actions)
        rows = tables.rows
        decisions = tables.decisions_of(self.teacher, rows)
        observation, legal = tables.observe(rows)
        found = self.ask_for_actions(decisions, legal)
        self.memory.add(
            self.rng, observation=observation, mask=np.packbits(decisions.action_mask, axis=1), action=found
        )
        with torch.no_grad():
            probabilities = self.compute_log_probabilities(self.network, observation, legal).exp().cpu().numpy()
        choice = choose(probabilities, tables.rng.random(len(rows)))
        tables.step(rows, legal[np.arange(len(rows)), choice].astype(np.int64))

    def _learn(self) -> torch.Tensor:
        """Take an optimiser step; return the loss, and how often network and anchor prefer the search's action."""
        batch = self.memory.sample(self.rng, self.config.minibatch)
        mask = np.unpackbits(batch["mask"].numpy(), axis=1, count=self.game.num_actions).view(np.int8)
        legal = list_legal(mask, np.empty(len(mask), np.int64))
        is_found = torch.from_numpy(legal).to(self.device) == batch["action"].to(self.device)[:, None]
        with torch.no_grad():
            anchor = self.compute_log_probabilities(self.anchor, batch["observation"].numpy(), legal).exp()
        share = self.config.anchor
        target = share * anchor + (1.0 - share) * is_found.float()
        log_probabilities = self.compute_log_probabilities(self.network, batch["observation"].numpy(), legal)
        loss = -(target * log_probabilities).sum(dim=1).mean()
        loss = take_step(self.optimiser, loss)
        places = is_found.int().argmax(dim=1)
        agrees = [(each.argmax(dim=1) == places).float().mean() for each in (log_probabilities, anchor)]
        return torch.stack([loss, *agrees])

    @property
    def parts(self) -> Mapping[str, Any]:
        """The parts of a distillation, anchor, memory, and the random generator of minibatches."""
        return {**super().parts, "anchor": self.anchor.policy, "memory": self.memory, "minibatch_rng": self.rng}


PRESETS = {
    "big2": Config(
        env="big2-v0", start_from="ppo_big2", panel=("ppo_big2",), minutes=30.0, evaluation_seconds=600.0,
        evaluation_hands=8_000, final_hands=40_000,
    ),
}  # fmt: skip

ALGORITHM = make_game_algorithm("expert_iteration", Config, ExpertIteration, presets=PRESETS, activation="relu")
