"""Results as JSON objects: their means and intervals over runs, and how tables print them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from card_envs.formatting import json_number
from card_envs.match.summary import Summary, summarise

NORMAL_95 = 1.96
"""Half the width of a 95 % interval, in standard errors."""


def results_of_table(content: Mapping[str, Any], number: int) -> list[dict[str, Any]]:
    """Return the results of a report that belong to one table."""
    return [result for result in content["results"] if result["table"] == number]


def format_gain(result: Mapping[str, Any] | None, digits: int = 3) -> str:
    """Return a mean with half of its 95 % interval, such as "+0.512 ± 0.031".

    The mean alone without an interval; "" for None.
    """
    if result is None:
        return ""
    mean = f"{result['mean']:+.{digits}f}"
    low, high = result["ci95"] or (None, None)
    if low is None or high is None:
        return mean
    return f"{mean} ± {(high - low) / 2:.{digits}f}"


def format_paper(result: Mapping[str, Any]) -> str:
    """Return the printed number of a result, such as "+1.230"."""
    return f"{result['paper']:+.3f}"


def describe_mean(summary: Summary) -> dict[str, Any]:
    """Return mean and 95 % interval as JSON: the keys `mean` and `ci95`, with None for ends that are not known."""
    return {"mean": summary.mean, "ci95": [json_number(end) for end in summary.ci95]}


def summarise_runs(matches: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return mean and interval over the matches of several runs; for a single run, the interval over its hands.

    Args:
        matches: The keys `mean` and `ci95` of each run's match.
    """
    if len(matches) == 1:
        return {"mean": float(matches[0]["mean"]), "ci95": list(matches[0]["ci95"])}
    return describe_mean(summarise("", np.array([match["mean"] for match in matches])))
