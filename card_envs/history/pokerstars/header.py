"""Amounts of money, and the first line of a hand, in PokerStars' text."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

from card_envs.history.errors import shorten
from card_envs.history.results import SKIPPED, Number, Stop

_AMOUNT = re.compile(r"([$€£¥₹]|[A-Z]{1,2}\$)?([0-9]{1,15}|[1-9][0-9]{0,2}(?:,[0-9]{3}){1,4})(\.[0-9]{1,2})?")
_DATE = re.compile(r" - [0-9]{4}/[0-9]{1,2}/[0-9]{1,2} ")
_GAME = re.compile(r"(?:^|[({},])\s*((?:[^\s(){},]+ )+?)(No Limit|Pot Limit|Limit)\b(.*)")
_BUY_IN = re.compile(r"^(?:.*\b[A-Z]{3} |[^\s+]*[0-9]\+\S+ |[0-9,]{1,15}(?:FPP|SC) |Freeroll )")
_STAKES = re.compile(r"(?<![^\s()])([^\s()/]+)/([^\s()/]+)(?![^\s()])")
_VARIANTS = {"No Limit": "NT", "Pot Limit": "PT", "Limit": "FT"}


class Header(NamedTuple):
    """The game of a hand."""

    variant: str
    """Code of PHH: NT, PT or FT."""
    stakes: tuple[Number, Number]
    """Small and big blind; in limit games small and big bet."""
    currency: str


def parse_amount(text: str) -> tuple[str, Number]:
    """Return currency sign and value of an amount such as "$1,200.50" or "20".

    An amount is a currency sign or none, digits, and at most two decimal places after a dot. Commas separate groups of
    exactly three digits. Anything else is a ValueError: decimal commas, other separators, signs, "1.5K".
    """
    found = _AMOUNT.fullmatch(text)
    if found is None:
        raise ValueError(
            f"{shorten(text, 40)!r} is not an amount: write digits such as 1500, $0.50 or $1,057.50, "
            "with a comma before three digits and a dot before cents"
        )
    value = Decimal(found[2].replace(",", "") + (found[3] or ""))
    return found[1] or "", int(value) if value == int(value) else value


def parse_header(text: str) -> Header:
    """Return the game that the first line of a hand names after its number; ValueError if it names no game or stakes.

    A game other than Texas hold'em, or with betting that our tables do not play, is a `Stop` with SKIPPED.
    """
    game = " ".join(_DATE.split(text, maxsplit=1)[0].split())
    found = _GAME.search(game)
    name = _BUY_IN.sub("", found[1]).strip() if found else ""
    if found is None or name.split()[-1:] in (["No"], ["Pot"], ["Fixed"]):
        if re.search("hold.?em", game, re.IGNORECASE):
            raise Stop(
                SKIPPED,
                f"{shorten(game, 60)!r} is not how PokerStars names a game; its hold'em is \"Hold'em No Limit\", "
                '"Hold\'em Pot Limit" or "Hold\'em Limit"',
            )
        raise ValueError('no game with stakes, such as "Hold\'em No Limit (1/2)"')
    if name != "Hold'em":
        raise Stop(SKIPPED, f"{name} is not Texas hold'em")
    if re.search(r"\bcap\b", game, re.IGNORECASE):
        raise Stop(SKIPPED, "a cap limits the bets of the whole hand")
    if "-Flop" in game:
        raise Stop(SKIPPED, "the betting structure changes after the flop")
    stakes = _STAKES.search(found[3])
    if stakes is None:
        raise ValueError('no game with stakes, such as "Hold\'em No Limit (1/2)"')
    (sign, low), (other, high) = map(parse_amount, stakes.groups())
    if sign != other or low > high or high == 0:
        raise ValueError(f"stakes {stakes[0]!r} are not a smaller and a larger amount of one currency")
    return Header(_VARIANTS[found[2]], (low, high), sign)
