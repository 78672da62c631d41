"""Solvers with a tree are right for both positions: by blinds, rules and a fixed button; other games are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from card_baselines.exploitability.methods import (
    ExploitSettings,
    choose_method,
    measure_exploitability,
)
from card_baselines.exploitability.ranges import exploit_flop_holdem
from card_baselines.neural import tabular_mccfr
from card_baselines.papers.maitrepierre2008.vexbot_like import VexbotLike
from card_baselines.runs.exploitability_meter import ExploitabilityMeter
from card_baselines.runs.run import train
from card_baselines.solvers.agent import Cfr
from card_baselines.solvers.game_trees import first_table, grow_game, is_two_player_limit
from card_baselines.solvers.train import CFR, CfrConfig, CfrLearner
from card_baselines.solvers.vector_cfr import VectorCfr
from card_envs.agent import RandomAgent, find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.analysis.exploitability.public_tree import PublicTree, has_few_deals
from card_envs.compiler import COMPILED
from card_envs.envs import ENVS, EnvEntry
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.endgame import Endgame
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.presets import limit_holdem
from card_envs.match.play import play_match
from tests.exploitability.test_flop_holdem import SEVEN_CARDS
from tests.helpers.endgames import target_of
from tests.solvers.test_menu_cfr import NO_LIMIT_LEDUC
from tests.solvers.test_vector_cfr import Plays

needs_speed = pytest.mark.skipif(not COMPILED, reason="iterations and matches, which take minutes as plain Python")

LEDUC = HoldemConfig.leduc()
UNEVEN = replace(LEDUC, stacks=(4, 20))
SWAPPING = holdem_game("swapping", replace(UNEVEN, button_moves=True))
SWAPPING_FLOP = holdem_game("swapping_flop", replace(HoldemConfig.flop(), stacks=(200, 900)))
REASON = r"stacks \([\d, ]+\) differ and the button moves, .* choose equal stacks or button_moves=False"


@pytest.mark.parametrize("refused", [
    lambda: CfrLearner(CfrConfig(), SWAPPING),
    lambda: VectorCfr(SWAPPING_FLOP),
    lambda: tabular_mccfr.TabularMccfr(tabular_mccfr.Config(), SWAPPING),
    lambda: ExploitabilityMeter(SWAPPING),
    lambda: PublicTree(SWAPPING),
    lambda: PublicTree(holdem_game("three", replace(HoldemConfig.kuhn(3), stacks=(1, 2, 2), button_moves=True))),
    lambda: exact_exploitability(SWAPPING, RandomAgent()),
    lambda: measure_exploitability(target_of(SWAPPING, RandomAgent()), "exact", ExploitSettings()),
    lambda: measure_exploitability(target_of(SWAPPING_FLOP, RandomAgent()), "exact", ExploitSettings()),
    lambda: exploit_flop_holdem(target_of(SWAPPING_FLOP, RandomAgent()), ExploitSettings(flops=10)),
    lambda: first_table(limit_holdem(stacks=(20, 200))),
    lambda: grow_game(HoldemConfig.no_limit(stacks=(20, 40))),
], ids=[
    "cfr", "flop", "tabular_mccfr", "meter", "PublicTree", "three seats", "exact_exploitability", "exact", "exact flop",
    "FlopResponses", "resolve", "grow_game",
])  # fmt: skip
def test_games_whose_button_swaps_stacks_are_refused_before_any_work(refused: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=REASON):
        refused()


def test_agents_and_methods_that_need_one_tree_do_not_play_them() -> None:
    assert [choose_method(game) for game in (SWAPPING, SWAPPING_FLOP)] == ["learned", "learned"]
    assert not has_few_deals(SWAPPING) and not is_two_player_limit(SWAPPING.config)
    for agent in (Cfr, VexbotLike):
        with pytest.raises(ValueError, match="with these settings"):
            agent(limit_holdem(stacks=(20, 200)))


def test_stacks_that_no_betting_uses_up_are_alike() -> None:
    assert is_two_player_limit(limit_holdem(stacks=(200, 300)).config)
    assert Cfr(limit_holdem(stacks=(200, 300))).name == "cfr"


@needs_speed
def test_antes_that_differ_are_refused_unless_what_is_not_matched_is_returned() -> None:
    """The winner gets dead antes as a whole: a player may lose more than the other one can."""
    config = replace(LEDUC, antes=(3, 0), stacks=20)
    for refused in (config, replace(LEDUC, antes=3, stacks=(1, 20)), replace(SEVEN_CARDS, antes=(0, 50))):
        game = holdem_game("antes", refused)
        assert not is_two_player_limit(refused)
        with pytest.raises(ValueError, match=r"antes of \[\d+, \d+\], .* choose equal antes or rules='pokerstars'"):
            VectorCfr(game)
    assert sum(exact_exploitability(holdem_game("antes", config), "random").values) == pytest.approx(0.0)


@needs_speed
@pytest.mark.parametrize("config", [
    replace(LEDUC, antes=(3, 0), stacks=20, rules="pokerstars"),
    UNEVEN,
    replace(LEDUC, stacks=(20, 4)),
    replace(LEDUC, rules="rlcard", blinds=(1, 2), antes=0, stacks=20),
    replace(LEDUC, blinds=(2, 2), antes=0, stacks=20),
    replace(LEDUC, blinds=(2, 1), antes=0, stacks=20, button_moves=True),
    replace(NO_LIMIT_LEDUC, stacks=(8, 20)),
    replace(NO_LIMIT_LEDUC, rules="rlcard"),
    replace(SEVEN_CARDS, rules="rlcard"),
], ids=["antes returned", "uneven", "uneven reversed", "rlcard", "equal blinds", "reversed blinds", "no-limit",
        "no-limit rlcard", "flop rlcard"])  # fmt: skip
def test_with_a_fixed_button_or_any_blinds_the_tree_is_that_of_all_deals(config: HoldemConfig) -> None:
    game = holdem_game("positions", config)
    solver = VectorCfr(game)
    solver.run(20)
    found = exact_exploitability(game, Plays(solver))
    assert found.best_responses == pytest.approx(solver.find_best_responses().tolist(), abs=1e-9)
    play_match(game, [Plays(solver), RandomAgent()], 100, 0)


def uneven(encoder: str = "default", button_moves: bool = False) -> Game:
    """Return Leduc hold'em with different stacks, for `ENVS`."""
    return holdem_game("uneven", replace(UNEVEN, button_moves=button_moves), encoder)


