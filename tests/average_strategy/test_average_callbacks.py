"""Self-play PPO exports its average strategy, and trains as it would without."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")


from card_baselines.average_strategy.average_network import NETWORK_FOLDER
from card_baselines.average_strategy.snapshots import SNAPSHOTS_FOLDER
from card_baselines.ppo.algorithm import ALGORITHM, PRESETS
from card_baselines.run_folder import RunFolder
from card_baselines.runs.exploitability_meter import AVERAGE
from card_baselines.runs.run import train
from card_envs.agent import find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.match import play_match

TINY = replace(
    PRESETS["kuhn"], batch=512, minibatch=128, num_tables=64, minutes=0.0, steps=5_000, panel=("random",),
    evaluation_hands=50, final_hands=50, evaluation_seconds=1e9,
)  # fmt: skip
FOLDERS = {"snapshots": SNAPSHOTS_FOLDER, "network": NETWORK_FOLDER}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run without a kept average; it measures the exact one."""
    return train(ALGORITHM, TINY, tmp_path_factory.mktemp("plain"), progress=False)


@pytest.mark.parametrize("kind", FOLDERS)
def test_training_is_the_same_and_the_average_plays(plain: RunFolder, kind: str, tmp_path: Path) -> None:
    run = train(ALGORITHM, replace(TINY, average_strategy=kind), tmp_path / kind, progress=False)
    weights = [(folder.path / "policy.safetensors").read_bytes() for folder in (plain, run)]
    assert weights[0] == weights[1]
    game = TINY.game()
    agent = find_agent(str(run.path / FOLDERS[kind]), game)
    exploitability = exact_exploitability(game, agent).exploitability
    if kind == "snapshots":  # of every update: there are few
        assert exploitability == pytest.approx(plain.metrics()[-1][AVERAGE], abs=1e-4)
    else:
        assert exploitability < 11 / 24  # that of random play
    assert play_match(game, [agent, find_agent("random", game)], 200, 0).hands == 200
