"""Patterns that read text from outside take time linear in its length: nobody can stop a reader by one long text."""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Callable, Iterator

import pytest

from card_envs.text import ActionTextError, extract_answer, parse_action
from card_envs.text.answers import MAX_TEXT
from tests.text.games_in_words import game_of

SMALL = 400
"""Characters of the shortest text."""
FACTORS = (4, 16)
"""How many times longer the other texts are; the first stops readers that would take hours for the second."""
SLACK = 4
"""How many times longer than in proportion a text may take; for a quadratic reader it is 16 with the last factor."""
LEAST = 5e-6
"""Seconds that count for the shortest text at least: a shorter reading measures the call alone."""


def seconds(read: Callable[[str], object], text: str, runs: int) -> float:
    """Return the least processor time of this thread for one reading, which other processes hardly disturb."""
    found = []
    for _ in range(runs):
        before = time.thread_time()
        read(text)
        found.append(time.thread_time() - before)
    return min(found)


def is_linear(read: Callable[[str], object], make: Callable[[int], str]) -> bool:
    """Return whether the time grows in proportion to the length; doubtful cases are measured anew."""
    for factor in FACTORS:
        for runs in (1, 3, 9):
            found = seconds(read, make(SMALL * factor), runs)
            if found <= SLACK * factor * LEAST or found <= SLACK * factor * seconds(read, make(SMALL), runs):
                break
        else:
            return False
    return True


def attacks(example: str) -> Iterator[tuple[str, str, str]]:
    """Yield (start, repeated part, end) of texts that begin like an example and repeat a part of it or a blank."""
    pieces = {" ", "\n", "0", "a", "[", "(", example, *example}
    pieces |= {example[start : start + size] for size in (2, 4, 8) for start in range(0, len(example), 3)}
    for cut in {0, len(example), *range(0, len(example), 2)}:
        for piece in sorted(pieces):
            for end in ("", "\0", "\n\0"):
                yield example[:cut], piece, end


