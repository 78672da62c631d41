"""The games and agents that pages may ask for: those with which the server was started, and no others."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from card_baselines.advice import advise_on
from card_baselines.agents.panels import evaluation_panel
from card_baselines.loading import load_agent
from card_baselines.settings import parse_settings
from card_baselines.web.session import format_settings
from card_baselines.web.store import StoredSession
from card_envs.agent import CHOICES, Agent, known_agents, split_choice, split_policy
from card_envs.envs import ENVS, UnknownSettingError, find_entry, make_game
from card_envs.game import Game, Tables
from card_envs.locations import registered_names_only

A = TypeVar("A")
B = TypeVar("B")

MAX_CHIPS = 1_000_000
"""Largest number in the settings of a page: larger ones make tables of actions that fill the memory."""
SEARCHES = ("resolve", "resolve_turn", "rollout")
"""Registered agents that search with the policy of another one, as in "ppo_big2:rollout"."""
_MAX_ADVISERS = 64
"""Maximum number of agents that are kept to give advice again."""
_ADVICE = "If you trust the code, start the server with --set encoder={name}"


@dataclass(frozen=True)
class Strength:
    """What an agent wins from the reference agent of a game, with the bounds of the 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class OfferedAgent:
    """An agent that can play a game, as a page lists it."""

    name: str
    summary: str
    shows_probabilities: bool
    """Whether the agent knows the probabilities of its actions, see `Agent.shows_probabilities`."""
    style: str = ""
    """How it plays in a few words; "" for agents that are listed last."""
    strength: Strength | None = None
    """Its strength in the unit of the measurements; None if not measured."""


