"""`card-envs advise`: what an agent would do in a situation that is described in a line."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.cli.commands.arguments import load_agent
from card_baselines.cli.console import print_json, print_table
from card_baselines.cli.options import AgentName, AsJson, EnvId, Settings, join_words
from card_baselines.settings import parse_settings
from card_envs.agent import Agent, decisions_at
from card_envs.cards import card_ids
from card_envs.envs import find_entry, make_game
from card_envs.game import NOBODY, Game, Tables
from card_envs.text import action_names, parse_action
from card_envs.text.prompts import censored, write_prompt

_ROW = np.zeros(1, np.int64)
_SIGNS = {"f": "fold", "c": "call", "k": "check", "x": "check", "r": "raise", "b": "bet", "a": "all-in"}


def advise(
    env: EnvId,
    /,
    agent: AgentName,
    hole: str,
    board: str = "",
    history: str = "",
    button: int = 0,
    settings: Settings = (),
    as_json: AsJson = False,
) -> int:
    """Say what an agent would do in a situation of hold'em: its probabilities, and the equity of the hand.

    Args:
        env: Environment id, such as no_limit_holdem-v0.
        agent: Who is asked, see `card-envs agents`.
        hole: Hole cards of the seat to act, such as AhKd.
        board: Board cards that have come, such as 7c8c2s.
        history: What was done, streets divided by "/": f folds, c calls, k checks, rN raises or bets to N chips on this
            street, r raises where one size is legal; such as "r6 c / k r12".
        button: Seat of the button.
        settings: Arguments of the environment, such as num_players=6 stacks=50.
        as_json: Print JSON.
    """
    game = make_game(find_entry(env).id, **parse_settings(join_words(settings)))
    if game.info.equity is None:
        raise ValueError(f"{env} is not hold'em with two hole cards: a line cannot describe its situations")
    tables = _situation(game, hole, board, history, button)
    seat = int(tables["actor"][0])
    player = load_agent(agent, game)
    chances = _probabilities(player, game, tables)
    equity = game.info.equity(censored(game, tables, 0, seat), seat)
    names = action_names(game, tables, 0)
    if as_json:
        actions = [{"action": action, "name": name, "probability": chances[action]} for action, name in names.items()]
        print_json({"agent": player.name, "seat": seat, "equity": equity, "actions": actions})
        return 0
    print(write_prompt(game, tables, 0, seat))
    rows = [[name, f"{chances[action]:.1%}"] for action, name in names.items()]
    print_table(["action", "probability"], rows, f"{player.name}, equity {equity:.1%} against unknown hands")
    return 0


def _situation(game: Game, hole: str, board: str, history: str, button: int) -> Tables:
    """Return the table at which the holder of the hole cards is to act; ValueError says what does not fit."""
    known, shown = card_ids(hole), card_ids(board)
    if len(known) != 2 or len(shown) not in (0, 3, 4, 5) or len({*known, *shown}) < len(known) + len(shown):
        raise ValueError(f"cards {hole!r} and {board!r}: two hole cards and a board of 0, 3, 4 or 5, all different")
    others = [card for card in range(52) if card not in {*known, *shown}]
    holes = 2 * game.num_seats
    tables = _play(game, [*others[:holes], *shown, *others[holes:]], history, button)  # to see whose turn it is
    seat, streets = int(tables["actor"][0]), int(tables["street"][0])
    if seat == NOBODY:
        raise ValueError(f"history {history!r}: the hand is over, nobody is to act")
    due = (0, 3, 4, 5)[streets]
    if len(shown) != due:
        raise ValueError(f"history {history!r} leads to a board of {due} cards, but {len(shown)} are named")
    return _play(
        game, [*others[: 2 * seat], *known, *others[2 * seat : holes - 2], *shown, *others[holes:]], history, button
    )


def _play(game: Game, deck: list[int], history: str, button: int) -> Tables:
    tables = game.seeded_tables(1, 0)
    dealt = 2 * game.num_seats + 5
    game.deal_with(tables, 0, {"deck": deck[:dealt], "button": button})
    for number, street in enumerate(history.split("/")):
        for word in street.split():
            if int(tables["street"][0]) != number:
                raise ValueError(f"history {history!r}: {word!r} does not stand on the street on which it is done")
            game.step(tables, 0, parse_action(game, tables, 0, _words(word)))
    return tables


def _words(word: str) -> str:
    """Return a short sign in the words of `parse_action`; what is no sign stays as it is."""
    if word[:1] in ("r", "b") and word[1:].isdecimal():
        return f"raise to {word[1:]}"
    return {"f": "fold", "c": "call", "k": "check", "x": "check", "r": "raise", "b": "bet", "a": "all-in"}.get(
        word, word
    )


def _probabilities(player: Agent, game: Game, tables: Tables) -> list[float]:
    """Return the probability of every action; 1 for the action of an agent that does not show probabilities."""
    decisions = decisions_at(player.apply_encoder(game), tables, _ROW, _ROW, np.array([0.5]))
    player.deal_starts(_ROW)
    if player.shows_probabilities:
        chances: list[Any] = player.probabilities(decisions)[0].tolist()
        return chances
    action = int(player.act(decisions, np.random.default_rng(0))[0])
    return [float(each == action) for each in range(game.num_actions)]
