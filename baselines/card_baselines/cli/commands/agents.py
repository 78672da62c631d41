"""`card-envs agents`: the agents that can play."""

from __future__ import annotations

from typing import Annotated

import tyro

from card_baselines.cli.console import print_agents, print_json, print_strengths
from card_baselines.cli.listing import list_agents
from card_baselines.cli.options import AsJson
from card_baselines.cli.strengths import read_strengths
from card_envs.envs import find_entry

OptionalEnv = Annotated[
    str, tyro.conf.arg(metavar="ENV", help="Environment id; by default all.", help_behavior_hint="")
]


def agents(
    env: OptionalEnv = "",
    all_agents: Annotated[bool, tyro.conf.arg(name="all")] = False,
    as_json: AsJson = False,
) -> int:
    """List the agents of each game: how they play, what they win from a strong agent.

    Args:
        all_agents: List all with what they do and where they come from: also second names, and agents of papers.
    """
    reports, env_id = list_agents(), find_entry(env).id if env else ""
    chosen = [report for report in reports if not env_id or env_id in {name.split()[0] for name in report["plays"]}]
    if as_json:
        print_json(chosen)
    elif all_agents:
        print_agents(chosen)
    else:
        print_strengths(chosen, read_strengths(), env_id)
    return 0
