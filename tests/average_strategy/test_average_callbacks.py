"""Self-play PPO exports its average strategy, and trains as it would without."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")


from card_baselines.average_strategy.snapshots import SNAPSHOTS_FOLDER
from card_baselines.ppo.algorithm import ALGORITHM, PRESETS
from card_baselines.runs.exploitability_meter import AVERAGE
from card_baselines.runs.run import train
from card_envs.agent import find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.match import play_match

TINY = replace(
    PRESETS["kuhn"], batch=512, minibatch=128, num_tables=64, minutes=0.0, steps=5_000, panel=("random",),
    evaluation_hands=50, final_hands=50, evaluation_seconds=1e9,
)  # fmt: skip


def test_training_is_the_same_and_the_average_plays(tmp_path: Path) -> None:
    plain = train(ALGORITHM, TINY, tmp_path / "plain", progress=False)  # measures the exact average
    run = train(ALGORITHM, replace(TINY, average_strategy="snapshots"), tmp_path / "snapshots", progress=False)
    weights = [(folder.path / "policy.safetensors").read_bytes() for folder in (plain, run)]
    assert weights[0] == weights[1]
    game = TINY.game()
    agent = find_agent(str(run.path / SNAPSHOTS_FOLDER), game)
    exploitability = exact_exploitability(game, agent).exploitability
    assert exploitability == pytest.approx(plain.metrics()[-1][AVERAGE], abs=1e-4)  # of every update: there are few
    assert play_match(game, [agent, find_agent("random", game)], 200, 0).hands == 200
