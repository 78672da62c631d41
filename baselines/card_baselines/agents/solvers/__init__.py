"""Counterfactual regret minimisation, and the strategies that it found."""
