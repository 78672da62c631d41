"""Evaluation of Big 2: control variates."""
