"""PHH hand histories: recorded hands match, wrong ones are named with place and reason, texts survive a round trip."""

from __future__ import annotations

import os
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from card_envs.games.holdem.rules import RulesProfile
from card_envs.history import (
    Hand,
    HandHistoryError,
    ReplayReport,
    ReplayResult,
    dump_hand,
    dump_hands,
    errors,
    find_files,
    hand_of,
    load_hand,
    load_hands,
    replay_hand,
    replay_paths,
    replay_tables,
)
from card_envs.history.formats import formats
from card_envs.history.report import replay_file
from card_envs.history.results import EXACT, LEGAL_ONLY, MATCHED, MISMATCHED, ODD_CHIP, RAKE, SKIPPED

DATA = Path(__file__).parents[1] / "data" / "phh"
FILES = find_files(DATA)
FULL_SET = os.environ.get("CARD_ENVS_PHH")

DEAL_2 = ["d dh p1 AsAh", "d dh p2 KsKh"]
DEAL_3 = [*DEAL_2, "d dh p3 QsQh"]
BOARD = ["d db 2c7d9h", "d db 3c", "d db 4d"]
CHECKED_DOWN_3 = [
    *DEAL_3, "p3 cc", "p1 cc", "p2 cc", BOARD[0], "p1 cc", "p2 cc", "p3 cc", BOARD[1], "p1 cc", "p2 cc", "p3 cc",
    BOARD[2], "p1 cc", "p2 cc", "p3 cc",
]  # fmt: skip


def no_limit(actions: list[str], players: int = 3, **fields: Any) -> Hand:
    settings: dict[str, Any] = {
        "variant": "NT",
        "antes": [0] * players,
        "blinds_or_straddles": [1, 2, *[0] * (players - 2)],
        "min_bet": 2,
        "starting_stacks": [200] * players,
        "actions": actions,
    }
    return hand_of(settings | fields)


def limit(actions: list[str], players: int = 2, **fields: Any) -> Hand:
    hand = dict(no_limit(actions, players).fields) | {"variant": "FT", "small_bet": 2, "big_bet": 4} | fields
    del hand["min_bet"]
    return hand_of(hand)


def stacks(hand: Hand) -> tuple[Any, ...]:
    result = replay_hand(hand)
    assert result.status == MATCHED, result.reason
    return result.stacks


def refused(hand: Hand, number: int) -> str:
    """The reason for which a replay stops at action `number`."""
    result = replay_hand(hand)
    assert (result.status, result.action_index) == (MISMATCHED, number - 1), result
    assert f"action {number} '{hand.actions[number - 1]}'" in result.reason
    return result.reason


# --- recorded hands ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_recorded_hand_matches(file: Path) -> None:
    result = replay_hand(load_hand(file))
    assert result.status == MATCHED, result.reason
    assert result.agreement == (ODD_CHIP if file.name == "32-23.phh" else EXACT)


def test_the_selection_is_complete() -> None:
    assert replay_paths(DATA).num_matched == len(FILES) == 44


@pytest.mark.skipif(not FULL_SET, reason="CARD_ENVS_PHH does not name a folder with PHH files")
def test_full_set_matches() -> None:
    report = replay_paths(str(FULL_SET))
    assert not report.mismatched, "\n".join(report.lines(most_mismatches=10))
    assert report.num_matched > 0


