"""Hands as PokerStars records them: its rules, games and amounts, any names of players, and hands without an end."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from card_envs.agent import RandomAgent
from card_envs.games.holdem.presets import no_limit_holdem
from card_envs.history import Hand, HandHistoryError, MatchFile, UnreadHand, load_pokerstars, replay_hand
from card_envs.history.pokerstars.header import parse_amount
from card_envs.history.results import MATCHED, MISMATCHED, SKIPPED, ReplayResult
from card_envs.match import play_match

DATA = Path(__file__).parents[1] / "data" / "pokerstars"
TOURNAMENT = "Tournament #5, $1+$0.10 USD Hold'em No Limit - Level VII (50/100)"
TWO: dict[str, object] = {"Ann": "$50", "Bob": "$50"}
CASH = "Hold'em No Limit ($0.50/$1.00 USD)"
BOARD = """*** FLOP *** [2c 7d Jh]
*** TURN *** [2c 7d Jh] [4s]
*** RIVER *** [2c 7d Jh 4s] [5s]
*** SHOW DOWN ***
"""
SHOWS = {"Ann": "[Th Td]", "Bob": "[Qh Qd]", "Cid": "[Kh Kd]", "Dan": "[Kh Kd]"}


def hand_text(game: str, stacks: dict[str, object], lines: str, button: int = 1) -> str:
    """Return a hand; its players sit at seats 1, 2, ..., and `lines` follow the seats."""
    seats = [f"Seat {k}: {name} ({stack} in chips)" for k, (name, stack) in enumerate(stacks.items(), start=1)]
    head = f"PokerStars Hand #7: {game} - 2024/05/01 12:00:00 ET\nTable 'A' 9-max Seat #{button} is the button\n"
    return head + "\n".join(seats) + "\n" + lines


def replay(text: str) -> ReplayResult:
    [hand] = load_pokerstars(text)
    return replay_hand(hand)


def stacks_by_name(text: str) -> dict[str, Any]:
    """Return the final stacks of a hand that matches exactly."""
    [hand] = load_pokerstars(text)
    assert isinstance(hand, Hand), hand
    result = replay_hand(hand)
    assert (result.status, result.agreement) == (MATCHED, "exactly"), result
    return dict(zip(hand.fields["players"], result.stacks, strict=True))


def shows(*names: str) -> str:
    return "".join(f"{name}: shows {SHOWS[name]} (a pair)\n" for name in names)


# --- the rules of the site --------------------------------------------------------------------------------------------

BY_THE_RULES: dict[str, dict[str, Any]] = tomllib.loads((DATA / "by_the_rules.toml").read_text(encoding="utf-8"))
"""Rule of the site -> `stacks`, `lines` that follow the seats, and `final` stacks."""


def hand_of_rule(rule: str, *changes: str) -> str:
    """Return the hand of a rule, with each text of `changes` replaced by the one that follows it."""
    lines = str(BY_THE_RULES[rule]["lines"])
    for before, after in zip(changes[::2], changes[1::2], strict=True):
        assert before in lines
        lines = lines.replace(before, after)
    return hand_text(TOURNAMENT, BY_THE_RULES[rule]["stacks"], lines)


@pytest.mark.parametrize("rule", BY_THE_RULES)
def test_hands_of_the_site_match_by_its_rules(rule: str) -> None:
    assert stacks_by_name(hand_of_rule(rule)) == BY_THE_RULES[rule]["final"]


NOT_ASKED = "the small blind is all-in, all others fold: the big blind is not asked"
SHORT_ANTE = (
    "heads-up the button is all-in by part of its ante: the big blind gets back its blind and the rest of its ante"
)
SHORT = "the big blind is short: others call all of it"


@pytest.mark.parametrize(
    ("rule", "before", "after", "reason"),
    [
        (NOT_ASKED, "Ann: folds\n", "Ann: folds\nCid: checks\n", "the betting is over"),
        (NOT_ASKED, "Ann: folds\n", "Ann: folds\nCid: calls 7\n", "the betting is over"),
        ("both blinds are all-in: or the whole big blind, and gets the rest back",
         "Uncalled bet (70) returned to Ann\n", "", "it costs 30"),
        (SHORT_ANTE, "bet (103)", "bet (100)", "p1 gets back 100, 103 by the rules"),
    ],
    ids=["a check that nobody has", "a call that nobody has", "a call above what is due, of which nothing returns",
         "the rest of an ante that nobody gets back"],
)  # fmt: skip
def test_a_decision_against_the_rules_is_a_mismatch(rule: str, before: str, after: str, reason: str) -> None:
    result = replay(hand_of_rule(rule, before, after))
    assert result.status == MISMATCHED and reason in result.reason


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("Bob: posts small", "Ann: posts small", "Ann posts the small blind from another position"),
        (
            "Bob: posts small blind 50\nCid: posts big",
            "Dan: posts big",
            "Dan posts the big blind from another position",
        ),
        ("Seat #1 is", "Seat #19 is", "the button is at seat 19 of 9"),
    ],
)
def test_blinds_and_button_have_their_places(before: str, after: str, reason: str) -> None:
    lines = "Bob: posts small blind 50\nCid: posts big blind 100\n*** HOLE CARDS ***\nDan: folds\n"
    stacks: dict[str, object] = {"Ann": 500, "Bob": 500, "Cid": 500, "Dan": 500}
    text = hand_text(TOURNAMENT, stacks, lines + "Ann: folds\nBob: folds\nCid: checks\n")
    assert before in text
    result = replay(text.replace(before, after))
    assert result.status == SKIPPED and reason in result.reason


@pytest.mark.parametrize(
    ("stakes", "small", "big"), [("$3/$6", "$1", "$3"), ("$0.25/$0.50", "$0.10", "$0.25"), ("$5/$10", "$2", "$5")]
)
def test_the_small_blind_of_a_limit_game_is_what_the_hand_says(stakes: str, small: str, big: str) -> None:
    [hand] = load_pokerstars(
        hand_text(
            f"Hold'em Limit ({stakes} USD)",
            {"Ann": "$100", "Bob": "$100", "Cid": "$100"},
            f"Bob: posts small blind {small}\nCid: posts big blind {big}\n*** HOLE CARDS ***\nAnn: folds\nBob: folds\n"
            f"Uncalled bet ($0.15) returned to Cid\nCid collected {small} from pot\n",
        ).replace("$0.15", f"${Decimal(big[1:]) - Decimal(small[1:])}")
        .replace(f"Cid collected {small}", f"Cid collected ${2 * Decimal(small[1:])}")
    )  # fmt: skip
    assert isinstance(hand, Hand)
    assert hand.fields["blinds_or_straddles"] == [Decimal(small[1:]), Decimal(big[1:]), 0]
    assert replay_hand(hand).agreement == "exactly"


SIDE_POT = f"""Bob: posts small blind $0.50
Cid: posts big blind $1
*** HOLE CARDS ***
Ann: raises $49 to $50 and is all-in
Bob: calls $49.50 and is all-in
Cid: calls $19 and is all-in
{BOARD}{shows("Bob", "Ann")}Bob collected $58.50 from side pot
{shows("Cid")}Cid collected $58.50 from main pot
*** SUMMARY ***
Total pot $120 Main pot $58.50. Side pot $58.50. | Rake $3
Seat 2: Bob (small blind) showed [Qh Qd] and won ($58.50) with a pair
"""


def test_rake_comes_from_the_pots_that_the_summary_names() -> None:
    text = hand_text(CASH, {"Ann": "$50", "Bob": "$50", "Cid": "$20"}, SIDE_POT)
    result = replay(text)
    assert (result.status, result.agreement, result.stacks) == (MATCHED, "up to a rake", (60, 60, 0))
    for before, after in [("Rake $3", "Rake $2"), ("Side pot $58.50", "Side pot $50.50")]:
        other = replay(text.replace(before, after))
        assert other.status == SKIPPED and "main pot, side pots and rake are not the total pot" in other.reason


@pytest.mark.parametrize(
    ("shown", "status"),
    [
        ({"Bob": "shows [Qh]", "Cid": "shows [Kh Kd] (a pair)"}, MATCHED),
        ({"Bob": "mucks hand\nBob: shows [Qh]", "Cid": "shows [Kh Kd] (a pair)"}, MATCHED),
        ({"Bob": "mucks hand", "Cid": "shows [Kh]"}, MATCHED),
        ({"Bob": "shows [Qh Qd] (a pair)", "Cid": "shows [Kh]"}, SKIPPED),
    ],
)
def test_a_single_card_that_is_shown_is_no_other_hand(shown: dict[str, str], status: str) -> None:
    lines = hand_of_rule(NOT_ASKED, "Cid: shows [Kh Kd] (a pair)", f"Cid: {shown['Cid']}")
    result = replay(lines.replace("Bob: shows [Qh Qd] (a pair)", f"Bob: {shown['Bob']}"))
    assert result.status == status
    assert status == MATCHED or result.reason == "hole cards that decide the showdown are not recorded"


# --- amounts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [("20", 20), ("$0.50", Decimal("0.5")), ("€1,057.50", Decimal("1057.5")), ("£12,345,678", 12345678)],
)  # fmt: skip
def test_amounts(text: str, value: object) -> None:
    assert parse_amount(text)[1] == value


@pytest.mark.parametrize(
    "text",
    ["180,5", "220,25", "1.5K", "2M", "15.000", "-50", "$-50", "1 480", "1\xa0480", "1'480", "1,48", "0,500",
     "1,480,50", "5.", ".5", "$", "", "1e3", "٣", "+5", "5$", "1.234,50", "1_000", "inf"],
)  # fmt: skip
def test_what_is_no_amount_skips_the_hand(text: str) -> None:
    with pytest.raises(ValueError, match="is not an amount"):
        parse_amount(text)
    result = replay(hand_text(CASH, {"Ann": f"${text}", "Bob": "$50"}, FOLDED))
    assert result.status == SKIPPED and result.reason.startswith("line 3: ")


FOLDED = """Ann: posts small blind $0.50
Bob: posts big blind $1
*** HOLE CARDS ***
Ann: folds
Uncalled bet ($0.50) returned to Bob
Bob collected $1 from pot
*** SUMMARY ***
Total pot $1 | Rake $0
"""

# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["A [x]", "***Joe***", "*** FLOP ***", "Seat 2", "Bob: folds", "a: b: c", "wins the", "x collected $5 from pot",
     "($5 in chips)", "Dealt to", "Bob said", "(button)", "Hand cancelled", "posts", "Total pot", "PokerStars Hand",
     "Board [2c]", "run twice"],
)  # fmt: skip
def test_players_may_have_any_name(name: str) -> None:
    text = hand_text(CASH, TWO, FOLDED + "Seat 1: Ann (button) (small blind) folded before Flop\n")
    text = text.replace("*** HOLE CARDS ***\n", "*** HOLE CARDS ***\nDealt to Ann [Ah Kh]\n")
    assert stacks_by_name(text.replace("Ann", name)) == {"Bob": Decimal("50.5"), name: Decimal("49.5")}


def test_a_winner_may_have_the_name_of_a_heading() -> None:
    text = hand_text(CASH, TWO, FOLDED).replace("Bob", "Dealt to")
    assert stacks_by_name(text) == {"Dealt to": Decimal("50.5"), "Ann": Decimal("49.5")}


# --- games ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game",
    [
        "HORSE (Hold'em Limit, $1/$2 USD)",
        "Mixed Hold'em (Hold'em No Limit, $0.50/$1 USD)",
        "{Club #3225207}  Hold'em Pot Limit ($0.50/$1.00 USD)",
        "8-Game Mixed USD (Hold'em No Limit, $0.50/$1.00 USD)",
    ],
)
def test_hold_em_of_mixed_games_is_read(game: str) -> None:
    assert stacks_by_name(hand_text(game, TWO, FOLDED))["Bob"] == Decimal("50.5")


@pytest.mark.parametrize(
    "game",
    [
        "Tournament #1, Freeroll  Hold'em No Limit - Level I (1/2)",
        "Tournament #1, 500+50 Hold'em No Limit - Level I (1/2)",
        "Tournament #1, 500FPP Hold'em No Limit - Level I (1/2)",
        "Tournament #1, 1,250SC Hold'em No Limit - Level I (1/2)",
        "Tournament #1, $1+$0.25+$0.15 USD HORSE (Hold'em Limit) - Level I (2/4)",
        "Tournament #1, $1+$0.10 USD Hold'em No Limit - Match Round I, Level II (1/2)",
    ],
)
def test_tournaments_are_read(game: str) -> None:
    lines = (
        FOLDED.replace("$0.50", "1")
        .replace("collected $1", "collected 2")
        .replace("pot $1", "pot 2")
        .replace("$1", "2")
    )
    assert stacks_by_name(hand_text(game, {"Ann": 50, "Bob": 50}, lines.replace("$", ""))) == {"Bob": 51, "Ann": 49}


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("8-Game Mixed USD (Omaha Pot Limit, $0.50/$1.00 USD)", "Omaha is not Texas hold'em"),
        ("HORSE (7 Card Stud Hi/Lo Limit, $0.50/$1.00 USD)", "7 Card Stud Hi/Lo is not Texas hold'em"),
        ("Tournament #5, $1+$0.10 USD Omaha Hi/Lo Pot Limit - Level I (10/20)", "Omaha Hi/Lo is not Texas hold'em"),
        ("6+ Hold'em No Limit ($1/$2)", "6+ Hold'em is not Texas hold'em"),
        ("Hold'em No Limit ($0.50/$1.00 - $20 Cap -  USD)", "a cap limits the bets of the whole hand"),
        ("Hold'em No Limit ($0.50/$1.00 CAP $20 USD)", "a cap limits the bets of the whole hand"),
        ("No Limit Texas Hold'em ($1/$2)", "is not how PokerStars names a game"),
        (
            "Tournament #5, 5+1 Hold'em Pot Limit Pre-Flop, No Limit Post-Flop - Level I (10/20)",
            "changes after the flop",
        ),
        ("Hold'em No Limit", "line 1: no game with stakes"),
        ("Tic-tac-toe", "line 1: no game with stakes"),
    ],
)
def test_other_games_are_skipped_for_the_right_reason(game: str, reason: str) -> None:
    good = hand_text(CASH, TWO, FOLDED)
    other, kept = load_pokerstars(hand_text(game, TWO, FOLDED) + "\n\n" + good)
    assert isinstance(kept, Hand)
    assert isinstance(other, UnreadHand) and other.status == SKIPPED and reason in other.reason


# --- hands without an end, and texts around hands ---------------------------------------------------------------------


def test_a_hand_matches_only_with_its_end() -> None:
    """Whatever is cut off: nothing matches before the chips are collected."""
    lines = hand_of_rule(SHORT).splitlines()
    collected = lines.index("Cid collected 60 from main pot")
    for length in range(1, len(lines) + 1):
        result = replay("\n".join(lines[:length]) + "\n")
        assert (result.status == MATCHED) == (length > collected), lines[length - 1]
        assert result.stacks == () or sum(result.stacks) == 1020


def test_a_hand_ends_when_its_pot_is_collected() -> None:
    result = replay(hand_text(CASH, TWO, FOLDED[: FOLDED.index("Bob collected")]))
    assert (result.status, result.stacks) == (MISMATCHED, ())
    assert result.reason == "the recording ends before anybody collects the pot"


def test_headings_and_summary_agree_with_the_hand() -> None:
    renamed = replay(hand_of_rule(SHORT, "*** TURN", "*** RIVER"))
    assert renamed.status == SKIPPED and "which is not the board before it" in renamed.reason
    lost = hand_text(CASH, TWO, FOLDED + "Seat 2: Bob (big blind) mucked\n")
    assert replay(lost).reason == "Bob collects 1 in the recording, but 0 in its summary"


@pytest.mark.parametrize("end", ["", "*** SUMMARY ***\n"])
def test_chips_that_nobody_collects_are_a_rake_only_if_the_hand_says_so(end: str) -> None:
    small = hand_of_rule(SHORT, "Bob collected 160 from side pot", "Bob collected 150 from side pot")
    small = small.partition("*** SUMM")[0]
    result = replay(small + end)
    assert (result.status, result.agreement) == (MISMATCHED, "")
    assert replay(f"{small}*** SUMMARY ***\nTotal pot 220 | Rake 10\n").agreement == "up to a rake"


def test_what_is_returned_is_not_collected_once_more() -> None:
    text = hand_text(CASH, TWO, FOLDED).partition("*** SUMMARY")[0]
    assert replay(text).agreement == "exactly"
    assert replay(text.replace("collected $1 ", "collected $1.50 ")).status == MISMATCHED


def test_a_winner_cannot_collect_more_than_its_share_beside_an_uncalled_bet() -> None:
    posts = (
        "Bob: posts small blind 50\nCid: posts big blind 100\n*** HOLE CARDS ***\nAnn: folds\nBob: raises 300 to 400\n"
    )
    call = f"Cid: calls 100 and is all-in\nUncalled bet (200) returned to Bob\n{BOARD}"
    cards = "Bob: shows [Qh Qd] (a pair)\nCid: shows [Qs Qc] (a pair)\n"
    collected = "Bob collected 200 from pot\nCid collected 200 from pot\n*** SUMMARY ***\nTotal pot 400 | Rake 0\n"
    text = hand_text(TOURNAMENT, {"Ann": 500, "Bob": 500, "Cid": 200}, posts + call + cards + collected)
    assert replay(text).agreement == "exactly"
    other = replay(
        text.replace("Bob collected 200", "Bob collected 220").replace("Cid collected 200", "Cid collected 180")
    )
    assert other.status == MISMATCHED and other.reason.startswith("winnings are [220, 180, 0] in the recording")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Ann: folds", "Hand cancelled"), ("Ann: folds", "Hand #7 was canceled due to a fault"),
        ("*** SUMMARY ***", "*** SUMMARY ***\nHand was cancelled"),
    ],
)  # fmt: skip
def test_a_cancelled_hand_is_skipped(before: str, after: str) -> None:
    text = hand_text(CASH, TWO, FOLDED.replace(before, after))
    assert replay(text) == ReplayResult("text, hand #7", SKIPPED, "the hand was cancelled")


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("Ann: folds", "Ann: folds or not", "not understood"),
        ("Ann: folds", "Ann: folds and is all-in", "not understood"),
        ("Ann: folds", "Ann: calls $0.50 and is all-in again", "not understood"),
        ("blind $1", "blind $1 and is all-in", "Bob still has 49 after the big blind"),
        ("Ann: folds", "Dealt to Ann [2c 3d]\nAnn: folds [4h 5s]", "are not the 2 cards of Ann"),
        ("Ann: folds", "Dealt to Ann [2c 3d 4h]\nAnn: folds", "are not the 2 cards of Ann"),
        ("Seat 1: Ann", "Table 'B' 9-max Seat #2 is the button\nSeat 1: Ann", "a second line names the table"),
        ("Seat 1: Ann", "Seat 12: Ann", "Ann has seat 12 of 9"),
        ("($0.50/$1.00", "($0.50/$1.00/$2.00", "no game with stakes"),
    ],
)  # fmt: skip
def test_words_that_are_not_understood_or_contradict_skip_the_hand(before: str, after: str, reason: str) -> None:
    text = hand_text(CASH, TWO, FOLDED)
    assert before in text
    result = replay(text.replace(before, after, 1))
    assert result.status == SKIPPED and reason in result.reason


def test_the_rest_of_a_hand_before_the_first_header_is_told() -> None:
    good = hand_text(CASH, TWO, FOLDED)
    rest, kept = load_pokerstars(FOLDED + "\n\n" + good)
    assert isinstance(kept, Hand)
    assert isinstance(rest, UnreadHand) and "belong to no hand" in rest.reason
    [kept] = load_pokerstars("Transcript for your last 1 hands\n# a remark\n*********** # 1 **************\n" + good)
    assert isinstance(kept, Hand)


def test_a_damaged_header_or_seat_line_costs_one_hand() -> None:
    good = hand_text(CASH, TWO, FOLDED)
    kinds = [isinstance(hand, Hand) for hand in load_pokerstars("\n\n".join([good, good.replace("#7:", "#x:"), good]))]
    assert kinds == [True, False, True]
    kinds = [isinstance(hand, Hand) for hand in load_pokerstars(good + "\nSeat 2: Bob ($50 in chips)\n\n" + good)]
    assert kinds == [False, True]


def test_no_line_is_dropped_and_no_number_guessed(tmp_path: Path) -> None:
    """Delete, exchange and double each line, and change each number: a hand that still matches has the same result."""
    game = no_limit_holdem(4, stacks=(40, 9, 60, 3), ante=1, rules="pokerstars")
    with MatchFile(tmp_path / "a.pokerstars", game, list("abcd"), seed=2) as file:
        play_match(game, [RandomAgent()] * 4, hands=6, seed=2, callbacks=[file])
    for text in (tmp_path / "a.pokerstars").read_text().rstrip().split("\n\n\n"):
        lines, expected = text.split("\n"), stacks_by_name(text + "\n")
        kept = 0
        for changed in changes(lines):
            [hand] = load_pokerstars("\n".join(changed) + "\n")
            result = replay_hand(hand)
            if result.status == MATCHED and isinstance(hand, Hand):
                assert dict(zip(hand.fields["players"], result.stacks, strict=True)) == expected, (lines, changed)
                kept += 1
        assert kept, "such as a hand without the line of its board"


def changes(lines: list[str]) -> Iterator[list[str]]:
    """Yield damaged copies of a hand's lines after the first; stacks, which nothing repeats, stay as they are."""
    for k in range(1, len(lines)):
        yield [*lines[:k], *lines[k + 1 :]]
        yield [*lines[:k], lines[k], *lines[k:]]
        yield [*lines[:k], *lines[k : k + 2][::-1], *lines[k + 2 :]]
        for number in re.finditer(r"\d+", lines[k]) if "in chips" not in lines[k] else ():
            for other in (int(number[0]) + 1, 10 * int(number[0])):
                line = f"{lines[k][: number.start()]}{other}{lines[k][number.end() :]}"
                yield [*lines[:k], line, *lines[k + 1 :]]


