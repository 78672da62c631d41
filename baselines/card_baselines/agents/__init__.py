"""Agents: scripted ones, ones that search, and trained networks. Those of the CFR solvers are in `solvers`."""
