"""Claims of papers in words: intervals over runs, and what each paper's reports can measure."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines.papers import find_paper
from card_baselines.papers.claims import (
    AGREES,
    DIFFERS,
    NOT_SHOWN,
    STAND_IN,
    TOO_LITTLE_TRAINING,
    UNDECIDED,
    Claim,
    Printed,
    choose_weakest,
    format_gain,
    render_claims,
    summarise_runs,
)
from card_envs.match.summary import summarise

RESULTS = Path(__file__).parents[2] / "docs" / "results"


def claim(**settings: Any) -> Claim:
    return Claim(**{"where": "section 1", "claim": "it wins", "measured": "gain", "low": 0.0, **settings})


def test_runs_decide() -> None:
    assert claim().with_runs([1.0, 1.1, 0.9]).verdict == AGREES
    assert claim().with_runs([-1.0, -1.1, -0.9]).verdict == DIFFERS
    assert claim().with_runs([-1.0, 1.0]).verdict == UNDECIDED
    assert claim(is_stand_in=True).with_runs([1.0, 1.1, 0.9]).verdict == STAND_IN


def test_a_claim_that_untrained_players_meet_as_well_is_not_shown() -> None:
    shown = claim().with_runs([1.0, 1.1, 0.9])
    assert shown.with_control({"ci95": (0.1, 0.4)}).verdict == NOT_SHOWN
    assert (
        shown.with_control({"ci95": (-0.1, 0.4)}).verdict
        == shown.with_control({"ci95": (None, None)}).verdict
        == AGREES
    )
    assert shown.with_control(None).verdict == AGREES
    assert claim().with_runs([-1.0, -1.1, -0.9]).with_control({"ci95": (0.1, 0.4)}).verdict == DIFFERS


def test_claims_with_bounds_on_both_sides_printed_numbers_and_none() -> None:
    runs = [0.01, 0.0, -0.01]
    assert claim(low=-0.1, high=0.1).with_runs(runs).verdict == AGREES
    assert claim(low=-math.inf).with_runs(runs).verdict == ""
    assert claim(printed=Printed(0.0, 0.1)).with_runs(runs).verdict == AGREES
    assert claim(printed=Printed(1.0, 0.1)).with_runs(runs).verdict == DIFFERS


@pytest.mark.parametrize("runs", [[], [5.0]])
def test_a_run_decides_nothing(runs: list[float]) -> None:
    found = claim().with_runs(runs)
    assert found.verdict == UNDECIDED and math.isnan(found.ci95[0])
    assert found.to_json()["ci95"] == [None, None]


def test_differences_of_groups() -> None:
    assert claim().with_difference([2.0, 2.1, 2.2], [1.0, 1.1, 0.9]).verdict == AGREES
    assert claim().with_difference([2.0], [1.0]).verdict == UNDECIDED


def test_the_weakest_group_decides() -> None:
    groups = {"rule": [1.0, 1.1, 0.9], "random": [-0.2, 0.1, 0.2]}
    weakest = choose_weakest({name: claim().with_runs(runs) for name, runs in groups.items()})
    assert weakest.measured == "gain (random)" and weakest.verdict == UNDECIDED
    groups["wide"] = [-9.0, 9.0]
    groups["below"] = [-0.1, -0.11, -0.12]
    decided = choose_weakest({name: claim().with_runs(runs) for name, runs in groups.items()})
    assert decided.measured == "gain (below)" and decided.verdict == DIFFERS
    del groups["wide"], groups["below"]
    groups["one run"] = [9.0]
    weakest = choose_weakest({name: claim().with_runs(runs) for name, runs in groups.items()})
    assert weakest.measured == "gain (one run)" and weakest.verdict == UNDECIDED


def test_rendering() -> None:
    table = render_claims([
        claim().with_runs([1.0, 1.1, 0.9]).to_json(),
        claim(low=-1.0, high=1.0).to_json(length=0),
        claim(low=-math.inf, high=2.0).with_runs([1.0]).to_json(),
        claim().with_runs([1.0, 1.1, 0.9]).to_json(length=0.09),
        claim().with_runs([1.0, 1.1, 0.9]).to_json(length=0.1),
    ])  # fmt: skip
    assert [row[3:] for row in table.rows] == [
        ["above 0", "1 (0.752 to 1.25)", AGREES],
        ["-1 to 1", "", TOO_LITTLE_TRAINING],
        ["below 2", "1", UNDECIDED],
        ["above 0", "1 (0.752 to 1.25)", "open: agrees so far"],
        ["above 0", "1 (0.752 to 1.25)", AGREES],
    ]


@pytest.mark.parametrize("name", ["shi2022_paper_lstm", "zheng2022_ours", "maitrepierre2008_paper"])
def test_stored_reports_measure_claims(name: str) -> None:
    content = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    paper = find_paper(content["paper"])
    claims = paper.add_verdicts(content)["claims"]
    assert claims and all(each["verdict"] in (AGREES, DIFFERS, UNDECIDED, STAND_IN) for each in claims)
    few = paper.add_verdicts({**content, "results": content["results"][:1]})["claims"]
    assert len(few) < len(claims)


def test_results_without_an_interval_are_json_and_printed_alone() -> None:
    found = summarise("", np.array([0.5])).as_json()
    assert found == {"mean": 0.5, "ci95": [None, None]}
    assert format_gain(found) == format_gain({"mean": 0.5, "ci95": None}) == "+0.500"
    assert summarise_runs([found]) == found
    assert claim().with_interval(found["mean"], found["ci95"]).verdict == UNDECIDED
    assert format_gain(summarise_runs([found, {"mean": 0.7, "ci95": [None, None]}])) == "+0.600 ± 1.271"
