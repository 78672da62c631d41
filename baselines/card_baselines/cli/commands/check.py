"""`card-envs check`: tests of the contract that a game has to keep."""

from __future__ import annotations

from typing import Annotated, Any

import tyro

from card_baselines.cli.arguments import load_typed
from card_baselines.cli.console import print_report
from card_baselines.cli.options import AsJson, Names, Seed, Settings
from card_baselines.settings import parse_settings
from card_baselines.text_table import TextTable
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.game_factory import build_game
from card_envs.testing import CHECKS, CheckFailure, NotApplicable
from card_envs.testing import check as run_check

GameSpec = Annotated[
    str, tyro.conf.arg(name="env", metavar="ENV", help="Environment id, or module:function that returns a Game.")
]


def check(
    game: GameSpec,
    deals: int = 10,
    seed: Seed = 0,
    only: Names = (),
    settings: Settings = (),
    as_json: AsJson = False,
) -> int:
    """Check the contract of a game: API, masks, payoffs, hidden cards, clones, compiled code.

    Args:
        deals: Deals that each check plays.
        only: Names of the checks to run; by default all.
    """
    made = _load_game(game, parse_settings(settings))
    results = {name: _run_check(made, name, seed, deals) for name in only or CHECKS}
    table = TextTable(game, ["check", "result"], [[name, result] for name, result in results.items()])
    print_report({"game": game, "results": results}, [table], as_json)
    return int(any(result.startswith("FAILED") for result in results.values()))


def _load_game(spec: str, settings: dict[str, Any]) -> Game:
    """Return the game of an environment id or a "module:function"."""
    if ":" not in spec:
        return make_game(spec, **settings)
    return build_game(load_typed(spec, "game"), spec, settings)


def _run_check(game: Game, name: str, seed: int, deals: int) -> str:
    """Return the result of a check in words."""
    try:
        run_check(game, name, seed, deals)
    except CheckFailure as failure:
        return f"FAILED: {failure}"
    except NotApplicable as missing:
        return f"left out: {missing}"
    return "ok"
