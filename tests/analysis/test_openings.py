"""Openings before the flop: counted for those who are first in, and for nobody else."""

from __future__ import annotations

import numpy as np
import pytest

from card_envs import make_game
from card_envs.agent import Agent, RandomAgent
from card_envs.match import play_match
from card_envs.statistics.holdem_openings import OpeningCounter
from tests.helpers.scripted_agents import always_call, always_fold, always_raise


def openings_of(agents: list[Agent], hands: int = 60) -> OpeningCounter:
    game = make_game("no_limit_holdem-v0", num_players=len(agents))
    counter = OpeningCounter(game)
    play_match(game, agents, hands, 0, duplicate=True, callbacks=[counter])
    return counter


def test_the_first_to_act_opens_unless_it_folds() -> None:
    """One raiser among folders is first in everywhere but in the big blind; the folders fold until it comes."""
    counter = openings_of([always_raise(), *(always_fold() for _ in range(5))])
    assert counter.positions == ("SB", "BB", "UTG", "HJ", "CO", "BTN")
    raiser = counter.openings(0)
    assert list(raiser) == ["SB", "UTG", "HJ", "CO", "BTN"]
    assert {[each.value for each in shares] == [0.0, 0.0, 1.0] for shares in raiser.values()} == {True}
    assert [shares[0].occasions for shares in raiser.values()] == [10] * 5
    assert counter.counts[1:, :, 1:].sum() == 0


def test_whoever_follows_a_limp_or_a_raise_is_not_first_in() -> None:
    counter = openings_of([always_call() for _ in range(6)])
    assert counter.counts.sum(axis=0)[:, 1].tolist() == [0, 0, 60, 0, 0, 0], "UTG limps in every hand"
    assert counter.counts.sum() == 60


def test_the_button_is_first_in_heads_up() -> None:
    counter = openings_of([always_call(), always_raise()])
    assert counter.openings(0)["BTN"][1].value == 1.0
    assert counter.openings(1)["BTN"][2].value == 1.0
    assert counter.counts.sum() == 60


def test_at_most_one_decision_a_position_and_hand_counts() -> None:
    counter = openings_of([RandomAgent() for _ in range(6)], hands=600)
    by_position = counter.counts.sum(axis=(0, 2))
    assert by_position[2] == 600 and by_position[1] == 0
    folds = counter.counts.sum(axis=0)[:, 0]
    assert by_position[[3, 4, 5, 0]].tolist() == folds[[2, 3, 4, 5]].tolist(), "who folds leaves it to the next"
    assert np.all(counter.counts >= 0)


def test_games_without_blinds_are_refused() -> None:
    with pytest.raises(ValueError, match="blinds, not in leduc_holdem"):
        OpeningCounter(make_game("leduc_holdem-v0"))
