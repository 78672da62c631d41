"""The four kinds of students: two Q-learners and two soft actor-critics, on one base with their files.

Qlearn-8 and Qlearn-All (sections 2.2.2, 3.4.2, eq. 3.5) train values towards the payoff of the hand. The value of
folding is minus the chips put in; it is neither learned nor explored. With probability epsilon another move is played,
each legal one with the same probability.

SAC-High and SAC-Low (sections 2.2.3, 3.4.3) are soft actor-critics over four numbers. Two critics, each with a target
network, learn the payoff of the hand plus the temperature times the entropy of later decisions, by bootstrapping from
the seat's next decision, without discount. The policy maximises the smaller critic. The paper prints a learning rate of
0.1 for the policy; here it has that of the critics. Results of both: docs/reproductions/kaminsky2020_choices.md.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from card_baselines.agents.learned.mlp_policy import load_weights, read_weights
from card_baselines.league import Choices, Experience, Trainee
from card_baselines.learning.adam import Adam
from card_baselines.papers.kaminsky2020.players import (
    DESIRES,
    OBSERVATION_SIZE,
    Critic,
    best_moves,
    choose_actions,
    choose_desired_actions,
    compute_values,
    find_dtype,
    find_moves,
    make_network,
    sample_desires,
)
from card_baselines.papers.kaminsky2020.situation import ENCODER, is_playable
from card_baselines.run_folder import CONFIG, WEIGHTS
from card_baselines.runs.checkpoint import STATE, collect_parts, load_state, read_count, restore_parts, save_state
from card_baselines.runs.learner import TrainingDivergedError
from card_envs.agent import Decisions, choose
from card_envs.game import Game
from card_envs.typing import Rows

POLICY = "policy"
"""Name of the network that plays."""
CRITICS, TARGETS = ("critic_0", "critic_1"), ("target_0", "target_1")
EPSILON = 0.1
"""Probability of a random move of a Q-learner."""
_FOLD = -1


@dataclass(frozen=True)
class Settings:
    """Settings of all four kinds. A section of the paper is named where it states the setting."""

    kind: str
    """qlearn_8, qlearn_all or sac."""
    learning_rate: float = 0.001
    """Learning rate of value networks, with Adam (sections 3.4.2, 3.4.3)."""
    width: int = 256
    layers: int = 4
    reward_scale: float = 1000.0
    """Chips that make a value of 1, the maximum of tanh: five stacks, the maximum payoff of a hand."""
    passes: int = 1
    """Number of passes over the decisions of a round, which are not stored beyond its end."""
    batch: int = 512
    """Decisions of an update."""
    dtype: str = "auto"
    """Number type of the networks: bfloat16 where the processor has it ("auto"), or float32."""


@dataclass(frozen=True)
class SacSettings(Settings):
    """Further settings of the soft actor-critic (section 3.4.3)."""

    temperature: float = 0.01
    polyak: float = 0.999
    """Weight of a target network's own parameters in every update (Polyak averaging)."""
    policy_rate: float = 0.001
    """Learning rate of the policy."""
    passes: int = 2


