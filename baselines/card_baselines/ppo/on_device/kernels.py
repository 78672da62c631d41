"""One step of a rollout at one table: draw an action, apply it, credit the deal if it ends, show the next decision.

The same function runs in a loop over the tables on a processor, and in one thread for each table on a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from card_baselines.agents.scripted.rule_player import Script
from card_baselines.learning.columns import NO_ROW
from card_baselines.ppo.on_device.memory import DeviceKernel
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.game_loops import NO_ACTION
from card_envs.rng import STREAM, random_below, random_unit

SELF_PLAY, PAST, EXPLOITED, FIRST_SCRIPT = 0, 1, 2, 3
"""Kinds of tables: the learner at all seats; a past self at all others; an exploiter at one; a script at all others."""
START, STEP, APPLY = 0, 1, 2
"""Work of `step_table`: begin with what is dealt; draw actions from logits and apply them; apply actions drawn before.
"""


def _record(*fields: Any) -> np.dtype[Any]:
    """Return a record whose fields are aligned, so that a GPU reads each at once."""
    return np.dtype((np.record, np.dtype(list(fields), align=True)))


DECISION = _record(
    ("action", np.int32),
    ("previous_step", np.int32),
    ("log_probability", np.float32),
    ("value", np.float32),
    ("advantage", np.float32),
    ("target", np.float32),
    ("is_recorded", np.int32),
    ("is_finished", np.int32),
)
"""One decision: what was drawn, the row of the seat's previous decision in the deal, and GAE's results. Only recorded
decisions, those of the learner that were not drawn uniformly, are learned from, once their deal is finished."""
SETTINGS = _record(
    ("reward_scale", np.float64),
    ("gamma", np.float64),
    ("gae_lambda", np.float64),
    ("tremble", np.float64),
    ("skip_forced", np.int32),
    ("first_frozen", np.int32),
    ("has_network", np.int32, (FIRST_SCRIPT,)),
)
"""Settings of a rollout that kernels read. `first_frozen` is the first table of `frozen_logits`; `has_network` says
for which kinds of tables frozen networks exist."""
_LOWEST, _ZERO = np.float32(-np.inf), np.float32(0.0)


def seating_dtype(num_seats: int) -> np.dtype[Any]:
    """Return the record of who plays at a table.

    Fields: number of deals, random stream, rewards of the learner's seats so far, kind of table, 1 after an illegal
    action, the row of each seat's latest recorded decision in the current deal, and 1 for each seat of the learner.
    """
    return _record(
        ("deals", np.int64),
        STREAM,
        ("won", np.float64),
        ("kind", np.int32),
        ("illegal", np.int32),
        ("last_step", np.int32, (num_seats,)),
        ("is_learner", np.int32, (num_seats,)),
    )


def table_kernel(game: Game, scripts: Sequence[Script]) -> DeviceKernel:
    """Return the kernel that takes a step at all tables; see `step_table`."""
    kernels: Any = game  # functions, which can be keys of a cache although mypy does not see it
    return _make_kernels(
        kernels.step_batch, kernels.forced_batch, kernels.random_batch, kernels.encoder.observe_batch, tuple(scripts)
    )


@kernel
def legal_log_total(logits: Any, i: Any, legal: Any) -> Any:
    """Return the logarithm of the sum of exp(logit) over the actions that `legal.mask` allows, of row i."""
    highest, num_actions = _LOWEST, logits.shape[1]
    for action in range(num_actions):
        if legal.mask[action] != 0 and logits[i, action] > highest:
            highest = logits[i, action]
    total = _ZERO
    for action in range(num_actions):
        if legal.mask[action] != 0:
            total += math.exp(logits[i, action] - highest)
    return highest + math.log(total)


@kernel
def sample_action(logits: Any, i: Any, legal: Any, number: Any) -> Any:
    """Return an action drawn from the softmax of the legal logits of row i, and its log-probability.

    `number` is uniform in [0, 1).
    """
    log_total, wanted, below, chosen = legal_log_total(logits, i, legal), np.float32(number), _ZERO, np.int64(NO_ACTION)
    for action in range(logits.shape[1]):
        if legal.mask[action] != 0:
            chosen = np.int64(action)
            below += math.exp(logits[i, action] - log_total)
            if below > wanted:
                break
    return chosen, logits[i, chosen] - log_total


@kernel
def seat_players(seating: Any, settings: Any) -> None:
    """Draw the learner's seats for the deal that begins at a table."""
    kind, num_seats = seating.kind, len(seating.is_learner)
    alone = kind == SELF_PLAY or (kind < FIRST_SCRIPT and settings.has_network[kind] == 0)
    drawn = np.int64(0) if alone else random_below(seating, num_seats)
    for seat in range(num_seats):
        seating.is_learner[seat] = 1 if alone or (seat == drawn) != (kind == EXPLOITED) else 0


