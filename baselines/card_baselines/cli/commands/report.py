"""`card-envs match --report`: results, play statistics and exploitability of an agent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from card_baselines.agents.panels import evaluation_panel
from card_baselines.cli import plots
from card_baselines.cli.commands.exploit import describe_report, load_target
from card_baselines.cli.console import print_report
from card_baselines.cli.match_output import results_table, statistics_table
from card_baselines.cli.options import AgentName, AgentNames, AsJson, EnvId, Seed, Settings
from card_baselines.exploitability.methods import ExploitSettings, Target, choose_method, measure_exploitability
from card_baselines.loading import load_agent
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import git_commit
from card_baselines.settings import parse_settings
from card_baselines.text_table import TextTable
from card_envs.agent import Agent
from card_envs.analysis.variance.control_variates import play_and_summarise
from card_envs.game import Game
from card_envs.match import MatchResult, Summary
from card_envs.statistics import STATISTICS, Statistic, make_play_counter, statistics_json

_DRAWS_EXACT, _DRAWS_LOCAL = 200, 4
"""Number of queries per decision that estimate the probabilities of agents that do not show them, by method."""


@dataclass(frozen=True)
class _PanelMatch:
    """A match against one opponent of the panel."""

    opponent: str
    result: MatchResult
    won: Summary
    """Winnings of the agent: plain, or adjusted by control variates."""
    statistics: tuple[Statistic, ...]


def report(
    agent: AgentName,
    env: EnvId = "limit_holdem-v0",
    panel: AgentNames = (),
    hands: int = 20_000,
    exploit_hands: int = 1000,
    seed: Seed = 0,
    control_variates: bool = False,
    picture: Path | None = None,
    settings: Settings = (),
    as_json: AsJson = False,
) -> None:
    """Print one page about an agent: what it wins against a panel, how it plays, how exploitable it is.

    Each opponent of the --panel has all other seats of a duplicate match. By default the panel is the scripted players
    of the game.

    Args:
        hands: Hands of each match.
        exploit_hands: Hands against the local best response, where one is possible; 0 for none.
        control_variates: Reduce the variance of the matches: unbiased, smaller intervals; slower.
        picture: File for a picture of the results.
    """
    plots.require_drawable(picture)
    target = load_target(env, agent, parse_settings(settings))
    game = target.game
    opponents = panel or evaluation_panel(game)
    with ProgressBar("playing the panel", hands * len(opponents)) as bar:
        page = [
            _play_opponent(game, target.player, name, hands, seed, control_variates, bar.advance) for name in opponents
        ]
    exploitability = _measure_exploitability(target, exploit_hands, seed, control_variates)
    described = {"agent": agent, "env": target.env, "settings": target.settings, "seed": seed, "commit": git_commit()}
    content = described | _as_json(page) | {"exploitability": exploitability}
    print_report(content, _describe(described, page, exploitability), as_json)
    if picture is not None:
        plots.draw_report([each.result for each in page], opponents, [each.won for each in page], picture)


def _play_opponent(
    game: Game, player: Agent, opponent: str, hands: int, seed: int, control_variates: bool, progress: Any
) -> _PanelMatch:
    others = [load_agent(opponent, game) for _ in range(game.num_seats - 1)]
    counters = [make_play_counter(game)] if STATISTICS.find(game) else []
    result, won = play_and_summarise(
        game, [player, *others], hands, seed, True, progress=progress, control_variates=control_variates,
        callbacks=counters,
    )  # fmt: skip
    return _PanelMatch(opponent, result, won[0], counters[0].compute_statistics()[0] if counters else ())


def _measure_exploitability(target: Target, hands: int, seed: int, control_variates: bool) -> dict[str, Any] | None:
    """Return the exploitability where that takes seconds: exact, or by the local best response in `hands` hands."""
    method = choose_method(target.game)
    if method == "exact":
        return measure_exploitability(target, method, ExploitSettings(draws=_DRAWS_EXACT))
    if method == "local" and hands:
        settings = ExploitSettings(hands=hands, seed=seed, draws=_DRAWS_LOCAL, control_variates=control_variates)
        return measure_exploitability(target, method, settings)
    return None


def _as_json(page: Sequence[_PanelMatch]) -> dict[str, Any]:
    return {
        "unit": page[0].result.unit,
        "matches": [
            {
                "opponent": each.opponent,
                **each.won.as_json(),
                "hands": each.result.hands,
                "statistics": statistics_json(each.statistics),
            }
            for each in page
        ],
    }


def _describe(
    described: dict[str, Any], page: Sequence[_PanelMatch], exploitability: dict[str, Any] | None
) -> Iterator[TextTable | str]:
    first = page[0].result
    yield results_table(
        f"{described['agent']} in {described['env']}, {first.hands:,} hands of duplicate deals against each",
        [(f"v {each.opponent}", each.won) for each in page],
        first.units,
    )
    if page[0].statistics:
        yield statistics_table([f"v {each.opponent}" for each in page], [each.statistics for each in page])
    if exploitability is not None:
        yield from describe_report(described | {"unit": first.unit} | exploitability, first.units)
    yield f"seed {described['seed']}, commit {described['commit'] or 'unknown'}"
