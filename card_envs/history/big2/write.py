"""Deals of a match as `Big2Deal`s, played once more from their hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from card_envs.games.big2.actions import POSITIONS
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.kernels import step
from card_envs.games.big2.state import HAND_SIZE, NUM_SEATS
from card_envs.history.big2.format import Big2Deal, Play
from card_envs.history.recording import PlayedHands


def replay_recorded(
    config: Big2Config, played: PlayedHands, names_of: Callable[[int], tuple[str, ...]]
) -> Iterator[Big2Deal]:
    """Yield the deals of a batch, each played once more."""
    tables = played.dealt.copy()
    for i, actions in enumerate(played.actions):
        number = int(played.numbers[i])
        yield _replay_hand(config, tables[i : i + 1], actions, number, names_of(number))


def _replay_hand(config: Big2Config, tables: Any, actions: list[int], number: int, names: tuple[str, ...]) -> Big2Deal:
    held = (int(sets[0]) | int(sets[1]) for sets in zip(tables["held"][0], tables["played"][0], strict=True))
    hands = tuple(tuple(order for order in range(NUM_SEATS * HAND_SIZE) if cards >> order & 1) for cards in held)
    leads_3d = not config.opening_decision and not tables["is_over"][0]  # a dragon wins before anybody leads
    tricks: list[list[Play]] = [[(int(tables["opener"][0]), (0,))]] if leads_3d else []
    hand, actor, trick_size = tables["hand"][0], tables["actor"], tables["trick_size"]
    for action in actions:
        if not trick_size[0]:
            tricks.append([])
        seat = int(actor[0])
        tricks[-1].append((seat, tuple(int(hand[seat, position]) for position in POSITIONS[action])))
        step(tables, 0, action)
    payoffs = tuple(int(points) for points in tables["payoff"][0])
    return Big2Deal(number, config, names, hands, tuple(map(tuple, tricks)), payoffs)
