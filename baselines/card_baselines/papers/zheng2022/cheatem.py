"""Cheat'em: the cheating sheet's policy, modified by a network that knows how likely the own hand is ahead.

`CheatemLearners` are trained hand by hand against one rival; `CheatemAgent` is what it becomes. Static-Cheat'em is the
same without changing the sheet while training.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.devices import find_device
from card_baselines.agents.learned.mlp_policy import read_tensors
from card_baselines.papers.zheng2022.advantage import (
    BOARDS,
    HANDS_PER_BOARD,
    RIVAL_COUNTS,
    advantage,
    chance_ahead,
    count_action,
)
from card_baselines.papers.zheng2022.card_types import random_type
from card_baselines.papers.zheng2022.duel import Hand, Learners
from card_baselines.papers.zheng2022.modification import (
    LOGIT_SCALE,
    Loss,
    compute_loss,
    mix_policies,
    modification_network,
)
from card_baselines.papers.zheng2022.networks import save_agent
from card_baselines.papers.zheng2022.sheet import (
    LEARNING_RATE,
    SHEET_FILE,
    TRAJECTORY,
    Sheet,
    add_decision,
    load_sheet,
    move_cell,
)
from card_baselines.papers.zheng2022.situation import (
    CHECK,
    NONE,
    NUM_COLUMNS,
    last_column_of_rival,
    plays_heads_up_limit,
)
from card_baselines.papers.zheng2022.stacks import Stack, make_networks
from card_baselines.papers.zheng2022.table_player import (
    ACTION_VALUES,
    TYPE_COUNTS,
    Scaling,
    find_values,
    to_action_probabilities,
    write_values,
)
from card_baselines.run_folder import CONFIG, WEIGHTS
from card_envs.agent import Decisions, StochasticAgent, choose
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.rng import seed_stream, seeded_streams
from card_envs.typing import Rows

MEMORY, DRAWN, PASSES, MINIBATCH, PERIOD = 48, 12, 5, 12, 50
"""Samples kept of each action, and drawn for a training. Passes over those, and decisions between two trainings."""
NETWORK_LEARNING_RATE = 1e-3
_TINY = 1e-8
_SEED_SCALE = 2.0**53
_STREAM = seeded_streams(1, 0)
"""Scratch: seeded anew for each decision."""

Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""Values, columns, rewards."""
SAMPLE = np.dtype(
    (
        np.record,
        [("column", np.int64), ("value", np.float64, (NUM_COLUMNS,)), ("ap", np.float64)],
    )
)
"""A decision to learn from: what was played, what the sheet said, advantage probability."""


@dataclass(frozen=True)
class CheatemConfig:
    """Options where paper and code differ, and parts that may be left out. The defaults are those of the code."""

    updates_sheet: bool = True
    """Change the sheet while training; Static-Cheat'em does not."""
    loss: Loss = "run"
    logit_scale: float = LOGIT_SCALE
    """Scale of the logits in the loss as run."""
    scaling: Scaling = "standardised"
    """Scaling of the sheet before training."""
    clip_advantage: bool = False
    """Keep AP within 0 .. 1."""
    counts_last_action: bool = False
    """Count the rival's last action of a hand too, which may be a fold, although no own decision follows."""
    training_sharpness: float = 1.0
    sharpness: float = 5.0
    """Factors of the sheet's values when playing to train, and afterwards."""
    hidden: tuple[int, ...] = (16,)
    batch_norm: bool = True
    completions: int = 0
    """Random completions of the board for each value of the sheet; 0 counts all."""
    uses_network: bool = True
    """Without, the sheet alone plays."""


