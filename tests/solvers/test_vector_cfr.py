"""CFR over all hands and boards: every variant approaches equilibria whose exploitability other code measures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
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
from card_envs import make_game, register_env
from card_envs.agent import Decisions, StochasticAgent, action_probabilities, decisions_at, find_agent
from card_envs.analysis.exploitability.best_response import (
    exact_exploitability,
    strategy_exploitability,
    strategy_of,
)
from card_envs.analysis.exploitability.public_tree import PublicTree
from card_envs.compiler import COMPILED
from card_envs.envs import ENVS
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.endgame import Endgame
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.presets import river_endgame
from card_envs.match import play_match
from tests.exploitability.test_flop_holdem import SEVEN_CARDS
from tests.helpers.endgames import target_of
from tests.third_game.game import dozen

pytestmark = pytest.mark.skipif(not COMPILED, reason="hundreds of iterations, which take minutes as plain Python")


SHORT = replace(HoldemConfig.limit(), num_ranks=5, raise_sizes=(2, 2, 4), max_raises=(1, 1, 1), board_cards=(0, 3, 1))
THREE_STREETS = holdem_game("three_streets", replace(SHORT, num_ranks=13))
"""Cards come twice, in the whole deck: a billion hands on boards, even if suits are merged."""


def one_card(*board_cards: int) -> Game:
    """Return a game with one hole card and six cards in the deck."""
    streets = len(board_cards)
    config = replace(
        HoldemConfig.leduc(), board_cards=board_cards, raise_sizes=(2, 4, 4, 4)[:streets], max_raises=(1,) * streets,
        stacks=50,
    )  # fmt: skip
    return holdem_game("one_card", config)


EIGHT_CARDS = {"board_cards": (0, 3, 1), "max_raises": None, "lowest_rank": 0, "num_ranks": 4, "num_suits": 2}
MORE_STREETS = {
    "one hole card": one_card(0, 2, 2),
    "cards before the first bets": one_card(1, 1, 2),
    "a betting round without new cards": one_card(0, 2, 0, 2),
    "two hole cards": holdem_game("two_cards", replace(SHORT, num_ranks=4, num_suits=2)),
    "boards of one card, where all hands are equally strong": holdem_game(
        "one_then_two", replace(SHORT, board_cards=(0, 1, 2), num_ranks=4, num_suits=2)
    ),
    "all in on any street": holdem_game("all_in", HoldemConfig(stacks=8, bet_menu="fcpa", **EIGHT_CARDS)),
}
"""Games in which cards come more than once, or before the first bets, and whose deals can be listed."""
SOLVERS = ("public_chance_cfr", "mccfr", "menu_cfr", "multiplayer_mccfr", "tabular_mccfr", "SampledCfr")


class Plays(StochasticAgent):
    """Plays the average strategy of a solver."""

    def __init__(self, solver: VectorCfr) -> None:
        self._strategy = solver.strategy()

    def compute_probabilities(self, decisions: Decisions) -> Any:
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
    found = exact_exploitability(game, Plays(solver))
    assert found.best_responses == pytest.approx(solver.find_best_responses().tolist(), abs=1e-12)
    assert 0 <= found.exploitability * game.chips_per_reward < limit
    assert found.values[0] * game.chips_per_reward == pytest.approx(value, abs=limit)


def solve_all_boards(game: Game, variant: str, monkeypatch: pytest.MonkeyPatch) -> VectorCfr:
    """Return a solver that goes over all boards, those that differ in the names of suits alone too."""
    with monkeypatch.context() as patch:
        patch.setattr(vector_cfr, "VectorGame", lambda game: VectorGame(game, merge_suits=False))
        return VectorCfr(game, variant)


@pytest.mark.parametrize("game", MORE_STREETS.values(), ids=MORE_STREETS)
def test_games_with_more_streets_are_solved(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Best responses are those over the whole tree with all deals, and the same if no boards are merged."""
    solver, every = VectorCfr(game, "discounted_cfr"), solve_all_boards(game, "discounted_cfr", monkeypatch)
    assert sum(solver.game.num_boards) < sum(every.game.num_boards)
    learns_first = solver.game.tree.player[solver.game.streets.decisions[0]] == 0
    for each in (solver, every):
        each.run(1)  # later, regrets of 0 up to rounding have a sign, which decides what is played
    regrets = [each.state()["street_0.regrets"][learns_first] for each in (solver, every)]
    assert regrets[0] == pytest.approx(regrets[1], abs=1e-9)
    before = solver.find_best_responses()
    for each in (solver, every):
        each.run(60)
    tree = PublicTree(game)
    strategy = strategy_of(Plays(solver), tree)
    found = strategy_exploitability(tree, strategy)
    assert found.best_responses == pytest.approx(solver.find_best_responses().tolist(), abs=1e-9)
    assert 0 < solver.exploitability < before.mean() / 20
    mixed = strategy_exploitability(tree, strategy_of(Plays(every), tree))
    assert mixed.best_responses == pytest.approx(every.find_best_responses().tolist(), abs=1e-9)
    assert found.values == pytest.approx(mixed.values, abs=found.exploitability + mixed.exploitability)


