"""`card-envs match`: the result of agents against each other, with 95 % intervals."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from card_baselines.cli import plots
from card_baselines.cli.arguments import game_for
from card_baselines.cli.commands.hands_needed import forecast_match, is_language_model
from card_baselines.cli.console import print_json, print_parts
from card_baselines.cli.match_output import MatchObservers, MatchProgress, describe_defaults, describe_match
from card_baselines.cli.options import AgentNames, AsJson, Device, EnvId, Flattened, SavePath, Seed, Settings
from card_baselines.loading import load_agent
from card_baselines.progress import ProgressBar
from card_baselines.settings import parse_settings
from card_envs.agent import Agent
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.envs import find_entry
from card_envs.game import Game
from card_envs.history import MatchFile
from card_envs.match import AgentError, MatchInterrupted, MatchResult, StoppingRule, play_match
from card_envs.statistics import make_play_counter


@dataclass(frozen=True, kw_only=True)
class MatchOptions:
    """The options of a match that decide its result."""

    hands: int = 10_000
    """Hands to play; with --duplicate rounded up to whole deals."""
    seed: Seed = 0
    duplicate: bool = False
    """Play every deal once for each way to move the agents around the table."""
    control_variates: bool = False
    """Also print the variance-reduced result: unbiased, with a smaller interval. Cost with networks in hold'em:
    about 1 processor ms a hand in 5,000 hands, 2 to 3 in 60; 0.2 without it."""
    until_decided: bool = False
    """Stop when it is sure whether the first agent wins or loses; --hands is then the most played. With
    --control-variates it is the adjusted result that decides, which takes fewer hands."""
    margin: float | None = None
    """With --until-decided: also stop when the first agent's mean is surely nearer to zero than this."""
    within: float | None = None
    """Print beforehand how many hands, and calls of language models, an interval of plus or minus this takes, in the
    first unit of the results (bb/100). With llm: agents the calls of --hands are printed without it."""
    hands_per_table: int = 1
    """For agents with memory: number of hands in a row at a table."""
    on_error: str = "abort"
    """What to do when an agent fails: abort, or forfeit (the first legal action is taken in its place)."""

    def __post_init__(self) -> None:
        """Raise ValueError if no forecast is possible, and for an option that another one needs."""
        if self.margin is not None and not self.until_decided:
            raise ValueError("--margin ends a match early: add --until-decided, or leave --margin away")
        if self.within is not None and not self.within > 0:
            raise ValueError(f"--within {self.within:g} must be above 0, such as --within 10")
        if self.within is not None and self.hands_per_table > 1:
            raise ValueError("--within counts single deals: leave --hands-per-table away, or leave --within away")


def match(
    env: EnvId,
    agents: AgentNames = (),
    *,
    options: Annotated[MatchOptions, Flattened],
    settings: Settings = (),
    device: Device = "cpu",
    statistics: bool = False,
    plot: Path | None = None,
    save: SavePath = None,
    as_json: AsJson = False,
) -> None:
    """Let agents play against each other, and print what each wins, with 95 % intervals.

    Each of the --agents has one seat.

    Args:
        statistics: Also print how the agents play, such as VPIP and aggression.
        plot: Draw what the agents win over the hands into this file.
    """
    plots.require_drawable(plot)
    game, chosen = game_for(env, parse_settings(settings), len(agents))
    players = [load_agent(name, game, device) for name in agents]
    observers = _make_observers(game, players, options, statistics, save)
    _print_forecast(game, agents, options, device, sys.stderr if as_json else sys.stdout)
    result, observers, speed, error = _play(game, players, options, observers)
    env_id = find_entry(env).id
    if as_json:
        aborted = {} if error is None else {"aborted": str(error)}
        print_json({**result.as_json(env_id, chosen), **observers.as_json(result), **aborted})
    else:
        words = " ".join([env_id, *(f"{name}={value}" for name, value in chosen.items())])
        title = words + (", duplicate deals" if options.duplicate else "")
        print_parts([*describe_match(title, result, speed), *observers.describe(result), *describe_defaults(players)])
    if plot is not None:
        plots.draw_win_curve(result, plot)
    if error is not None:
        raise error


def _print_forecast(game: Game, names: tuple[str, ...], options: MatchOptions, device: str, file: Any) -> None:
    """Print how many hands and calls a match takes, if that is wanted or language models play."""
    if options.within is None and (options.hands_per_table > 1 or not any(map(is_language_model, names))):
        return
    lines = forecast_match(
        game, names, options.hands, options.seed, options.duplicate, options.control_variates, options.within, device
    )
    print(*lines, sep="\n", file=file, flush=True)


def _make_observers(
    game: Game, players: list[Agent], options: MatchOptions, statistics: bool, save: Path | None
) -> MatchObservers:
    controls = None
    if options.control_variates:
        until = StoppingRule(margin=options.margin) if options.until_decided else None
        controls = ControlVariates(game, players, options.seed, options.hands_per_table, until=until)
    return MatchObservers(
        controls=controls,
        counter=make_play_counter(game) if statistics else None,
        file=None if save is None else MatchFile(save, game, [player.name for player in players], options.seed),
    )


def _play(
    game: Game, players: list[Agent], options: MatchOptions, observers: MatchObservers
) -> tuple[MatchResult, MatchObservers, float, AgentError | MatchInterrupted | None]:
    """Play a match.

    Returns:
        The result, the observers that saw exactly its hands, the hands per second, and the error that ended the match
        early, if one did.
    """
    until = StoppingRule(margin=options.margin) if options.until_decided else None
    if observers.controls is not None:
        until = observers.controls.until
    try:
        with ProgressBar("playing", options.hands) as bar, observers.file or nullcontext():
            progress = MatchProgress(bar)
            result = play_match(
                game, players, options.hands, options.seed, options.duplicate, progress=progress.advance,
                hands_per_table=options.hands_per_table, until=until, on_error=options.on_error,
                callbacks=[*observers.callbacks, *progress.callbacks],
            )  # fmt: skip
    except (AgentError, MatchInterrupted) as error:
        if error.result is None:
            raise
        return error.result, MatchObservers(), progress.hands_per_second, error
    return result, observers, progress.hands_per_second, None
