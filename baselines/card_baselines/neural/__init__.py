"""Learners of equilibria with neural networks: one file for each algorithm."""
