"""Agents that search before they act: Monte Carlo tree search and rollouts."""
