"""The sampled solver of small games: its regrets are right on average, it merges equivalent deals, and it solves."""

from __future__ import annotations

import numpy as np
import pytest

from card_baselines.solvers.regret import SCHEDULES, Schedule
from card_baselines.solvers.sampled_cfr import SampledCfr, SmallGame, Visits, draw, merge_deals, traverse
from card_baselines.solvers.train import CFR, CfrConfig
from card_baselines.solvers.vector_cfr import VectorCfr
from card_envs import make_game
from card_envs.analysis.exploitability.best_response import strategy_exploitability
from card_envs.analysis.exploitability.public_tree import PublicTree
from card_envs.compiler import COMPILED, kernel
from card_envs.game import Game
from card_envs.rng import seeded_streams
from tests.helpers.bet_game import bet_game
from tests.neural.test_learners import counterfactual_regrets

compiled_only = pytest.mark.skipif(not COMPILED, reason="hundreds of thousands of deals, minutes as plain Python")
GAMES = {"kuhn": make_game("kuhn_poker-v0"), "leduc": make_game("leduc_holdem-v0"), "bet_game": bet_game()}
each_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
RATE = 1e-9
"""So small that the strategy stays as it is."""


@kernel
def sample(count, tree, deals, regrets, totals, squares, stream, visits):  # type: ignore[no-untyped-def]
    """Add up the regrets that traversals add, and their squares."""
    sums = np.zeros_like(regrets)
    for _ in range(count):
        deal, before = draw(deals, stream), regrets.copy()
        for player in range(2):
            traverse(tree, deals.sets, deal, deal, player, 1 - player, RATE, 1.0, regrets, sums, stream, visits)
        found = (regrets - before) / RATE
        totals += found
        squares += found**2
        regrets[:] = before
    return sums


@compiled_only
@each_game
def test_sampled_regrets_and_strategies_are_right_on_average(game: Game) -> None:
    public = PublicTree(game)
    small, rng, count = SmallGame(public), np.random.default_rng(0), 60_000
    regrets = rng.random((small.num_rows, game.num_actions)) + 0.01
    weights = regrets[small.row_of] * small.mask
    strategy = weights / weights.sum(axis=1, keepdims=True)
    totals, squares = np.zeros((2, *regrets.shape))
    visits = Visits.allocate(len(small.tree.nodes), game.num_actions)
    sums = sample(count, small.tree, small.deals, regrets, totals, squares, seeded_streams(1, 0)[0], visits)
    expected = np.zeros_like(totals)
    np.add.at(expected, small.row_of, counterfactual_regrets(public, strategy))
    errors = np.sqrt(squares) / count + 1e-6  # of independent draws; those without replacement vary less
    assert (np.abs(totals / count - expected) <= 5 * errors).all()
    assert np.corrcoef((totals / count).ravel(), expected.ravel())[0, 1] > 0.97
    seen = sums.sum(axis=1) > 0
    shares = sums[small.row_of] / np.maximum(sums[small.row_of].sum(axis=1, keepdims=True), 1e-9)
    np.testing.assert_allclose(shares[seen[small.row_of]], strategy[seen[small.row_of]], atol=1e-6)


def test_suits_of_leduc_are_merged() -> None:
    """Six cards of three ranks: 288 of 936 information states and 24 of 120 deals differ in their ranks."""
    small = SmallGame(PublicTree(GAMES["leduc"]))
    assert (small.num_rows, len(small.row_of)) == (288, 936)
    assert (len(small.deals.sets), len(small.deals.order)) == (24, 120)
    assert np.bincount(small.deals.order).sum() == 120


@pytest.mark.parametrize(("name", "deals", "states"), [("kuhn", 6, 12)])
def test_games_without_interchangeable_cards_stay_as_they_are(name: str, deals: int, states: int) -> None:
    small = SmallGame(PublicTree(GAMES[name]))
    assert (len(small.deals.sets), small.num_rows) == (deals, states)
    assert sorted(small.row_of) == list(range(states))