class Catalogue:
    """Games by id and agents by name."""

    def __init__(
        self, envs: Sequence[str] = (), agents: Sequence[str] = (), settings: Sequence[str] = (),
        styles: Mapping[str, str] | None = None, strengths: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:  # fmt: skip
        """Offer games and agents.

        Args:
            envs: Environment ids; by default all.
            agents: Agents besides those with a registered name: run folders, files or "module:Class". Pages see only
                their short names.
            settings: Default settings of the games, such as "stacks=50", which a page may change.
            styles: How agents play, by name.
            strengths: What agents win from a reference agent at all other seats: environment id with settings ->
                {reference, unit, agents: {name: {mean, ci95}}}.
        """
        self._given = [short_name(spec) for spec in agents]
        self._styles, self._strengths = styles or {}, strengths or {}
        self.envs = [find_entry(env).id for env in envs] or list(ENVS)
        self._specs = {name: name for name in known_agents()} | {short_name(spec): spec for spec in agents}
        self._defaults = parse_settings(settings)
        for name in self._defaults:
            if not any(name in self._defaults_of(env) for env in self.envs):
                raise UnknownSettingError(f"no game of {', '.join(self.envs)} has a setting {name!r}", "setting")
        self.game = cache(self._game)
        self.agents = cache(self._agents)
        self._adviser = lru_cache(_MAX_ADVISERS)(self.agent)
        games = _make_some(lambda env: self.game(env, ""), self.envs)
        for name in self._given:
            _make_some(partial(self.agent, name), games)

    def entries(self) -> list[dict[str, Any]]:
        """Return the games as JSON: id, summary, possible numbers of seats, default settings and evaluation panel."""
        return [
            {
                "id": env,
                "summary": ENVS[env].summary,
                "seats": _seats_allowed(env),
                "settings": " ".join(f"{name}={value}" for name, value in self._defaults_of(env).items()),
                "panel": list(evaluation_panel(make_game(env))),
            }
            for env in self.envs
        ]

    def pair_with_games(self, sessions: Iterable[StoredSession]) -> Iterator[tuple[StoredSession, Game]]:
        """Yield stored sessions with their games; those whose game cannot be made are left out with a warning."""
        for session in sessions:
            try:
                game = self.game(session.plan.env, format_settings(session.plan))
                if game.num_seats != session.plan.num_players:
                    raise ValueError(f"{session.plan.num_players} players at {game.num_seats} seats")
                yield session, game
            except ValueError as error:
                warnings.warn(f"session {session.id} is left out: {error}", RuntimeWarning, stacklevel=2)

    def settings(self, env: str, words: str) -> dict[str, Any]:
        """Return the settings for words such as "num_players=6 stacks=50"; raise ValueError if they are wrong."""
        chosen = {**self._defaults_of(env), **parse_settings(words.split())}
        large = [name for name, value in chosen.items() if _largest(value) > MAX_CHIPS]
        if large:
            raise ValueError(f"{large[0]} is larger than {MAX_CHIPS:,}")
        return chosen

    def agent(self, name: str, game: Game) -> Agent:
        """Return a new agent.

        Args:
            name: Name of the agent. With ":greedy" behind it, an agent that can do both takes its likeliest actions,
                with ":sampling" it samples them; with the name of a search (":rollout", ":resolve") it searches.
            game: The game that it plays.

        Raises:
            ValueError: The catalogue does not know the name, or the agent does not play the game.
        """
        return load_agent(self._spec(name), game, label=name)  # no path leaves the server

    def advise(self, game: Game, tables: Tables, name: str) -> dict[str, Any]:
        """Return the advice of an agent on the decision at a single table, see `Advice.as_json`.

        The agent is not one that plays in a session.
        """
        return advise_on(game, tables, self._adviser(name, game)).as_json()

    def _game(self, env: str, words: str) -> Game:
        """Return the game that a page chose; raise ValueError if it is not offered or its settings are wrong."""
        if env not in self.envs:
            raise ValueError(f"environment {env!r} is not offered here: choose one of {self.envs}")
        typed = [value for value in self._defaults.values() if isinstance(value, str)]
        try:
            with registered_names_only("a page or a stored session", typed, _ADVICE):
                return make_game(env, **self.settings(env, words))
        except (TypeError, ArithmeticError, MemoryError) as error:
            raise ValueError(str(error)) from error

    def _agents(self, env: str, words: str) -> list[OfferedAgent]:
        """Return the agents that can play the game that a page chose: those of the user first, then the strongest."""
        made = self._find_measurements(env, words)
        found = {name: Strength(each["mean"], *each["ci95"]) for name, each in made.get("agents", {}).items()}
        found |= {made.get("reference", ""): Strength(0.0, 0.0, 0.0)}
        agents = [replace(agent, strength=found.get(agent.name)) for agent in self.agents_of(self.game(env, words))]
        return sorted(agents, key=self._rank)

    def _rank(self, agent: OfferedAgent) -> tuple[bool, bool, float]:
        mean = -math.inf if agent.strength is None else agent.strength.mean
        return agent.name not in self._given, not agent.style, -mean

    def default_agent(self, env: str, words: str) -> str:
        """Return the agent to play against by default: the first that the server was started with, or the strongest."""
        names = [agent.name for agent in self.agents(env, words)]
        panel = reversed(evaluation_panel(self.game(env, words)))
        wanted = [*self._given, self._find_measurements(env, words).get("reference"), *panel]
        return next((name for name in wanted if name in names), names[0])

    def measurement(self, env: str, words: str) -> dict[str, str]:
        """Return unit and reference agent of the strengths in a game as JSON; {} if nothing is measured."""
        made = self._find_measurements(env, words)
        return {name: made[name] for name in ("unit", "reference") if name in made}

    def _find_measurements(self, env: str, words: str) -> Mapping[str, Any]:
        """Return the measurements of a game with this number of seats, {} if there are none."""
        seats = self.game(env, words).num_seats
        return self._strengths.get(env if seats == make_game(env).num_seats else f"{env} num_players={seats}", {})

    def agents_of(self, game: Game) -> list[OfferedAgent]:
        """Return the agents that can play a game."""
        found = []
        for name in self._specs:
            try:
                agent = self.agent(name, game)
            except (ValueError, ModuleNotFoundError):  # it does not play this game, or something is not installed
                continue
            summary = (inspect.getdoc(type(agent)) or "").partition("\n")[0]
            style = "" if name in SEARCHES else self._styles.get(name, "")
            found.append(OfferedAgent(name, summary, agent.shows_probabilities, style))
            if agent.greedy is False and name in known_agents():
                found += self._variants(found[-1], game)
        return found

    def _variants(self, base: OfferedAgent, game: Game) -> Iterator[OfferedAgent]:
        """Yield the ways to play a registered agent besides sampling: its likeliest actions, and searches with it."""
        name = base.name
        for word in ("greedy", *(() if name in SEARCHES else SEARCHES)):
            try:
                agent = self.agent(f"{name}:{word}", game)
            except (ValueError, ModuleNotFoundError):  # this search does not play the game, or not with this agent
                continue
            how = "takes the likeliest action" if word == "greedy" else "searches before it acts"
            summary, style = f"{base.summary.removesuffix('.')}; {how}.", base.style and f"{base.style}; {how}"
            yield OfferedAgent(f"{name}:{word}", summary, agent.shows_probabilities, style)

    def _spec(self, name: str) -> str:
        base, _, variant = name.rpartition(":")
        spec = self._specs.get(name) or (
            variant in (*CHOICES, *SEARCHES) and self._specs.get(base) and f"{self._specs[base]}:{variant}"
        )
        if not spec:
            raise ValueError(f"agent {name!r} is not offered here")
        return spec

    def _defaults_of(self, env: str) -> dict[str, Any]:
        known = inspect.signature(find_entry(env).factory).parameters
        return {name: value for name, value in self._defaults.items() if name in known}


def _make_some(make: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """Return what `make` returns for the items for which it raises no ValueError; raise the last one if there are none.

    So what a server is started with is refused at once, and not by an empty page.
    """
    made, problem = list[B](), None
    for item in items:
        try:
            made.append(make(item))
        except ValueError as error:
            problem = error
    if problem is not None and not made:
        raise problem
    return made


def short_name(spec: str) -> str:
    """Return the name by which pages know an agent. It has no folders, so that no path leaves the server."""
    whole, (spec, choice) = spec, split_choice(spec)
    policy, searcher = split_policy(spec)
    if policy:
        return f"{short_name(policy)}:{searcher}"
    name = spec.rpartition(":")[2] if ":" in spec else Path(spec).name
    return name if spec == whole else f"{name}:{choice}"


def _seats_allowed(env: str) -> list[int]:
    """Return the possible numbers of seats."""
    game = make_game(env)
    seats = game.info.seats
    return [game.num_seats] if seats is None else list(range(seats.min_players, seats.max_players + 1))


def _largest(value: Any) -> float:
    """Return the largest number in a setting, or the length of a list of them if that is larger; -1 for words."""
    if isinstance(value, (list, tuple)):
        return max([len(value), *map(_largest, value)])
    return abs(value) if isinstance(value, (int, float)) else -1
