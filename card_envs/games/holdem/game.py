"""Hold'em as a `Game`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from card_envs.cards import card_id, card_name
from card_envs.game import Game, check_list, is_whole
from card_envs.game_info import GameInfo, Positions, Seats
from card_envs.games.holdem import kernels, view
from card_envs.games.holdem.config import HoldemConfig, check_stacks
from card_envs.games.holdem.encoders import ENCODERS
from card_envs.games.holdem.full_state import state_layout
from card_envs.games.holdem.rules import RULES
from card_envs.games.holdem.state import MAX_SEATS, MENU_INTEGERS
from card_envs.games.holdem.view import position_names, positions_of
from card_envs.observation import Encoder, find_encoder
from card_envs.records import Tables

__all__ = ["holdem_game"]


def holdem_game(name: str, config: HoldemConfig, encoder: str | Encoder = "default") -> Game:
    """Return the game with these settings.

    Args:
        name: Name of the game in messages and results.
        config: The settings.
        encoder: An encoder or its name.
    """
    chosen = find_encoder(ENCODERS, encoder, config)
    seats = config.num_players

    game = Game(
        name=name,
        config=config,
        rules_profiles=tuple(RULES),
        encoders=ENCODERS,
        make=partial(holdem_game, name, config),
        encoder=chosen,
        state_layout=state_layout(config),
        num_seats=seats,
        num_actions=config.num_actions,
        unit="bb" if any(config.blinds) else "chips",
        chips_per_reward=config.chips_per_reward,
        max_reward=sum(config.stack_list) / config.chips_per_reward,
        option_names=("button", "stacks", "deck"),
        new_tables=config.new_tables,
        start=kernels.start,
        **kernels.LOOPS,
        deal_with=partial(_deal_with, config),
        action_name=view.action_name,
        why_illegal=_why_illegal,
        text=view.text,
        info=GameInfo(
            seats=Seats(2, MAX_SEATS, "num_players"),
            positions=Positions(position_names(config), partial(positions_of, seats)),
            units=units_of(config),
            action_parts=view.action_parts,
            private_cards=view.private_cards,
        ),
        family="holdem",
    )
    game.find_layout(chosen)  # refuses encoders that are not for these settings
    return game


def _why_illegal(tables: Tables, i: int, action: int) -> str:
    from card_envs.games.holdem.illegal import why_illegal

    return why_illegal(tables, i, action)


def units_of(config: HoldemConfig) -> dict[str, float]:
    """Return the units of results: name -> factor from big blinds (or chips) per hand."""
    if not any(config.blinds):
        return {"chips/hand": 1.0}
    units = {"bb/100": 100.0, "mbb/hand": 1000.0}
    small_blind = config.blinds[0]
    return units | ({"sb/hand": config.chips_per_reward / small_blind} if small_blind else {})


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
    if button is None:
        button = (int(tables["button"][i]) + int(config.button_moves)) % config.num_players
    return kernels.begin_hand(tables, i, button, stacks, deck)


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
