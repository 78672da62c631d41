"""`card-envs adapt`: how well an agent with memory adapts to an opponent that changes its style."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from card_baselines.cli import plots
from card_baselines.cli.commands.arguments import game_for, load_agent
from card_baselines.cli.console import print_json, print_results, print_table
from card_baselines.cli.options import AgentName, AgentNames, AsJson, EnvId, Settings, join_words
from card_baselines.progress import progress_bar
from card_baselines.settings import parse_settings
from card_envs.analysis.adaptation import Adaptation, play_adaptation
from card_envs.envs import find_entry
from card_envs.match.result import units_of


def adapt(
    env: EnvId,
    /,
    agent: AgentName,
    styles: AgentNames,
    hands_per_style: int = 500,
    rounds: int = 1,
    sessions: int = 100,
    responses: AgentNames = (),
    window: int = 50,
    seed: int = 0,
    plot: Path | None = None,
    settings: Settings = (),
    as_json: AsJson = False,
) -> int:
    """Measure how well an agent with memory adapts to an opponent that changes its style in mid-session.

    Args:
        env: Environment id of a game for two, such as limit_holdem-v0.
        agent: Who adapts: name, module:Class, path/to/file.py:Class, or run folder.
        styles: What the opponent plays, one after the other.
        hands_per_style: Hands until the opponent changes.
        rounds: How often it goes through its styles.
        sessions: Sessions; the agent begins each without memory of the others.
        responses: Fixed responses; the best of them against each style is what regret is measured by.
        window: Hands of the moving mean by which recovery is found.
        seed: The same seed gives the same result.
        plot: Draw what the agent wins in the course of a session into this file.
        settings: Arguments of the environment, such as stacks=50.
        as_json: Print JSON; means are per hand in big blinds or chips.
    """
    entry = find_entry(env)
    plots.require_drawable(plot)
    game, _ = game_for(entry, parse_settings(join_words(settings)), 2)
    players = [load_agent(style, game) for style in join_words(styles)]
    if not players:
        raise ValueError("--styles: name what the opponent plays, such as --styles always_raise always_call")
    hands = hands_per_style * len(players) * rounds * sessions
    with progress_bar("playing", hands) as bar:
        found = play_adaptation(
            game, load_agent(agent, game), players, hands_per_style=hands_per_style, rounds=rounds, sessions=sessions,
            seed=seed, responses=[load_agent(response, game) for response in join_words(responses)],
            progress=bar.advance,
        )  # fmt: skip
    recoveries = _recoveries(found, rounds, window)
    if as_json:
        print_json({"env": entry.id, **found.as_json(), "recovery": recoveries})
    else:
        _print(found, recoveries, window, units_of(game))
    if plot is not None:
        plots.draw_adaptation(found, window, plot)
    return 0


def _recoveries(found: Adaptation, rounds: int, window: int) -> list[dict[str, Any]]:
    """Return the recovery after each change of style, as far as windows fit."""
    if found.hands_per_style < 2 * window:
        return []
    phases = range(1, len(found.styles) * rounds)
    measured = [(found.styles[phase % len(found.styles)], *found.recovery(phase, window)) for phase in phases]
    return [{"style": name, "hands": hands, "ci95": [low, high]} for name, hands, low, high in measured]


def _print(found: Adaptation, recoveries: list[dict[str, Any]], window: int, units: Any) -> None:
    rows = [(f"against {part.name}", part) for part in found.by_style] + [("all hands", found.overall)]
    rows += [(f"best fixed response to {style}: {best.name}", best)
             for style, best in zip(found.styles, found.best_fixed, strict=bool(found.best_fixed))]  # fmt: skip
    if found.best_fixed:
        rows.append(("regret", found.regret))
    print_results(f"{found.agent}, {found.num_sessions} sessions", rows, units)
    if recoveries:
        cells = [[f"to {each['style']}", f"{each['hands']:.0f}", f"{each['ci95'][0]:.0f} to {each['ci95'][1]:.0f}"]
                 for each in recoveries]  # fmt: skip
        print_table(["change", "hands to recover", "95 % interval"], cells, f"means over {window} hands")
