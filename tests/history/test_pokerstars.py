"""PokerStars' text: matches that PokerKit reads too, the texts of the site and damaged ones.

That written matches are read back is tested in `test_saved_matches` and `test_random_settings`.
"""

from __future__ import annotations

import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pokerkit
import pytest

from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.history import (
    Hand,
    HandHistoryError,
    MatchFile,
    UnreadHand,
    load_pokerstars,
    replay_hand,
)
from card_envs.history.results import MISMATCHED, SKIPPED
from card_envs.match import play_match

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "uneven stacks": ("no_limit_holdem-v0", {"num_players": 6, "stacks": [40, 200, 7, 90, 1, 150]}),
    "heads-up": ("no_limit_holdem-v0", {"num_players": 2, "stacks": 30}),
    "limit": ("limit_holdem-v0", {"num_players": 3}),
}


def _save(tmp_path: Path, game_id: str, settings: dict[str, Any], hands: int, suffix: str = ".pokerstars") -> Path:
    game = make_game(game_id, **settings)
    names = ["random"] * game.num_seats
    path = tmp_path / f"match{suffix}"
    with MatchFile(path, game, names, seed=1) as file:
        play_match(game, [find_agent(name, game) for name in names], hands=hands, seed=1, callbacks=[file])
    return path


def _only(text: str) -> Hand:
    [hand] = load_pokerstars(text)
    assert isinstance(hand, Hand)
    return hand


@pytest.mark.parametrize("name", ["uneven stacks", "heads-up"])
def test_pokerkit_reads_the_same_hands(name: str, tmp_path: Path) -> None:
    path = _save(tmp_path, *GAMES[name], hands=150)
    texts = path.read_text().split("\n\n\n")
    for text, ours in zip(texts, load_pokerstars(path), strict=False):
        assert isinstance(ours, Hand)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a field of its own that PokerKit does not know
            [theirs] = pokerkit.HandHistory.from_pokerstars(text + "\n", error_status=True)
            *_, state = theirs
        assert tuple(state.stacks) == replay_hand(ours).stacks, text


