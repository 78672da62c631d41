"""Agents that follow written rules; one agent per file."""
