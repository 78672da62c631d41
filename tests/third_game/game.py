"""Dozen as a `Game`, and what it tells of itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.game import Game, Tables, check_list, is_whole
from card_envs.game_info import GameInfo, Positions, Seats
from card_envs.game_loops import find_forced_action, game_loops
from card_envs.observation import Encoder, find_encoder
from tests.third_game import encoders, kernels, view
from tests.third_game.config import DozenConfig
from tests.third_game.state import HAND_SIZE, NUM_CARDS, NUM_SEATS

LOOPS = game_loops(
    deal=kernels.deal_hands,
    is_legal=kernels.is_legal,
    apply=kernels.play,
    reward=kernels.reward,
    random_action=kernels.random_action,
    write_mask=kernels.write_mask,
    censor=view.censor,
    write_state=encoders.write_state,
    forced_action=find_forced_action(kernels.is_legal, NUM_CARDS),
)


def dozen_game(config: DozenConfig, encoder: str | Encoder = "default") -> Game:
    """Return the game with these settings."""
    chosen = find_encoder(encoders.ENCODERS, encoder)
    return Game(
        name="dozen",
        config=config,
        rules_profiles=(),
        encoders=encoders.ENCODERS,
        make=partial(dozen_game, config),
        encoder=chosen,
        state_layout=encoders.STATE_LAYOUT,
        num_seats=NUM_SEATS,
        num_actions=NUM_CARDS,
        unit="points",
        chips_per_reward=1,
        max_reward=config.max_reward,
        option_names=("hands",),
        new_tables=config.new_tables,
        start=kernels.start,
        **LOOPS,
        deal_with=deal_with,
        action_name=view.action_name,
        why_illegal=view.why_illegal,
        text=view.text,
        info=GameInfo(
            seats=Seats(NUM_SEATS, NUM_SEATS),
            positions=Positions(("first", "second", "third"), positions_of),
        ),
        features={
            "chance": "tests.third_game.chance:DozenChance",
            "statistics": "tests.third_game.statistics:make_statistics",
        },
    )


def positions_of(tables: Tables) -> NDArray[np.int64]:
    """Return (n, 3): counted from the seat that opens."""
    first = tables["opener"].astype(np.int64)
    return np.asarray((np.arange(NUM_SEATS) - first[:, None]) % NUM_SEATS, np.int64)


def deal_with(tables: Any, i: int, options: Mapping[str, Any]) -> int:
    """Begin a deal with the option `hands`, three lists of four cards 0 .. 11; without it, as `deal` does."""
    if "hands" not in options:
        return int(LOOPS["deal"](tables, i))
    hands = [check_list("hand", hand) for hand in check_list("hands", options["hands"])]
    cards = [card for hand in hands for card in hand]
    if [len(hand) for hand in hands] != [HAND_SIZE] * NUM_SEATS or not all(map(is_whole, cards)):
        raise ValueError(f"hands {hands} must be {NUM_SEATS} lists of {HAND_SIZE} cards")
    if sorted(cards) != list(range(NUM_CARDS)):
        raise ValueError(f"hands {hands} must have each card 0 .. {NUM_CARDS - 1} once")
    tables["hand"][i] = [sum(1 << int(card) for card in hand) for hand in hands]
    tables["opener"][i] = (int(tables["opener"][i]) + 1) % NUM_SEATS
    return int(kernels.begin_at(tables, i))
