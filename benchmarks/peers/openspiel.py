"""OpenSpiel's universal_poker through its Python bindings: bare, with tensors in NumPy arrays, as rl_environment."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.observation import make_observation

from card_baselines.speed.paths import DECISIONS
from card_baselines.speed.stopwatch import Work

CARDS = "numRounds=4,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1"
LIMIT = (
    f"universal_poker(betting=limit,numPlayers=2,blind=2 1,firstPlayer=2 1 1 1,{CARDS},"
    "raiseSize=2 2 4 4,maxRaises=3 4 4 4,bettingAbstraction=fcpa)"
)
HEADS_UP = (
    f"universal_poker(betting=nolimit,numPlayers=2,blind=2 1,firstPlayer=2 1 1 1,{CARDS},stack=200 200,"
    "bettingAbstraction=fcpa)"
)
SIX_MAX = (
    f"universal_poker(betting=nolimit,numPlayers=6,blind=1 2 0 0 0 0,firstPlayer=3 1 1 1,{CARDS},"
    "stack=200 200 200 200 200 200,bettingAbstraction={abstraction})"
)
GAMES = {"limit2": LIMIT, "nl2": HEADS_UP, "nl6": SIX_MAX.format(abstraction="fcpa")}


def bare(name: str) -> Work:
    return _play(pyspiel.load_game(GAMES[name]), lambda state, legal: None)


def with_tensors(name: str) -> Work:
    """As most users write it: the lists that the bindings return become arrays."""

    def look(state: Any, legal: list[int]) -> None:
        np.asarray(state.observation_tensor(), np.float32)
        np.asarray(state.legal_actions_mask(), np.int8)

    return _play(pyspiel.load_game(GAMES[name]), look)


def with_observer(name: str) -> Work:
    """As fast as it goes: the observer writes into its own array."""
    game = pyspiel.load_game(GAMES[name])
    observation, mask = make_observation(game), np.zeros(game.num_distinct_actions(), np.int8)

    def look(state: Any, legal: list[int]) -> None:
        observation.set_from(state, state.current_player())
        mask[:] = 0
        mask[legal] = 1

    return _play(game, look)


def _play(game: Any, look: Callable[[Any, list[int]], None]) -> Work:
    state = game.new_initial_state()

    def run() -> int:
        nonlocal state
        decisions = 0
        while decisions < DECISIONS:
            if state.is_terminal():
                state.returns()
                state = game.new_initial_state()
            legal = state.legal_actions()  # at chance nodes: the cards left, all equally probable
            if not state.is_chance_node():
                look(state, legal)
                decisions += 1
            state.apply_action(legal[int(random.random() * len(legal))])
        return decisions

    return run


def rl_loop(name: str) -> Work:
    env = rl_environment.Environment(pyspiel.load_game(GAMES[name]))
    step = env.reset()

    def run() -> int:
        nonlocal step
        for _ in range(DECISIONS):
            legal = step.observations["legal_actions"][step.observations["current_player"]]
            step = env.step([legal[int(random.random() * len(legal))]])
            if step.last():
                step = env.reset()
        return DECISIONS

    return run
