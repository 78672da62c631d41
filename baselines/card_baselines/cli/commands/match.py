"""`card-envs match`: who wins, by how much, and how sure that is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from card_baselines.cli import console, plots
from card_baselines.cli.commands.arguments import game_for, load_agent
from card_baselines.cli.console import print_json
from card_baselines.cli.options import AgentNames, AsJson, EnvId, Settings, join_words
from card_baselines.progress import ProgressBar, progress_bar
from card_baselines.settings import parse_settings
from card_envs.agent import Agent
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.envs import find_entry
from card_envs.formatting import json_number
from card_envs.game import Game
from card_envs.history import MatchFile
from card_envs.match import (
    AgentError,
    MatchBatch,
    MatchCallback,
    MatchInterrupted,
    MatchResult,
    StoppingRule,
    play_match,
)
from card_envs.play_statistics import PlayCounter, statistics_json
from card_envs.typing import Rows


def match(
    env: EnvId,
    /,
    agents: AgentNames,
    hands: int = 10_000,
    seed: int = 0,
    duplicate: bool = False,
    control_variates: bool = False,
    until_decided: bool = False,
    margin: float | None = None,
    statistics: bool = False,
    hands_per_table: int = 1,
    on_error: str = "abort",
    plot: Path | None = None,
    settings: Settings = (),
    save: Path | None = None,
    device: str = "cpu",
    as_json: AsJson = False,
) -> int:
    """Let agents play against each other and print what each wins per hand, with 95 % intervals.

    Args:
        env: Environment id, such as limit_holdem-v0.
        agents: One per seat: names (see `card-envs agents`), module:Class, path/to/file.py:Class, or run folders.
        hands: Hands to play; with --duplicate rounded up to whole deals.
        seed: The same seed gives the same result.
        duplicate: Play every deal once for each way to move the agents around the table.
        control_variates: Also print the result with chance taken off: right on average, a smaller interval.
            Cost with networks in hold'em: about 1 processor ms a hand in 5,000 hands, 2 to 3 in 60; 0.2 without it.
        until_decided: Stop when it is sure whether the first agent wins or loses; --hands is then the most played.
            With --control-variates it is the adjusted result that decides, which takes fewer hands.
        margin: With --until-decided: also stop when the first agent's mean is surely nearer to zero than this.
        statistics: Also print how the agents play, such as VPIP and aggression.
        hands_per_table: For agents with memory: so many hands follow each other at a table.
        on_error: What to do when an agent fails: abort, or forfeit (the first legal action is taken in its place).
        plot: Draw what the agents win over the hands into this file.
        settings: Arguments of the environment, such as rules=rlcard num_players=6 stacks=50.
        save: Write the hands to a file (.phhs, .acpc, .big2) or into a folder; `card-envs replay` reads them.
        device: Where agents compute their networks: cpu, cuda, cuda:N, or auto, which takes a GPU if there is one.
        as_json: Print JSON; means are per hand in big blinds or points.
    """
    entry = find_entry(env)
    plots.require_drawable(plot)
    names = join_words(agents)
    game, chosen = game_for(entry, parse_settings(join_words(settings)), len(names))
    players = [load_agent(spec, game, device) for spec in names]
    file = None if save is None else MatchFile(save, game, [player.name for player in players], seed)
    until = StoppingRule(margin=margin) if until_decided else None
    watching = _Watching(game, players, seed, control_variates, statistics, hands_per_table, until)
    stops = [(0, time.perf_counter())]
    error: AgentError | MatchInterrupted | None = None

    def progress(done: int) -> None:
        stops.append((stops[-1][0] + done, time.perf_counter()))
        bar.update(stops[-1][0])

    try:
        with progress_bar("playing", hands) as bar, file or nullcontext():
            result = play_match(
                game, players, hands, seed, duplicate, progress=progress, hands_per_table=hands_per_table,
                until=watching.until, on_error=on_error,
                callbacks=[*watching.callbacks, *([file] if file else []), *_follow_progress(bar)],
            )  # fmt: skip
    except (AgentError, MatchInterrupted) as raised:
        if raised.result is None:
            raise
        error, result = raised, raised.result
        file, watching = None, _Watching(game, players, seed, False, False)  # they saw hands that were not finished
    if as_json:
        aborted = {} if error is None else {"aborted": str(error)}
        print_json({**result.as_json(entry.id, chosen), **watching.as_json(result), **aborted})
    else:
        title = " ".join([entry.id, *(f"{name}={value}" for name, value in chosen.items())])
        console.print_match(title + (", duplicate deals" if duplicate else ""), result, _speed(stops))
        watching.print_tables(result)
        for player in {id(player): player for player in players}.values():
            if count := getattr(player, "num_defaults", 0):  # of language models
                print(f"{player.name}: {count:,} decisions without an answer that names a legal action: check or fold")
        if file is not None:
            print(f"saved {file.num_hands:,} hands in {file.path}")
    if plot is not None:
        plots.draw_win_curve(result, plot)
    if error is not None:
        raise error
    return 0


def _follow_progress(bar: ProgressBar) -> list[MatchCallback]:
    return [_Following(bar)] if bar.is_shown else []


class _Following:
    """A callback that moves a bar on as hands end, which takes long where agents think long."""

    def __init__(self, bar: ProgressBar) -> None:
        self._bar, self._done = bar, 0

    def on_deal(self, batch: MatchBatch) -> None:
        """Nothing is over yet."""

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Show the hands that are over: nobody acts at their tables any more."""
        self._bar.update(self._done + len(batch.tables) - len(rows))

    def on_end(self, batch: MatchBatch) -> None:
        """Count the hands of the batch."""
        self._done += len(batch.tables)


