"""Evaluation of a run: the winnings of its policy against a panel, with 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from card_baselines.run_folder import INTERVAL, RunFolder
from card_envs.agent import find_agent
from card_envs.analysis.exploitability.deals import HIDDEN_HANDS
from card_envs.analysis.exploitability.local_best_response import play_local_best_response
from card_envs.game import Game
from card_envs.match.play import play_match
from card_envs.match.summary import Summary

LOCAL_BEST_RESPONSE = "local_best_response"
"""Name in a panel of the local best response to the learner, for heads-up hold'em."""
_SLOWER, _FEWEST = 40, 64
"""The local best response takes milliseconds a hand, so it plays a fortieth of the hands, and at least 64."""


def require_measurable(game: Game, panel: Sequence[str]) -> None:
    """Raise ValueError if the panel asks for the local best response in a game that has none."""
    if LOCAL_BEST_RESPONSE in panel and HIDDEN_HANDS.find(game) is None:
        raise ValueError(
            f"panel: {LOCAL_BEST_RESPONSE} is for heads-up games that tell what a seat may hold, not for {game.name} "
            f"with {game.num_seats} seats: name agents alone (--panel random)"
        )


def require_opponents(game: Game, panel: Sequence[str]) -> None:
    """Raise ValueError, or ModuleNotFoundError, if an agent of the panel does not exist or cannot play the game."""
    with torch.random.fork_rng(devices=[]):  # new networks draw their first weights
        for name in panel:
            if name != LOCAL_BEST_RESPONSE:
                find_agent(name, game)


def evaluate(
    run: RunFolder,
    game: Game,
    panel: Sequence[str],
    hands: int,
    seed: int,
    duplicate: bool = False,
    on_match: Callable[[str, int], None] = lambda opponent, played: None,
) -> dict[str, Any]:
    """Return the results of the run's policy against each agent of the panel, which has all other seats.

    Args:
        run: Run folder with a policy.
        game: The game of the run.
        panel: Agent names, run folders, or `LOCAL_BEST_RESPONSE`.
        hands: Hands of each match.
        seed: Seed of the deals.
        duplicate: Play duplicate deals.
        on_match: Called before each match with the opponent and the number of matches so far.

    Returns:
        `env`, `unit`, `seed` and `matches`, each with `opponent`, `mean` per hand, `ci95` and `hands`.
    """
    learner = find_agent(str(run.path), game)
    matches: list[dict[str, Any]] = []
    for name, label in label_opponents(panel).items():
        on_match(label, len(matches))
        if name == LOCAL_BEST_RESPONSE:
            result = play_local_best_response(game, learner, max(_FEWEST, hands // _SLOWER), seed)
            matches.append(_match(label, result.agents[1], result.hands))
            continue
        other = find_agent(name, game)
        result = play_match(game, [learner, *[other] * (game.num_seats - 1)], hands, seed, duplicate=duplicate)
        matches.append(_match(label, result.agents[0], result.hands))
    return {"env": run.config()["env"], "unit": game.unit, "seed": seed, "matches": matches}


def label_opponents(panel: Sequence[str]) -> dict[str, str]:
    """Return names of opponents for results: of a folder, as many of its last parts as tell it from the others."""
    return {name: _shorten(name, set(panel) - {name}) if Path(name).is_dir() else name for name in panel}


def _shorten(folder: str, others: Iterable[str]) -> str:
    """Return the end of a path that no other path ends with, in whole parts."""
    parts = Path(folder).parts
    for length in range(1, len(parts)):
        if all(Path(other).parts[-length:] != parts[-length:] for other in others):
            return "/".join(parts[-length:])
    return folder


def _match(opponent: str, own: Summary, hands: int) -> dict[str, Any]:
    return {"opponent": opponent, **own.as_json(), "hands": hands}


def means_of(matches: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return the columns of the metrics with the mean winnings against each opponent."""
    return {f"v {match['opponent']}": match["mean"] for match in matches}


def half_widths_of(matches: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Return the columns of the metrics with half the width of each 95 % interval, NaN where a match has none."""
    return {f"v {match['opponent']}{INTERVAL}": _half_width(match["ci95"]) for match in matches}


def _half_width(ci95: Sequence[float | None]) -> float:
    low, high = ci95
    return math.nan if low is None or high is None else (high - low) / 2
