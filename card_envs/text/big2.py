"""Text interface of Big 2: descriptions of tables, and answers such as "pair 7C 7S"."""

from __future__ import annotations

import re
from collections.abc import Callable

from card_envs.cards import RANKS as CARD_RANKS
from card_envs.cards import card_id
from card_envs.game import Game
from card_envs.games.big2.actions import PASS, value_of_action
from card_envs.games.big2.combos import kind_of, order_name, order_names, order_of
from card_envs.games.big2.config import STRAIGHTS, Big2Config
from card_envs.games.big2.state import KIND_NAMES, NOBODY, NUM_SEATS, PAIR, SINGLE, TRIPLE, Table
from card_envs.games.big2.view import action_cards, action_name, hand, legal_actions, trick_name
from card_envs.records import Tables
from card_envs.text.interface import TextInterface

_LISTED = 60
"""Maximum number of legal actions that are listed."""
_RANK_WORDS = {
    "two": "2", "deuce": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
    "nine": "9", "ten": "t", "jack": "j", "queen": "q", "king": "k", "ace": "a", "sixes": "6", "deuces": "2",
}  # fmt: skip
_NAME_OF_RANK = {letter: word for word, letter in reversed(_RANK_WORDS.items())} | {"10": "ten"}
_SUIT_SIGNS = str.maketrans({"♣": "c", "♦": "d", "♥": "h", "♠": "s", "♧": "c", "♢": "d", "♡": "h", "♤": "s", "️": ""})
_KIND_WORDS = {
    "single": SINGLE, "pair": PAIR, "triple": TRIPLE, "three of a kind": TRIPLE, "trips": TRIPLE,
    **{name: kind for kind, name in enumerate(KIND_NAMES)},
}  # fmt: skip
_SUITED = re.compile(rf"\b({'|'.join(_RANK_WORDS)}|10|[2-9tjqka])s? of (clubs?|diamonds?|hearts?|spades?)\b")
_PLURAL = re.compile(r"\bof (10|[2-9tjqka])'?s$")
_CARD = re.compile(r"(10|[2-9tjqka])([cdhs])")
_CARDS = re.compile(rf"(?:{_CARD.pattern})+")
_FILLERS = frozenset(("play", "i", "my", "the", "a", "an", "and", "with", "cards", "card", "lead", "of", "on"))


def make_forced_moves(game: Game) -> Callable[[Tables, int], list[tuple[int, str]]]:
    """Return the function that lists the single 3D, if the deal leads it."""
    return _list_forced_moves


def _list_forced_moves(tables: Tables, i: int) -> list[tuple[int, str]]:
    t: Table = tables[i]
    return [(int(t.trick_seat), trick_name(t))] if t.trick_size else []


def make_text(game: Game) -> TextInterface:
    """Return the text interface of games with these rules."""
    config: Big2Config = game.config
    return TextInterface(
        rules=_rules(config),
        describe=_describe,
        stage=lambda tables, i: "",
        describe_legal=_describe_legal,
        describe_outcome=_describe_outcome,
        read_action=_parse_action,
    )


def _rules(config: Big2Config) -> str:
    straights = " < ".join(run for run, _ in STRAIGHTS[config.straights])
    triples = ", three of a kind" if config.bare_triples else ""
    flush = "" if config.flushes == "none" else "flush < "
    dragon = " A hand of all 13 ranks wins at once." if config.dragon_wins else ""
    return (
        "You play Big 2 with four players and 13 cards each. Ranks from low to high are 3 4 5 6 7 8 9 T J Q K A 2, "
        "suits diamonds, clubs, hearts, spades; the deal begins with 3D. A player beats the combination on the table "
        "with a higher one of the same number of cards, or passes; when the three others have passed, whoever played "
        f"last leads anything. Combinations: single, pair{triples}; of four cards two pair < four of "
        f"a kind; of five cards straight < {flush}full house < straight flush. Straights: {straights}. The first "
        f"player without cards wins what the others pay: a point for each card they still hold{_penalties(config)}."
        f"{dragon}"
    )


def _penalties(config: Big2Config) -> str:
    parts = [
        f", {times} with {cards} cards or more"
        for times, cards in (("twice", config.double_from), ("three times", config.triple_from))
        if cards is not None
    ]
    if config.points_per_two:
        parts.append(f", {config.points_per_two} more for each 2")
    if config.double_per_two:
        parts.append(", doubled by each 2")
    return "".join(parts)


def _describe(views: Tables, i: int, seat: int, verbose: bool) -> list[str]:
    t: Table = views[i]
    cards = order_names(hand(t, seat))
    counts = ", ".join(f"player_{k} {t.num_cards[k]}" for k in range(NUM_SEATS) if k != seat)
    if t.is_over:
        return [f"You are player_{seat}. {_describe_outcome(views, i)}"]
    if not verbose:
        return [f"player_{seat} {cards} | {_to_beat(t)} | cards left: {counts}"]
    gone = [order for order in range(52) if any(int(t.played[k]) >> order & 1 for k in range(NUM_SEATS))]
    return [
        f"You are player_{seat}. Your {t.num_cards[seat]} cards: {cards}.",
        f"On the table: {_to_beat(t)}.",
        f"Cards left of the others: {counts}.",
        f"Cards played so far: {order_names(gone) or 'none'}.",
    ]


