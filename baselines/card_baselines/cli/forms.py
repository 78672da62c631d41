"""The commands of `card-envs` by topic, their further forms, and where former commands are now."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

TOPICS = {
    "train and compare": ("train", "match", "exploit", "tournament", "league"),
    "play and watch": ("play", "serve", "results", "advise", "replay"),
    "papers and speed": ("reproduce", "bench", "demo"),
    "games and agents": ("envs", "agents", "check"),
}
"""Topic -> names of commands. Each is a function in the module of its name in `cli.commands`, imported when needed."""
COMMANDS = tuple(name for names in TOPICS.values() for name in names)

FORMS = {
    "match": {
        "--report": "report:report",
        "--panel": "panel:panel",
        "--adapt": "adapt:adapt",
        "--hands-needed": "hands_needed:hands_needed",
    },
    "league": {name: f"league:{name}" for name in ("new", "add", "run", "rank", "report", "watch")},
    "play": {"--acpc": "other_dealers:acpc", "--slumbot": "other_dealers:slumbot"},
    "serve": {"--openenv": "serve:serve_openenv"},
    "bench": {
        "learners": "benchmark_learners:benchmark_learners",
        "big2": "fixed_deals:big2",
        "six-max": "fixed_deals:six_max",
        "sweep": "sweep:sweep",
    },
    "envs": {"--warmup": "envs:warmup"},
    "agents": {"--export": "agents:export"},
}
"""Command -> word -> "module:function" in `cli.commands` that runs, with options of its own, if the word is there.
The first one counts: `--report` has an option `--panel`."""

GROUPS = ("league",)
"""Commands that have forms only."""

_FORMER = {
    "panel": ("match --panel", ""),
    "hands-needed": ("match --hands-needed", ""),
    "adapt": ("match --adapt", "--env"),
    "report": ("match --report", "--agent"),
    "acpc": ("play --acpc", ""),
    "slumbot": ("play --slumbot", ""),
    "serve-openenv": ("serve --openenv", "--env"),
    "benchmark-learners": ("bench learners", ""),
    "big2-benchmark": ("bench big2", "--agent"),
    "warmup": ("envs --warmup", "--env"),
    "export": ("agents --export", "--agent"),
}
"""Former command -> words that replace it, and the option that takes its first words ("" if they have none)."""
_ENV_FIRST = ("match", "exploit", "advise", "play", "serve", "agents", "check")
"""Commands whose first words, if they are no option, are environments, as if `--env` stood before them."""


def find_form(arguments: Sequence[str]) -> tuple[str, str, list[str]]:
    """Return the full name of a command, such as "match --panel", the location of its function, and its arguments.

    Args:
        arguments: Words of the command line: one of `COMMANDS`, then its arguments.
    """
    name, *rest = arguments
    for word, location in FORMS.get(name, {}).items():
        if word in (rest if word.startswith("--") else rest[:1]):
            rest.remove(word)
            return f"{name} {word}", location, rest
    return name, f"{name}:{name}", rest


def name_environment(name: str, arguments: list[str]) -> list[str]:
    """Return the arguments of a command with `--env` before first words that are no option, where they may be."""
    return _name_first_words("--env", arguments) if name in _ENV_FIRST else arguments


def require_current(arguments: Sequence[str]) -> None:
    """Raise ValueError, with the command line to type instead, if its command has another spelling now."""
    name, *rest = arguments
    if name in _FORMER:
        words, option = _FORMER[name]
        line = shlex.join(["card-envs", *words.split(), *(_name_first_words(option, rest) if option else rest)])
        raise ValueError(f"`{name}` is now `{words}`: {line}")


def _name_first_words(option: str, words: list[str]) -> list[str]:
    """Return words with an option before the first of them, unless they begin with an option."""
    if not words or words[0].startswith("-"):
        return words
    if option in words:
        raise ValueError(f"{words[0]!r} and {option} name the same thing: leave one of them away")
    return [option, *words]
