"""`HoldemConfig`: the settings of a hold'em game, their checks, and new tables with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from card_envs.cards import DECK_SIZE, NO_CARD
from card_envs.game import Game, check_list, check_switches, is_whole, replace_numpy_integers
from card_envs.games.holdem.bet_menu import BetMenu
from card_envs.games.holdem.rules import BY_RULES, RulesProfile, limit_caps, profile_of
from card_envs.games.holdem.state import (
    MAX_BOARD,
    MAX_CHIPS,
    MAX_LEVELS,
    MAX_SEATS,
    MAX_STREETS,
    MENU_INTEGERS,
    MENU_LIMIT,
    TABLE,
    TEXAS_BOARD,
    UNCAPPED,
    Structure,
)

__all__ = ["FLOP_STREETS", "HoldemConfig", "is_holdem", "is_texas_holdem"]

FLOP_STREETS = (0, 3)
"""`board_cards` of flop hold'em."""
STRUCTURES = {structure.name.lower(): int(structure) for structure in Structure}
_SETTINGS = (
    "num_hole_cards", "lowest_rank", "num_suits", "deck_size", "min_bet", "chips_per_reward", "button_moves",
)  # fmt: skip
_RULES = (
    "fold_when_free", "no_empty_decisions", "short_raise_reopens", "last_actor_opens", "dead_antes", "full_blinds",
)  # fmt: skip
"""Fields of a table with the names of settings, and of fields of the rules profile."""


