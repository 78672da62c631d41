"""Calls of the agents' hooks. Every driver of agents makes them here, so that an agent sees the same events everywhere.

A driver calls `Agent.deal_starts`, then `show_actions` before each action, and `end_deals`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from card_envs.agent.base import Agent
from card_envs.agent.decisions import decisions_at
from card_envs.game import Game, Tables
from card_envs.typing import Rows


def group_by_agent(agents: Mapping[int, Agent]) -> list[tuple[Agent, Rows]]:
    """Return each agent of a mapping (seat or other index -> agent) once, with its indices (k,) in increasing order."""
    different = {id(agent): agent for agent in agents.values()}
    return [
        (agent, np.array(sorted(index for index, each in agents.items() if each is agent), np.int64))
        for agent in different.values()
    ]


def _call(hook: Callable[..., None], *arguments: Any) -> None:
    hook(*arguments)


def show_actions(
    game: Game, agent: Agent, tables: Tables, rows: Rows, table_ids: Rows, seats: Rows, actions: Rows,
    call: Callable[..., None] = _call,
) -> None:  # fmt: skip
    """Call `observe_actions` of an agent that defines it, once for each of its seats.

    The agent has k seats at each of tables[rows] (n,), whose ids are `table_ids`: `seats` (k, n). `actions` (n,) are
    legal actions of the seats to act there, not applied yet. `call` calls a hook with its arguments.
    """
    if agent.needs_actions:
        encoder = agent.find_encoder(game)
        for own in seats:
            call(
                agent.observe_actions, decisions_at(game, tables, rows, table_ids, seats=own, encoder=encoder), actions
            )


def end_deals(
    game: Game, agent: Agent, tables: Tables, rows: Rows, table_ids: Rows, seats: Rows,
    call: Callable[..., None] = _call,
) -> None:  # fmt: skip
    """Call `sees_end` of an agent that defines it, once for each of its seats, then `deal_ends`.

    The arguments are those of `show_actions`; the deals at tables[rows] are over.
    """
    if agent.needs_showdowns:
        encoder = agent.find_encoder(game)
        for own in seats:
            call(agent.sees_end, decisions_at(game, tables, rows, table_ids, seats=own, encoder=encoder))
    call(agent.deal_ends, table_ids, tables["payoff"][rows, : game.num_seats] / game.chips_per_reward)
