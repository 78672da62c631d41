"""Which Big 2 is played: the rules of one published environment, and every rule that houses play differently."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, TypedDict

from card_envs.formatting import markdown_table
from card_envs.game import Game, is_whole
from card_envs.games.big2.state import (
    ALL_TRIPLES,
    DRAGON_WINS,
    FLUSH_BY_HIGHEST_CARD,
    FLUSH_BY_RANKS,
    FLUSH_BY_SUIT,
    HAND_SIZE,
    NO_BARE_TRIPLES,
    NO_FLUSHES,
    OPENER_IS_ASKED,
    PASSES_PLAYED,
    PASSES_SKIPPED,
    PASSES_SKIPPED_AFTER_2S,
)
from card_envs.records import Tables

RUNS = ("34567", "45678", "56789", "6789T", "789TJ", "89TJQ", "9TJQK", "TJQKA", "JQKA2", "23456", "A2345")
"""Every run of five ranks that is a straight under some house rules; the place in this list is the run's number.

Run k < 9 begins with the k-th lowest rank of Big 2, in which 3 is lowest, then 4, ... A, 2.
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
"""The straights of each house rule, lowest first, with the rank whose suit decides between equal runs."""

FLUSHES = {
    "highest_card": FLUSH_BY_HIGHEST_CARD,
    "suit": FLUSH_BY_SUIT,
    "ranks": FLUSH_BY_RANKS,
    "none": NO_FLUSHES,
}
"""`flushes`: what decides between two flushes, or none -> the value in a table's record."""
FORCED_PASSES = {
    "played": PASSES_PLAYED,
    "skipped_after_2s": PASSES_SKIPPED_AFTER_2S,
    "skipped": PASSES_SKIPPED,
}
"""`forced_passes`: which turns without a choice are steps -> the value in a table's record."""

NEVER = HAND_SIZE + 1
"""Number of cards that no loser holds; in a table's record it stands for a scoring rule that is off."""


