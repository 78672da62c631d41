"""Players that others learn from: what they do against an agent, and who of them wins most from it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from card_baselines.training.imitation import Recorder, Shown
from card_envs.agent import Agent, find_agent
from card_envs.analysis.exploitability.local_best_response import LocalBestResponse
from card_envs.game import Game
from card_envs.match import play_match
from card_envs.match.callbacks import MatchCallback

LOCAL = "local best response"
_HANDS, _CHUNK = 8_000, 250
"""The most that a teacher plays, and how many hands between two looks at the clock at first."""
_MOST_TABLES, _TABLES = 4096, 64
"""At once; of the local best response, which asks for a thousand hands at each."""


@dataclass(frozen=True)
class Teacher:
    """Somebody who plays against the agent; a local best response follows the match too."""

    name: str
    agent: Agent
    callbacks: Sequence[MatchCallback] = ()

    @property
    def num_tables(self) -> int:
        """How many tables it plays at once."""
        return _TABLES if self.callbacks else _MOST_TABLES


@dataclass(frozen=True)
class Lesson:
    """What a teacher showed."""

    teacher: Teacher
    shown: Shown
    won: float
    """Per hand, on average."""
    hands: int


def teachers(game: Game, victim: Agent) -> list[Teacher]:
    """Return the scripted players of a game, and the local best response where the game allows one."""
    found = [Teacher(name, find_agent(name, game)) for name in game.info.panel]
    if game.info.hidden_hands is not None and game.num_seats == 2:
        response = LocalBestResponse(game, victim)
        found.append(Teacher(LOCAL, response, (response,)))
    return found


def lesson_of(game: Game, teacher: Teacher, victim: Agent, seconds: float, seed: int) -> Lesson:
    """Return what a teacher won from a victim in all other seats, and its decisions.

    It plays for about so many seconds of processor time, and 250 hands at least.
    """
    recorder, begin = Recorder(game), time.process_time()
    hands, won, chunk = 0, 0.0, _CHUNK
    players = [teacher.agent, *[victim] * (game.num_seats - 1)]
    while True:
        result = play_match(
            game, players, chunk, seed + hands, num_tables=teacher.num_tables, callbacks=[*teacher.callbacks, recorder]
        )
        hands, won = hands + result.hands, won + result.agents[0].mean * result.hands
        used = time.process_time() - begin
        if used >= seconds or hands >= _HANDS:
            return Lesson(teacher, recorder.shown(), won / hands, hands)
        chunk = max(_CHUNK, min(_HANDS - hands, int(hands * (seconds - used) / max(used, 1e-3) / 2)))


def best_lesson(game: Game, victim: Agent, seconds: float, seed: int) -> Lesson | None:
    """Return the lesson of the teacher who wins most from the victim, or None where a game names no players.

    Each plays so long at most.
    """
    lessons = [lesson_of(game, teacher, victim, seconds, seed) for teacher in teachers(game, victim)]
    return max(lessons, key=lambda lesson: lesson.won, default=None)
