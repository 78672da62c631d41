"""The published hold'em games: what their environments' arguments mean."""

from __future__ import annotations

from collections.abc import Sequence

from card_envs.game import Game
from card_envs.games.holdem.bet_menu import BetMenu
from card_envs.games.holdem.config import BY_RULES, HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.observation import Encoder


def limit_holdem(
    num_players: int = 2,
    stacks: int | Sequence[int] = 200,
    small_blind: int = 1,
    big_blind: int = 2,
    ante: int = 0,
    max_raises: Sequence[int] | str | None = BY_RULES,
    encoder: str | Encoder = "default",
    rules: str = "standard",
) -> Game:
    """Return limit hold'em: bets of one big blind, of two from the turn on.

    `max_raises` by street, None for no cap; by default those of the rules profile.
    """
    config = HoldemConfig.limit(num_players, stacks, small_blind, big_blind, ante, max_raises, rules)
    return holdem_game("limit_holdem", config, encoder)


def no_limit_holdem(
    num_players: int = 2,
    stacks: int | Sequence[int] = 200,
    small_blind: int = 1,
    big_blind: int = 2,
    ante: int = 0,
    bet_menu: BetMenu | str | Sequence[float] = "fchpa",
    structure: str = "no_limit",
    encoder: str | Encoder = "default",
    rules: str = "standard",
) -> Game:
    """Return no-limit hold'em, or pot-limit with structure="pot_limit"; raises come from the bet menu."""
    config = HoldemConfig.no_limit(num_players, stacks, small_blind, big_blind, ante, bet_menu, structure, rules)
    return holdem_game("no_limit_holdem", config, encoder)


def leduc_holdem(num_players: int = 2, encoder: str | Encoder = "default") -> Game:
    """Return Leduc hold'em."""
    return holdem_game("leduc_holdem", HoldemConfig.leduc(num_players), encoder)


def kuhn_poker(num_players: int = 2, encoder: str | Encoder = "default") -> Game:
    """Return Kuhn poker."""
    return holdem_game("kuhn_poker", HoldemConfig.kuhn(num_players), encoder)
