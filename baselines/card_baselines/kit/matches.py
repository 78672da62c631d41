"""The matches at the end of a training script."""

from __future__ import annotations

from collections.abc import Sequence

from rich import print
from rich.box import SIMPLE
from rich.table import Column, Table

from card_envs.agent import SupportsAct, as_agent, find_agent
from card_envs.game import Game
from card_envs.match import MatchResult, play_match

_COLUMNS = ("mean", "± 95 %", "unit", "hands")


def print_matches(
    game: Game, agent: SupportsAct, opponents: Sequence[str], hands: int, seed: int = 1
) -> dict[str, MatchResult]:
    """Play an agent against copies of each opponent at all other seats, with duplicate deals, and print a table.

    Args:
        game: The game.
        agent: The agent.
        opponents: Names of `card_envs.agent.find_agent`.
        hands: Hands of each match.
        seed: Seed of the deals.

    Returns:
        The result of each match, in which the agent is the first.
    """
    results = {}
    for name in opponents:
        others = [find_agent(name, game)] * (game.num_seats - 1)
        results[name] = play_match(game, [agent, *others], hands, seed, duplicate=True)
    table = Table(f"{as_agent(agent).name} against", *(Column(name, justify="right") for name in _COLUMNS), box=SIMPLE)
    for name, result in results.items():
        table.add_row(name, *_describe(result))
    print(table)
    return results


def _describe(result: MatchResult) -> list[str]:
    """Return mean, half of the interval, unit and number of hands as text."""
    unit, factor = next(iter(result.units.items()))
    own = result.agents[0]
    return [f"{factor * own.mean:+.2f}", f"{factor * (own.ci95[1] - own.ci95[0]) / 2:.2f}", unit, f"{result.hands:,}"]
