"""Encoder `equity`: the blocks of `default`, and shares of the pot that are near the exact ones."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pytest
from treys import Card, Evaluator

from card_envs.cards import DECK_SIZE, card_ids, card_names
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.default import DEFAULT
from card_envs.games.holdem.encoders.equity import EQUITY
from card_envs.poker.hands import HANDS
from card_envs.poker.sampled_equity import SAMPLES, TABLES
from card_envs.poker.starting_hands import STARTING_PERCENTILES, starting_hands
from card_envs.poker_hands import hand_ranks
from tests.helpers.equities import equity_against_range, starting_hand_equity
from tests.helpers.holdem_hands import OneTable
from tests.helpers.poker_tables import build_sampled_equities
from tests.properties.encoder_play import Observer

QUARTER_OF_HAND = np.minimum(4 * (1 - STARTING_PERCENTILES[starting_hands(HANDS)]), 3).astype(int)
QUARTERS = np.eye(4)[QUARTER_OF_HAND].T
"""(4, 1326) the hands of each quarter, the best first, as weights."""


def look(config: HoldemConfig, mine: list[int], board: list[int]) -> np.ndarray:
    """Return what seat 0 sees with these hole cards and so much of the board, everybody having checked or called."""
    rest = [card for card in range(52) if card not in {*mine, *board}]
    others = rest[: 2 * config.num_players - 2]
    deck = [*mine, *others, *board, *rest[len(others) :][: 5 - len(board)]]
    table = OneTable(config, button=0, deck=deck)
    for _ in range({0: 0, 3: 1, 4: 2, 5: 3}[len(board)]):
        table.play(" ".join("c" * config.num_players))
    return Observer(EQUITY, config).look(table.tables, 0)[0]


def test_the_first_blocks_are_those_of_default() -> None:
    for config in (HoldemConfig.limit(2), HoldemConfig.limit(6), HoldemConfig.no_limit(3)):
        table = OneTable(config, button=0)
        seen, plain = (Observer(encoder, config).look(table.tables, 1)[0] for encoder in (EQUITY, DEFAULT))
        assert len(seen) == len(plain) + 5
        assert seen[:-5].tolist() == plain.tolist()


@pytest.mark.parametrize("config", [HoldemConfig.limit(2), HoldemConfig.no_limit(6)], ids=["limit", "no-limit"])
def test_equities_are_near_the_exact_ones(config: HoldemConfig) -> None:
    rng, errors = np.random.default_rng(0), []
    for shown in (4, 5) * 12:
        cards = [int(card) for card in rng.permutation(52)[: 2 + shown]]
        seen = look(config, cards[:2], cards[2:])
        exact = [equity_against_range(cards[:2], np.ones(len(HANDS)), cards[2:])]
        exact += [equity_against_range(cards[:2], only, cards[2:]) for only in QUARTERS]
        errors.append(seen[-5:] - exact)
    sd = np.sqrt(0.25 / SAMPLES)  # of a share that is 0 or 1, at most
    assert (np.abs(errors) < 5 * sd * np.array([1, *[2] * 4])).all()
    assert np.abs(np.mean(errors, axis=0)).max() < 3 * sd * 2 / np.sqrt(len(errors))


def test_a_hand_that_cannot_lose_reads_one_and_starting_hands_are_exact() -> None:
    config = HoldemConfig.limit(2)
    assert look(config, card_ids("As Ks"), card_ids("Qs Js Ts 2d 3c"))[-5:].tolist() == [1.0] * 5
    for hand in ("As Ad", "7c 2d", "Kh Qh"):
        assert look(config, card_ids(hand), [])[-5] == pytest.approx(starting_hand_equity(card_ids(hand)), abs=1e-6)
    aces = look(config, card_ids("As Ad"), [])
    assert (aces[-4:] > 0.75).all()


def test_on_the_flop_of_flop_holdem_equities_are_those_of_all_hands() -> None:
    evaluator, config = Evaluator(), HoldemConfig.flop()
    for cards in ("7c 2d Ks 8h 3d", "As Ad Kh Kd Kc", "5h 4h Ah 2h 3h", "Qs Jd Tc 9h 8d", "9c 9d 9h 4s 2c"):
        mine, board = card_ids(cards)[:2], card_ids(cards)[2:]
        names = {card: Card.new(card_names([card])) for card in range(DECK_SIZE)}
        rank = evaluator.evaluate([names[card] for card in mine], [names[card] for card in board])
        shares = [list[float]() for _ in range(4)]
        for hand, quarter in zip(HANDS.tolist(), QUARTER_OF_HAND, strict=True):
            if not {*hand} & {*mine, *board}:
                other = evaluator.evaluate([names[card] for card in hand], [names[card] for card in board])
                shares[quarter].append(0.5 * (rank <= other) + 0.5 * (rank < other))
        expected = [np.mean([*chain(*shares)]), *map(np.mean, shares)]
        assert look(config, mine, board)[-5:] == pytest.approx(expected, abs=1e-6)


def test_before_the_flop_of_flop_holdem_equities_are_those_of_three_board_cards() -> None:
    """Small pairs win more with three board cards than with five, by more than estimates of all of them are wrong."""
    rng, found, expected = np.random.default_rng(0), list[float](), list[float]()
    pairs = [hand for hand in HANDS.tolist() if hand[0] // 4 == hand[1] // 4 < 4]
    for hand in pairs:
        rest = np.setdiff1d(np.arange(DECK_SIZE), hand)
        drawn = np.array([rng.choice(rest, 5, replace=False) for _ in range(500)])
        mine = hand_ranks(np.hstack([np.tile(hand, (500, 1)), drawn[:, 2:]])).astype(int)
        other = hand_ranks(drawn).astype(int)
        expected.append(float(np.mean(0.5 * (mine <= other) + 0.5 * (mine < other))))
        found.append(float(look(HoldemConfig.flop(), hand, [])[-5]))
    assert np.mean(found) == pytest.approx(np.mean(expected), abs=0.03)
    assert np.mean(found) > np.mean([starting_hand_equity(hand) for hand in pairs]) + 0.03


def test_the_same_cards_read_the_same_in_any_order() -> None:
    config = HoldemConfig.limit(2)
    first = look(config, card_ids("9s 8d"), card_ids("7h 6c 2d"))
    second = look(config, card_ids("8d 9s"), card_ids("2d 7h 6c"))
    assert first[-5:].tolist() == second[-5:].tolist()


def test_the_table_before_the_flop_is_what_sampling_gives() -> None:
    assert build_sampled_equities().by_quarter.tolist() == TABLES.by_quarter.tolist()
