"""The hands of a match of hold'em as `HandRecord`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from card_envs.cards import NO_CARD
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.kernels import step
from card_envs.games.holdem.rules import RULES
from card_envs.games.holdem.state import CALL, RAISE
from card_envs.games.holdem.view import chips_behind
from card_envs.history.hand_record import DEAL_BOARD, DEAL_HOLE, SHOW, HandRecord, Move
from card_envs.history.history_format import PlayedHands, names_by_seat
from card_envs.history.settle import uncalled_bet


def rules_name(config: HoldemConfig) -> str:
    """Return the name of the rules profile of a game; ValueError if the profile has no name."""
    if isinstance(config.rules, str):
        return config.rules
    name = next((name for name, profile in RULES.items() if profile == config.rules), None)
    if name is None:
        raise ValueError(f"hand histories name a rules profile of {sorted(RULES)}; {config.rules} has no name")
    return name


def record_hands(config: HoldemConfig, played: PlayedHands, names: Sequence[str]) -> Iterator[HandRecord]:
    """Replay the hands of a batch, and yield their records; `names` are the names of the match's agents."""
    tables = played.dealt.copy()
    for i, actions in enumerate(played.actions):
        number = int(played.numbers[i])
        yield _record_hand(config, tables[i : i + 1], actions, number, names_by_seat(names, number))


def _record_hand(
    config: HoldemConfig, tables: Any, actions: list[int], number: int, names: tuple[str, ...]
) -> HandRecord:
    n, k, t = config.num_players, config.num_hole_cards, tables[0]
    first = int(t.button) + 1
    seats = tuple((first + position) % n for position in range(n))
    stacks = [chips_behind(t, seat) + int(t.hand_commit[seat]) for seat in seats]
    deck = t.deck.tolist()
    holes = [tuple(deck[k * seat : k * seat + k]) for seat in seats]
    dealt = tuple(deck[k * n : k * n + sum(config.board_cards)])
    moves = [Move(DEAL_HOLE, position, cards=cards) for position, cards in enumerate(holes)]
    moves += _take_actions(tables, actions, dealt, config)
    left = [position for position, seat in enumerate(seats) if int(t.in_hand) >> seat & 1]
    if len(left) > 1:
        moves += [Move(SHOW, position, cards=holes[position]) for position in left]
    board = sum((move.cards for move in moves if move.kind == DEAL_BOARD), ())
    payoffs = [int(t.payoff[seat]) for seat in seats]
    uncalled_seat, uncalled = uncalled_bet(t)
    returned = [uncalled if seat == uncalled_seat else 0 for seat in seats]
    paid = [int(t.hand_commit[seat]) for seat in seats]
    return HandRecord(
        source=f"hand {number}",
        config=config,
        stacks=tuple(stacks),
        known=(*sum(holes, ()), *board, *[NO_CARD] * (len(dealt) - len(board))),
        moves=tuple(moves),
        results={
            "values": payoffs,
            "winnings": [won + put - back for won, put, back in zip(payoffs, paid, returned, strict=True)],
        },
        returned=tuple(returned),
        names=tuple(names[seat] for seat in seats),
        number=number,
        seats=seats,
    )


def _take_actions(tables: Any, actions: list[int], board: tuple[int, ...], config: HoldemConfig) -> Iterator[Move]:
    """Take the actions at a table, and yield them with the board cards that are dealt between and after them."""
    t, n, street, dealt = tables[0], config.num_players, 0, 0
    first = int(t.button) + 1

    def deal(until: int) -> Iterator[Move]:
        nonlocal street, dealt
        while street < until:
            street += 1
            yield Move(DEAL_BOARD, cards=board[dealt : dealt + config.board_cards[street]])
            dealt += config.board_cards[street]

    for action in actions:
        seat = int(t.actor)
        yield from deal(int(t.street))
        before, total, behind, bet = (
            int(chips) for chips in (t.street_commit[seat], t.hand_commit[seat], t.stack[seat], t.current_bet)
        )
        step(tables, 0, action)
        kind, paid = min(action, RAISE), int(t.hand_commit[seat]) - total  # ids 0 and 1 are FOLD and CALL
        yield Move(
            kind,
            (seat - first) % n,
            amount=before + paid if kind == RAISE else 0,
            stated=before + paid - bet if kind == RAISE else paid if kind == CALL else None,
            is_all_in=0 < paid == behind,
        )
    if int(t.in_hand) & (int(t.in_hand) - 1):
        yield from deal(len(config.board_cards) - 1)