CALLED = """Ann: posts small blind $0.50
Bob: posts big blind $1
*** HOLE CARDS ***
Dealt to Ann [Ah Kh]
Ann: calls $0.50
Bob: checks
*** FLOP *** [2c 7d Jh]
Bob: bets $1
Ann: folds
Uncalled bet ($1) returned to Bob
Bob collected $2 from pot
*** SUMMARY ***
Total pot $2 | Rake $0
Board [2c 7d Jh]
Seat 1: Ann (button) (small blind) folded on the Flop
Seat 2: Bob (big blind) collected ($2)
"""


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("folded on the Flop", "folded before Flop", "Ann folded before Flop in the summary, and not so before"),
        ("folded on the Flop", "folded on the Turn", "Ann folded on the Turn in the summary"),
        ("Bob (big blind)", "Bob (button)", "Bob has the button in the summary, Ann before"),
        ("Ann (button) (small blind)", "Ann (button) (big blind)", "Ann has the big blind in the summary, Bob before"),
        ("*** SUMMARY", "Bob: shows [7d]\n*** SUMMARY", "is on the board, or another player's"),
        ("*** SUMMARY", "Bob: shows [Kh]\n*** SUMMARY", "is on the board, or another player's"),
        ("Board [", "Total pot $2 | Rake $0\nBoard [", "a second line states the total pot"),
        ("*** HOLE CARDS ***\n", "*** HOLE CARDS ***\n*** HOLE CARDS ***\n", "comes after"),
        ("Bob: posts big blind $1\n*** HOLE CARDS ***\n", "*** HOLE CARDS ***\nBob: posts big blind $1\n",
         "Bob posts the big blind after the cards are dealt"),
        ("Ann: folds\nUncalled bet ($1) returned to Bob", "Uncalled bet ($1) returned to Bob\nAnn: folds",
         "Ann acts after"),
        ("Ann: posts small", "Bob: posts small", "Bob posts the small blind and the big blind"),
        ("bet ($1) returned to Bob", "bet ($0) returned to Bob", "an uncalled bet of $0 is none"),
    ],
)  # fmt: skip
def test_lines_of_a_hand_do_not_contradict_each_other(before: str, after: str, reason: str) -> None:
    text = hand_text(CASH, TWO, CALLED)
    assert stacks_by_name(text) == {"Bob": 51, "Ann": 49}
    result = replay(text.replace(before, after))
    assert result.status in (SKIPPED, MISMATCHED)
    assert reason in result.reason


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_line_ending_is_read(newline: str) -> None:
    text = hand_text(CASH, TWO, FOLDED).replace("\n", " " + newline)
    assert stacks_by_name(text + "\n")["Bob"] == Decimal("50.5")


