"""Where PokerKit, OpenSpiel and RLCard deviate from what each rules profile expects of the corpus.

python -m tests.corpus.run            print the table
python -m tests.corpus.run --write    put it into docs/conformance_corpus.md
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.corpus import engines
from tests.corpus.corpus import Entry, load_corpus
from tests.helpers.holdem_hands import Found

PAGE = Path(__file__).parents[2] / "docs" / "conformance_corpus.md"
BEGIN, END = "<!-- Written by tests/corpus/run.py. -->\n", "<!-- End of what is written. -->\n"


def main(arguments: Sequence[str]) -> None:
    """Print the table, or write it into the page."""
    if "--write" in arguments:
        PAGE.write_text(page_with(table(load_corpus())), encoding="utf-8")
    else:
        print(table(load_corpus()))


def page_with(text: str) -> str:
    """Return the page with this table."""
    page = PAGE.read_text(encoding="utf-8")
    return f"{page.partition(BEGIN)[0]}{BEGIN}\n{text}\n{END}{page.partition(END)[2]}"


def table(corpus: Sequence[Entry]) -> str:
    """Return a Markdown table: for every rule, in how many hands each engine finds what each profile expects."""
    found = findings(corpus)
    columns = [(engine, profile) for engine in engines.ENGINES for profile in engines.PROFILES]
    lines = [
        f"| rule | {' | '.join(f'{engine}: `{profile}`' for engine, profile in columns)} |",
        f"|---|{'---|' * len(columns)}",
    ]
    for rule in dict.fromkeys(entry.rule for entry in corpus):
        entries = [entry for entry in corpus if entry.rule == rule]
        cells = [cell([agrees(entry, found[engine].get(entry.name), profile, engine) for entry in entries])
                 for engine, profile in columns]  # fmt: skip
        lines.append(f"| {rule} | {' | '.join(cells)} |")
    totals = [cell([agrees(entry, found[engine].get(entry.name), profile, engine) for entry in corpus])
              for engine, profile in columns]  # fmt: skip
    return "\n".join([*lines, f"| **all {len(corpus)} hands** | {' | '.join(totals)} |", ""])


def findings(corpus: Sequence[Entry]) -> dict[str, dict[str, Found]]:
    """Return what each engine finds in the hands that it can play, by the hands' names."""
    playable = [entry for entry in corpus if engines.openspiel_plays(entry.hand)]
    answers = engines.found_by_openspiel([entry.hand for entry in playable], as_it_is=True)
    return {
        "PokerKit": {entry.name: engines.found_by_pokerkit(entry.hand) for entry in corpus},
        "OpenSpiel": {entry.name: answer for entry, answer in zip(playable, answers, strict=True)},
        "RLCard": {
            entry.name: engines.found_by_rlcard(entry.hand) for entry in corpus if engines.rlcard_plays(entry.hand)
        },
    }


def agrees(entry: Entry, found: Found | None, profile: str, engine: str) -> bool | None:
    """Return whether an engine finds what a profile expects, None where it cannot play, or nothing is expected."""
    expected = entry.expected.get(profile)
    if found is None or expected is None:
        return None
    return engines.same(expected, found, limit_ids=engine == "OpenSpiel" and entry.hand.config.structure == "limit")


def cell(answers: Sequence[bool | None]) -> str:
    """Return "5 of 5" as "5", less as "3 of 5", nothing to compare as "-"."""
    known = [answer for answer in answers if answer is not None]
    if not known:
        return "-"
    return f"{len(known)}" if all(known) else f"**{sum(known)} of {len(known)}**"


if __name__ == "__main__":
    main(sys.argv[1:])
