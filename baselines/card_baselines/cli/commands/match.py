"""`card-envs match`: who wins, by how much, and how sure that is."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from card_baselines.cli import console, plots
from card_baselines.cli.commands.arguments import game_for, load_agent
from card_baselines.cli.console import print_json
from card_baselines.cli.forecast import forecast_match, is_language_model
from card_baselines.cli.match_output import MatchObservers, MatchProgress, make_observers, print_defaults
from card_baselines.cli.options import AgentNames, AsJson, EnvId, Settings, join_words
from card_baselines.progress import progress_bar
from card_baselines.settings import parse_settings
from card_envs.envs import find_entry
from card_envs.history import MatchFile
from card_envs.match import AgentError, MatchInterrupted, StoppingRule, play_match


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
    within: float | None = None,
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
        within: Print beforehand how many hands, and calls of language models, an interval of plus or minus this takes,
            in the first unit of the results (bb/100). With llm: agents the calls of --hands are printed without it.
        statistics: Also print how the agents play, such as VPIP and aggression.
        hands_per_table: For agents with memory: so many hands follow each other at a table.
        on_error: What to do when an agent fails: abort, or forfeit (the first legal action is taken in its place).
        plot: Draw what the agents win over the hands into this file.
        settings: Arguments of the environment, such as rules=rlcard num_players=6 stacks=50.
        save: Write the hands to a file (.phhs, .acpc, .pokerstars, .big2) or a folder; `card-envs replay` reads them.
        device: Where agents compute their networks: cpu, cuda, cuda:N, or auto, which takes a GPU if there is one.
        as_json: Print JSON; means are per hand in big blinds or points.
    """
    entry = find_entry(env)
    plots.require_drawable(plot)
    _require_forecastable(within, hands_per_table)
    names = join_words(agents)
    game, chosen = game_for(entry, parse_settings(join_words(settings)), len(names))
    players = [load_agent(spec, game, device) for spec in names]
    until = StoppingRule(margin=margin) if until_decided else None
    observers, until = make_observers(game, players, seed, hands_per_table, until, control_variates, statistics)
    if within is not None or (hands_per_table == 1 and any(map(is_language_model, names))):
        forecast = forecast_match(game, names, hands, seed, duplicate, control_variates, within, device)
        print(*forecast, sep="\n", file=sys.stderr if as_json else sys.stdout, flush=True)
    file = None if save is None else MatchFile(save, game, [player.name for player in players], seed)
    error: AgentError | MatchInterrupted | None = None
    try:
        with progress_bar("playing", hands) as bar, file or nullcontext():
            progress = MatchProgress(bar)
            result = play_match(
                game, players, hands, seed, duplicate, progress=progress.advance, hands_per_table=hands_per_table,
                until=until, on_error=on_error,
                callbacks=[*observers.callbacks, *([file] if file else []), *progress.callbacks],
            )  # fmt: skip
    except (AgentError, MatchInterrupted) as raised:
        if raised.result is None:
            raise
        error, result = raised, raised.result
        file, observers = None, MatchObservers()  # they saw hands that were not finished
    if as_json:
        aborted = {} if error is None else {"aborted": str(error)}
        print_json({**result.as_json(entry.id, chosen), **observers.as_json(result), **aborted})
    else:
        console.print_match(_title(entry.id, chosen, duplicate), result, progress.hands_per_second)
        observers.print_tables(result)
        print_defaults(players)
        if file is not None:
            print(f"saved {file.num_hands:,} hands in {file.path}")
    if plot is not None:
        plots.draw_win_curve(result, plot)
    if error is not None:
        raise error
    return 0


def _require_forecastable(within: float | None, hands_per_table: int) -> None:
    if within is not None and not within > 0:
        raise ValueError(f"--within {within:g} must be above 0, such as --within 10")
    if within is not None and hands_per_table > 1:
        raise ValueError("--within counts single deals: leave --hands-per-table away, or leave --within away")


def _title(env_id: str, settings: dict[str, Any], duplicate: bool) -> str:
    title = " ".join([env_id, *(f"{name}={value}" for name, value in settings.items())])
    return title + (", duplicate deals" if duplicate else "")
