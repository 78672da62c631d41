"""The `card-envs` command: one function per subcommand, whose parameters are its options."""

from __future__ import annotations

import difflib
import importlib
import inspect
import json as json_text
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from card_baselines import tables
from card_baselines.progress import progress_bar
from card_baselines.registry import ALGORITHMS
from card_baselines.settings import parse_settings
from card_envs import __version__
from card_envs.agent import Agent, find_agent, known_agents
from card_envs.envs import ENVS, EnvEntry, find_entry, make_game
from card_envs.game import Game
from card_envs.hand_history import ReplayReport, find_files, replay_each
from card_envs.match import AgentError, play_match

WRONG_USE = 2
"""Exit code for unknown ids, agents, settings, options."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

_DEMO = "card_baselines.training.demo"
_EXTRA_OF = {
    **dict.fromkeys(("tyro", "rich", "tqdm"), "cli"),
    **dict.fromkeys(("stable_baselines3", "sb3_contrib"), "sb3"),
    **dict.fromkeys(("torch", "safetensors", "matplotlib"), "train"),
    "PIL": "render",
}
"""Third-party package -> the extra of card-envs that installs it."""


# --- commands ---------------------------------------------------------------------------------------------------------


def envs(json: bool = False) -> int:
    """List the environments with their spaces, encoders and rules profiles.

    Args:
        json: Print JSON, with all settings and their defaults.
    """
    reports = [_env_report(entry) for entry in ENVS.values()]
    _print_json(reports) if json else tables.print_envs(reports)
    return 0


def _env_report(entry: EnvEntry) -> dict[str, Any]:
    game = entry.factory()
    parameters = inspect.signature(entry.factory).parameters
    return {
        "id": entry.id,
        "gymnasium_id": entry.gymnasium_id,
        "summary": entry.summary,
        "num_seats": game.num_seats,
        "observation_space": str(game.layout.space),
        "num_actions": game.num_actions,
        "unit": game.unit,
        "encoders": dict(_encoders(game)),
        "rules": list(game.rules_profiles) if "rules" in parameters else [],
        "settings": {name: parameter.default for name, parameter in parameters.items()},
    }


def _encoders(game: Game) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield name, version and size of every encoder that fits the game."""
    for name, encoder in game.encoders.items():
        try:
            yield name, {"version": encoder.version, "size": encoder.layout(game.config).size}
        except ValueError:
            continue  # made for some settings only


def agents(json: bool = False) -> int:
    """List the agents that have a name, what they play and where they come from.

    Args:
        json: Print JSON.
    """
    games = {env_id: make_game(env_id) for env_id in ENVS}
    reports = [_agent_report(name, location, games) for name, location in known_agents().items()]
    _print_json(reports) if json else tables.print_agents(reports)
    return 0


def _agent_report(name: str, location: str, games: Mapping[str, Game]) -> dict[str, Any]:
    summary, needs, plays = "", "", []
    for env_id, game in games.items():
        try:
            summary = (inspect.getdoc(type(find_agent(name, game))) or "").partition("\n")[0]
            plays.append(env_id)
        except ModuleNotFoundError as error:
            needs = _how_to_install(error)
        except ValueError:
            continue  # it does not play this game
    return {"name": name, "summary": summary, "plays": plays, "needs": needs, "from": location}


