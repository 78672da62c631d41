"""Single Deep CFR and Deep CFR: regret minimisation with a network in place of the table of regrets.

Brown, Lerer, Gross and Sandholm (Deep counterfactual regret minimization, ICML 2019); Steinberger (Single deep
counterfactual regret minimization, 2019). In each iteration, external sampling traverses many deals for each player in
turn and estimates advantages of the player's actions. A network is trained to predict the mean of all advantages so
far, weighted by iteration (linear CFR), and regret matching on its outputs is the next strategy.

The average strategy converges. Single Deep CFR keeps the network of every iteration and draws one for each deal; Deep
CFR trains another network to play the average. Differences from the papers: one network plays both positions, which it
observes; networks are not reinitialised after an iteration; and in small games (`merge_samples`) the training data are
the mean advantages of all information states rather than a reservoir of samples.

Read in this order: `external_sampling` (traversals), `learning.memories`, `advantage_network`, this file;
`average_strategy.snapshots`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import save_policy
from card_baselines.average_strategy.average_network import AverageNetwork
from card_baselines.average_strategy.snapshots import Snapshots
from card_baselines.learning.memories import DecisionReservoir
from card_baselines.learning.optimisation import interpolate, set_learning_rate, take_steps
from card_baselines.neural.advantage_network import AdvantageNetwork, MeanAdvantages
from card_baselines.neural.external_sampling import Samples, require_two_players, traverse
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.algorithm import MAY_CHANGE, make_game_algorithm
from card_baselines.runs.checkpoint import tables_part
from card_baselines.runs.exploitability_meter import AVERAGE, LATEST, MeasuredConfig, MeasuredLearner
from card_baselines.runs.ranges import ABOVE_0, AT_LEAST_1, AT_LEAST_2
from card_envs.agent import Decisions
from card_envs.game import Game
from card_envs.rng import make_generator
from card_envs.typing import Floats


@dataclass(frozen=True, kw_only=True)
class Config(MeasuredConfig):
    """Settings of a run. The defaults suit games of any size, the presets `kuhn` and `leduc` small ones."""

    traversals: Annotated[int, AT_LEAST_1] = 1000
    """Number of deals that each player traverses in an iteration."""
    train_steps: Annotated[int, AT_LEAST_1] = 200
    """Number of optimiser steps after the traversals of each player."""
    minibatch: Annotated[int, AT_LEAST_1] = 2048
    learning_rate: Annotated[tuple[float, float], ABOVE_0] = (1e-3, 1e-3)
    """Learning rate at the start and at the end of the run, linear in the used fraction of the budget."""
    hidden: Annotated[tuple[int, ...], AT_LEAST_1] = (64, 64, 64)
    memory: Annotated[int, AT_LEAST_1] = 1_000_000
    """Capacity of the reservoir of advantages in decisions, with --merge-samples in information states; also the
    capacity of the reservoir of Deep CFR's average network."""
    merge_samples: bool = False
    """Keep the mean advantage of each information state: without sampling noise, for games with few of them."""
    average: Literal["snapshots", "network"] = "snapshots"
    """Form of the average strategy. snapshots: the networks of all iterations, one drawn for each deal (Single Deep
    CFR). network: another network, trained on decisions of all iterations (Deep CFR)."""
    max_snapshots: Annotated[int, AT_LEAST_2] = 1000
    """Maximum number of networks that are kept; beyond it, every second one is dropped."""
    average_steps: Annotated[int, AT_LEAST_1] = 400
    """Number of optimiser steps for Deep CFR's average network after every iteration."""