class Big2Options(TypedDict, total=False):
    """Arguments of `presets.big2` that replace single rules; None leaves a rule as the profile has it."""

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
    """The holder of 3D is asked to lead it as a single (its only legal action); otherwise the deal does it."""
    forced_passes: str = "played"
    """Turns whose only legal action is to pass: `played` as steps; `skipped_after_2s`: 2S brings control at once;
    `skipped` wherever they occur (which shows the others that the seat could not play)."""
    higher_straight_flush_wins: bool = False
    """A straight flush is beaten by a higher one; otherwise by nothing."""
    all_triples: bool = False
    """Any three of the four cards of a rank may be played; otherwise not the three without the heart."""
    straights: str = "two_high"
    """Runs that are straights, lowest first: `two_high` 34567 < ... < TJQKA < JQKA2; `without_twos` 34567 < ... <
    TJQKA; `two_low` A2345 < 23456 < 34567 < ... < TJQKA; `hong_kong` 34567 < ... < TJQKA < 23456 < A2345; `taiwan`
    A2345 < 34567 < ... < TJQKA < 23456."""
    flushes: str = "highest_card"
    """The criterion between flushes: the `highest_card`, its rank before its suit; the `suit` before the highest card;
    the `ranks` from the highest to the lowest as in poker, then the suit; `none`: a flush is no combination, while a
    straight flush is one."""
    double_from: int | None = None
    """Losers with this many cards or more pay twice; None: nobody does. 10 is common."""
    triple_from: int | None = None
    """Losers with this many cards or more pay three times; None: nobody does. 13 is common."""
    points_per_two: int = 0
    """Points that a loser pays on top for each 2 still held."""
    double_per_two: bool = False
    """A loser's payment doubles with each 2 still held."""
    bare_triples: bool = True
    """Three of a kind may be played alone; otherwise in full houses only."""
    dragon_wins: bool = False
    """A seat that is dealt a dragon, one card of each rank, wins before anybody plays: the others pay for 13 cards. Of
    several dragons the first wins in the order of play from the holder of 3D."""

    def __post_init__(self) -> None:
        """Check every field; see the messages."""
        _check_choice("forced_passes", self.forced_passes, FORCED_PASSES)
        _check_choice("straights", self.straights, STRAIGHTS)
        _check_choice("flushes", self.flushes, FLUSHES)
        for name in _switches():
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} {getattr(self, name)!r} must be True or False")
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
                f"points_per_two {self.points_per_two} and double_per_two are penalties for the same card: choose one"
            )

    @classmethod
    def profile(cls, rules: str = "charlesworth2018", **options: Any) -> Self:
        """Return a named set of rules.

        Args:
            rules: A key of `RULES`.
            **options: Fields of `Big2Config` that replace those of the set.

        Raises:
            ValueError: For unknown names and values.

        Example:
            >>> Big2Config.profile("charlesworth2018", straights="hong_kong").straights
            'hong_kong'
        """
        if rules not in RULES:
            raise ValueError(f"rules {rules!r} are not known: choose one of {sorted(RULES)}")
        known = [field.name for field in fields(cls)]
        unknown = sorted(set(options) - set(known))
        if unknown:
            raise ValueError(f"options {unknown} are not known: Big 2 has {known}")
        return cls(**{**RULES[rules], **options})

    @property
    def max_reward(self) -> int:
        """Points that no winner exceeds: three losers with all their cards, and all four 2s among them."""
        factor = 3 if self.triple_from is not None else 2 if self.double_from is not None else 1
        # one loser holds all four 2s, which is the most when each doubles his payment
        hands = 2**4 + 1 + 1 if self.double_per_two else 3
        return HAND_SIZE * factor * hands + 4 * self.points_per_two

    @property
    def run_levels(self) -> list[int]:
        """Strength of every run in `RUNS` as a straight, -1 where it is none."""
        levels = {run: level for level, (run, _) in enumerate(STRAIGHTS[self.straights])}
        return [levels.get(run, -1) for run in RUNS]

    @property
    def run_deciders(self) -> list[int]:
        """For every run in `RUNS`, which of its five cards (0 = lowest in Big 2) decides between equal runs."""
        deciders = dict(STRAIGHTS[self.straights])
        return [_sort_ranks(run).index(deciders.get(run, run[-1])) for run in RUNS]

    def write_settings(self, tables: Tables) -> None:
        """Write these rules into the settings fields of every record in `tables`."""
        tables["run_level"] = self.run_levels
        tables["run_decider"] = self.run_deciders
        tables["flushes"] = FLUSHES[self.flushes]
        tables["forced_passes"] = FORCED_PASSES[self.forced_passes]
        for name in ("higher_straight_flush_wins", "double_per_two"):
            tables[name] = getattr(self, name)
        tables["opening_decision"] = OPENER_IS_ASKED * self.opening_decision + DRAGON_WINS * self.dragon_wins
        tables["all_triples"] = ALL_TRIPLES * self.all_triples + NO_BARE_TRIPLES * (not self.bare_triples)
        tables["double_from"] = NEVER if self.double_from is None else self.double_from
        tables["triple_from"] = NEVER if self.triple_from is None else self.triple_from
        tables["points_per_two"] = self.points_per_two


def _switches() -> list[str]:
    """Return the names of the rules that are True or False."""
    return [field.name for field in fields(Big2Config) if field.type == "bool"]


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
"""Named sets of options. `charlesworth2018`: the environment that Charlesworth (2018, arXiv:1808.10442) published, as
it runs. `charlesworth2018_text`: the same game as the paper and its rule page tell it, where the program differs.
`hong_kong` and `taiwan`: house rules reported from there, as far as options go. Under all of them 3D is led as a
single, suits rank diamonds, clubs, hearts, spades, two pair is a combination, and four of a kind has no fifth card."""


@dataclass(frozen=True)
class Option:
    """One row of the documentation of the rules."""

    name: str
    values: str
    meaning: str
    source: str


