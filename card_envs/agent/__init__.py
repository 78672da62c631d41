"""Agents: what they are given, what they return, and how they are found by name."""

from card_envs.agent.base import Agent, DuckTypedAgent, RandomAgent, StochasticAgent, SupportsAct, as_agent
from card_envs.agent.decisions import Decisions, choose, decisions_at, likeliest, write_random_numbers
from card_envs.agent.loading import CHOICES, find_agent, require_playable, split_choice, split_policy, to_agent
from card_envs.agent.probabilities import action_probabilities, estimate_probabilities, find_probabilities
from card_envs.plugins import known_agents

__all__ = [
    "CHOICES",
    "Agent",
    "Decisions",
    "DuckTypedAgent",
    "RandomAgent",
    "StochasticAgent",
    "SupportsAct",
    "action_probabilities",
    "as_agent",
    "choose",
    "decisions_at",
    "estimate_probabilities",
    "find_agent",
    "find_probabilities",
    "known_agents",
    "likeliest",
    "require_playable",
    "split_choice",
    "split_policy",
    "to_agent",
    "write_random_numbers",
]
