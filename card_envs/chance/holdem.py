"""Explicit chance of hold'em: hole cards seat by seat, and the board street by street."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import accumulate, groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import card_names
from card_envs.chance import Chance, Episode, Equity, Redeal, Tables, redeal_deck
from card_envs.game import ILLEGAL, Game
from card_envs.games.holdem.actions import CALL_ACTION, FOLD_ACTION, find_raise, is_legal
from card_envs.games.holdem.betting import largest_amount
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE, RECENT_ACTIONS, Table
from card_envs.observation import Block
from card_envs.poker_hands import hand_ranks

_SHOWDOWNS = 2000
"""Number of random deals for an estimated equity."""
_KINDS = {FOLD: "f", CALL: "c", RAISE: "r"}


class Bet(NamedTuple):
    """A public decision of a seat."""

    seat: int
    street: int
    kind: int
    """FOLD, CALL or RAISE."""
    amount: int
    """Street commitment after the decision, in chips."""


UNKNOWN_AMOUNT = -1
"""Amount of decisions that a table no longer holds."""


def list_bets(t: Any) -> list[Bet]:
    """Return the decisions of a two-player hand that is not over, at a table or view; the last eight have amounts."""
    found: list[Bet] = []
    button, actor = int(t["button"]), int(t["actor"])
    for street in range(int(t["street"]) + 1):
        opener = button if street == 0 and t["blind"][0] > 0 else 1 - button
        raises, is_open = int(t["street_raises"][street]), street == int(t["street"])
        calls_first = actor != opener if raises == 0 and is_open else int(t["raiser"][street, 0]) != opener
        kinds = [CALL] * calls_first + [RAISE] * raises + [CALL] * (not is_open)
        seats = [opener, 1 - opener] * len(kinds)
        found += [Bet(seat, street, kind, UNKNOWN_AMOUNT) for seat, kind in zip(seats, kinds, strict=False)]
    for back in range(1, min(len(found), RECENT_ACTIONS) + 1):
        amount = int(t["recent_amount"][(int(t["num_decisions"]) - back) % RECENT_ACTIONS])
        found[-back] = found[-back]._replace(amount=amount)
    return found


def make_redeal(game: Game) -> Redeal:
    """Return the function that deals hidden cards anew."""
    return partial(redeal_deck, game.config.deck_cards, game.config.num_dealt)


def make_equity(game: Game) -> Equity | None:
    """Return the function that estimates the equity of a hand, in games whose hands have five cards at the end."""
    config: HoldemConfig = game.config
    return partial(equity, config) if config.is_texas or config.is_flop_holdem else None


class HoldemChance(Chance):
    """The chance events of a hold'em game, with the button on the last seat, so that seat 0 has position 0."""

    def __init__(self, game: Game) -> None:
        self._config, self._deal_with = game.config, game.deal_with
        config: HoldemConfig = game.config
        self.deck = tuple(config.deck_cards)
        self.num_private_cards = config.num_hole_cards
        self.max_cards = config.num_dealt
        self.max_decisions = max_decisions(config)
        self._amount = int(largest_amount(config.new_tables(1)[0]))
        self.min_return = -self._amount / config.chips_per_reward
        self.max_return = (config.num_players - 1) * self._amount / config.chips_per_reward
        self._place = {card: place for place, card in enumerate(self.deck)}
        hole_cards = config.num_players * config.num_hole_cards
        self._num_shown = [hole_cards + shown for shown in accumulate(config.board_cards)]
        counts = zip(self._num_shown, config.board_cards, strict=True)
        self._boards = [slice(end - count, end) for end, count in counts if count]
        self.recall_blocks = self._recall_blocks(config)

    def _recall_blocks(self, config: HoldemConfig) -> tuple[Block, ...]:
        n = config.num_players
        history = Block(
            "history",
            (self.max_decisions, n + len(_KINDS) + 1),
            "one row for each decision so far: seat (one-hot), fold, call, raise (one-hot), street commitment after it",
        )
        if not any(config.board_cards):
            return (history,)
        board = Block("board_by_street", (len(config.board_cards), len(self.deck)), "cards that came on each street")
        return (board, history)

    def open_table(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Begin the hand; cards that chance has not dealt yet are arbitrary and not shown."""
        self._deal_with(tables, 0, {"button": self._config.num_players - 1, "deck": self._complete_deck(cards)})

    def place_cards(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Write the deck field."""
        deck = self._complete_deck(cards)
        tables["deck"][0, : len(deck)] = deck

    def _complete_deck(self, cards: tuple[int, ...]) -> list[int]:
        """Return `cards` and further cards of the deck, as many as a hand deals."""
        missing = self._config.num_dealt - len(cards)
        others = [card for card in self.deck if card not in cards] if missing else []
        return [*cards, *others[:missing]]

    def num_cards_dealt(self, tables: Tables) -> int:
        """Return the number of hole cards and of board cards up to the table's street."""
        return self._num_shown[int(tables["street"][0])]

    def public_decision(self, before: Tables, after: Tables, action: int) -> Bet:
        """Return the decision, which the table records."""
        ring = (int(after["num_decisions"][0]) - 1) % RECENT_ACTIONS
        seat, kind = divmod(int(after["recent_move"][0, ring]), 4)
        return Bet(seat, int(before["street"][0]), kind, int(after["recent_amount"][0, ring]))

    def action_of(self, tables: Tables, decision: Bet) -> int:
        """Return the action id of a decision of the actor; ILLEGAL if the actor cannot take it."""
        t: Table = tables[0]
        if int(t.actor) != decision.seat:
            return ILLEGAL
        action: int | None = FOLD_ACTION if decision.kind == FOLD else CALL_ACTION
        if decision.kind == RAISE:
            action = find_raise(t, decision.amount)
        return action if action is not None and is_legal(t, action) else ILLEGAL

    def face_up_cards(self, episode: Episode) -> Sequence[Collection[int]]:
        """Return no cards: hole cards are shown after the last decision."""
        return [()] * self._config.num_players

    def public_text(self, episode: Episode) -> str:
        """Return board and betting by street: "board 2c 7d Th / Js  betting c r4 c / c c"."""
        boards = [card_names(sorted(episode.cards[place])) for place in self._boards]
        streets = groupby(episode.decisions, key=lambda bet: bet.street)
        betting = " / ".join(
            " ".join(f"r{bet.amount}" if bet.kind == RAISE else _KINDS[bet.kind] for bet in bets) for _, bets in streets
        )
        return f"board {' / '.join(filter(None, boards)) or '-'}  betting {betting or '-'}"

    def private_text(self, cards: Iterable[int]) -> str:
        """Return hole cards, the highest first: the order of the deal does not matter."""
        return card_names(sorted(cards, reverse=True))

    def write_recall(self, episode: Episode, pieces: Mapping[str, NDArray[Any]]) -> None:
        """Write the board street by street, and the betting."""
        if "board_by_street" in pieces:
            streets = [street for street, count in enumerate(self._config.board_cards) if count]
            for street, place in zip(streets, self._boards, strict=True):
                pieces["board_by_street"][street, [self._place[card] for card in episode.cards[place]]] = 1
        n, history = self._config.num_players, pieces["history"]
        for row, bet in enumerate(episode.decisions):
            history[row, bet.seat] = history[row, n + bet.kind] = 1
            history[row, -1] = bet.amount / self._amount


make_chance = HoldemChance


def max_decisions(config: HoldemConfig) -> int:
    """Return an upper bound of the number of decisions in a hand.

    On a street, each seat may decide once, and after each raise all others may decide again. Without a cap, the number
    of raises is limited by the stacks: a raise increases the bet by at least the smallest bet, except for one all-in of
    each seat. If such an all-in reopens the betting, later raises may be as small as a chip.
    """
    others, streets = config.num_players - 1, len(config.board_cards)
    raises = _max_raises(config)
    if config.structure == "limit" and config.max_raises is not None:
        raises = min(raises, sum(config.max_raises))
    return streets * config.num_players + raises * others


def _max_raises(config: HoldemConfig) -> int:
    """Return an upper bound of the number of raises that the stacks allow."""
    smallest = config.min_bet
    if config.structure == "limit":
        smallest = min(config.raise_sizes)
    elif config.profile.short_raise_reopens and config.num_players > 2:
        smallest = 1
    return max(config.stack_list) // smallest + config.num_players


def equity(config: HoldemConfig, views: Tables, seat: int) -> float:
    """Return the equity of a seat's hand against random hands of the other seats in the hand.

    It is estimated from `_SHOWDOWNS` random deals with a fixed seed; the standard error is below 0.011.
    """
    tables = np.repeat(views[:1], _SHOWDOWNS)
    redeal_deck(config.deck_cards, config.num_dealt, tables, seat, np.random.default_rng(0))
    deck, held = tables["deck"], config.num_hole_cards * config.num_players
    board = deck[:, held : config.num_dealt]
    staying = [seat, *(k for k in range(config.num_players) if k != seat and int(views["in_hand"][0]) >> k & 1)]
    hands = np.stack([np.column_stack([deck[:, 2 * k : 2 * k + 2], board]) for k in staying], axis=1)
    ranks = hand_ranks(hands.reshape(-1, hands.shape[2])).reshape(len(tables), len(staying))
    best = ranks == ranks.min(axis=1, keepdims=True)
    return float(np.mean(best[:, 0] / best.sum(axis=1)))
