"""Patterns that read text from outside take time linear in its length: nobody can stop a reader by one long text."""

from __future__ import annotations

import importlib
import re
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

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


def check(read: Callable[[str], object], examples: Iterable[str]) -> None:
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


PATTERNS: dict[str, dict[str, dict[str, list[str]]]] = tomllib.loads(
    (Path(__file__).parents[1] / "data" / "patterns.toml").read_text(encoding="utf-8")
)
"""Module -> pattern -> the method by which it reads -> texts that it finds."""


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
    assert set(found) == set(PATTERNS[module]), "name each pattern of the module in tests/data/patterns.toml"
    for name, methods in PATTERNS[module].items():
        [(method, examples)] = methods.items()
        for example in examples:
            assert getattr(found[name], method)(example), (name, example)
        check(getattr(found[name], method), examples)
