"""Best responses on a flop, and CFR with public chance sampling: against sums over all pairs of hands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_baselines.agents.scripted.always_call import AlwaysCall
from card_baselines.cli import main
from card_baselines.exploitability.flops import flop_response
from card_baselines.exploitability.flops.exact_flops import exploit_on_flops
from card_baselines.exploitability.flops.flop_opponents import AgentOpponent, TableOpponent
from card_baselines.exploitability.flops.flop_response import (
    DEALS_ON_FLOP,
    FlopResponse,
    best_choices,
    value_of_choices,
)
from card_baselines.exploitability.target import ExploitSettings, Target
from card_baselines.runs.run import train
from card_baselines.solvers import train_public_chance_cfr as training
from card_baselines.solvers.betting_lines import streets_of
from card_baselines.solvers.betting_tree import NUM_ACTIONS, grow_tree, tables_of_nodes
from card_baselines.solvers.bucket_strategy import BucketStrategy, to_255ths
from card_baselines.solvers.cfr import read_strategy
from card_baselines.solvers.public_chance_cfr import PublicChanceCfr
from card_baselines.solvers.ranked_hands import RANKED, list_hands, rank_hands
from card_envs import make_game
from card_envs.agent import as_agent
from card_envs.cards import card_ids
from card_envs.compiler import COMPILED
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import NOBODY
from card_envs.poker.hands import HANDS, NUM_HANDS
from tests.rules.test_hand_buckets import pairs_of, some_buckets

needs_speed = pytest.mark.skipif(not COMPILED, reason="visits all hands and bets, which takes minutes as plain Python")

TREE = grow_tree(HoldemConfig.limit(), [1] * 4)
FLOP = np.array(card_ids("2c 7h Jd"), np.int64)


class FixedOpponent:
    """Plays the same chances with a hand at all decisions of a street where they are legal."""

    def __init__(self, chances: NDArray[np.float32]) -> None:
        self.chances = chances  # (1326, 3)
        self.num_decisions = [street.num_decisions for street in streets_of(TREE)]

    def weights_on(self, street: int, number: int, sequences: NDArray[np.int64]) -> NDArray[np.float32]:
        shape = (self.num_decisions[street], NUM_HANDS, NUM_ACTIONS, len(sequences))
        return np.ascontiguousarray(np.broadcast_to(self.chances[None, :, :, None], shape))

    def rows_on(self, street: int, board: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.arange(NUM_HANDS)

    def ask(self, *decision: Any) -> None:
        """Do nothing."""


def value_by_pairs(node: int, learner: int, reach: NDArray[Any], chances: NDArray[Any], pairs: Any) -> NDArray[Any]:
    """Return what a best response wins from a river node on with each hand, by sums over all pairs of hands."""
    together, beats = pairs
    n = TREE[node]
    if n["player"] == NOBODY:
        if n["folded"] == NOBODY:
            return np.asarray(beats @ reach * n["stake"])
        return np.asarray(together @ reach * (n["stake"] if n["folded"] != learner else -n["stake"]))
    children = [(a, int(child)) for a, child in enumerate(n["child"]) if child >= 0]
    if n["player"] == learner:
        values = [value_by_pairs(child, learner, reach, chances, pairs) for _, child in children]
        return np.asarray(np.max(values, axis=0))
    shares = chances[:, [a for a, _ in children]]
    shares = shares / shares.sum(axis=1, keepdims=True)
    parts = [
        value_by_pairs(child, learner, reach * shares[:, k], chances, pairs) for k, (_, child) in enumerate(children)
    ]
    return np.asarray(sum(parts))


@needs_speed
@pytest.mark.parametrize(("learner", "closes"), [(0, range(2, 5)), (1, range(9)), (1, (0, 6))])
def test_a_turn_with_two_rivers_is_that_of_all_pairs(
    learner: int, closes: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some sequences of a turn on which two rivers can come; the opponent mixes, and reaches all sequences or few."""
    rng = np.random.default_rng(1)
    chances = rng.dirichlet([1, 2, 1], NUM_HANDS).astype(np.float32)
    rivers = card_ids("3s 7s")
    monkeypatch.setattr(flop_response, "_others", lambda board: rivers)
    response = FlopResponse(FixedOpponent(chances))
    turn_board = np.append(FLOP, card_ids("Qc"))
    response._look(flop_response.FLOP, FLOP)
    flop = response._work[flop_response.FLOP]
    slots = response.streets[flop_response.FLOP].closes[learner]
    flop.reach[slots[list(closes)], : 49 * 24] = rng.random((len(closes), 49 * 24, 7))
    response._play_turn(turn_board, learner)
    got = response._work[flop_response.TURN].values[0]

    listed = np.zeros(1, RANKED)
    list_hands(turn_board, listed[0])
    hands = listed[0].number[: int(listed[0].num_hands)]
    on_flop = response._places[flop_response.FLOP, hands]
    street = response.streets[flop_response.TURN]
    nobody = [sequence for sequence in range(63) if sequence // 7 not in closes]
    assert not got[: len(hands), nobody].any()
    for sequence in (5, 44) if learner else (16,):
        close, line = divmod(sequence, 7)
        reach = flop.reach[slots[close], on_flop, line].astype(np.float64)
        expected = turn_by_pairs(int(street.nodes[0, sequence]), learner, reach, chances, hands, turn_board, rivers)
        assert got[: len(hands), sequence] == pytest.approx(expected, rel=1e-3, abs=0.05), sequence


def turn_by_pairs(
    root: int, learner: int, reach: NDArray[Any], chances: NDArray[Any], hands: NDArray[Any], board: NDArray[Any],
    rivers: list[int],
) -> NDArray[Any]:  # fmt: skip
    """Return what a best response wins from a turn node on, hands by their places in `hands`."""
    by_river = []
    for card in rivers:
        ranked = np.zeros(1, RANKED)
        rank_hands(np.append(board, card), ranked[0])
        place = np.searchsorted(hands, ranked[0].number[: int(ranked[0].num_hands)])
        by_river.append((place, pairs_of(ranked[0])))
    together = np.array([[not set(a) & set(b) for b in HANDS[hands].tolist()] for a in HANDS[hands].tolist()], float)

    def value(node: int, reach: NDArray[Any]) -> NDArray[Any]:
        n = TREE[node]
        if n["player"] == NOBODY:
            return np.asarray(together @ reach * (n["stake"] if n["folded"] != learner else -n["stake"]))
        if n["street"] == 3:
            total = np.zeros(len(hands))
            for place, pairs in by_river:
                total[place] += value_by_pairs(node, learner, reach[place], chances[hands[place]], pairs) / 44
            return total
        children = [(a, int(child)) for a, child in enumerate(n["child"]) if child >= 0]
        if n["player"] == learner:
            return np.asarray(np.max([value(child, reach) for _, child in children], axis=0))
        shares = chances[hands][:, [a for a, _ in children]]
        shares = shares / shares.sum(axis=1, keepdims=True)
        return np.asarray(sum(value(child, reach * shares[:, k]) for k, (_, child) in enumerate(children)))

    return value(root, reach)


def test_choices_before_the_flop_are_the_best() -> None:
    """The button (player 1) calls, raises or folds; here calling is worth most with aces and folding -1 with all."""
    street = streets_of(TREE)[0]
    ends = np.zeros((street.num_decisions, NUM_ACTIONS, 169))
    ends[0, 0] = -1.0
    ends[:, 1] = -3.0
    ends[2:, 0] = -4.0  # not at 1, where nobody can fold
    ends[1, 1, 168] = 5.0  # the big blind checks after the call, which it also may answer by a raise
    choices = best_choices(street, 1, ends)
    assert choices[0, 168] == 1
    assert choices[0, 0] == 0
    assert value_of_choices(street, 1, ends, choices) > value_of_choices(street, 1, ends, np.ones_like(choices))


def test_every_decision_has_one_place_among_streets_and_sequences() -> None:
    found = np.concatenate([s.nodes[s.nodes >= 0] for s in streets_of(TREE)])
    assert sorted(found.tolist()) == np.flatnonzero(TREE["player"] != NOBODY).tolist()
    tables = tables_of_nodes(HoldemConfig.limit())
    assert np.array_equal(tables["actor"], TREE["player"])


def target_in(game: Game) -> Target:
    return Target(env="limit_holdem-v0", settings={}, agent="always_call", game=game, player=as_agent(AlwaysCall()))


def test_other_games_are_refused() -> None:
    game = make_game("limit_holdem-v0", num_players=3)
    with pytest.raises(ValueError, match=r"exact-flops is for heads-up limit .* not for limit_holdem"):
        exploit_on_flops(target_in(game), ExploitSettings(flops=10))
    with pytest.raises(ValueError, match="flops 5 must be at least 10"):
        exploit_on_flops(target_in(make_game("limit_holdem-v0")), ExploitSettings(flops=5))


# --- public chance sampling -------------------------------------------------------------------------------------------


@needs_speed
def test_a_run_goes_on_where_it_stopped() -> None:
    buckets, turn = some_buckets(), np.random.default_rng(1).integers(0, 16, (16_432, NUM_HANDS)).astype(np.uint16)
    whole, part = (PublicChanceCfr(HoldemConfig.limit(), buckets, turn, seed=3) for _ in range(2))
    whole.run(3)
    part.run(2)
    rest = PublicChanceCfr(HoldemConfig.limit(), buckets, turn, seed=3)
    rest.restore({name: table.copy() for name, table in part.state().items()}, part.iterations)
    rest.run(1)
    assert np.array_equal(whole.strategy(), rest.strategy())
    assert all(np.array_equal(table, rest.state()[name]) for name, table in whole.state().items())
    whole.run(17)
    aces, trash = whole.strategy()[[168, 5], 0]  # folds of the button with AA and 72o, before anything was bet
    assert aces < 10
    assert trash > 100


@needs_speed
def test_a_strategy_is_kept_and_played(tmp_path: Any) -> None:
    buckets = some_buckets()
    tree = grow_tree(HoldemConfig.limit(), buckets.hands_by_street)
    rows = int(tree["first_row"].max()) + 16
    weights = np.random.default_rng(0).random((rows, 3)).astype(np.float32)
    strategy = BucketStrategy(to_255ths(weights, np.ones(3, bool)), buckets)
    strategy.save(tmp_path / "strategy.npz")
    loaded = read_strategy(tmp_path / "strategy.npz")
    assert np.array_equal(loaded.rows(0, 500), strategy.rows(0, 500))
    assert np.abs(loaded.rows(0, rows) - weights / weights.sum(axis=1, keepdims=True)).max() < 1.01 / 255
    opponent = TableOpponent(loaded)
    river = streets_of(tree)[3]
    number, step = 1, 7
    first = int(tree["first_row"][river.nodes[number * river.num_decisions + step, 3]])
    some, every = (opponent.weights_on(3, number, sequences)[step] for sequences in (np.array([3, 5]), np.arange(64)))
    assert np.allclose(some[:, :, 0], strategy.rows(first, 16))
    assert np.array_equal(some[:, :, 1], every[:, :, 5])


def test_chances_are_rounded_to_255ths() -> None:
    weights = np.array([[0, 1, 1], [0, 0, 0], [1, 0, 2]], np.float32)
    assert to_255ths(weights, np.array([False, True, True])).tolist() == [[0, 128], [0, 128], [85, 170]]


# --- what is known ----------------------------------------------------------------------------------------------------


@needs_speed
@pytest.mark.slow
def test_who_always_folds_loses_the_blinds() -> None:
    """750 thousandths of a big blind a hand (Johanson et al., Accelerating best response calculation, IJCAI 2011)."""
    chances = np.zeros((NUM_HANDS, 3), np.float32)
    chances[:, 0], chances[:, 1] = 1, 1e-12
    response = FlopResponse(FixedOpponent(chances))
    ends = [response.values_on_flop(FLOP, learner) for learner in (0, 1)]
    street = response.streets[0]
    choices = [best_choices(street, learner, ends[learner]) for learner in (0, 1)]
    won = [value_of_choices(street, learner, ends[learner], choices[learner]) for learner in (0, 1)]
    assert np.mean(won) / DEALS_ON_FLOP / 2 == pytest.approx(0.75, abs=1e-4)


@needs_speed
@pytest.mark.slow
def test_agents_are_asked_where_they_come() -> None:
    """What a table says and what an agent says lead to the same values: `always_call`, both ways."""
    game = make_game("limit_holdem-v0")
    asked = AgentOpponent(as_agent(AlwaysCall()), game, draws=1)
    fixed = FixedOpponent(np.tile(np.array([0, 1, 0], np.float32), (NUM_HANDS, 1)))
    values = [FlopResponse(opponent).values_on_flop(FLOP, 0) for opponent in (asked, fixed)]
    assert values[0] == pytest.approx(values[1], rel=1e-5)
    assert asked.asked > 1e6


@needs_speed
def test_a_training_run_is_continued_and_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With buckets that mean nothing, since those of a real run take minutes."""
    turn = np.random.default_rng(1).integers(0, 16, (16_432, NUM_HANDS)).astype(np.uint16)
    monkeypatch.setattr(training, "make_buckets", lambda width, seed: some_buckets(width))
    monkeypatch.setattr(training, "turn_table", lambda buckets: turn)
    settings = {"width": 4, "panel": ("always_call",), "evaluation_hands": 20, "final_hands": 20, "progress": False}
    for iterations in (2, 4):
        config = training.Config(iterations=iterations, folder=str(tmp_path), **settings)
        run = train(training.ALGORITHM, config)
    assert run.metrics()[-1]["iterations"] == 4
    whole = PublicChanceCfr(HoldemConfig.limit(), some_buckets(4), turn, seed=0)
    whole.run(4)
    loaded = read_strategy(tmp_path / "strategy.npz")
    rows = whole.strategy()
    assert np.allclose(loaded.rows(0, len(rows))[:, [0, 2]], rows / 255)


def test_the_command_reports_an_interval_over_flops(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Flops on which folding at once costs the button a small blind, and nothing else is worth more than a small loss.

    Decisions before the flop are made on other flops than those that they are measured by.
    """

    def values(self: FlopResponse, flop: NDArray[np.int64], learner: int, progress: Any = None) -> NDArray[np.float64]:
        ends = np.zeros((self.streets[0].num_decisions, NUM_ACTIONS, 169))
        ends[0, 0] = DEALS_ON_FLOP / 169 * (-1 if learner else 1 + flop[0] / 100)
        ends[1:, :2] = -DEALS_ON_FLOP if learner else 0
        return ends

    monkeypatch.setattr(FlopResponse, "values_on_flop", values)
    words = ["exploit", "limit_holdem-v0", "--agent", "cfr_small", "--method", "exact-flops", "--flops", "12"]
    assert main([*words, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["best_responses"][1] == pytest.approx(-0.5)
    assert report["best_responses"][0] > 0.5
    low, high = report["ci95"]
    assert report["exploitability"] == pytest.approx(np.mean(report["best_responses"]))
    assert low < report["exploitability"] < high
    assert main(words) == 0
    assert "at least" in capsys.readouterr().out, "choices made on some flops are not the best ones for all"