@pytest.mark.parametrize("file", FILES[::5], ids=lambda file: file.stem)
def test_text_survives_reading_and_writing(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert dump_hand(load_hand(file)) == text
    assert dump_hands(load_hands(f"[1]\n{text}\n\n[2]\n{text}")) == f"[1]\n{text}\n\n[2]\n{text}"


@pytest.mark.parametrize("file", FILES[::3], ids=lambda file: file.stem)
def test_a_raise_below_the_minimum_and_a_wrong_finishing_stack_are_mismatches(file: Path) -> None:
    hand = load_hand(file)
    for index, action in enumerate(hand.actions):
        if " cbr " in action:
            player = action.split()[0]
            actions = [*hand.actions[:index], f"{player} cbr 1", *hand.actions[index + 1 :]]
            assert f"{player} is to act and may" in refused(hand_of({**hand.fields, "actions": actions}), index + 1)
    for index in range(hand.num_players):
        recorded = list(hand.fields["finishing_stacks"])
        recorded[index] += 1
        result = replay_hand(hand_of({**hand.fields, "finishing_stacks": recorded}))
        assert result.status == MISMATCHED
        assert f"finishing_stacks are [{', '.join(map(str, recorded))}]" in result.reason


def test_states_between_blinds_and_result() -> None:
    hand = load_hand(DATA / "wsop2023" / "2.phh")
    tables = list(replay_tables(hand))
    assert [hand.actions[index] for index, _ in tables[1:]] == [a for a in hand.actions if a[0] == "p"]
    assert tables[0][1]["stack"][0, :5].tolist() == [3735000, 4910000, 8935000, 4545000, 7340000]
    assert tables[-1][1]["stack"][0, :5].tolist() == hand.fields["finishing_stacks"]
    assert stacks(hand) == tuple(hand.fields["finishing_stacks"])
    with pytest.raises(ValueError, match="action 3 'p2 f' is not legal"):
        list(replay_tables(no_limit([*DEAL_2, "p2 f"])))


def test_states_are_safe_from_other_replays() -> None:
    hand = no_limit([*DEAL_3, "p3 f", "p1 f"])
    states = replay_tables(hand)
    next(states)
    replay_hand(no_limit([*DEAL_3, "p3 cbr 50"]))
    assert [int(table["actor"][0]) for _, table in states] == [0, -1]


# --- forced bets and order of play ------------------------------------------------------------------------------------


def test_heads_up_p2_is_on_the_button_with_the_small_blind_and_opens() -> None:
    assert stacks(no_limit([*DEAL_2, "p2 f"], players=2)) == (201, 199)
    assert "p2 is to act and may fold, call 1, raise to 4 .. 200" in refused(no_limit([*DEAL_2, "p1 cc"], 2), 3)
    flop = [*DEAL_2, "p2 cc", "p1 cc", BOARD[0]]
    assert "p1 is to act and may check, raise to 2 .. 198" in refused(no_limit([*flop, "p2 cc"], 2), 6)


def test_heads_up_forced_bets_are_listed_in_reverse() -> None:
    assert stacks(no_limit([*DEAL_2, "p2 f"], players=2, antes=[0, 5])) == (201, 199)
    assert stacks(no_limit([*DEAL_2, "p2 cc", "p1 cbr 10", "p2 f"], players=2, antes=[0, 5])) == (202, 198)


def test_straddle_takes_the_last_option() -> None:
    hand = no_limit(["p4 cc", "p1 f", "p2 f", "p3 cbr 8", "p4 f"], 4, blinds_or_straddles=[1, 2, 4, 0])
    assert stacks(hand) == (199, 198, 207, 196)


def test_short_stack_wins_all_antes_unless_they_are_trimmed() -> None:
    actions = [*DEAL_3, "p3 cc", "p2 cc", *BOARD[:1], "p2 cc", "p3 cc", BOARD[1], "p2 cc", "p3 cc", BOARD[2]]
    actions += ["p2 cc", "p3 cc"]
    settings: dict[str, Any] = {"antes": [10, 10, 10], "starting_stacks": [4, 100, 100]}
    assert stacks(no_limit(actions, **settings, ante_trimming_status=False)) == (24, 92, 88)
    assert stacks(no_limit(actions, **settings, ante_trimming_status=True)) == (12, 104, 88)


def test_limit_allows_four_raises_a_street_of_the_size_of_the_street() -> None:
    raises = [*DEAL_2, "p2 cbr 4", "p1 cbr 6", "p2 cbr 8", "p1 cbr 10"]
    assert "p2 is to act and may fold, call 2" in refused(limit([*raises, "p2 cbr 12"]), 7)
    turn = [*DEAL_2, "p2 cc", "p1 cc", BOARD[0], "p1 cc", "p2 cc", BOARD[1]]
    assert "may check, raise to 4" in refused(limit([*turn, "p1 cbr 2"]), 9)


def test_pot_limit_is_read_as_an_extension() -> None:
    assert "raise to 4 .. 7" in refused(hand_of({**no_limit([*DEAL_3, "p3 cbr 8"]).fields, "variant": "PT"}), 4)


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        (["p3 cc", "p2 cc"], "p1 is to act and may fold, call 1, raise to 4 .. 200"),
        (["p3 cbr 201"], "p3 is to act and may fold, call 2, raise to 4 .. 200"),
        (["p3 cbr 99999999999999999999999"], "raise to 4 .. 200"),
        (["p3 cc", "p1 cc", "p2 f"], "p2 is to act and may check, raise to 4 .. 200"),
        (["p3 f", "p1 f", "p2 cc"], "the betting is over"),
        (["d db 2c7d9h"], "0 board cards can be on the table now; p3 is to act"),
        (["p3 cc", "p1 cc", "p2 cc", "p1 cc"], "3 board cards of the flop must be dealt before"),
        (["p3 cc", "p1 cc", "p2 cc", "d db 2c7d9h3c"], "3 board cards can be on the table now"),
        (["p3 cc", "d dh p1 AsAd"], "hole cards come before the first decision"),
        (["p3 sm AsAd"], "hands are shown after the last decision"),
        (["p3 f", "p1 f", "p3 sm AsAd"], "p3 has folded"),
        (["d dh p1 AsAd", "d dh p2 KsAs"], "As was dealt before, by action 1"),
        (["d dh p1 AsAs"], "As was dealt before, by action 1"),
        (["d dh p1 AsAdKs"], "p1 has 3 hole cards; hold'em is played with 2"),
        ([*CHECKED_DOWN_3, "p1 sm AsAd"], "the hand was dealt As Ah"),
        ([*CHECKED_DOWN_3, "p1 sm AsAs"], "one card is shown twice"),
        ([*CHECKED_DOWN_3, "p1 sm As"], "1 cards are shown; hold'em is played with 2"),
        (["d dh p1 AsAd", "p3 f", "p1 f", "p2 sm AsKs"], "a shown card was dealt to another player"),
    ],
)
def test_an_illegal_action_or_impossible_cards_are_named_with_what_is_legal(actions: list[str], reason: str) -> None:
    assert reason in refused(no_limit(actions), len(actions))


