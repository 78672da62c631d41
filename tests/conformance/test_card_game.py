"""`CardGame`: the game of the guide, in one file, behind every interface; and what is derived from its members."""

from __future__ import annotations

import pickle
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from card_envs import make_game, make_vector, register_env
from card_envs.agent import RandomAgent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.card_game import CardGame
from card_envs.cards import NO_CARD
from card_envs.chance import REDEAL
from card_envs.compiler import kernel
from card_envs.envs import ENVS, make_env
from card_envs.game import Game, IllegalActionError
from card_envs.locations import load_file
from card_envs.match import play_match
from card_envs.testing import CHECKS, check
from tests.helpers.shell import Shell

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "add_a_game.md"
ENV = "three_cards-v0"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the guide."""
    found = re.search(r"^```python\n(# three_cards\.py\n.*?)^```", GUIDE.read_text(), re.M | re.S)
    assert found is not None
    path = tmp_path_factory.mktemp("game") / "three_cards.py"
    path.write_text(found[1])
    return path


@pytest.fixture(autouse=True, scope="module")
def registered(file: Path) -> Iterator[None]:
    register_env(ENV, f"{file}:three_cards", "three cards")
    yield
    del ENVS[ENV]


@pytest.fixture
def rules(file: Path) -> CardGame:
    found: CardGame = load_file(file).THREE_CARDS
    return found


def test_the_file_is_short(file: Path) -> None:
    assert len(file.read_text().splitlines()) <= 80


def test_environments() -> None:
    check_env(gymnasium.make("card_envs/ThreeCards-v0").unwrapped, skip_render_check=True)
    vector = gymnasium.make_vec("card_envs/ThreeCards-v0", num_envs=5)
    assert vector.observation_space.contains(vector.reset(seed=0)[0])


@pytest.mark.parametrize("form", ["--env {}", "--env={}", "{}"])
def test_commands_take_the_file_in_place_of_an_id(
    file: Path, form: str, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    monkeypatch.delitem(ENVS, ENV)
    words = form.format(f"{file}:three_cards").split()
    assert shell.reports("match", *words, "--agents", "random", "random", "--hands", "20")["env"] == ENV
    assert ENVS[ENV].make_game == f"{file}:three_cards"
    assert "is no game: " in shell.refuses("match", "--env", f"{file}:nothing", "--agents", "random", "random")


def test_a_run_in_a_game_of_a_file_names_the_file_in_the_next_command(file: Path, tmp_path: Path, shell: Shell) -> None:
    pytest.importorskip("torch")
    small = (
        "--hidden 16 --num-tables 32 --batch 256 --minibatch 64 --device cpu --evaluation-hands 100 --final-hands 100"
    )
    words = f"train self_play_ppo --env {file}:three_cards --panel random --minutes 0 --steps 300 {small}".split()
    out = shell.prints(*words, "--folder", str(tmp_path / "run"))
    assert f"match --env {file}:three_cards --agents {tmp_path / 'run'} random" in out


def test_batches_and_matches() -> None:
    tables = make_vector(ENV, 100, seed=0)
    step = tables.reset()
    for _ in range(10):
        assert np.array_equal(step.observation[:, :3].argmax(axis=1), tables.tables["deck"][np.arange(100), step.seats])
        step = tables.step(tables.sample_actions())
        assert (step.rewards.sum(axis=1) == 0).all() and np.isin(np.abs(step.rewards), (0, 1, 2)).all()
    result = play_match(make_game(ENV), [RandomAgent(), RandomAgent()], 100, seed=1, duplicate=True)
    assert (result.payoffs.sum(axis=1) == 0).all() and dict(result.units) == {"chips/hand": 1.0}


def test_it_is_kuhn_poker() -> None:
    ours, kuhn = (exact_exploitability(make_game(env_id), RandomAgent()) for env_id in (ENV, "kuhn_poker-v0"))
    assert ours.values == pytest.approx(kuhn.values) and ours.best_responses == pytest.approx(kuhn.best_responses)


@pytest.mark.parametrize("name", [name for name in CHECKS if name != "compiled"])  # the rules run without Numba in CI
def test_it_keeps_its_promises(name: str) -> None:
    check(make_game(ENV), name, deals=5)


def test_the_command(shell: Shell, file: Path) -> None:
    shell.prints("check", f"{file}:three_cards", "--deals", "2", "--only", "masks", "leaks")


@kernel
def write_deck(t: Any, seat: Any, values: Any) -> None:
    for k in range(3):
        values[k] = t.deck[k]
    values[3] = t.rng[0]


def test_an_observation_cannot_reveal_a_card(rules: CardGame) -> None:
    """Whatever `write` looks at, it finds NO_CARD for a card that the seat does not see, and no random stream."""
    game = replace(rules, write=write_deck).game()
    tables = game.seeded_tables(1, seed=0)
    game.deal_with(tables, 0, {"deck": [2, 0]})
    assert game.observe(tables, 0, 0)[0].tolist() == [2, NO_CARD, NO_CARD, 0, 0, 0]
    assert game.observe(tables, 0, 1)[0].tolist() == [NO_CARD, 0, NO_CARD, 0, 0, 0]
    assert tables["deck"].tolist() == [[2, 0, 1]] and tables["rng"].all()


def test_views_and_cards_to_come(rules: CardGame) -> None:
    game = rules.game()
    tables = game.seeded_tables(1, seed=0)
    game.deal_with(tables, 0, {"deck": [2, 0]})
    views = np.empty(2, tables.dtype)
    game.censor_batch(tables, np.zeros(2, np.int64), np.arange(2), views)
    assert views["deck"].tolist() == [[2, NO_CARD, NO_CARD], [NO_CARD, 0, NO_CARD]]
    copies = np.repeat(views[:1], 200)
    REDEAL.require(game)(copies, 0, np.random.default_rng(0))
    assert {tuple(deck) for deck in copies["deck"].tolist()} == {(2, 0, 1), (2, 1, 0)}
    assert game.text(tables, 0, 0).startswith("deck: 2 ? ?") and game.text(tables, 0, None).startswith("deck: 2 0 1")


def test_states_show_everything(rules: CardGame) -> None:
    game = rules.game()
    tables = game.seeded_tables(1, seed=0)
    game.deal_with(tables, 0, {"deck": [2, 0]})
    game.step(tables, 0, 1)
    state = game.state_layout.split(game.state(tables, 0))
    assert state["deck"].argmax(axis=1).tolist() == [2, 0, 1] and state["actor"].tolist() == [0, 1]
    assert state["player_0_card"].tolist() == [0, 0, 1] and state["player_1_bets"].tolist() == [0, 1]


def test_errors_say_what_is_legal(rules: CardGame) -> None:
    env = make_env(ENV)
    env.reset(seed=0, options={"deck": [2, 0]})
    with pytest.raises(IllegalActionError, match=r"action 7 is not legal for player_0; legal: pass \(0\), bet \(1\)"):
        env.step(7)
    with pytest.raises(ValueError, match=r"deck \[2, 2\] must be different whole numbers in 0..2"):
        env.reset(options={"deck": [2, 2]})


def test_games_are_pickled_by_location(rules: CardGame) -> None:
    game = rules.game()
    data = pickle.dumps(game)
    copy: Game = pickle.loads(data)
    assert copy.config is rules and copy.encoder is game.encoder and len(data) < 1000


def test_records_have_no_padding(rules: CardGame) -> None:
    for num_cards in range(1, 20):
        dtype = replace(rules, num_cards=num_cards).table_dtype
        assert dtype.itemsize == sum(dtype[name].itemsize for name in dtype.names or ()) and dtype.itemsize % 8 == 0
