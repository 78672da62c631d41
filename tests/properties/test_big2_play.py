"""Big 2: what holds in every deal under every set of rules."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.game import ILLEGAL
from card_envs.games.big2 import view
from card_envs.games.big2.actions import NUM_ACTIONS
from card_envs.games.big2.state import MAX_LEGAL, TABLE
from card_envs.observation import mask_records, observation_records
from tests.differential.oracles import big2_brute_force as oracle
from tests.helpers.big2_deals import DECK, Deal
from tests.properties.big2_random_play import NO_FAULT, OPTION_SETS, digest, game_of, masks_differ, play_deals

ROOT = Path(__file__).parents[2]

all_rules = pytest.mark.parametrize("rules", OPTION_SETS)


@all_rules
def test_cards_are_conserved_and_every_deal_has_one_winner(rules: str) -> None:
    game = game_of(rules)
    assert play_deals(game.seeded_tables(100, seed=1), 20, game.max_reward) == (NO_FAULT, -1)


@pytest.mark.slow
@all_rules
def test_cards_are_conserved_in_a_million_deals(rules: str) -> None:
    game = game_of(rules)
    assert play_deals(game.seeded_tables(1000, seed=2), 1000, game.max_reward) == (NO_FAULT, -1)


@all_rules
def test_the_mask_is_the_list_and_empty_for_the_others(rules: str) -> None:
    masks = np.ones((1, NUM_ACTIONS), np.int8)
    assert masks_differ(game_of(rules).seeded_tables(1, seed=3), mask_records(masks), 20) == 0


@all_rules
def test_the_list_is_what_brute_force_finds(rules: str) -> None:
    config, rng = OPTION_SETS[rules], random.Random(4)
    for number in range(2):
        deal = Deal(config=config, seed=number)
        while not deal.t.is_over:
            hand = deal.hand(deal.actor)
            to_beat = [DECK[order] for order in deal.t.trick_cards[: int(deal.t.trick_size)]]
            if deal.t.num_decisions or not config.opening_decision:
                expected = {deal.action(" ".join(cards)) for cards in oracle.plays(config, hand, to_beat)}
                assert set(deal.legal) == expected, (hand, to_beat)
            deal.act(rng.choice(deal.legal))
        losers = [seat for seat in range(4) if deal.t.num_cards[seat]]
        assert [-int(deal.t.payoff[seat]) for seat in losers] == [oracle.penalty(config, deal.hand(s)) for s in losers]


@pytest.mark.parametrize("rules", [rules for rules, config in OPTION_SETS.items() if config.dragon_wins])
def test_dragons_win_where_the_slow_rules_say_so(rules: str) -> None:
    config, rng = OPTION_SETS[rules], random.Random(7)
    winners = set()
    for number in range(60):
        hands = dragon_hands(rng, number % 5)
        names = [[DECK[order] for order in orders] for orders in hands]
        deal = Deal(config=config)
        deal.set_orders(hands)
        winner = oracle.dragon_seat(config, names)
        assert deal.t.is_over == (winner is not None)
        winners.add(winner)
        if winner is not None:
            assert (deal.actor, deal.legal, deal.t.num_decisions) == (-1, [], 0)
            losers = [oracle.penalty(config, names[seat]) if seat != winner else 0 for seat in range(4)]
            assert deal.t.payoff.tolist() == [sum(losers) if s == winner else -losers[s] for s in range(4)]
            assert deal.t.payoff.max() <= deal.game.max_reward
            assert [int(n) for n in deal.t.num_cards] == [0 if seat == winner else 13 for seat in range(4)]
    assert winners == {None, 0, 1, 2, 3}


def dragon_hands(rng: random.Random, dragons: int) -> list[list[int]]:
    """Return hands of order numbers of which so many, or at four also the last, have 13 ranks; the rest is random."""
    suits = [rng.sample(range(4), 4) for _ in range(13)]
    hands = [[4 * rank + suits[rank][k] for rank in range(13)] for k in range(4)]
    rest = [order for hand in hands[dragons:] for order in hand]
    rng.shuffle(rest)
    hands[dragons:] = [sorted(rest[k : k + 13]) for k in range(0, len(rest), 13)]
    rng.shuffle(hands)
    return hands


@pytest.mark.parametrize("rules", ["charlesworth2018", "everything"])
def test_a_step_accepts_the_ids_of_the_list_and_rejects_others_untouched(rules: str) -> None:
    deal, rng = Deal(config=OPTION_SETS[rules], seed=5), random.Random(5)
    for _ in range(20):
        before, legal = deal.tables.tobytes(), set(deal.legal)
        for action in (*legal, *range(rng.randrange(7), NUM_ACTIONS, 7), -1, NUM_ACTIONS, 2**40, -(2**40)):
            copy = deal.tables.copy()
            accepted = deal.game.step(copy, 0, action) != ILLEGAL
            assert accepted == (action in legal)
            assert accepted or copy.tobytes() == before
        assert "; legal: " in deal.game.why_illegal(deal.tables, 0, rng.randrange(NUM_ACTIONS))
        deal.act(rng.choice(deal.legal))


def test_one_illegal_action_in_a_batch_changes_no_table() -> None:
    game = game_of("charlesworth2018")
    tables = dealt_tables(game, 10, seed=6)
    rows, rewards, is_over = np.arange(10), np.zeros((10, 4), np.float32), np.zeros(10, np.uint8)
    chosen = np.array([view.legal_actions(t)[0] for t in tables])
    chosen[7] = 1500
    before = tables.tobytes()
    assert game.step_batch(tables, rows, chosen, rewards, is_over, True) == 7
    assert tables.tobytes() == before


def dealt_tables(game: Any, num_tables: int, seed: int, first_table: int = 0) -> Any:
    tables = game.seeded_tables(num_tables, seed, first_table)
    for i in range(num_tables):
        game.deal(tables, i)
    return tables


def play_batch(game: Any, tables: Any, decisions: int) -> None:
    rows, is_over = np.arange(len(tables)), np.zeros(len(tables), np.uint8)
    rewards, chosen = np.zeros((len(tables), 4), np.float32), np.zeros(len(tables), np.int64)
    for _ in range(decisions):
        game.random_batch(tables, rows, tables, chosen)
        assert game.step_batch(tables, rows, chosen, rewards, is_over, True) == -1
        assert (rewards.any(axis=1) == is_over).all()
        assert not rewards.sum(axis=1).any()


@all_rules
def test_a_batch_of_many_is_many_batches_of_one(rules: str) -> None:
    game = game_of(rules)
    together = dealt_tables(game, 20, seed=4)
    alone = [dealt_tables(game, 1, seed=4, first_table=number) for number in range(20)]
    for tables in (together, *alone):
        play_batch(game, tables, decisions=150)
    assert together.tobytes() == b"".join(tables.tobytes() for tables in alone)


def test_seed_and_table_number_fix_the_deal() -> None:
    game = game_of("charlesworth2018")

    def deals(num_tables: int, seed: int, first_table: int) -> list[bytes]:
        return [t.held.tobytes() for t in dealt_tables(game, num_tables, seed, first_table)]

    many = deals(50, seed=7, first_table=0)
    assert deals(10, seed=7, first_table=20) == many[20:30]
    assert len(set(many)) == 50
    assert not set(many) & set(deals(50, seed=8, first_table=0))


def test_a_deal_does_not_depend_on_how_the_last_one_went() -> None:
    game = game_of("charlesworth2018")
    one, other = dealt_tables(game, 1, seed=8), dealt_tables(game, 1, seed=8)
    play_batch(game, one, decisions=10)
    one["rng"], other["rng"] = 3, 3
    game.deal(one, 0)
    game.deal(other, 0)
    one["legal"], other["legal"] = 0, 0  # entries beyond num_legal may differ
    assert one.tobytes() == other.tobytes()


def test_every_seat_gets_every_card_equally_often() -> None:
    game, deals = game_of("charlesworth2018"), 4000
    held = np.array([t.held | t.played for t in dealt_tables(game, deals, seed=9)])
    counts = np.array([[np.count_nonzero(held[:, seat] >> card & 1) for card in range(52)] for seat in range(4)])
    assert abs(counts - deals / 4).max() < 5 * np.sqrt(deals * 3 / 16)


@all_rules
def test_a_copied_record_is_an_independent_clone(rules: str) -> None:
    game = game_of(rules)
    tables = dealt_tables(game, 5, seed=6)
    play_batch(game, tables, decisions=30)
    before, clone = tables.tobytes(), tables.copy()
    play_batch(game, clone, decisions=30)
    assert tables.tobytes() == before != clone.tobytes()
    play_batch(game, tables, decisions=30)
    assert tables.tobytes() == clone.tobytes()


def test_the_list_has_room_for_the_longest_there_is() -> None:
    hearts = " ".join(card for card in DECK if card[1] == "H")
    deal = Deal()
    deal.leave("4D", hearts, "5D", "6D", control=1)
    assert len(deal.legal) == len(set(deal.legal)) == MAX_LEGAL


def test_records_without_padding_are_compared_as_bytes() -> None:
    assert sum(TABLE[name].itemsize for name in TABLE.names or ()) == TABLE.itemsize


def reshuffle_unseen(tables: Any, seat: int, rng: random.Random) -> None:
    """Deal the cards that `seat` does not see anew among the others, who keep their numbers of cards."""
    t = tables[0]
    unseen = [order for other in range(4) if other != seat for order in view.hand(t, other)]
    rng.shuffle(unseen)
    for other in range(4):
        if other != seat:
            count = int(t.num_cards[other])
            cards, unseen = sorted(unseen[:count]), unseen[count:]
            t.hand[other, :count] = cards
            t.held[other] = sum(1 << card for card in cards)
    t.rng[:] = rng.getrandbits(60)
    if t.actor != seat:  # the actor's list follows from the actor's cards
        t.num_legal = rng.randrange(1, 20)
        t.legal[:20] = [rng.randrange(NUM_ACTIONS) for _ in range(20)]
    t.legal[int(t.num_legal) :] = [rng.randrange(NUM_ACTIONS) for _ in range(MAX_LEGAL - int(t.num_legal))]


@pytest.mark.parametrize("encoder", ["charlesworth412", "clean"])
@pytest.mark.parametrize("rules", ["charlesworth2018", "everything"])
def test_what_a_seat_cannot_see_changes_nothing_that_it_gets(rules: str, encoder: str) -> None:
    game, rng = game_of(rules, encoder), random.Random(10)
    tables, views, row = dealt_tables(game, 1, seed=10), game.new_tables(1), np.array([0])
    numbers, masks = np.zeros((1, game.layout.size), np.int8), np.zeros((1, NUM_ACTIONS), np.int8)

    def rank_keys(tables: Any, seat: int) -> tuple[bytes, bytes, bytes, str]:
        game.encoder.observe(tables, 0, seat, observation_records(numbers), mask_records(masks))
        game.censor_batch(tables, row, np.array([seat]), views)
        return numbers.tobytes(), masks.tobytes(), views.tobytes(), game.text(tables, 0, seat)

    def check(tables: Any) -> None:
        for seat in range(4):
            changed = tables.copy()
            reshuffle_unseen(changed, seat, rng)
            assert changed.tobytes() != tables.tobytes()
            assert rank_keys(changed, seat) == rank_keys(tables, seat)

    for _ in range(150):
        check(tables)
        if game.step(tables, 0, rng.choice(view.legal_actions(tables[0]))) < 0:
            check(tables)
            game.deal(tables, 0)


def test_a_view_serves_the_encoder_as_well_as_the_table() -> None:
    game = game_of("charlesworth2018")
    tables, views = dealt_tables(game, 30, seed=11), game.new_tables(30)
    play_batch(game, tables, decisions=40)
    rows = np.arange(30)
    of_tables, of_views = np.zeros((30, 412), np.int8), np.zeros((30, 412), np.int8)
    masks, masks_of_views = np.zeros((30, NUM_ACTIONS), np.int8), np.zeros((30, NUM_ACTIONS), np.int8)
    game.censor_batch(tables, rows, tables["actor"].astype(np.int64), views)
    game.encoder.observe_batch(tables, rows, observation_records(of_tables), mask_records(masks))
    game.encoder.observe_batch(views, rows, observation_records(of_views), mask_records(masks_of_views))
    assert (of_tables == of_views).all()
    assert (masks == masks_of_views).all()


def test_plain_python_plays_the_same_deals_as_compiled_code() -> None:
    process = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.properties.big2_random_play"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == digest(decisions=80, seed=5)
