"""Styles (Kaminsky and Liebendörfer 2020, section 3.3): situations, and what agents that are known do in them."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from card_baselines.papers.kaminsky2020 import style
from card_baselines.papers.kaminsky2020.style import CALLS, CHECKS, FIRST_RAISE, FOLDS, NUM_BINS, Style, measure_style
from card_envs.agent import Agent, Decisions, find_agent
from card_envs.compiler import COMPILED
from card_envs.game import Game
from card_envs.games.holdem.presets import no_limit_holdem
from tests.helpers.equities import hand_percentile

BASES = list(product(range(4), range(6), range(3), range(6)))


@pytest.fixture(scope="module")
def game() -> Game:
    return no_limit_holdem(6, bet_menu="integers")


@pytest.fixture(scope="module")
def bases(game: Game) -> Any:
    return np.concatenate([style._make_table(game.config, *base) for base in BASES])


def test_there_are_4320_situations_of_53_bins(game: Game) -> None:
    assert math.prod(style.SHAPE) == style.NUM_SITUATIONS == len(BASES) * style.DECILES
    assert NUM_BINS == 53 and measure_style(find_agent("always_call", game), game, hands=1).vector.shape == (4320 * 53,)


def test_situations_are_what_they_are_called(bases: Any) -> None:
    for t, (street, seat, players, investment) in zip(bases, BASES, strict=True):
        blinds, pressed = style.INVESTMENTS[investment]
        left = [k for k in range(6) if t.in_hand >> k & 1]
        assert (t.street, t.actor, len(left)) == (street, seat, style.PLAYERS[players])
        assert left == sorted((seat + k) % 6 for k in range(len(left)))
        assert t.hand_commit[seat] == 2 * blinds
        to_call = t.current_bet - t.street_commit[seat]
        if street == 0:
            assert to_call == 2 * blinds * (4 if pressed else 1)
        else:
            before = t.pot - t.street_commit[:6].sum()
            assert t.current_bet == (min(before, 200 - 2 * blinds) if pressed else 0)


def test_hands_are_of_their_deciles_and_seats(game: Game) -> None:
    for street, shown in enumerate((0, 3, 4, 5)):
        decks = style._rotate_to_seat(3, style._draw_decks(game, street, 2))
        for k, deck in enumerate(decks.tolist()):
            assert len(set(deck)) == 17
            percentile = hand_percentile([*deck[6:8], *deck[12 : 12 + shown]])
            assert k // 2 / 10 < percentile <= (k // 2 + 1) / 10 + 1e-6


class Known(Agent):
    """Folds bad hands, checks where it can, raises to 21 with the best, else calls."""

    encoder = "kaminsky404"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        percentile = decisions.observation[:, -1]
        views = decisions.views
        may_raise = (views["min_raise_to"] <= 21) & (views["max_raise_to"] >= 21)
        actions = np.where((percentile > 0.9001) & may_raise, 22, 1)
        return np.where((percentile < 0.2) & (views["legal"] & 1 == 1), 0, actions)


def test_an_agent_that_is_known(game: Game) -> None:
    counts = measure_style(Known(), game, hands=3).counts
    assert counts.sum(axis=-1).tolist() == np.full(style.SHAPE, 3).tolist()
    assert counts[0, ..., 0, FOLDS].tolist() == np.full(style.SHAPE[1:4], 3).tolist()
    free = counts[1:, :, :, ::2]
    assert free[..., [FOLDS, CALLS]].sum() == 0
    assert (free[..., 5, CHECKS] == 3).all() and (counts[:, :, :, 1::2, 5, CALLS] == 3).all()
    raises = counts[..., FIRST_RAISE:].sum(axis=(0, 1, 2, 3, 4))
    assert np.flatnonzero(raises).tolist() == [(21 - 1) // 4]  # 4 chips a bin: 21 lies in 21 .. 24
    assert counts[0, :, :, 0, 9, FIRST_RAISE + 5].min() == 3


def test_measures() -> None:
    counts = np.zeros((*style.SHAPE, NUM_BINS), np.int64)
    counts[0, 0, 0, 0, 0, [FOLDS, CALLS, CHECKS, FIRST_RAISE, NUM_BINS - 1]] = 5, 4, 100, 3, 5
    assert Style(counts).point == (2 / 3, 5 / 17), "a tightness of 5 / 12"
    counts = np.zeros_like(counts)
    counts[..., FIRST_RAISE] = 1
    assert Style(counts).point == (1, 0)
    counts = np.zeros_like(counts)
    counts[..., FOLDS] = 1
    assert Style(counts).point == (0, 1)


def test_random_actions_are_uniform_and_repeatable(game: Game) -> None:
    first, again = (measure_style(find_agent("random", game), game, hands=2).counts for _ in range(2))
    assert (first == again).all()
    if COMPILED:
        counts = measure_style(find_agent("random", game), game, hands=20).counts
        pressed = counts[1, :, :, 1].reshape(-1, NUM_BINS).sum(axis=0)  # min raise 16 .. 24 or more of 200 chips
        assert abs(pressed[FOLDS] - pressed[CALLS]) < 5 * np.sqrt(2 * pressed[CALLS])
        assert pressed[FIRST_RAISE:].sum() > 50 * pressed[FOLDS]


def test_bet_menus_and_other_games(game: Game) -> None:
    menu = no_limit_holdem(6)
    assert measure_style(find_agent("always_raise", menu), menu, hands=1).point[1] == 0.0
    for other in (no_limit_holdem(2), no_limit_holdem(6, stacks=300)):
        with pytest.raises(ValueError, match="six-max no-limit hold'em with 100 big blinds"):
            measure_style(find_agent("always_call", other), other)
