"""`Big2Config`: the rules of Big 2, those of a published environment and house rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, TypedDict

from card_envs.game import Game, check_switches, is_whole, replace_numpy_integers
from card_envs.games.big2.state import (
    FLUSH_BY_HIGHEST_CARD,
    FLUSH_BY_RANKS,
    FLUSH_BY_SUIT,
    HAND_SIZE,
    NO_FLUSHES,
    OPENING_DECISION,
    OPENING_DRAGON_WINS,
    PASSES_PLAYED,
    PASSES_SKIPPED,
    PASSES_SKIPPED_AFTER_2S,
    TRIPLES_ALL,
    TRIPLES_NOT_BARE,
)
from card_envs.records import Tables

__all__ = ["FLUSHES", "FORCED_PASSES", "NEVER", "RULES", "RUNS", "STRAIGHTS", "Big2Config", "Big2Options", "is_big2"]

RUNS = ("34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA", "JQKA2", "23456", "A2345")
"""All runs of five ranks that are straights under some house rules; a run's number is its index.

Run k < 9 begins with the k-th lowest rank of Big 2, whose order is 3, 4, ... A, 2.
"""

_WITHOUT_TWOS = RUNS[:8]

STRAIGHTS: Mapping[str, tuple[tuple[str, str], ...]] = {
    name: tuple((run, decider) for run, decider in ranking)
    for name, ranking in {
        "two_high": [(run, run[-1]) for run in RUNS[:9]],
        "without_twos": [(run, run[-1]) for run in _WITHOUT_TWOS],
        "two_low": [("A2345", "5"), ("23456", "6"), *((run, run[-1]) for run in _WITHOUT_TWOS)],
        "hong_kong": [*((run, run[-1]) for run in _WITHOUT_TWOS), ("23456", "2"), ("A2345", "2")],
        "taiwan": [("A2345", "5"), *((run, run[-1]) for run in _WITHOUT_TWOS), ("23456", "2")],
    }.items()
}
"""The straights of each house rule, lowest first, each with the rank whose suit decides between equal runs."""

FLUSHES = {
    "highest_card": FLUSH_BY_HIGHEST_CARD,
    "suit": FLUSH_BY_SUIT,
    "ranks": FLUSH_BY_RANKS,
    "none": NO_FLUSHES,
}
"""Option `flushes` (what decides between two flushes, or none) -> value in a table's record."""
FORCED_PASSES = {
    "played": PASSES_PLAYED,
    "skipped_after_2s": PASSES_SKIPPED_AFTER_2S,
    "skipped": PASSES_SKIPPED,
}
"""Option `forced_passes` (which turns without a choice are steps) -> value in a table's record."""

NEVER = HAND_SIZE + 1
"""Number of cards that no loser holds; in a table's record, it disables a scoring rule."""


class Big2Options(TypedDict, total=False):
    """Arguments of `presets.big2` that replace single rules; None keeps the rule of the profile."""

    opening_decision: bool | None
    forced_passes: str | None
    higher_straight_flush_wins: bool | None
    all_triples: bool | None
    straights: str | None
    flushes: str | None
    double_from: int | None
    triple_from: int | None
    points_per_two: int | None
    double_per_two: bool | None
    bare_triples: bool | None
    dragon_wins: bool | None


