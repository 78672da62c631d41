"""`card-envs reproduce kaminsky2020`: a league in small, continued from where it stopped; what is claimed of one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("trueskill")

from card_baselines import cli
from card_baselines.league import League
from card_baselines.league.pools import InProcess
from card_baselines.league.ratings import Rating
from card_baselines.league.store import Member
from card_baselines.league.winnings import Winnings
from card_baselines.papers.claims import Claim
from card_baselines.papers.kaminsky2020 import findings, reproduction
from card_baselines.papers.kaminsky2020.claims import compute_prediction_rate, measure_claims, measure_prediction
from card_baselines.papers.kaminsky2020.findings import Findings
from card_baselines.papers.kaminsky2020.paper import (
    CLAIMS_TABLE,
    DIVISIONS_TABLE,
    FILE,
    PAPER,
    PRINTED_LEADERS,
    PRINTED_RANKS,
    TRAINING,
    TYPES,
    TYPES_TABLE,
    Options,
    judge,
    list_training_divisions,
    original,
)
from card_baselines.papers.kaminsky2020.style import CALLS, FIRST_RAISE, FOLDS, NUM_BINS, SHAPE, Style
from card_envs.compiler import COMPILED

compiled = pytest.mark.skipif(not COMPILED, reason="thousands of hands, which take minutes as plain Python")
SMALLEST = replace(
    PAPER.scales["tiny"], rounds=2, hands=40, direct_hands=12, similar_rounds=3, similar_hands=12, style_hands=1
)  # fmt: skip


def reproduce(folder: Path, *arguments: str) -> dict[str, Any]:
    assert cli.main(("reproduce", "kaminsky2020", "--folder", str(folder), *arguments)) == 0
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


def count_rounds(folder: Path) -> dict[str, int]:
    with League.open(folder / "league") as league:
        return {name: len(league.store.rounds(row.id, played=True)) for name, row in league.divisions.items()}


@compiled
@pytest.mark.slow
def test_a_league_in_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(PAPER.scales, "tiny", SMALLEST)  # type: ignore[index]
    report = reproduce(tmp_path)
    assert report["agents"] == {
        "Random": 1, "Call": 1, "Qlearn-8": 2, "Qlearn-All": 3, "SAC-Low": 2, "SAC-High": 2,
    }  # fmt: skip
    played = count_rounds(tmp_path)
    assert played == {**dict.fromkeys(TRAINING, 2), "PermaEvalDirect": 55, "PermaEval-1": 3, "PermaEval-2": 3}
    for name in ("styles", "metrics", "trueskill", "types", "divisions"):
        assert (tmp_path / f"kaminsky2020_{name}.png").stat().st_size > 10_000
    capsys.readouterr()
    monkeypatch.setattr(reproduction, "draw_figures", lambda *given: [])  # they take longest
    again = reproduce(tmp_path, "--table", "3", "5", "--rows", "mean")
    assert count_rounds(tmp_path) == played  # nothing was played again
    chosen = [
        one for one in report["results"] if one["table"] == CLAIMS_TABLE or (one["table"], one["row"]) == (3, "mean")
    ]
    assert again["results"] == chosen
    assert "Qlearn-All earns more" in capsys.readouterr().out


@compiled
@pytest.mark.slow
def test_the_tiny_scale_with_two_processes(tmp_path: Path) -> None:
    report = reproduce(tmp_path, "--workers", "2")
    assert sum(report["agents"].values()) == 20


def test_the_processes_of_training_are_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Watched(InProcess):
        ended = False

        def __exit__(self, *error: object) -> None:
            Watched.ended = True

    monkeypatch.setattr(reproduction, "make_pool", lambda workers: Watched())
    monkeypatch.setattr(reproduction.League, "run", lambda league, rounds, pool, progress: {})
    with reproduction.open_league(tmp_path / "league", SMALLEST) as league:
        reproduction.Kaminsky2020Reproduction(Options(), SMALLEST, tmp_path, print)._run(league, {"Qln8-Cl": 2})
    assert Watched.ended


def test_the_printed_lists_hold_the_agents_at_their_ranks() -> None:
    """Table 4.4, fourth column, and the beginnings and ends of the others, read off the thesis."""
    lists = PRINTED_RANKS[DIVISIONS_TABLE]
    ranks = {name: [rank for rank, each in enumerate(lists["low"], 1) if each == name] for name in set(lists["low"])}
    assert ranks == {
        "QlnA-Rn": [1, 11, 12, 14, 17, 20],
        "QlnA-Cl": [2, 5, 15, 19],
        "Qln8-Cl": [3, 4, 6, 7, 8, 10],
        "AllAg-Cl": [9, 13, 16, 18],
    }
    assert [lists[metric][0] for metric in lists] == ["Qln8-Cl", "QlnA-Cl", "QlnA-Cl", "QlnA-Rn"]
    assert [lists[metric][19] for metric in lists] == ["QlnA-Cl", "Qln8-Cl", "QlnA-Rn", "QlnA-Rn"]
    assert all(len(ranked) == 20 for table in PRINTED_RANKS.values() for ranked in table.values())


def test_the_two_printed_lists_are_of_the_same_agents() -> None:
    """An agent of Qln8-Cl is a Qlearn-8 and one of QlnA-Cl or QlnA-Rn a Qlearn-All, rank by rank."""
    kinds = {"Qln8-Cl": {"Qlearn-8"}, "QlnA-Cl": {"Qlearn-All"}, "QlnA-Rn": {"Qlearn-All"}}
    for metric, divisions in PRINTED_RANKS[DIVISIONS_TABLE].items():
        for rank, (kind, home) in enumerate(zip(PRINTED_RANKS[TYPES_TABLE][metric], divisions, strict=True), 1):
            assert kind in kinds.get(home, {"Qlearn-8", "Qlearn-All"}), (metric, rank)


# --- claims, of leagues that are made up ---


def style(folds: int, calls: int, raises: int) -> Style:
    counts = np.zeros((*SHAPE, NUM_BINS), np.int64)
    counts[..., FOLDS], counts[..., CALLS], counts[..., FIRST_RAISE + 4] = folds, calls, raises
    return Style(counts)


STYLES = {
    "Qlearn-8": (4, 4, 2),
    "Qlearn-All": (2, 1, 7),
    "SAC-Low": (6, 2, 2),
    "SAC-High": (1, 8, 1),
    "Random": (1, 1, 1),
    "Call": (0, 1, 0),
}
"""Type -> how often it folds, calls, raises."""


def made_up(
    skill: Mapping[str, float],
    generation: float = 0.0,
    noise: float = 0.0,
    seed: int = 0,
    copies: int = 1,
    clones: int = 3,
) -> Findings:
    """Return a league of some clones a student whose agents win the difference of their skills, by type and clone.

    `noise` moves the ratings of SAC agents in the second evaluation.
    """
    rng = np.random.default_rng(seed)
    members, types, divisions, skills = [], [], [], []
    for number, (division, (_, students)) in enumerate(list_training_divisions(copies).items()):
        for spec in students:
            parent = 1000 + len(set(types)) + 10 * len(members)
            for clone in range(1, clones + 1):
                members.append(
                    Member(len(members), f"{division}.{spec}/{clone}", spec, True, False, parent, clone, number, None)
                )
                types.append(TYPES[spec])
                divisions.append(original(division))
                skills.append(skill[TYPES[spec]] + generation * clone + 0.01 * rng.random())
    for spec in ("kaminsky_random", "always_call"):
        members.append(Member(len(members), spec, spec, False, False, None, 0, None, None))
        types.append(TYPES[spec])
        divisions.append("")
        skills.append(-5.0)
    worth = np.array(skills)
    means = np.where(np.eye(len(worth), dtype=bool), np.nan, worth[:, None] - worth)
    shape = means.shape
    table = Winnings(tuple(range(len(worth))), means, np.full(shape, 0.001), np.full(shape, 100))
    is_sac = np.array([kind.startswith("SAC") for kind in types])
    moved = worth + noise * is_sac * rng.standard_normal(len(worth))
    ratings = [{i: Rating(100 + 10 * value, 1.0) for i, value in enumerate(each)} for each in (worth, moved)]
    styles = tuple(style(*(100 * part + rng.integers(5) for part in STYLES[kind])) for kind in types)
    return Findings(
        tuple(members), tuple(types), tuple(divisions), table, (ratings[0], ratings[1]), ([], []), {}, styles
    )  # fmt: skip


def measure(found: Findings) -> dict[str, Claim]:
    return {claim.claim: claim for claim in measure_claims(found)}


def verdicts(found: Findings) -> dict[str, str]:
    return {result["row"]: judge(result, [])["verdict"] for result in reproduction.describe_claims(found)}


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "RESAMPLES", 100)


def test_every_claim_is_measured_once() -> None:
    league = made_up(dict.fromkeys(STYLES, 0.0))
    assert [claim.claim for claim in measure_claims(league)] == list(FILE.claims)


def test_moves_of_ratings_count_from_the_round_on_that_the_paper_names() -> None:
    league, name = made_up(dict.fromkeys(STYLES, 0.0)), "TrueSkill goes on moving"
    ids = [member.id for member in league.members]
    early = [(0, ids[0], 190.0, 1.0), (499, ids[1], 70.0, 1.0)]
    late = [(600, ids[1], 110.0, 1.0), (700, ids[1], 102.0, 1.0), (600, ids[0], 180.0, 1.0)]
    assert np.isnan(measure(replace(league, histories=(early, [])))[name].mean), "nothing was rated after 500 rounds"
    moves = replace(league, histories=(early + late, early)).rating_moves(500)
    assert moves[:2].tolist() == [10.0, 40.0] and np.isnan(moves[2:]).all()
    everybody = [(number, each, 100.0 + number / 100, 1.0) for number in (0, 499, 999) for each in ids]
    assert measure(replace(league, histories=(everybody + late, everybody)))[name].mean == pytest.approx(180.0 - 104.99)


def test_a_league_like_the_papers() -> None:
    league = made_up({"Qlearn-8": 2.0, "Qlearn-All": 3.0, "SAC-Low": 0.0, "SAC-High": -1.0}, noise=0.8)
    found, judged = measure(league), verdicts(league)
    for name in ("Qlearn at the top, mean", "Qlearn above SAC", "Qlearn-All earns more", "TrueSkill twice, Qlearn"):
        assert judged[name] == "agrees", name
    assert found["Qlearn-All earns more"].mean == pytest.approx(1.0, abs=0.2)
    assert found["TrueSkill twice, SAC"].mean > found["TrueSkill twice, Qlearn"].mean
    assert judged["style by type, plane"] == judged["style by type, strategy vector"] == "agrees"
    assert judged["prediction, mean"] == ""
    for name in (
        "Qlearn-All raises more than it folds", "Qlearn-8 calls more", "Qlearn-All is most aggressive",
        "SAC above Call, mean", "first clones of Qlearn-All are robust",
    ):  # fmt: skip
        assert judged[name] == "agrees", name
    assert judged["SAC above Call, trueskill"] == "differs"  # all of them are above it here


def test_a_league_that_is_another() -> None:
    skills = {"Qlearn-8": 0.0, "Qlearn-All": -1.0, "SAC-Low": 3.0, "SAC-High": 4.0}
    judged = verdicts(made_up(skills))
    for name in ("Qlearn above SAC", "Qlearn-All earns more", "TrueSkill twice, SAC", "Qlearn at the top, median"):
        assert judged[name] == "differs", name
    assert judged["first clones of Qlearn-All are robust"] == "differs"
    assert verdicts(made_up(skills, generation=9.0))["improvement is small"] == "differs"
    assert verdicts(made_up(skills, generation=-9.0))["Qlearn improves by TrueSkill"] == "differs"


def test_printed_scores_of_the_best() -> None:
    """Averages of the own column of each part of table 4.2."""
    printed = {metric: FILE.claims[f"winnings of the best, {metric}"].printed for metric in PRINTED_LEADERS}
    averages = {metric: round(number.value, 3) for metric, number in printed.items() if number is not None}
    assert averages == {"trueskill": 143.4, "mean": 6.035, "median": 2.643, "low": 0.252}
    names = [set(leaders) for leaders in PRINTED_LEADERS.values()]
    assert set.intersection(*names) == {(141.14, 6.16, 2.98, 0.33)}  # "seeker", in all four
    for column, leaders in enumerate(PRINTED_LEADERS.values()):
        own = [scores[column] for scores in leaders]
        assert own == sorted(own, reverse=True) and len(own) == 10
    league = made_up({"Qlearn-8": 2.0, "Qlearn-All": 3.0, "SAC-Low": 0.0, "SAC-High": -1.0})
    best = measure(league)["winnings of the best, mean"]
    assert best.mean == pytest.approx(np.sort(league.scores["mean"])[-3:].mean())
    assert measure(league)["agents in all four lists"].mean == 1.0


@pytest.mark.slow
def test_ranks_inside_divisions() -> None:
    league = made_up({"Qlearn-8": 2.0, "Qlearn-All": 3.0, "SAC-Low": 0.0, "SAC-High": -1.0}, copies=3)
    for sign, verdict in ((1, "agrees"), (-1, "differs")):
        internal = {i: sign * rating.mu for i, rating in league.ratings[0].items()}
        assert verdicts(replace(league, internal=internal))["internal and global ranks agree"] == verdict


@pytest.mark.slow
def test_copies_of_divisions() -> None:
    assert list(list_training_divisions(2))[5:8] == ["QlnA-Rn", "Qln8-Cl-2", "QlnA-Cl-2"]
    assert {original(name) for name in list_training_divisions(3)} == set(TRAINING)
    assert original("PermaEval-1") == "PermaEval-1"
    skills = {"Qlearn-8": 2.0, "Qlearn-All": 3.0, "SAC-Low": 0.0, "SAC-High": -1.0}
    once, twice, thrice = (measure(made_up(skills, copies=copies)) for copies in (1, 2, 3))
    for name in ("Qlearn above SAC", "Qlearn-All earns more"):
        (low, high), (narrow_low, narrow_high) = once[name].ci95, twice[name].ci95
        assert narrow_high - narrow_low < high - low, name
    assert np.isnan(once["climbing earns more"].ci95).all()  # a student of each kind says nothing of other students
    assert np.isfinite(twice["climbing earns more"].ci95).all()
    assert np.isnan(twice["mixing costs"].ci95).all() and np.isfinite(thrice["mixing costs"].ci95).all()


def test_one_clone_of_each_student_says_nothing_about_generations() -> None:
    league = made_up({"Qlearn-8": 2.0, "Qlearn-All": 3.0, "SAC-Low": 0.0, "SAC-High": -1.0}, copies=2, clones=1)
    assert verdicts(league)["improvement is small"] == "undecided"
    assert np.isnan(measure(league)["improvement is small"].mean)


def test_predictions_of_the_winner() -> None:
    found = made_up(dict.fromkeys(STYLES, 0.0))
    everybody = np.arange(len(found.members))
    assert compute_prediction_rate(found, found.scores["mean"], everybody) == 100.0
    assert 25 < compute_prediction_rate(found, np.random.default_rng(1).random(len(everybody)), everybody) < 75
    claim = measure_prediction(found, FILE.claims["prediction, mean"], "mean")
    assert (claim.mean, *claim.ci95) == (100.0, 100.0, 100.0)


def test_shares_need_students() -> None:
    result = {
        "table": TYPES_TABLE, "row": "mean", "group": "SAC-High", "count": 0, "top": 7, "ci95": [0, 0],
        "of": "students", "students": 3,
    }  # fmt: skip
    assert judge(result, [])["verdict"] == "agrees"  # none among the printed twenty either
    assert judge(result | {"students": 2}, [])["verdict"] == "undecided"
    assert judge(result | {"of": "hands"}, [])["verdict"] == "undecided"
    assert judge(result | {"count": 7, "ci95": [6, 7]}, [])["verdict"] == "differs"


def test_a_claim_that_an_untrained_league_meets_as_well_is_not_shown() -> None:
    result = {"table": CLAIMS_TABLE, "row": "Qlearn above SAC", "mean": 30.0, "ci95": [20.0, 40.0], "of": "students"}
    assert judge(result, [])["verdict"] == "agrees"
    assert judge(result | {"untrained": {"mean": 5.0, "ci95": [-1.0, 9.0]}}, [])["verdict"] == "agrees"
    assert judge(result | {"untrained": {"mean": 5.0, "ci95": [1.0, 9.0]}}, [])["verdict"] == "not shown"
    assert judge(result | {"untrained": {"mean": 5.0, "ci95": [None, None]}}, [])["verdict"] == "agrees"


def test_several_seeds_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(("reproduce", "kaminsky2020", "--seeds", "3", "--folder", str(tmp_path))) == 2
    assert "seeds 3: a league has several students" in capsys.readouterr().err
