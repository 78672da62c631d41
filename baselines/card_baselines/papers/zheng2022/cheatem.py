"""Cheat'em: the cheating sheet's policy, modified by a network that knows how likely the own hand is ahead.

`CheatemLearners` are trained hand by hand against one rival; `CheatemAgent` is what it becomes. Static-Cheat'em is the
same without changing the sheet while training. Where paper and code differ, this is what the code does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

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
from card_baselines.papers.zheng2022.networks import TrainedPlayer
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
)
from card_baselines.papers.zheng2022.stacks import Stack, make_networks
from card_baselines.papers.zheng2022.table_player import (
    ACTION_VALUES,
    TYPE_COUNTS,
    find_values,
    to_action_probabilities,
    write_values,
)
from card_baselines.runs.checkpoint import strip_prefix
from card_envs.agent import Decisions, choose
from card_envs.compiler import kernel
from card_envs.rng import SEED_SCALE, seed_stream, seeded_streams
from card_envs.typing import Rows

MEMORY, DRAWN, PASSES, MINIBATCH, PERIOD = 48, 12, 5, 12, 50
"""Samples kept of each action, and drawn for a training. Passes over those, and decisions between two trainings."""
NETWORK_LEARNING_RATE = 1e-3
_TINY = 1e-8
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


LAMBDA_1, LAMBDA_2 = 0.1, 0.1
"""Weights of the loss; the paper names none, these are the code's."""
LOGIT_SCALE = 0.01
"""Factor by which the code multiplies the logits while it trains, and not while it plays."""
SHARPNESS, TRAINING_SHARPNESS = 5.0, 1.0
"""Factors of the sheet's values when playing, and when playing to train."""


def make_modification_network() -> torch.nn.Sequential:
    """Return a network from AP (n, 1) to the logits (n, 4) of the four actions."""
    layers = torch.nn.Linear(1, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, NUM_COLUMNS)
    return torch.nn.Sequential(*layers)


def mix_policies(logits: torch.Tensor, sheet_policy: torch.Tensor) -> torch.Tensor:
    """Return D (..., 4): the sheet's policy times the network's, normalised (equation 4)."""
    product = torch.softmax(logits, dim=-1) * sheet_policy
    return product / product.sum(dim=-1, keepdim=True)


def compute_loss(
    logits: torch.Tensor, values: torch.Tensor, columns: torch.Tensor, rewards: torch.Tensor
) -> torch.Tensor:
    """Return the loss (runs,) of batches: stay near the sheet's policy, prefer what pays (equation 3 in the code).

    `logits` and `values`, the sheet's, are (runs, n, 4), `columns` (runs, n) what was played, `rewards` (runs, n) what
    came of it. The code has scaled logits in place of probabilities, and counts the second term once for each action.
    """
    sheet_policy = torch.softmax(values, dim=-1)
    scaled = LOGIT_SCALE * logits
    policy = mix_policies(scaled, sheet_policy)
    of_taken = LAMBDA_2 * rewards[..., None] * scaled.gather(-1, columns[..., None])
    gain = (policy * values + of_taken).sum(dim=(-2, -1))
    return (sheet_policy - policy).abs().mean(dim=(-2, -1)) - LAMBDA_1 * gain


