"""What agents do: their actions in matches against players who see many situations."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.cli import main
from card_baselines.settings import parse_environment
from card_envs import make_game
from card_envs.agent import Agent, Decisions, find_agent
from card_envs.match import play_match
from tests.pinned.pin import Pin, digest

DECISIONS = 10_000
SLOW = {
    "mcts": 40,
    "rollout": 40,
    "resolve_turn": 10,
    "resolve": 300,
    "brennus": 300,
    "vexbot_like": 300,
    "equity": 2_000,
    "big2_planner": 2_000,
}
"""Agents, by the beginning of their names, of which fewer decisions are pinned: search and models of opponents."""
OPPONENTS = {"big2-v0": "random"}
HAND_DECISIONS = 2
"""Decisions of an agent in a hand, at least, on average; Big 2 has more."""


def run_json(*command: str) -> Any:
    """Return what a command prints with --json."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        assert main([*command, "--json"]) == 0, command
    return json.loads(out.getvalue())


def names() -> Iterator[str]:
    """Yield "agent environment" for every agent and environment that it plays, as `card-envs agents` lists them."""
    for agent in run_json("agents"):
        for played in agent["plays"]:
            yield f"{agent['name']} {played}"


class Recorder:
    """Writes down what an agent answers."""

    def __init__(self, agent: Agent) -> None:
        self._act, self._tables, self._actions = agent.act, list[NDArray[Any]](), list[NDArray[Any]]()
        agent.act = self.act  # type: ignore[method-assign]  # a wrapper would hide what else the agent defines

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        actions = self._act(decisions, rng)
        self._tables.append(decisions.table_ids.copy())
        self._actions.append(np.array(actions))
        return actions

    def actions(self) -> NDArray[np.int64]:
        """Return the actions table by table, each in the order in which they were taken: the same in any batches."""
        tables = np.concatenate(self._tables)
        return np.concatenate(self._actions)[np.argsort(tables, kind="stable")].astype(np.int64)


def compute(name: str) -> Pin:
    """Pin the actions of an agent at the first place of a match."""
    agent_name, _, env = name.partition(" ")
    env_id, settings = parse_environment(env)
    game = make_game(env_id, **settings)
    wanted = next((few for slow, few in SLOW.items() if agent_name.startswith(slow)), DECISIONS)
    agent, opponent = (find_agent(who, game) for who in (agent_name, OPPONENTS.get(env_id, "random_low_fold")))
    recorder = Recorder(agent)
    hands = max(2, wanted // (10 if env_id == "big2-v0" else HAND_DECISIONS))
    play_match(game, [agent, *[opponent] * (game.num_seats - 1)], hands, seed=3)
    actions = recorder.actions()[:wanted]
    counts = {str(action): int(count) for action, count in zip(*np.unique(actions, return_counts=True), strict=True)}
    top = dict(sorted(counts.items(), key=lambda pair: -pair[1])[:3])
    return {"exact": {}, "same_machine": {"decisions": len(actions), "actions": digest(actions)}, "close": top}
