"""Reports: who pays whom, and maps by strategy vectors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from card_baselines.league import League
from card_baselines.league.cashflow import compute_cashflow
from card_baselines.league.maps import Play
from card_baselines.league.report import compute_standings, to_html, write_report
from card_baselines.league.rounds import Earnings, RoundOutcome
from card_baselines.league.store import Store
from card_baselines.papers.kaminsky2020.strategies import measure_strategies, require_strategies
from card_baselines.papers.kaminsky2020.style import measure_style
from card_envs.agent import Agent, find_agent
from card_envs.envs import make_game

LEARNER = f"{Path(__file__).with_name('learner.py')}:Learner"
AGENTS = ["random", "always_call", "always_raise", "chen", "tight_aggressive", f"{Path(__file__)}:Breaks"]


class Breaks(Agent):
    """Fails in every decision."""

    def act(self, decisions, rng):
        raise RuntimeError("out of order")


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[League]:
    """A league of six-max no-limit hold'em in which rounds have six members, and a clone plays."""
    folder = tmp_path_factory.mktemp("mixed") / "league"
    with League.new(folder, "no_limit_holdem-v0", seed=2, num_players=6) as league:
        league.add_division("climb", "random", students=[LEARNER], teachers=AGENTS, hands=20, clone_every=1)
        league.add_division("mixed", "similar", hands=60)
        league.run({"climb": 1})
        league.run({"mixed": 4})
        yield league


# --- who pays whom ---


