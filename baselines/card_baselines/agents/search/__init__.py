"""Agents that look ahead or solve the game; one method per file."""
