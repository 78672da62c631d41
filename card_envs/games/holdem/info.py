"""The `GameInfo` of hold'em, for matches, reports, solvers and wrappers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from card_envs.cards import NO_CARD
from card_envs.game import Tables
from card_envs.game_info import ControlTerms, GameInfo, Positions, Seats
from card_envs.game_kernels import DealWith
from card_envs.games.holdem.chance import HoldemChance
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.evaluation.control_terms import HoldemControlTerms
from card_envs.games.holdem.evaluation.counterfactual_terms import CounterfactualControlTerms
from card_envs.games.holdem.evaluation.enumeration import HoldemEnumeration
from card_envs.games.holdem.evaluation.hidden_hands import HoldemHiddenHands
from card_envs.games.holdem.positions import position_names, positions_of
from card_envs.games.holdem.state import MAX_SEATS
from card_envs.games.holdem.statistics import HoldemStatistics
from card_envs.games.holdem.view import action_parts, private_cards
from card_envs.games.holdem.words import text_interface
from card_envs.poker.ranks import hand_ranks

_SHOWDOWNS = 2000
"""Number of random deals for an estimated equity."""


def holdem_info(name: str, config: HoldemConfig, deal_with: DealWith) -> GameInfo:
    """Return the `GameInfo` of a hold'em game."""
    is_heads_up_texas = config.is_texas and config.num_players == 2
    return GameInfo(
        seats=Seats(2, MAX_SEATS, "num_players"),
        positions=Positions(position_names(config), partial(positions_of, config.num_players)),
        units=units_of(config),
        chance=HoldemChance(config, deal_with),
        enumeration=HoldemEnumeration(config, deal_with),
        statistics=partial(HoldemStatistics, config.num_players),
        control_terms=partial(control_terms, config) if config.is_texas else None,
        hidden_hands=HoldemHiddenHands(config.num_actions) if is_heads_up_texas else None,
        paint=partial(_paint, name, config),
        action_parts=action_parts,
        private_cards=private_cards,
        redeal=partial(redeal, config),
        equity=partial(equity, config) if config.is_texas or config.is_flop_holdem else None,
        text=text_interface(config),
    )


def control_terms(config: HoldemConfig, seed: int, hands_per_agent: Sequence[int]) -> ControlTerms:
    """Return the control terms of a match: counterfactual ones if an agent can be asked about other hands."""
    return (
        CounterfactualControlTerms(config, seed, hands_per_agent)
        if max(hands_per_agent) > 1
        else HoldemControlTerms(config, seed)
    )


def unit_of(config: HoldemConfig) -> str:
    """Return the unit of rewards: "bb", or "chips" in games without blinds."""
    return "bb" if any(config.blinds) else "chips"


def units_of(config: HoldemConfig) -> dict[str, float]:
    """Return the units of results: name -> factor from big blinds (or chips) per hand."""
    if not any(config.blinds):
        return {"chips/hand": 1.0}
    units = {"bb/100": 100.0, "mbb/hand": 1000.0}
    small_blind = config.blinds[0]
    return units | ({"sb/hand": config.chips_per_reward / small_blind} if small_blind else {})


def redeal(config: HoldemConfig, views: Tables, seat: int, rng: np.random.Generator) -> None:
    """Replace the hidden cards of copies of one view (hands of other seats, the board to come) by random ones."""
    known = views["deck"][0, : config.num_dealt].tolist()
    hidden = [place for place, card in enumerate(known) if card == NO_CARD]
    unseen = np.array([card for card in config.deck_cards if card not in known], np.uint8)
    views["deck"][:, hidden] = rng.permuted(np.tile(unseen, (len(views), 1)), axis=1)[:, : len(hidden)]


def equity(config: HoldemConfig, views: Tables, seat: int) -> float:
    """Return the equity of a seat's hand against random hands of the other seats in the hand.

    It is estimated from `_SHOWDOWNS` random deals with a fixed seed; the standard error is below 0.011.
    """
    tables = np.repeat(views[:1], _SHOWDOWNS)
    redeal(config, tables, seat, np.random.default_rng(0))
    deck, held = tables["deck"], config.num_hole_cards * config.num_players
    board = deck[:, held : config.num_dealt]
    staying = [seat, *(k for k in range(config.num_players) if k != seat and int(views["in_hand"][0]) >> k & 1)]
    hands = np.stack([np.column_stack([deck[:, 2 * k : 2 * k + 2], board]) for k in staying], axis=1)
    ranks = hand_ranks(hands.reshape(-1, hands.shape[2])).reshape(len(tables), len(staying))
    best = ranks == ranks.min(axis=1, keepdims=True)
    return float(np.mean(best[:, 0] / best.sum(axis=1)))


def _paint(
    name: str,
    config: HoldemConfig,
    tables: Tables,
    seat: int | None,
    names: Sequence[str] | None = None,
    /,
) -> Any:
    from card_envs.games.holdem.render import paint_table  # only pictures need Pillow

    return paint_table(name, config, tables, seat, names)
