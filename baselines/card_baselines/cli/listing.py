"""Reports of environments and agents for `card-envs envs` and `card-envs agents`.

Making all games and agents takes 6.9 seconds of a processor, reading their reports 0.02. So the reports of this package
are stored in listing.json, which `python -m card_baselines.cli.listing` writes and a test checks. Reports of other
distributions are made at each call.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_baselines.cli.strengths import REFERENCES, make_listed_game
from card_baselines.pretrained import PRETRAINED
from card_baselines.registry import AGENTS, STYLES
from card_envs import plugins
from card_envs.envs import ENVS, EnvEntry
from card_envs.extras import EXTRA_OF, how_to_install

if TYPE_CHECKING:
    from card_envs.agent import Agent
    from card_envs.game import Game

FILE = Path(__file__).with_name("listing.json")
SIX_SEATS = "num_players=6"
"""Setting of the additional games with which agents are tried, since some agents play only with six seats."""
_CHOOSES = {None: "", True: "greedy", False: "sampling"}
"""`Agent.greedy` -> text of the report; agents without a choice have None."""
_MISSING = "missing"
"""Key in the file for the optional module that an agent needs."""

Report = dict[str, Any]


def importable_games(env_ids: Iterable[str] | None = None) -> dict[str, Game]:
    """Return the games of some ids, by default all, with default settings; warn of those that cannot be imported."""
    games = {}
    for env_id in ENVS if env_ids is None else env_ids:
        try:
            games[env_id] = ENVS[env_id].factory()
        except (ImportError, AttributeError) as error:
            warnings.warn(f"{env_id} is left out: {error}", RuntimeWarning, stacklevel=2)
    return games


def list_envs() -> list[Report]:
    """Return a report of every environment; see `describe_env`."""
    kept = _read_file()["envs"]
    games = importable_games([env_id for env_id, entry in ENVS.items() if not _is_kept(entry, kept)])
    known = {env_id: describe_env(ENVS[env_id], game) for env_id, game in games.items()}
    return [(known | kept)[env_id] for env_id in ENVS if env_id in known | kept]


def list_agents() -> list[Report]:
    """Return a report of every agent with a name; see `describe_agent`. `style` is "" for those listed on request."""
    reports = _list_known_agents()
    own = plugins.OWN_AGENTS | AGENTS
    styles = {report["name"]: _find_style(report, own) for report in reports}
    return [report | {"style": styles[report["name"]]} for report in reports]


def _find_style(report: Report, own: Mapping[str, str]) -> str:
    """Return how an agent plays in a few words: from the registry, for other distributions its summary."""
    if own.get(report["name"]) == report["from"]:
        return STYLES.get(report["name"], "")
    return str(report["summary"] or report["needs"] or report["from"])


def _list_known_agents() -> list[Report]:
    kept = _read_file()
    others = [env_id for env_id, entry in ENVS.items() if not _is_kept(entry, kept["envs"])]
    other_games = add_variants(importable_games(others))
    all_games = cache(lambda: add_variants(importable_games()))
    return [
        _complete_report(kept["agents"][name], other_games)
        if kept["agents"].get(name, {}).get("from") == location
        else describe_agent(name, location, all_games())
        for name, location in plugins.known_agents().items()
    ]


def _complete_report(kept: Report, other_games: Mapping[str, Game]) -> Report:
    """Return the report of an agent from the file, with the games of other distributions that it plays."""
    report = {key: value for key, value in kept.items() if key != _MISSING}
    needs = _describe_missing(kept[_MISSING])
    if needs:
        return report | {"summary": "", "plays": [], "chooses": "", "needs": needs}
    more = describe_agent(report["name"], report["from"], other_games)["plays"] if other_games else []
    return report | {"plays": [*report["plays"], *more]}


def describe_env(entry: EnvEntry, game: Game) -> Report:
    """Return the report of an environment for `card-envs envs`; `game` has its default settings."""
    parameters = inspect.signature(entry.factory).parameters
    return {
        "id": entry.id,
        "gymnasium_id": entry.gymnasium_id,
        "summary": entry.summary,
        "num_seats": game.num_seats,
        "observation_space": str(game.layout.space),
        "num_actions": game.num_actions,
        "unit": game.unit,
        "encoders": _list_encoders(game),
        "rules": list(game.rules_profiles) if "rules" in parameters else [],
        "settings": {name: parameter.default for name, parameter in parameters.items()},
    }


def describe_agent(name: str, location: str, games: Mapping[str, Game]) -> Report:
    """Return the report of an agent for `card-envs agents`; `games` are tried one by one."""
    from card_envs.agent import find_agent

    summary, needs, plays, chooses = "", "", list[str](), ""
    for env_id, game in games.items():
        if env_id.partition(" ")[0] in plays:  # an agent for any number of seats is listed once
            continue
        try:
            agent = find_agent(name, game)
            summary, chooses = _find_summary(agent, name, location), _CHOOSES[agent.greedy]
            plays.append(env_id)
        except ModuleNotFoundError as error:
            needs = how_to_install(error)
        except ValueError:
            continue  # it does not play this game
    return {"name": name, "summary": summary, "plays": plays, "chooses": chooses, "needs": needs, "from": location}


def add_variants(games: Mapping[str, Game]) -> dict[str, Game]:
    """Return the games, followed by those with six seats, and those in which strengths are measured (`REFERENCES`)."""
    six = [
        f"{env_id} {SIX_SEATS}"
        for env_id, game in games.items()
        if game.info.seats is not None and game.info.seats.setting and game.info.seats.max_players >= 6
    ]
    measured = [env for env in REFERENCES if env.partition(" ")[0] in games]
    return {**games, **{env: make_listed_game(env) for env in [*six, *measured] if env not in games}}


def make_listing() -> dict[str, dict[str, Report]]:
    """Return the content of the file: reports of all games and agents of this package."""
    games = {env_id: game for env_id, game in importable_games().items() if _is_own(ENVS[env_id])}
    seated, missing = add_variants(games), _find_missing_modules()
    agents = {name: describe_agent(name, location, seated) for name, location in (plugins.OWN_AGENTS | AGENTS).items()}
    return {
        "envs": {env_id: describe_env(ENVS[env_id], game) for env_id, game in games.items()},
        "agents": {name: report | {_MISSING: missing[name]} for name, report in agents.items()},
    }


def _find_missing_modules() -> dict[str, str]:
    """Return {agent: optional module that it needs, or ""}, found by a process that cannot import optional modules."""
    program = f"import sys; sys.modules.update(dict.fromkeys({list(EXTRA_OF)})); "
    program += "from card_baselines.cli import listing; listing.print_missing_modules()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    found: dict[str, str] = json.loads(done.stdout)
    return found


def print_missing_modules() -> None:
    """Print {agent: first missing module, or ""} of this process as JSON."""
    seated = add_variants(importable_games())
    names = plugins.OWN_AGENTS | AGENTS
    reports = {name: describe_agent(name, location, seated) for name, location in names.items()}
    print(json.dumps({name: report["needs"].partition(" ")[0] for name, report in reports.items()}))


def _describe_missing(module: str) -> str:
    """Return how to install a module, or "" if it is installed or `module` is ""."""
    if not module or find_spec(module) is not None:
        return ""
    return how_to_install(ModuleNotFoundError(name=module))


def _read_file() -> dict[str, dict[str, Report]]:
    kept: dict[str, dict[str, Report]] = json.loads(FILE.read_text(encoding="utf-8"))
    return kept


def _is_kept(entry: EnvEntry, kept: Iterable[str]) -> bool:
    return _is_own(entry) and entry.id in kept


def _is_own(entry: EnvEntry) -> bool:
    return entry.make_game.startswith("card_envs.games.")


def _list_encoders(game: Game) -> dict[str, dict[str, int]]:
    """Return version and size of every encoder that fits the game, by name."""
    from card_envs.observation import select_fitting  # here: it imports the compiler

    fitting = select_fitting(game.encoders, game.config)
    return {name: {"version": game.encoders[name].version, "size": layout.size} for name, layout in fitting.items()}


def _find_summary(agent: Agent, name: str, location: str) -> str:
    """Return how an agent was trained, if it comes with this package, or the first line of its class's docstring."""
    if name in PRETRAINED and PRETRAINED[name].folder == location:
        return PRETRAINED[name].trained
    described = getattr(agent, "player", agent) if type(agent).__module__ == "card_envs.agent.base" else agent
    return (inspect.getdoc(type(described)) or "").partition("\n")[0]


if __name__ == "__main__":
    FILE.write_text(json.dumps(make_listing(), indent=1) + "\n", encoding="utf-8")