def match(
    env: str,
    /,
    agents: tuple[str, ...],
    hands: int = 10_000,
    seed: int = 0,
    duplicate: bool = False,
    set: tuple[str, ...] = (),
    json: bool = False,
) -> int:
    """Let agents play against each other and print what each wins per hand, with 95 % intervals.

    Args:
        env: Environment id, such as limit_holdem-v0.
        agents: One per seat: names (see `card-envs agents`), module:Class, path/to/file.py:Class, or run folders.
        hands: Hands to play; with --duplicate rounded up to whole deals.
        seed: The same seed gives the same result.
        duplicate: Play every deal once for each way to move the agents around the table.
        set: Arguments of the environment, such as rules=rlcard stacks=50.
        json: Print JSON; means are per hand in big blinds or points.
    """
    entry = find_entry(env)
    settings = parse_settings(set)
    game, settings = _game_for(entry, settings, len(agents))
    players = [_load_agent(spec, game) for spec in agents]
    stops = [(0, time.perf_counter())]
    with progress_bar("playing", hands) as bar:

        def progress(done: int) -> None:
            stops.append((stops[-1][0] + done, time.perf_counter()))
            bar.advance(done)

        result = play_match(game, players, hands, seed, duplicate, progress=progress)
    if json:
        _print_json(result.as_json(entry.id, settings))
    else:
        title = " ".join([entry.id, *(f"{name}={value}" for name, value in settings.items())])
        tables.print_match(title + (", duplicate deals" if duplicate else ""), result, _speed(stops))
    return 0


def _speed(stops: Sequence[tuple[int, float]]) -> float:
    """Return hands per second from (hands, time) pairs, without the first batch if there are others: it may compile."""
    (hands_before, start), (hands, end) = stops[1 if len(stops) > 2 else 0], stops[-1]
    return (hands - hands_before) / (end - start)


def _game_for(entry: EnvEntry, settings: dict[str, Any], num_agents: int) -> tuple[Game, dict[str, Any]]:
    """Return the game with one seat per agent, where it can have that many, and the settings that made it."""
    may_choose = "num_players" in inspect.signature(entry.factory).parameters
    if may_choose and "num_players" not in settings:
        settings = {"num_players": num_agents, **settings}
    try:
        game = make_game(entry.id, **settings)
    except TypeError as error:
        raise ValueError(str(error)) from error
    if num_agents != game.num_seats:
        hint = f", or --set num_players={num_agents}" if may_choose and num_agents > 1 else ""
        raise ValueError(
            f"{entry.id} has {game.num_seats} seats here, but {num_agents} agents are named: name {game.num_seats} "
            f"(one may be named more than once, as in --agents {' '.join(['A', *'B' * (game.num_seats - 1)])}){hint}"
        )
    return game, settings


def _load_agent(spec: str, game: Game) -> Agent:
    try:
        return find_agent(spec, game)
    except (ValueError, ModuleNotFoundError):
        raise
    except Exception as error:  # whatever the code of an agent does when it is imported and made
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        raise ValueError(f"agent {spec!r} cannot be made: {type(error).__name__} at {place}: {error}") from error


def replay(paths: tuple[Path, ...], /, rules: str = "standard", jobs: int = 1, json: bool = False) -> int:
    """Replay recorded hands (PHH): are all actions legal, and do the final stacks agree? Exit code 1 if not.

    Args:
        paths: Files, or folders that are searched for .phh and .phhs.
        rules: Rules profile, such as standard or acpc.
        jobs: Processes to use.
        json: Print JSON.
    """
    if not paths:
        raise ValueError("name at least one file or folder to replay")
    files = find_files(paths)
    report = ReplayReport()
    with progress_bar("replaying", len(files)) as bar:
        for results in replay_each(files, rules, jobs):
            for result in results:
                report.add(result)
            bar.advance(1)
    if json:
        _print_json(_replay_report(report))
    else:
        print("\n".join(report.lines()))
    return 1 if report.mismatched else 0


def _replay_report(report: ReplayReport) -> dict[str, Any]:
    return {
        "hands": report.num_hands,
        "matched": report.num_matched,
        "mismatched": len(report.mismatched),
        "skipped": report.num_skipped,
        "agreement": dict(report.matched),
        "mismatches": [{"source": result.source, "reason": result.reason} for result in report.mismatched],
        "skips": {reason: len(sources) for reason, sources in report.skipped.items()},
    }


