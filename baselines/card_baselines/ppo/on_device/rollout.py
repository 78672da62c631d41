"""Rollouts on one device: tables, observations, drawn actions and credit stay in its memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.legal_logits import IMPOSSIBLE
from card_baselines.learning.columns import NO_ROW
from card_baselines.ppo.config import Config
from card_baselines.ppo.network import ActorCritic, load_networks
from card_baselines.ppo.on_device import kernels
from card_baselines.ppo.on_device.graphs import Replay
from card_baselines.ppo.on_device.memory import Records, as_array, row_records
from card_baselines.ppo.on_device.pool import Pool
from card_baselines.runs.checkpoint import check_arrays, restore_tables
from card_baselines.runs.ranges import require_range
from card_envs.game import Game, IllegalActionError
from card_envs.rng import derive_seed, seeded_streams
from card_envs.vector import VectorTables

_CARRIED = 8
"""Rows for decisions of unfinished deals, for each table; more are made when they are needed."""
_KEPT = ("numbers", "is_learners")
"""Scratch that the next step reads."""
FEW_ACTIONS = 32
"""With more actions, a matrix operation draws them faster than a thread for each table."""
_BELOW_ONE = 1.0 - 2.0**-23
"""A number below 1 whose product with a float32 sum is below that sum."""
_STREAMS = 79
"""Purpose of the random streams that seat players and draw actions, for `derive_seed`."""


class DeviceRollout:
    """Plays a network at N tables, the same number of steps each time, and keeps the learner's decisions.

    Rows of decisions, observations and masks: first those of unfinished deals from earlier rollouts, then N for each
    step, then the N decisions that come next.
    """

    def __init__(self, config: Config, game: Game, network: ActorCritic, device: torch.device) -> None:
        """Deal at all tables.

        Args:
            config: Settings of the run.
            game: The game.
            network: The learner, on the device; its parameters are read at every step.
            device: Where everything is stored and computed.

        Raises:
            ValueError: For agents in the pool that only the processor can play.
            CudaUnavailableError: If the GPU has too little memory, naming the number of tables that would fit.
        """
        self._config, self.game, self._network, self._device = config, game, network, device
        self.num_tables = config.num_tables
        self.tables = Pool(config, game, network, device)
        self.num_steps = max(1, math.ceil(config.batch / (self.num_tables * self.tables.learner_share)))
        self._step = kernels.table_kernel(game, self.tables.scripts)
        self._num_carried = _CARRIED * self.num_tables
        self.num_allocations = 0
        """How often rows were allocated: graphs that read the rows of an earlier allocation must be recorded again."""
        self._require_memory()
        self._allocate_tables()
        self._allocate_rows()
        self.action_counts = np.zeros(game.num_actions, np.int64)
        """(num_actions,): counts of the network's actions in the latest rollout."""
        self.deals = self.mean_reward = 0.0
        """Deals that ended in the latest rollout, and the mean sum of the rewards of the learner's seats in them."""

    def _require_memory(self) -> None:
        if self._device.type == "cuda":
            from card_envs.cuda.device import require_device, require_memory

            require_device()
            torch.cuda.set_device(self._device)  # kernels are loaded into the current context
            game = self.game
            row = game.layout.size * np.dtype(game.layout.dtype).itemsize + game.num_actions + kernels.DECISION.itemsize
            record = game.new_tables(1).dtype.itemsize
            require_memory(self.num_tables, record + 2 * row * (_CARRIED + self.num_steps + 1))

    def _allocate_tables(self) -> None:
        """Deal on the host and copy the tables to the device."""
        game, count, device, seed = self.game, self.num_tables, self._device, self._config.seed
        dealt = VectorTables(game, count, seed)
        dealt.reset()
        self._host_record = dealt.tables.dtype
        self._records = Records(_align_record(self._host_record, device), count, device)
        self._records.write(dealt.tables)
        seatings: NDArray[Any] = np.zeros(count, kernels.seating_dtype(game.num_seats))
        seatings["rng"] = seeded_streams(count, derive_seed(seed, _STREAMS))["rng"]
        seatings["kind"], seatings["last_step"] = self.tables.kinds, NO_ROW
        self._seatings = Records(seatings.dtype, count, device)
        self._seatings.write(seatings)
        self._is_started = False
        self._scratch = {
            "rows": torch.arange(count, device=device),
            "numbers": torch.zeros(count, dtype=torch.float64, device=device),
            "is_learners": torch.zeros(count, dtype=torch.uint8, device=device),
            "actions": torch.zeros(count, dtype=torch.int64, device=device),
            "log_probabilities": torch.zeros(count, device=device),
            "rewards": torch.zeros((count, game.num_seats), device=device),
            "is_over": torch.zeros(count, dtype=torch.uint8, device=device),
        }

    def _allocate_rows(self) -> None:
        """Allocate all rows: graphs of earlier rows are of no use any more."""
        game, device = self.game, self._device
        size = self._num_carried + (self.num_steps + 1) * self.num_tables
        kind = getattr(torch, np.dtype(game.layout.dtype).name)
        self.observation = torch.zeros((size, game.layout.size), dtype=kind, device=device)
        """(R, d): what the actor saw at each row."""
        self.mask = torch.zeros((size, game.num_actions), dtype=torch.int8, device=device)
        """(R, num_actions): the legal actions at each row."""
        self.decisions = Records(kernels.DECISION, size, device)
        """(R,) records, `kernels.DECISION`."""
        self.replay = Replay(self.play_steps, device)
        self.num_allocations += 1

    @property
    def _first_next(self) -> int:
        """The first row of the decisions that come next."""
        return self._num_carried + self.num_steps * self.num_tables

    @torch.no_grad()
    def _run(self, work: int, base: int, *outputs: torch.Tensor) -> None:
        """Run the kernel at all tables; `outputs` are logits, values and logits of frozen networks."""
        arrays = [records.array for records in (self._records, self._seatings, self.decisions, self.tables.settings)]
        shown = row_records(self.observation, "values"), row_records(self.mask, "mask")
        tensors = map(as_array, (*self._scratch.values(), *outputs))
        self._step(self._device, self.num_tables, work, base, *arrays, *tensors, *shown)

    @torch.no_grad()
    def play_steps(self) -> None:
        """Take a decision at every table, `num_steps` times, from the decisions that come next on."""
        count, first, last = self.num_tables, self._num_carried, self._first_next
        self.observation[first : first + count] = self.observation[last : last + count]
        self.mask[first : first + count] = self.mask[last : last + count]
        for base in range(first, last, count):
            observation = self.observation[base : base + count]
            logits, value = self._network.all_logits(observation.float())
            frozen, value = self.tables.logits(observation), value.contiguous()
            if self.game.num_actions <= FEW_ACTIONS:
                self._run(kernels.STEP, base, logits.contiguous(), value, frozen)
            else:
                self._draw(logits, frozen, self.mask[base : base + count])
                self._run(kernels.APPLY, base, logits[:1], value, frozen[:1])

    def _draw(self, logits: torch.Tensor, frozen: torch.Tensor, mask: torch.Tensor) -> None:
        """Draw the actions of the networks as the kernel does, with all actions of a table side by side."""
        tables, drawn = self.tables.frozen_tables, self._scratch
        if tables.stop > tables.start:
            is_learner = drawn["is_learners"][tables, None] == 1
            logits = logits.clone()
            logits[tables] = torch.where(is_learner, logits[tables], frozen)
        log_probabilities = torch.log_softmax(logits.masked_fill(mask == 0, IMPOSSIBLE), dim=1)
        below = log_probabilities.exp().cumsum(dim=1)
        wanted = drawn["numbers"].float().clamp(max=_BELOW_ONE)[:, None] * below[:, -1:]
        actions = drawn["actions"]
        actions.copy_((below <= wanted).sum(dim=1))
        drawn["log_probabilities"].copy_(log_probabilities.gather(1, actions[:, None])[:, 0])

    def reseat(self) -> None:
        """Seat players of the pool at all tables anew, and show the decisions that come next."""
        none = torch.zeros((1, self.game.num_actions), device=self._device)
        self._run(kernels.START, self._first_next, none, none[:, 0].contiguous(), none)
        self._is_started = True

    def collect(self) -> int:
        """Play all steps; return how many of the learner's decisions belong to deals that are over.

        What earlier rollouts finished is forgotten first.

        Raises:
            IllegalActionError: If a player of the pool chose an illegal action, naming the table.
        """
        self._discard_finished()
        if not self._is_started:
            self.reseat()
        before = self._count_deals()
        self.replay()
        finished = self.find_finished()
        self._refuse_illegal()
        self._count_actions()
        deals, won = (self._count_deals() - before).tolist()
        self.deals, self.mean_reward = deals, won / max(1.0, deals)
        return len(finished)

    def _count_deals(self) -> torch.Tensor:
        """Return the number of deals so far and the sum of the learner's rewards in them, (2,) float64."""
        counts = self._seatings.field("deals").sum().double(), self._seatings.field("won").sum()
        return torch.stack(counts).cpu()

    def _count_actions(self) -> None:
        """Count the network's actions of the latest rollout."""
        taken = slice(self._num_carried, self._first_next)
        is_recorded = self.decisions.field("is_recorded")[taken] == 1
        actions = self.decisions.field("action")[taken][is_recorded]
        self.action_counts = torch.bincount(actions, minlength=self.game.num_actions).cpu().numpy()

    def _refuse_illegal(self) -> None:
        is_illegal = self._seatings.field("illegal")
        if bool(is_illegal.any()):
            table = int(is_illegal.nonzero()[0])
            kind = int(self.tables.kinds[table])
            action = int(self._scratch["actions"][table])
            tables = self._records.read(self._host_record)
            reason = self.game.why_illegal(tables[table : table + 1], 0, action)
            raise IllegalActionError(f"table {table}, kind {kind} of the pool: {reason}")

    def find_finished(self) -> torch.Tensor:
        """Return the rows of recorded decisions whose deals are over."""
        return (self.decisions.field("is_finished") * self.decisions.field("is_recorded")).nonzero()[:, 0]

    def _discard_finished(self) -> None:
        """Keep the recorded decisions of unfinished deals, in the first rows, and forget all others."""
        decisions = self.decisions
        waits = decisions.field("is_recorded") > decisions.field("is_finished")
        keep = waits.nonzero()[:, 0]
        if len(keep) > self._num_carried:
            self._grow(len(keep))
            self._discard_finished()
            return
        size = len(decisions)
        new_rows = torch.full((size + 1,), NO_ROW, dtype=torch.int32, device=self._device)
        new_rows[keep] = torch.arange(len(keep), dtype=torch.int32, device=self._device)
        for rows in (self.observation, self.mask, decisions.bytes):
            rows[: len(keep)] = rows[keep]
        decisions.field("is_recorded")[len(keep) :] = 0
        decisions.field("is_finished")[:] = 0
        for links in (decisions.field("previous_step")[: len(keep)], self._seatings.field("last_step")):
            links.copy_(new_rows[links.long()])  # NO_ROW is -1, the last of the new rows

    def _grow(self, needed: int) -> None:
        """Make room for `needed` decisions of unfinished deals."""
        old, start = (self.observation, self.mask, self.decisions.bytes), self._num_carried
        self._num_carried = 2 * needed
        self._allocate_rows()
        added = self._num_carried - start
        for rows, earlier in zip((self.observation, self.mask, self.decisions.bytes), old, strict=True):
            rows[:start], rows[start + added :] = earlier[:start], earlier[start:]
        for links in (self.decisions.field("previous_step"), self._seatings.field("last_step")):
            links += added * (links >= start)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return arrays from which `restore` continues exactly, random streams among them."""
        self._discard_finished()
        arrays: dict[str, NDArray[Any]] = {
            "tables": self._records.read(self._host_record).view(np.uint8),
            "seatings": self._seatings.read(self._seatings.dtype).view(np.uint8),
            "action_counts": self.action_counts,
        }
        kept = int((self.decisions.field("is_recorded") != 0).sum())
        for name, rows in (("observation", self.observation), ("mask", self.mask)):
            arrays[f"waiting.{name}"] = rows[:kept].cpu().numpy()
            arrays[f"next.{name}"] = rows[self._first_next :].cpu().numpy()
        arrays["waiting.decisions"] = self.decisions.bytes[:kept].cpu().numpy()
        arrays |= {f"scratch.{name}": self._scratch[name].cpu().numpy() for name in _KEPT}
        return arrays | self.tables.network_arrays()

    def can_restore(self, arrays: Mapping[str, NDArray[Any]]) -> bool:
        """Return True for arrays of this class."""
        return "seatings" in arrays

    def restore(self, arrays: dict[str, NDArray[Any]], network: ActorCritic) -> None:
        """Continue from a `state`; past selves and exploiters have the architecture of `network`.

        Raises ValueError, naming the array, for tables of another game or number, and for rows that do not exist.
        """
        networks = load_networks(arrays, network)
        tables = self._records.read(self._host_record)
        restore_tables(self.game, tables, "tables", arrays["tables"])
        seatings = _read_seatings(arrays["seatings"], self._seatings.read(self._seatings.dtype))
        waiting = _read_waiting(arrays, self.observation, self.mask)
        require_range("seatings.last_step", seatings["last_step"], NO_ROW, len(waiting) - 1)
        if len(waiting) > self._num_carried:
            self._num_carried = len(waiting)
            self._allocate_rows()
        for name, rows in (("observation", self.observation), ("mask", self.mask)):
            rows[: len(waiting)] = torch.from_numpy(arrays[f"waiting.{name}"]).to(self._device)
            rows[self._first_next :] = torch.from_numpy(arrays[f"next.{name}"]).to(self._device)
        self.decisions.bytes.zero_()
        self.decisions.bytes[: len(waiting)] = torch.from_numpy(arrays["waiting.decisions"]).to(self._device)
        check_arrays(arrays, {f"scratch.{name}": self._scratch[name].cpu().numpy() for name in _KEPT})
        for name in _KEPT:
            self._scratch[name].copy_(torch.from_numpy(arrays[f"scratch.{name}"]))
        self._records.write(tables)
        self._seatings.write(seatings)
        self.tables.set_networks(*networks)
        self.action_counts, self._is_started = arrays["action_counts"].copy(), True


def _read_seatings(found: NDArray[Any], expected: NDArray[Any]) -> NDArray[Any]:
    """Return the records of players from bytes; ValueError for values that none of them has."""
    check_arrays({"seatings": found}, {"seatings": expected.view(np.uint8)})
    seatings = found.view(expected.dtype)
    if (seatings["kind"] != expected["kind"]).any():
        raise ValueError("seatings has other kinds of tables than these settings give")
    for name in ("is_learner", "illegal"):
        require_range(f"seatings.{name}", seatings[name], 0, 1)
    return seatings


def _read_waiting(arrays: Mapping[str, NDArray[Any]], observation: torch.Tensor, mask: torch.Tensor) -> NDArray[Any]:
    """Return the records of the decisions of unfinished deals; ValueError if they or their rows are damaged."""
    found = arrays["waiting.decisions"]
    if found.dtype != np.uint8 or found.ndim != 2 or found.shape[1] != kernels.DECISION.itemsize:
        raise ValueError(f"waiting.decisions is {found.dtype} of shape {found.shape}, no records of decisions")
    waiting = np.ascontiguousarray(found).reshape(-1).view(kernels.DECISION)
    for name, rows in (("observation", observation), ("mask", mask)):
        expected = np.empty((len(waiting), rows.shape[1]), str(rows.dtype).removeprefix("torch."))
        check_arrays(arrays, {f"waiting.{name}": expected})
    require_range("waiting.action", waiting["action"], 0, mask.shape[1] - 1)
    if ((waiting["previous_step"] >= np.arange(len(waiting))) | (waiting["previous_step"] < NO_ROW)).any():
        raise ValueError("waiting.previous_step has rows that are not earlier ones")
    return waiting


def _align_record(record: np.dtype[Any], device: torch.device) -> np.dtype[Any]:
    if device.type == "cpu":
        return record
    from card_envs.cuda.tables import align

    return align(record)