class KaminskyTrainee(Trainee):
    """A student with named networks, some of which have an optimiser."""

    encoder = ENCODER
    settings: ClassVar[Any]
    """A `Settings`."""

    def __init__(self, seed: int = 0) -> None:
        """Make networks with random weights."""
        torch.set_num_threads(1)  # small networks: threads would wait for each other
        self.dtype = find_dtype(self.settings.dtype)
        self.generator = torch.Generator().manual_seed(seed)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.networks: dict[str, Any] = self.make_networks()
        self.optimisers = {name: Adam(self.networks[name].parameters(), lr=rate) for name, rate in self.rates().items()}
        self.rounds = 0
        self._played: torch.nn.Module | None = None

    # --- defined by each kind of student ---

    def make_networks(self) -> dict[str, Any]:
        """Return all networks by name."""
        return {POLICY: make_network(self.config())}

    def rates(self) -> dict[str, float]:
        """Return the learning rates of the networks that learn, by name."""
        return {POLICY: self.settings.learning_rate}

    @abstractmethod
    def learn_batch(self, experience: Experience, rows: Rows) -> dict[str, torch.Tensor]:
        """Make one update from some of the decisions; return losses."""

    def config(self) -> dict[str, Any]:
        """Return the content of config.json, from which a clone is loaded."""
        return {"agent": "kaminsky2020", "encoder": ENCODER, **asdict(self.settings)}

    # --- playing ---

    def can_play(self, game: Game) -> bool:
        """Return True for six-max no-limit hold'em with 200 chips."""
        return is_playable(game)

    @property
    def played(self) -> torch.nn.Module:
        """The network that plays, in its number type."""
        if self._played is None:
            network = self.networks[POLICY]
            self._played = (network if self.dtype == torch.float32 else deepcopy(network).to(self.dtype)).eval()
        return self._played

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Rows:
        """Return one action for each decision, without exploration."""
        return choose_actions(self.played, self.config(), decisions)

    # --- learning ---

    def learn(self, experience: Experience, rng: np.random.Generator) -> Mapping[str, float]:
        """Learn from all decisions of a round, in random order; return the mean losses.

        Raises:
            TrainingDivergedError: A loss is not finite.
        """
        self.generator.manual_seed(int(rng.integers(2**62)))
        losses: list[dict[str, torch.Tensor]] = []
        for rows in self._batches(len(experience), rng):
            with torch.autocast("cpu", torch.bfloat16, enabled=self.dtype == torch.bfloat16):
                losses.append(self.learn_batch(experience, rows))
        self.rounds += 1
        self._played = None
        means = {name: float(torch.stack([each[name] for each in losses]).mean()) for name in losses[0]}
        if not all(np.isfinite(value) for value in means.values()):
            raise TrainingDivergedError(f"round {self.rounds} of {self.name}: the losses are {means}")
        return means

    def _batches(self, count: int, rng: np.random.Generator) -> Iterator[Rows]:
        for _ in range(self.settings.passes):
            order = rng.permutation(count)
            yield from np.array_split(order, max(1, round(count / self.settings.batch)))

    def payoffs(self, experience: Experience, rows: Rows) -> torch.Tensor:
        """Return the payoffs (n,) of the hands of some decisions, as values."""
        chips = experience.rewards[rows] * experience.game.chips_per_reward
        return torch.from_numpy((chips / self.settings.reward_scale).astype(np.float32))

    def update(self, name: str, loss: torch.Tensor) -> torch.Tensor:
        """Take an optimiser step for one network, with no gradients for others; return the loss."""
        optimiser = self.optimisers[name]
        optimiser.zero_grad(set_to_none=True)
        loss.backward(inputs=list(self.networks[name].parameters()))  # type: ignore[no-untyped-call]
        optimiser.step()
        return loss.detach()

    # --- files ---

    @property
    def _parts(self) -> dict[str, Any]:
        """Networks and optimisers, by their names in the file."""
        return self.networks | {f"adam.{name}": optimiser for name, optimiser in self.optimisers.items()}

    def save(self, folder: Path) -> None:
        """Write the networks, the states of their optimisers, and config.json."""
        save_state(folder / STATE, collect_parts(self._parts), {"rounds": self.rounds})
        self._save_config(folder)

    def save_policy(self, folder: Path) -> None:
        """Write the network that plays, in half precision, and config.json."""
        weights = {name: value.half().contiguous() for name, value in self.networks[POLICY].state_dict().items()}
        save_file(weights, folder / WEIGHTS)
        self._save_config(folder)

    def _save_config(self, folder: Path) -> None:
        sizes = {"rounds": self.rounds, "observation_size": OBSERVATION_SIZE}
        (folder / CONFIG).write_text(json.dumps({**self.config(), **sizes}, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, game: Game) -> Self:
        """Return the student that `save` wrote, which continues exactly, or a clone, which plays."""
        student = cls()
        if not (folder / STATE).exists():
            load_weights(student.networks[POLICY], read_weights(folder / WEIGHTS), folder)
            return student
        tensors, progress = load_state(folder / STATE)
        restore_parts(student._parts, tensors)
        student.rounds = read_count(progress, "rounds")
        return student


class Qlearn(KaminskyTrainee):
    """A Q-learner; `settings.kind` decides which moves it has."""

    def explore(self, decisions: Decisions, rng: np.random.Generator) -> Choices:
        """Return the best moves, but random ones in some decisions; the notes are the moves."""
        config = self.config()
        moves, views = find_moves(config), decisions.views
        values = compute_values(self.played, decisions)
        chosen = best_moves(values, moves, views, config["reward_scale"])
        explores = np.flatnonzero(decisions.random_numbers < EPSILON)
        if len(explores):
            weights = self.weigh_moves(moves.legal(views)[explores])
            chosen[explores] = choose(weights, decisions.random_numbers[explores] / EPSILON)
        return Choices(moves.actions(views, chosen), chosen)

    def weigh_moves(self, legal: NDArray[np.bool_]) -> NDArray[np.floating[Any]]:
        """Return how likely each move (n, moves) is explored: all legal ones alike."""
        return legal.astype(np.float64)

    def learn_batch(self, experience: Experience, rows: Rows) -> dict[str, torch.Tensor]:
        """Update the values of the played moves towards the payoff of the hand; folds are not learned."""
        assert experience.notes is not None
        rows = rows[experience.notes[rows] != _FOLD]
        observation, moves = (torch.from_numpy(each[rows]) for each in (experience.observations, experience.notes))
        target = self.payoffs(experience, rows)
        error = self.networks[POLICY].evaluate_moves(observation, moves).float() - target
        return {"loss": self.update(POLICY, (error**2).mean())}


class Qlearn8(Qlearn):
    """Calls, or raises to one of seven amounts; the move is an input of the network."""

    name = "qlearn_8"
    settings = Settings("qlearn_8")


class QlearnAll(Qlearn):
    """Calls, or raises to any amount up to 200; one pass of the network gives all values."""

    name = "qlearn_all"
    settings = Settings("qlearn_all")


class QlearnAllBalanced(QlearnAll):
    """Explores calls as often as raises of all amounts together, which section 5.3 proposes and does not try."""

    name = "qlearn_all_balanced"

    def weigh_moves(self, legal: NDArray[np.bool_]) -> NDArray[np.floating[Any]]:
        """Return 1 for a call, and 1 for all legal raises together."""
        weights = legal.astype(np.float64)
        weights[:, 1:] /= np.maximum(weights[:, 1:].sum(axis=1, keepdims=True), 1)
        return weights


class Sac(KaminskyTrainee):
    """A soft actor-critic."""

    def make_networks(self) -> dict[str, Any]:
        """Return the policy, two critics and their target networks."""
        networks = super().make_networks()
        for critic, target in zip(CRITICS, TARGETS, strict=True):
            networks[critic] = Critic(OBSERVATION_SIZE + DESIRES, 1, self.settings.width, self.settings.layers)
            networks[target] = deepcopy(networks[critic]).requires_grad_(False)
        return networks

    def rates(self) -> dict[str, float]:
        """Return the learning rates of policy and critics."""
        return {POLICY: self.settings.policy_rate, **dict.fromkeys(CRITICS, self.settings.learning_rate)}

    def explore(self, decisions: Decisions, rng: np.random.Generator) -> Choices:
        """Return actions sampled from the policy; the notes are the sampled numbers."""
        desires = sample_desires(self.played, decisions)
        return Choices(choose_desired_actions(desires, decisions.views), desires)

    def learn_batch(self, experience: Experience, rows: Rows) -> dict[str, torch.Tensor]:
        """Update critics, policy and targets once."""
        assert experience.notes is not None
        observation, action = (torch.from_numpy(each[rows]) for each in (experience.observations, experience.notes))
        targets = self._targets(experience, rows)
        losses = {}
        for critic, target in zip(CRITICS, targets, strict=True):
            error = self.networks[critic](observation, action).float() - target
            losses[critic] = self.update(critic, (error**2).mean())
        losses[POLICY] = self._update_policy(observation)
        self._update_targets()
        return losses

    @torch.no_grad()
    def _targets(self, experience: Experience, rows: Rows) -> list[torch.Tensor]:
        """Return the target (n,) of each critic: the payoff after the last decision, else the next decision's value."""
        following = experience.following[rows]
        goes_on, paid = torch.from_numpy(following >= 0), self.payoffs(experience, rows)
        later = torch.from_numpy(experience.observations[np.maximum(following, 0)])
        action, density = self._sample(later)
        bonus = self.settings.temperature * density
        return [torch.where(goes_on, self.networks[name](later, action).float() - bonus, paid) for name in TARGETS]

    def _update_policy(self, observation: torch.Tensor) -> torch.Tensor:
        action, density = self._sample(observation)
        value = torch.minimum(*(self.networks[name](observation, action).float() for name in CRITICS))
        return self.update(POLICY, (self.settings.temperature * density - value).mean())

    @torch.no_grad()
    def _update_targets(self) -> None:
        """Update the target networks by Polyak averaging."""
        for critic, target in zip(CRITICS, TARGETS, strict=True):
            pairs = zip(self.networks[target].parameters(), self.networks[critic].parameters(), strict=True)
            for slow, fast in pairs:
                slow.lerp_(fast, 1 - self.settings.polyak)

    def _sample(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return actions (n, 4) drawn from the policy, and their log densities (n,)."""
        normals = torch.randn(len(observation), DESIRES, generator=self.generator)
        sampled: tuple[torch.Tensor, torch.Tensor] = self.networks[POLICY].sample(observation, normals)
        return sampled


class SacHigh(Sac):
    """Temperature 0.01."""

    name = "sac_high"
    settings = SacSettings("sac", temperature=0.01)


class SacLow(Sac):
    """Temperature 0.0005."""

    name = "sac_low"
    settings = SacSettings("sac", temperature=0.0005)
