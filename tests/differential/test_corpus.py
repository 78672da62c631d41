"""The conformance corpus: our tables and the other engines find in its files what the expectations say."""

from __future__ import annotations

import pytest

from card_envs.games.holdem.actions import betting_options
from card_envs.history import load_hand, replay_hand, replay_tables
from card_envs.history.results import EXACT, MISMATCHED
from tests.corpus import engines, run
from tests.corpus.build import HANDS_PER_RULE
from tests.corpus.corpus import FOLDER, Entry, load_corpus
from tests.corpus.rules import RULES
from tests.helpers.holdem_hands import Options

CORPUS = load_corpus()


def test_every_rule_has_its_hands_and_every_hand_its_file() -> None:
    assert [entry.name for entry in CORPUS] == [
        f"{rule}-{number}" for rule in RULES for number in range(1, HANDS_PER_RULE + 1)
    ]
    assert {file.stem for file in (FOLDER / "hands").iterdir()} == {entry.name for entry in CORPUS}
    assert all(entry.says == RULES[entry.rule].says for entry in CORPUS)


@pytest.mark.parametrize("entry", CORPUS, ids=lambda entry: entry.name)
def test_the_files_replay_as_expected(entry: Entry) -> None:
    recorded = load_hand(FOLDER / "hands" / f"{entry.name}.phh")
    for profile, expected in entry.expected.items():
        result = replay_hand(recorded, profile)
        if expected.refused is None:
            assert result.agreement == EXACT
            won = [
                after - before for after, before in zip(result.stacks, recorded.fields["starting_stacks"], strict=True)
            ]
            assert won == list(expected.payoffs)
            assert offered(entry, profile) == list(expected.trace)
        else:
            decisions = [index for index, move in enumerate(recorded.moves) if move.kind <= 2]
            assert result.status == MISMATCHED
            assert result.action_index is None or result.action_index <= decisions[expected.refused]


def offered(entry: Entry, profile: str) -> list[Options]:
    """Return the options at every decision of a hand that is legal to its end."""
    recorded = load_hand(FOLDER / "hands" / f"{entry.name}.phh")
    options = []
    for _, tables in replay_tables(recorded, profile):
        if not tables[0].is_over:
            may_fold, to_call, low, high = map(int, betting_options(tables, 0))
            options.append(Options(int(tables[0].actor), bool(may_fold), to_call, (low, high) if high else None))
    return options


def test_the_corpus_tells_the_profiles_apart() -> None:
    for profile in engines.PROFILES:
        for other in engines.PROFILES:
            shared = [entry for entry in CORPUS if {profile, other} <= entry.expected.keys()]
            differ = [entry for entry in shared if entry.expected[profile] != entry.expected[other]]
            assert bool(differ) == (profile != other)


def test_pokerkit_confirms_every_hand() -> None:
    pytest.importorskip("pokerkit")
    for entry in CORPUS:
        assert entry.confirmed_by["standard"] == "PokerKit"
        assert engines.same(entry.expected["standard"], engines.found_by_pokerkit(entry.hand)), entry.name


def test_a_wrong_expectation_is_noticed() -> None:
    pytest.importorskip("pokerkit")
    by_rule = {entry.rule: entry for entry in CORPUS}
    reopened = by_rule["short-all-in-does-not-reopen"]
    found = engines.found_by_pokerkit(reopened.hand)
    assert engines.same(reopened.expected["standard"], found)
    assert not engines.same(reopened.expected["acpc"], found)
    odd = by_rule["odd-chip-two-way"]
    assert odd.expected["standard"].payoffs == engines.found_by_pokerkit(odd.hand).payoffs


def test_the_table_in_the_documentation_is_what_the_engines_find() -> None:
    for package in ("pokerkit", "pyspiel", "rlcard"):
        pytest.importorskip(package)
    # if engines or the corpus changed: python -m tests.corpus.run --write
    assert run.PAGE.read_text(encoding="utf-8") == run.page_with(run.table(CORPUS))
