"""Text interface of hold'em: descriptions of tables, and answers such as "raise to 2.5bb"."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from card_envs.cards import NO_CARD, card_names
from card_envs.game import Game
from card_envs.games.holdem.actions import (
    CALL_ACTION,
    FOLD_ACTION,
    amount_to_call,
    find_raise,
    has,
    is_legal,
    list_menu_raises,
    raise_to_of,
)
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.showdown import ante_paid
from card_envs.games.holdem.state import MENU_INTEGERS, STREET_NAMES, Table
from card_envs.games.holdem.view import action_name, board, hole_cards, is_shown, position_names, position_of
from card_envs.records import Tables
from card_envs.text.interface import TextInterface

_POT_WORDS = {"half": Fraction(1, 2), "third": Fraction(1, 3), "quarter": Fraction(1, 4), "two thirds": Fraction(2, 3)}
_CALL = re.compile(r"call(?: (?P<amount>\S+(?: ?bb| big blinds)?))?")
_ALL_IN = re.compile(
    r"(?:i am |i'm |go |going |move |push |jam |shove )?(?:all[- ]?in|allin|shove|jam)(?: (?:for )?(?P<amount>\S+))?"
)
_RAISE = re.compile(
    r"min[- ]?(?P<least>raise|bet)"
    r"|(?:raise|bet|re-?raise|open)(?: it)?(?: (?P<how>to|by|of))?(?: (?P<amount>.+))?"
)
_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
"""Numbers with commas before groups of three digits; "0,500" and "2,5" are none."""
_MAYBE_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
"""Whole numbers with dots before groups of three digits, or fractions."""
_NUMBER = re.compile(r"(?P<number>\d{1,12}(?:\.\d{1,6})?)(?P<blinds> ?bbs?| big blinds?)?")
_POT = re.compile(
    r"(?:(?P<percent>\d{1,4}) ?%|(?P<top>\d{1,2}) ?/ ?(?P<bottom>\d{1,2})|(?P<share>\d?\.\d{1,4})"
    r"|(?P<word>half|third|quarter|two thirds))?"
    r" ?(?:of )?(?:a |the )?pot"
)


def make_text(game: Game) -> TextInterface:
    """Return the text interface of games with these settings."""
    config: HoldemConfig = game.config
    return TextInterface(
        rules=_rules(config),
        describe=partial(_describe, config),
        stage=_stage,
        describe_legal=_describe_legal,
        describe_outcome=_describe_outcome,
        read_action=_parse_action,
    )


def make_forced_moves(game: Game) -> Callable[[Tables, int], list[tuple[int, str]]]:
    """Return the function that lists antes and blinds."""
    return _list_forced_moves


def _list_forced_moves(tables: Tables, i: int) -> list[tuple[int, str]]:
    """Return the antes and blinds that the seats of table i have posted, from the first seat left of the button on."""
    t: Table = tables[i]
    count = int(t.num_seats)
    seats = [(int(t.button) + 1 + place) % count for place in range(count)]
    antes = {k: int(ante_paid(t, k)) for k in seats}
    blinds = {k: int(t.hand_commit[k]) - antes[k] for k in seats}
    posted = [*((k, "ante", antes[k]) for k in seats), *((k, "blind", blinds[k]) for k in seats)]
    return [(k, f"{kind} {chips}") for k, kind, chips in posted if chips]


def _rules(config: HoldemConfig) -> str:
    structure = config.structure.replace("_", "-")
    name = f"a small hold'em game with a deck of {config.deck_size} cards"
    if config.is_texas or config.is_flop_holdem:
        name = "Texas hold'em" if config.is_texas else "flop hold'em"
    stakes = f"blinds {'/'.join(map(str, config.blinds))}" if any(config.blinds) else "no blinds"
    antes = f", antes {config.ante_list}" if any(config.ante_list) else ""
    return (
        f"You play {structure} {name} with {config.num_players} players; {stakes}{antes}, amounts in chips. "
        f"Each player has {config.num_hole_cards} private card{'s' if config.num_hole_cards > 1 else ''}; "
        f"{sum(config.board_cards)} board cards come over {len(config.board_cards)} betting rounds. "
        'The best hand of those who stay wins the pot. "raise to N" means that you have put in N chips on this betting '
        "round afterwards."
    )


def _describe(config: HoldemConfig, views: Tables, i: int, seat: int, verbose: bool) -> list[str]:
    t: Table = views[i]
    names = position_names(config)
    cards, shown = card_names(hole_cards(t, seat)), card_names(board(t)) or "none"
    to_call = min(int(amount_to_call(t)), int(t.stack[seat])) if t.actor == seat else 0
    players = [_player(t, k, names[position_of(t, k)]) for k in range(t.num_seats)]
    if not verbose:
        position = names[position_of(t, seat)]
        first = f"player_{seat} ({position}) {cards} | board {shown} | {_street(t)} | pot {t.pot} | to call {to_call}"
        return [first, "Players: " + "; ".join(players)]
    blind = f" ({int(t.pot) / int(t.chips_per_reward):g} bb)" if any(config.blinds) else ""
    return [
        f"You are player_{seat} ({names[position_of(t, seat)]}). Your cards: {cards}.",
        f"Betting round: {_street(t)}. Board: {shown}. Pot: {t.pot} chips{blind}.",
        "Players:",
        *(f"  {player}" for player in players),
        *([f"You have to put in {to_call} chips to stay in."] if to_call else []),
    ]


def _street(t: Table) -> str:
    return str(STREET_NAMES[t.street])


def _player(t: Table, seat: int, position: str) -> str:
    parts = [f"player_{seat} {position} stack {t.stack[seat]}"]
    if t.street_commit[seat]:
        parts.append(f"in for {t.street_commit[seat]}")
    if not has(t.in_hand, seat):
        parts.append("folded")
    elif t.stack[seat] == 0:
        parts.append("all-in")
    if is_shown(t, seat):
        parts.append(f"shows {card_names(hole_cards(t, seat))}")
    if t.is_over:
        parts.append(f"result {int(t.payoff[seat]):+d}")
    return ", ".join(parts)


def _stage(tables: Tables, i: int) -> str:
    t: Table = tables[i]
    return f"{_street(t)} {card_names(board(t))}".strip()


def _describe_outcome(tables: Tables, i: int) -> str:
    t: Table = tables[i]
    shown = [f"player_{k} shows {card_names(hole_cards(t, k))}" for k in range(t.num_seats) if is_shown(t, k)]
    cards = [card for card in board(t) if card != NO_CARD]
    return ", ".join([f"board {card_names(cards)}", *shown]) if shown and cards else ", ".join(shown)


def _describe_legal(tables: Tables, i: int) -> str:
    t: Table = tables[i]
    names = [action_name(tables, i, action) for action in (FOLD_ACTION, CALL_ACTION) if is_legal(t, action)]
    if t.menu == MENU_INTEGERS and t.max_raise_to > 0:
        word = "raise to" if t.current_bet else "bet"
        low, high = int(t.min_raise_to), int(t.max_raise_to)
        names.append(f"{word} {low}" if low == high else f"{word} {low} .. {high} (any whole number)")
        return ", ".join(names)
    return ", ".join(names + [action_name(tables, i, action) for action in list_menu_raises(t)])


def _parse_action(tables: Tables, i: int, words: str) -> int:
    """Return the legal action that a text in lower case names; ValueError if there is none."""
    t: Table = tables[i]
    words = words.replace("$", "").replace("chips", "").replace("(all-in)", "all-in")
    words = _THOUSANDS.sub(lambda found: found[0].replace(",", ""), words)
    words = " ".join(words.split()).removeprefix("i ").removesuffix(".")
    if words in ("fold", "folds", "muck"):
        if not is_legal(t, FOLD_ACTION):
            raise ValueError("folding is not legal because there is nothing to call")
        return FOLD_ACTION
    if words in ("check", "checks"):
        if amount_to_call(t) > 0:
            raise ValueError(f"there are {min(int(amount_to_call(t)), int(t.stack[t.actor]))} chips to call")
        return CALL_ACTION
    if match := _CALL.fullmatch(words):
        return _parse_call(t, match["amount"])
    if match := _ALL_IN.fullmatch(words):
        return _all_in(t, match["amount"] or "")
    if match := _RAISE.fullmatch(words):
        return _parse_raise(t, match)
    raise ValueError("this is not an action")


def _parse_call(t: Table, amount: str | None) -> int:
    chips = min(int(amount_to_call(t)), int(t.stack[t.actor]))
    if amount in (None, "all-in", "all in"):
        return CALL_ACTION
    assert amount is not None
    asked = _chips(t, amount)
    if asked not in (chips, int(t.street_commit[t.actor]) + chips):
        raise ValueError(f"calling costs {chips} chips")
    return CALL_ACTION


def _all_in(t: Table, amount: str = "") -> int:
    """Return the action that puts in all chips, which may be a call; ValueError if a number says another amount."""
    stack = int(t.stack[t.actor])
    total = stack + int(t.street_commit[t.actor])
    if any(map(str.isnumeric, amount)) and _chips(t, amount) not in (stack, total):
        raise ValueError(f"all-in is {stack} chips" + (f", {total} on this street" if total > stack else ""))
    return CALL_ACTION if stack <= amount_to_call(t) else _raise_to(t, total)


def _parse_raise(t: Table, match: re.Match[str]) -> int:
    if t.max_raise_to == 0:
        raise ValueError("raising is not possible here")
    amount = match["amount"]
    if match["least"] or amount in ("min", "minimum", "the minimum"):
        return _raise_to(t, int(t.min_raise_to))
    if amount is None:
        if _only_amount(t) is None:
            raise ValueError("name the amount")
        return _raise_to(t, int(t.max_raise_to))
    if amount in ("all-in", "all in"):
        return _all_in(t)
    amount = amount.removesuffix(" all-in").removesuffix(" all in")
    if amount in ("max", "maximum", "the maximum"):
        return _raise_to(t, int(t.max_raise_to))
    if pot := _POT.fullmatch(amount):
        asked = (int(t.pot) + int(amount_to_call(t))) * _share(pot)
        return _raise_to(t, int(t.current_bet) + int(asked))
    chips = _chips(t, amount)
    return _raise_to(t, chips + int(t.current_bet) if match["how"] == "by" else chips)


def _only_amount(t: Table) -> int | None:
    """Return the amount that the actor may raise to, if there is only one."""
    if t.menu != MENU_INTEGERS:
        amounts = {int(raise_to_of(t, action)) for action in list_menu_raises(t)}
        return amounts.pop() if len(amounts) == 1 else None
    return int(t.max_raise_to) if t.min_raise_to == t.max_raise_to else None


def _share(match: re.Match[str]) -> Fraction:
    """Return the fraction of the pot that "half pot", "75% pot" or "2/3 of the pot" names."""
    if match["percent"]:
        return Fraction(int(match["percent"]), 100)
    if match["top"]:
        if int(match["bottom"]) == 0:
            raise ValueError("a fraction of the pot cannot be divided by 0")
        return Fraction(int(match["top"]), int(match["bottom"]))
    if match["share"]:
        return Fraction(match["share"])
    return _POT_WORDS[match["word"]] if match["word"] else Fraction(1)


def _chips(t: Table, amount: str) -> int:
    """Return an amount such as "80" or "2.5bb" in chips."""
    match = _NUMBER.fullmatch(amount)
    if _MAYBE_THOUSANDS.fullmatch(amount):
        raise ValueError(f"{amount!r} may be thousands or a fraction: write digits alone")
    if match is None:
        raise ValueError(f"{amount!r} is not an amount")
    chips = Fraction(match["number"]) * (int(t.chips_per_reward) if match["blinds"] else 1)
    if chips.denominator != 1:
        raise ValueError(f"{amount} is not a whole number of chips")
    return int(chips)


def _raise_to(t: Table, amount: int) -> int:
    """Return the legal action that bets or raises to an amount."""
    word = "raise to" if t.current_bet else "bet"
    if t.max_raise_to == 0:
        raise ValueError("raising is not possible here")
    if not t.min_raise_to <= amount <= t.max_raise_to:
        raise ValueError(f"{word} {amount} is outside {t.min_raise_to} .. {t.max_raise_to}")
    action = find_raise(t, amount)
    if action is None:
        raise ValueError(f"{word} {amount} is not on the bet menu")
    return action
