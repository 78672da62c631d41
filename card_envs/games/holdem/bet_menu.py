"""`BetMenu`: the raises that action ids stand for in no-limit and pot-limit games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from card_envs.games.holdem.state import MAX_CHIPS, MAX_SIZES, MENU_CHIPS, MENU_INTEGERS, MENU_LIMIT, MENU_POT

__all__ = ["BetMenu"]

_THOUSANDTHS = 1000


@dataclass(frozen=True)
class BetMenu:
    """The raises that action ids from 2 on stand for."""

    kind: int
    """MENU_LIMIT, MENU_POT, MENU_CHIPS or MENU_INTEGERS."""
    sizes: tuple[int, ...] = ()
    """Thousandths of the pot after calling (MENU_POT) or raise-to amounts in chips (MENU_CHIPS), increasing."""
    all_in: bool = False
    """True if the last action id is all-in."""

    def __post_init__(self) -> None:
        """Raise a ValueError for a kind that is not known, and for sizes that kernels cannot hold."""
        if self.kind not in (MENU_LIMIT, MENU_POT, MENU_CHIPS, MENU_INTEGERS):
            raise ValueError(f"bet_menu: kind {self.kind!r} is not known: use `BetMenu.parse`")
        self._check_sizes(self.sizes)
        if not all(1 <= size <= MAX_CHIPS for size in self.sizes):
            raise ValueError(f"bet_menu: sizes {self.sizes} must lie in 1 .. {MAX_CHIPS}")

    @classmethod
    def pot_fractions(cls, fractions: Iterable[float], all_in: bool = True) -> Self:
        """Return raises by fractions of the pot.

        Args:
            fractions: Fractions of the pot after calling, 0.001 to 100, such as 0.5 and 1.
            all_in: Whether the last action id is all-in.
        """
        listed = [_number("pot fractions", fraction) for fraction in fractions]
        if not all(0.001 <= fraction <= 100 for fraction in listed):
            raise ValueError(f"bet_menu: pot fractions {listed} must lie in 0.001 .. 100")
        sizes = tuple(sorted(round(_THOUSANDTHS * fraction) for fraction in listed))
        return cls(MENU_POT, cls._check_sizes(sizes), all_in)

    @classmethod
    def chips(cls, amounts: Iterable[float], all_in: bool = False) -> Self:
        """Return raises to fixed amounts.

        Args:
            amounts: Street commitments after the raise, in whole chips.
            all_in: Whether the last action id is all-in.
        """
        listed = [_number("raise-to amounts", amount) for amount in amounts]
        if not all(1 <= amount <= MAX_CHIPS and amount.is_integer() for amount in listed):  # False for nan and inf
            raise ValueError(f"bet_menu: raise-to amounts {listed} must be whole numbers of chips in 1 .. {MAX_CHIPS}")
        return cls(MENU_CHIPS, cls._check_sizes(tuple(sorted(map(int, listed)))), all_in)

    @classmethod
    def integers(cls) -> Self:
        """Return a menu of all amounts: action id a >= 2 raises to a - 1 chips."""
        return cls(MENU_INTEGERS)

    @staticmethod
    def _check_sizes(sizes: tuple[int, ...]) -> tuple[int, ...]:
        if len(sizes) > MAX_SIZES or len(set(sizes)) < len(sizes):
            raise ValueError(f"bet_menu: {sizes} must be at most {MAX_SIZES} different sizes")
        return sizes

    @classmethod
    def parse(cls, menu: BetMenu | str | Sequence[float]) -> BetMenu:
        """Parse a bet menu.

        Args:
            menu: Letters (f fold, c check or call, h half pot, p pot, a all-in: "fcpa" and "fchpa" as in OpenSpiel);
                "pot:0.5,1" or "chips:4,8", with ",all_in" for an all-in; "integers" for all amounts; or a list of pot
                fractions, to which an all-in is added. A `BetMenu` is returned unchanged.

        Raises:
            ValueError: For other strings, and for sizes out of range.

        Example:
            >>> BetMenu.parse("pot:0.5,1,all_in").sizes
            (500, 1000)
        """
        if isinstance(menu, BetMenu):
            return menu
        if not isinstance(menu, str):
            return cls.pot_fractions(menu)
        if menu == "integers":
            return cls.integers()
        if menu.startswith("fc") and set(menu[2:]) <= set("hpa") and len(set(menu)) == len(menu):
            return cls.pot_fractions(
                [{"h": 0.5, "p": 1.0}[letter] for letter in menu[2:] if letter != "a"], "a" in menu
            )
        kind, _, listed = menu.partition(":")
        entries = [entry.strip() for entry in listed.split(",") if entry.strip()]
        if kind in ("pot", "chips") and entries:
            all_in = "all_in" in entries
            numbers = [_number(repr(menu), entry) for entry in entries if entry != "all_in"]
            return cls.pot_fractions(numbers, all_in) if kind == "pot" else cls.chips(numbers, all_in)
        raise ValueError(
            f"bet_menu {menu!r} is not known: write letters such as 'fchpa', 'pot:0.5,1,all_in', 'chips:4,8,16', "
            "'integers', or give a list of pot fractions"
        )


def _number(listed: str, entry: str | float) -> float:
    """Return an entry of a menu; ValueError, saying what is listed there, if it is no number."""
    try:
        return float(entry)
    except (ValueError, TypeError):
        raise ValueError(f"bet_menu: {entry!r} in {listed} is not a number") from None
