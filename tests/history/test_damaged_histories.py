"""Damaged and hostile files of recorded hands: each is reported with place and reason, and the others are replayed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from card_envs.agent import RandomAgent
from card_envs.games.holdem.presets import no_limit_holdem
from card_envs.history import (
    HandHistoryError,
    MatchFile,
    load_hands,
    load_log,
    load_pokerstars,
    parse_deals,
    replay_file,
    replay_hand,
    replay_paths,
)
from card_envs.match import play_match

DATA = Path(__file__).parents[1] / "data"
GOOD = (DATA / "phh" / "pluribus" / "32-23.phh").read_text()
LOG = next(file for file in sorted((DATA / "acpc").glob("*.log")) if "# name/game" in file.read_text()[:20])

DAMAGED = {
    "digits": GOOD.replace("starting_stacks = [", f"starting_stacks = [{'9' * 5000}, "),
    "digits of an action": GOOD.replace("cbr ", f"cbr {'9' * 5000}", 1),
    "nesting": f"x = {'[' * 100_000}\n{GOOD}",
    "nesting of tables": f'x = "a"\ny = {"{a = " * 5000}\n{GOOD}',
    "one long line": f"variant = '{'N' * 2_000_000}'\n",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_reported_and_the_others_are_replayed(damage: str, tmp_path: Path) -> None:
    (tmp_path / "1.phh").write_text(DAMAGED[damage])
    (tmp_path / "2.phh").write_text(GOOD)
    report = replay_paths(tmp_path)
    assert report.num_matched == 1
    (wrong,) = report.mismatched
    assert wrong.source == str(tmp_path / "1.phh")
    assert wrong.reason.startswith(("line ", "field "))
    assert len("\n".join(report.lines())) < 2000, "what came is not repeated in full"


LONG = "9" * 5000
"""More digits than Python reads as an int."""
STARS = """PokerStars Hand #1: Hold'em No Limit (1/2) - 2024/05/01 12:00:00 ET
Table 'A' 6-max Seat #1 is the button
Seat 1: Ann (50 in chips)
Seat 2: Bob (50 in chips)
Ann: posts small blind 1
Bob: posts big blind 2
*** HOLE CARDS ***
Ann: folds
"""
LONG_NUMBERS = {
    "raise.acpc": "# name/game/hands/seed m holdem.nolimit.2p.reverse_blinds.game 1 0\n"
    f"STATE:0:r{LONG}f:AsAd|KsKd:-100|100:a|b\n",
    "game.acpc": "".join(f"# {line}\n" for line in ("GAMEDEF", "nolimit", f"numPlayers = {LONG}", "END GAMEDEF")),
    "stack.phh": GOOD.replace("starting_stacks = [", f"starting_stacks = [{LONG}, "),
    "player.phh": GOOD.replace("'p3 ", f"'p{LONG} ", 1),
    "raise.phh": GOOD.replace("cbr ", f"cbr {LONG}", 1),
    "hand.pokerstars": STARS.replace("#1:", f"#{LONG}:"),
    "button.pokerstars": STARS.replace("#1 is", f"#{LONG} is"),
    "seat.pokerstars": STARS.replace("Seat 1:", f"Seat {LONG}:"),
}


@pytest.mark.parametrize("name", LONG_NUMBERS)
def test_a_number_of_thousands_of_digits_is_refused_in_our_words(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(LONG_NUMBERS[name])
    [result] = replay_file(tmp_path / name)
    assert result.status != "matched"
    assert "integer string conversion" not in result.reason and len(result.reason) < 700


def test_digits_are_those_of_ascii() -> None:
    with pytest.raises(HandHistoryError, match="is not a player"):
        load_hands(GOOD.replace("'p3 ", "'p\u0663 "))
    assert replay_file_text(STARS.replace("Seat 1:", "Seat \u0661:")) == "skipped"


def replay_file_text(text: str) -> str:
    """Return the status of the only hand of a text of PokerStars."""
    [hand] = load_pokerstars(text)
    return replay_hand(hand).status


@pytest.mark.parametrize("change", ["mark", "\r"])
def test_a_text_is_read_as_its_file_would_be(change: str) -> None:
    def changed(text: str) -> str:
        return f"\ufeff{text}" if change == "mark" else text.replace("\n", change)

    assert len(load_hands(changed(GOOD))) == 1
    assert len(load_pokerstars(changed(STARS))) == 1
    assert len(parse_deals(changed(FILES[2].read_text()))) == 1


def test_a_log_of_one_long_line_is_reported_in_short(tmp_path: Path) -> None:
    (tmp_path / "1.acpc").write_text(LOG.read_text() + "STATE:" + "9" * 3_000_000 + "\n")
    ((reason, sources),) = replay_paths(tmp_path).skipped.items()
    assert "is not a hand" in reason and len(sources) == 1
    assert len(reason) < 1000


FILES = [
    DATA / "phh" / "pluribus" / "32-23.phh",
    LOG,
    DATA / "big2" / "one_deal.big2",
]


@pytest.mark.parametrize("change", ["mark", "\r\n", "\r", "  \n"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.suffix)
def test_a_byte_order_mark_and_other_line_ends_are_read(file: Path, change: str, tmp_path: Path) -> None:
    text = file.read_text()
    changed = f"\ufeff{text}" if change == "mark" else text.replace("\n", change)
    (tmp_path / file.name).write_bytes(changed.encode())
    assert [result.agreement for result in replay_file(tmp_path / file.name)] == [
        result.agreement for result in replay_file(file)
    ]


@pytest.mark.parametrize("suffix", [".phhs", ".acpc", ".pokerstars"])
def test_a_file_that_is_cut_off_within_a_line_has_a_mismatch(suffix: str, tmp_path: Path) -> None:
    game, whole, file = no_limit_holdem(3), tmp_path / f"whole{suffix}", tmp_path / f"cut{suffix}"
    with MatchFile(whole, game, ["a", "b", "c"], seed=2) as saved:
        play_match(game, [RandomAgent()] * 3, hands=2, seed=2, callbacks=[saved])
    text = whole.read_text()
    second = text.index(
        {".phhs": "[2]", ".acpc": "STATE:1", ".pokerstars": "PokerStars Hand #"}[suffix], len(text) // 4
    )
    for end in range(second + 120, len(text) - 1, 37):
        if "\n" not in text[end - 1 : end + 1]:
            file.write_text(text[:end])
            results = replay_file(file)
            if results[-1].status == "matched":  # only what nothing depends on is cut off
                assert suffix != ".pokerstars" or "*** SUMMARY ***" in text[second:end]
            else:
                assert results[-1].status == "mismatched", (text[:end][-60:], results[-1])


@pytest.mark.parametrize(("suffix", "name"), [(".phh", "UTF-8"), (".pokerstars", "UTF-8"), (".acpc", "ASCII")])
def test_a_file_in_another_encoding_is_refused_with_the_way_out(suffix: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / f"a{suffix}"
    file.write_bytes("# Zo\xeb\n".encode("latin-1"))
    (wrong,) = replay_file(file)
    assert wrong.reason == f"byte 4 is not {name} text; save the file as {name}"


@pytest.mark.parametrize("load", [load_hands, load_log, load_pokerstars])
def test_paths_that_no_file_can_have_are_refused_in_words(load: Callable[[str], object]) -> None:
    for path in ("a\0b", "x" * 5000):
        with pytest.raises(HandHistoryError, match="cannot be read: "):
            load(path)
        assert "cannot be read: " in replay_file(path)[0].reason
    with pytest.raises(HandHistoryError, match="cannot be read: File name too long"):
        replay_paths("x" * 5000)


@pytest.mark.parametrize("name", ["../holdem.limit.2p.reverse_blinds.game", "/etc/hostname", "a/b.game", ".."])
def test_a_log_names_no_game_file_outside_its_folder(name: str, tmp_path: Path) -> None:
    inside = tmp_path / "logs"
    inside.mkdir()
    (inside / "1.acpc").write_text(f"# name/game/hands/seed match {name} 1 0\nSTATE:0:f:|/:1|-1:a|b\n")
    with pytest.raises(HandHistoryError, match="may name a file beside it, without a folder"):
        load_log(inside / "1.acpc")


def test_replays_at_the_same_time_do_not_disturb_each_other() -> None:
    log = load_log(LOG)
    hands = log.hands[:300]
    expected = [replay_hand(hand) for hand in hands]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(replay_hand, hands)) == expected
    finally:
        sys.setswitchinterval(interval)
