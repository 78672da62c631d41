"""Leagues: populations of agents that train against each other, and rankings of their members."""

from card_baselines.league.divisions import DivisionSettings
from card_baselines.league.league import League
from card_baselines.league.pools import make_pool
from card_baselines.league.rounds import Entrant, RoundOutcome, RoundTask, play_round, trainee_class
from card_baselines.league.store import LeagueError, Member, Store
from card_baselines.league.trainee import Choices, Experience, Trainee

__all__ = [
    "Choices",
    "DivisionSettings",
    "Entrant",
    "Experience",
    "League",
    "LeagueError",
    "Member",
    "RoundOutcome",
    "RoundTask",
    "Store",
    "Trainee",
    "make_pool",
    "play_round",
    "trainee_class",
]