@dataclass(frozen=True)
class HoldemConfig:
    """A hold'em game for 2 to 10 seats. Amounts are whole chips."""

    structure: str = "no_limit"
    """`limit`, `pot_limit` or `no_limit`."""
    num_players: int = 2
    stacks: int | tuple[int, ...] = 200
    """Starting stack of every seat, or of each seat; restored before every deal."""
    blinds: tuple[int, ...] = (1, 2)
    """Small blind, big blind, straddles ..., in this order; heads-up, the button posts the first."""
    antes: int | tuple[int, ...] = 0
    """Ante of every seat, or by position from the first seat left of the button on."""
    min_bet: int = 2
    """Smallest bet and raise in no-limit and pot-limit games."""
    raise_sizes: tuple[int, ...] = (2, 2, 4, 4)
    """Size of bets and raises on each street in limit games."""
    max_raises: tuple[int, ...] | None = (3, 4, 4, 4)
    """Maximum number of raises on each street (the blind is no raise); None for no cap."""
    bet_menu: BetMenu | str | tuple[float, ...] = "fchpa"
    """Raises that have action ids in no-limit and pot-limit games, see `BetMenu.parse`."""
    rules: str | RulesProfile = "standard"
    """Rules profile or its name."""
    num_hole_cards: int = 2
    board_cards: tuple[int, ...] = TEXAS_BOARD
    """Number of board cards that come before each street; the length is the number of streets."""
    lowest_rank: int = 0
    num_ranks: int = 13
    num_suits: int = 4
    button_moves: bool = True
    """True if the button moves a seat to the left with every deal; else it stays on the last seat, and seat 0 opens."""
    chips_per_reward: int = 2
    """Number of chips that equals a reward of 1: the big blind, or 1 in games that count chips."""

    def __post_init__(self) -> None:
        """Raise a ValueError for settings that are out of range or contradict each other."""
        replace_numpy_integers(self)
        check_switches(self)
        if self.structure not in STRUCTURES:
            raise ValueError(f"structure {self.structure!r} is not known: choose one of {sorted(STRUCTURES)}")
        if not is_whole(self.num_players) or not 2 <= self.num_players <= MAX_SEATS:
            raise ValueError(f"num_players {self.num_players!r} must be a whole number in 2 .. {MAX_SEATS}")
        self.profile  # noqa: B018  raises for an unknown name
        check_stacks(self.stacks, self.num_players)
        check_amounts("blinds", self.blinds)
        check_amounts("antes", self.ante_list)
        check_amounts("raise_sizes", self.raise_sizes)
        if len(self.blinds) > self.num_players:
            raise ValueError(f"blinds {self.blinds} are {len(self.blinds)} for {self.num_players} players")
        if not any(self.blinds) and not any(self.ante_list):
            raise ValueError("blinds and antes are all 0: at least one must be positive")
        if not 1 <= len(self.board_cards) <= MAX_STREETS:
            raise ValueError(f"board_cards {self.board_cards} must name 1 .. {MAX_STREETS} streets")
        self._check_cards()
        self._check_betting()

    def _check_cards(self) -> None:
        counts = (self.num_hole_cards, *self.board_cards, self.lowest_rank, self.num_ranks, self.num_suits)
        if not all(is_whole(count) and count >= 0 for count in counts):
            raise ValueError(
                f"num_hole_cards {self.num_hole_cards!r}, board_cards {self.board_cards!r}, lowest_rank "
                f"{self.lowest_rank!r}, num_ranks {self.num_ranks!r} and num_suits {self.num_suits!r} must be whole "
                "numbers from 0 on"
            )
        if sum(self.board_cards) > MAX_BOARD:
            raise ValueError(f"board_cards {self.board_cards} sum to {sum(self.board_cards)}, of at most {MAX_BOARD}")
        shown = self.num_hole_cards + sum(self.board_cards)
        if self.num_hole_cards not in (1, 2) or not (shown <= 2 or 5 <= shown <= 7):
            raise ValueError(
                f"{self.num_hole_cards} hole cards and a board of {sum(self.board_cards)}: together they must "
                "be 1 or 2 (Kuhn, Leduc), or 5 to 7"
            )
        if not (1 <= self.num_suits <= 4 and self.lowest_rank + self.num_ranks <= 13):
            raise ValueError(f"{self.num_ranks} ranks from {self.lowest_rank} in {self.num_suits} suits are not a deck")
        if self.num_dealt > self.deck_size:
            raise ValueError(f"{self.num_dealt} cards cannot be dealt from a deck of {self.deck_size}")

    def _check_betting(self) -> None:
        streets = len(self.board_cards)
        caps = [0] * streets if self.max_raises is None else self.max_raises
        if len(caps) != streets or not all(is_whole(cap) and 0 <= cap < UNCAPPED for cap in caps):
            raise ValueError(
                f"max_raises {self.max_raises} must name a whole number in 0 .. {UNCAPPED - 1} for each of the "
                f"{streets} streets, or be None"
            )
        if self.structure == "limit" and (len(self.raise_sizes) != streets or min(self.raise_sizes) < 1):
            raise ValueError(
                f"raise_sizes {self.raise_sizes} must name a positive number for each of the {streets} streets"
            )
        if not all(is_whole(chips) and 1 <= chips <= MAX_CHIPS for chips in (self.min_bet, self.chips_per_reward)):
            raise ValueError(
                f"min_bet {self.min_bet!r} and chips_per_reward {self.chips_per_reward!r} must be whole numbers of "
                f"chips in 1 .. {MAX_CHIPS}"
            )
        self.menu  # noqa: B018  raises for a bet menu that is not known

    @classmethod
    def limit(
        cls,
        num_players: int = 2,
        stacks: int | Sequence[int] = 200,
        small_blind: int = 1,
        big_blind: int = 2,
        ante: int = 0,
        max_raises: Sequence[int] | str | None = BY_RULES,
        rules: str = "standard",
    ) -> Self:
        """Return limit hold'em: bets of one big blind before the turn and two big blinds later, with a cap.

        Args:
            num_players: 2 to 10.
            stacks: Starting stack in chips, one for all seats or one per seat.
            small_blind: Chips; 0 for none.
            big_blind: Chips; a reward of 1 is a big blind.
            ante: Chips that every seat posts before the blinds.
            max_raises: Maximum number of raises on each of the four streets; None for no cap; by default those of the
                rules.
            rules: Name of a rules profile, a key of `rules.RULES`.

        Raises:
            ValueError: For settings that contradict each other; the message names them.
        """
        big = check_blinds(small_blind, big_blind)
        caps = limit_caps(rules, num_players) if isinstance(max_raises, str) and max_raises == BY_RULES else max_raises
        return cls(
            structure="limit",
            num_players=num_players,
            stacks=stack_setting(stacks),
            blinds=(small_blind, big),
            antes=ante,
            min_bet=big,
            raise_sizes=(big, big, 2 * big, 2 * big),
            max_raises=None if caps is None else tuple(check_list("max_raises", caps)),
            rules=rules,
            chips_per_reward=big,
        )

    @classmethod
    def no_limit(
        cls,
        num_players: int = 2,
        stacks: int | Sequence[int] = 200,
        small_blind: int = 1,
        big_blind: int = 2,
        ante: int = 0,
        bet_menu: BetMenu | str | Sequence[float] = "fchpa",
        structure: str = "no_limit",
        rules: str = "standard",
    ) -> Self:
        """Return no-limit (or pot-limit) hold'em.

        Args:
            num_players: 2 to 10.
            stacks: Starting stack in chips, one for all seats or one per seat.
            small_blind: Chips; 0 for none.
            big_blind: Chips, also the smallest bet and raise; a reward of 1 is a big blind.
            ante: Chips that every seat posts before the blinds.
            bet_menu: Raises that have action ids, see `BetMenu.parse`.
            structure: "no_limit" or "pot_limit".
            rules: Name of a rules profile, a key of `rules.RULES`.

        Raises:
            ValueError: For settings that contradict each other; the message names them.
        """
        big = check_blinds(small_blind, big_blind)
        return cls(
            structure=structure,
            num_players=num_players,
            stacks=stack_setting(stacks),
            blinds=(small_blind, big),
            antes=ante,
            min_bet=big,
            max_raises=None,
            bet_menu=bet_menu if isinstance(bet_menu, (str, BetMenu)) else tuple(check_list("bet_menu", bet_menu)),
            rules=rules,
            chips_per_reward=big,
        )

    @classmethod
    def flop(
        cls,
        num_players: int = 2,
        small_blind: int = 50,
        big_blind: int = 100,
        bet_sizes: Sequence[int] = (1, 1),
        max_raises: Sequence[int] = (3, 3),
        rules: str = "standard",
    ) -> Self:
        """Return flop hold'em (Brown et al. 2019, appendix A): limit hold'em that ends after the betting on the flop.

        Stacks are the largest amount that a seat can lose.

        Args:
            num_players: 2 to 10.
            small_blind: Chips; 0 for none.
            big_blind: Chips; a reward of 1 is a big blind.
            bet_sizes: Size of bets and raises on each of the two streets, in big blinds.
            max_raises: Maximum number of raises on each of the two streets.
            rules: Name of a rules profile, a key of `rules.RULES`.

        Raises:
            ValueError: For settings that contradict each other; the message names them.
        """
        big = check_blinds(small_blind, big_blind)
        bets, caps = tuple(check_list("bet_sizes", bet_sizes)), tuple(check_list("max_raises", max_raises))
        check_amounts("bet_sizes", bets)
        check_amounts("max_raises", caps)
        return cls(
            structure="limit",
            num_players=num_players,
            stacks=big * (1 + sum(cap * bet for cap, bet in zip(caps, bets, strict=False))),
            blinds=(small_blind, big),
            min_bet=big,
            raise_sizes=tuple(big * bet for bet in bets),
            max_raises=caps,
            rules=rules,
            board_cards=FLOP_STREETS,
            chips_per_reward=big,
        )

    @classmethod
    def kuhn(cls, num_players: int = 2) -> Self:
        """Return Kuhn poker (Kuhn 1950): one card each, one bet of one chip; num_players + 1 cards, as in OpenSpiel."""
        return cls._small_game("Kuhn poker", num_players, num_suits=1, board=(0,), sizes=(1,), cap=1)

    @classmethod
    def leduc(cls, num_players: int = 2) -> Self:
        """Return Leduc hold'em (Southey et al. 2005): num_players + 1 ranks in two suits, bets of 2, then 4; cap 2."""
        return cls._small_game("Leduc hold'em", num_players, num_suits=2, board=(0, 1), sizes=(2, 4), cap=2)

    @classmethod
    def _small_game(
        cls, name: str, num_players: int, *, num_suits: int, board: tuple[int, ...], sizes: tuple[int, ...], cap: int
    ) -> Self:
        if not is_whole(num_players) or not 2 <= num_players <= MAX_SEATS:
            raise ValueError(f"num_players {num_players!r}: {name} is for 2 .. {MAX_SEATS} players")
        num_ranks = num_players + 1
        return cls(
            structure="limit",
            num_players=num_players,
            stacks=1 + cap * sum(sizes),
            blinds=(0,),
            antes=1,
            min_bet=1,
            raise_sizes=sizes,
            max_raises=(cap,) * len(sizes),
            num_hole_cards=1,
            board_cards=board,
            lowest_rank=max(0, 12 - num_ranks),  # three ranks are jack, queen, king
            num_ranks=num_ranks,
            num_suits=num_suits,
            button_moves=False,
            chips_per_reward=1,
        )

    @property
    def profile(self) -> RulesProfile:
        """The rules profile; `rules` may be its name."""
        return profile_of(self.rules)

    @property
    def menu(self) -> BetMenu:
        """The bet menu, parsed."""
        return BetMenu(MENU_LIMIT) if self.structure == "limit" else BetMenu.parse(self.bet_menu)

    @property
    def num_actions(self) -> int:
        """Number of action ids: fold, check or call, and raises."""
        menu = self.menu
        if menu.kind == MENU_LIMIT:
            return 3
        if menu.kind == MENU_INTEGERS:
            return 2 + max(self.stack_list)
        return 2 + len(menu.sizes) + int(menu.all_in)

    @property
    def stack_list(self) -> list[int]:
        """Starting stack of every seat."""
        return check_stacks(self.stacks, self.num_players)

    @property
    def ante_list(self) -> list[int]:
        """Ante by position."""
        if isinstance(self.antes, tuple):
            return [*self.antes, *[0] * (self.num_players - len(self.antes))]
        return [self.antes] * self.num_players

    @property
    def blind_list(self) -> list[int]:
        """Blind by position; heads-up the button has position 1."""
        blinds = [*self.blinds, *[0] * (self.num_players - len(self.blinds))]
        return blinds[::-1] if self.num_players == 2 and self.profile.button_owes_small_blind else blinds

    @property
    def swaps_stacks(self) -> bool:
        """True if the button moves and stacks differ: a position then has one stack or another from hand to hand."""
        return self.button_moves and len(set(self.stack_list)) > 1

    @property
    def deck_size(self) -> int:
        """Number of cards in the deck."""
        return self.num_ranks * self.num_suits

    @property
    def deck_cards(self) -> list[int]:
        """Card ids of the deck."""
        return [
            4 * (self.lowest_rank + rank) + suit for rank in range(self.num_ranks) for suit in range(self.num_suits)
        ]

    @property
    def is_texas(self) -> bool:
        """True for Texas hold'em with any betting: two hole cards, five board cards, the whole deck."""
        return (self.num_hole_cards, self.board_cards, self.deck_size) == (2, TEXAS_BOARD, DECK_SIZE)

    @property
    def is_flop_holdem(self) -> bool:
        """True for flop hold'em with any betting: two hole cards, three board cards, the whole deck."""
        return (self.num_hole_cards, self.board_cards, self.deck_size) == (2, FLOP_STREETS, DECK_SIZE)

    @property
    def has_whole_history(self) -> bool:
        """True if tables record the whole betting: limit games with at most four raises a street."""
        return self.structure == "limit" and self.max_raises is not None and max(self.max_raises) < MAX_LEVELS

    @property
    def num_dealt(self) -> int:
        """Number of cards that are dealt in a hand that reaches a showdown."""
        return self.num_players * self.num_hole_cards + sum(self.board_cards)

    def new_tables(self, num_tables: int) -> np.ndarray[Any, np.dtype[Any]]:
        """Return `num_tables` tables with these settings; nothing is dealt, and random streams are not seeded."""
        tables = np.zeros(num_tables, TABLE)
        menu, profile, seats, streets = self.menu, self.profile, self.num_players, len(self.board_cards)
        sizes = self.raise_sizes if menu.kind == MENU_LIMIT else menu.sizes
        tables["stack"][:, :seats] = tables["start_stack"][:, :seats] = self.stack_list
        tables["blind"][:, :seats] = self.blind_list
        tables["ante"][:, :seats] = self.ante_list
        tables["bet_size"][:, : len(sizes)] = sizes
        tables["num_sizes"] = len(sizes)
        tables["board_cards"][:, :streets] = self.board_cards
        tables["max_raises"][:, :streets] = UNCAPPED if self.max_raises is None else self.max_raises
        tables["cards_shown"] = [sum(self.board_cards[: street + 1]) for street in range(MAX_STREETS)]
        raises, calls = [1] * streets, [1] * streets  # numbers of groups in `history_bits`
        if self.has_whole_history:
            raises = [int(cap) for cap in self.max_raises or ()]
            calls = [cap + 1 for cap in raises]
        tables["first_call"] = [sum(calls[:street]) for street in range(MAX_STREETS)]
        tables["first_raise"] = [sum(calls) + sum(raises[:street]) for street in range(MAX_STREETS)]
        tables["deck"] = NO_CARD
        tables["button"] = seats - 1
        tables["actor"] = -1
        tables["is_over"] = 1
        tables["num_seats"], tables["num_streets"] = seats, streets
        tables["structure"] = STRUCTURES[self.structure]
        tables["menu"], tables["has_all_in"] = menu.kind, menu.all_in
        tables["whole_history"] = self.has_whole_history
        tables["is_ranked"] = self.num_hole_cards + sum(self.board_cards) >= 5
        for name in _SETTINGS:
            tables[name] = getattr(self, name)
        for name in _RULES:
            tables[name] = getattr(profile, name)
        return tables