@kernel
def credit_decisions(decisions: Any, seating: Any, rewards: Any, j: Any, settings: Any) -> None:
    """Write the advantages of a deal that is over, as `rollout_buffer.compute_gae` does, from rewards[j] (seats,)."""
    for seat in range(len(seating.last_step)):
        k = seating.last_step[seat]
        next_value, discount = np.float64(rewards[j, seat]) * settings.reward_scale, 1.0
        next_advantage = 0.0
        while k != NO_ROW:
            decision = decisions[k]
            next_advantage = (
                discount * next_value - decision.value + settings.gamma * settings.gae_lambda * next_advantage
            )
            decision.advantage = next_advantage
            decision.target = next_advantage + decision.value
            decision.is_finished = 1
            next_value, discount = np.float64(decision.value), settings.gamma
            k = decision.previous_step
        seating.last_step[seat] = NO_ROW


def _chain(scripts: tuple[Script, ...]) -> Callable[..., None]:
    """Return a kernel (number, tables, streams, numbers, actions) that calls the script with that number."""
    if not scripts:

        @kernel
        def play_nothing(number: Any, tables: Any, streams: Any, numbers: Any, actions: Any) -> None:
            actions[0] = NO_ACTION

        return play_nothing
    first, others = scripts[0], _chain(scripts[1:])

    @kernel
    def play_script(number: Any, tables: Any, streams: Any, numbers: Any, actions: Any) -> None:
        if number == 0:
            first(tables, streams, numbers, actions)
        else:
            others(number - 1, tables, streams, numbers, actions)

    return play_script


