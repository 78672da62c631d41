"""Control variates: their parts have mean zero, their estimates are right on average, and they save hands."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from card_baselines.agents.scripted.equity import Equity
from card_baselines.agents.scripted.tight_aggressive import TightAggressive
from card_envs.agent import Agent, RandomAgent
from card_envs.analysis.variance.chance_terms import AHEAD, CHANCE_TERMS, EQUITY, STRENGTH, write_chance_terms
from card_envs.analysis.variance.control_variates import Adjusted, ControlVariates
from card_envs.analysis.variance.hand_controls import HandControls
from card_envs.cards import DECK_SIZE, card_ids
from card_envs.game import Game
from card_envs.games.holdem.presets import kuhn_poker, limit_holdem, no_limit_holdem
from card_envs.match import Batch, play_match
from card_envs.poker.percentiles import PERCENTILES
from card_envs.poker.ranks import hand_ranks
from card_envs.rng import seed_streams
from tests.rules.test_match import always_call, always_raise


def adjusted(
    game: Game, agents: list[Agent], hands: int, seed: int, duplicate: bool = False, num_tables: int = 4096
) -> tuple[Adjusted, float]:
    """Return the adjusted result of the first agent, and its plain mean."""
    controls = ControlVariates(game, agents, seed)
    result = play_match(game, agents, hands, seed, duplicate, num_tables, callbacks=[controls])
    return controls.adjusted(result)[0], result.agents[0].mean


# --- luck with the cards ----------------------------------------------------------------------------------------------


def luck_of(deck: str, live: int = 0b11, num_boards: int = 4000) -> Any:
    """Return the luck record of a heads-up hand that saw all streets."""
    tables = limit_holdem().new_tables(1)
    tables[0]["deck"][:9] = card_ids(deck)
    luck = np.zeros(1, CHANCE_TERMS)
    luck["live"][0, 1:] = live
    seed_streams(luck, np.uint64(0), np.uint64(0))
    write_chance_terms(tables, luck, num_boards)
    return luck[0]


def share(hole: list[int], other: list[int], board: tuple[int, ...]) -> float:
    ranks = hand_ranks(np.array([[*hole, *board], [*other, *board]]))
    return 0.5 + 0.5 * float(np.sign(int(ranks[1]) - int(ranks[0])))


def test_luck_on_turn_and_river_is_what_brute_force_says() -> None:
    deck = "As Ks Qh Qd Qs Js 2h 7c Ts"
    a, b, board = card_ids("As Ks"), card_ids("Qh Qd"), card_ids("Qs Js 2h 7c Ts")
    rest = [card for card in range(DECK_SIZE) if card not in {*a, *b, *board[:3]}]
    flop = np.mean([share(a, b, (*board[:3], *two)) for two in combinations(rest, 2)])
    turn = np.mean([share(a, b, (*board[:4], card)) for card in rest if card != board[3]])
    luck = luck_of(deck)
    assert luck["value"][1, 0, EQUITY] == pytest.approx(flop)
    assert luck["luck"][2, 0, EQUITY] == pytest.approx(turn - flop)
    assert luck["luck"][3, 0, EQUITY] == pytest.approx(1.0 - turn), "the royal flush arrives"
    assert luck["outcome"].tolist()[:2] == [1.0, 0.0]
    hands = np.array([[*a, *board[:3], card] for card in rest])
    strengths = PERCENTILES[1, hand_ranks(hands)]
    now = PERCENTILES[1, hand_ranks(np.array([[*a, *board[:4]]]))[0]]
    assert luck["luck"][2, 0, STRENGTH] == pytest.approx(now - strengths.mean())


def test_luck_before_the_flop_comes_from_random_boards() -> None:
    luck = luck_of("As Ad Kh Kd 2c 7d 9h Jc Ts")
    assert luck["luck"][0, 0, EQUITY] == pytest.approx(0.8195 - 0.5, abs=0.03), "aces against kings"
    assert luck["luck"][1, :2, EQUITY].sum() == pytest.approx(0.0)
    assert luck["luck"][1, 0, AHEAD] > 0


def test_seats_that_folded_have_no_luck() -> None:
    luck = luck_of("As Ad Kh Kd 2c 7d 9h Jc Ts", live=0b01)
    assert not luck["luck"][1:, 1].any()
    assert luck["value"][3, 0, EQUITY] == 1.0


# --- controls ---------------------------------------------------------------------------------------------------------


class Collecting:
    """A callback that keeps the controls of one agent."""

    def __init__(self, game: Game, agents: list[Agent], seed: int) -> None:
        self.controls = HandControls(game, agents, seed)
        self.on_deal = self.controls.on_deal
        self.on_actions = self.controls.on_actions
        self.batches: list[Any] = []

    def on_end(self, batch: Batch) -> None:
        self.batches.append(self.controls.of_batch(batch, [0])[0])


@pytest.mark.parametrize(
    ("game", "opponent", "hands"),
    [
        (limit_holdem(), TightAggressive(), 20_000),
        (limit_holdem(4), TightAggressive(), 6000),
        (no_limit_holdem(3, stacks=(10, 20, 60)), RandomAgent(), 7000),
    ],
    ids=["heads-up", "four seats", "all-in before the river"],
)
def test_every_control_has_mean_zero(game: Game, opponent: Agent, hands: int) -> None:
    agents: list[Agent] = [RandomAgent(), *[opponent] * (game.num_seats - 1)]
    collecting = Collecting(game, agents, 12)
    play_match(game, agents, hands, 12, callbacks=[collecting])
    controls = np.concatenate(collecting.batches)
    spread = controls.std(axis=0)
    controls = controls[:, spread > 1e-9] / spread[spread > 1e-9]
    z = controls.mean(axis=0) * np.sqrt(len(controls))
    assert len(z) > 150
    assert np.mean(z**2) < 1.6, "controls go together, so this scatters more than a chi-square over their number"
    tails = (controls**4).mean(axis=0)
    assert np.abs(z[tails < 100]).max() < 4.5, "of the others, a few rare hands decide: no normal distribution"


# --- estimates --------------------------------------------------------------------------------------------------------


def test_estimates_are_right_on_average_even_from_few_hands() -> None:
    """Two equal agents win nothing; and adjusted less plain result is zero on average for unequal ones."""
    seeds = range(25)
    equal = [adjusted(limit_holdem(), [RandomAgent(), RandomAgent()], 150, seed)[0].summary for seed in seeds]
    means = np.array([each.mean for each in equal])
    assert abs(means.mean()) < 4 * means.std() / np.sqrt(len(means))
    held = sum(each.ci95[0] < 0 < each.ci95[1] for each in equal)
    assert held >= 20, "of 25 intervals of 95 %, 24 on average"
    pairs = [adjusted(limit_holdem(), [RandomAgent(), TightAggressive()], 150, seed) for seed in seeds]
    differences = np.array([estimate.summary.mean - plain for estimate, plain in pairs])
    assert abs(differences.mean()) < 4 * differences.std() / np.sqrt(len(differences))


def test_where_nobody_folds_the_cards_explain_everything() -> None:
    estimate, plain = adjusted(limit_holdem(), [always_call(), always_raise()], 2000, 0)
    assert abs(plain) > 0.05
    assert abs(estimate.summary.mean) < 0.01
    assert estimate.hands_factor > 1000


def test_equity_against_tight_aggressive_takes_a_fifth_of_the_hands() -> None:
    estimate, _ = adjusted(limit_holdem(), [Equity(), TightAggressive()], 12_000, 0, duplicate=True)
    assert estimate.hands_factor > 5


def test_the_number_of_tables_changes_nothing() -> None:
    agents: list[Agent] = [RandomAgent(), TightAggressive()]
    at_once, _ = adjusted(limit_holdem(), agents, 600, 5, True)
    in_parts, _ = adjusted(limit_holdem(), agents, 600, 5, True, num_tables=70)
    assert in_parts.summary.mean == pytest.approx(at_once.summary.mean, abs=1e-9)
    assert in_parts.hands_factor == pytest.approx(at_once.hands_factor)


def test_two_agents_mirror_each_other_and_more_do_not() -> None:
    for seats in (2, 3):
        game = limit_holdem(seats)
        agents: list[Agent] = [RandomAgent(), *(TightAggressive() for _ in range(seats - 1))]
        controls = ControlVariates(game, agents, 1)
        found = controls.adjusted(play_match(game, agents, 900, 1, callbacks=[controls]))
        assert [each.summary.name for each in found] == [agent.name for agent in agents]
        if seats == 2:
            assert found[1].summary.mean == -found[0].summary.mean


@pytest.mark.parametrize("hands", [2, 4, 20])
def test_few_deals_leave_the_plain_result(hands: int) -> None:
    estimate, plain = adjusted(limit_holdem(), [always_call(), always_call()], hands, 0, duplicate=True)
    assert estimate.summary.mean == pytest.approx(plain, abs=1e-9)


def test_what_they_cannot_do_is_an_error() -> None:
    with pytest.raises(ValueError, match="control variates are for Texas hold'em, not for kuhn_poker"):
        ControlVariates(kuhn_poker(), [RandomAgent(), RandomAgent()], 0)
    game, agents = limit_holdem(), [RandomAgent(), RandomAgent()]
    controls = ControlVariates(game, agents, 0)
    play_match(game, agents, 20, 0, callbacks=[controls])
    with pytest.raises(ValueError, match="have not watched the deals of this result"):
        controls.adjusted(play_match(game, agents, 40, 0))
