"""`card-envs bench`: how fast this package is on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from card_baselines.cli.console import print_report
from card_baselines.cli.options import AsJson
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import package_versions
from card_baselines.speed import paths
from card_baselines.speed.stopwatch import Speed, Work, machine, measure, one_core, run_python_loop
from card_baselines.text_table import TextTable
from card_envs import __version__
from card_envs.envs import make_env, make_game, make_raw_env

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "limit hold'em, 2 seats": ("limit_holdem-v0", {"num_players": 2}),
    "no-limit hold'em, 6 seats": ("no_limit_holdem-v0", {"num_players": 6}),
    "Big 2": ("big2-v0", {}),
}
CALIBRATION = "plain Python loop, iterations"
_ROUNDS = 3


def bench(seconds: float = 0.2, as_json: AsJson = False) -> None:
    """Measure the speed of evaluator, environments and batched engine on one core.

    Args:
        seconds: CPU time for each row and round; there are three rounds, of which the median counts.
    """
    if not 0.0 <= seconds <= 60.0:
        raise ValueError(f"seconds {seconds!r} must lie in 0 .. 60")
    works = _make_works()
    with one_core() as core, ProgressBar("measuring", len(works) * (1 + _ROUNDS)) as bar:
        speeds = measure(works, seconds, _ROUNDS, bar.advance)
    print_report(_as_json(speeds, core), _describe(speeds), as_json)


def _describe(speeds: dict[str, Speed]) -> Iterator[TextTable | str]:
    rows = [[name, _format_amount(speed.median), f"{speed.spread:.0%}"] for name, speed in speeds.items()]
    yield TextTable("card-envs on one core, per second of CPU time", ["what", "per second", "spread"], rows)
    yield f"card-envs {__version__}, Python {machine()['python']}, {machine()['processor']}"
    yield "A batch is 1,024 tables. Observed: with new observations and masks at every step."


def _make_works() -> dict[str, Work]:
    works: dict[str, Work] = {
        "7-card evaluation, one hand a call": paths.evaluate_one_by_one(),
        "7-card evaluation, batch": paths.evaluate_batch(),
    }
    for title, (env_id, settings) in GAMES.items():
        game = make_game(env_id, **settings)
        works[f"{title}: batch, rules alone"] = paths.rules(game)
        works[f"{title}: batch, observed"] = paths.batch(game)
        if game.num_seats == 2 or game.info.seats is None or game.info.seats.setting:
            works[f"{title}: one learning seat, batch"] = paths.single_seat(game)
        works[f"{title}: AEC loop, raw_env()"] = paths.aec_loop(make_raw_env(env_id, **settings))
        works[f"{title}: AEC loop, env()"] = paths.aec_loop(make_env(env_id, **settings))
    return {**works, CALIBRATION: run_python_loop}


def _as_json(speeds: dict[str, Speed], core: int | None) -> dict[str, Any]:
    return {
        "version": __version__,
        "machine": machine(),
        "core": core,
        "versions": package_versions(("numpy", "numba", "pettingzoo")),
        "results": [
            {"what": name, "per_second": round(speed.median), "spread": round(speed.spread, 3)}
            for name, speed in speeds.items()
        ],
    }


def _format_amount(number: float) -> str:
    return f"{number:,.3g}" if number < 1e3 else f"{round(number, 2 - len(str(int(number))) + 1):,.0f}"
