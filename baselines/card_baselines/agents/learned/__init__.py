"""Agents that play trained networks, and the network code that they share with the learners."""