def train(arguments: list[str]) -> int:
    """Train an agent: `card-envs train ALGORITHM --env ID ...`; leaves a run folder, continues an interrupted one."""
    names = ", ".join(ALGORITHMS)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(f"usage: card-envs train ALGORITHM [options]\n\nalgorithms: {names}\n")
        print(f"`card-envs train {next(iter(ALGORITHMS))} --help` shows the options of one.")
        return 0 if arguments else WRONG_USE
    algorithm = arguments[0]
    if algorithm not in ALGORITHMS:
        raise ValueError(
            f"algorithm {algorithm!r} is not known{_nearest(algorithm, ALGORITHMS)}: choose one of {names}"
        )
    return _run_script(ALGORITHMS[algorithm], f"train {algorithm}", arguments[1:])


def demo(arguments: list[str]) -> int:
    """Train on heads-up limit hold'em for two minutes, then play matches against simple players."""
    return _run_script(_DEMO, "demo", arguments)


def _run_script(module_name: str, command: str, arguments: list[str]) -> int:
    """Run the `main` of a training script with the settings that the arguments make of its `Config`."""
    script = importlib.import_module(module_name)
    script.main(_parsed(script.Config, command, arguments))
    return 0


# --- the command line -------------------------------------------------------------------------------------------------

COMMANDS: dict[str, Callable[..., int]] = {
    command.__name__: command for command in (envs, agents, match, replay, train, demo)
}
_TAKE_ARGUMENTS = (train, demo)
"""Commands whose options depend on a script that is imported only when it is asked for."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (by default the command line) names; return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_usage())
        return 0 if arguments else WRONG_USE
    if arguments[0] == "--version":
        print(f"card-envs {__version__}")
        return 0
    try:
        return _run(arguments[0], arguments[1:])
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, AgentError, OSError) as error:
        print(f"card-envs: {error}", file=sys.stderr)
        return WRONG_USE
    except ModuleNotFoundError as error:
        print(f"card-envs: {_how_to_install(error)}", file=sys.stderr)
        return WRONG_USE


def _run(name: str, arguments: list[str]) -> int:
    if name not in COMMANDS:
        raise ValueError(
            f"command {name!r} is not known{_nearest(name, COMMANDS)}: choose one of {', '.join(COMMANDS)}"
        )
    command = COMMANDS[name]
    return command(arguments) if command in _TAKE_ARGUMENTS else _parsed(command, name, arguments)


def _parsed(made: Callable[..., Any], command: str, arguments: list[str]) -> Any:
    """Return what `made` returns for the arguments; prints help or what is wrong with them and exits."""
    import tyro

    return tyro.cli(
        made, args=_gathered(arguments), prog=f"card-envs {command}", config=(tyro.conf.FlagCreatePairsOff,)
    )


def _gathered(arguments: list[str]) -> list[str]:
    """Return the arguments with those of a repeated --option behind its first occurrence, which would else be lost."""
    groups: dict[str, list[str]] = {}
    option = ""
    for argument in arguments:
        if argument.startswith("--"):
            option = argument
            groups.setdefault(option, [option])
        else:
            groups.setdefault(option, []).append(argument)
    return [argument for group in groups.values() for argument in group]


def _usage() -> str:
    lines = [
        f"  {name:8} {(inspect.getdoc(command) or '').partition(chr(10))[0]}" for name, command in COMMANDS.items()
    ]
    return "\n".join(
        ["usage: card-envs COMMAND [options]", "", *lines, "", "`card-envs COMMAND --help` shows its options."]
    )


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.3)
    return f" (did you mean {nearest[0]!r}?)" if nearest else ""


def _how_to_install(error: ModuleNotFoundError) -> str:
    """Return which extra brings a missing package; raises the error again for one that no extra brings."""
    package = (error.name or "").partition(".")[0]
    if package not in _EXTRA_OF:
        raise error
    return f"{package} is not installed: pip install 'card-envs[{_EXTRA_OF[package]}]'"


def _print_json(report: Any) -> None:
    print(json_text.dumps(report, indent=2))


if __name__ == "__main__":
    sys.exit(main())
