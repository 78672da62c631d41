"""Hands of hold'em for the writers of hand histories: the deal and the decisions, replayed from a recording."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.kernels import step
from card_envs.games.holdem.rules import RULES
from card_envs.games.holdem.state import RAISE
from card_envs.history.recording import PlayedHands, names_by_seat


class Decision(NamedTuple):
    """One decision of a hand."""

    street: int
    position: int
    """Position of the actor: 0 for the first seat left of the button."""
    kind: int
    """FOLD, CALL or RAISE."""
    raise_to: int
    """Chips that the actor has put in on this street after the decision."""
    total: int
    """Chips that the actor has put in since the deal after the decision."""
    bet: int = 0
    """Chips on this street that the actor had to match before the decision."""


@dataclass(frozen=True)
class HoldemHand:
    """One hand. Tuples are ordered by position: the first seat left of the button comes first, the button last."""

    config: HoldemConfig
    number: int
    """Number of the hand in the match, from 0."""
    seats: tuple[int, ...]
    players: tuple[str, ...]
    stacks: tuple[int, ...]
    hole_cards: tuple[tuple[int, ...], ...]
    board: tuple[int, ...]
    """Card ids of the board cards that were dealt."""
    decisions: tuple[Decision, ...]
    payoffs: tuple[int, ...]
    """Chips."""
    folded: tuple[bool, ...]

    @property
    def board_by_street(self) -> list[tuple[int, ...]]:
        """Board cards that were dealt on each street of the hand; empty before the flop."""
        ends = list(accumulate(self.config.board_cards))
        starts = [0, *ends]
        return [self.board[start:end] for start, end in zip(starts, ends, strict=False) if end <= len(self.board)]

    @property
    def is_showdown(self) -> bool:
        """True if two or more players did not fold."""
        return self.folded.count(False) > 1


def rules_name(config: HoldemConfig) -> str:
    """Return the name of the rules profile of a game; ValueError if the profile has no name."""
    if isinstance(config.rules, str):
        return config.rules
    name = next((name for name, profile in RULES.items() if profile == config.rules), None)
    if name is None:
        raise ValueError(f"hand histories name a rules profile of {sorted(RULES)}; {config.rules} has no name")
    return name


def replay_recorded(config: HoldemConfig, played: PlayedHands, names: Sequence[str]) -> Iterator[HoldemHand]:
    """Replay the hands of a batch, and yield them; `names` are the names of the match's agents."""
    tables = played.dealt.copy()
    for i, actions in enumerate(played.actions):
        number = int(played.numbers[i])
        yield _replay_hand(config, tables[i : i + 1], actions, number, names_by_seat(names, number))


def _replay_hand(
    config: HoldemConfig, tables: Any, actions: list[int], number: int, names: tuple[str, ...]
) -> HoldemHand:
    n, k = config.num_players, config.num_hole_cards
    first = int(tables["button"][0]) + 1
    seats = [(first + position) % n for position in range(n)]
    stack, hand_commit = tables["stack"][0], tables["hand_commit"][0]
    stacks = tuple(int(stack[seat]) + int(hand_commit[seat]) for seat in seats)
    if tables["is_over"][0]:  # the blinds put everybody all-in: the stacks already hold the winnings
        stacks = tuple(int(stack[seat]) - int(tables["payoff"][0, seat]) for seat in seats)
    decisions = tuple(_decisions(tables, actions, n, first))
    deck = tables["deck"][0].tolist()
    folded = tuple(not int(tables["in_hand"][0]) >> seat & 1 for seat in seats)
    streets = len(config.board_cards) if folded.count(False) > 1 else int(tables["street"][0]) + 1
    return HoldemHand(
        config=config,
        number=number,
        seats=tuple(seats),
        players=tuple(names[seat] for seat in seats),
        stacks=stacks,
        hole_cards=tuple(tuple(deck[k * seat : k * seat + k]) for seat in seats),
        board=tuple(deck[k * n : k * n + sum(config.board_cards[:streets])]),
        decisions=decisions,
        payoffs=tuple(int(tables["payoff"][0, seat]) for seat in seats),
        folded=folded,
    )


def _decisions(tables: Any, actions: list[int], n: int, first: int) -> Iterator[Decision]:
    street, actor = tables["street"], tables["actor"]
    street_commit, hand_commit = tables["street_commit"][0], tables["hand_commit"][0]
    for action in actions:
        seat, now = int(actor[0]), int(street[0])
        before, total, bet = int(street_commit[seat]), int(hand_commit[seat]), int(tables["current_bet"][0])
        step(tables, 0, action)
        paid = int(hand_commit[seat]) - total
        kind = min(action, RAISE)  # ids 0 and 1 are FOLD and CALL, all others raises
        yield Decision(now, (seat - first) % n, kind, before + paid, total + paid, bet)