def is_holdem(game: Game) -> bool:
    """Return True for all hold'em games, Kuhn and Leduc included."""
    return isinstance(game.config, HoldemConfig)


def is_texas_holdem(game: Game) -> bool:
    """Return True for Texas hold'em with any betting: two hole cards, five board cards, the whole deck."""
    return isinstance(game.config, HoldemConfig) and game.config.is_texas


def check_stacks(stacks: int | Sequence[int], num_players: int) -> list[int]:
    """Return the starting stack of each seat, or raise a ValueError that names a wrong one."""
    setting = stack_setting(stacks)
    listed = [setting] * num_players if isinstance(setting, int) else list(setting)
    if len(listed) != num_players:
        raise ValueError(f"stacks {listed} are {len(listed)} numbers for {num_players} players")
    for seat, stack in enumerate(listed):
        if not is_whole(stack) or not 1 <= stack <= MAX_CHIPS:
            raise ValueError(f"stack {stack!r} of player_{seat} must be a whole number of chips in 1 .. {MAX_CHIPS}")
    return [int(stack) for stack in listed]


def check_amounts(name: str, amounts: Sequence[int]) -> None:
    """Raise a ValueError unless all amounts are whole numbers of chips in 0 .. `MAX_CHIPS`."""
    for amount in amounts:
        if not is_whole(amount) or not 0 <= amount <= MAX_CHIPS:
            raise ValueError(f"{name} {list(amounts)}: {amount!r} must be a whole number of chips in 0 .. {MAX_CHIPS}")


def check_blinds(small_blind: int, big_blind: int) -> int:
    """Return the big blind; ValueError for blinds that are negative, in the wrong order or not whole."""
    if not is_whole(big_blind) or not is_whole(small_blind) or not 0 <= small_blind <= big_blind or big_blind < 1:
        raise ValueError(
            f"small_blind {small_blind!r} and big_blind {big_blind!r} must be whole, 0 <= small <= big, big >= 1"
        )
    return int(big_blind)


def stack_setting(stacks: int | Sequence[int]) -> int | tuple[int, ...]:
    """Return stacks as one number for all seats or a tuple with one for each; ValueError for anything else."""
    wanted = "a whole number of chips, or a list of them, one for each seat"
    return int(stacks) if is_whole(stacks) else tuple(check_list("stacks", stacks, wanted))