@dataclass(frozen=True)
class Big2Config:
    """The rules of a Big 2 game for four seats. The defaults are those of the profile `charlesworth2018`."""

    opening_decision: bool = False
    """True if the holder of 3D has to lead it as a single (its only legal action); else the deal plays it."""
    forced_passes: str = "played"
    """Treatment of turns whose only legal action is to pass: `played` as steps; `skipped_after_2s`, so that 2S gives
    control at once; `skipped` always, which shows the others that the seat could not play."""
    higher_straight_flush_wins: bool = False
    """True if a higher straight flush beats a straight flush; else nothing does."""
    all_triples: bool = False
    """True if any three of the four cards of a rank are a triple; else not the three without the heart."""
    straights: str = "two_high"
    """Runs that are straights, lowest first: `two_high` 34567 < ... < TJQKA < JQKA2; `without_twos` 34567 < ... <
    TJQKA; `two_low` A2345 < 23456 < 34567 < ... < TJQKA; `hong_kong` 34567 < ... < TJQKA < 23456 < A2345; `taiwan`
    A2345 < 34567 < ... < TJQKA < 23456."""
    flushes: str = "highest_card"
    """Order of flushes: by `highest_card` (rank, then suit); by `suit`, then highest card; by `ranks` from the highest
    down as in poker, then suit; `none`: a flush is no combination, but a straight flush is one."""
    double_from: int | None = None
    """Losers with at least this many cards pay twice; None to disable. 10 is common."""
    triple_from: int | None = None
    """Losers with at least this many cards pay three times; None to disable. 13 is common."""
    points_per_two: int = 0
    """Additional points that a loser pays for each 2 in hand."""
    double_per_two: bool = False
    """True if each 2 in hand doubles a loser's payment."""
    bare_triples: bool = True
    """True if three of a kind may be played alone; else only in full houses."""
    dragon_wins: bool = False
    """True if a seat that is dealt a dragon, one card of each rank, wins at once, and the others pay for 13 cards. Of
    several dragons, the first in the order of play from the holder of 3D wins."""

    def __post_init__(self) -> None:
        """Raise a ValueError for rules that are unknown or contradict each other."""
        replace_numpy_integers(self)
        _check_choice("forced_passes", self.forced_passes, FORCED_PASSES)
        _check_choice("straights", self.straights, STRAIGHTS)
        _check_choice("flushes", self.flushes, FLUSHES)
        check_switches(self)
        for name in ("double_from", "triple_from"):
            cards = getattr(self, name)
            if cards is not None and not (is_whole(cards) and 1 <= cards <= HAND_SIZE):
                raise ValueError(f"{name} {cards!r} must be a number of cards in 1 .. {HAND_SIZE}, or None")
        if not is_whole(self.points_per_two) or not 0 <= self.points_per_two <= 1000:
            raise ValueError(f"points_per_two {self.points_per_two!r} must be a whole number in 0 .. 1000")
        if self.double_from is not None and self.triple_from is not None and self.triple_from <= self.double_from:
            raise ValueError(
                f"triple_from {self.triple_from} must be more cards than double_from {self.double_from}: "
                "otherwise nobody pays twice"
            )
        if self.points_per_two > 0 and self.double_per_two:
            raise ValueError(
                f"points_per_two {self.points_per_two} and double_per_two are penalties for the same cards: choose one"
            )

    @classmethod
    def profile(cls, rules: str = "charlesworth2018", **options: Any) -> Self:
        """Return a named set of rules.

        Args:
            rules: A key of `RULES`.
            **options: Fields of `Big2Config` that replace those of the set of rules.

        Raises:
            ValueError: For unknown names and values.

        Example:
            >>> Big2Config.profile("charlesworth2018", straights="hong_kong").straights
            'hong_kong'
        """
        if not isinstance(rules, str) or rules not in RULES:
            raise ValueError(f"rules {rules!r} are not known: choose one of {sorted(RULES)}")
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise ValueError(f"options {unknown} are not known: Big 2 has {known}")
        return cls(**{**RULES[rules], **options})

    @property
    def max_reward(self) -> int:
        """Upper bound of a winner's points: three losers hold all their cards, among them all four 2s."""
        factor = 3 if self.triple_from is not None else 2 if self.double_from is not None else 1
        # with `double_per_two`, the maximum is reached if one loser holds all four 2s
        hands = 2**4 + 1 + 1 if self.double_per_two else 3
        return HAND_SIZE * factor * hands + 4 * self.points_per_two

    @property
    def run_levels(self) -> list[int]:
        """Order of each run in `RUNS` as a straight; -1 if it is none."""
        levels = {run: level for level, (run, _) in enumerate(STRAIGHTS[self.straights])}
        return [levels.get(run, -1) for run in RUNS]

    @property
    def run_deciders(self) -> list[int]:
        """For each run in `RUNS`, index of the card (0 = lowest in Big 2) that decides between equal runs."""
        deciders = dict(STRAIGHTS[self.straights])
        return [sorted(run, key="3456789TJQKA2".index).index(deciders.get(run, run[-1])) for run in RUNS]

    def write_settings(self, tables: Tables) -> None:
        """Write these rules into the settings of all `tables`."""
        tables["run_level"] = self.run_levels
        tables["run_decider"] = self.run_deciders
        tables["flushes"] = FLUSHES[self.flushes]
        tables["forced_passes"] = FORCED_PASSES[self.forced_passes]
        for name in ("higher_straight_flush_wins", "double_per_two"):
            tables[name] = getattr(self, name)
        tables["opening_rules"] = OPENING_DECISION * self.opening_decision + OPENING_DRAGON_WINS * self.dragon_wins
        tables["triple_rules"] = TRIPLES_ALL * self.all_triples + TRIPLES_NOT_BARE * (not self.bare_triples)
        tables["double_from"] = NEVER if self.double_from is None else self.double_from
        tables["triple_from"] = NEVER if self.triple_from is None else self.triple_from
        tables["points_per_two"] = self.points_per_two


RULES: Mapping[str, Mapping[str, Any]] = {
    "charlesworth2018": {},
    "charlesworth2018_text": {
        "opening_decision": True,
        "forced_passes": "skipped_after_2s",
        "higher_straight_flush_wins": True,
        "all_triples": True,
    },
    "hong_kong": {
        "higher_straight_flush_wins": True,
        "all_triples": True,
        "straights": "hong_kong",
        "flushes": "suit",
        "double_from": 10,
        "triple_from": 13,
    },
    "taiwan": {
        "higher_straight_flush_wins": True,
        "all_triples": True,
        "straights": "taiwan",
        "flushes": "none",
        "double_from": 10,
        "triple_from": 13,
        "bare_triples": False,
        "dragon_wins": True,
    },
}
"""Named sets of rules. `charlesworth2018`: the program that Charlesworth (2018, arXiv:1808.10442) published.
`charlesworth2018_text`: the game that the paper and its rule page describe, which differs from the program. `hong_kong`
and `taiwan`: house rules reported from there, as far as there are options for them. In all of them, 3D is led as a
single, the order of suits is diamonds, clubs, hearts, spades, two pair is a combination, and four of a kind has no
fifth
card."""


def is_big2(game: Game) -> bool:
    """Return True for Big 2 with any rules."""
    return isinstance(game.config, Big2Config)


def _check_choice(name: str, value: str, choices: Collection[str]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} {value!r} is not known: choose one of {list(choices)}")
