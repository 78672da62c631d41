"""Our DQN of Zheng et al. (2022) against RLCard's: the same transitions and batches lead to the same network."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("rlcard", reason="RLCard is not installed: pip install 'card-envs[rlcard]'")

from rlcard.agents.dqn_agent import DQNAgent  # noqa: E402

from card_baselines.papers.zheng2022.dqn import BATCH, EPSILONS, FIRST_TRAINING, DqnLearners  # noqa: E402
from card_baselines.papers.zheng2022.networks import TRANSITION  # noqa: E402

STEPS = 140


def transitions() -> list[Any]:
    rng = np.random.default_rng(4)
    made = []
    for _ in range(STEPS):
        legal = np.array([rng.random() < 0.5, rng.random() < 0.8, 1, 1], np.uint8)
        seen, following = (rng.integers(0, 2, 72).astype(np.float32) for _ in range(2))
        made.append(
            np.array((seen, rng.integers(4), rng.normal(), following, rng.random() < 0.3, legal), TRANSITION)
        )  # fmt: skip
    return made


def theirs_with(ours: DqnLearners) -> Any:
    agent = DQNAgent(num_actions=4, state_shape=[72], mlp_layers=[64, 64], device=torch.device("cpu"))
    weights = list(ours.played.network(0).state_dict().values())
    for estimator in (agent.q_estimator, agent.target_estimator):
        names = list(estimator.qnet.state_dict())
        assert len(names) == len(weights)
        estimator.qnet.load_state_dict(dict(zip(names, weights, strict=True)))
    return agent


def test_trained_on_the_same_batches_the_networks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = DqnLearners([0])
    theirs = theirs_with(ours)
    drawn = np.random.default_rng(9)
    batches: list[list[int]] = []

    def draw(count: int, size: int, replace: bool) -> np.ndarray:
        batches.append(drawn.choice(count, size, replace=False).tolist())
        return np.array(batches[-1])

    ours.rngs = [type("Drawn", (), {"choice": staticmethod(draw)})()]
    steps = transitions()
    for step in steps:
        ours.queues[0].append(step)
        ours.train(np.array([0]))
    assert len(batches) == STEPS - FIRST_TRAINING + 1 and len(batches[0]) == BATCH

    waiting = iter(batches)

    def sample(memory: Any) -> Any:
        picked = [memory.memory[i] for i in next(waiting)]
        columns = [np.array([getattr(one, name) for one in picked]) for name in picked[0]._fields[:-1]]
        return (*columns, [one.legal_actions for one in picked])

    monkeypatch.setattr(type(theirs.memory), "sample", sample)
    for step in steps:
        seen, column, reward, later, is_last, next_legal = step.item()
        legal = {int(column): None for column in np.flatnonzero(next_legal)}
        state, following = {"obs": seen}, {"obs": later, "legal_actions": legal}
        theirs.feed((state, column, reward, following, bool(is_last)))
    expected = list(theirs.q_estimator.qnet.state_dict().values())
    found = list(ours.played.network(0).state_dict().values())
    for a, b in zip(found, expected, strict=True):
        if a.dtype.is_floating_point:
            assert torch.allclose(a, b, atol=2e-5)
    target = list(theirs.target_estimator.qnet.state_dict().values())
    for a, b in zip(ours.targets.network(0).state_dict().values(), target, strict=True):
        if a.dtype.is_floating_point:
            assert torch.allclose(a, b, atol=2e-5)
    assert np.allclose(theirs.epsilons, EPSILONS)
