"""Explicit chance of Big 2: all 52 cards are dealt before the first decision, seat after seat."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from card_envs.cards import DECK_SIZE
from card_envs.chance import Chance, Episode, Redeal, Tables
from card_envs.game import ILLEGAL, Game
from card_envs.games.big2.actions import PASS, action_of
from card_envs.games.big2.combos import card_of, order_names, order_of
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.state import HAND_SIZE, NUM_SEATS, Table
from card_envs.games.big2.view import action_cards, hand, legal_actions
from card_envs.observation import Block

_MAX_PLAYS = NUM_SEATS * HAND_SIZE - (NUM_SEATS - 1)
"""Maximum number of plays in a deal: single cards, with one card left to each loser."""
_THREE_OF_DIAMONDS = 0


class Play(NamedTuple):
    """The public part of an action: the seat and its cards (order numbers), none for a pass.

    The action id is not public: its positions in the hand would reveal the order of the played cards among the others.
    """

    seat: int
    orders: tuple[int, ...]


def make_redeal(game: Game) -> Redeal:
    """Return the function that deals hidden cards anew."""
    return redeal


class Big2Chance(Chance):
    """The chance events of Big 2."""

    num_private_cards = HAND_SIZE
    deck = tuple(range(DECK_SIZE))
    max_cards = DECK_SIZE
    max_decisions = _MAX_PLAYS + (NUM_SEATS - 1) * (_MAX_PLAYS - 1)
    recall_blocks: tuple[Block, ...] = (
        Block(
            "history",
            (max_decisions, NUM_SEATS + DECK_SIZE),
            "one row for each play and pass so far: seat (one-hot), cards 3D 3C 3H 3S 4D .. 2S",
        ),
    )

    def __init__(self, game: Game) -> None:
        self._config, self._deal_with = game.config, game.deal_with
        config: Big2Config = game.config
        self.min_return, self.max_return = -float(config.max_reward), float(config.max_reward)

    def open_table(self, tables: Tables, cards: tuple[int, ...]) -> None:
        """Begin the deal."""
        hands = [list(cards[seat * HAND_SIZE : (seat + 1) * HAND_SIZE]) for seat in range(NUM_SEATS)]
        self._deal_with(tables, 0, {"hands": hands})

    def num_cards_dealt(self, tables: Tables) -> int:
        """Return 52: all cards are dealt before the first decision."""
        return DECK_SIZE

    def public_decision(self, before: Tables, after: Tables, action: int) -> Play:
        """Return the play."""
        t = before[0]
        return Play(int(t.actor), () if action == PASS else tuple(action_cards(t, action)))

    def action_of(self, tables: Tables, decision: Play) -> int:
        """Return the actor's action id that plays the cards; ILLEGAL if it does not hold them or may not play them."""
        t: Table = tables[0]
        held = hand(t, int(t.actor))
        if int(t.actor) != decision.seat or not set(decision.orders) <= set(held):
            return ILLEGAL
        action = action_of([held.index(order) for order in decision.orders])
        return action if action in legal_actions(t) else ILLEGAL

    def face_up_cards(self, episode: Episode) -> Sequence[Collection[int]]:
        """Return the cards that each seat has played, and 3D for the opener, which is known."""
        shown: list[set[int]] = [set() for _ in range(NUM_SEATS)]
        if episode.has_begun:
            shown[int(episode.tables["opener"][0])].add(card_of(_THREE_OF_DIAMONDS))
        for play in episode.decisions:
            shown[play.seat].update(map(card_of, play.orders))
        return shown

    def public_text(self, episode: Episode) -> str:
        """Return all plays and passes: "p2 3D, p3 5H, p0 pass"."""
        plays = self._plays(episode)
        return ", ".join(f"p{seat} {order_names(orders) or 'pass'}" for seat, orders in plays) or "-"

    def private_text(self, cards: Iterable[int]) -> str:
        """Return the cards, the lowest first."""
        return order_names(sorted(map(order_of, cards)))

    def write_recall(self, episode: Episode, pieces: Mapping[str, NDArray[Any]]) -> None:
        """Write all plays and passes."""
        history = pieces["history"]
        for row, play in enumerate(self._plays(episode)):
            history[row, play.seat] = 1
            history[row, [NUM_SEATS + order for order in play.orders]] = 1

    def _plays(self, episode: Episode) -> tuple[Play, ...]:
        """Return all plays and passes, the automatic lead of 3D included; none if a dragon won."""
        if not episode.has_begun or self._config.opening_decision:
            return episode.decisions
        if episode.tables["is_over"][0] and not episode.decisions:
            return ()
        return (Play(int(episode.tables["opener"][0]), (_THREE_OF_DIAMONDS,)), *episode.decisions)


make_chance = Big2Chance


def redeal(views: Tables, seat: int, rng: np.random.Generator) -> None:
    """Replace the hands of the other seats in copies of one view by random cards, as many as each seat holds."""
    first = views[0]
    gone = int(first.held[seat]) | int(np.bitwise_or.reduce(first.played))
    unseen = np.array([order for order in range(DECK_SIZE) if not gone >> order & 1], np.uint8)
    cards = rng.permuted(np.tile(unseen, (len(views), 1)), axis=1)
    start = 0
    for other in (k for k in range(NUM_SEATS) if k != seat):
        end = start + int(first.num_cards[other])
        dealt = np.sort(cards[:, start:end], axis=1)
        views["hand"][:, other, : end - start] = dealt
        views["held"][:, other] = (np.int64(1) << dealt.astype(np.int64)).sum(axis=1)
        start = end