class _Watching:
    """The callbacks that were asked for, and what they report."""

    def __init__(
        self,
        game: Game,
        agents: Sequence[Agent],
        seed: int,
        controls: bool,
        statistics: bool,
        hands_per_table: int = 1,
        until: StoppingRule | None = None,
    ) -> None:
        self._controls = ControlVariates(game, agents, seed, hands_per_table, until=until) if controls else None
        self.until = until if self._controls is None else self._controls.until
        self._statistics: PlayCounter | None = game.info.make_play_counter() if statistics else None
        self.callbacks = [callback for callback in (self._controls, self._statistics) if callback is not None]

    def as_json(self, result: MatchResult) -> dict[str, Any]:
        """Return the reports of the callbacks as JSON."""
        report: dict[str, Any] = {}
        if self._controls is not None:
            report["control_variates"] = [
                {
                    "name": agent.summary.name,
                    "mean": agent.summary.mean,
                    "ci95": [json_number(bound) for bound in agent.summary.ci95],
                    "sd_of_sample": json_number(agent.summary.sd),
                    "hands_factor": json_number(agent.hands_factor),
                    "exact": agent.is_exact,
                }
                for agent in self._controls.adjust(result)
            ]
        if self._statistics is not None:
            of_agents = zip(result.names, self._statistics.compute_statistics(), strict=True)
            report["statistics"] = [{"name": name, **statistics_json(each)} for name, each in of_agents]
        return report

    def print_tables(self, result: MatchResult) -> None:
        """Print what comes below the tables of the match."""
        if self._controls is not None:
            console.print_adjusted(self._controls.adjust(result), result)
        if self._statistics is not None:
            console.print_statistics(result.names, self._statistics.compute_statistics())


def _speed(stops: Sequence[tuple[int, float]]) -> float:
    """Return hands per second from (hands, time) pairs, without the first batch if there are others: it may compile."""
    (hands_before, start), (hands, end) = stops[1 if len(stops) > 2 else 0], stops[-1]
    return (hands - hands_before) / (end - start)
