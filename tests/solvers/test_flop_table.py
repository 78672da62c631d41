"""The shipped strategy for flop hold'em: its buckets lose nothing, its rounding keeps what similar hands do in all."""

from __future__ import annotations

import json
import runpy
import sys
from typing import Any

import numpy as np
import pytest

from card_baselines.cli import main
from card_baselines.solvers.agent import DATA
from card_baselines.solvers.buckets.canonical_hands import NUM_FLOP_HANDS, CanonicalHands, list_flop_hands
from card_baselines.solvers.buckets.suit_isomorphism import SUIT_ORDERS, canonical_boards, rename_suits
from card_baselines.solvers.flop_table import diffuse_errors
from card_envs import make_game
from card_envs.agent import decisions_at, find_agent
from card_envs.compiler import COMPILED
from card_envs.game import Game
from card_envs.games.holdem.presets import flop_holdem, limit_holdem
from card_envs.poker.hands import HANDS, hand_numbers

pytestmark = pytest.mark.skipif(not COMPILED, reason="lists all hands on all flops, and reads a large table")

SHIPPED = "flop_holdem_heads_up"


def deal(game: Game, num: int, streets: int) -> Any:
    """Return tables at the first decision before the flop, or at the first one on it."""
    tables = game.seeded_tables(num, 7)
    for k in range(num):
        game.deal(tables, k)
        for _ in range(2 * streets):
            game.step(tables, k, 1)
    return tables


def test_buckets_are_all_hands_on_all_flops_up_to_suit_isomorphism() -> None:
    hands, flops = list_flop_hands(), canonical_boards(3)
    assert len(hands.flop) == len(hands.num_hands) == NUM_FLOP_HANDS
    assert np.array_equal(np.bincount(hands.flop, hands.num_hands), np.full(len(flops.boards), 1176))
    assert (hands.num_hands * flops.counts[hands.flop]).sum() == 22_100 * 1_176
    assert np.array_equal(hands.bucket[hands.flop, hands.hand], np.arange(NUM_FLOP_HANDS))


@pytest.mark.parametrize("street", [0, 1])
def test_renamed_suits_do_not_change_a_bucket(street: int) -> None:
    game, buckets, rng = make_game("flop_holdem-v0"), CanonicalHands(), np.random.default_rng(0)
    tables = deal(game, 40, street)
    renamed = tables.copy()
    renamed["deck"] = rename_suits(tables["deck"].astype(np.int64), SUIT_ORDERS[rng.integers(24, size=len(tables))])
    found = buckets.find(tables)
    assert np.array_equal(found, buckets.find(renamed))
    assert len(np.unique(found)) > 20
    for table, bucket in zip(tables[:5], found, strict=False):
        cards, actor = table["deck"].astype(np.int64), int(table["actor"])
        own = hand_numbers(cards[None, 2 * actor : 2 * actor + 2])[0]
        on_board = buckets.hands_on(cards[4 : 4 + 3 * street])
        assert on_board[own] == bucket
        same = HANDS[np.flatnonzero((on_board == bucket) & ~np.isin(HANDS, cards[4 : 4 + 3 * street]).any(axis=1))]
        assert {tuple(sorted(hand // 4)) for hand in same.tolist() for hand in [np.array(hand)]} == {
            tuple(sorted(HANDS[own] // 4))
        }, "hands of a bucket have the same ranks"


def round_shares(shares: Any, weights: Any, whole: int) -> Any:
    parts = np.zeros(shares.shape, np.uint8)
    diffuse_errors(shares, weights, whole, 0.01, np.zeros(len(shares)), np.zeros(len(shares)), parts)
    assert (parts.sum(axis=0) == whole).all()
    return parts / whole


@pytest.mark.parametrize("whole", [1, 3, 15])
def test_rounding_keeps_what_neighbouring_hands_do_in_all(whole: int) -> None:
    rng = np.random.default_rng(0)
    shares, weights = rng.dirichlet([1, 1, 1], 1000).T, rng.random(1000)
    errors = np.cumsum(weights * (round_shares(shares, weights, whole) - shares), axis=1)
    assert np.abs(errors).max() < 3 / whole
    nearest = np.rint(shares * whole) / whole
    assert np.abs(np.cumsum(weights * (nearest - shares), axis=1)).max() > 2 * np.abs(errors).max()


def test_rounding_takes_no_action_that_a_hand_does_not_take() -> None:
    shares = np.array([[0.5, 1.0, 0.996, 0.2], [0.5, 0.0, 0.004, 0.8]])
    found = round_shares(shares, np.array([1.0, 1.0, 1.0, 0.0]), 1)
    assert found[1, 1:3].tolist() == [0, 0]
    assert np.array_equal(found[:, 3], found[:, 2]), "a hand that is never there repeats the one before"


def test_the_shipped_strategy_plays_and_treats_suits_alike() -> None:
    game = make_game("flop_holdem-v0")
    agent = find_agent("cfr_flop", game)
    for street in (0, 1):
        tables = deal(game, 30, street)
        renamed, rows = tables.copy(), np.arange(len(tables))
        renamed["deck"] = rename_suits(tables["deck"].astype(np.int64), SUIT_ORDERS[5])
        found = [
            agent.probabilities(decisions_at(game, each, rows, rows, np.full(len(rows), 0.5)))  # type: ignore[attr-defined]
            for each in (tables, renamed)
        ]
        assert np.array_equal(*found)
        assert found[0].sum(axis=1) == pytest.approx(1)
        assert not found[0][tables["legal"][:, None] >> np.arange(3) & 1 == 0].any()
    assert find_agent("cfr_flop", flop_holdem(rules="acpc")).name == "cfr_flop"
    for other in (flop_holdem(num_players=3), flop_holdem(bet_sizes=(1, 2)), limit_holdem()):
        with pytest.raises(ValueError, match="needs flop hold'em for two"):
            find_agent("cfr_flop", other)


@pytest.mark.slow
def test_the_shipped_strategy_is_as_exploitable_as_its_file_says(capsys: pytest.CaptureFixture[str]) -> None:
    about = json.loads((DATA / f"{SHIPPED}.json").read_text(encoding="utf-8"))
    main.main(["exploit", "--env", "flop_holdem-v0", "--agent", "cfr_flop", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["suits_alike"] and found["flops"] == 1755
    assert found["exploitability"] == pytest.approx(about["exploitability"], abs=1e-6)


@pytest.mark.parametrize("words", [[], ["runs/flop"], ["a", "b", "c"]])
def test_the_command_says_how_to_call_it(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["flop_table", *words])
    monkeypatch.delitem(sys.modules, "card_baselines.solvers.flop_table", raising=False)
    with pytest.raises(SystemExit, match=r"usage: python -m card_baselines\.solvers\.flop_table RUN FILE"):
        runpy.run_module("card_baselines.solvers.flop_table", run_name="__main__")