def test_equal_matches_make_equal_files_and_numbers_are_unique(tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    first = _save(tmp_path, *GAMES["limit"], hands=30).read_text()
    assert _save(tmp_path / "again", *GAMES["limit"], hands=30).read_text() == first
    numbers = [line.split("#")[1].split(":")[0] for line in first.splitlines() if line.startswith("PokerStars")]
    assert len(set(numbers)) == 30


# --- as the site writes -----------------------------------------------------------------------------------------------

CASH = "\ufeff" + (Path(__file__).parents[1] / "data" / "pokerstars" / "cash_game.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_cash_game_with_everything_that_the_site_writes(newline: str, tmp_path: Path) -> None:
    path = tmp_path / "hand.txt"
    path.write_bytes(CASH.replace("\n", newline).encode())
    [hand] = load_pokerstars(path)
    assert isinstance(hand, Hand)
    fields = hand.fields
    assert fields["players"] == ["Cem", "Eve", "Ann: x", "Bob (the 2nd)"] and fields["hand"] == 171
    assert fields["starting_stacks"] == [Decimal("88.25"), 100, 100, Decimal("1057.5")]
    assert fields["blinds_or_straddles"] == [Decimal("0.5"), 1, 0, 0] and fields["min_bet"] == 1
    assert fields["winnings"] == [0, 0, 201, 0]
    assert fields["actions"] == [
        "d dh p1 ????", "d dh p2 ????", "d dh p3 AhKd", "d dh p4 8h9h",
        "p3 cbr 3", "p4 cc", "p1 f", "p2 cc", "d db 7c8cKh", "p2 cc", "p3 cbr 5.25", "p4 cc", "p2 f",
        "d db 2s", "p3 cc", "p4 cbr 10", "p3 cbr 91.75", "p4 cc", "d db 2d", "p3 sm AhKd", "p4 sm",
    ]  # fmt: skip
    result = replay_hand(hand)
    assert (result.status, result.agreement) == ("matched", "up to a rake"), result


def test_a_tournament_with_antes_and_a_blind_that_is_all_in() -> None:
    hand = _only(
        "PokerStars Hand #9: Tournament #4, $1.00+$0.10 USD Hold'em No Limit - Level III (100/200) - 2026/01/02 ET\n"
        "Table '4 1' 9-max Seat #2 is the button\n"
        "Seat 2: A (5000 in chips)\nSeat 5: B (3000 in chips)\nSeat 9: C (150 in chips)\n"
        "A: posts the ante 20\nB: posts the ante 20\nC: posts the ante 20\n"
        "B: posts small blind 100\nC: posts big blind 130 and is all-in\n"
        "*** HOLE CARDS ***\nA: folds\nB: calls 30\n"
        "*** FLOP *** [2c 3c 4c]\n*** TURN *** [2c 3c 4c] [9d]\n*** RIVER *** [2c 3c 4c 9d] [Td]\n"
        "*** SHOW DOWN ***\nB: shows [Ah As] (a pair of Aces)\nC: shows [Kh Ks] (a pair of Kings)\n"
        "B collected 320 from pot\n*** SUMMARY ***\nTotal pot 320 | Rake 0\n"
    )
    assert hand.fields["antes"] == [20, 20, 20] and hand.fields["blinds_or_straddles"] == [100, 200, 0]
    assert replay_hand(hand).stacks == (3170, 0, 4980)


def test_a_limit_game_has_its_bets_from_the_title() -> None:
    hand = _only(
        "PokerStars Game #7:  Hold'em Limit ($2/$4 USD) - 2026/01/02 10:11:12 ET\n"
        "Table 'T' 2-max Seat #1 is the button\nSeat 1: A ($50 in chips)\nSeat 2: B ($50 in chips)\n"
        "A: posts small blind $1\nB: posts big blind $2\n*** HOLE CARDS ***\n"
        "A: raises $2 to $4\nB: folds\nUncalled bet ($2) returned to A\nA collected $4 from pot\nA: doesn't show hand\n"
    )
    assert hand.variant == "FT" and (hand.fields["small_bet"], hand.fields["big_bet"]) == (2, 4)
    assert hand.fields["players"] == ["B", "A"] and hand.fields["blinds_or_straddles"] == [1, 2]
    assert replay_hand(hand).stacks == (48, 52)


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ("*** RIVER ***", "*** FIRST RIVER ***", 0, "dealt twice"),
        ("Ann: x: raises $2 to $3", "Bob (the 2nd): posts straddle $2", 0, "posts a straddle"),
        ("posts big blind $1", "posts big blind $1\nAnn: x: posts big blind $1", 0, "posts a big blind besides"),
        ("Cem: folds", "Cem: dances", 16, "'Cem: dances' is not understood"),
        ("Cem: folds", "Cem : folds", 16, "'Cem : folds' is not understood"),
        ("Bob (the 2nd) has timed out", "Bob (the 2nd) dances", 14, "'Bob (the 2nd) dances' is not understood"),
        ("bets $5.25", "bets $all", 20, "'$all' is not an amount"),
        ("*** FLOP *** [7c 8c Kh]\n", "*** FLOP *** [7c 8c Zh]\n", 18, "'Zh'"),
        ("[7c 8c Kh] [2s]", "[7c 8c Qh] [2s]", 23, "which is not the board before it"),
        ("Board [7c 8c Kh 2s 2d]", "Board [7c 8c Kh 2s 2h]", 35, "is not the board that was dealt"),
        ("Dealt to Ann: x", "Dealt to Zoe", 11, "'Zoe' has no seat"),
        (" ($0.50/$1.00 USD)", "", 1, "no game with stakes"),
        ("($100 in chips)\nSeat 3", "($9999999999999999999 in chips)\nSeat 3", 3, "is not an amount"),
        ("Seat 5: Dora ($100 in chips)", "Seat 5: Dora (?)", 6, "'Seat 5: Dora (?) is sitting out' is not understood"),
        ("Seat 4: Cem ($88.25 in chips)\n", "", 7, "'Cem: posts small blind $0.50' is not understood"),
        ("Seat 4: Cem ($88.25", "Seat 3: Cem ($88.25", 5, "seat 3 or the player 'Cem' comes twice"),
        ("collected $201 from pot", "collected €201 from pot", 32, "is not in the currency of the stakes"),
        ("Seat 4: Cem (small blind) folded", "Seat 4: Zoe (small blind) folded", 38, "is not understood"),
        ("Seat #3 is the button", "Seat #3 dances", 2, "is not understood"),
        ("Table 'Halley' 6-max Seat #3 is the button\n", "", 0, "says who has the button"),
        ("Eve: posts big blind $1\n", "", 0, "nobody posts the big blind"),
        ("posts small blind $0.50", "posts small blind $0.40", 0, "Cem posts 0.40 as small blind, but 0.50 are due"),
        ("posts big blind $1", "posts big blind $2", 0, "Eve posts 2 as big blind, but 1 are due"),
        ("*** HOLE CARDS ***", "Eve: posts the ante $1\n*** HOLE CARDS ***\nAnn: x: posts the ante $1", 0, "ante"),
    ],
)
def test_a_line_that_is_not_understood_skips_its_hand_alone(before: str, after: str, line: int, message: str) -> None:
    assert before in CASH
    first, skipped, last = load_pokerstars("\n\n".join([CASH, CASH.replace(before, after, 1), CASH]))
    assert isinstance(first, Hand) and isinstance(last, Hand)
    assert isinstance(skipped, UnreadHand) and skipped.status == SKIPPED
    assert message in skipped.reason
    if line:
        assert skipped.reason.startswith(f"line {line + len(CASH.splitlines()) + 2}: ")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("Bob (the 2nd): calls $3\n", "Bob (the 2nd): calls $2\n", "it costs 3; p4 is to act and may fold, call 3"),
        ("Ann: x: checks", "Ann: x: calls $7", "it costs 0; p3 is to act and may check"),
        ("raises $2 to $3", "raises $1 to $3", "it costs 2"),
        ("bets $5.25\n", "raises $5 to $5.25\n", "it costs 5.25"),
        ("bets $10\n", "bets $10 and is all-in\n", "p4 still has 1039.25"),
        ("Total pot $203.50", "Total pot $203", "the total pot is 203 in the recording, but 201 are collected"),
        ("$203.50 | Rake $2.50", "$202.50 | Rake $1.50", "202.50 in the recording, 203.5 by the rules"),
        ("and won ($201)", "and won ($200)", "collects 201 in the recording, but 200 in its summary"),
        ("collected $201 from pot", "collected $150 from pot", "the total pot is 203.50 in the recording, but 150"),
        ("*** SHOW DOWN ***", "Uncalled bet ($5) returned to Ann: x\n*** SHOW DOWN ***", "gets back 5, 0 by the rules"),
    ],
)
def test_amounts_that_contradict_the_rules_or_each_other_are_a_mismatch(before: str, after: str, message: str) -> None:
    assert before in CASH
    [hand] = load_pokerstars(CASH.replace(before, after, 1))
    result = replay_hand(hand)
    assert result.status == MISMATCHED and message in result.reason