def test_a_table_need_not_say_how_many_seats_it_has() -> None:
    text = hand_text(CASH, TWO, FOLDED).replace("9-max ", "").replace("Hand #", "Game #")
    assert stacks_by_name(text)["Bob"] == Decimal("50.5")
    assert "the button is at seat 11 of 10" in replay(text.replace("Seat #1 is", "Seat #11 is")).reason


def test_remarks_of_the_site_change_nothing() -> None:
    remarks = [
        'Zoe said, "Bob: folds"', "Zoe joins the table at seat #5", "Zoe leaves the table", "Bob is disconnected",
        "Bob has returned", "Zoe: sits out", "Zoe: is sitting out", "Zoe will be allowed to play after the button",
        "Bob has timed out while disconnected", "Zoe was removed from the table for failing to post",
        "Bob re-buys and receives 1500 chips for $5.00",
        "Ann finished the tournament in 12th place and received $5.00.",
        "Bob wins the $2 bounty for eliminating Ann", "Betting is capped", "Ann: doesn't show hand",
        "Bob wins $0.63 for eliminating Ann and their own bounty increases by $0.63 to $1.88",
        "Bob wins $4.60 for splitting the elimination of Ann and their own bounty increases by $4.59 to $41.32",
        "Bob, Zoe split the $50 bounty for eliminating Ann",
    ]  # fmt: skip
    for remark in remarks:
        text = hand_text(CASH, TWO, FOLDED.replace("Ann: folds", f"Ann: folds\n{remark}"))
        assert stacks_by_name(text)["Bob"] == Decimal("50.5"), remark


def test_a_file_without_hands_of_the_site_is_refused() -> None:
    with pytest.raises(HandHistoryError, match="begins each; this is a hand of Winamax, which is not read"):
        load_pokerstars("Winamax Poker - CashGame\nTable: 'Colorado'\n")