@cache
def _make_kernels(  # noqa: C901  three kernels, not one long function
    step_batch: Any, forced_batch: Any, random_batch: Any, observe_batch: Any, scripts: tuple[Script, ...]
) -> DeviceKernel:
    play_script = _chain(scripts)

    @kernel
    def move(
        j: Any, tables: Any, seatings: Any, decisions: Any, settings: Any, rows: Any, actions: Any, rewards: Any,
        is_over: Any,
    ) -> None:  # fmt: skip
        """Apply actions[j]; where the deal ends, credit its decisions and seat the players of the next one."""
        one, seating = slice(j, j + 1), seatings[j]
        if step_batch(tables, rows[one], actions[one], rewards[one], is_over[one], True) >= 0:
            seating.illegal = 1
        elif is_over[j] == 1:
            seating.deals += 1
            for seat in range(len(seating.is_learner)):
                seating.won += rewards[j, seat] * seating.is_learner[seat]
            credit_decisions(decisions, seating, rewards, j, settings[0])
            seat_players(seating, settings[0])

    @kernel
    def choose(
        j: Any, row: Any, work: Any, tables: Any, seatings: Any, decisions: Any, settings: Any, rows: Any,
        numbers: Any, is_learners: Any, actions: Any, log_probabilities: Any, logits: Any, values: Any,
        frozen_logits: Any, masks: Any,
    ) -> None:  # fmt: skip
        """Write actions[j], and record the decision if the learner's network takes it."""
        one, seating, setting = slice(j, j + 1), seatings[j], settings[0]
        if is_learners[j] == 1 and setting.tremble > 0.0 and random_unit(seating) < setting.tremble:
            random_batch(tables, rows[one], seatings, actions[one])
        elif is_learners[j] == 1:
            if work == STEP:
                actions[j], log_probabilities[j] = sample_action(logits, j, masks[row], numbers[j])
            decision, seat = decisions[row], np.int64(tables[j].actor)
            decision.action, decision.log_probability, decision.value = actions[j], log_probabilities[j], values[j]
            decision.previous_step, decision.is_recorded = seating.last_step[seat], 1
            seating.last_step[seat] = row
        elif seating.kind >= FIRST_SCRIPT:
            play_script(seating.kind - FIRST_SCRIPT, tables[one], seatings[one], numbers[one], actions[one])
        elif work == STEP:
            actions[j], _ = sample_action(frozen_logits, j - setting.first_frozen, masks[row], numbers[j])

    @kernel
    def step_table(
        j: Any, work: Any, base: Any, tables: Any, seatings: Any, decisions: Any, settings: Any, rows: Any,
        numbers: Any, is_learners: Any, actions: Any, log_probabilities: Any, rewards: Any, is_over: Any, logits: Any,
        values: Any, frozen_logits: Any, observations: Any, masks: Any,
    ) -> None:  # fmt: skip
        """Take the decision of table j, row `base + j` of observations and masks, and show the next, N rows later.

        With START, the players of the deal are seated and its first decision is shown at row `base + j`. After an
        illegal action the table changes no more.

        Args:
            j: The table.
            work: START, STEP or APPLY.
            base: Row of table 0.
            tables: (N,) records of the game.
            seatings: (N,) records, `seating_dtype`.
            decisions: (R,) records, `DECISION`.
            settings: (1,) record, `SETTINGS`.
            rows: (N,) int64: 0, 1, 2 ...
            numbers: (N,) float64, read and written: a random number for the decision, and for the next one.
            is_learners: (N,) uint8, read and written: 1 if the decision, and the next one, is the learner's.
            actions: (N,) int64, written; with APPLY also read where a network decides.
            log_probabilities: (N,) float32 of these actions, likewise.
            rewards: (N, seats) float32, written.
            is_over: (N,) uint8, written.
            logits: (N, num_actions) float32, of the learner.
            values: (N,) float32, of the learner.
            frozen_logits: (F, num_actions) float32, of frozen networks, from table `first_frozen` on.
            observations: (R,) records.
            masks: (R,) records.
        """
        one, row, seating, setting = slice(j, j + 1), base + j, seatings[j], settings[0]
        if seating.illegal == 1:
            return
        if work == START:
            seat_players(seating, setting)
        else:
            choose(
                j, row, work, tables, seatings, decisions, settings, rows, numbers, is_learners, actions,
                log_probabilities, logits, values, frozen_logits, masks,
            )  # fmt: skip
            move(j, tables, seatings, decisions, settings, rows, actions, rewards, is_over)
            row += rows.shape[0]
        if setting.skip_forced == 1 and seating.illegal == 0:
            forced_batch(tables, rows[one], actions[one])
            while actions[j] != NO_ACTION and seating.illegal == 0:
                move(j, tables, seatings, decisions, settings, rows, actions, rewards, is_over)
                forced_batch(tables, rows[one], actions[one])
        if seating.illegal == 0:
            numbers[j], is_learners[j] = random_unit(seating), seating.is_learner[np.int64(tables[j].actor)]
            observe_batch(tables, rows[one], observations[row : row + 1], masks[row : row + 1])

    @kernel
    def step_tables(
        work: Any, base: Any, tables: Any, seatings: Any, decisions: Any, settings: Any, rows: Any, numbers: Any,
        is_learners: Any, actions: Any, log_probabilities: Any, rewards: Any, is_over: Any, logits: Any, values: Any,
        frozen_logits: Any, observations: Any, masks: Any,
    ) -> None:  # fmt: skip
        """Call `step_table` for every table."""
        for j in range(rows.shape[0]):
            step_table(
                j, work, base, tables, seatings, decisions, settings, rows, numbers, is_learners, actions,
                log_probabilities, rewards, is_over, logits, values, frozen_logits, observations, masks,
            )  # fmt: skip

    def make_thread() -> Callable[..., None]:
        from card_baselines.ppo.on_device.threads import step_thread

        return step_thread(step_table)

    return DeviceKernel(step_tables, make_thread)
