"""Matches: which agent wins, by how much, and how sure that is."""

from card_envs.match.play import AgentError, play_match
from card_envs.match.result import MatchResult
from card_envs.match.statistics import Summary, summarise

__all__ = ["AgentError", "MatchResult", "Summary", "play_match", "summarise"]
