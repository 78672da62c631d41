"""CFR in flop hold'em: boards up to suit isomorphism stand for all boards, and OpenSpiel finds the same game."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from card_baselines.exploitability.methods import ExploitSettings, measure_exploitability
from card_baselines.solvers import vector_cfr
from card_baselines.solvers.vector_cfr import VectorCfr, VectorGame
from card_envs import make_game
from card_envs.agent import decisions_at
from card_envs.compiler import COMPILED
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from tests.exploitability.test_flop_holdem import SEVEN_CARDS, THEIRS
from tests.helpers.endgames import target_of
from tests.solvers.test_vector_cfr import Plays, solve_all_boards

pytestmark = pytest.mark.skipif(not COMPILED, reason="hundreds of iterations, which take minutes as plain Python")

TWELVE_CARDS = replace(HoldemConfig.flop(max_raises=(1, 2)), num_suits=4, num_ranks=3)
GAME = holdem_game("twelve_cards", TWELVE_CARDS)


@pytest.mark.parametrize("variant", ["discounted_cfr_plus", "predictive_cfr_plus"])
def test_canonical_flops_stand_for_all_flops(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later iterations differ, since regrets of 0 up to rounding have a sign, which decides what is played."""
    merged, every = VectorCfr(GAME, variant), solve_all_boards(GAME, variant, monkeypatch)
    assert (merged.game.num_boards, every.game.num_boards) == ([1, 20], [1, 220])
    assert merged.game.boards[0].factor.sum() == pytest.approx(every.game.boards[0].factor.sum())
    for solver in (merged, every):
        solver.run(3)
    assert merged.find_best_responses() == pytest.approx(every.find_best_responses(), abs=1e-12)
    found, expected = (solver.state() for solver in (merged, every))
    for name in ("early.regrets", "early.sums"):
        assert found[name] == pytest.approx(expected[name], abs=1e-9 * np.abs(expected[name]).max()), name


def test_the_value_and_the_exploitability_are_those_with_all_flops(monkeypatch: pytest.MonkeyPatch) -> None:
    merged, every = VectorCfr(GAME, "discounted_cfr_plus"), solve_all_boards(GAME, "discounted_cfr_plus", monkeypatch)
    for solver in (merged, every):
        solver.run(100)
    found = measure_exploitability(target_of(GAME, Plays(merged)), "exact", ExploitSettings())
    assert found["flops"] == 220
    assert found["best_responses"] == pytest.approx(merged.find_best_responses().tolist(), abs=1e-9)
    assert found["suits_alike"]
    responses = np.stack([merged.find_best_responses(), every.find_best_responses()])
    assert 0 < responses.mean(axis=1).max() < 5e-3
    values = (responses[:, 0] - responses[:, 1]) / 2
    assert abs(values[0] - values[1]) < responses.mean(axis=1).sum(), "both are known up to the exploitability"


def test_openspiel_measures_the_same_value_and_exploitability() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = holdem_game("seven_cards", SEVEN_CARDS), pyspiel.load_game(THEIRS)
    solver = VectorCfr(game, "discounted_cfr_plus")
    solver.run(100)
    met: dict[str, tuple[Any, list[int]]] = {}

    def visit(state: Any, tables: Any, cards: list[int]) -> None:
        """Note the table at each information state."""
        if state.is_chance_node():
            for outcome, _ in state.chance_outcomes():
                if len(cards) in (0, 2, 4) or 4 * outcome > cards[-1]:  # information states do not tell their order
                    visit(state.child(outcome), tables, [*cards, 4 * outcome])
        elif not state.is_terminal():
            if tables is None:
                tables = game.seeded_tables(1, 0)
                game.deal_with(tables, 0, {"button": 1, "deck": cards})
            tables[0].deck[: len(cards)] = cards
            met.setdefault(state.information_state_string(), (tables, state.legal_actions()))
            for action in state.legal_actions():
                after = tables.copy()
                game.step(after, 0, action)
                visit(state.child(action), after, cards)

    visit(theirs.new_initial_state(), None, [])
    tables, rows = np.concatenate([each for each, _ in met.values()]), np.arange(len(met))
    decisions = decisions_at(game, tables, rows, rows, np.full(len(met), 0.5))
    found = solver.strategy().probabilities(decisions.views).tolist()
    policy = {
        key: [(action, row[action]) for action in legal]
        for (key, (_, legal)), row in zip(met.items(), found, strict=True)
    }
    played = pyspiel.TabularPolicy(policy)
    responses = solver.find_best_responses()
    assert pyspiel.nash_conv(theirs, played) / 100 == pytest.approx(responses.sum(), abs=1e-9)
    returns = pyspiel.expected_returns(theirs.new_initial_state(), played, -1, True)
    value, exploitability = (responses[0] - responses[1]) / 2, responses.mean()
    assert abs(returns[0] / 100 - value) <= exploitability < 1e-3


def test_games_that_need_much_memory_are_solved_with_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = VectorCfr(GAME, "discounted_cfr_plus")
    with monkeypatch.context() as patch:
        patch.setattr(vector_cfr, "MAX_BYTES", 22 * 10**5)
        solver = VectorCfr(GAME, "discounted_cfr_plus")
    assert (exact.game.dtype, solver.game.dtype) == (np.float64, np.float32)
    assert {array.dtype for array in solver.state().values()} == {np.dtype(np.float32)}
    for each in (exact, solver):
        each.run(100)
    found = measure_exploitability(target_of(GAME, Plays(solver)), "exact", ExploitSettings())
    assert found["best_responses"] == pytest.approx(solver.find_best_responses().tolist(), abs=1e-5)
    assert found["exploitability"] == pytest.approx(exact.exploitability, rel=0.3)


def test_too_little_memory_is_refused_before_anything_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cfr, "find_free_memory", lambda: 2.0**30)
    with pytest.raises(ValueError, match=r"1,755 boards, 1,176 hands and 56 .*take 4.0 GiB of 1.0 that are free"):
        VectorGame(make_game("flop_holdem-v0"))
    monkeypatch.setattr(vector_cfr, "MAX_BYTES", 2**30)
    with pytest.raises(ValueError, match=r"take 4.0 GiB of at most 1.0"):
        VectorGame(make_game("flop_holdem-v0"))
