"""`card-envs play`: a person against agents in the terminal."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from card_baselines.cli.arguments import game_for, may_choose_seats
from card_baselines.cli.options import AgentNames, Device, EnvId, SavePath, Settings
from card_baselines.loading import load_agent
from card_baselines.secret_deals import new_secret, with_secret
from card_baselines.settings import parse_settings
from card_envs.agent import Agent, Decisions, decisions_at
from card_envs.envs import make_game
from card_envs.history import MatchFile
from card_envs.match import play_match
from card_envs.match.callbacks import MatchBatch, MatchCallback
from card_envs.typing import Rows

YOU = "you"
_MAX_CHOICES = 60
"""Maximum number of actions that are printed."""
_SIZED = ("bet", "raise")
"""First words of actions of which several may be legal, each with its amount."""
_LETTER_AND_AMOUNT = re.compile(r"([a-z]+)\s*(?:to\s*)?(\d+)")


def play(
    env: EnvId,
    agents: AgentNames = (),
    hands: int = 10,
    seed: int | None = None,
    settings: Settings = (),
    save: SavePath = None,
    device: Device = "cpu",
    no_thoughts: bool = False,
) -> None:
    """Play against agents in the terminal; seats move on after every hand.

    The --agents are the opponents, one for each other seat; one name may stand for all of them. By default they are
    random.

    Args:
        hands: Hands to play; q leaves earlier.
        seed: The same seed deals the same cards. By default the deals follow from a secret of the operating system,
            which nobody can compute and which is not kept.
        no_thoughts: Do not print the explanations that some agents give for their decisions, such as brennus.
    """
    chosen = parse_settings(settings)
    names = _list_opponents(env, chosen, agents or ("random",))
    game, _ = game_for(env, chosen, 1 + len(names))
    players: list[Agent] = [Person(), *(load_agent(name, game, device) for name in names)]
    dealing = with_secret(game, new_secret()) if seed is None else game
    match_seed = secrets.randbits(64) if seed is None else seed
    spectator = Spectator(players, not no_thoughts)
    file = None if save is None else MatchFile(save, game, spectator.names, seed)
    try:
        with file or nullcontext():
            callbacks: list[MatchCallback] = [spectator, *([file] if file else [])]
            play_match(dealing, players, hands, match_seed, num_tables=1, hands_per_table=hands, callbacks=callbacks)
    except KeyboardInterrupt:
        print("\nyou leave the table")
    won = describe_won(spectator.won / game.chips_per_reward, game.unit, "won", "lost")
    counted = "1 hand" if spectator.finished == 1 else f"{spectator.finished} hands"
    print(f"\n{counted}{'' if seed is None else f', seed {seed}'}: you {won}")


def _list_opponents(env: str, settings: dict[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return a name for each other seat; where the settings or the game fix their number, one name stands for all."""
    is_fixed = "num_players" in settings or not may_choose_seats(env)
    return names * (make_game(env, **settings).num_seats - 1) if is_fixed and len(names) == 1 else names


