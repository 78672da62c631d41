"""The rows of trained agents: what each says is true of its folder; `card-envs agents --export` makes both."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import card_baselines
from card_baselines.pretrained import PRETRAINED, find_pretrained
from card_baselines.registry import AGENTS
from card_baselines.runs.run import start_folder
from card_baselines.settings import parse_environment
from card_envs.agent import find_agent
from card_envs.envs import make_game
from tests.helpers.shell import Shell

FOLDERS = {path for path in Path(card_baselines.__file__).parent.rglob("pretrained/*") if path.is_dir()}


def test_each_folder_has_one_row_and_each_row_is_an_agent() -> None:
    assert {find_pretrained(name) for name in PRETRAINED} == FOLDERS and len(PRETRAINED) == len(FOLDERS)
    assert {name: AGENTS[name] for name in PRETRAINED} == {name: row.folder for name, row in PRETRAINED.items()}
    assert find_pretrained("chen") is None


@pytest.mark.parametrize("name", PRETRAINED)
def test_a_row_says_what_its_folder_says(name: str) -> None:
    row, folder = PRETRAINED[name], find_pretrained(name)
    assert folder is not None
    config = json.loads((folder / "config.json").read_text())
    env, settings = parse_environment(row.game)
    game = make_game(env, **settings)
    assert config.get("env", env) == env and config.get("num_seats", game.num_seats) == game.num_seats
    assert row.licence == "MIT" and row.trained.endswith(".")
    agent = find_agent(name, game)
    assert agent.name == name
    another = make_game("kuhn_poker-v0")
    with pytest.raises(ValueError, match=r"was trained for|cannot play"):
        find_agent(name, another)


def test_training_starts_from_trained_agents_by_name() -> None:
    assert start_folder("ppo_big2") == find_pretrained("ppo_big2")
    with pytest.raises(ValueError, match=r"neither a run folder nor one of the trained agents .*, ppo_big2"):
        start_folder("ppo_big3")


def test_an_export_prints_the_row_of_the_agent(tmp_path: Path, shell: Shell) -> None:
    shipped = find_pretrained("ppo_limit_six_max")
    assert shipped is not None
    shutil.copytree(shipped, tmp_path / "run")
    words = ["agents", "--export", "--agent", str(tmp_path / "run"), "--folder", str(tmp_path / "mine")]
    out = shell.prints(*words)
    assert out.startswith(
        f"'mine': Pretrained(folder='{tmp_path}/mine', game='limit_holdem-v0 num_players=6', licence="
    )
    about = shell.reports(*words)
    assert about["trained"].startswith("self_play_ppo, ") and about["largest_change"] == 0.0
    assert (tmp_path / "mine" / "policy.safetensors").read_bytes() == (shipped / "policy.safetensors").read_bytes()
    assert find_agent(str(tmp_path / "mine"), make_game("limit_holdem-v0", num_players=6)).name == "mine"
    about = shell.reports(*words[:-1], str(tmp_path / "small"), "--int8")
    assert 0.0 < about["largest_change"] < 0.05
    sizes = [(tmp_path / name / "policy.safetensors").stat().st_size for name in ("small", "mine")]
    assert sizes[0] < 0.6 * sizes[1]
    assert find_agent(str(tmp_path / "small"), make_game("limit_holdem-v0", num_players=6)).name == "small"
    (tmp_path / "run" / "evaluation.json").unlink()
    assert "has no evaluation.json" in shell.refuses(*words[:-1], str(tmp_path / "other"))
    assert not (tmp_path / "other").exists()
    for options in ([], ["--onnx", "a.onnx", "--folder", "b"]):
        assert "name one of --onnx FILE and --folder FOLDER" in shell.refuses(*words[:4], *options)
