"""`AcpcHand`: one hand of a log of the Annual Computer Poker Competition, and its conversion to a `HandRecord`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NoReturn

from card_envs.cards import NO_CARD, card_ids
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RulesProfile, profile_of
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.history.acpc.game_file import card_shift
from card_envs.history.acpc.replay import AcpcReplay
from card_envs.history.errors import HandHistoryError, shorten
from card_envs.history.hand_record import DEAL_BOARD, HandRecord, Move
from card_envs.history.holdem_format import HoldemHand
from card_envs.history.results import Number

__all__ = ["AcpcHand", "quote"]

_TOKEN = re.compile(r"[fc/]|r[0-9]{0,18}")


@dataclass(frozen=True)
class AcpcHand(HoldemHand):
    """One hand: the parts of a line of a log."""

    number: int
    betting: str
    """Letters f, c and r by street, such as "cr250c/cc". In no-limit games the player's total chips follow r."""
    cards: str
    """Hole cards, then the board, such as "9s8h|9c6h/Qd8dAs/5c"."""
    values: tuple[Number, ...]
    """Chips that each player won, negative for losses."""
    players: tuple[str, ...]
    source: str
    """File and line."""
    config: HoldemConfig
    """The game of the log."""

    replay_class = AcpcReplay

    @property
    def tokens(self) -> list[str]:
        """The betting in parts: "f", "c", "r" or "r250", and "/"; HandHistoryError for other letters."""
        tokens = _TOKEN.findall(self.betting)
        if "".join(tokens) != self.betting:
            _refuse(self, f"betting {quote(self.betting)}: write f, c, r, numbers and /")
        return tokens

    def to_record(self, rules: str | RulesProfile | None = None) -> HandRecord:
        """Return the hand in terms of the engine; HandHistoryError for impossible cards and unknown letters."""
        config = _with_rules(self.config, rules)
        hole_cards, board = _cards_of(self, config)
        tokens = self.tokens
        cards = [card for hole in hole_cards for card in hole or [NO_CARD] * config.num_hole_cards]
        cards += [card for street in board for card in street]
        return HandRecord(
            source=self.source,
            config=config,
            stacks=tuple(config.stack_list),
            known=tuple(cards + [NO_CARD] * (config.num_dealt - len(cards))),
            moves=tuple(_moves(tokens, config)),
            texts=tuple(tokens),
            results={"values": self.values},
            names=self.players,
        )


def quote(text: str) -> str:
    """Return a text in quotes, without its middle if it is long."""
    return repr(shorten(text, 60))


@lru_cache(maxsize=64)
def _with_rules(config: HoldemConfig, rules: str | RulesProfile | None) -> HoldemConfig:
    """Return the game of a log with other rules; the log still determines who posts the small blind heads-up."""
    if rules is None:
        return config
    button_owes_small_blind = config.profile.button_owes_small_blind
    return replace(config, rules=replace(profile_of(rules), button_owes_small_blind=button_owes_small_blind))


def _moves(tokens: list[str], config: HoldemConfig) -> Iterator[Move]:
    due = iter(config.board_cards[1:])
    for token in tokens:
        if token == "/":
            yield Move(DEAL_BOARD, cards=(NO_CARD,) * next(due, 1))
        else:
            yield Move({"f": FOLD, "c": CALL}.get(token, RAISE), amount=int(token[1:] or 0))


def _cards_of(hand: AcpcHand, config: HoldemConfig) -> tuple[list[list[int]], list[list[int]]]:
    """Return the hole cards by position (empty if unknown), and the board cards by street after the first."""
    shift = card_shift(config)
    holes, *board = hand.cards.split("/")
    try:
        parts = [[card_ids(text) for text in part] for part in (holes.split("|"), board)]
    except ValueError as error:
        _refuse(hand, f"cards {quote(hand.cards)}: {error}")
    shifted = [[[card - shift for card in cards] for cards in part] for part in parts]
    allowed = set(config.deck_cards)
    every = [card for part in shifted for cards in part for card in cards]
    if not set(every) <= allowed:
        _refuse(hand, f"cards {quote(hand.cards)}: not all are among the {len(allowed)} cards of this game")
    if len(set(every)) < len(every):
        _refuse(hand, f"cards {quote(hand.cards)}: a card is dealt twice")
    hole_cards, by_street = shifted
    complete = all(len(cards) in (0, config.num_hole_cards) for cards in hole_cards)
    if len(hole_cards) != config.num_players or not complete:
        _refuse(
            hand, f"cards {quote(hand.cards)}: {config.num_players} hands of {config.num_hole_cards} cards are needed"
        )
    due = config.board_cards[1:]
    if len(by_street) > len(due) or any(len(cards) != count for cards, count in zip(by_street, due, strict=False)):
        _refuse(hand, f"cards {quote(hand.cards)}: the board comes in {', '.join(map(str, due)) or 'no'} cards")
    return hole_cards, by_street


def _refuse(hand: AcpcHand, reason: str) -> NoReturn:
    raise HandHistoryError(f"{hand.source}: {reason}")
