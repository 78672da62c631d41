"""Who meets whom."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from card_baselines.league.divisions import KINDS, DivisionSettings, Matchup, Standing
from card_baselines.league.ratings import Rating, update_trueskill
from card_baselines.league.rounds import Earnings, RoundOutcome
from card_baselines.league.store import LeagueError

SIX = Standing(6, students=(1, 2), teachers=tuple(range(10, 20)))
SETTINGS = DivisionSettings()


def draws(kind: str, standing: Standing, count: int, settings: DivisionSettings = SETTINGS) -> list[Matchup]:
    """Draw rounds one wave after the other; meetings are counted in between."""
    rng, drawn, met = np.random.default_rng(0), [], Counter(standing.meetings)
    while len(drawn) < count:
        wave = KINDS[kind].draw(replace(standing, meetings=met), settings, rng)
        for matchup in wave:
            different = sorted(set(matchup.seating))
            met.update(frozenset((a, b)) for a in different for b in different if a < b)
        drawn += wave
    return drawn


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("num_seats", [2, 3, 4, 6])
def test_every_seat_is_taken_by_members(kind: str, num_seats: int) -> None:
    standing = replace(SIX, num_seats=num_seats)
    for matchup in draws(kind, standing, 20):
        assert len(matchup.seating) == num_seats and set(matchup.seating) <= {1, 2, *range(10, 20)}
        assert set(matchup.students) == set(matchup.seating) & {1, 2}
        assert KINDS[kind].trains or not matchup.students


def test_random_draws_one_student_and_teachers_evenly() -> None:
    matchups = draws("random", SIX, 2000)
    assert all(len(matchup.students) == 1 for matchup in matchups)
    students = Counter(matchup.students[0] for matchup in matchups)
    teachers = Counter(member for matchup in matchups for member in matchup.seating if member >= 10)
    assert abs(students[1] - 1000) < 150  # 6.7 standard deviations
    assert all(abs(teachers[teacher] - 1000) < 200 for teacher in SIX.teachers)  # likewise
    assert any(max(Counter(matchup.seating).values()) > 1 for matchup in matchups), "teachers need not be distinct"


def test_climbing_draws_teachers_by_the_squares_of_their_ratings() -> None:
    standing = replace(SIX, teachers=(10, 11), ratings={10: Rating(300.0), 11: Rating(100.0)})
    matchups = draws("climbing", standing, 2000, DivisionSettings(evaluation_share=0))
    teachers = Counter(member for matchup in matchups for member in matchup.seating if member >= 10)
    assert abs(teachers[10] / 10_000 - 0.9) < 0.02, "300^2 / (300^2 + 100^2), eq. 3.1; 6.7 standard deviations"


def test_climbing_evaluates_now_and_then() -> None:
    matchups = draws("climbing", SIX, 1000, DivisionSettings(evaluation_share=0.3))
    alone = [matchup for matchup in matchups if not matchup.students]
    assert abs(len(alone) - 300) < 95
    assert all(len(set(matchup.seating)) == 6 for matchup in alone), "as many different ones as there are"


def test_similar_seats_those_with_the_nearest_ratings() -> None:
    ratings = {teacher: Rating(float(teacher)) for teacher in SIX.teachers}
    for matchup in draws("similar", replace(SIX, num_seats=3, ratings=ratings), 50):
        members = sorted(matchup.seating)
        assert members[2] - members[0] <= 3 and len(set(members)) == 3


def test_similar_without_enough_members_repeats_some() -> None:
    for matchup in draws("similar", replace(SIX, teachers=(10, 11)), 20):
        assert set(matchup.seating) == {10, 11}


@pytest.mark.parametrize("kind", ["direct", "round_robin"])
def test_everybody_meets_everybody_before_anybody_twice(kind: str) -> None:
    standing = replace(SIX, teachers=(10, 11, 12, 13))
    matchups = draws(kind, standing, 12)
    for six in (matchups[:6], matchups[6:]):
        assert len({frozenset(matchup.seating) for matchup in six}) == 6
    assert all(set(Counter(matchup.seating).values()) == {3} for matchup in matchups)


def test_of_an_odd_number_of_seats_each_has_one_more_at_every_other_meeting() -> None:
    matchups = draws("direct", replace(SIX, num_seats=3, teachers=(10, 11)), 4)
    assert [Counter(matchup.seating)[10] for matchup in matchups] == [2, 1, 2, 1]


def test_settings_are_checked() -> None:
    with pytest.raises(LeagueError, match="no setting 'clones'"):
        DivisionSettings.from_mapping({"clones": 3})
    with pytest.raises(LeagueError, match="must be at least 1"):
        DivisionSettings.from_mapping({"hands": 0})
    for wrong in ({"hands": "many"}, {"hands": 2.5}, {"evaluation_share": "half"}):
        with pytest.raises(LeagueError, match="settings of a division are whole numbers"):
            DivisionSettings.from_mapping(wrong)


def test_trueskill_ranks_by_what_a_seat_won() -> None:
    earnings = {1: Earnings(1, 50, 0), 2: Earnings(4, 100, 0), 3: Earnings(1, -150, 0)}
    first = update_trueskill({}, RoundOutcome(1, earnings=earnings).scores)
    assert first[1].mu > first[2].mu > first[3].mu and all(rating.sigma < 30 for rating in first.values())
    assert update_trueskill(first, {1: 0.0}) == {}, "nothing is learned of a member that is alone"


def test_two_members_a_beta_apart_are_expected_to_win_as_the_paper_says() -> None:
    """Published: 76 % for a difference of one beta, with certain ratings."""
    from statistics import NormalDist

    from card_baselines.league.ratings import BETA

    assert NormalDist().cdf(BETA / (2**0.5 * BETA)) == pytest.approx(0.76, abs=0.001)
