"""`card-envs agents`: who can play."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from card_baselines.cli import console
from card_baselines.cli.console import print_json
from card_baselines.cli.options import AsJson
from card_envs.agent import AdoptedAgent, Agent, find_agent, known_agents
from card_envs.envs import importable_games, make_game
from card_envs.extras import how_to_install
from card_envs.game import Game

SIX_SEATS = "num_players=6"
"""Setting with which agents are asked too, since some play at tables of six alone."""

_CHOOSES = {None: "", True: "greedy", False: "sampling"}
"""How an agent chooses that could do both, see `Agent.greedy`."""


def agents(as_json: AsJson = False) -> int:
    """List the agents that have a name, what they play and where they come from.

    Args:
        as_json: Print JSON.
    """
    games = importable_games()
    games |= {
        f"{env_id} {SIX_SEATS}": make_game(env_id, num_players=6)
        for env_id, game in tuple(games.items())
        if game.info.seats is not None and game.info.seats.setting and game.info.seats.most >= 6
    }
    reports = [_agent_report(name, location, games) for name, location in known_agents().items()]
    print_json(reports) if as_json else console.print_agents(reports)
    return 0


def _agent_report(name: str, location: str, games: Mapping[str, Game]) -> dict[str, Any]:
    summary, needs, plays, chooses = "", "", list[str](), ""
    for env_id, game in games.items():
        if env_id.partition(" ")[0] in plays:  # who plays any number of seats is listed once
            continue
        try:
            agent = find_agent(name, game)
            summary, chooses = _summary(agent), _CHOOSES[agent.greedy]
            plays.append(env_id)
        except ModuleNotFoundError as error:
            needs = how_to_install(error)
        except ValueError:
            continue  # it does not play this game
    return {"name": name, "summary": summary, "plays": plays, "chooses": chooses, "needs": needs, "from": location}


def _summary(agent: Agent) -> str:
    """Return the first line of what its class says about itself."""
    described = agent.player if isinstance(agent, AdoptedAgent) else agent
    return (inspect.getdoc(type(described)) or "").partition("\n")[0]
