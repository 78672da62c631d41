"""Agents from the names that people type, with readable errors whatever their code raises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from card_envs.formatting import describe_error

if TYPE_CHECKING:
    from card_envs.agent import Agent
    from card_envs.game import Game


def load_agent(spec: str, game: Game, device: str = "cpu", label: str = "") -> Agent:
    """Return the agent that `spec` names.

    Args:
        spec: Name of the agent, see `card_envs.agent.find_agent`.
        game: The game that it plays.
        device: Device of its networks.
        label: Name of the agent in the message about a failure; by default `spec`.

    Raises:
        ValueError: There is no such agent, it does not play the game, or its code fails.
        ModuleNotFoundError: A package that the agent needs is not installed.
    """
    from card_envs.agent import find_agent  # needs the compiler, which commands that list names do without

    try:
        return find_agent(spec, game, device)
    except (ValueError, ModuleNotFoundError):
        raise
    except Exception as error:  # an agent is anybody's code
        raise ValueError(f"agent {(label or spec)!r} cannot be made: {describe_error(error)}") from error
