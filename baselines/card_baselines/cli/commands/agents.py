"""`card-envs agents`: the agents that can play."""

from __future__ import annotations

from card_baselines.cli.console import print_agents, print_json
from card_baselines.cli.listing import list_agents
from card_baselines.cli.options import AsJson


def agents(as_json: AsJson = False) -> int:
    """List the agents that have a name, what they play and where they come from."""
    reports = list_agents()
    print_json(reports) if as_json else print_agents(reports)
    return 0
