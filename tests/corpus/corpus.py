"""The corpus read from its files: hands as other tests use them, and what every rules profile expects of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from card_envs.games.holdem.actions import has
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RULES as PROFILES
from card_envs.games.holdem.state import RAISE
from card_envs.history import load_hand
from card_envs.history.hand_record import DEAL_BOARD, DEAL_HOLE
from card_envs.history.phh.hand import HOLDEM_VARIANTS
from card_envs.history.phh.hand import Hand as PhhHand
from tests.helpers.holdem_hands import Found, Hand, OneTable, Options

FOLDER = Path(__file__).parents[1] / "data" / "corpus"


@dataclass(frozen=True)
class Entry:
    """One hand of the corpus."""

    name: str
    says: str
    """The rule, in words."""
    hand: Hand
    expected: dict[str, Found]
    """By rules profile."""
    confirmed_by: dict[str, str | None]

    @property
    def rule(self) -> str:
        """The name of the rule."""
        return self.name.rpartition("-")[0]


def load_corpus() -> list[Entry]:
    """Return all hands."""
    expectations = json.loads((FOLDER / "expectations.json").read_text(encoding="utf-8"))
    return [load_entry(name, entry) for name, entry in expectations.items()]


def load_entry(name: str, entry: dict[str, Any]) -> Entry:
    profiles = [profile for profile in PROFILES if profile in entry]
    return Entry(
        name=name,
        says=entry["rule"],
        hand=hand_of(load_hand(FOLDER / "hands" / f"{name}.phh"), entry["recorded_under"]),
        expected={profile: found_of(entry[profile]) for profile in profiles},
        confirmed_by={profile: entry[profile]["confirmed_by"] for profile in profiles},
    )


def found_of(expectation: dict[str, Any]) -> Found:
    trace = tuple(
        Options(int(player[1:]) - 1, fold, call, tuple(raises) if raises else None)
        for player, fold, call, raises in expectation["decisions"]
    )
    return Found(trace, tuple(map(Fraction, expectation.get("payoffs", ()))), expectation.get("refused"))


def hand_of(recorded: PhhHand, profile: str) -> Hand:
    """Return a recorded hand with what an engine needs to play it; board cards that never came are filled in."""
    fields, n = recorded.fields, recorded.num_players
    config = config_of(recorded, profile)
    hole_cards = [list(move.cards) for move in recorded.moves if move.kind == DEAL_HOLE]
    board = [card for move in recorded.moves if move.kind == DEAL_BOARD for card in move.cards]
    deck = [card for cards in hole_cards for card in cards] + board
    deck += [card for card in range(52) if card not in deck][: 5 - len(board)]
    decisions = [(move.kind, int(move.amount)) for move in recorded.moves if move.kind <= RAISE]
    table = OneTable(config, button=n - 1, stacks=fields["starting_stacks"], deck=deck)
    hand = Hand(config, list(fields["starting_stacks"]), hole_cards, deck[2 * n :], decisions)
    for decision in decisions:
        hand.trace.append(table.options())
        table.decide(*decision)
    hand.payoffs, hand.commits = table.by_position("payoff"), table.by_position("hand_commit")
    hand.folded = [not has(table.t.in_hand, seat) for seat in table.seats]
    return hand


def config_of(recorded: PhhHand, profile: str) -> HoldemConfig:
    fields, n = recorded.fields, recorded.num_players
    antes = tuple(fields["antes"])
    small, big = fields.get("small_bet", 1), fields.get("big_bet", 1)
    return HoldemConfig(
        structure=HOLDEM_VARIANTS[recorded.variant],
        num_players=n,
        stacks=tuple(fields["starting_stacks"]),
        blinds=tuple(blind for blind in fields["blinds_or_straddles"] if blind),
        antes=antes[::-1] if n == 2 else antes,
        min_bet=fields.get("min_bet", small),
        raise_sizes=(small, small, big, big),
        max_raises=(4, 4, 4, 4) if recorded.variant == "FT" else None,
        rules=replace(PROFILES[profile], dead_antes=not fields["ante_trimming_status"]),
    )