def check(read: Callable[[str], object], examples: tuple[str, ...]) -> None:
    for example in examples:
        for start, piece, end in attacks(example):

            def make(size: int, start: str = start, piece: str = piece, end: str = end) -> str:
                return start + piece * (size // len(piece)) + end

            assert is_linear(read, make), f"{start!r} + N * {piece!r} + {end!r} takes more than linear time"


def test_the_measure_finds_quadratic_patterns() -> None:
    old = re.compile(r"\b(?:answer|move)\s*(?:is)?\s*[:=]\s*([^\n]+)")
    assert not is_linear(old.findall, lambda size: "answer" + " " * size)
    assert not is_linear(re.compile(r"<(a|b)>.*?</\1>", re.DOTALL).findall, lambda size: "<a>" * (size // 3))
    assert is_linear(old.findall, lambda size: "answer: call\n" * (size // 13))


ANSWERS = (
    "<think>[fold]</think> call", "<answer>raise 80</answer>", "Final answer is : call\n", "\\boxed{call}",
    '{"move": "raise", "amount": 80}', "[raise to 2.5bb]", "\u0301\u0327e\ufdfa",
)  # fmt: skip


@pytest.mark.parametrize("example", ANSWERS)
def test_answers_are_read_in_linear_time(example: str) -> None:
    check(extract_answer, (example,))


@pytest.mark.parametrize("name", ["menu", "big2", "kuhn"])
def test_long_answers_are_refused_with_the_limit(name: str) -> None:
    game = game_of(name)
    tables = game.seeded_tables(1, 1)
    game.deal(tables, 0)
    word = "[fold]" if name == "menu" else "[pass]"
    with pytest.raises(ActionTextError, match=r"at most 20,000 characters, this one has 20,001: write less; legal: "):
        parse_action(game, tables, 0, word.rjust(MAX_TEXT + 1))
    try:
        parse_action(game, tables, 0, word.rjust(MAX_TEXT))
    except ActionTextError as error:
        assert "20,000" not in str(error)


PATTERNS: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "card_envs.text.holdem": {
        "_CALL": ("fullmatch", ("call 2.5 big blinds",)),
        "_ALL_IN": ("fullmatch", ("i'm all in for 200",)),
        "_RAISE": ("fullmatch", ("re-raise it to 2.5bb", "min raise")),
        "_THOUSANDS": ("findall", ("raise 1,000,000",)),
        "_NUMBER": ("fullmatch", ("2.5 big blinds",)),
        "_POT": ("fullmatch", ("2/3 of the pot", "75 % pot", ".5 pot", "two thirds pot")),
    },
    "card_envs.text.big2": {
        "_SUITED": ("findall", ("sevens of diamonds 10 of clubs",)),
        "_PLURAL": ("findall", ("pair of 10's",)),
        "_CARD": ("findall", ("10c7h",)),
        "_CARDS": ("fullmatch", ("10c7h2d",)),
    },
    "card_envs.history.acpc.format": {
        "WHOLE_NUMBER": ("fullmatch", ("123",)),
        "_VALUE": ("fullmatch", ("-12.50",)),
    },
    "card_envs.history.acpc.hand": {"_TOKEN": ("findall", ("cr250c/cc/r500f",))},
    "card_envs.history.big2.format": {
        "_PLAYER": ("fullmatch", ("player_1 name: pair 7C 7S",)),
        "WHOLE_NUMBER": ("fullmatch", ("123",)),
    },
    "card_envs.history.errors": {
        "WHOLE_NUMBER": ("fullmatch", ("123",)),
        "_OTHERS 0": ("match", ("<?xml version",)),
        "_OTHERS 1": ("match", ("[  {",)),
        "_OTHERS 2": ("match", ("entry,at,order\n",)),
        "_OTHERS 3": ("match", ("Game Hand #1",)),
        "_OTHERS 4": ("match", ("Winamax Poker - ",)),
        "_OTHERS 5": ("match", ("***** Hand History for Game 1",)),
        "_OTHERS 6": ("match", ("Full Tilt Poker Game #1",)),
        "_OTHERS 7": ("match", ("Ignition Casino Hand #1",)),
        "_OTHERS 8": ("match", ("#Game No : 1",)),
    },
    "card_envs.history.phh.format": {
        "_AMOUNT": ("fullmatch", ("1,234,567.5", ".5")),
        "_PLAYER": ("fullmatch", ("p12",)),
    },
    "card_envs.history.phh.toml": {
        "_SECTION": ("findall", ("[ 12 ] # note\r\n[13]\n",)),
        "_TOML_LINE": ("findall", ("error (at line 12, column 3)",)),
    },
    "card_envs.history.pokerstars.format": {
        "_START": ("findall", ("PokerStars Zoom Hand #123: Hold'em\n",)),
        "_HEADER": ("fullmatch", ("PokerStars Home Game Hand #123: Hold'em No Limit ($1/$2)",)),
        "_TABLE": ("fullmatch", ("Table 'A' 6-max (Play Money) Seat #3 is the button",)),
        "_SEAT": ("fullmatch", ("Seat 1: A (b) ($20 in chips, $5 bounty) out of hand (moved from another table)",)),
        "_SUMMARY_SEAT": ("fullmatch", ("Seat 1: A folded before Flop",)),
        "_SUMMARY_END": ("fullmatch", (" (button) (small blind) folded before Flop",)),
        "_SUMMARY_CARDS": ("search", (" (button) showed [2c 3d] and won ($2)",)),
        "_POT": ("fullmatch", ("Total pot $20 Main pot $4. Side pot-1 $8. Side pot-2 $8. | Rake $0",)),
        "_HEADING": ("fullmatch", ("*** TURN *** [2c 3d 4h] [5s]",)),
        "_SHOWN": ("match", ("folds [2c 3d] (x)",)),
        "_POST": ("fullmatch", ("posts the small & big blinds $3",)),
        "_COLLECTED": ("fullmatch", (" collected $2 from the side pot-1 (x)",)),
        "_RETURNED": ("fullmatch", ("Uncalled bet ($1) returned to A (b)",)),
        "_CANCELLED": ("match", ("Hand #1 was cancelled",)),
        "_RUN_TWICE": ("match", ("FIRST Board [2c 3d 4h]", "Hand was run twice")),
        "_BEFORE_HANDS": ("findall", ("*** FLOP *** [2c 3d 4h]\nSeat 1: A\n",)),
        "_REMARK": ("match", ('A said, "x"', "A was removed from the table", "A has 5 seconds left to act")),
    },
    "card_envs.history.pokerstars.hand": {
        "_SUMMARY_WON": ("findall", (" showed [2c 3d] and won ($2)",)),
        "_SUMMARY_LOST": ("search", (" (button) folded before Flop",)),
        "_SUMMARY_FOLDED": ("search", (" (button) folded on the Turn",)),
        "_SUMMARY_ROLE": ("findall", (" (button) (small blind)",)),
    },
    "card_envs.history.pokerstars.header": {
        "_AMOUNT": ("fullmatch", ("US$1,057.50",)),
        "_DATE": ("split", (" - 2024/05/01 12:00:00 ET",)),
        "_GAME": (
            "search",
            ("HORSE (Hold'em Limit, $1/$2 USD)", "Tournament #5, $1+$0.10 USD Hold'em No Limit - V (5/9)"),
        ),
        "_BUY_IN": ("findall", ("$1+$0.10 USD Hold'em ", "500+50 Hold'em ")),
        "_STAKES": ("search", (" - Level VII ($50/$100 USD)",)),
    },
    "card_envs.poker.starting_hands": {},
    "card_baselines.cli.arguments": {"_WHOLE_NUMBER": ("findall", ("--seed -12345678901234567890_1",))},
    "card_baselines.cli.main": {"_COMMAND": ("findall", ("see card-envs agents or pip install x",))},
    "card_baselines.web.scenes": {"_PLAYER": ("findall", ("player_1 folds",))},
    "card_wrappers.acpc.bot": {"_ANSWER": ("fullmatch", ("r250", "c"))},
    "card_wrappers.acpc.protocol": {"_STATE": ("fullmatch", ("MATCHSTATE:0:12:cr250c/:2c3d|/4h5s6c",))},
    "card_wrappers.slumbot.states": {
        "_TOKEN": ("findall", ("b200c/kk/kb400",)),
        "_BETTING": ("fullmatch", ("b200c/kk/kb400",)),
        "_CARD": ("fullmatch", ("Ah",)),
    },
}
"""Module -> pattern -> (method by which it reads, texts that it finds)."""


def find_patterns(module: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of a module by name; those in a table by its name and their number."""
    found = {}
    for name, value in vars(importlib.import_module(module)).items():
        rows = enumerate(value) if isinstance(value, tuple) else ()
        found |= {
            f"{name} {k}": row[0]
            for k, row in rows
            if isinstance(row, tuple) and row and isinstance(row[0], re.Pattern)
        }
        if isinstance(value, re.Pattern):
            found[name] = value
    return found


@pytest.mark.parametrize("module", PATTERNS)
def test_patterns_read_in_linear_time(module: str) -> None:
    found = find_patterns(module)
    assert set(found) == set(PATTERNS[module]), "name the method and an example of each pattern of the module"
    for name, (method, examples) in PATTERNS[module].items():
        for example in examples:
            assert getattr(found[name], method)(example), (name, example)
        check(getattr(found[name], method), examples)
