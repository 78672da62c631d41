"""The kernels of rows as functions of the threads of a GPU; imported only if there is one, or its simulator.

The functions of one kernel are always the same object, which compiled code is found by.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import cuda


@cache
def step_thread(step_table: Any) -> Callable[..., None]:
    """Return the function that calls `kernels.step_table` for the table with the number of the thread."""

    def take_step(
        work: Any, base: Any, tables: Any, seatings: Any, decisions: Any, settings: Any, rows: Any, numbers: Any,
        is_learners: Any, actions: Any, log_probabilities: Any, rewards: Any, is_over: Any, logits: Any, values: Any,
        frozen_logits: Any, observations: Any, masks: Any,
    ) -> None:  # fmt: skip
        j = cuda.grid(1)
        if j < rows.shape[0]:
            step_table(
                j, work, base, tables, seatings, decisions, settings, rows, numbers, is_learners, actions,
                log_probabilities, rewards, is_over, logits, values, frozen_logits, observations, masks,
            )  # fmt: skip

    return take_step


@cache
def loss_thread(loss_row: Any) -> Callable[..., None]:
    """Return the function that calls `losses.loss_row` for the decision with the number of the thread."""

    def differentiate(
        rows: Any, logits: Any, values: Any, decisions: Any, masks: Any, schedules: Any, moments: Any,
        clips_value: Any, value_weight: Any, grad_logits: Any, grad_values: Any, measures: Any,
    ) -> None:  # fmt: skip
        k = cuda.grid(1)
        if k < rows.shape[0]:
            loss_row(
                k, rows, logits, values, decisions, masks, schedules, moments, clips_value, value_weight, grad_logits,
                grad_values, measures,
            )  # fmt: skip

    return differentiate
