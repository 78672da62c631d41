"""The common base of the four kinds of students: networks with an optimiser each, and their files."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file
from torch import nn

from card_baselines.agents.learned.mlp_policy import load_weights, read_weights
from card_baselines.league import Experience, Trainee
from card_baselines.papers.kaminsky2020.players import (
    OBSERVATION_SIZE,
    choose_actions,
    convert,
    find_dtype,
    make_network,
)
from card_baselines.papers.kaminsky2020.situation import ENCODER, is_playable
from card_baselines.run_folder import CONFIG, WEIGHTS
from card_baselines.runs.checkpoint import STATE, collect_parts, load_state, read_count, restore_parts, save_state
from card_baselines.runs.learner import TrainingDivergedError
from card_envs.agent import Decisions
from card_envs.game import Game

POLICY = "policy"
"""Name of the network that plays."""


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


class KaminskyTrainee(Trainee):
    """A student with named networks. The one that plays is named "policy"."""

    encoder = ENCODER
    settings: ClassVar[Settings]

    def __init__(self, seed: int = 0) -> None:
        """Make networks with random weights."""
        torch.set_num_threads(1)  # small networks: threads would wait for each other
        self.dtype = find_dtype(self.settings.dtype)
        self.generator = torch.Generator().manual_seed(seed)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.networks: dict[str, nn.Module] = self.make_networks()
        self.optimisers = {
            name: torch.optim.Adam(self.networks[name].parameters(), lr=rate) for name, rate in self.rates().items()
        }
        self.rounds = 0
        self._played: nn.Module | None = None

    # --- defined by each kind of student ---

    @abstractmethod
    def rates(self) -> dict[str, float]:
        """Return the names of the networks that learn, with their learning rates."""

    @abstractmethod
    def learn_batch(self, experience: Experience, rows: NDArray[np.int64]) -> dict[str, torch.Tensor]:
        """Make one update from some of the decisions; return losses."""

    def make_networks(self) -> dict[str, nn.Module]:
        """Return all networks by name."""
        return {POLICY: make_network(self.config())}

    def config(self) -> dict[str, Any]:
        """Return the content of config.json, from which a clone is loaded."""
        return {"agent": "kaminsky2020", "encoder": ENCODER, **asdict(self.settings)}

    # --- playing ---

    def can_play(self, game: Game) -> bool:
        """Return True for six-max no-limit hold'em with 200 chips."""
        return is_playable(game)

    @property
    def played(self) -> nn.Module:
        """The network that plays, in its number type."""
        if self._played is None:
            self._played = convert(self.networks[POLICY], self.dtype).eval()
        return self._played

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
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

    def _batches(self, count: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
        for _ in range(self.settings.passes):
            order = rng.permutation(count)
            yield from np.array_split(order, max(1, round(count / self.settings.batch)))

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