class CheatemAgent(TrainedPlayer):
    """Plays what was learned: samples from the sheet's softmax times the network's."""

    name = "zheng2022_cheatem"

    def _restore(self, description: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> None:
        self.network = make_modification_network()
        self.network.load_state_dict(strip_prefix("network.", tensors))
        self.sheet = Sheet(tensors["sheet"].double().numpy())
        self.rival = np.zeros(1, RIVAL_COUNTS)
        self.rival["seen"][0], self.rival["seen_ahead"][0] = tensors["seen"].numpy(), tensors["seen_ahead"].numpy()
        super()._restore(description, tensors)

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the probability of every action id (n, 3), for an advantage probability that `random_numbers` fix."""
        which = np.zeros(len(decisions), np.int64)
        values = find_values(decisions, self.sheet.record(), which)
        ahead = advantages_of(decisions, self.rival, which)
        return policy_of(self.compute_outputs(ahead[:, None]), values, SHARPNESS)


class CheatemLearners(Learners):
    """Learners of Cheat'em, one run at each table."""

    name = "zheng2022_cheatem"
    steps_of_training = PASSES * NUM_COLUMNS * DRAWN // MINIBATCH

    def __init__(self, seeds: Sequence[int], sheets: Sequence[Sheet] | None = None, updates_sheet: bool = True) -> None:
        """Start from pre-trained sheets (raw), by default ours everywhere, and random networks.

        Args:
            seeds: Seed of each run.
            sheets: Sheet of each run.
            updates_sheet: Change the sheet while training; Static-Cheat'em does not.
        """
        self._updates_sheet = updates_sheet
        sheets = [load_sheet(SHEET_FILE)] * len(seeds) if sheets is None else sheets
        self._sheets = np.concatenate([sheet.standardise().record() for sheet in sheets])
        self._rivals = np.zeros(len(seeds), RIVAL_COUNTS)
        self._streams = np.concatenate([seeded_streams(1, seed) for seed in seeds])
        self._rngs = [np.random.default_rng([seed, 1]) for seed in seeds]
        self._networks = Stack(make_networks(make_modification_network, seeds), NETWORK_LEARNING_RATE)
        self._memory: list[list[deque[Any]]] = [[deque(maxlen=MEMORY) for _ in range(NUM_COLUMNS)] for _ in seeds]
        self._queues: list[deque[Any]] = [deque() for _ in seeds]
        self._decisions = np.zeros(len(seeds), np.int64)
        self._waiting = np.zeros(len(seeds), bool)
        self.trainings = np.zeros(len(seeds), np.int64)
        """(tables,): how often each network was trained."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Rows:
        """Return a sampled action for each decision."""
        tables = decisions.table_ids
        values = find_values(decisions, self._sheets, tables)
        ahead = advantages_of(decisions, self._rivals, tables)
        logits = self._networks.compute_at(tables, ahead.astype(np.float32)[:, None])
        return choose(policy_of(logits, values, TRAINING_SHARPNESS), decisions.random_numbers)

    def learn(self, table: int, hand: Hand, seat: int) -> None:
        """Update the sheet, then the counts decision by decision; keep what the network may learn from."""
        own, one = hand.decisions_of(seat), slice(table, table + 1)
        samples = np.zeros(len(own), SAMPLE)
        learn_hand(
            hand.tables, hand.columns, own, seat, hand.payoffs[seat], self._sheets[one], self._rivals[one],
            self._streams[one], samples, self._updates_sheet, np.zeros(1, TRAJECTORY), np.zeros(1, TYPE_COUNTS),
            np.zeros(1, ACTION_VALUES),
        )  # fmt: skip
        columns, values, ahead = (samples[name] for name in ("column", "value", "ap"))
        self._queues[table].extend(zip(columns, values, ahead, hand.rewards_of(seat), strict=True))
        self._store_samples(table)

    def _store_samples(self, table: int) -> None:
        """Move samples from the queue to the memory until the network has to be trained."""
        queue, memory = self._queues[table], self._memory[table]
        while queue and not self._waiting[table]:
            column, *sample = queue.popleft()
            memory[column].append(sample)
            self._decisions[table] += 1
            is_time = (self._decisions[table] - NUM_COLUMNS * MEMORY) % PERIOD == 0
            self._waiting[table] = is_time and all(len(kept) == MEMORY for kept in memory)

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
        rewards = (rewards - rewards.mean(dim=1, keepdim=True)) / (rewards.std(dim=1, keepdim=True) + _TINY)
        part = self._networks.part(tables)
        for _ in range(PASSES):
            orders = np.array([self._rngs[table].permutation(len(drawn[0])) for table in tables.tolist()])
            for picked in torch.split(torch.from_numpy(orders), MINIBATCH, dim=1):
                row = torch.arange(len(tables))[:, None]
                batch = values[row, picked], columns[row, picked], rewards[row, picked]
                part.step(_make_loss(part, ahead[row, picked][..., None], batch))
        self._networks.write(tables, part)
        self.trainings[tables] += 1
        self._waiting[tables] = False
        for table in tables.tolist():
            self._store_samples(table)

    def _draw(self, table: int) -> list[Any]:
        """Return a dozen samples of each action, call first."""
        rng = self._rngs[table]
        return [kept[i] for kept in self._memory[table] for i in rng.choice(MEMORY, DRAWN, replace=False)]

    def make_player(self, table: int) -> CheatemAgent:
        """Return the trained player of a learner."""
        network, rival = self._networks.network(table).state_dict(), self._rivals[table].copy()
        tensors = {f"network.{name}": tensor for name, tensor in network.items()}
        tensors |= {name: torch.from_numpy(np.array(rival[name])) for name in ("seen", "seen_ahead")}
        tensors["sheet"] = torch.from_numpy(self._sheets["value"][table].copy())
        description = {"agent": "zheng2022_cheatem", "updates_sheet": self._updates_sheet}
        return CheatemAgent.from_state(description, tensors)


def _make_loss(networks: Stack, inputs: torch.Tensor, batch: Batch) -> Callable[[torch.Tensor], torch.Tensor]:
    return lambda flat: compute_loss(networks(inputs, flat, training=True), *batch)


def advantages_of(decisions: Decisions, rivals: NDArray[Any], which: Rows) -> NDArray[np.float64]:
    """Return the advantage probability of each decision (n,), estimated from cards that `random_numbers` fix.

    `rivals` are records of counts, `which` (n,) says whose counts belong to each decision.
    """
    found = np.empty(len(decisions))
    write_advantages(decisions.views, decisions.random_numbers, rivals, which, _STREAM, found)
    return found


def policy_of(logits: torch.Tensor, values: NDArray[Any], sharpness: float) -> NDArray[np.float64]:
    """Return the probability of every action id (n, 3) from the network's logits (n, 4) and the sheet's values."""
    sheet_policy = torch.softmax(torch.from_numpy(sharpness * values["value"]), dim=1)
    weights = np.maximum(mix_policies(logits.double(), sheet_policy).numpy(), 1e-30) * values["legal"]
    weights /= weights.sum(axis=1, keepdims=True)
    return to_action_probabilities(weights, values["legal"])


@kernel
def write_advantages(views: Any, random_numbers: Any, rivals: Any, which: Any, streams: Any, found: Any) -> None:
    """Write the advantage probability of each view's actor."""
    for j in range(views.shape[0]):
        t, stream = views[j], streams[0]
        seed_stream(stream, np.uint64(random_numbers[j] * SEED_SCALE), np.uint64(1))
        ahead = chance_ahead(t, np.int64(t.actor), BOARDS, HANDS_PER_BOARD, stream)
        found[j] = advantage(ahead, rivals[which[j]], last_column_of_rival(t))


@kernel
def learn_hand(
    tables: Any, columns: Any, own: Any, seat: Any, payoff: Any, sheets: Any, rivals: Any, streams: Any, samples: Any,
    updates_sheet: Any, trajectories: Any, counts: Any, action_values: Any,
) -> None:  # fmt: skip
    """Update sheet and counts after a hand; write one sample for each of the seat's decisions `own`."""
    trajectory, stream, rival = trajectories[0], streams[0], rivals[0]
    if updates_sheet:
        for i in range(own.shape[0]):
            add_decision(trajectory, random_type(tables[own[i]], seat, stream), columns[own[i]])
        move_cell(sheets[0], trajectory, payoff, LEARNING_RATE, stream)
    for i in range(own.shape[0]):
        t, v, sample = tables[own[i]], action_values[0], samples[i]
        answered: Any = NONE
        if own[i] > 0:
            answered = columns[own[i] - 1]
            count_action(t, seat, answered, rival, stream)
        # without an action to answer, the code reads the last entry of the counts, which is that of checks
        used: Any = CHECK if answered == NONE else answered
        write_values(t, sheets[0], counts[0], v)
        ahead = chance_ahead(t, seat, BOARDS, HANDS_PER_BOARD, stream)
        sample.ap = advantage(ahead, rival, used)
        sample.column = columns[own[i]]
        for column in range(NUM_COLUMNS):
            sample.value[column] = v.value[column]
