"""Iterations of a solver depend on its seed and their numbers alone: a run that goes on ends as one without a break."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from card_baselines.solvers import training
from card_baselines.solvers.buckets.equity_buckets import equal_bounds
from card_baselines.solvers.buckets.hand_buckets import BoardBuckets
from card_baselines.solvers.limit.mccfr import Mccfr
from card_baselines.solvers.limit.public_chance_cfr import PublicChanceCfr, PublicChanceCfrBr
from card_baselines.solvers.menu_cfr import MenuCfr
from card_baselines.solvers.multiplayer.mccfr import MultiplayerMccfr
from card_baselines.solvers.sampled_cfr import SampledCfr
from card_baselines.solvers.solver import CfrSolver
from card_baselines.solvers.train import (
    MccfrConfig,
    MccfrLearner,
    MenuConfig,
    MenuLearner,
    MultiplayerConfig,
    MultiplayerLearner,
    PublicChanceConfig,
    PublicChanceLearner,
)
from card_baselines.solvers.vector_cfr import VectorCfr
from card_envs import make_game, memory
from card_envs.analysis.exploitability.public_tree import PublicTree
from card_envs.compiler import COMPILED
from card_envs.games.holdem.config import HoldemConfig
from tests.helpers.hand_buckets import some_buckets, some_turn
from tests.solvers.test_menu_cfr import NO_LIMIT_LEDUC, make_boards
from tests.solvers.test_vector_cfr import MORE_STREETS

pytestmark = pytest.mark.skipif(not COMPILED, reason="visits all hands and bets, which takes minutes as plain Python")

LIMIT, KUHN, SIX_MAX = HoldemConfig.limit(), make_game("kuhn_poker-v0"), make_game("no_limit_holdem-v0", num_players=6)
SOLVERS: dict[str, tuple[Callable[[], CfrSolver], int, int]] = {
    "vector": (lambda: VectorCfr(KUHN, "predictive_cfr_plus"), 30, 5),
    "vector, three streets": (lambda: VectorCfr(MORE_STREETS["one hole card"], "predictive_cfr_plus"), 5, 3),
    "sampled": (lambda: SampledCfr(PublicTree(KUHN), 0, deals=7), 30, 5),
    "menu": (
        lambda: MenuCfr(NO_LIMIT_LEDUC, make_boards(), 3, least=0.3, plain_iterations=5, responder_share=0.5),
        10,
        10,
    ),
    "mccfr": (lambda: Mccfr(LIMIT, equal_bounds(4, seed=0, samples=2000), seed=1), 100, 200),
    "public chance": (lambda: PublicChanceCfr(LIMIT, some_buckets(), some_turn(), seed=3), 2, 1),
    "public chance, CFR-BR": (lambda: PublicChanceCfrBr(LIMIT, some_buckets(), some_turn(), seed=3), 2, 1),
    "multiplayer": (lambda: MultiplayerMccfr(SIX_MAX, BoardBuckets(some_buckets(), some_turn()), 7), 250, 350),
}
"""Name -> how the solver is made, and its numbers of iterations before and after the break."""


@pytest.mark.parametrize("name", SOLVERS)
def test_a_run_goes_on_where_it_stopped(name: str) -> None:
    make, before, after = SOLVERS[name]
    whole, first, second = make(), make(), make()
    whole.run(before + after)
    first.run(before)
    second.restore({name: table.copy() for name, table in first.state().items()}, first.iterations)
    for continued in (first, second):
        continued.run(after)
        assert continued.iterations == whole.iterations == before + after
        for table, expected in whole.state().items():
            np.testing.assert_array_equal(continued.state()[table], expected, err_msg=table)


@pytest.mark.parametrize(("learner", "config", "advice"), [
    (PublicChanceLearner, PublicChanceConfig(), r"\[169, 1024, 1024, 1024\] buckets take \d.* GiB, of 0\.0 .* width"),
    (PublicChanceLearner, PublicChanceConfig(cfr_br=True, width=2), r"\[169, 4, 4, 4\] buckets take .* smaller width"),
    (MultiplayerLearner, MultiplayerConfig(), "16,000,000 information states with 5 actions take .* smaller bet_menu"),
    (MenuLearner, MenuConfig(), "sequences of bets with .* take .* or smaller stacks"),
    (MccfrLearner, MccfrConfig(), r"\[169, 40, 40, 40\] buckets take .* fewer buckets"),
])  # fmt: skip
def test_tables_that_do_not_fit_into_memory_are_refused_before_buckets_are_computed(
    learner: Any, config: Any, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "find_free_memory", lambda: 1e5)
    monkeypatch.setattr(training, "make_buckets", None)
    with pytest.raises(ValueError, match=f"{advice}$"):
        learner(config, config.game())
