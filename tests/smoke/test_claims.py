"""A sentence of README or of a page of results that says who wins has an interval, or names the table that has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.smoke.test_docs import FENCED, REPO, name_of

README = REPO / "README.md"
PAGES = [
    *(page for page in (README,) if page.exists()),
    *(page for page in sorted((REPO / "docs" / "results").glob("*.md")) if not page.name.startswith("_")),
]
CLAIM = re.compile(
    r"\b(beats?|beaten|outperforms?|no difference|(is|are|was|were) (even|level) with"
    r"|(better|worse|stronger|weaker) than|as (strong|good) as|(wins?|won|loses?|lost) (from|to|against))\b"
)
EVIDENCE = re.compile(r"±|\d to [-+]?\d|\]\(|\btables?\b")
"""An interval in one of the two spellings, a link, or the word for the table beside the sentence."""
BLOCK = re.compile(r"\n\s*\n|\n(?=[*|#])")
SENTENCE = re.compile(r"(?<=[.:;!?])\s+(?=[A-Z`*])")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page, without headings, tables and code."""
    for block in BLOCK.split(FENCED.sub("", text)):
        if not block.lstrip().startswith(("#", "|", "![")):
            yield from SENTENCE.split(" ".join(block.split()))


def unsupported(text: str) -> list[str]:
    """The sentences of a page that claim something and show nothing."""
    return [sentence for sentence in sentences(text) if CLAIM.search(sentence) and not EVIDENCE.search(sentence)]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_who_wins_is_said_with_an_interval(page: Path) -> None:
    found = unsupported(page.read_text(encoding="utf-8"))
    assert not found, "add the interval, or link the table that has it"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("`a` beats `b`.", 1),
        ("`a` beats `b` by 2.1 ± 0.8.", 0),
        ("The rates show no difference\nbetween two runs. One run: 3.2 ± 4.0.", 1),
        ("`a` is level with `b` (-0.4 to +0.6).", 0),
        ("It loses to [the solver](players.md).", 0),
        ("* `a` is stronger than `b`.\n* `c` wins 5.3 ± 2.0 from `b`.", 1),
        ("```\n`a` beats `b`.\n```\n| `a` beats `b` |\n## Who wins from whom", 0),
    ],
)
def test_what_counts_as_a_claim(text: str, count: int) -> None:
    assert len(unsupported(text)) == count
