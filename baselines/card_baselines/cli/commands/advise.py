"""`card-envs advise`: an agent's action probabilities in a described situation, or in recorded hands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import tyro

from card_baselines.advice import Advice, advise_on
from card_baselines.cli.console import print_report
from card_baselines.cli.options import AgentName, AsJson, EnvId, Settings
from card_baselines.loading import load_agent
from card_baselines.settings import parse_settings
from card_baselines.situations import Situation, read_file, read_line
from card_baselines.text_table import TextTable
from card_envs.agent import Agent
from card_envs.envs import make_game
from card_envs.formatting import format_interval, json_content
from card_envs.game import Game
from card_envs.text import write_prompt

_JSON_KEYS = {
    **dict.fromkeys(("hole", "board", "history"), (str, "text")), "button": (int, "a whole number"),
    "stacks": (list, "a list"),
}  # fmt: skip
"""Key of a situation -> type of its value, and the type in words."""


def advise(
    env: EnvId,
    agent: AgentName,
    hole: str = "",
    board: str = "",
    history: str = "",
    button: int = 0,
    stacks: Annotated[tuple[int, ...], tyro.conf.arg(help_behavior_hint="")] = (),
    file: Path | None = None,
    number: int | None = None,
    stdin: bool = False,
    settings: Settings = (),
    as_json: AsJson = False,
) -> None:
    """Say what an agent would do in a situation, what it expects to win, and the equity.

    A situation of hold'em is a line (--hole, --board, --history) or, with --stdin, a JSON object a line with the keys
    hole, board, history, button and stacks. With --file, the agent is asked about every decision of recorded hands.

    Args:
        hole: Hole cards of the seat to act, such as AhKd.
        board: Board cards that have come, such as 7c8c2s.
        history: Actions so far, streets divided by "/": f folds, c calls, k checks, rN raises or bets to N chips on
            this street, r raises where one size is legal; such as "r6 c / k r12". Any amount that the rules allow.
        button: Seat of the button.
        stacks: Chips of each seat before the blinds; by default those of the environment.
        file: Recorded hands: .phh, .phhs, .acpc, .pokerstars, .txt of PokerStars, .big2.
        number: The only hand of the file to look at, counted from 1.
        stdin: Read situations as JSON, one a line, and answer each with a line of JSON.
    """
    if sum((bool(hole), file is not None, stdin)) != 1:
        raise ValueError("name one situation: --hole with --board and --history, or --file, or --stdin")
    more = {"--board": board, "--history": history, "--button": button, "--stacks": stacks}
    if not hole and any(more.values()):
        given = ", ".join(option for option, value in more.items() if value)
        raise ValueError(f"{given}: for a situation with --hole; --file and --stdin have their own")
    if number is not None and file is None:
        raise ValueError("--number is a hand of --file: name the file")
    game = make_game(env, **parse_settings(settings))
    if stdin:
        _answer_lines(game, agent)
    elif file is not None:
        _print_hands(game, agent, file, number, as_json)
    else:
        situation = read_line(game, hole, board, history, button, stacks)
        player = load_agent(agent, game)
        advice = advise_on(game, situation.tables, player)
        print_report(_as_json(situation, advice), _describe(situation, advice, player.name), as_json)


def _as_json(situation: Situation, advice: Advice) -> dict[str, Any]:
    report = {"seat": situation.seat, **advice.as_json()}
    if not situation.label:
        return report
    return {"situation": situation.label, "player": situation.player, "taken": situation.taken, **report}


def _describe(situation: Situation, advice: Advice, name: str) -> Iterator[TextTable | str]:
    """Yield the situation, the probabilities, and what is known of equity, value and the source of these."""
    yield write_prompt(situation.game, situation.tables, 0, situation.seat)
    rows = [[each.name, f"{each.probability:.1%}"] for each in advice.actions]
    yield TextTable(name, ["action", "probability"], rows)
    if advice.equity is not None:
        yield f"equity against unknown hands: {advice.equity:.1%}"
    if advice.value is not None:
        won = format_interval(advice.value, advice.value_ci95)
        yield (
            f"wins {won} {advice.unit} in this deal, if it plays all seats from here "
            f"({advice.value_deals} deals of the hidden cards)"
        )
    if advice.value_note:
        yield advice.value_note
    if advice.note:
        yield advice.note


def _answer_lines(game: Game, agent: str) -> None:
    player = load_agent(agent, game)
    for number, line in enumerate(sys.stdin, start=1):
        if line.strip():
            try:
                situation = read_line(game, **_read_json(line))
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
            report = json_content(_as_json(situation, advise_on(game, situation.tables, player)))
            print(json.dumps(report, allow_nan=False), flush=True)


def _read_json(line: str) -> dict[str, Any]:
    try:
        content = json.loads(line, object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(content, dict) or "hole" not in content or not set(content) <= set(_JSON_KEYS):
        raise ValueError(f"write an object with hole and, as needed, {', '.join([*_JSON_KEYS][1:])}")
    for key, (kind, words) in _JSON_KEYS.items():
        if type(content.get(key, kind())) is not kind:
            raise ValueError(f"{key} {content[key]!r} must be {words}")
    if any(type(chips) is not int for chips in content.get("stacks", ())):
        raise ValueError(f"stacks {content['stacks']!r} must be whole numbers")
    return content


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; ValueError for one with a key twice, of which JSON decoders take the last."""
    content = dict(pairs)
    if len(content) < len(pairs):
        raise ValueError(f"a key stands twice among {[key for key, _ in pairs]}")
    return content


def _print_hands(game: Game, agent: str, file: Path, number: int | None, as_json: bool) -> None:
    pairs = list(_advise_on_hands(game, agent, file, number))
    if not pairs:
        raise ValueError(f"{file}: no decision whose hole cards are recorded; name another --file")
    header = ["situation", "player", "was done", "with", "likeliest", "with", "equity"]
    table = TextTable(agent, header, [_make_row(*pair) for pair in pairs])
    print_report([_as_json(*pair) for pair in pairs], [table], as_json)


def _advise_on_hands(game: Game, agent: str, file: Path, number: int | None) -> Iterator[tuple[Situation, Advice]]:
    players: dict[str, Agent] = {}
    for situation in read_file(game, file, number):
        key = repr(situation.game.config)
        if key not in players:
            players[key] = load_agent(agent, situation.game)
        yield situation, advise_on(situation.game, situation.tables, players[key])


def _make_row(situation: Situation, advice: Advice) -> list[str]:
    chosen = next((f"{each.probability:.1%}" for each in advice.actions if each.name == situation.taken), "not on menu")
    best = advice.actions[0]
    equity = "" if advice.equity is None else f"{advice.equity:.1%}"
    return [
        situation.label, situation.player, situation.taken, chosen, best.name, f"{best.probability:.1%}", equity
    ]  # fmt: skip
