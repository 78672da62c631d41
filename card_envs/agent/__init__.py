"""Agents: what they are given, what they return, and how they are found by name."""

from card_envs.agent.base import AdoptedAgent, Agent, RandomAgent, SupportsAct, as_agent
from card_envs.agent.decisions import Decisions, choose, decisions_at, write_uniforms
from card_envs.agent.loading import find_agent, known_agents, require_playable
from card_envs.agent.probabilities import action_probabilities, sampled_probabilities

__all__ = [
    "AdoptedAgent",
    "Agent",
    "Decisions",
    "RandomAgent",
    "SupportsAct",
    "action_probabilities",
    "as_agent",
    "choose",
    "decisions_at",
    "find_agent",
    "known_agents",
    "require_playable",
    "sampled_probabilities",
    "write_uniforms",
]
