"""Matches between agents: payoffs, means and confidence intervals."""

from card_envs.match.callbacks import MatchBatch, MatchCallback
from card_envs.match.play import play_match
from card_envs.match.power import hands_for_interval, hands_needed
from card_envs.match.result import AgentError, Fault, MatchInterrupted, MatchResult
from card_envs.match.stopping import StoppingRule
from card_envs.match.summary import Summary, summarise, summarise_deals

__all__ = [
    "AgentError",
    "Fault",
    "MatchBatch",
    "MatchCallback",
    "MatchInterrupted",
    "MatchResult",
    "StoppingRule",
    "Summary",
    "hands_for_interval",
    "hands_needed",
    "play_match",
    "summarise",
    "summarise_deals",
]
