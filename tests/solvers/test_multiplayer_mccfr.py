"""CFR for several seats: what public states tell apart, what is learned, and how a strategy is stored and played."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines.solvers.agent import CfrNoLimitSixMax, TableAgent
from card_baselines.solvers.buckets.hand_buckets import NUM_STARTING_HANDS, STARTING_HANDS, BoardBuckets
from card_baselines.solvers.menu_cfr import MenuCfr
from card_baselines.solvers.multiplayer.mccfr import MultiplayerMccfr, round_sums
from card_baselines.solvers.multiplayer.public_state import (
    NO_STATE,
    StateTable,
    add_missing,
    find_state,
    legal_actions_of,
    public_state,
    street_of,
)
from card_baselines.solvers.multiplayer.traversal import (
    Frames,
    Hands,
    Learner,
    merge_equal_hands,
    traverse,
    write_own_hands,
    write_policy,
)
from card_baselines.solvers.pot_odds import call_by_odds
from card_baselines.solvers.strategy import FIFTEENTHS, FINE, TableStrategy, compress, decompress, to_parts
from card_baselines.solvers.train import MultiplayerConfig, MultiplayerLearner
from card_baselines.solvers.translation import translate_raises
from card_envs import make_game
from card_envs.agent import decisions_at
from card_envs.compiler import COMPILED
from card_envs.game import Game, Tables
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION, amount_to_call
from card_envs.games.holdem.showdown import award_pots
from card_envs.poker.hands import HANDS, NUM_HANDS
from card_envs.rng import seeded_streams
from tests.helpers.hand_buckets import some_buckets, some_turn

needs_speed = pytest.mark.skipif(not COMPILED, reason="thousands of deals, which take minutes as plain Python")

SIX = {"num_players": 6}
SHORT = {"stacks": 4, "bet_menu": "fca"}
"""Two big blinds for two, and no raise but all-in: little happens after the flop."""


def decisions(game: Game, num_tables: int = 60, seed: int = 0) -> Tables:
    """Return tables at all decisions of hands in which most decisions are calls."""
    tables, rng, found = game.seeded_tables(num_tables, seed), np.random.default_rng(seed), []
    game.deal_batch(tables, np.arange(num_tables))
    for _ in range(40):
        going = tables[tables["is_over"] == 0]
        found.append(going.copy())
        for i in np.flatnonzero(tables["is_over"] == 0).tolist():
            legal = np.flatnonzero(int(tables["legal"][i]) >> np.arange(game.num_actions) & 1)
            game.step(tables, i, int(CALL_ACTION if rng.random() < 0.7 else rng.choice(legal)))
    return np.concatenate(found)


def rivers(game: Game, strategy: TableStrategy, num_tables: int) -> Tables:
    """Return tables at all decisions on the river of hands in which a strategy plays against itself."""
    tables, rng, found = game.seeded_tables(num_tables, 1), np.random.default_rng(1), []
    game.deal_batch(tables, np.arange(num_tables))
    while len(rows := np.flatnonzero(tables["is_over"] == 0)):
        going = tables[rows]
        found.append(going[going["street"] == 3])
        shares = strategy.probabilities(going).cumsum(axis=1)
        for row, action in zip(rows.tolist(), (shares < rng.random((len(rows), 1))).sum(axis=1).tolist(), strict=True):
            game.step(tables, row, action)
    return np.concatenate(found)


def states_of(tables: Tables) -> list[int]:
    return [int(public_state(t)) for t in tables]


@pytest.fixture(scope="module")
def turn() -> Any:
    """Buckets on the turn, which mean nothing either."""
    return some_turn(seed=0)


def test_a_public_state_tells_street_and_legal_actions() -> None:
    tables = decisions(make_game("no_limit_holdem-v0", **SIX))
    assert set(tables["street"]) == {0, 1, 2, 3}
    for t, state in zip(tables, states_of(tables), strict=True):
        assert (street_of(np.int64(state)), legal_actions_of(np.int64(state))) == (t["street"], t["legal"])


def test_a_public_state_is_the_same_for_all_seats_that_can_hold_the_position() -> None:
    game = make_game("no_limit_holdem-v0", **SIX)
    tables = decisions(game)
    turned = tables.copy()
    for name in ("stack", "street_commit", "hand_commit"):
        turned[name][:, :6] = np.roll(tables[name][:, :6], 1, axis=1)
    for name in ("button", "actor"):
        turned[name] = (tables[name] + 1) % 6
    turned["raiser"] = np.where(tables["raiser"] < 0, tables["raiser"], (tables["raiser"] + 1) % 6)
    for name in ("in_hand", "pending", "callers", "acted"):
        seats = tables[name].astype(np.int64)
        turned[name] = (seats << 1 | seats >> 5) & 63
    assert states_of(turned) == states_of(tables)


def test_a_public_state_is_public() -> None:
    game = make_game("no_limit_holdem-v0", **SIX)
    tables = decisions(game)
    views = tables.copy()
    game.censor_batch(tables, np.arange(len(tables)), tables["actor"].astype(np.int64), views)
    other = tables.copy()
    other["deck"] = 51 - tables["deck"][:, ::-1]
    assert states_of(views) == states_of(tables) == states_of(other)


def test_a_public_state_is_in_big_blinds() -> None:
    small, large = (
        decisions(make_game("no_limit_holdem-v0", **SIX, stacks=100 * big, small_blind=big // 2, big_blind=big))
        for big in (2, 200)
    )
    before_the_flop = (small["street"] == 0) & (small["street_raises"][:, 0] == 0)
    assert before_the_flop.sum() > 50
    small, large = (tables[before_the_flop] for tables in (small, large[: len(small)]))
    assert states_of(small) == states_of(large)


def first_in(game: Game, folds: int) -> Tables:
    """Return a table at which so many seats have folded and nobody else has acted."""
    tables = game.seeded_tables(1, 0)
    game.deal_batch(tables, np.arange(1))
    for _ in range(folds):
        game.step(tables, 0, FOLD_ACTION)
    return tables


def test_positions_bets_and_initiative_have_states_of_their_own() -> None:
    game = make_game("no_limit_holdem-v0", **SIX)
    openings = [states_of(first_in(game, folds))[0] for folds in range(5)]
    assert len(set(openings)) == 5
    flops = {}
    for name, opener, raise_id in (("early", 0, 2), ("button", 3, 2), ("a larger raise", 3, 3), ("a limp", 3, 1)):
        tables = first_in(game, opener)
        actions = [raise_id, *[FOLD_ACTION] * (4 - opener), CALL_ACTION]
        for action in actions:
            game.step(tables, 0, action)
        assert tables["street"][0] == 1
        flops[name] = states_of(tables)[0]
    assert len(set(flops.values())) == 4


def test_hands_with_the_same_outcome_win_the_same_at_showdowns_with_side_pots() -> None:
    game = make_game("no_limit_holdem-v0", **SIX, stacks=[10, 20, 30, 40, 40, 60])
    boards, hands = BoardBuckets(some_buckets(), some_turn()), Hands.allocate(4)
    table = game.seeded_tables(1, 3)
    for seat in range(6 if COMPILED else 1):
        game.deal(table, 0)
        boards.set_board(table["deck"][0, 12:17].astype(np.int64))
        write_own_hands(table[0], np.int64(seat), boards.ranked[0], boards.rows, hands)
        while not table["is_over"][0]:
            game.step(table, 0, CALL_ACTION if int(table["legal"][0]) < 4 else int(table["legal"][0]).bit_length() - 1)
        assert hands.size[0] == 37 * 36 // 2
        payoffs: dict[int, set[int]] = {}
        for k in range(hands.size[0]):
            shown = table.copy()
            shown["deck"][0, 2 * seat : 2 * seat + 2] = hands.first[k], hands.second[k]
            award_pots(shown[0])
            payoffs.setdefault(int(hands.outcome[k]), set()).add(int(shown["payoff"][0, seat]))
        assert len(payoffs) > 3 and all(len(same) == 1 for same in payoffs.values())
        won = [next(iter(payoffs[outcome])) for outcome in sorted(payoffs)]
        assert won == sorted(won) and won[0] < 0 < won[-1]


@needs_speed
def test_hands_that_nothing_tells_apart_learn_as_one() -> None:
    game = make_game("no_limit_holdem-v0", **SIX)
    boards, dealt, tables = BoardBuckets(some_buckets(), some_turn()), game.seeded_tables(1, 5), []
    for is_merged in (False, True):
        hands, states = Hands.allocate(4), StateTable.allocate(boards.num_buckets, game.num_actions, 200_000)
        frames = Frames.allocate(np.zeros(40, dealt.dtype), game.num_actions, NUM_STARTING_HANDS)
        for deal in range(20):
            game.deal(dealt, 0)
            boards.set_board(dealt["deck"][0, 12:17].astype(np.int64))
            board, seat, stream = boards.ranked[0], np.int64(deal % 6), seeded_streams(1, deal)[0]
            hands.place[board.number[: board.num_hands]] = np.arange(board.num_hands)
            write_own_hands(dealt[0], seat, board, boards.rows, hands)
            if is_merged:
                before = np.vstack([hands.bucket, [hands.outcome]])[:, : hands.size[0]]
                merge_equal_hands(hands)
                after, size = np.vstack([hands.bucket, [hands.outcome]])[:, : hands.size[0]], hands.size[0]
                kinds, counts = np.unique(before, axis=1, return_counts=True)
                order = np.lexsort(after[::-1])
                assert np.array_equal(after[:, order], kinds) and np.array_equal(hands.num_equal[:size][order], counts)
            traverse(dealt[0], boards.rows, stream, states, hands, frames, Learner(seat, np.float32(1), -np.inf))
        dealt = game.seeded_tables(1, 5)
        tables.append(states)
    alone, merged = tables
    assert np.array_equal(alone.keys, merged.keys) and merged.used[1] > 10_000
    assert np.abs(alone.regrets).max() > 1
    np.testing.assert_allclose(merged.regrets, alone.regrets, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(merged.sums, alone.sums, rtol=1e-4, atol=1e-3)


def test_a_full_table_learns_nothing_more() -> None:
    table = StateTable.allocate([169, 16, 16, 16], 5, max_rows=400)
    game = make_game("no_limit_holdem-v0", **SIX)
    states = [np.int64(states_of(first_in(game, folds))[0]) for folds in range(4)]
    assert [find_state(table, state) for state in states] == [0, 1, NO_STATE, NO_STATE]
    assert [find_state(table, state) for state in states[:2]] == [0, 1] and table.first_row[:2].tolist() == [0, 169]
    assert table.used.tolist() == [2, 338]


def test_threads_note_new_states_for_later() -> None:
    table = StateTable.allocate([169, 16, 16, 16], 5, max_rows=1000)
    shared = table.for_thread()
    states = [np.int64(state) for state in dict.fromkeys(states_of(decisions(make_game("no_limit_holdem-v0", **SIX))))]
    before, after = states[0], states[1]
    find_state(table, before)
    assert find_state(shared, before) == 0 and shared.missing[0] == 0
    for state in states * 2:
        find_state(shared, state)
    assert find_state(shared, after) == NO_STATE and table.used[0] == 1
    noted = shared.missing.tolist()
    assert noted[1 : 1 + noted[0]] == states[1:][: len(noted) - 1]
    add_missing(table, shared.missing)
    assert shared.missing[0] == 0 and find_state(shared, after) == find_state(table, after) > 0


def test_regret_matching() -> None:
    regrets, policy = np.array([[3, -1, 1, 5], [-1, -2, 0, 9]], np.float32), np.ones((2, 4), np.float32)
    scratch = np.zeros((2, 4), np.float32), np.zeros(2, np.float32)
    write_policy(regrets, np.int64(0), np.int64(0b0111), 2, *scratch, policy)
    assert policy.tolist() == [[0.75, 0, 0.25, 0], [1 / np.float32(3)] * 3 + [0]]
    write_policy(regrets, np.int64(1), np.int64(0b0110), 1, *scratch, policy[:1])
    assert policy[0].tolist() == [0, 0.5, 0.5, 0]
    write_policy(regrets, np.int64(NO_STATE), np.int64(0b1001), 1, *scratch, policy[:1])
    assert policy[0].tolist() == [0.5, 0, 0, 0.5]


def test_a_hand_that_hardly_gets_there_plays_as_all_do() -> None:
    sums = np.array([[25, 15], [9, 11], [0, 0.1]], np.float32)
    assert round_sums(sums).T.tolist() == [[9, 6], [7, 8], [8, 7]]  # 15 times 0.625, 0.45 and 34 / 60.1


def test_small_probabilities_are_left_out() -> None:
    sums = np.array([[30, 10, 0], [13, 20, 7]], np.float32)
    assert round_sums(sums).T.tolist() == [[15, 0, 0], [0, 15, 0]]  # 0.25, 0.325 and 0.175 are below 0.35


def test_fifteenths_keep_sums() -> None:
    shares = np.random.default_rng(0).dirichlet(np.full(5, 0.3), 200).T
    parts = to_parts(shares)
    assert (parts.sum(axis=0) == FIFTEENTHS).all() and parts.min() >= 0
    assert np.abs(parts / FIFTEENTHS - shares).max() < 0.08
    assert to_parts(np.array([[0.2], [0.5], [0.3]]), 0.4).T.tolist() == [[0, 15, 0]]
    assert to_parts(np.full((4, 1), 0.25), 0.3).T.sum() == FIFTEENTHS
    flat = parts.reshape(-1).astype(np.uint8)[:-1]
    assert np.array_equal(decompress(compress(flat), len(flat)), flat)
    fine = to_parts(shares, smallest=0.0, whole=FINE)
    assert (fine.sum(axis=0) == FINE).all() and np.abs(fine / FINE - shares).max() < 1.01 / FINE
    assert np.array_equal(decompress(compress(fine[0].astype(np.uint8), FINE), 200, FINE), fine[0])


@pytest.mark.slow
@needs_speed
def test_two_solvers_fold_the_same_hands(turn: Any) -> None:
    """The other one sees all hands on each board, this one samples. Many mixtures of limps and all-ins are as good."""
    game, buckets = make_game("no_limit_holdem-v0", **SHORT), some_buckets()
    other = MenuCfr(game.config, BoardBuckets(buckets, turn), 0)
    other.run(1500)
    sums = other.averages[: 3 * NUM_STARTING_HANDS].reshape(3, NUM_STARTING_HANDS)  # fold, call, all-in
    expected = (sums[FOLD_ACTION] / sums.sum(axis=0))[STARTING_HANDS]
    run = MultiplayerMccfr(game, BoardBuckets(buckets, turn), 0)
    run.run(20_000)
    strategy = run.strategy()
    tables = first_in(game, 0).repeat(NUM_HANDS)
    seat = int(tables["actor"][0])
    tables["deck"][:, 2 * seat : 2 * seat + 2] = HANDS
    found = strategy.probabilities(tables)[:, FOLD_ACTION]
    assert 0.05 < expected.mean() < 0.2
    assert np.abs(found - expected).mean() < 0.05
    assert np.corrcoef(found, expected)[0, 1] > 0.8


@needs_speed
@pytest.mark.parametrize(
    ("env", "iterations", "threads"),
    [("no_limit_holdem-v0", 1_500, 1), ("no_limit_holdem-v0", 1_800, 2), ("limit_holdem-v0", 600, 1)],
)
def test_a_strategy_learns_the_obvious(env: str, iterations: int, threads: int, turn: Any) -> None:
    game = make_game(env, **SIX)
    buckets = some_buckets()
    run = MultiplayerMccfr(game, BoardBuckets(buckets, turn), 1, threads)
    for _ in range(0, iterations, 100):
        run.run(100)
    strategy = run.strategy()
    hands = [[48, 49], [44, 45], [40, 41], [36, 37], [44, 48], [0, 21]]  # aces, kings, queens, jacks, ace-king; 7-2
    tables = first_in(game, 0).repeat(len(hands))
    seat = int(tables["actor"][0])
    tables["deck"][:, 2 * seat : 2 * seat + 2] = hands
    *strong, worst = strategy.probabilities(tables)
    assert max(shares[FOLD_ACTION] for shares in strong) == 0
    raised = [shares[FIRST_RAISE_ACTION:].sum() for shares in strong]
    assert np.mean(raised if threads > 1 else raised[:1]) > 0.3  # the order of the threads may decide a single hand
    assert worst[FOLD_ACTION] > 0.9 and worst[FIRST_RAISE_ACTION:].sum() < 0.1


def test_a_stored_strategy_plays_the_same(tmp_path: Path, turn: Any) -> None:
    game, buckets = make_game("no_limit_holdem-v0", **SIX, stacks=40), some_buckets()
    run = MultiplayerMccfr(game, BoardBuckets(buckets, turn), 0)
    run.run(200 if COMPILED else 1)
    strategy = run.strategy()
    strategy.save(tmp_path / "strategy.npz")
    loaded = TableStrategy.load(tmp_path / "strategy.npz")
    agent = TableAgent(game, tmp_path)
    assert agent.name == tmp_path.name and agent.strategy.config == game.config
    assert loaded.config == game.config
    tables = decisions(game, 30)
    found = strategy.probabilities(tables)
    assert np.array_equal(found, loaded.probabilities(tables))
    legal = tables["legal"][:, None] >> np.arange(game.num_actions) & 1
    assert np.allclose(found.sum(axis=1), 1) and not found[legal == 0].any()


def test_where_nothing_is_stored_it_calls_by_odds(turn: Any) -> None:
    game = make_game("no_limit_holdem-v0", **SIX)
    run = MultiplayerMccfr(game, BoardBuckets(some_buckets(), turn), 0)
    strategy = run.strategy()
    tables = decisions(game, 10)
    assert not strategy.is_trained(strategy.states.find(tables)).any()
    assert np.array_equal(strategy.probabilities(tables), call_by_odds(tables, game.num_actions))


@needs_speed
def test_public_states_that_are_rarely_visited_or_that_their_player_avoids_are_not_stored(turn: Any) -> None:
    game = make_game("no_limit_holdem-v0", **SIX)
    run = MultiplayerMccfr(game, BoardBuckets(some_buckets(), turn), 0)
    run.run(300)
    num_states, num_rows = run.states.used
    keys, visits = run.states.keys[:num_states], run.states.visits[:num_states]
    sums = np.split(run.states.sums[:num_rows], run.states.first_row[1:num_states])
    is_played = np.array([part.any() for part in sums])
    stored = run.strategy().states.keys
    assert stored is not None and sorted(keys[is_played & (visits >= 5)].tolist()) == stored.tolist()
    assert 0 < len(stored) < len(keys) and visits.min() < 5
    run.states.visits[:] = 5
    first, end = run.states.first_row[:2]
    run.states.sums[first:end] = 0  # others come there, but no hand of the player does
    stored = run.strategy().states.keys
    assert stored is not None and keys[0] not in stored and keys[1] in stored


@needs_speed
def test_large_bets_on_the_river_are_played_smaller(tmp_path: Path) -> None:
    game = make_game("no_limit_holdem-v0", **SIX)
    CfrNoLimitSixMax(game).strategy.save(tmp_path / "strategy.npz")
    strategy = TableStrategy.load(tmp_path / "strategy.npz")
    assert strategy.largest_river_bet == 300
    strategy.largest_river_bet = 0
    tables = np.concatenate([decisions(game, 40), rivers(game, strategy, 3000)])
    before = strategy.probabilities(tables)
    strategy.largest_river_bet = 300
    found, moved = strategy.probabilities(tables), 0
    for t, shares, plain in zip(tables, found, before, strict=True):
        pot, expected = int(t["pot"]) + int(amount_to_call(t)), plain.copy()
        raises = [action for action in range(FIRST_RAISE_ACTION, 5) if int(t["legal"]) >> action & 1]
        if t["street"] == 3 and len(raises) > 1 and int(t["max_raise_to"]) - int(t["current_bet"]) > 3 * pot:
            assert raises[-1] == 4  # a raise by the pot is none above three pots
            expected[raises[-2]] += expected[4]
            expected[4] = 0
            moved += plain[4] > 0
        assert np.allclose(shares, expected)
    assert moved > 20


@needs_speed
def test_another_bet_menu_gets_the_nearest_raise(turn: Any) -> None:
    game, buckets = make_game("no_limit_holdem-v0", **SIX), some_buckets()
    run = MultiplayerMccfr(game, BoardBuckets(buckets, turn), 0)
    run.run(100)
    strategy = run.strategy()
    chips = make_game("no_limit_holdem-v0", **SIX, bet_menu="integers")
    own, theirs = first_in(game, 2).repeat(30), first_in(chips, 2).repeat(30)
    rng = np.random.default_rng(0)
    seat = int(own["actor"][0])
    for i in range(30):
        own["deck"][i, 2 * seat : 2 * seat + 2] = rng.choice(52, 2, replace=False)
    theirs["deck"] = own["deck"]
    found = translate_raises(strategy, theirs, chips.num_actions)
    expected = np.zeros_like(found)
    for action, raise_to in ((FOLD_ACTION, 0), (CALL_ACTION, 0), (2, 4), (3, 7), (4, 200)):
        expected[:, action if action < FIRST_RAISE_ACTION else raise_to + 1] = strategy.probabilities(own)[:, action]
    assert np.allclose(found, expected)
    close = make_game("no_limit_holdem-v0", **SIX, bet_menu="fcpa")
    found = translate_raises(strategy, first_in(close, 2).repeat(2), close.num_actions)
    assert np.allclose(found.sum(axis=1), 1)


def test_a_limit_on_river_bets_is_not_negative() -> None:
    for percentage in (-1, 10**15, 2**63):
        with pytest.raises(ValueError, match=f"largest_river_bet {percentage} must be at least 0"):
            MultiplayerConfig(largest_river_bet=percentage)


def test_games_that_it_cannot_learn() -> None:
    for env, settings in (("big2-v0", {}), ("leduc_holdem-v0", {}), ("no_limit_holdem-v0", {"bet_menu": "integers"})):
        with pytest.raises(ValueError, match="multiplayer_mccfr needs Texas hold'em"):
            MultiplayerLearner(replace(MultiplayerConfig(), env_args=()), make_game(env, **settings))


@pytest.mark.parametrize(
    ("settings", "can_play"),
    [
        ({}, True),
        ({"stacks": 10_000, "small_blind": 50, "big_blind": 100, "bet_menu": "integers"}, True),
        ({"rules": "acpc"}, False),
        ({"stacks": 100}, False),
        ({"ante": 1}, False),
        ({"num_players": 5}, False),
        ({"structure": "pot_limit"}, False),
    ],
)
def test_the_shipped_strategy_plays_its_stakes_with_any_bet_menu(settings: dict[str, Any], can_play: bool) -> None:
    game = make_game("no_limit_holdem-v0", **{**SIX, **settings})
    if not can_play:
        with pytest.raises(
            ValueError, match="it needs no-limit bets, 6 seats, blinds of 1 and 2, antes of 0 and stacks of 200"
        ):
            CfrNoLimitSixMax(game)
        return
    tables = decisions(game, 4)
    agent = CfrNoLimitSixMax(game)
    found = agent.probabilities(decisions_at(game, tables, np.arange(len(tables)), tables["actor"].astype(np.int64)))
    assert np.allclose(found.sum(axis=1), 1) and found.shape == (len(tables), game.num_actions)
