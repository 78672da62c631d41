"""Which games of two players have a betting tree, and the trees of whole games, grown once and kept.

Refusals of games whose hands are not those of one tree are here.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from card_baselines.solvers.hands import NUM_PLAYERS
from card_baselines.solvers.tree import BettingTree, grow_tree
from card_envs.analysis.exploitability.holdem import explain_swapped_stacks
from card_envs.game import Game
from card_envs.games.holdem import kernels
from card_envs.games.holdem.betting import largest_amount
from card_envs.games.holdem.config import HoldemConfig, is_texas_holdem
from card_envs.games.holdem.endgame import Endgame, EndgameConfig
from card_envs.games.holdem.state import MENU_CHIPS, MENU_POT
from card_envs.records import Tables

MAX_NODES = 4_000
"""Maximum number of nodes for best responses and re-solving, whose arrays then take about 100 MB."""
MAX_GAME_NODES = 2_000_000
"""Maximum number of nodes of a whole game: with half the pot, the pot and all-in 741,554 at 400 big blinds."""
MAX_MENU_ACTIONS = 8
"""Maximum number of actions of a no-limit game for which `is_two_player_menu` holds."""


def is_two_player_limit(config: Any) -> bool:
    """Return True for limit games for two with at most three actions, a cap on raises, and one tree for all hands."""
    return (
        isinstance(config, HoldemConfig)
        and not find_refusal(config)
        and config.structure == "limit"
        and config.num_players == NUM_PLAYERS
        and config.max_raises is not None
        and config.profile.button_owes_small_blind
        and not config.profile.last_actor_opens
        and not config.profile.fold_when_free
    )


def is_two_player_menu(config: Any) -> bool:
    """Return True for no-limit and pot-limit games for two, equal stacks and antes, and a menu of at most 8 actions."""
    return (
        isinstance(config, HoldemConfig)
        and config.structure in ("no_limit", "pot_limit")
        and config.num_players == NUM_PLAYERS
        and len(set(config.stack_list)) == 1
        and not find_refusal(config)
        and config.menu.kind in (MENU_POT, MENU_CHIPS)
        and config.num_actions <= MAX_MENU_ACTIONS
        and config.profile.button_owes_small_blind
        and not config.profile.last_actor_opens
    )


def find_refusal(config: HoldemConfig) -> str:
    """Return why the hands of a game are not those of one tree with one stake at each end, "" if they are."""
    if isinstance(config, EndgameConfig):  # has stacks by position, and no antes
        return ""
    if config.swaps_stacks and min(config.stack_list) < largest_amount(config.new_tables(1)[0]):
        return explain_swapped_stacks(config)
    paid = list(map(min, config.ante_list, config.stack_list))
    if config.profile.dead_antes and len(set(paid)) > 1:
        return (
            f"the positions post antes of {paid}, all of which the winner gets, but solvers with a tree of betting "
            "have one stake for both at each end: choose equal antes or rules='pokerstars', which returns what is not "
            "matched (tabular_mccfr, in small games, and learners such as sd_cfr need neither)"
        )
    return ""


def first_table(game: Game) -> Tables:
    """Return a table (1,) before the first decision, at which player p sits at seat p. Its cards are not to be read.

    Raises:
        ValueError: For games with a `find_refusal`.
    """
    tables, config, endgame = game.seeded_tables(1, 0), game.config, endgame_of(game)
    if endgame is not None:
        free = [card for card in config.deck_cards if card not in endgame.cards]
        endgame.start(tables, 0, NUM_PLAYERS - 1, free[: 2 * NUM_PLAYERS])
    else:
        deal_first(tables, config)
    return tables


def endgame_of(game: Game) -> Endgame | None:
    """Return the endgame that a game is, None for other games."""
    return game.config.endgame if isinstance(game.config, EndgameConfig) else None


def deal_first(tables: Tables, config: HoldemConfig) -> Tables:
    """Deal a hand at tables[0], with the button at the last seat, and return the tables; raises as `first_table`."""
    if refusal := find_refusal(config):
        raise ValueError(refusal)
    tables[0].button = NUM_PLAYERS - 1
    tables[0].deck[: config.num_dealt] = config.deck_cards[: config.num_dealt]
    kernels.deal_known(tables, 0, config.num_dealt)
    return tables


@cache
def grow_game(config: HoldemConfig, max_nodes: int = MAX_GAME_NODES) -> BettingTree:
    """Return the betting of a whole game; that of limit hold'em takes some 100 ms, of no-limit with a menu seconds.

    Raises:
        ValueError: For games with a `find_refusal`, and for more than `max_nodes` nodes, or than fit into free memory.
    """
    return grow_tree(deal_first(config.new_tables(1), config), config.num_actions, max_nodes)


@cache
def has_same_limit_betting(config: HoldemConfig, other: HoldemConfig) -> bool:
    """Return True if the same actions are legal after the same actions in both games."""
    if config == other:
        return True
    trees = grow_game(config), grow_game(other)
    return all(np.array_equal(*(getattr(t, name) for t in trees)) for name in ("player", "street", "folded", "child"))


def is_usual_limit(game: Game) -> bool:
    """Return True for limit hold'em for two, with the usual caps and stacks for every bet."""
    is_limit = is_texas_holdem(game) and is_two_player_limit(game.config)
    return is_limit and has_same_limit_betting(game.config, HoldemConfig.limit())


def grow_betting(game: Game, first: Tables) -> BettingTree:
    """Return the betting from a table (1,) on, which may hold any cards.

    Raises:
        ValueError: If the tree has more than `MAX_NODES` nodes.
    """
    return grow_tree(first, game.num_actions, MAX_NODES, " (or, to measure an agent, --method local or learned)")
