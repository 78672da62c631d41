"""CFR over all hands and boards: every variant approaches equilibria whose exploitability other code measures."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines.exploitability.methods import ExploitSettings, measure_exploitability
from card_baselines.neural.sd_cfr import Config as SdCfrConfig
from card_baselines.neural.sd_cfr import SingleDeepCfr
from card_baselines.neural.tabular_mccfr import Config as TabularConfig
from card_baselines.neural.tabular_mccfr import TabularMccfr
from card_baselines.runs.run import train
from card_baselines.solvers import vector_cfr
from card_baselines.solvers.agent import CfrLarge
from card_baselines.solvers.regret import SCHEDULES
from card_baselines.solvers.sampled_cfr import SampledCfr
from card_baselines.solvers.train import CFR as ALGORITHM
from card_baselines.solvers.train import CfrConfig as Config
from card_baselines.solvers.train import MenuConfig, MenuLearner, MultiplayerConfig, MultiplayerLearner
from card_baselines.solvers.vector_cfr import VectorCfr, VectorGame, VectorStrategy
from card_envs import make_game
from card_envs.agent import Decisions, action_probabilities, decisions_at, find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.analysis.exploitability.public_tree import PublicTree
from card_envs.compiler import COMPILED
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.endgame import Endgame
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.presets import river_endgame
from tests.exploitability.test_flop_holdem import SEVEN_CARDS
from tests.helpers.endgames import target_of
from tests.helpers.scripted_agents import ShowsProbabilities
from tests.third_game.game import dozen

pytestmark = pytest.mark.skipif(not COMPILED, reason="hundreds of iterations, which take minutes as plain Python")


SHORT = replace(HoldemConfig.limit(), num_ranks=5, raise_sizes=(2, 2, 4), max_raises=(1, 1, 1), board_cards=(0, 3, 1))
THREE_STREETS = holdem_game("three_streets", SHORT)
"""Cards come twice, in a deck of 20."""
SOLVERS = ("public_chance_cfr", "mccfr", "menu_cfr", "multiplayer_mccfr", "tabular_mccfr", "SampledCfr")


class Plays(ShowsProbabilities):
    """Plays the average strategy of a solver."""

    name = "plays"

    def __init__(self, strategy: VectorStrategy) -> None:
        self._strategy = strategy

    def probabilities(self, decisions: Decisions) -> Any:
        return self._strategy.probabilities(decisions.views)


LIMITS = {"cfr": (0.002, 0.03), "linear_cfr": (0.001, 0.015)}
"""Exploitability of Kuhn and Leduc after 500 iterations; others are faster."""


@pytest.mark.parametrize("variant", SCHEDULES)
@pytest.mark.parametrize(
    ("env", "value"), [("kuhn_poker-v0", -1 / 18), ("leduc_holdem-v0", -0.0856)], ids=["kuhn", "leduc"]
)
def test_small_games_are_solved(variant: str, env: str, value: float) -> None:
    """The whole tree of the game, with all deals, gives the same exploitability."""
    game, limit = make_game(env), LIMITS.get(variant, (0.001, 0.003))[env.startswith("leduc")]
    solver = VectorCfr(game, variant)
    solver.run(500)
    found = exact_exploitability(game, Plays(solver.strategy()))
    assert found.best_responses == pytest.approx(solver.find_best_responses().tolist(), abs=1e-12)
    assert 0 <= found.exploitability * game.chips_per_reward < limit
    assert found.values[0] * game.chips_per_reward == pytest.approx(value, abs=limit)


@pytest.mark.parametrize(
    "game",
    [
        holdem_game("seven_cards", SEVEN_CARDS),
        river_endgame(stacks=(30, 30)),
        Endgame(HoldemConfig.limit(), "Ks 9d 4c 2h", 20, (4, 4)).game(),
    ],
    ids=["flop", "river", "turn"],
)
def test_its_exploitability_is_the_one_that_is_measured(game: Game) -> None:
    solver = VectorCfr(game, "discounted_cfr")
    solver.run(3)
    before = solver.exploitability
    solver.run(20)
    found = measure_exploitability(target_of(game, Plays(solver.strategy())), "exact", ExploitSettings())
    assert found["best_responses"] == pytest.approx(solver.find_best_responses().tolist(), abs=1e-9)
    assert 0 < found["exploitability"] < before / 3


@pytest.mark.parametrize(("variant", "left"), [
    ("cfr", 5e-3), ("cfr_plus", 1e-3), ("linear_cfr", 1e-3), ("discounted_cfr", 2e-3), ("discounted_cfr_plus", 2e-3),
    ("predictive_cfr_plus", 1e-4),
])  # fmt: skip
def test_a_training_run_of_every_variant_plays(variant: str, left: float, tmp_path: Path) -> None:
    config = Config(
        env="kuhn_poker-v0",
        variant=variant,
        iterations=200,
        panel=("random",),
        final_hands=100,
        evaluation_hands=100,
    )
    train(ALGORITHM, config, tmp_path / "run")
    game = make_game("kuhn_poker-v0")
    agent = find_agent(str(tmp_path / "run"), game)
    assert exact_exploitability(game, agent).exploitability < left
    with pytest.raises(ValueError, match="another game"):
        find_agent(str(tmp_path / "run"), make_game("leduc_holdem-v0"))


@pytest.mark.parametrize("street", ["early", "late"])
@pytest.mark.parametrize("damage", ["zero", "twice", "moved to an illegal action"])
def test_a_file_with_numbers_that_are_no_probabilities_is_refused(damage: str, street: str, tmp_path: Path) -> None:
    solver, path = VectorCfr(make_game("leduc_holdem-v0")), tmp_path / "strategy.npz"
    solver.run(5)
    solver.strategy().save(path)
    VectorStrategy.load(path, solver.game)
    with np.load(path) as file:
        arrays = dict(file)
    table = arrays[street].reshape(-1, *arrays[street].shape[-2:])  # (decisions, actions, hands)
    row = int(np.flatnonzero(~solver.game.streets.legal_of(street == "late").all(axis=1))[0])
    table[row] = {"zero": 0 * table[row], "twice": 2 * table[row]}.get(damage, table[row][::-1])
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"strategy\.npz: the strategy has probabilities that do not sum to 1, or of"):
        VectorStrategy.load(path, solver.game)


def test_what_it_cannot_solve_is_refused_with_what_to_use(monkeypatch: pytest.MonkeyPatch) -> None:
    for game, reason in (
        (make_game("leduc_holdem-v0", num_players=3), "SampledCfr solves it"),
        (make_game("limit_holdem-v0"), "public_chance_cfr"),
        (make_game("big2-v0"), "no solver takes it: train self_play_ppo$"),
        (THREE_STREETS, "no solver takes it: train self_play_ppo or sd_cfr, or solve an Endgame"),
    ):
        with pytest.raises(ValueError, match=reason):
            VectorCfr(game)
    with pytest.raises(ValueError, match="'cfr_minus' is not known"):
        VectorCfr(make_game("kuhn_poker-v0"), "cfr_minus")
    with pytest.raises(ValueError, match="'cfr_minus' is not known"):
        Config(variant="cfr_minus")
    monkeypatch.setattr(vector_cfr, "MAX_BYTES", 1000)
    with pytest.raises(ValueError, match="6 boards, 5 hands and 30 decisions"):
        VectorGame(make_game("leduc_holdem-v0"))


@pytest.mark.parametrize("game", [
    *(make_game("limit_holdem-v0", **settings) for settings in (
        {}, {"max_raises": (1, 1, 1, 1)}, {"stacks": 10}, {"rules": "rlcard"}, {"num_players": 3},
    )),
    *(make_game("no_limit_holdem-v0", stacks=20, **settings) for settings in (
        {}, {"bet_menu": "integers"}, {"num_players": 3}, {"bet_menu": (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)},
    )),
    make_game("no_limit_holdem-v0", stacks=(20, 30)), THREE_STREETS, make_game("big2-v0"),
    make_game("kuhn_poker-v0", num_players=3), dozen(),
])  # fmt: skip
def test_what_is_suggested_takes_the_game_and_nothing_else_does(game: Game) -> None:
    def takes(make: Callable[[], object]) -> bool:
        try:
            make()
        except ValueError:
            return False
        return True

    is_own = takes(lambda: CfrLarge(game)) and game.config.is_texas  # the game of public_chance_cfr and mccfr
    allowed = {
        "public_chance_cfr": is_own, "mccfr": is_own, "menu_cfr": takes(lambda: MenuLearner(MenuConfig(), game)),
        "multiplayer_mccfr": takes(lambda: MultiplayerLearner(MultiplayerConfig(), game)),
        "tabular_mccfr": takes(lambda: TabularMccfr(TabularConfig(), game)),
        "SampledCfr": takes(lambda: SampledCfr(PublicTree(game), 0)),
        "sd_cfr": takes(lambda: SingleDeepCfr(SdCfrConfig(traversals=10), game)), "self_play_ppo": True,
    }  # fmt: skip
    advice = vector_cfr.suggest_solver(game)
    named = [name for name in allowed if name in re.findall(r"\w+", advice)]
    if advice.startswith("choose a bet_menu"):
        assert named == ["multiplayer_mccfr"] and not any(allowed[name] for name in SOLVERS)
    else:
        assert named and all(allowed[name] for name in named)
        assert advice.startswith("no solver") != any(allowed[name] for name in SOLVERS)


def test_a_decision_has_the_same_strategy_at_both_seats() -> None:
    game = make_game("leduc_holdem-v0")
    solver = VectorCfr(game)
    solver.run(5)
    agent, found = Plays(solver.strategy()), []
    for button in (0, 1):
        tables = game.seeded_tables(1, 0)
        deck = np.array(game.config.deck_cards, np.int64)
        game.deal_with(tables, 0, {"button": button, "deck": [*deck[[0, 3]][:: 1 if button else -1], deck[1]]})
        rows = np.zeros(1, np.int64)
        found.append(action_probabilities(agent, decisions_at(game, tables, rows, rows, np.full(1, 0.5))))
    assert np.array_equal(*found)


def test_tables_with_other_bets_are_refused() -> None:
    game = make_game("leduc_holdem-v0")
    other = holdem_game("leduc_holdem", replace(game.config, max_raises=(4, 4)))
    tables = other.seeded_tables(1, 0)
    other.deal(tables, 0)
    for _ in range(3):
        other.step(tables, 0, 2)
    rows = np.zeros(1, np.int64)
    with pytest.raises(ValueError, match="the bets at a table are none of leduc_holdem"):
        VectorGame(game).find(decisions_at(other, tables, rows, rows, np.zeros(1)).views)