def flow(*above: float, seats: int = 4) -> np.ndarray:
    """What seats pay each other, of the numbers above the diagonal."""
    matrix = np.zeros((seats, seats))
    matrix[np.triu_indices(seats, 1)] = above
    return matrix - matrix.T


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Rounds at tables of four: two of three members, one of two, one in which somebody learns, one of others."""
    store = Store.create(tmp_path / "league.sqlite", {})
    paid = flow(0, 1, 2, 3, 4, 5)
    rounds = [
        ((1, 1, 2, 3), (), 10, paid),
        ((2, 1, 3, 3), (), 30, paid),
        ((1, 1, 2, 2), (), 50, paid),
        ((1, 2, 3, 4), (4,), 50, paid),
        ((1, 2, 3, 4), (), 50, paid),
    ]
    with store.transaction():
        store.add_division("d", "similar", {})
        for name in "abcd":
            store.add_member(name, name, is_trainee=False, learns=False)
        for number, (seating, students, hands, paid) in enumerate(rounds):
            id = store.plan(1, number, 0, seating, students).id
            earnings = {member: Earnings(1, 0, 0.0) for member in set(seating)}
            store.add_outcome(RoundOutcome(id, hands, hands, earnings, paid, {}, {}, {}), {}, "")
    yield store
    store.close()


def test_cashflow_by_hand(store: Store) -> None:
    found = compute_cashflow(store, [1], (1, 2, 3))
    assert found is not None and found.rounds.tolist() == [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    # round 1: a sits at 0 and 1, b at 2, c at 3; in round 2 b sits at 0, a at 1, c at 2 and 3
    a_to_b, a_to_c, b_to_c = 10 * (1 + 3), 10 * (2 + 4) + 30 * (3 + 4), 10 * 5 + 30 * (1 + 2)
    pairs = np.array([10 * 2 + 30 * 1, 10 * 2 + 30 * 2, 10 * 1 + 30 * 2])
    means = found.means[[0, 0, 1], [1, 2, 2]]
    assert means == pytest.approx(np.array([a_to_b, a_to_c, b_to_c]) / pairs)
    assert np.array_equal(found.means, -found.means.T, equal_nan=True) and np.isnan(np.diag(found.means)).all()
    # a and b: of 40 and 0 in 20 and 30 pairs of seats, the ratio 0.8 leaves 24 and -24; Student's t of 1 degree
    assert found.half_widths[0, 1] == pytest.approx(12.7062 * np.sqrt(2 * (24**2 + 24**2)) / 50, rel=1e-5)
    assert np.isnan(np.diag(found.half_widths)).all(), "nobody pays itself"


def test_cashflow_of_everybody_and_of_nobody(store: Store) -> None:
    found = compute_cashflow(store, [1], (1, 2, 3, 4))
    assert found is not None and found.rounds[0].tolist() == [0, 3, 3, 1]
    assert found.means[3].tolist()[:3] == [-2, -4, -5] and np.isinf(found.half_widths[3, :3]).all()
    assert compute_cashflow(store, [1], (1, 2)) is None, "two members: what one pays is what the other wins"
    assert compute_cashflow(store, [2], (1, 2, 3)) is None


def test_what_members_pay_is_what_they_lose(mixed: League) -> None:
    found = compute_standings(mixed, "mixed", ["trueskill"], resamples=5)
    assert found.cashflow is not None and len(found.cashflow.members) == 7
    pairs = np.zeros((7, 7))
    place = {member: number for number, member in enumerate(found.cashflow.members)}
    won = np.zeros(7)
    for planned in mixed.store.rounds(mixed.division("mixed").id, played=True):
        seats = np.bincount([place[member] for member in planned.seating], minlength=7)
        pairs += 60 * np.outer(seats, seats)
        for member, earnings in mixed.store.earnings(planned.id).items():
            won[place[member]] += earnings.total / mixed.game.chips_per_reward
    assert np.nansum(found.cashflow.means * pairs, axis=1) == pytest.approx(-won)


# --- maps by strategy ---


@pytest.fixture(scope="module")
def strategies(mixed: League) -> Play:
    """Of everybody who does not learn."""
    heard: list[int] = []
    members = [member.id for member in mixed.members.values() if not member.learns]
    found = measure_strategies(mixed, members, hands=1, progress=lambda: heard.append(1))
    assert len(heard) == len(members) == 7
    return found


def test_strategies_of_agents_and_clones(mixed: League, strategies: Play) -> None:
    members, found = {member.name: member.id for member in mixed.members.values()}, strategies
    assert found.missing == {members["Breaks"]: "RuntimeError: out of order"}
    assert found.vectors.shape == (6, 4320 * 53) and "4,320 decisions" in found.title
    alone = measure_style(find_agent("chen", mixed.game), mixed.game, hands=1)
    assert (found.vectors[found.members.index(members["chen"])] == alone.vector).all()
    clone = found.members.index(members["climb.Learner/1"])
    assert found.vectors[clone].sum() == 4320
    assert found.values[clone, 2] > 1, "it knows next to nothing, so it folds"


def test_a_report_with_a_map_by_strategy(mixed: League, strategies: Play, tmp_path: Path) -> None:
    found = compute_standings(mixed, "mixed", ["trueskill"], resamples=5)
    write_report(mixed, found, tmp_path, strategies=strategies)
    text = (tmp_path / "report.md").read_text()
    assert "Members by their strategy vectors, 4,320 decisions each" in text
    assert "Breaks is not on the map: RuntimeError: out of order." in text
    assert "| always_call | 0 | 0 | 0 |" in text, "it neither raises nor folds"
    assert "## Who pays whom" in text and "that each seat of the row pays each seat of the column" in text
    assert {"map.png", "cashflow.png"} <= {path.name for path in tmp_path.iterdir()}


def test_maps_by_strategy_are_for_one_game() -> None:
    game = make_game("no_limit_holdem-v0", num_players=6, stacks=100)
    with pytest.raises(ValueError, match=r"6 seats and stacks of 100 big blinds, not for .*the map by statistics"):
        require_strategies(game)


# --- the page ---


def test_intervals_in_the_page_stay_on_a_line(tmp_path: Path) -> None:
    page = to_html("# League\n\n| mean |\n| --- |\n| +23.58 [+0.021, +1,042.96] |\n", tmp_path)
    assert "<td>+23.58 [+0.021,&nbsp;+1,042.96]</td>" in page


def test_names_of_members_bring_nothing_into_the_page(tmp_path: Path) -> None:
    (tmp_path / "ranks.png").write_bytes(b"picture")
    text = """# League <of> x

![Ranks, with 95 % intervals](ranks.png)

**members**

| member | made by |
| --- | --- |
| <script>alert(1)</script> | [link](http://a.b) |
| ![seen](http://a.b/c.png) | <http://a.b> |
"""
    page = to_html(text, tmp_path)
    assert "<title>League &lt;of&gt; x</title>" in page and "<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>" in page
    assert "<strong>members</strong>" in page
    assert page.count("<img ") == 1 and "data:image/png;base64,cGljdHVyZQ==" in page and "<a " not in page
    assert "<figcaption>Ranks, with 95 % intervals</figcaption>" in page