class CheatemAgent(StochasticAgent):
    """Plays what was learned: samples from the sheet's softmax times the network's."""

    name = "zheng2022_cheatem"

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        """Load what `save` wrote; `device` computes the network: auto, cpu, cuda or cuda:N."""
        settings = json.loads((folder / CONFIG).read_text(encoding="utf-8"))["cheatem"]
        settings["hidden"] = tuple(settings["hidden"])
        tensors = read_tensors(folder / WEIGHTS)
        config = CheatemConfig(**settings)
        network = modification_network(config.hidden, config.batch_norm)
        prefix = "network."
        network.load_state_dict({k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)})
        rival = np.zeros(1, RIVAL_COUNTS)
        rival["seen"][0], rival["seen_ahead"][0] = tensors["seen"].numpy(), tensors["seen_ahead"].numpy()
        self._set(config, Sheet(tensors["sheet"].double().numpy()), rival, network)
        self.device = find_device(device)
        self.network.to(self.device)

    @classmethod
    def from_network(
        cls, config: CheatemConfig, sheet: Sheet, rival: NDArray[Any], network: torch.nn.Sequential
    ) -> Self:
        """Return the player of a sheet (as it is played), counts of the rival (copied) and a network."""
        agent = cls.__new__(cls)
        agent._set(config, sheet, rival.copy(), network)
        return agent

    def _set(self, config: CheatemConfig, sheet: Sheet, rival: NDArray[Any], network: torch.nn.Sequential) -> None:
        self.config, self.sheet, self.rival, self.network = config, sheet, rival, network.eval()
        self._record, self.device = sheet.record(), torch.device("cpu")

    def can_play(self, game: Game) -> bool:
        """Return True for heads-up limit hold'em; it is trained under the rules of RLCard."""
        return plays_heads_up_limit(game)

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probability of every action id (n, 3), for an advantage probability that `random_numbers` fix."""
        config, repaired, which = self.config, self.sheet.repaired, np.zeros(len(decisions), np.int64)
        values = find_values(decisions, self._record, which, repaired, config.completions)
        ahead = advantages_of(decisions, self.rival, which, repaired, config.clip_advantage)
        with torch.inference_mode():
            inputs = torch.from_numpy(ahead.astype(np.float32))[:, None].to(self.device)
            logits = self.network(inputs).cpu() if config.uses_network else None
            return policy_of(logits, values, config.sharpness, decisions)

    def save(self, folder: Path, **facts: Any) -> None:
        """Write config.json, with `facts` about the training, and policy.safetensors."""
        tensors = {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        tensors["sheet"] = torch.from_numpy(self.sheet.values)
        tensors["seen"] = torch.from_numpy(self.rival["seen"][0])
        tensors["seen_ahead"] = torch.from_numpy(self.rival["seen_ahead"][0])
        save_agent(folder, {"agent": "zheng2022_cheatem", "cheatem": asdict(self.config), **facts}, tensors)


class CheatemLearners(Learners):
    """Learners of Cheat'em, one run at each table."""

    name = "zheng2022_cheatem"
    steps_of_training = PASSES * NUM_COLUMNS * DRAWN // MINIBATCH

    def __init__(
        self,
        seeds: Sequence[int],
        config: CheatemConfig | None = None,
        sheets: Sequence[Sheet] | None = None,
    ) -> None:
        """Start from pre-trained sheets (raw), by default ours everywhere, and random networks."""
        self.config = config = CheatemConfig() if config is None else config
        sheets = [load_sheet(SHEET_FILE)] * len(seeds) if sheets is None else sheets
        self._repaired = sheets[0].repaired
        started = [sheet.standardise() if config.scaling == "standardised" else sheet for sheet in sheets]
        self._sheets = np.concatenate([sheet.record() for sheet in started])
        self._rivals = np.zeros(len(seeds), RIVAL_COUNTS)
        self._streams = np.concatenate([seeded_streams(1, seed) for seed in seeds])
        self._rngs = [np.random.default_rng([seed, 1]) for seed in seeds]
        networks = make_networks(lambda: modification_network(config.hidden, config.batch_norm), seeds)
        self._networks = Stack(networks, NETWORK_LEARNING_RATE)
        self._memory: list[list[deque[Any]]] = [[deque(maxlen=MEMORY) for _ in range(NUM_COLUMNS)] for _ in seeds]
        self._queues: list[deque[Any]] = [deque() for _ in seeds]
        self._decisions = np.zeros(len(seeds), np.int64)
        self._waiting = np.zeros(len(seeds), bool)
        self.trainings = np.zeros(len(seeds), np.int64)
        """(tables,): how often each network was trained."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Rows:
        """Return a sampled action for each decision."""
        config, tables = self.config, decisions.table_ids
        values = find_values(decisions, self._sheets, tables, self._repaired, config.completions)
        ahead = advantages_of(decisions, self._rivals, tables, self._repaired, config.clip_advantage)
        logits = None
        if config.uses_network:
            logits = self._networks.compute_at(tables, ahead.astype(np.float32)[:, None])
        return choose(policy_of(logits, values, config.training_sharpness, decisions), decisions.random_numbers)

    def learn(self, table: int, hand: Hand, seat: int) -> None:
        """Update the sheet, then the counts decision by decision; keep what the network may learn from."""
        own, one = hand.decisions_of(seat), slice(table, table + 1)
        samples = np.zeros(len(own), SAMPLE)
        learn_hand(
            hand.tables, hand.columns, own, seat, hand.payoffs[seat], self._sheets[one], self._rivals[one],
            self._streams[one], samples, self._repaired, self.config.updates_sheet, self.config.completions,
            np.zeros(1, TRAJECTORY), np.zeros(1, TYPE_COUNTS), np.zeros(1, ACTION_VALUES),
        )  # fmt: skip
        if self.config.counts_last_action and len(own) and own[-1] < len(hand.columns) - 1:
            count_last(hand.tables, seat, hand.columns[-1], self._repaired, self._rivals[one], self._streams[one])
        ahead = np.minimum(samples["ap"], 1.0) if self.config.clip_advantage else samples["ap"]
        rewards = self._rewards(hand, seat)
        self._queues[table].extend(zip(samples["column"], samples["value"], ahead, rewards, strict=True))
        self._store_samples(table)

    def _rewards(self, hand: Hand, seat: int) -> NDArray[np.float64]:
        if self.config.loss == "printed":  # r is the total of the hand
            return np.full(len(hand.decisions_of(seat)), hand.payoffs[seat])
        return hand.rewards_of(seat)

    def _store_samples(self, table: int) -> None:
        """Move samples from the queue to the memory until the network has to be trained."""
        queue, memory = self._queues[table], self._memory[table]
        while queue and not self._waiting[table]:
            column, *sample = queue.popleft()
            memory[column].append(sample)
            self._decisions[table] += 1
            is_time = (self._decisions[table] - NUM_COLUMNS * MEMORY) % PERIOD == 0
            self._waiting[table] = is_time and self.config.uses_network and all(len(kept) == MEMORY for kept in memory)

    def needs_training(self) -> NDArray[np.bool_]:
        """Return whose network has to be trained."""
        return self._waiting

    def train(self, tables: Rows) -> None:
        """Make five passes over a dozen samples of each action."""
        drawn = [self._draw(table) for table in tables.tolist()]
        values, ahead, rewards = (
            torch.from_numpy(np.array([[sample[k] for sample in run] for run in drawn], np.float32)) for k in range(3)
        )
        columns = torch.arange(NUM_COLUMNS).repeat_interleave(DRAWN).expand(len(tables), -1)
        if self.config.loss == "run":
            rewards = (rewards - rewards.mean(dim=1, keepdim=True)) / (rewards.std(dim=1, keepdim=True) + _TINY)
        part = self._networks.part(tables)
        for _ in range(PASSES):
            orders = np.array([self._rngs[table].permutation(len(drawn[0])) for table in tables.tolist()])
            for picked in torch.split(torch.from_numpy(orders), MINIBATCH, dim=1):
                row = torch.arange(len(tables))[:, None]
                batch = values[row, picked], columns[row, picked], rewards[row, picked]
                part.step(self._loss(part, ahead[row, picked][..., None], batch))
        self._networks.write(tables, part)
        self.trainings[tables] += 1
        self._waiting[tables] = False
        for table in tables.tolist():
            self._store_samples(table)

    def _loss(self, networks: Stack, inputs: torch.Tensor, batch: Batch) -> Callable[[torch.Tensor], torch.Tensor]:
        kind, scale = self.config.loss, self.config.logit_scale
        return lambda flat: compute_loss(networks(inputs, flat, training=True), *batch, kind, scale)

    def _draw(self, table: int) -> list[Any]:
        """Return a dozen samples of each action, call first."""
        rng = self._rngs[table]
        return [kept[i] for kept in self._memory[table] for i in rng.choice(MEMORY, DRAWN, replace=False)]

    def make_player(self, table: int) -> CheatemAgent:
        """Return the trained player of a learner."""
        sheet = Sheet.from_record(self._sheets[table : table + 1], self._repaired)
        return CheatemAgent.from_network(
            self.config, sheet, self._rivals[table : table + 1], self._networks.network(table)
        )


def advantages_of(
    decisions: Decisions, rivals: NDArray[Any], which: Rows, repaired: int, clip: bool
) -> NDArray[np.float64]:
    """Return the advantage probability of each decision (n,), estimated from cards that `random_numbers` fix.

    `rivals` are records of counts, `which` (n,) says whose counts belong to each decision.
    """
    found = np.empty(len(decisions))
    write_advantages(decisions.views, decisions.random_numbers, rivals, which, repaired, _STREAM, found)
    return np.minimum(found, 1.0) if clip else found


def policy_of(
    logits: torch.Tensor | None, values: NDArray[Any], sharpness: float, decisions: Decisions
) -> NDArray[np.float64]:
    """Return the probability of every action id (n, 3) from the network's logits (n, 4) and the sheet's values."""
    sheet_policy = torch.softmax(torch.from_numpy(sharpness * values["value"]), dim=1)
    if logits is not None:
        sheet_policy = mix_policies(logits.double(), sheet_policy)
    weights = np.maximum(sheet_policy.numpy(), 1e-30) * values["legal"]
    weights /= weights.sum(axis=1, keepdims=True)
    return to_action_probabilities(weights, decisions.game.num_actions, values["legal"])


@kernel
def write_advantages(
    views: Any, random_numbers: Any, rivals: Any, which: Any, repaired: Any, streams: Any, found: Any
) -> None:
    """Write the advantage probability of each view's actor."""
    for j in range(views.shape[0]):
        t, stream = views[j], streams[0]
        seed_stream(stream, np.uint64(random_numbers[j] * _SEED_SCALE), np.uint64(1))
        ahead = chance_ahead(t, np.int64(t.actor), repaired, BOARDS, HANDS_PER_BOARD, stream)
        found[j] = advantage(ahead, rivals[which[j]], last_column_of_rival(t))


