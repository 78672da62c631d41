"""Big 2: what holds in every deal under every set of rules."""

from __future__ import annotations

import random

import numpy as np
import pytest

from card_envs.games.big2.actions import NUM_ACTIONS
from card_envs.games.big2.state import MAX_LEGAL
from card_envs.observation import mask_records
from tests.differential.oracles import big2_brute_force as oracle
from tests.fuzz.games import dealt, states
from tests.helpers.big2_deals import DECK, Deal
from tests.helpers.kinds_of_games import OPTION_SETS, make_kind

all_rules = pytest.mark.parametrize("rules", OPTION_SETS)
NUM_TABLES = 20


@all_rules
def test_the_mask_is_the_list_and_empty_for_the_others(rules: str) -> None:
    game, masks = make_kind(rules), np.zeros((NUM_TABLES, NUM_ACTIONS), np.int8)
    for tables in states(game, NUM_TABLES, seed=3, decisions=100):
        game.mask_batch(tables, np.arange(NUM_TABLES), mask_records(masks))
        for t, mask in zip(tables, masks, strict=True):
            assert np.flatnonzero(mask).tolist() == sorted(t.legal[: t.num_legal].tolist())
        for row in range(3):
            other = (int(tables["actor"][row]) + 1) % 4
            assert not game.observe(tables, row, other)[1].any()


@all_rules
@pytest.mark.parametrize("deals", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_the_list_is_what_brute_force_finds(rules: str, deals: int) -> None:
    config, rng = OPTION_SETS[rules], random.Random(4)
    for number in range(deals):
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


def test_a_deal_does_not_depend_on_how_the_last_one_went() -> None:
    game = make_kind("charlesworth2018")
    other = dealt(game, 1, seed=8)
    *_, one = states(game, 1, seed=8, decisions=10)
    one["rng"], other["rng"] = 3, 3
    game.deal(one, 0)
    game.deal(other, 0)
    one["legal"], other["legal"] = 0, 0  # entries beyond num_legal may differ
    assert one.tobytes() == other.tobytes()


def test_every_seat_gets_every_card_equally_often() -> None:
    game, deals = make_kind("charlesworth2018"), 4000
    held = np.array([t.held | t.played for t in dealt(game, deals, seed=9)])
    counts = np.array([[np.count_nonzero(held[:, seat] >> card & 1) for card in range(52)] for seat in range(4)])
    assert abs(counts - deals / 4).max() < 5 * np.sqrt(deals * 3 / 16)


def test_the_list_has_room_for_the_longest_there_is() -> None:
    hearts = " ".join(card for card in DECK if card[1] == "H")
    deal = Deal()
    deal.leave("4D", hearts, "5D", "6D", control=1)
    assert len(deal.legal) == len(set(deal.legal)) == MAX_LEGAL