class SingleDeepCfr(MeasuredLearner):
    """The learner: the advantage network, its memory, and the average strategy."""

    counts = ("decisions", "iterations")

    def __init__(self, config: Config, game: Game) -> None:
        """Start with the uniform strategy; ValueError unless the game has two players."""
        require_two_players(game)
        torch.manual_seed(config.seed)
        super().__init__(game, config.exploitability)
        self.config, device = config, find_device(config.device)
        self.network = AdvantageNetwork(game, config.hidden, device)
        self.memory: MeanAdvantages | DecisionReservoir = (
            MeanAdvantages(config.memory, game)
            if config.merge_samples
            else DecisionReservoir(config.memory, game, "advantage")
        )
        self.snapshots = Snapshots(config.max_snapshots)
        self.average: AverageNetwork | None = None
        if config.average == "network":
            self.average = AverageNetwork(game, config.hidden, config.memory, 1e-3, device)
        self.rng = make_generator(config.seed, 3)
        self.tables = game.seeded_tables(config.traversals, config.seed)
        self.decisions = self.iterations = 0

    @property
    def num_steps(self) -> int:
        """Number of decisions visited so far."""
        return self.decisions

    def update(self, fraction: float) -> dict[str, float]:
        """Run one iteration: traversals and optimiser steps for each player; returns measures."""
        set_learning_rate(self.network.optimiser, interpolate(self.config.learning_rate, fraction))
        losses = [self._update_player(player) for player in range(2)]
        self.iterations += 1
        if self.meter:
            self.meter.add(self.meter.compute_strategy(self.network.strategy), float(self.iterations))
        if self.average is None:
            self.snapshots.add(self.network.plain_policy(), float(self.iterations))
        else:
            self.average.fit(self.rng, self.config.average_steps, self.config.minibatch)
        return {"iterations": float(self.iterations), "loss": float(np.mean(losses))}

    def _update_player(self, player: int) -> float:
        """Traverse deals for a player (0 is the first to act) and train the network; return the mean loss."""
        self.game.deal_batch(self.tables, np.arange(len(self.tables)))
        first = self.tables["actor"].astype(np.int64)
        samples = self.traverse(first if player == 0 else 1 - first)
        self.decisions += len(samples.own.weight) + len(samples.others.weight)
        weight = float(self.iterations + 1)
        if not self.iterations and player == 0:
            first_seen = torch.from_numpy(np.concatenate([side.observation for side in samples]))
            self.network.input.fit(first_seen.to(self.network.device).float())
        self.memory.add_decisions(self.rng, *samples.own, scale=weight)
        if self.average is not None:
            self.average.reservoir.add_decisions(self.rng, *samples.others, scale=weight)
        minibatch, network = self.config.minibatch, self.network
        return take_steps(
            network.optimiser,
            lambda: network.compute_loss(self.memory.sample(self.rng, minibatch, network.device)),
            self.config.train_steps,
        )

    def traverse(self, traversers: NDArray[np.int64]) -> Samples:
        """Return samples of the deals at the tables; `traversers` (tables,) are seats."""
        return traverse(self.game, self.tables, traversers, self.network.strategy, self.rng)

    def strategies(self, decisions: Decisions) -> dict[str, Floats]:
        """Return the latest strategy, and the average strategy: the exact one, or Deep CFR's average network."""
        observation, action_mask = decisions.observation, decisions.action_mask
        if self.average is not None:
            average = self.average.policy.compute_probabilities(observation, action_mask)
        else:
            assert self.meter is not None
            average = self.meter.strategy()
        return {LATEST: self.network.strategy(observation, action_mask), AVERAGE: average}

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy: all snapshots, or the average network."""
        if self.average is not None:
            save_policy(self.average.policy, run.path / WEIGHTS)
            return
        if not len(self.snapshots):
            self.snapshots.add(self.network.plain_policy(), 0.0)
        self.snapshots.save(run)

    @property
    def parts(self) -> Mapping[str, Any]:
        """Networks, optimisers, memories, averages, tables and the random generator."""
        network = self.network
        return {
            **super().parts,
            "network": network.policy,
            "adam": network.optimiser,
            "input": network.input,
            "memory": self.memory,
            "snapshots": self.snapshots.part_of(network.policy),
            "average": self.average.parts if self.average is not None else {},
            "tables": tables_part(self.game, self.tables),
            "rng": self.rng,
        }


make_cfr_algorithm = partial(
    make_game_algorithm,
    agent=lambda config: "snapshots" if config.average == "snapshots" else "mlp",
    may_change=(*MAY_CHANGE, "learning_rate"),
    activation="relu",
    output="advantages",
)
"""As `make_game_algorithm`, for Single Deep CFR and variants of it, whose agent depends on `Config.average`."""

_SMALL = Config(
    merge_samples=True,
    exploitability=True,
    learning_rate=(2e-3, 5e-5),  # at 5e-3 networks fit worse and worse after a thousand iterations
    minibatch=256,
    train_steps=40,
    average_steps=80,
)
PRESETS = {
    "leduc": replace(_SMALL, env="leduc_holdem-v0", traversals=800, minutes=10.0, evaluation_seconds=15.0),
    "kuhn": replace(_SMALL, env="kuhn_poker-v0", traversals=200, hidden=(32, 32), minutes=0.5, evaluation_seconds=3.0),
    "flop": Config(env="flop_holdem-v0", max_snapshots=60, evaluation_seconds=120.0),
}

ALGORITHM = make_cfr_algorithm("sd_cfr", Config, SingleDeepCfr, presets=PRESETS)
