"""`card-envs bench sweep`: search for the best settings of an algorithm of `card-envs train`, with Optuna."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import tyro

from card_baselines.cli.commands.train import read_run
from card_baselines.cli.console import print_report
from card_baselines.cli.options import AsJson
from card_baselines.run_folder import EVALUATION, RunFolder
from card_baselines.runs import run
from card_baselines.runs.learner import TrainingDivergedError
from card_baselines.text_table import TextTable
from card_envs.agent import find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.analysis.exploitability.public_tree import has_few_deals
from card_envs.damaged_files import explain_damage, read_json_object
from card_envs.formatting import format_interval
from card_envs.game import Game

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})", re.I)
_LOGARITHMIC = 10
"""A range whose ends differ by this factor is searched on a logarithmic scale."""


def sweep(
    algorithm: Annotated[str, tyro.conf.Positional],
    settings: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NAME=VALUE ...")],
    trials: int = 20,
    folder: Path = Path("runs/sweep"),
    as_json: AsJson = False,
) -> None:
    """Train an algorithm with many settings, and print which are best, with intervals.

    In games with few deals the best settings are those with the smallest exact exploitability, in other games those
    that win most from the opponents of the run's final evaluation, on average. The same command continues an
    interrupted sweep, and with more trials goes on with them.

    Args:
        algorithm: Algorithm of `card-envs train`.
        settings: Settings of its runs: env=kuhn_poker-v0 is the same in all trials, learning_rate=1e-4..1e-2 is a range
            (on a logarithmic scale if the ends differ by a factor of 10), hidden=64,64|128,128 a choice. Commas
            separate the words of an option.
        trials: Number of runs in all.
        folder: Folder of the runs and of Optuna's study.
    """
    import optuna

    searched = read_settings(settings)
    if trials < 1 or not any(len(each) > 1 or _RANGE.fullmatch(each[0]) for each in searched.values()):
        raise ValueError("a sweep needs a trial or more, and a range such as learning_rate=1e-4..1e-2 or choices a|b")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    example = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0)).ask()
    game: Game = read_run([algorithm, *_draw(searched, example)])[1].config.game()
    is_small = has_few_deals(game)
    folder.mkdir(parents=True, exist_ok=True)
    study = optuna.create_study(
        study_name=" ".join([algorithm, *settings]), storage=f"sqlite:///{folder / 'study.db'}", load_if_exists=True,
        direction="minimize" if is_small else "maximize", sampler=optuna.samplers.TPESampler(seed=len(settings)),
    )  # fmt: skip
    states = optuna.trial.TrialState
    for interrupted in study.get_trials(states=(states.RUNNING,)):  # its run goes on in a new trial
        study.tell(interrupted.number, state=states.FAIL)
        study.enqueue_trial(interrupted.params)
    while len(done := study.get_trials(states=(states.COMPLETE,))) < trials:
        trial = study.ask()
        words = _draw(searched, trial)
        print(f"trial {len(done) + 1} of {trials}: card-envs train {' '.join([algorithm, *words])}", flush=True)
        try:
            value, ci95 = _measure(algorithm, words, folder, game if is_small else None)
        except TrainingDivergedError as error:
            print(error)
            study.tell(trial, state=states.FAIL)
            continue
        trial.set_user_attr("ci95", ci95)
        trial.set_user_attr("words", words)
        study.tell(trial, value)
    found: list[Any] = [trial for trial in study.trials if "words" in trial.user_attrs and trial.value is not None]
    found.sort(key=lambda trial: trial.value if is_small else -trial.value)
    rows = [{"value": t.value, "ci95": t.user_attrs["ci95"], "settings": t.params} for t in found]
    content = {"algorithm": algorithm, "unit": game.unit, "trials": rows}
    print_report(content, _describe_trials(found, algorithm, game, is_small), as_json)


def read_settings(words: Sequence[str]) -> dict[str, list[str]]:
    """Return the choices of each setting from words such as "hidden=64,64|128,128"; ValueError for others."""
    found: dict[str, list[str]] = {}
    for word in words:
        name, sign, values = word.partition("=")
        if not (name and sign and values) or name in found:
            raise ValueError(f"{word!r} must be NAME=VALUE, NAME=LOW..HIGH or NAME=A|B, and each name must come once")
        found[name] = values.split("|")
    return found


def _draw(searched: Mapping[str, Sequence[str]], trial: Any) -> list[str]:
    """Return the words of `card-envs train` for a trial."""
    words = []
    for name, choices in searched.items():
        value: Any = choices[0]
        if len(choices) > 1:
            value = trial.suggest_categorical(name, choices)
        elif found := _RANGE.fullmatch(value):
            low, high = float(found[1]), float(found[2])
            is_wide = low > 0 and high >= _LOGARITHMIC * low
            if found[1].isdecimal() and found[2].isdecimal():
                value = trial.suggest_int(name, int(low), int(high), log=is_wide)
            else:
                value = f"{trial.suggest_float(name, low, high, log=is_wide):.4g}"
        words += [f"--{name.replace('_', '-')}", *str(value).split(",")]
    return words


def _measure(
    algorithm: str, words: list[str], folder: Path, small_game: Game | None
) -> tuple[float, list[float] | None]:
    """Train, or continue the run of these settings; return its result and the 95 % interval, None if it is exact."""
    found, options = read_run([algorithm, *words])
    name = hashlib.sha256(" ".join([algorithm, *words]).encode()).hexdigest()[:12]
    trained: RunFolder = run.train(found, options.config, str(folder / name))
    if small_game is not None:
        return exact_exploitability(small_game, find_agent(str(trained.path), small_game)).exploitability, None
    path = trained.path / EVALUATION
    report = read_json_object(path)
    with explain_damage(path):
        matches = report["matches"]
        mean = sum(match["mean"] for match in matches) / len(matches)
        width = math.hypot(*((match["ci95"][1] - match["ci95"][0]) / 2 for match in matches)) / len(matches)
    return mean, [mean - width, mean + width]


def _describe_trials(trials: Sequence[Any], algorithm: str, game: Game, is_small: bool) -> Iterator[TextTable | str]:
    """Yield the table of all finished trials, the best one first, and the command that runs the best."""
    what = f"{'exploitability' if is_small else 'wins'}, {game.unit} per hand"
    names = list(trials[0].params)
    rows = [[_describe(t.value, t.user_attrs["ci95"]), *(_name(t.params[name]) for name in names)] for t in trials]
    yield TextTable("", [what, *names], rows)
    yield f"The best: card-envs train {' '.join([algorithm, *trials[0].user_attrs['words']])}"


def _describe(value: float, ci95: list[float] | None) -> str:
    return f"{value:.4f}" if ci95 is None else format_interval(value, ci95, 4)


def _name(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