def test_a_rules_profile_may_allow_more() -> None:
    hand = no_limit(["p3 cc", "p1 cc", "p2 f", "d db 2c7d9h", "p1 cbr 2", "p3 f"])
    assert replay_hand(hand).status == MISMATCHED
    assert replay_hand(hand, RulesProfile(fold_when_free=True)).status == MATCHED
    with pytest.raises(ValueError, match="rules 'house' are not known: choose one of"):
        replay_hand(hand, "house")


# --- showdowns, unknown cards, results --------------------------------------------------------------------------------


def test_a_mucked_hand_wins_nothing() -> None:
    assert stacks(no_limit(CHECKED_DOWN_3)) == (204, 198, 198)
    assert stacks(no_limit([*CHECKED_DOWN_3, "p2 sm KsKh", "p3 sm", "p1 sm"])) == (198, 204, 198)
    assert stacks(no_limit([*CHECKED_DOWN_3, "p1 sm", "p2 sm", "p3 sm"], players=3)) == ()


def test_unknown_cards_matter_only_in_a_claim() -> None:
    hidden = ["d dh p1 ????", "d dh p2 KsKh", "d dh p3 ????", *CHECKED_DOWN_3[3:]]
    recorded = {"finishing_stacks": [198, 204, 198]}
    assert replay_hand(no_limit([*hidden, "p1 sm", "p2 sm -", "p3 sm"], **recorded)).status == MATCHED
    assert replay_hand(no_limit([*hidden, "p1 sm QcQd", "p2 sm KsKh", "p3 sm"], **recorded)).status == MATCHED
    open_end = replay_hand(no_limit([*hidden, "p1 sm ????", "p2 sm KsKh", "p3 sm"], **recorded))
    assert (open_end.status, open_end.reason) == (SKIPPED, "hole cards that decide the showdown are not recorded")
    assert replay_hand(no_limit(hidden)).agreement == LEGAL_ONLY
    assert stacks(no_limit(["p3 cbr 6", "p1 f", "p2 f"], finishing_stacks=[199, 198, 203])) == (199, 198, 203)


ALL_IN = [*DEAL_3, "p3 cbr 100", "p1 cc", "p2 cc"]


