"""Counterfactual regret minimisation: solvers, their strategies and their training scripts."""
