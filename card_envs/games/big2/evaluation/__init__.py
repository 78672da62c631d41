"""Evaluation of Big 2 agents: control variates."""
