"""Big 2 as a `Game`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE, NO_CARD, card_id, card_name
from card_envs.game import NOBODY, Game, Tables, check_list, is_whole
from card_envs.game_info import GameInfo, Positions, Seats
from card_envs.games.big2 import kernels, view
from card_envs.games.big2.actions import NUM_ACTIONS
from card_envs.games.big2.combos import NO_COMBO, ORDER_OF_CARD
from card_envs.games.big2.config import RULES, Big2Config
from card_envs.games.big2.encoders import ENCODERS
from card_envs.games.big2.full_state import STATE_LAYOUT
from card_envs.games.big2.state import HAND_SIZE, NO_KIND, NUM_SEATS, TABLE, Table
from card_envs.observation import Encoder, find_encoder


def big2_game(config: Big2Config, encoder: str | Encoder = "charlesworth412", name: str = "big2") -> Game:
    """Return the game with these rules; messages and results call it `name`."""
    chosen = find_encoder(ENCODERS, encoder, config)
    game = Game(
        name=name,
        config=config,
        rules_profiles=tuple(RULES),
        encoders=ENCODERS,
        make=partial(big2_game, config, name=name),
        encoder=chosen,
        state_layout=STATE_LAYOUT,
        num_seats=NUM_SEATS,
        num_actions=NUM_ACTIONS,
        unit="points",
        chips_per_reward=1,
        max_reward=float(config.max_reward),
        option_names=("hands",),
        new_tables=partial(new_tables, config),
        start=kernels.start,
        **kernels.LOOPS,
        deal_with=deal_with,
        action_name=view.action_name,
        why_illegal=view.why_illegal,
        text=view.text,
        info=GameInfo(
            seats=Seats(NUM_SEATS, NUM_SEATS),
            positions=Positions(tuple(f"seat {place}" for place in range(1, NUM_SEATS + 1)), positions_of),
            units={"points/hand": 1.0},
            action_parts=view.action_parts,
            private_cards=view.private_cards,
            shows_hands_at_end=True,
        ),
        family="big2",
    )
    game.find_layout(chosen)  # refuses encoders that are not for these settings
    return game


def positions_of(tables: Tables) -> NDArray[np.int64]:
    """Return (n, 4): the position of each seat, counted from the seat that opens."""
    first = tables["opener"].astype(np.int64)
    return np.asarray((np.arange(NUM_SEATS) - first[:, None]) % NUM_SEATS, np.int64)


def new_tables(config: Big2Config, num_tables: int) -> Tables:
    """Return `num_tables` tables with these rules; nothing is dealt, and random streams are not seeded."""
    tables = np.zeros(num_tables, TABLE)
    config.write_settings(tables)
    tables["hand"] = NO_CARD
    tables["trick_cards"] = NO_CARD
    tables["trick_value"] = NO_COMBO
    tables["trick_kind"] = NO_KIND
    for seat_field in ("actor", "opener", "trick_seat", "trick_leader"):
        tables[seat_field] = NOBODY
    tables["is_over"] = 1
    return tables


def deal_with(tables: Tables, i: int, options: Mapping[str, Any]) -> int:
    """Begin a deal with the option `hands`, four hands of 13 cards; without it, like `deal`."""
    if "hands" not in options:
        return int(kernels.deal(tables, i))
    set_hands(tables, i, check_hands(options["hands"]))
    return int(kernels.deal_known(tables, i))


def set_hands(tables: Tables, i: int, hands: list[list[int]]) -> None:
    """Write hands of card ids into table i, in the order of Big 2; nothing else changes."""
    t: Table = tables[i]
    for seat, cards in enumerate(hands):
        orders = np.sort(ORDER_OF_CARD[cards])
        t.hand[seat] = NO_CARD
        t.hand[seat, : len(orders)] = orders
        t.num_cards[seat] = len(orders)
        t.held[seat] = sum(1 << int(order) for order in orders)


def check_hands(hands: Any) -> list[list[int]]:
    """Return the card ids of four hands of 13 cards (ids or names such as "3d"); ValueError for other hands."""
    listed = [
        [card_id(card) if isinstance(card, str) else card for card in check_list("hand", cards)]
        for cards in check_list("hands", hands)
    ]
    if len(listed) != NUM_SEATS:
        raise ValueError(f"hands has {len(listed)} hands: Big 2 has {NUM_SEATS} seats")
    owner: dict[int, int] = {}
    for seat, cards in enumerate(listed):
        for k, card in enumerate(cards):
            if not is_whole(card) or not 0 <= card < DECK_SIZE:
                raise ValueError(f"hands[{seat}][{k}] = {card!r} is not a card id in 0..{DECK_SIZE - 1}")
            if int(card) in owner:
                raise ValueError(
                    f"{card_name(int(card))} is dealt twice: to player_{owner[int(card)]} and to player_{seat}"
                )
            owner[int(card)] = seat
    for seat, cards in enumerate(listed):
        if len(cards) != HAND_SIZE:
            raise ValueError(f"player_{seat} has {len(cards)} cards: a hand has {HAND_SIZE}")
    return [[int(card) for card in cards] for cards in listed]