@pytest.mark.parametrize("variant", SCHEDULES)
def test_every_variant_solves_a_game_with_more_streets(variant: str) -> None:
    solver = VectorCfr(MORE_STREETS["one hole card"], variant)
    solver.run(300)
    assert 0 < solver.exploitability < (0.05 if variant == "cfr" else 0.005)


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
    found = measure_exploitability(target_of(game, Plays(solver)), "exact", ExploitSettings())
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
        (THREE_STREETS, "63,193 boards, 1,128 hands, which take .* or an Endgame; no solver takes it: train self_play"),
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
    monkeypatch.setattr(vector_cfr, "MAX_BYTES", 400)
    with pytest.raises(ValueError, match="has 1 board, 3 hands and 4 decisions on each, which take"):
        VectorGame(make_game("kuhn_poker-v0"))
    with pytest.raises(ValueError, match="9 boards, 4 hands and 12 decisions on each, then 48 boards, 2 hands"):
        VectorGame(MORE_STREETS["one hole card"])


@pytest.mark.parametrize("game", [
    make_game("limit_holdem-v0"), make_game("no_limit_holdem-v0"), make_game("no_limit_holdem-v0", bet_menu="integers"),
    THREE_STREETS,
], ids=["limit", "no_limit", "every amount", "three streets"])  # fmt: skip
def test_boards_are_counted_before_they_are_listed(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither boards are listed nor bets, of which there may be as many."""
    for name in ("BoardList", "BoardHands", "grow_tree"):
        monkeypatch.setattr(vector_cfr, name, None)
    with pytest.raises(ValueError, match=r"boards, .* GiB or more of at most 4.0: choose a smaller deck"):
        VectorGame(game)


def test_too_many_bets_are_refused() -> None:
    game = holdem_game("amounts", HoldemConfig(stacks=200, bet_menu="integers", **EIGHT_CARDS))
    with pytest.raises(ValueError, match=r"more than 100,000 sequences of bets, .* train tabular_mccfr; there are"):
        VectorGame(game)


@pytest.fixture
def env() -> Iterator[str]:
    """Return the id of an environment with three streets."""
    register_env("one_card-v0", "tests.solvers.test_vector_cfr:make_one_card", "one hole card, three streets")
    yield "one_card-v0"
    del ENVS["one_card-v0"]


def make_one_card(encoder: str = "default") -> Game:
    """Return the game of `env`."""
    return holdem_game("one_card", MORE_STREETS["one hole card"].config, encoder)


def test_a_run_of_a_game_with_more_streets_plays(env: str, tmp_path: Path) -> None:
    config = Config(
        env=env, variant="predictive_cfr_plus", iterations=40, panel=("random",), final_hands=100, evaluation_hands=100
    )
    train(ALGORITHM, config, tmp_path / "run")
    game, folder = make_game(env), str(tmp_path / "run")
    solver = VectorCfr(game, "predictive_cfr_plus")
    solver.run(40)
    with np.load(tmp_path / "run" / "strategy.npz") as file:
        assert set(file) == {"street_0", "street_1", "street_2"}
    found = exact_exploitability(game, find_agent(folder, game))
    assert found.exploitability == pytest.approx(solver.exploitability, abs=1e-6)
    assert play_match(game, [folder, "random"], 200, 0).hands == 200
    with pytest.raises(ValueError, match="the strategy was made for another game than leduc_holdem"):
        find_agent(folder, make_game("leduc_holdem-v0"))


def test_checkpoints_of_other_games_are_refused() -> None:
    solver = VectorCfr(MORE_STREETS["one hole card"])
    solver.run(2)
    state = solver.state()
    assert list(state) == [f"street_{street}.{name}" for street in range(3) for name in ("regrets", "sums")]
    for game, name in ((make_game("leduc_holdem-v0"), "early.regrets"), (one_card(0, 1, 3), "street_1.regrets")):
        with pytest.raises(ValueError, match=f"for other buckets .{name} differs.: begin anew in another folder"):
            VectorCfr(game).restore(state, 2)
    with pytest.raises(ValueError, match=r"street_2\.sums"):
        solver.restore(state | {"street_2.sums": state["street_2.sums"] - 1}, 2)


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
    agent, found = Plays(solver), []
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