def test_mucked_side_pot_goes_to_whoever_alone_paid_for_it() -> None:
    settings: dict[str, Any] = {"starting_stacks": [50, 80, 100]}
    actions = [*DEAL_3, "p3 cbr 100", "p1 cc", "p2 cc", *BOARD]
    assert stacks(no_limit(actions, **settings)) == (150, 60, 20)
    assert stacks(no_limit([*actions, "p3 sm", "p2 sm KsKh", "p1 sm AsAh"], **settings)) == (150, 60, 20)
    nobody = no_limit([*actions, "p3 sm", "p2 sm", "p1 sm AsAh"], **settings, finishing_stacks=[230, 0, 0])
    assert replay_hand(nobody).reason == "all hands that could win a pot were mucked"
    heads_up = [*DEAL_2, "p2 cbr 60", "p1 cc", *BOARD, "p2 sm", "p1 sm AsAh"]
    assert stacks(no_limit(heads_up, players=2, starting_stacks=[50, 80])) == (100, 30)


def split(**fields: Any) -> ReplayResult:
    actions = ["d dh p1 AsKh", "d dh p2 AdKd", "p3 cc", "p1 cbr 5", "p2 cc", "p3 f", "d db QcJcTc", "p1 cc", "p2 cc"]
    actions += ["d db 2h", "p1 cc", "p2 cc", "d db 3h", "p1 cc", "p2 cc"]
    settings: dict[str, Any] = {"starting_stacks": [100, 100, 100], "antes": [0, 0, 1]}
    return replay_hand(no_limit(actions, **(settings | fields)))


@pytest.mark.parametrize(
    ("field", "recorded", "agreement"),
    [
        ("finishing_stacks", "102 101 97", EXACT),
        ("finishing_stacks", "101 102 97", ODD_CHIP),
        ("finishing_stacks", "101.5 101.5 97", ODD_CHIP),
        ("finishing_stacks", "101.50 101.49 97", ODD_CHIP),
        ("finishing_stacks", "102.5 100.5 97", ""),
        ("finishing_stacks", "103 100 97", ""),
        ("finishing_stacks", "104 99 97", ""),
        ("finishing_stacks", "102 100 98", ""),
        ("finishing_stacks", "101 101 97", ""),
        ("winnings", "7 6 0", EXACT),
        ("winnings", "6 7 0", ODD_CHIP),
        ("winnings", "7 5.5 0", RAKE),
        ("winnings", "7 3 0", ""),
        ("winnings", "7 6 1", ""),
        ("winnings", "13 0 0", ""),
    ],
)
def test_results_may_differ_by_odd_chips_and_winnings_by_a_rake(field: str, recorded: str, agreement: str) -> None:
    result = split(**{field: list(map(Decimal, recorded.split()))})
    assert result.agreement == agreement
    assert result.status == (MATCHED if agreement else MISMATCHED)


def test_winnings_may_or_may_not_count_what_nobody_called() -> None:
    for chips in (5, 9):
        assert replay_hand(no_limit(["p3 cbr 6", "p1 f", "p2 f"], winnings=[0, 0, chips])).agreement == EXACT
    assert replay_hand(no_limit(["p3 cbr 6", "p1 f", "p2 f"], winnings=[0, 5, 0])).status == MISMATCHED


def test_cents_are_played_as_chips() -> None:
    cents: dict[str, Any] = {"starting_stacks": [Decimal("7.30"), 10, 20], "min_bet": 1}
    cents["blinds_or_straddles"] = [Decimal("0.50"), 1, 0]
    hand = no_limit(["p3 cbr 3.50", "p1 f", "p2 f"], **cents)
    assert stacks(hand) == (Decimal("6.8"), 9, Decimal("21.5"))
    assert "raise to 2 .. 20" in refused(no_limit(["p3 cbr 1.75"], **cents), 1)


@pytest.mark.parametrize("amount", ["4.0000000000000000000000000000001", "4.000000001"])
def test_no_fraction_of_an_amount_is_dropped(amount: str) -> None:
    """An amount that our chips cannot express is not rounded to one that is legal."""
    result = replay_hand(no_limit([f"p3 cbr {amount}", "p1 f", "p2 f"]))
    assert (result.status, result.reason[:16]) == (SKIPPED, "a stack is large")