def test_damaged_texts_raise_no_other_error(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for _ in range(600):
        text = list(CASH)
        for place in rng.integers(len(text), size=rng.integers(1, 6)):
            text[place] = str(rng.choice(list("0 9$[]():*\nAhx")))
        damaged = "".join(text)[: rng.integers(10, len(text))]
        try:
            hands = load_pokerstars(damaged + "\n")
        except HandHistoryError:
            continue
        assert all(replay_hand(hand).status for hand in hands)
    with pytest.raises(HandHistoryError, match="cannot be read"):
        load_pokerstars(tmp_path / "missing.txt")


@pytest.mark.parametrize(
    ("game_id", "settings", "reason"),
    [
        ("leduc_holdem-v0", {}, "Texas hold'em"),
        ("limit_holdem-v0", {"max_raises": None}, "at most 4 bets"),
        ("limit_holdem-v0", {"max_raises": [1, 2, 3, 4]}, "use .phhs or .acpc .*at most 4 bets"),
        ("limit_holdem-v0", {"rules": "rlcard"}, "use .phhs .*follows the order of its site"),
        ("no_limit_holdem-v0", {"rules": "acpc", "stacks": [40, 17]}, "use .phhs .*has no raises after short all-ins"),
        ("big2-v0", {}, "for hold'em"),
    ],
)
def test_games_that_the_text_cannot_describe_are_refused_before_the_match(
    game_id: str, settings: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    game = make_game(game_id, **settings)
    with pytest.raises(ValueError, match=reason):
        MatchFile(tmp_path / "match.pokerstars", game, ["a"] * game.num_seats, seed=1)
