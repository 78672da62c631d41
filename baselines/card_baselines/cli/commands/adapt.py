"""`card-envs match --adapt`: how well an agent with memory adapts to an opponent that changes its style."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from card_baselines.adaptation import Adaptation, play_adaptation
from card_baselines.cli import plots
from card_baselines.cli.arguments import game_for
from card_baselines.cli.console import print_report
from card_baselines.cli.match_output import results_table
from card_baselines.cli.options import AgentName, AgentNames, AsJson, EnvId, Seed, Settings
from card_baselines.loading import load_agent
from card_baselines.progress import ProgressBar
from card_baselines.settings import parse_settings
from card_baselines.text_table import TextTable
from card_envs.envs import find_entry
from card_envs.match.result import units_of


def adapt(
    env: EnvId,
    agent: AgentName,
    styles: AgentNames = (),
    hands_per_style: int = 500,
    rounds: int = 1,
    sessions: int = 100,
    responses: AgentNames = (),
    window: int = 50,
    seed: Seed = 0,
    plot: Path | None = None,
    settings: Settings = (),
    as_json: AsJson = False,
) -> None:
    """Measure how well an agent with memory adapts to an opponent that changes its style in mid-session.

    The opponent of a game for two plays the --styles one after the other. Regret is measured by the best of the
    --responses, which are fixed agents, against each style.

    Args:
        hands_per_style: Hands until the opponent changes.
        rounds: Number of times that the opponent goes through its styles.
        sessions: Sessions; the agent begins each without memory of the others.
        window: Hands of the moving mean by which recovery is found.
        plot: Draw what the agent wins in the course of a session into this file.
    """
    plots.require_drawable(plot)
    game, _ = game_for(env, parse_settings(settings), 2)
    players = [load_agent(style, game) for style in styles]
    if not players:
        raise ValueError("--styles: name what the opponent plays, such as --styles always_raise always_call")
    hands = hands_per_style * len(players) * rounds * sessions
    with ProgressBar("playing", hands) as bar:
        adaptation = play_adaptation(
            game, load_agent(agent, game), players, hands_per_style=hands_per_style, rounds=rounds, sessions=sessions,
            seed=seed, responses=[load_agent(response, game) for response in responses],
            progress=bar.advance,
        )  # fmt: skip
    recoveries = _measure_recoveries(adaptation, rounds, window)
    content = {"env": find_entry(env).id, **adaptation.as_json(), "recovery": recoveries}
    print_report(content, _describe(adaptation, recoveries, window, units_of(game)), as_json)
    if plot is not None:
        plots.draw_adaptation(adaptation, window, plot)


def _measure_recoveries(adaptation: Adaptation, rounds: int, window: int) -> list[dict[str, Any]]:
    """Return the recovery after each change of style; none if a style has fewer hands than two windows."""
    if adaptation.hands_per_style < 2 * window:
        return []
    styles = adaptation.styles
    phases = range(1, len(styles) * rounds)
    measured = [(styles[phase % len(styles)], *adaptation.recovery(phase, window)) for phase in phases]
    return [{"style": name, "hands": hands, "ci95": [low, high]} for name, hands, low, high in measured]


def _describe(
    adaptation: Adaptation, recoveries: list[dict[str, Any]], window: int, units: Mapping[str, float]
) -> Iterator[TextTable]:
    rows = [(f"against {part.name}", part) for part in adaptation.by_style] + [("all hands", adaptation.overall)]
    best_responses = zip(adaptation.styles, adaptation.best_fixed, strict=bool(adaptation.best_fixed))
    rows += [(f"best fixed response to {style}: {best.name}", best) for style, best in best_responses]
    if adaptation.best_fixed:
        rows.append(("regret", adaptation.regret))
    yield results_table(f"{adaptation.agent}, {adaptation.num_sessions} sessions", rows, units)
    if recoveries:
        cells = [[f"to {each['style']}", f"{each['hands']:.0f}", f"{each['ci95'][0]:.0f} to {each['ci95'][1]:.0f}"]
                 for each in recoveries]  # fmt: skip
        yield TextTable(f"means over {window} hands", ["change", "hands to recover", "95 % interval"], cells)