@needs_speed
@pytest.mark.parametrize(
    ("algorithm", "config"),
    [
        (CFR, CfrConfig(env="uneven-v0", iterations=20)),
        (tabular_mccfr.ALGORITHM, tabular_mccfr.Config(env="uneven-v0", traversals=10, steps=1000)),
    ],
    ids=["cfr", "tabular_mccfr"],
)
def test_with_a_fixed_button_runs_are_trained_and_play(
    algorithm: Any, config: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = EnvEntry("uneven-v0", "Uneven-v0", f"{__name__}:uneven", "Leduc hold'em with different stacks")
    monkeypatch.setitem(ENVS, "uneven-v0", entry)
    config = replace(config, panel=("random",), evaluation_hands=50, final_hands=100)
    train(algorithm, config, tmp_path / "run")
    game = config.game()
    agent = find_agent(str(tmp_path / "run"), game)
    assert exact_exploitability(game, agent).exploitability < exact_exploitability(game, "random").exploitability
    with pytest.raises(ValueError, match=REASON):
        train(algorithm, replace(config, env_args=("button_moves=True",)), tmp_path / "swapping")
    assert not (tmp_path / "swapping" / "metrics.csv").exists()


@needs_speed
def test_endgames_have_stacks_by_position() -> None:
    """The button moves, and the stacks of the settings, which differ too, are not used."""
    config = replace(HoldemConfig.limit(), stacks=(8, 20))
    game = Endgame(config, "Ks 9d 4c 2h 7s", pot=12, stacks=(4, 20)).game()
    solver = VectorCfr(game)
    solver.run(5)
    found = measure_exploitability(target_of(game, Plays(solver)), "exact", ExploitSettings())
    assert found["best_responses"] == pytest.approx(solver.find_best_responses().tolist(), abs=1e-9)
    play_match(game, [Plays(solver), RandomAgent()], 100, 0)