def test_large_stacks_are_played_in_larger_chips() -> None:
    huge: dict[str, Any] = {
        "starting_stacks": [10**12] * 3,
        "min_bet": 10**9,
        "blinds_or_straddles": [10**9 // 2, 10**9, 0],
    }
    assert stacks(no_limit(["p3 f", "p1 f"], **huge)) == (10**12 - 10**9 // 2, 10**12 + 10**9 // 2, 10**12)
    odd = replay_hand(no_limit(["p3 f", "p1 f"], starting_stacks=[10**12 + 1, 10**12, 10**12]))
    assert odd.status == SKIPPED and odd.reason.endswith("the most that our tables count")
    small = replay_hand(no_limit(["p3 f", "p1 f"], starting_stacks=[Decimal("1e-9"), 100, 100]))
    assert small.status == SKIPPED and small.reason.endswith("of 1/1000000000 each for amounts with fractions")


@pytest.mark.parametrize("results", [{}, {"finishing_stacks": [194, 198, 194]}, {"finishing_stacks": [150, 60, 20]}])
@pytest.mark.parametrize(
    ("actions", "stacks", "reason"),
    [
        (["p3 cbr 6", "p1 cc"], [200] * 3, "the recorded actions end although p2 is to act"),
        ([*ALL_IN, BOARD[0]], [50, 80, 100], "the recorded actions end with 3 board cards"),
    ],
    ids=["a decision is missing", "turn and river are missing"],
)
def test_a_hand_without_its_end_does_not_match(
    actions: list[str], stacks: list[int], reason: str, results: dict[str, Any]
) -> None:
    wrong = replay_hand(no_limit(actions, starting_stacks=stacks, **results))
    assert (wrong.status, wrong.stacks) == (MISMATCHED, ())
    assert reason in wrong.reason


def test_winnings_and_finishing_stacks_must_both_agree() -> None:
    play = [*DEAL_3, "p3 f", "p1 f"]
    assert replay_hand(no_limit(play, finishing_stacks=[199, 201, 200], winnings=[0, 2, 0])).agreement == EXACT
    wrong = replay_hand(no_limit(play, finishing_stacks=[199, 201, 200], winnings=[0, 30, 0]))
    assert wrong.status == MISMATCHED and wrong.reason.startswith("winnings are [0, 30, 0] in the recording")
    wrong = replay_hand(no_limit(play, finishing_stacks=[199, 202, 200], winnings=[0, 2, 0]))
    assert wrong.status == MISMATCHED and wrong.reason.startswith("finishing_stacks are [199, 202, 200]")


@pytest.mark.parametrize(
    ("hand", "reason"),
    [
        (hand_of({"variant": "PO", "actions": ["p1 pb"]}), "variant 'PO' is not among those replayed: NT, FT, PT"),
        (no_limit([], players=11), "11 players are more than the 10 seats of our tables"),
        (no_limit([], blinds_or_straddles=[1, 2, -2]), "negative blinds"),
        (no_limit([], starting_stacks=[Decimal("inf"), 1, 1]), "an amount is unknown (inf)"),
        (no_limit([], blinds_or_straddles=[0, 0, 0]), "our tables cannot play it: blinds and antes are all 0"),
    ],
)
def test_what_our_tables_do_not_play_is_skipped(hand: Hand, reason: str) -> None:
    result = replay_hand(hand)
    assert result.status == SKIPPED
    assert reason in result.reason


# --- texts that are no hand histories ---------------------------------------------------------------------------------

GOOD = dump_hand(no_limit([*DEAL_3, "p3 f", "p1 f"]))


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("variant = 'NT'\n", "", "field 'variant': is missing: write one of ['NT', 'FT', 'PT', 'NS'"),
        ("'NT'", "'XX'", "line 1, field 'variant': 'XX' is not known"),
        ("'NT'", "7", "field 'variant': 7 is not known"),
        ("min_bet = 2\n", "", "field 'min_bet': is missing; variant 'NT' needs it"),
        ("min_bet = 2", "min_bet = 0", "line 4, field 'min_bet': 0 must be a positive number"),
        ("min_bet = 2", "min_bet = nan", "field 'min_bet': NaN must be a positive number"),
        ("antes = [0, 0, 0]", "antes = [0, 0]", "line 2, field 'antes': [0, 0] must be an array of 3 numbers"),
        ("antes = [0, 0, 0]", "antes = 0", "field 'antes': 0 must be an array of 3 numbers"),
        ("antes = [0, 0, 0]", "antes = [0, 0, -1]", "field 'antes': -1 of p3 must not be negative"),
        ("antes = [0, 0, 0]", "antes = [0, 0, '1']", "field 'antes': '1' of p3 must be a number"),
        ("antes = [0, 0, 0]", "antes = [0, 1e999999999, 0]", "field 'antes': 1E+999999999 of p2 must be a number"),
        ("antes = [0, 0, 0]", "antes = [0, 1e-999999999, 0]", "of at most 100 digits"),
        ("min_bet = 2", "min_bet = 1e999999999", "of at most 100 digits"),
        ("min_bet = 2", "min_bet = 2\nplayers = 3", "field 'players': 3 must be an array of 3 names"),
        ("min_bet = 2", "min_bet = 2\nplayers = ['a']", "field 'players': ['a'] must be an array of 3 names"),
        ("antes = [0, 0, 0]", "antes = [0, 0, true]", "field 'antes': True of p3 must be a number"),
        ("antes = [0, 0, 0]", "antes = [0, 0, nan]", "field 'antes': NaN of p3 must be a number"),
        ("[200, 200, 200]", "[200, 0, 200]", "field 'starting_stacks': 0 of p2 must not be zero"),
        ("[200, 200, 200]", "[200]", "field 'starting_stacks': [200] must be an array of the stacks of two or more"),
        ("[200, 200, 200]", "[200, 200, 200", "line 6: not TOML"),
        ("min_bet = 2", "min_bet = 2\nmin_bet = 2", "line 5: not TOML"),
        ("min_bet = 2", "min_bet = NaN", "line 4: not TOML"),
        (
            "min_bet = 2",
            "ante_trimming_status = 1\nmin_bet = 2",
            "field 'ante_trimming_status': 1 must be true or false",
        ),
        ("'p1 f'", "7", "field 'actions', action 5: 7 must be a text"),
        ("'p1 f'", "'p1 x'", "line 6, field 'actions', action 5: 'p1 x' is not an action: write 'd dh pN CARDS'"),
        ("'p1 f'", "'p4 f'", "action 5: 'p4 f' names a player beyond p3"),
        ("'p1 f'", "'p0 f'", "action 5: 'p0 f': 'p0' is not a player; write p1, p2, ..."),
        ("'p1 f'", "'q1 f'", "action 5: 'q1 f': 'q1' is not a player"),
        ("'p1 f'", "'p1 cbr'", "action 5: 'p1 cbr' is not an action"),
        ("'p1 f'", "'p1 cbr -4'", "action 5: 'p1 cbr -4': '-4' is not an amount; write the chips to raise to"),
        ("'p1 f'", "'p1 cbr nan'", "'nan' is not an amount"),
        ("'p1 f'", "'p1 sm AsX'", "action 5: 'p1 sm AsX': 'X' is not a card; write rank and suit such as 'As'"),
        ("AsAh", "1sAh", "action 1: 'd dh p1 1sAh': '1s' is not a card"),
    ],
)
def test_wrong_text_is_refused_with_place_and_reason(old: str, new: str, error: str, tmp_path: Path) -> None:
    assert old in GOOD
    file = tmp_path / "hand.phh"
    file.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(HandHistoryError) as caught:
        load_hand(file)
    assert error in str(caught.value)
    assert str(caught.value).startswith(f"{file}, line ")


