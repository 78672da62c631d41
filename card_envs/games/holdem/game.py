"""Hold'em as a `Game`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from card_envs.cards import NO_CARD, card_id, card_name
from card_envs.game import Game, check_list, is_whole
from card_envs.games.holdem import kernels, view
from card_envs.games.holdem.amounts import check_stacks
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders import ENCODERS
from card_envs.games.holdem.full_state import state_layout
from card_envs.games.holdem.info import holdem_info, unit_of
from card_envs.games.holdem.rules import RULES
from card_envs.games.holdem.state import MENU_INTEGERS, Table
from card_envs.observation import Encoder, find_encoder
from card_envs.records import Tables


def holdem_game(name: str, config: HoldemConfig, encoder: str | Encoder = "default") -> Game:
    """Return the game with these settings.

    Args:
        name: Name of the game in messages and results.
        config: The settings.
        encoder: An encoder or its name.
    """
    chosen = find_encoder(ENCODERS, encoder)
    seats = config.num_players

    return Game(
        name=name,
        config=config,
        rules_profiles=tuple(RULES),
        encoders=ENCODERS,
        with_encoder=partial(holdem_game, name, config),
        encoder=chosen,
        layout=chosen.layout(config),
        state_layout=state_layout(config),
        num_seats=seats,
        num_actions=config.num_actions,
        unit=unit_of(config),
        chips_per_reward=config.chips_per_reward,
        max_reward=sum(config.stack_list) / config.chips_per_reward,
        option_names=("button", "stacks", "deck"),
        new_tables=config.new_tables,
        start=kernels.start,
        **kernels.LOOPS,
        deal_with=partial(_deal_with, config),
        action_name=view.action_name,
        why_illegal=view.why_illegal,
        text=view.text,
        info=holdem_info(name, config, partial(_deal_with, config)),
    )


def _deal_with(config: HoldemConfig, tables: Tables, i: int, options: Mapping[str, Any]) -> int:
    """Begin a hand with given button, stacks and first cards; everything that is not given is as in `deal`."""
    stacks = check_stacks(options["stacks"], config.num_players) if "stacks" in options else config.stack_list
    deck = check_deck(config, options.get("deck", ()))
    button = options.get("button")
    if button is not None and (not is_whole(button) or not 0 <= button < config.num_players):
        raise ValueError(f"button {button!r} must be a seat in 0..{config.num_players - 1}")
    if config.menu.kind == MENU_INTEGERS and max(stacks) > max(config.stack_list):
        raise ValueError(
            f"stacks {stacks}: action ids reach {max(config.stack_list)} chips, the largest stack of the configuration"
        )
    t: Table = tables[i]
    t.stack[: config.num_players] = stacks
    t.payoff[:] = 0
    t.hand_commit[:] = 0
    t.deck[:] = NO_CARD
    t.deck[: len(deck)] = deck
    if button is not None:
        t.button = button
    elif config.button_moves:
        t.button = (int(t.button) + 1) % config.num_players
    return int(kernels.deal_known(tables, i, len(deck)))


def check_deck(config: HoldemConfig, deck: Any) -> list[int]:
    """Return the card ids of `deck` (ids or names such as "As"), or raise a ValueError that names the wrong card."""
    cards = [card_id(card) if isinstance(card, str) else card for card in check_list("deck", deck)]
    if len(cards) > config.num_dealt:
        raise ValueError(f"deck has {len(cards)} cards, but a hand deals {config.num_dealt}")
    allowed = set(config.deck_cards)
    for place, card in enumerate(cards):
        if not is_whole(card) or int(card) not in allowed:
            raise ValueError(f"deck[{place}] = {card!r} is not a card of this deck ({len(allowed)} cards)")
        if card in cards[:place]:
            raise ValueError(f"deck[{place}] = {card_name(int(card))} is in the deck twice")
    return [int(card) for card in cards]
