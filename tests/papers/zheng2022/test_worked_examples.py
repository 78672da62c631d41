"""Zheng et al. (2022), Cheat'em: card types, sheet, advantage probability, rewards, by examples worked out by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines.papers.zheng2022.advantage import RIVAL_COUNTS, advantage, chance_ahead, count_action
from card_baselines.papers.zheng2022.card_types import (
    TYPE_OF_RANK,
    count_types,
    hole_type,
    random_type,
)
from card_baselines.papers.zheng2022.duel import Hand
from card_baselines.papers.zheng2022.sheet import (
    SHEET_FILE,
    TRAJECTORY,
    Sheet,
    add_decision,
    load_sheet,
    low_fold_action,
    move_cell,
    pretrain,
    save_sheet,
)
from card_baselines.papers.zheng2022.situation import (
    CALL,
    CHECK,
    FOLD,
    NONE,
    RAISE,
    column_of,
    is_legal_column,
    last_column_of_rival,
)
from card_baselines.papers.zheng2022.table_player import (
    ACTION_VALUES,
    TYPE_COUNTS,
    SoftmaxTablePlayer,
    TablePlayer,
    write_values,
)
from card_envs.agent import Decisions, decisions_at
from card_envs.agent.probabilities import softmax
from card_envs.cards import card_ids
from card_envs.compiler import COMPILED
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.presets import limit_holdem
from card_envs.poker_hands import hand_rank
from card_envs.rng import seeded_streams
from tests.helpers.holdem_hands import OneTable

RULES = HoldemConfig.limit(rules="rlcard")
GAME = limit_holdem(rules="rlcard")
needs_speed = pytest.mark.skipif(not COMPILED, reason="a million hands, which take hours as plain Python")


def table(hole: str = "As Ks", board: str = "", rival: str = "2c 3c", street: int | None = None) -> OneTable:
    """Return a table on the street of `board` with seat 0 to act; seat 1 has the button and thus the big blind."""
    deck = f"{hole} {rival} {board}"
    made = OneTable(RULES, button=1, deck=deck)
    count = len(card_ids(board)) if street is None else (0, 3, 4, 5)[street]
    made.play({0: "", 3: "c c", 4: "c c c c", 5: "c c c c c c"}[count])
    assert made.actor == 0
    return made


# --- card types -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "row"),
    [("As Ad", 20), ("Ks Kd", 21), ("2s 2d", 32), ("As Kd", 33), ("2s Ad", 33), ("Ks 2s", 34), ("3s 2d", 44)],
)
def test_two_cards(cards: str, row: int) -> None:
    first, second = card_ids(cards)
    assert hole_type(first, second) == row


@pytest.mark.parametrize(
    ("cards", "row"),
    [
        ("As Ad Ah 2c 5d 9s Jh", 0),  # three of a kind
        ("As 2d 3h 4c 5d 9s Jh", 0),  # the lowest straight
        ("2s 4s 7s 9s Js Kd Ah", 0),  # flush
        ("2s 2d 2h 9s 9d Kd Ah", 0),  # full house
        ("As Ad Ks Kd 5d 9s Jh", 1),  # two pair
        ("As Ad Ks Kd 9d 9s Jh", 1),  # three pairs
        ("As Ad 2s 4d 9d Ts Jh", 2),
        ("7s 7d 2s 4d 9d Ts Jh", 9),
        ("2s 2d 5s 7d 9d Ts Jh", 14),
        ("As Kd 2s 7d 9d Ts 4h", 14),  # ace high shares the row of deuces
        ("Qs Kd 2s 7d 9d Ts 4h", 15),
        ("2s 3d 4s 5d 7d 8s 9h", 19),  # nine high, the lowest that seven cards make
    ],
)
def test_seven_cards(cards: str, row: int) -> None:
    rank = hand_rank(card_ids(cards))
    assert TYPE_OF_RANK[rank] == row


def counted(made: OneTable) -> tuple[int, dict[int, int]]:
    counts = np.zeros(1, TYPE_COUNTS)
    total = count_types(made.t, 0, counts[0])
    return int(total), {int(row): int(counts["count"][0, row]) for row in np.flatnonzero(counts["count"][0])}


def test_completions_of_the_turn_by_hand() -> None:
    # two pair already: two aces and two kings make a full house
    assert counted(table("As Ks", "Ah Kd 2c 7d")) == (46, {0: 4, 1: 42})


def test_completions_are_counted_once_each_whatever_the_street() -> None:
    assert counted(table("As Ad")) == (1, {20: 1})
    assert counted(table("As Kd", "2s 7d 9d Ts 4h")) == (1, {14: 1})
    seen = card_ids("As Kd 2s 7d 9d")
    unseen = [card for card in range(52) if card not in seen]
    expected = Counter(int(TYPE_OF_RANK[hand_rank([*seen, *two])]) for two in combinations(unseen, 2))
    assert counted(table("As Kd", "2s 7d 9d")) == (1081, dict(expected))


def test_random_completions_come_as_often_as_they_are_counted() -> None:
    made, streams = table("As Kd", "2s 7d 9d"), seeded_streams(1, 3)
    total, counts = counted(made)
    drawn = Counter(int(random_type(made.t, 0, streams[0])) for _ in range(4000))
    assert set(drawn) <= set(counts)
    for row, count in counts.items():
        share = count / total
        assert abs(drawn[row] / 4000 - share) < 4 * (share * (1 - share) / 4000) ** 0.5 + 1e-9


# --- actions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("played", "last"),
    [
        ("", NONE),
        ("c", CALL),  # the small blind completes
        ("4", RAISE),
        ("4 6", RAISE),
        ("c c", CHECK),  # the big blind takes no option
        ("4 c", CALL),
        ("c c c", CHECK),
        ("c c 2", RAISE),
        ("c c 2 c", CALL),  # of the big blind's chips on the flop, not its option before
        ("c c c 2 c", CALL),
        ("c c c c", CHECK),
    ],
)
def test_what_the_rival_did_last(played: str, last: int) -> None:
    assert last_column_of_rival(OneTable(RULES, button=1).play(played).t) == last


def test_what_the_rival_did_last_when_the_same_seat_acts_twice() -> None:
    # by the usual rules the big blind ends the first street and opens the second
    made = OneTable(HoldemConfig.limit(), button=1).play("c c")
    assert made.actor == 0
    assert last_column_of_rival(made.t) == CALL


def test_columns_and_what_is_legal() -> None:
    made = OneTable(RULES, button=1)
    assert [bool(is_legal_column(made.t, column)) for column in range(4)] == [True, True, True, False]
    assert [column_of(made.t, action) for action in range(3)] == [FOLD, CALL, RAISE]
    made.play("c")
    assert [bool(is_legal_column(made.t, column)) for column in range(4)] == [False, True, True, True]
    assert column_of(made.t, 1) == CHECK
    made.play("4 6 8 10")
    assert not is_legal_column(made.t, RAISE)


# --- sheet ------------------------------------------------------------------------------------------------------------


def test_a_cell_moves_towards_what_the_others_leave() -> None:
    sheet, trajectories = Sheet(np.zeros((45, 4))).record(), np.zeros(1, TRAJECTORY)
    sheet["value"][0, 33, CALL], sheet["value"][0, 2, RAISE] = 0.5, 1.0
    add_decision(trajectories[0], 33, CALL)
    add_decision(trajectories[0], 2, RAISE)
    move_cell(sheet[0], trajectories[0], 4.0, 0.1, seeded_streams(1, 0)[0])
    # 4 - 1 - 0.5 = 2.5 is missing; one of the two cells takes a tenth of it
    changed = (sheet["value"][0, 33, CALL], sheet["value"][0, 2, RAISE])
    assert changed in [(pytest.approx(0.75), 1.0), (0.5, pytest.approx(1.25))]
    assert sheet["value"].sum() == pytest.approx(1.75)


def test_both_cells_of_a_hand_are_picked_equally_often() -> None:
    stream, picked = seeded_streams(1, 1)[0], 0
    for _ in range(1000):
        sheet, trajectories = Sheet(np.zeros((45, 4))).record(), np.zeros(1, TRAJECTORY)
        add_decision(trajectories[0], 33, CALL)
        add_decision(trajectories[0], 2, RAISE)
        move_cell(sheet[0], trajectories[0], 1.0, 1.0, stream)
        picked += int(sheet["value"][0, 33, CALL] == 1.0)
    assert 430 < picked < 570


def test_a_hand_without_decisions_teaches_nothing() -> None:
    sheet, trajectories = Sheet(np.ones((45, 4))).record(), np.zeros(1, TRAJECTORY)
    before = sheet.copy()
    move_cell(sheet[0], trajectories[0], 4.0, 0.1, seeded_streams(1, 0)[0])
    assert (sheet == before).all()


def test_low_fold_players_fold_a_third_of_the_rest() -> None:
    made, stream = OneTable(RULES, button=1), seeded_streams(1, 2)[0]
    played = Counter(int(low_fold_action(made.t, stream)) for _ in range(6000))
    assert played[0] / 6000 == pytest.approx(0.21 / 3, abs=0.012)
    assert played[1] / 6000 == pytest.approx(0.21 / 3 + 0.79 / 2, abs=0.025)


def test_standardised_rows() -> None:
    row = np.array([1.0, 3.0, -1.0, 1.0])
    sheet = Sheet(np.tile(row, (45, 1))).standardise()
    assert sheet.values[7] == pytest.approx([0, 2**0.5, -(2**0.5), 0], abs=1e-6)


@needs_speed
def test_pretraining_makes_the_sheet_that_comes_with_the_package() -> None:
    assert pretrain(seed=11).values == pytest.approx(load_sheet(SHEET_FILE).values, abs=1e-6)


@needs_speed
def test_two_seeds_differ_as_little_as_is_published() -> None:
    first, second = pretrain(seed=1).values, pretrain(seed=2).values
    assert np.sqrt(((first - second) ** 2).mean()) == pytest.approx(0.04, abs=0.008)
    assert np.corrcoef(first.ravel(), second.ravel())[0, 1] > 0.99


def test_a_sheet_is_loaded_as_it_was_saved(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(45, 4)).round(6)
    save_sheet(Sheet(values), tmp_path / "sheet.csv")
    assert load_sheet(tmp_path / "sheet.csv").values == pytest.approx(values)


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: path / "none.csv", "cannot be read"),
        (lambda path: write(path / "sheet.csv", "a,b,c,d\n1,2,3,4\n"), r"shape \(1, 4\): \(45, 4\) is needed"),
        (lambda path: write(path / "sheet.csv", "a,b,c\n" + "1,2,3\n" * 45), r"shape \(45, 3\): \(45, 4\) is needed"),
        (lambda path: write(path / "sheet.csv", "a,b,c,d\n" + "1,2,3,4\n" * 44 + "1,2,3\n"), "cannot be read"),
        (lambda path: write(path / "sheet.csv", "a,b,c,d\n" + "1,2,x,4\n" * 45), "cannot be read: .*'x'"),
        (lambda path: write(path / "sheet.csv", "a,b,c,d\n" + "1,2,nan,4\n" * 45), "not finite"),
    ],
)
def test_what_is_no_sheet_is_refused(make: Callable[[Path], Path], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        load_sheet(make(tmp_path))


# --- table player -----------------------------------------------------------------------------------------------------


def values_at(made: OneTable, sheet: Sheet) -> Any:
    values, counts = np.zeros(1, ACTION_VALUES), np.zeros(1, TYPE_COUNTS)
    write_values(made.t, sheet.record()[0], counts[0], values[0])
    return values


def decide(made: OneTable) -> Decisions:
    one = np.zeros(1, np.int64)
    return decisions_at(GAME, made.tables, one, one, np.full(1, 0.5))


def best_action(made: OneTable, sheet: Sheet) -> int:
    return int(TablePlayer(sheet).act(decide(made), np.random.default_rng(0))[0])


def test_a_value_is_the_mean_over_completions() -> None:
    cells = np.zeros((45, 4))
    cells[0], cells[1] = [46.0, 0, 0, 92.0], [0, 23.0, 0, 46.0]
    made = table("As Ks", "Ah Kd 2c 7d")
    found = values_at(made, Sheet(cells))
    assert found["value"][0] == pytest.approx([4.0, 21.0, 0.0, (4 * 92 + 42 * 46) / 46])
    assert found["legal"][0].tolist() == [0, 1, 1, 1]
    assert best_action(made, Sheet(cells)) == 1  # the check, worth most


def test_illegal_columns_are_never_best_nor_likely() -> None:
    cells = np.zeros((45, 4))
    cells[:, CALL] = 9.0
    made = table("As Ad", "2s 7d 9d")
    found = values_at(made, Sheet(cells))
    assert best_action(made, Sheet(cells)) == 2  # a raise is worth as much as a check, and comes first
    assert softmax(found["value"], found["legal"])[0].tolist() == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])


def test_the_greedy_player_and_its_softmax() -> None:
    made = OneTable(RULES, button=1, deck="As Kd")
    decisions = decide(made)
    cells = np.zeros((45, 4))
    cells[33] = [1.0, 2.0, 0.0, 7.0]
    assert TablePlayer(Sheet(cells)).probabilities(decisions).tolist() == [[0, 0, 1]]
    assert TablePlayer(Sheet(cells)).act(decisions, np.random.default_rng()).tolist() == [2]
    weights = np.exp(np.array([0.0, 1.0, 2.0]) / np.std([1.0, 2.0, 0.0, 7.0]))
    assert SoftmaxTablePlayer(Sheet(cells)).probabilities(decisions)[0] == pytest.approx(weights / weights.sum())


# --- advantage probability --------------------------------------------------------------------------------------------


def test_advantage_by_hand() -> None:
    rival = np.zeros(1, RIVAL_COUNTS)
    assert advantage(0.7, rival[0], RAISE) == pytest.approx(0.7)  # nothing counted: both shares are 1
    rival["seen"][0], rival["seen_ahead"][0] = [2, 6, 0, 2], [1, 4, 0, 1]
    assert advantage(0.7, rival[0], RAISE) == pytest.approx(0.7 * (4 / 6) / (6 / 10))
    assert advantage(0.9, rival[0], RAISE) == pytest.approx(1.0)
    rival["seen_ahead"][0] = [0, 4, 0, 0]
    assert advantage(0.9, rival[0], RAISE) > 1.4  # an estimate of a ratio, not a probability
    assert advantage(0.9, rival[0], CALL) == 0.0
    assert advantage(0.7, rival[0], NONE) == 0.7


def test_a_board_that_plays_is_a_tie() -> None:
    made = table("As Ks", "2c 2d 2h 2s 3d", rival="Qc Qd")
    assert chance_ahead(made.t, 0, 10, 10, seeded_streams(1, 0)[0]) == 0.5


def test_the_chance_to_be_ahead_is_that_of_all_hands() -> None:
    made = table("9c 9d", "9h 2s 5d Jc Kh")
    seen = card_ids("9c 9d 9h 2s 5d Jc Kh")
    mine = TYPE_OF_RANK[hand_rank(seen)]
    rows = [
        TYPE_OF_RANK[hand_rank([*two, *seen[2:]])]
        for two in combinations([card for card in range(52) if card not in seen], 2)
    ]
    expected = np.mean([1.0 if mine < row else 0.5 for row in rows])
    found = chance_ahead(made.t, 0, 200, 100, seeded_streams(1, 0)[0])
    assert found == pytest.approx(expected, abs=0.01)


def test_the_rival_is_counted_with_the_better_hand() -> None:
    rival, stream = np.zeros(1, RIVAL_COUNTS), seeded_streams(1, 0)[0]
    count_action(table("As Ad", rival="Ks Kd").t, 0, RAISE, rival[0], stream)
    assert rival["seen"][0].tolist() == [0, 1, 0, 0] and rival["seen_ahead"][0].tolist() == [0, 1, 0, 0]
    count_action(table("Qs Qd", rival="Ks Kd").t, 0, CALL, rival[0], stream)
    assert rival["seen"][0].tolist() == [1, 1, 0, 0] and rival["seen_ahead"][0].tolist() == [0, 1, 0, 0]
    for _ in range(400):  # equal rows: a fair coin
        count_action(table("As Qd", rival="Ac Kd").t, 0, CHECK, rival[0], stream)
    assert 150 < rival["seen_ahead"][0, CHECK] < 250


# --- rewards ----------------------------------------------------------------------------------------------------------


def hand_of(played: str, deck: str, columns: list[int]) -> Hand:
    """Return a hand played by the usual notation of `OneTable`; seat 0 has the small blind."""
    made, before, found = OneTable(RULES, button=1, deck=deck), [], []
    for word in played.split():
        before.append(made.tables.copy())
        found.append(int(column_of(made.t, {"f": 0, "c": 1}.get(word, 2))))
        made.play(word)
    assert made.is_over and found == columns
    return Hand(np.concatenate(before), np.array(found), made.tables, made.t.payoff[:2] / 2)


ACES = "As Ad Ks Kd 2c 7h 9d Js 4h"
RAISED = "4 c 2 4 c c c c c"
"""Small blind (aces) raises, called; flop: big blind called last, so seat 0 bets, seat 1 raises, seat 0 calls ..."""


def raised_hand() -> Hand:
    return hand_of(RAISED, ACES, [RAISE, CALL, RAISE, RAISE, CALL, CHECK, CHECK, CHECK, CHECK])


def test_the_payoff_comes_last() -> None:
    hand = raised_hand()
    assert hand.payoffs.tolist() == [4.0, -4.0]
    assert hand.rewards_of(0).tolist() == [0, 0, 0, 0, 4.0]
    assert hand.rewards_of(1).tolist() == [0, 0, 0, -4.0]
    folded = hand_of("f", ACES, [FOLD])
    assert sorted(len(folded.rewards_of(seat)) for seat in (0, 1)) == [0, 1]


def test_fold_is_seldom_best_where_all_values_of_the_sheet_are_negative() -> None:
    """Section 4.1 says that fold is always highest there; in our sheet it is so in 3 of 20 rows."""
    values = load_sheet(SHEET_FILE).values
    negative = values[(values < 0).all(axis=1)]
    assert (len(negative), int((negative.argmax(axis=1) == FOLD).sum())) == (20, 3)