def test_deals_are_told_apart_by_what_others_may_hold() -> None:
    """Deals 0 and 1 pay alike, but whoever holds the card of 1 may be at 3, which pays otherwise."""
    seen = np.array([[0, 1, 0, 1]])
    kinds, sets = merge_deals(seen, np.array([[0.0], [0.0], [0.0], [1.0]]))
    assert len(set(kinds)) == 3 and kinds[0] == kinds[2] != kinds[1]
    assert sets[0, 0] == sets[0, 2] != sets[0, 1] == sets[0, 3]
    kinds, sets = merge_deals(seen, np.zeros((4, 1)))
    assert set(kinds) == {0} and set(sets[0]) == {0}


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_deals_are_drawn_without_replacement(name: str) -> None:
    deals, stream = SmallGame(PublicTree(GAMES[name])).deals, seeded_streams(1, 3)[0]
    expected, orders = np.bincount(deals.order), set()
    for _ in range(3):
        drawn = [int(draw(deals, stream)) for _ in deals.order]
        assert (np.bincount(drawn) == expected).all()
        orders.add(tuple(drawn))
    assert len(orders) == 3


@compiled_only
@pytest.mark.parametrize("variant", [name for name in SCHEDULES if not SCHEDULES[name](1).prediction])
def test_every_variant_approaches_an_equilibrium(variant: str) -> None:
    public = PublicTree(GAMES["kuhn"])
    solver = SampledCfr(public, 0, variant)
    solver.run(300)
    found = strategy_exploitability(public, solver.strategy())
    assert found.exploitability < 0.005
    assert found.values[0] == pytest.approx(-1 / 18, abs=0.005)


@compiled_only
def test_leduc_is_solved() -> None:
    """Measured over all suits: merging them loses nothing."""
    public = PublicTree(GAMES["leduc"])
    solver = SampledCfr(public, 0)
    solver.run(600)
    found = strategy_exploitability(public, solver.strategy())
    assert found.exploitability < 0.012
    assert found.values[0] == pytest.approx(-0.0856, abs=0.005)


@compiled_only
def test_any_number_of_seats() -> None:
    """Three players: nobody gains much by deviating, although nothing says so for more than two."""
    public = PublicTree(make_game("kuhn_poker-v0", num_players=3))
    solver = SampledCfr(public, 0)
    solver.run(200)
    assert strategy_exploitability(public, solver.strategy()).exploitability < 0.02


def test_schedules_that_predict_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'predictive_cfr_plus' cannot be sampled: choose one of \['cfr', 'cfr_plus'"):
        SampledCfr(PublicTree(GAMES["kuhn"]), 0, "predictive_cfr_plus")


@pytest.mark.parametrize("damage", ["order", "num_drawn"])
def test_deals_of_other_games_are_refused(damage: str) -> None:
    """Their numbers are indices, which kernels do not check."""
    solver = SampledCfr(PublicTree(GAMES["kuhn"]), 0, deals=7)
    solver.run(1)
    state = {name: array.copy() for name, array in solver.state().items()}
    before = {name: array.copy() for name, array in state.items()}
    state[damage][0] = 1000
    with pytest.raises(ValueError, match="deals of another game"):
        solver.restore(state, 5)
    assert all((array == before[name]).all() for name, array in solver.state().items())
    assert solver.iterations == 1


@compiled_only
def test_a_new_variant_is_one_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regrets with equal weights and strategies with squared ones, in both solvers and in the settings of a run."""
    monkeypatch.setitem(
        SCHEDULES, "late_average", lambda iteration: Schedule(1.0, 1.0, 1.0, 0.0, float(iteration) ** 2)
    )
    public = PublicTree(GAMES["kuhn"])
    sampled, whole = SampledCfr(public, 0, "late_average"), VectorCfr(GAMES["kuhn"], "late_average")
    sampled.run(300)
    whole.run(500)
    assert strategy_exploitability(public, sampled.strategy()).exploitability < 0.01
    assert 0 < whole.exploitability < 0.005
    assert CfrConfig(variant="late_average").variant == "late_average"


def test_presets_are_the_variants() -> None:
    assert CFR.presets.keys() == {*SCHEDULES, "cfr_flop"}
    assert all(CFR.presets[name].variant == name for name in SCHEDULES)
