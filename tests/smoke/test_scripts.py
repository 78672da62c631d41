"""Every script in `baselines/` runs from top to bottom, tiny, and leaves an agent that plays."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from card_envs import make_game
from card_envs.agent import find_agent

SCRIPTS = Path(__file__).parents[2] / "baselines"
TINY = {
    "actor_critic": {"env": "kuhn_poker-v0", "minutes": 0.01, "batch": 256},
    "best_response": {"env": "leduc_holdem-v0", "target": "always_call", "minutes": 0.01},
    "mccfr": {"env": "kuhn_poker-v0", "iterations": 20},
    "nfsp": {"env": "kuhn_poker-v0", "minutes": 0.01, "batch": 512, "steps": 2, "reservoir": 1000, "replay": 1000},
    "openspiel_cfr": {"iterations": 5},
    "sb3_dqn": {"env": "leduc_holdem-v0", "steps": 5500},
    "sb3_maskable_ppo": {"env": "leduc_holdem-v0", "steps": 1, "num_tables": 32},
    "sb3_own_callback": {"env": "kuhn_poker-v0", "steps": 1, "evaluate_every": 4096},
    "self_play_ppo": {"env": "leduc_holdem-v0", "minutes": 0.01, "batch": 512, "num_tables": 64, "renew_every": 1},
}
"""Script -> settings; all get a folder and few hands."""
MOST_LINES = {
    "actor_critic": 250, "self_play_ppo": 300, "nfsp": 250, "mccfr": 150, "best_response": 120,
    "sb3_maskable_ppo": 70, "sb3_dqn": 120, "sb3_own_callback": 80,
    "pettingzoo_loop": 60, "gymnasium_loop": 60, "openspiel_cfr": 60, "rllib_ppo": 60,
}  # fmt: skip
"""Script -> lines with which it can be read in one go."""
LOOPS = ("gymnasium_loop", "pettingzoo_loop")
"""Scripts without an agent to save."""


def read_script(name):
    return (SCRIPTS / f"{name}.py").read_text(encoding="utf-8")


def load_script(name):
    if name == "openspiel_cfr":
        pytest.importorskip("pyspiel")
    spec = importlib.util.spec_from_file_location(f"script_{name}", SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore:rich is experimental")  # the progress bar of Stable-Baselines3
@pytest.mark.parametrize("name", TINY)
def test_a_script_trains_an_agent_that_plays(name, tmp_path, capsys):
    script = load_script(name)
    run = script.main if hasattr(script, "main") else script.train
    arguments = script.Args(**TINY[name], folder=str(tmp_path / "agent"), hands=60)
    run(arguments)
    assert "agent against" in capsys.readouterr().out
    assert find_agent(str(tmp_path / "agent"), make_game(arguments.env)).name == "agent"


def fail(*args, **kwargs):
    raise ModuleNotFoundError("saving a network as an agent needs the extra onnx")


@pytest.mark.parametrize("name", [name for name in TINY if "save_onnx_agent" in read_script(name)])
def test_a_package_that_saving_needs_is_missed_before_the_training(name, tmp_path, monkeypatch):
    script = load_script(name)
    monkeypatch.setattr(script, "save_onnx_agent", fail)
    trainings = {"Collector": "collect", "MaskablePPO": "learn", "DQN": "learn"}
    [(kind, method)] = [(kind, method) for kind, method in trainings.items() if hasattr(script, kind)]
    monkeypatch.setattr(getattr(script, kind), method, lambda *args, **kwargs: pytest.fail("it trains first"))
    with pytest.raises(ModuleNotFoundError, match="extra onnx"):
        script.train(script.Args(**TINY[name], folder=str(tmp_path / "agent")))


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_plays_hands(name, capsys):
    script = load_script(name)
    script.main(script.Args(hands=20))
    assert "±" in capsys.readouterr().out


def test_every_script_is_tested():
    assert {path.stem for path in SCRIPTS.glob("*.py")} == {*TINY, *LOOPS, "rllib_ppo"} == {*MOST_LINES}


@pytest.mark.parametrize(("name", "lines"), MOST_LINES.items())
def test_a_script_stays_short(name, lines):
    assert len(read_script(name).splitlines()) <= lines
