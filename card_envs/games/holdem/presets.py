"""The hold'em games that have environment ids, as functions of the environments' arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

from card_envs.game import Game
from card_envs.games.holdem.bet_menu import BetMenu
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.state import Street
from card_envs.observation import Encoder
from card_envs.signatures import show_arguments_of

if TYPE_CHECKING:
    from card_envs.games.holdem.endgame import Board, Range


class SmallPokerSettings(TypedDict, total=False):
    """Arguments of `leduc_holdem` and `kuhn_poker`."""

    num_players: int
    encoder: str | Encoder


class _Stakes(TypedDict, total=False):
    stacks: int | Sequence[int]
    small_blind: int
    big_blind: int
    ante: int
    rules: str


class _LimitStakes(_Stakes, total=False):
    max_raises: Sequence[int] | str | None


class _NoLimitStakes(_Stakes, total=False):
    bet_menu: BetMenu | str | Sequence[float]
    structure: str


class _FlopStakes(TypedDict, total=False):
    small_blind: int
    big_blind: int
    bet_sizes: Sequence[int]
    max_raises: Sequence[int]
    rules: str


class LimitHoldemSettings(SmallPokerSettings, _LimitStakes, total=False):
    """Arguments of `limit_holdem`; their defaults are those of `HoldemConfig.limit`."""


class NoLimitHoldemSettings(SmallPokerSettings, _NoLimitStakes, total=False):
    """Arguments of `no_limit_holdem`; their defaults are those of `HoldemConfig.no_limit`."""


class FlopHoldemSettings(SmallPokerSettings, _FlopStakes, total=False):
    """Arguments of `flop_holdem`; their defaults are those of `HoldemConfig.flop`."""


@show_arguments_of(HoldemConfig.limit)
def limit_holdem(num_players: int = 2, *, encoder: str | Encoder = "default", **settings: Unpack[_LimitStakes]) -> Game:
    """Return limit hold'em: bets of one big blind before the turn and two later; see `HoldemConfig.limit`."""
    return holdem_game("limit_holdem", HoldemConfig.limit(num_players, **settings), encoder)


@show_arguments_of(HoldemConfig.no_limit)
def no_limit_holdem(
    num_players: int = 2, *, encoder: str | Encoder = "default", **settings: Unpack[_NoLimitStakes]
) -> Game:
    """Return no-limit hold'em, or pot-limit with structure="pot_limit"; see `HoldemConfig.no_limit`."""
    return holdem_game("no_limit_holdem", HoldemConfig.no_limit(num_players, **settings), encoder)


@show_arguments_of(HoldemConfig.flop)
def flop_holdem(num_players: int = 2, *, encoder: str | Encoder = "default", **settings: Unpack[_FlopStakes]) -> Game:
    """Return flop hold'em: limit hold'em that ends after the betting on the flop; see `HoldemConfig.flop`."""
    return holdem_game("flop_holdem", HoldemConfig.flop(num_players, **settings), encoder)


def river_endgame(
    board: Board = "Ks 9d 4c 2h 7s",
    pot: int = 12,
    stacks: tuple[int, int] = (60, 60),
    ranges: tuple[Range, Range] = (None, None),
    structure: str = "limit",
    encoder: str | Encoder = "default",
) -> Game:
    """Return an endgame on the river of heads-up hold'em with blinds of 1 and 2; see `Endgame`."""
    from card_envs.games.holdem.endgame import Endgame

    config = HoldemConfig.limit() if structure == "limit" else HoldemConfig.no_limit(structure=structure)
    endgame = Endgame(config, board, pot, stacks, ranges)
    if endgame.street != Street.RIVER:
        raise ValueError(f"board has {len(endgame.cards)} cards: the river has 5; use Endgame for other streets")
    return endgame.game(encoder)


def leduc_holdem(num_players: int = 2, encoder: str | Encoder = "default") -> Game:
    """Return Leduc hold'em."""
    return holdem_game("leduc_holdem", HoldemConfig.leduc(num_players), encoder)


def kuhn_poker(num_players: int = 2, encoder: str | Encoder = "default") -> Game:
    """Return Kuhn poker."""
    return holdem_game("kuhn_poker", HoldemConfig.kuhn(num_players), encoder)
