"""Agents that load a trained network; one paper per file."""