@kernel
def learn_hand(
    tables: Any, columns: Any, own: Any, seat: Any, payoff: Any, sheets: Any, rivals: Any, streams: Any, samples: Any,
    repaired: Any, updates_sheet: Any, completions: Any, trajectories: Any, counts: Any, action_values: Any,
) -> None:  # fmt: skip
    """Update sheet and counts after a hand; write one sample for each of the seat's decisions `own`."""
    trajectory, stream, rival = trajectories[0], streams[0], rivals[0]
    if updates_sheet:
        for i in range(own.shape[0]):
            add_decision(trajectory, random_type(tables[own[i]], seat, repaired, stream), columns[own[i]])
        move_cell(sheets[0], trajectory, payoff, LEARNING_RATE, stream)
    for i in range(own.shape[0]):
        t, v, sample = tables[own[i]], action_values[0], samples[i]
        answered: Any = NONE
        if own[i] > 0:
            answered = columns[own[i] - 1]
            count_action(t, seat, answered, repaired, rival, stream)
        # without an action to answer, the code reads the last entry of the counts, which is that of checks
        used: Any = CHECK if answered == NONE else answered
        write_values(t, sheets[0], repaired, completions, counts[0], stream, v)
        ahead = chance_ahead(t, seat, repaired, BOARDS, HANDS_PER_BOARD, stream)
        sample.ap = advantage(ahead, rival, used)
        sample.column = columns[own[i]]
        for column in range(NUM_COLUMNS):
            sample.value[column] = v.value[column]


@kernel
def count_last(tables: Any, seat: Any, column: Any, repaired: Any, rivals: Any, streams: Any) -> None:
    """Count the rival's action that ended a hand."""
    count_action(tables[tables.shape[0] - 1], seat, column, repaired, rivals[0], streams[0])