OPTIONS = (
    Option(
        "opening_decision",
        "`False`, `True`",
        "the holder of 3D is asked to lead it as a single, its only legal action; otherwise dealing plays it",
        "False: the published program; True: its paper, section 2",
    ),
    Option(
        "forced_passes",
        "`played`, `skipped_after_2s`, `skipped`",
        "turns in which passing is the only legal action are steps; are left out once the 2S lies on the table; are "
        "always left out, which tells the others that the seat could not play",
        "`played`: the published program; `skipped_after_2s`: its paper, section 2",
    ),
    Option(
        "higher_straight_flush_wins",
        "`False`, `True`",
        "a higher straight flush beats a lower one; otherwise nothing beats a straight flush",
        "False: the published program; True: its rule page",
    ),
    Option(
        "all_triples",
        "`False`, `True`",
        "with all four cards of a rank in hand, any three of them are a triple; otherwise not diamond, club and spade",
        "False: the published program; True: its paper",
    ),
    Option(
        "straights",
        "`two_high`, `without_twos`, `two_low`, `hong_kong`, `taiwan`",
        "`two_high`: 34567 < ... < TJQKA < JQKA2. `without_twos`: 34567 < ... < TJQKA. `two_low`: A2345 < 23456 < "
        "34567 < ... < TJQKA. `hong_kong`: 34567 < ... < TJQKA < 23456 < A2345. `taiwan`: A2345 < 34567 < ... < TJQKA "
        "< 23456. Of equal runs, the suit of the top card decides, or of the 2 where it makes the run high. Straight "
        "flushes rank alike",
        "`two_high`: the published program; the others: house rules, named after where they are reported",
    ),
    Option(
        "flushes",
        "`highest_card`, `suit`, `ranks`, `none`",
        "the highest card decides, its rank before its suit; the suit decides, then the highest card; all ranks decide "
        "from the highest down, then the suit; a flush is no combination (a straight flush is one)",
        "`highest_card`: the published program; the others: house rules",
    ),
    Option(
        "double_from",
        "`None`, 1 .. 13",
        "losers with at least so many cards pay two points a card (10 is common)",
        "None: the published program; numbers: house rule",
    ),
    Option(
        "triple_from",
        "`None`, 1 .. 13",
        "losers with at least so many cards pay three points a card (13 is common); more cards than `double_from`",
        "None: the published program; numbers: house rule",
    ),
    Option(
        "points_per_two",
        "0 .. 1000",
        "points that a loser pays on top for each 2 in hand; not with `double_per_two`",
        "0: the published program; numbers: house rule",
    ),
    Option(
        "double_per_two",
        "`False`, `True`",
        "each 2 in hand doubles what a loser pays; not with `points_per_two`",
        "False: the published program; True: house rule",
    ),
    Option(
        "bare_triples",
        "`True`, `False`",
        "three of a kind may be played alone; otherwise in full houses only",
        "True: the published program; False: house rule",
    ),
    Option(
        "dragon_wins",
        "`False`, `True`",
        "whoever is dealt a dragon, one card of each of the 13 ranks, wins before anybody plays, and the others pay "
        "for 13 cards; of several, the first in the order of play from the holder of 3D",
        "False: the published program; True: house rule",
    ),
)
"""Every field of `Big2Config`, for the documentation."""


def options_table() -> str:
    """Return the documentation of all options as a Markdown table, the default of each included."""
    defaults = Big2Config()
    rows = [
        (f"`{option.name}`", option.values, f"`{getattr(defaults, option.name)}`", option.meaning, option.source)
        for option in OPTIONS
    ]
    return markdown_table(("option", "values", "default", "meaning", "source"), rows)


def is_big2(game: Game) -> bool:
    """Return True for Big 2 under any rules."""
    return isinstance(game.config, Big2Config)


def _sort_ranks(ranks: str) -> str:
    return "".join(sorted(ranks, key="3456789TJQKA2".index))


def _check_choice(name: str, value: str, choices: Collection[str]) -> None:
    if value not in choices:
        raise ValueError(f"{name} {value!r} is not known: choose one of {list(choices)}")