def _to_beat(t: Table) -> str:
    if t.trick_size == 0:
        return "nothing to beat" if t.actor == NOBODY else f"player_{t.actor} leads any combination"
    passes = f", {t.passes} passed since" if t.passes else ""
    return f"to beat {trick_name(t)} of player_{t.trick_seat}{passes}"


def _describe_outcome(tables: Tables, i: int) -> str:
    t: Table = tables[i]
    if not t.is_over:
        return ""
    way = "was dealt all 13 ranks" if t.trick_size == 0 else "went out"
    return f"player_{t.trick_seat} {way}; cards left: " + ", ".join(
        f"player_{k} {t.num_cards[k]}" for k in range(NUM_SEATS) if k != t.trick_seat
    )


def _describe_legal(tables: Tables, i: int) -> str:
    actions = legal_actions(tables[i])
    more = f" and {len(actions) - _LISTED} more" if len(actions) > _LISTED else ""
    return ", ".join(action_name(tables, i, action) for action in actions[:_LISTED]) + more


def _parse_action(tables: Tables, i: int, words: str) -> int:
    """Return the legal action that a text in lower case names; ValueError if there is none."""
    t: Table = tables[i]
    legal = legal_actions(t)
    words = words.translate(_SUIT_SIGNS).removesuffix(".")
    if words in ("pass", "i pass", "passes"):
        if PASS not in legal:
            raise ValueError("passing is not legal: lead a combination")
        return PASS
    words = _SUITED.sub(lambda match: _RANK_WORDS.get(match[1], match[1]) + match[2][0], words)
    orders, rest = _split_cards(
        _PLURAL.sub(lambda match: _NAME_OF_RANK[match[1]], words)
    )  # "of 7s" is not the seven of spades
    kind, rank = _parse_kind(rest)
    if not orders:
        return _find_kind(t, legal, kind, rank)
    missing = sorted(set(orders) - set(hand(t, int(t.actor))))
    if missing:
        raise ValueError(f"you do not hold {order_names(missing)}")
    if len(set(orders)) < len(orders):
        raise ValueError("a card is named twice")
    for action in legal:
        if action != PASS and set(action_cards(t, action)) == set(orders):
            if kind is not None and _kind(t, action) != kind:
                raise ValueError(f"these cards are a {KIND_NAMES[_kind(t, action)]}")
            return action
    problem = f"does not beat the {trick_name(t)}" if t.trick_size else "is not a combination that may be played"
    raise ValueError(f"{order_names(sorted(orders))} {problem}")


def _split_cards(words: str) -> tuple[list[int], list[str]]:
    """Return the order numbers of the cards in a text, and its other words."""
    orders: list[int] = []
    rest: list[str] = []
    for word in re.split(r"[\s,;:+/&-]+", words):
        if _CARDS.fullmatch(word):
            orders += [order_of(card_id(rank + suit)) for rank, suit in _CARD.findall(word)]
        elif word and word not in _FILLERS:
            rest.append(word)
    return orders, rest


def _parse_kind(rest: list[str]) -> tuple[int | None, int | None]:
    """Return the kind of combination and the rank (0 = deuce) that the words name, None if they name none."""
    words = " ".join(rest)
    if not words:
        return None, None
    for name in sorted(_KIND_WORDS, key=len, reverse=True):
        plain = " ".join(word for word in name.split() if word not in _FILLERS)
        if words == plain or words.startswith(f"{plain} "):
            return _KIND_WORDS[name], _rank(words[len(plain) :].strip())
    raise ValueError(f"{words!r} is neither cards nor a combination")


def _rank(word: str) -> int | None:
    if not word:
        return None
    letter = (
        _RANK_WORDS.get(word) or _RANK_WORDS.get(word.removesuffix("s")) or word.removesuffix("s").replace("10", "t")
    )
    if len(letter) != 1 or letter.upper() not in CARD_RANKS:
        raise ValueError(f"{word!r} is no rank")
    return CARD_RANKS.index(letter.upper())


def _find_kind(t: Table, legal: list[int], kind: int | None, rank: int | None) -> int:
    """Return the only legal combination of a kind, and of a rank if it is not None; ValueError if there are others."""
    if kind is None:
        raise ValueError("name the cards")
    found = [action for action in legal if action != PASS and _kind(t, action) == kind]
    if rank is not None:
        letter = CARD_RANKS[rank]
        found = [action for action in found if {order_name(order)[0] for order in action_cards(t, action)} == {letter}]
    if len(found) != 1:
        ranked = "" if rank is None else f" of rank {CARD_RANKS[rank]}"
        raise ValueError(f"{len(found) or 'no'} legal {KIND_NAMES[kind]}{ranked}: name the cards")
    return found[0]


def _kind(t: Table, action: int) -> int:
    return int(kind_of(value_of_action(t, int(t.actor), action)))