class Person(Agent):
    """The person at the terminal, who types actions."""

    name = YOU

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the action that is typed for each decision; q and the end of the input raise KeyboardInterrupt."""
        return np.array([self._ask(decisions, j) for j in range(len(decisions))])

    def _ask(self, decisions: Decisions, j: int) -> int:
        game, views = decisions.game, decisions.views
        names = {action: game.action_name(views, j, action) for action in decisions.legal_actions(j)}
        numbers = number_actions(list(names), game.num_actions)
        print(f"\n{game.text(views, j, int(decisions.seats[j]))}")
        print(_format_choices(names, numbers))
        while True:
            answer = _read_answer("your action: ")
            if (action := match_answer(answer, names, numbers)) is not None:
                return action
            print(f"{answer!r} is not one of them: type a number, a letter and amount, a name or its unique beginning, "
                  "or q to leave")  # fmt: skip


def number_actions(legal: Sequence[int], num_actions: int) -> dict[int, int]:
    """Return number -> action for the legal actions: their ids, so that an action keeps its number.

    Where the game has more ids than fit on the screen, as Big 2 has, they are counted from 1.
    """
    return {action: action for action in legal} if num_actions <= _MAX_CHOICES else dict(enumerate(legal, 1))


def _format_choices(names: Mapping[int, str], numbers: Mapping[int, int]) -> str:
    has_letters = all(number == action for number, action in numbers.items())
    letters = {action: f" ({_shorten(name)})" if has_letters else "" for action, name in names.items()}
    shown = [f"[{number}] {names[action]}{letters[action]}" for number, action in numbers.items()]
    more = f"  ... and {len(shown) - _MAX_CHOICES} more" if len(shown) > _MAX_CHOICES else ""
    return "  ".join(shown[:_MAX_CHOICES]) + f"{more}  q leaves"


def _shorten(name: str) -> str:
    """Return the letter of an action, with the amount of a bet or raise: "f", "c", "r 6"."""
    verb, *rest = name.split()
    amount = next((word for word in rest if word.isdecimal()), "")
    return f"{verb[0]} {amount}" if amount and verb in _SIZED else verb[0]


def _read_answer(prompt: str) -> str:
    try:
        answer = input(prompt).strip().lower()
    except EOFError:
        _leave()
    return _leave() if answer in ("q", "quit") else answer


def _leave() -> NoReturn:
    raise KeyboardInterrupt


def match_answer(answer: str, names: Mapping[int, str], numbers: Mapping[int, int]) -> int | None:
    """Return the action of an answer; None if there is none, or more than one.

    Args:
        answer: A number, a name or its unique beginning, or a letter and an amount, such as "r 6"; in lower case.
        names: Action -> name.
        numbers: Number -> action.
    """
    if answer.isdecimal():
        return numbers.get(int(answer))
    exact = [action for action in names if names[action].lower() == answer]
    begun = exact or [action for action in names if answer and names[action].lower().startswith(answer)]
    if not begun and (found := _LETTER_AND_AMOUNT.fullmatch(answer)):
        word, amount = found.groups()
        for action, name in names.items():
            verb, *rest = name.lower().split()
            if amount in rest and (verb.startswith(word) or (verb in _SIZED and word in ("b", "r"))):
                begun.append(action)
    return begun[0] if len(begun) == 1 else None


def describe_won(amount: float, unit: str, win: str = "win", lose: str = "lose") -> str:
    """Return an amount in words: "win 3 points", "lose 1 point"."""
    if not amount:
        return f"{win} and {lose} nothing"
    words = unit.removesuffix("s") if abs(amount) == 1 else unit
    return f"{win if amount > 0 else lose} {abs(amount):g} {words}"


class Spectator(MatchCallback):
    """Match callback that prints the actions of the others and the ends of hands, and counts the person's winnings."""

    def __init__(self, players: Sequence[Agent], thoughts: bool = True) -> None:
        """Watch the agents of a match.

        Args:
            players: The agents, of whom the first is the person.
            thoughts: Whether to print the explanations of the others.
        """
        self.players, self.thoughts = list(players), thoughts
        self.names = [player.name for player in players]
        self.finished, self.won = 0, 0

    def on_deal(self, batch: MatchBatch) -> None:
        """Print the players at the seats."""
        for hand, agents in zip(batch.hands.tolist(), batch.agents.tolist(), strict=True):
            seats = [f"player_{seat} {self.names[agent]}" for seat, agent in enumerate(agents)]
            print(f"\n--- hand {hand + 1}: {', '.join(seats)}")

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Print the actions of the others."""
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            seat = int(batch.tables["actor"][row])
            name = self.names[batch.agents[row, seat]]
            if name != YOU:
                print(f"player_{seat} {name}: {batch.game.action_name(batch.tables, row, action)}")
                if self.thoughts:
                    self._explain(batch, row)

    def _explain(self, batch: MatchBatch, row: int) -> None:
        """Print the explanation of the agent that has just decided at a table, if it gives one."""
        agent, rows = self.players[batch.agents[row, batch.tables["actor"][row]]], np.array([row])
        encoder, ids = agent.find_encoder(batch.game), batch.table_ids[rows]
        decisions = decisions_at(batch.game, batch.tables, rows, ids, np.array([0.5]), encoder=encoder)
        for line in agent.explain(decisions)[0].splitlines():
            print(f"    {line}")

    def on_end(self, batch: MatchBatch) -> None:
        """Print the table as the person sees it, with the hands shown at the showdown, and the winnings."""
        for row, seat in enumerate(batch.seats[:, 0].tolist()):  # the person is the first agent of the match
            won = int(batch.tables["payoff"][row, seat])
            self.finished += 1
            self.won += won
            sees_all = batch.game.info.shows_hands_at_end
            print(f"\n{batch.game.text(batch.tables, row, None if sees_all else seat)}")
            print(f"you {describe_won(won / batch.game.chips_per_reward, batch.game.unit)}")