def test_wrong_hand_in_a_file_of_several_is_named(tmp_path: Path) -> None:
    file = tmp_path / "hands.phhs"
    file.write_text(f"[1]\n{GOOD}\n\n[2]\n{GOOD.replace('p1 f', 'p1 x')}\n", encoding="utf-8")
    with pytest.raises(HandHistoryError, match=r"hands.phhs \[2\], line 15, field 'actions', action 5: 'p1 x'"):
        load_hands(file)
    with pytest.raises(HandHistoryError, match=r"\[1\], line 9: this section comes twice"):
        load_hands(f"[1]\n{GOOD}\n\n[1]\n{GOOD}")
    with pytest.raises(HandHistoryError, match="the file holds 2 hands; read them with load_hands"):
        load_hand(f"[1]\n{GOOD}\n\n[2]\n{GOOD}")


@pytest.mark.parametrize(("name", "wrong", "reason"), [
    ("2", GOOD.replace("p1 f", "p1 x"), "line 15, field 'actions', action 5: 'p1 x'"),
    ("2", GOOD.replace("variant", "kind"), "field 'variant': is missing"),
    ("2", "variant = 'NT\n", "line 10: not TOML"),
    ("1", GOOD, "line 9: this section comes twice"),
])  # fmt: skip
def test_a_section_that_cannot_be_read_is_skipped_with_the_reason(
    name: str, wrong: str, reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "hands.phhs"
    file.write_text(f"[1]\n{GOOD}\n\n[{name}]\n{wrong}\n\n[3]\n{GOOD}\n", encoding="utf-8")
    first, skipped, last = replay_file(file)
    assert first.status == last.status == MATCHED
    assert (skipped.status, skipped.source) == (SKIPPED, f"{file} [{name}]")
    assert reason in skipped.reason, skipped.reason


@pytest.mark.parametrize("file", [FILES[0], FILES[-1]], ids=lambda file: file.stem)
def test_truncated_text_is_refused_or_reads_as_less(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    needed = text.index("\n", text.index("actions = "))
    for end in range(len(text)):
        try:
            replay_hand(load_hand(text[:end] + "\n"))
        except HandHistoryError as error:
            assert "is empty" in str(error) or "line" in str(error)
        else:
            assert end >= needed


@pytest.mark.parametrize(
    ("content", "error"),
    [(b"", "is empty"), (b"\n\n", "is empty"), (b"\xff\xfe", "byte 0 is not UTF-8 text"), (b"= 1", "not TOML")],
)
def test_file_that_is_no_hand_history(content: bytes, error: str, tmp_path: Path) -> None:
    file = tmp_path / "hand.phh"
    file.write_bytes(content)
    with pytest.raises(HandHistoryError, match=error):
        load_hands(file)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ('<?xml version="1.0"?><session sessioncode="1"></session>', "is XML"),
        ('{"ohh": {"spec_version": "1.4.6"}}', "is JSON"),
        ('[\n  {"hand": 1}\n]', "is JSON"),
        ('entry,at,order\n"-- starting hand #1 --",2024-01-01,1\n', "is CSV"),
        ("Poker Hand #HD1: Hold'em No Limit ($1/$2)\n", "a hand of another site"),
        ("Winamax Poker - CashGame\n", "a hand of Winamax"),
        ("***** Hand History For Game 1 *****\n", "a hand of PartyPoker"),
    ],
)
@pytest.mark.parametrize("name", ["hand.txt", "hand.phh", "hand.xml", "hand.acpc", "hand.big2"])
def test_files_of_other_sites_are_named_for_what_they_are(content: str, kind: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    (wrong,) = replay_paths(tmp_path / name).mismatched
    formats = ".phhs, .phh, .acpc, .log, .pokerstars, .txt, .big2"
    assert kind in wrong.reason and f"the formats of {formats} are read" in wrong.reason


RAISE_AND_FOLDS = """variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [1, 2, 0]
min_bet = 2
starting_stacks = [2000, 2000, 2000]
actions = ["d dh p1 AsAd", "d dh p2 KsKd", "d dh p3 QsQd", "p3 cbr AMOUNT", "p1 f", "p2 f"]
"""


@pytest.mark.parametrize(
    ("amount", "value"),
    [
        ("1,000", 1000), ("6.5", Decimal("6.5")), ("6,5", None), ("1,0000", None), ("10,00", None), ("٣٠", None),
        ("1,000,5", None),
    ],
)  # fmt: skip
def test_a_comma_stands_before_three_digits(amount: str, value: object) -> None:
    text = RAISE_AND_FOLDS.replace("AMOUNT", amount)
    if value is None:
        with pytest.raises(HandHistoryError, match="is not an amount"):
            load_hand(text)
    else:
        assert load_hand(text).moves[3].amount == value


def test_final_stacks_without_rake_contradict_raked_winnings() -> None:
    text = RAISE_AND_FOLDS.replace("AMOUNT", "6")
    raked = "winnings = [0, 0, 4.6]\n"
    assert replay_hand(load_hand(text + raked)).agreement == "up to a rake"
    result = replay_hand(load_hand(f"{text}finishing_stacks = [1999, 1998, 2003]\n{raked}"))
    assert (result.status, result.agreement) == ("mismatched", "")


def test_the_suffixes_in_messages_are_those_that_are_read() -> None:
    assert sum(((*each.suffixes, *each.suffixes_if_named) for each in formats()), ()) == errors.SUFFIXES


def test_missing_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(HandHistoryError, match="cannot be read: No such file"):
        load_hand(tmp_path / "none.phh")
    with pytest.raises(HandHistoryError, match="there is no such file or folder"):
        replay_paths(tmp_path / "none")
    with pytest.raises(HandHistoryError, match=r"the folder holds no file that ends in .phh, .phhs"):
        replay_paths(tmp_path)


def test_unusual_toml_reads_as_usual() -> None:
    text = GOOD.replace("'", '"').replace("min_bet = 2", "min_bet=2 # blind\n\n# a remark\n_note = {where = 'here'}")
    text = text.replace("actions = [", "actions = [\n  '# start', '', ").replace('"p1 f"', '"p1  f # tired",\n')
    hand = load_hand(text.replace("\n", "\r\n"))
    assert stacks(hand) == stacks(load_hand(GOOD))
    assert hand.fields["_note"] == {"where": "here"}
    assert load_hand(dump_hand(hand)).fields == hand.fields


def test_odd_texts_can_be_written() -> None:
    hand = no_limit(
        [], time_limit=Decimal("inf"), event="O'Hara", url="a\nb'''", **{"a b": "\\", "_it's": "x'", "_\t": ""}
    )
    assert load_hand(dump_hand(hand)).fields == hand.fields
    endless = no_limit([], time_limit=Decimal("-inf"), _rate=Decimal("nan"))
    assert "time_limit = -inf\n_rate = nan" in dump_hand(endless)
    assert str(load_hand(dump_hand(endless)).fields["_rate"]) == "NaN"
    with pytest.raises(HandHistoryError, match="cannot be written as TOML"):
        dump_hand(no_limit([], _x=object()))


# --- reports ----------------------------------------------------------------------------------------------------------


def test_report_counts_and_explains(tmp_path: Path) -> None:
    (tmp_path / "2.phh").write_text(GOOD, encoding="utf-8")
    (tmp_path / "10.phh").write_text(GOOD.replace("p1 f", "p2 f"), encoding="utf-8")
    (tmp_path / "11.phh").write_text(GOOD[:-1], encoding="utf-8")
    (tmp_path / "12.txt").write_text("not looked at", encoding="utf-8")
    (tmp_path / "deep").mkdir()
    other = dump_hand(hand_of({"variant": "PO"}))
    (tmp_path / "deep" / "few.phhs").write_text(f"[1]\n{GOOD}\n\n[2]\n{other}\n\n[3]\n{other}\n", encoding="utf-8")
    report = replay_paths([tmp_path, DATA / "wsop2023", DATA / "pluribus" / "32-23.phh"])
    lines = list(report.lines())
    assert lines[0].startswith(f"mismatched {tmp_path}/10.phh: action 5 'p2 f' is not legal: p1 is to act and may fold")
    assert lines[1].startswith(f"mismatched {tmp_path}/11.phh: line 6: not TOML")
    assert lines[2].startswith(f"skipped 2, first {tmp_path}/deep/few.phhs [2]: variant 'PO'")
    assert lines[3] == "matched: 4 exactly, 1 up to odd chips, 2 legality only"
    assert lines[4:] == ["replayed 11 hands: 7 matched, 2 mismatched, 2 skipped"]
    assert list(report.lines(most_mismatches=1))[1] == "... and 1 mismatches more"
    assert list(ReplayReport().lines()) == ["replayed 0 hands: 0 matched, 0 mismatched, 0 skipped"]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [0, -1, 1.5])
def test_jobs_are_a_number_of_processes(jobs: int) -> None:
    with pytest.raises(ValueError, match=f"jobs {jobs} must be a whole number of processes, at least 1"):
        replay_paths(FILES[0], jobs=jobs)


def test_jobs_change_nothing() -> None:
    assert list(replay_paths(DATA, jobs=2).lines()) == list(replay_paths(DATA).lines())
