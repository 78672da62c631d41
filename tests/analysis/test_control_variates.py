"""Control variates: their parts have mean zero, their estimates are right on average, and they save hands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_baselines.agents.scripted.equity import Equity
from card_baselines.agents.scripted.made_hand_rules import TightAggressive
from card_envs.agent import Agent, Decisions, RandomAgent, SupportsAct, decisions_at, find_agent, known_agents
from card_envs.analysis.variance import regression
from card_envs.analysis.variance.big2 import hand_strengths
from card_envs.analysis.variance.control_terms import ControlUnits
from card_envs.analysis.variance.control_variates import (
    UNEXPLAINED_HANDS,
    AdjustedResult,
    ControlVariates,
    summarise_adjusted,
)
from card_envs.analysis.variance.holdem.chance_terms import AHEAD, CHANCE_TERMS, EQUITY, STRENGTH, write_chance_terms
from card_envs.analysis.variance.holdem.counterfactual_hands import COUNTERFACTUAL, SCRATCH, deal_counterfactual
from card_envs.analysis.variance.holdem.counterfactual_values import write_showdown_correction
from card_envs.analysis.variance.linear_algebra import solve_ridges
from card_envs.analysis.variance.regression import Estimate, Evidence, estimate_adjusted, evidence_of, moments_of
from card_envs.cards import DECK_SIZE, card_id, card_ids
from card_envs.game import Game
from card_envs.games.big2.combos import order_of
from card_envs.games.big2.presets import big2
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.presets import leduc_holdem, limit_holdem, no_limit_holdem
from card_envs.match import MatchBatch, MatchResult, StoppingRule, play_match
from card_envs.match.summary import FEWEST_HANDS, Summary, skewness, summarise_deals
from card_envs.poker.percentiles import PERCENTILES
from card_envs.poker_hands import hand_ranks
from card_envs.rng import seed_streams
from tests.helpers.scripted_agents import Silent, always_call, always_raise


def adjusted(
    game: Game, agents: Sequence[SupportsAct], hands: int, seed: int, duplicate: bool = False, num_tables: int = 4096
) -> tuple[AdjustedResult, float]:
    """Return the adjusted result of the first agent, and its plain mean."""
    controls = ControlVariates(game, agents, seed)
    result = play_match(game, agents, hands, seed, duplicate, num_tables, callbacks=[controls])
    return controls.adjust(result)[0], result.agents[0].mean


def evidence(controls: NDArray[np.float64], results: NDArray[np.float64]) -> Evidence:
    """Return the moments of deals (n, k) that are played once."""
    once = controls[:, None], results[:, None]
    return evidence_of(*once, np.arange(len(results)), once)


# --- chance terms ---------------------------------------------------------------------------------------------------


def terms_of(deck: str, live: int = 0b11, num_boards: int = 4000) -> Any:
    """Return the chance terms of a heads-up hand that saw all streets."""
    tables = limit_holdem().new_tables(1)
    tables[0]["deck"][:9] = card_ids(deck)
    terms = np.zeros(1, CHANCE_TERMS)
    terms["live"][0, 1:] = live
    seed_streams(terms, np.uint64(0), np.uint64(0))
    write_chance_terms(tables, terms, num_boards)
    return terms[0]


def share(hole: list[int], other: list[int], board: tuple[int, ...]) -> float:
    ranks = hand_ranks(np.array([[*hole, *board], [*other, *board]]))
    return 0.5 + 0.5 * float(np.sign(int(ranks[1]) - int(ranks[0])))


def test_terms_of_turn_and_river_is_what_brute_force_says() -> None:
    deck = "As Ks Qh Qd Qs Js 2h 7c Ts"
    a, b, board = card_ids("As Ks"), card_ids("Qh Qd"), card_ids("Qs Js 2h 7c Ts")
    rest = [card for card in range(DECK_SIZE) if card not in {*a, *b, *board[:3]}]
    flop = np.mean([share(a, b, (*board[:3], *two)) for two in combinations(rest, 2)])
    turn = np.mean([share(a, b, (*board[:4], card)) for card in rest if card != board[3]])
    terms = terms_of(deck)
    assert terms["value"][1, 0, EQUITY] == pytest.approx(flop)
    assert terms["term"][2, 0, EQUITY] == pytest.approx(turn - flop)
    assert terms["term"][3, 0, EQUITY] == pytest.approx(1.0 - turn), "the royal flush arrives"
    hands = np.array([[*a, *board[:3], card] for card in rest])
    strengths = PERCENTILES[1, hand_ranks(hands)]
    now = PERCENTILES[1, hand_ranks(np.array([[*a, *board[:4]]]))[0]]
    assert terms["term"][2, 0, STRENGTH] == pytest.approx(now - strengths.mean())


def test_terms_before_the_flop_come_from_random_boards() -> None:
    terms = terms_of("As Ad Kh Kd 2c 7d 9h Jc Ts")
    assert terms["term"][0, 0, EQUITY] == pytest.approx(0.8195 - 0.5, abs=0.03), "aces against kings"
    assert terms["term"][1, :2, EQUITY].sum() == pytest.approx(0.0)
    assert terms["term"][1, 0, AHEAD] > 0


def test_seats_that_folded_have_no_terms() -> None:
    terms = terms_of("As Ad Kh Kd 2c 7d 9h Jc Ts", live=0b01)
    assert not terms["term"][1:, 1].any()
    assert terms["value"][3, 0, EQUITY] == 1.0


# --- controls ---------------------------------------------------------------------------------------------------------


class Collecting(ControlVariates):
    """A callback that keeps the controls of the first agent."""

    def __init__(self, game: Game, agents: Sequence[SupportsAct], seed: int) -> None:
        super().__init__(game, agents, seed)
        self.units, self.batches, self.correction = self._controls.units, list[Any](), list[Any]()

    def on_end(self, batch: MatchBatch) -> None:
        controls = self._controls.compute_controls(batch, [0])[0]
        self.batches.append(controls.terms)
        self.correction.append(controls.correction)


DEEP = no_limit_holdem(3, stacks=(10, 20, 60))


@pytest.mark.parametrize(
    ("game", "agents", "hands"),
    [
        (limit_holdem(), [RandomAgent(), TightAggressive()], 4000),
        pytest.param(limit_holdem(), [Silent(RandomAgent()), TightAggressive()], 6000, marks=pytest.mark.slow),
        (limit_holdem(), [Silent(RandomAgent()), Silent(TightAggressive())], 12_000),
        pytest.param(limit_holdem(4), [RandomAgent(), *[TightAggressive()] * 3], 4000, marks=pytest.mark.slow),
        pytest.param(DEEP, [RandomAgent()] * 3, 6000, marks=pytest.mark.slow),
        (DEEP, [Silent(RandomAgent())] * 3, 7000),
    ],
    ids=["heads-up", "one is silent", "silent", "four seats", "all-in before the river", "all-in, silent"],
)
def test_every_control_has_mean_zero(game: Game, agents: Sequence[SupportsAct], hands: int) -> None:
    collecting = Collecting(game, agents, 12)
    play_match(game, agents, hands, 12, callbacks=[collecting])
    controls = np.column_stack([np.concatenate(collecting.correction), np.concatenate(collecting.batches)])
    spread = controls.std(axis=0)
    controls = controls[:, spread > 1e-9] / spread[spread > 1e-9]
    z = controls.mean(axis=0) * np.sqrt(len(controls))
    assert len(z) > 100
    assert np.mean(z**2) < 1.6, "controls go together, so this scatters more than a chi-square over their number"
    tails = (controls**4).mean(axis=0)
    assert np.abs(z[tails < 100]).max() < 4.5, "of the others, a few rare hands decide: no normal distribution"


def test_an_equity_before_the_flop_may_multiply_what_the_flop_brings() -> None:
    """From two boards a hand, either is mostly noise; noise of the same boards would make the product negative."""
    deals = 20_000
    tables = limit_holdem().seeded_tables(deals, 5)
    limit_holdem().deal_batch(tables, np.arange(deals))
    terms = np.zeros(deals, CHANCE_TERMS)
    terms["live"][:, 1] = 0b11
    seed_streams(terms, np.uint64(99), np.uint64(0))
    write_chance_terms(tables, terms, 2)
    products = terms["value"][:, 0, 0, EQUITY] * terms["term"][:, 1, 0, EQUITY]
    assert abs(products.mean()) < 4 * products.std() / np.sqrt(deals)


# --- estimates --------------------------------------------------------------------------------------------------------


def test_estimates_are_right_on_average_even_from_few_hands() -> None:
    """Two equal agents win nothing; and adjusted less plain result is zero on average for unequal ones."""
    seeds, silent = range(25), Silent(RandomAgent())
    equal = [adjusted(limit_holdem(), [silent, silent], 150, seed)[0].summary for seed in seeds]
    means = np.array([each.mean for each in equal])
    assert abs(means.mean()) < 4 * means.std() / np.sqrt(len(means))
    held = sum(each.ci95[0] < 0 < each.ci95[1] for each in equal)
    assert held >= 20, "of 25 intervals of 95 %, 24 on average"
    pairs = [adjusted(limit_holdem(), [silent, Silent(TightAggressive())], 150, seed) for seed in seeds]
    differences = np.array([estimate.summary.mean - plain for estimate, plain in pairs])
    assert abs(differences.mean()) < 4 * differences.std() / np.sqrt(len(differences))


def equal_agents(game: Game, matches: int, hands: int) -> NDArray[np.float64]:
    """Return mean and half width (matches, 2) of small matches of an agent against itself, which wins 0 on average."""
    agents = [Equity(), Equity()]
    collecting = Collecting(game, agents, 21)
    result = play_match(game, agents, matches * hands, 21, callbacks=[collecting])
    controls, payoffs = np.concatenate(collecting.batches), result.deal_means[:, 0]
    results, found = payoffs - np.concatenate(collecting.correction), np.empty((matches, 2))
    for match in range(matches):
        mine = slice(match * hands, (match + 1) * hands)
        estimate = estimate_adjusted(evidence(controls[mine], results[mine]), collecting.units)
        summary = summarise_adjusted("", estimate, payoffs[mine].std(ddof=1), hands)
        found[match] = summary.mean, summary.half_width
    return found


BOTH_LIMITS = pytest.mark.parametrize("game", [limit_holdem(), no_limit_holdem(2)], ids=["limit", "no limit"])


@pytest.mark.parametrize(
    "game", [pytest.param(limit_holdem(), marks=pytest.mark.slow), no_limit_holdem(2)], ids=["limit", "no limit"]
)
def test_agents_that_are_asked_about_other_hands_have_estimates_that_are_right_on_average(game: Game) -> None:
    means, reach = equal_agents(game, 16, 100).T
    assert abs(means.mean()) < 4 * means.std(ddof=1) / np.sqrt(len(means))
    assert (abs(means) < reach).sum() >= 12, "of 16 intervals of 95 %, 15 on average"


@pytest.mark.slow
@BOTH_LIMITS
def test_coverage_and_bias_of_2000_small_matches(game: Game) -> None:
    means, reach = equal_agents(game, 2000, 60).T
    held, error = np.mean(abs(means) < reach), means.std(ddof=1)
    print(f"held {held:.4f}, bias {means.mean() / error:+.4f} standard errors")
    assert 0.94 < held < 0.99
    assert abs(means.mean()) < 0.1 * error


def test_where_nobody_folds_the_cards_explain_everything() -> None:
    estimate, plain = adjusted(limit_holdem(), [always_call(), always_raise()], 2000, 0)
    assert abs(plain) > 0.05
    assert abs(estimate.summary.mean) < 0.01
    assert estimate.hands_factor > 250, "more than a thousand, but for the seven hands that may yet surprise"


class Shoving(Agent):
    """Puts in all it has."""

    mixes = False

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        return decisions.action_mask.shape[1] - 1 - decisions.action_mask[:, ::-1].argmax(axis=1)


class Choosy(Agent):
    """Calls up to the big blind with any hand, and more if its first card is an eight or better."""

    mixes = False

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        views, rows, seats = decisions.views, np.arange(len(decisions)), decisions.seats.astype(np.int64)
        owed = views["current_bet"] - views["street_commit"][rows, seats]
        return np.where((owed > 1) & (views["deck"][rows, 2 * seats] < EIGHT), 0, 1)


EIGHT = card_id("8c")


def test_an_all_in_is_worth_what_it_brings_on_average_over_hands_and_boards() -> None:
    """Whoever shoves any two cards wins a big blind from hands that fold, and from others what the boards give it."""
    game, stack, blind = no_limit_holdem(2, stacks=20), 20, 2
    agents = [Shoving(), Choosy()]
    collecting = Collecting(game, agents, 8)
    result = play_match(game, agents, 40, 8, callbacks=[collecting])
    found = result.payoffs[:, 0] - collecting.correction[0] * game.chips_per_reward
    folded = 0
    for hand, imagined in enumerate(collecting._controls._hands):
        first = imagined["first"]
        shoving, other = (slice(first[seat], first[seat + 1]) for seat in (hand % 2, 1 - hand % 2))
        mine, theirs = imagined["level"][:, shoving, None].astype(int), imagined["level"][:, None, other].astype(int)
        won = stack * np.sign(theirs - mine).mean(axis=(0, 1))
        folds = imagined["hole"][other, 0] < EIGHT
        folded += result.payoffs[hand, 0] == blind
        assert found[hand] == pytest.approx(np.where(folds, blind, won).mean(), abs=1e-6)
    assert 0 < folded < 40


def test_few_hands_at_six_seats_have_no_interval_unless_deals_are_duplicate() -> None:
    game, agents = no_limit_holdem(6), [TightAggressive(), *[Equity() for _ in range(5)]]
    cases = ((60, False, FEWEST_HANDS), (54, True, 60), (60, True, None), (FEWEST_HANDS, False, None))
    for hands, duplicate, needed in cases:
        controls = ControlVariates(game, agents, 3)
        result = play_match(game, agents, hands, 3, duplicate, callbacks=[controls])
        summaries = [*result.agents, *(each.summary for each in controls.adjust(result))]
        assert {each.hands_needed for each in summaries} == {needed}
        assert {bool(np.isfinite(each.half_width)) for each in summaries} == {needed is None}
        assert all(np.isfinite(each.mean) and each.sd > 0 for each in summaries)
        report = result.as_json("no_limit_holdem-v0", {})
        assert report.get("hands_needed") == needed
        assert (report["agents"][0]["ci95"] == [None, None]) is (needed is not None)


def test_agents_that_can_be_asked_take_an_eighth_of_the_hands() -> None:
    estimate, _ = adjusted(limit_holdem(), [Equity(), TightAggressive()], 1500, 5)
    assert estimate.hands_factor > 8


def test_rounding_errors_are_no_variance() -> None:
    game, agents = limit_holdem(), [find_agent("chen", limit_holdem()) for _ in range(2)]
    controls = ControlVariates(game, agents, seed=0, until=StoppingRule())
    result = play_match(game, agents, 10, 0, duplicate=True, callbacks=[controls], until=controls.until)
    for agent in controls.adjust(result):
        assert agent.hands_factor == math.inf and agent.is_exact and agent.summary.mean == pytest.approx(0.0, abs=1e-9)


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
        found = controls.adjust(play_match(game, agents, 900, 1, callbacks=[controls]))
        assert [each.summary.name for each in found] == [agent.name for agent in agents]
        if seats == 2:
            assert found[1].summary.mean == -found[0].summary.mean


# --- never much wider than the plain result ---------------------------------------------------------------------------


def interval_ratio(game: Game, names: list[str], hands: int, seed: int) -> float:
    """Return how many times as wide as the plain interval the adjusted one is, of one match."""
    agents = [find_agent(name, game) for name in names]
    controls = ControlVariates(game, agents, seed)
    result = play_match(game, agents, hands, seed, callbacks=[controls])
    return controls.adjust(result)[0].summary.standard_error / result.agents[0].standard_error


@pytest.mark.parametrize(
    ("game", "names", "hands", "seeds"),
    [
        pytest.param(limit_holdem(), ["chen", "random"], 400, [1058], id="its interval once grew elevenfold"),
        pytest.param(
            limit_holdem(), ["ppo_limit_hu", "chen"], 100, range(6), marks=pytest.mark.slow,
            id="a network whose probabilities near 1e-7 make controls that vary in one deal of a million",
        ),
        pytest.param(
            no_limit_holdem(2), ["equity", "tight_aggressive"], 300, range(6), marks=pytest.mark.slow, id="deep stacks",
        ),
    ],
)  # fmt: skip
def test_intervals_are_never_much_wider_than_plain_ones(
    game: Game, names: list[str], hands: int, seeds: Sequence[int]
) -> None:
    ratios = [interval_ratio(game, names, hands, seed) for seed in seeds]
    assert (np.mean(ratios) if game.config.structure == "no_limit" else max(ratios)) < 1.05


def test_an_event_that_was_not_seen_yet_gets_no_large_weight() -> None:
    """A control that is -1e-7 nearly always, and once nearly 1: its spread in the other folds is next to nothing."""
    rng = np.random.default_rng(0)
    results, likely = rng.normal(size=100), rng.random(100) * 1e-7
    surprises = -likely
    surprises[33] = 1.0
    moments = evidence(surprises[:, None], results)
    variance = estimate_adjusted(moments, ControlUnits(np.array([False]), 1.0)).variance
    assert variance < 1.05**2 * results.var(ddof=1)


def test_controls_that_explain_nothing_cost_next_to_nothing() -> None:
    rng = np.random.default_rng(1)
    ratios = []
    for _ in range(30):
        results, noise = rng.standard_t(3, size=60), rng.normal(size=(60, 100))
        variance = estimate_adjusted(evidence(noise, results), ControlUnits(np.zeros(100, bool), 1.0)).variance
        ratios.append(np.sqrt(variance / results.var(ddof=1)))
    assert np.mean(ratios) < 1.05


def test_ridges_are_solved_as_numpy_does() -> None:
    rng, ridges = np.random.default_rng(0), np.array([0.01, 1.0, 30.0])
    for size in (1, 3, 4, 30, 61):
        rows, vector = rng.normal(size=(40, size)), rng.normal(size=size)
        matrix, solutions = rows.T @ rows, np.empty((3, size))
        solve_ridges(matrix, vector, ridges, np.empty_like(matrix), solutions)
        for ridge, found in zip(ridges, solutions, strict=True):
            assert found == pytest.approx(np.linalg.solve(matrix + ridge * np.eye(size), vector), rel=1e-9)


def test_moments_are_sums_of_products_by_fold() -> None:
    rng, folds = np.random.default_rng(0), np.arange(23) % 5
    controls, results = rng.normal(size=(23, 4)) * (rng.random((23, 4)) < 0.5), rng.normal(size=23)
    rows = np.column_stack([np.ones(23), controls, results])
    for fold, found in enumerate(moments_of(controls, results, folds)):
        assert found == pytest.approx(rows[folds == fold].T @ rows[folds == fold])


def test_a_match_with_fewer_hands_than_controls_needs_no_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 60 hands it took 40 of 43 milliseconds of processor time a hand, for a correction that was next to nothing."""
    monkeypatch.setattr(regression, "solve_ridges", None)
    estimate, plain = adjusted(limit_holdem(), [Equity(), TightAggressive()], 60, 1)
    assert estimate.summary.mean != plain
    assert estimate.summary.standard_error > 0


def test_the_units_fit_the_controls() -> None:
    for seats in (2, 4):
        game = limit_holdem(seats)
        agents: list[Agent] = [RandomAgent() for _ in range(seats)]
        collecting = Collecting(game, agents, 3)
        play_match(game, agents, 40 * seats, 3, callbacks=[collecting])
        assert collecting.batches[0].shape == (40 * seats, len(collecting.units.is_stake))


SMALL_MATCHES = {
    "limit, scripted": (limit_holdem(), ["equity", "tight_aggressive"]),
    "limit, uneven": (limit_holdem(), ["chen", "random"]),
    "limit, networks": (limit_holdem(), ["ppo_limit_hu", "chen"]),
    "no limit, deep": (no_limit_holdem(2), ["equity", "tight_aggressive"]),
    "no limit, random": (no_limit_holdem(2), ["always_call", "random"]),
    "six seats": (limit_holdem(6), ["ppo_limit_six_max", *["tight_aggressive"] * 5]),
    "six seats, no limit": (no_limit_holdem(6), [*["ppo_no_limit_six_max"] * 3, *["tight_aggressive"] * 3]),
}


NOT_TWICE = ("no limit, random", "six seats, no limit")
"""Pairs that play no duplicate deals here, which would take longest."""


def small_matches(pair: str, deals: int, duplicate: bool, matches: int) -> tuple[list[Summary], list[Summary], float]:
    """Return the adjusted and the plain results of small matches, and the adjusted mean of all of them together.

    One long match is cut into small ones, which have each an estimate of its own.
    """
    game, names = SMALL_MATCHES[pair]
    agents = [find_agent(name, game) for name in names]
    plays, collecting = len(agents) if duplicate else 1, Collecting(game, agents, 7)
    result = play_match(game, agents, matches * deals * plays, 7, duplicate, callbacks=[collecting])
    controls = np.concatenate(collecting.batches).reshape(matches * deals, plays, -1)
    payoffs = (result.payoffs[:, 0] / result.chips_per_reward).reshape(-1, plays)
    results = payoffs - np.concatenate(collecting.correction).reshape(payoffs.shape)

    def estimate(part: slice) -> Estimate:
        whole = controls[part], results[part]
        return estimate_adjusted(evidence_of(*whole, np.arange(len(whole[1])), whole), collecting.units)

    plain, adjusted = list[Summary](), list[Summary]()
    for match in range(matches):
        part = slice(match * deals, (match + 1) * deals)
        plain.append(summarise_deals("", payoffs[part].mean(axis=1)))
        adjusted.append(summarise_adjusted("", estimate(part), plain[-1].sd, deals))
    return adjusted, plain, estimate(slice(None)).mean


def share_that_holds(summaries: Sequence[Summary], truth: float) -> float:
    return float(np.mean([summary.ci95[0] <= truth <= summary.ci95[1] for summary in summaries]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "deals", "duplicate"),
    [
        *((pair, deals, False) for pair in SMALL_MATCHES for deals in (50, 100, 300)),
        *((pair, deals, True) for pair in SMALL_MATCHES for deals in (25, 50, 150) if not pair.endswith(NOT_TWICE)),
    ],
)
def test_small_matches_have_intervals_that_hold_and_are_not_wider(pair: str, deals: int, duplicate: bool) -> None:
    """In duplicate deals coefficients come from single hands, the interval from deals."""
    matches = 6000 // deals
    adjusted, plain, truth = small_matches(pair, deals, duplicate, matches)
    ratio = np.mean([a.half_width / p.half_width for a, p in zip(adjusted, plain, strict=True)])
    print(f"{pair}: {share_that_holds(adjusted, truth):.3f} hold, {ratio:.2f} times as wide as plain ones")
    assert ratio < (1.1 if duplicate else 1.05)
    assert share_that_holds(adjusted, truth) > 0.95 - 3 * np.sqrt(0.95 * 0.05 / matches)


@pytest.mark.slow
@pytest.mark.parametrize(("deals", "duplicate"), [(50, False), (100, False), (25, True), (50, True)])
def test_the_intervals_that_once_were_too_narrow(deals: int, duplicate: bool) -> None:
    """`chen` wins from `random` with rare large losses: 82 to 91 of 100 intervals held the truth."""
    adjusted, _, truth = small_matches("limit, uneven", deals, duplicate, 400)
    assert share_that_holds(adjusted, truth) >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / 400)


def test_rare_large_losses_do_not_make_intervals_too_narrow() -> None:
    """Made up like what controls leave of `chen` v `random`: nearly always a little, in one hand of 25 a lot."""
    rng, truth, held = np.random.default_rng(0), 0.9 * 0.8 + 0.04 * 8 - 1.0, 0
    for _ in range(400):
        likely, rare = rng.random(50) < 0.8, rng.random(50) < 0.04
        results = 0.9 * likely + 8.0 * rare - 1.0
        plain = results + rng.normal(size=50) * 3.0
        estimate = estimate_adjusted(evidence(np.zeros((50, 1)), results), ControlUnits(np.zeros(1, bool), 1.0))
        summary = summarise_adjusted("", estimate, plain.std(ddof=1), 50)
        held += summary.ci95[0] <= truth <= summary.ci95[1]
    assert held / 400 > 0.93


@pytest.mark.parametrize(
    ("skew", "deals", "plays"), [(1.0, 17, 6), (1.0, 50, 6), (1.0, 167, 6), (6.0, 300, 1), (6.0, 1000, 1)]
)
def test_intervals_hold_and_are_a_quarter_wider_than_needed_at_most(skew: float, deals: int, plays: int) -> None:
    """Skewed like what controls leave at six seats of no-limit, in duplicate deals and in plain ones."""
    rng, shape = np.random.default_rng(4), (2 / skew) ** 2
    found = list[tuple[float, float, float]]()
    for samples in rng.gamma(shape, size=(1500, deals)) - shape:
        estimate = Estimate(float(samples.mean()), float(samples.var(ddof=1)), skewness(samples))
        plain_sd = 1.5 * samples.std(ddof=1)
        summary = summarise_adjusted("", estimate, plain_sd, deals, UNEXPLAINED_HANDS / plays)
        found.append((summary.mean, *summary.ci95))
    means, low, high = np.array(found).T
    needed = np.subtract(*np.quantile(means, [0.975, 0.025]))
    assert np.mean((low <= 0) & (high >= 0)) > 0.93
    assert (high - low).mean() < 1.25 * needed


@pytest.mark.parametrize("hands", [2, 4, 20])
def test_few_deals_leave_the_plain_result(hands: int) -> None:
    estimate, plain = adjusted(limit_holdem(), [always_call(), always_call()], hands, 0, duplicate=True)
    assert estimate.summary.mean == pytest.approx(plain, abs=1e-9)


# --- agents with memory -----------------------------------------------------------------------------------------------


class Grudging(Agent):
    """Raises at tables where it lost its last hand, else calls: hands of a table depend on each other."""

    name = "grudging"

    def __init__(self) -> None:
        self._lost: dict[int, bool] = {}

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        lost = np.array([self._lost.get(table, False) for table in decisions.table_ids.tolist()])
        return np.where(lost & (decisions.action_mask[:, 2] == 1), 2, 1)

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        self._lost |= dict(zip(table_ids.tolist(), (payoffs[:, 0] < 0).tolist(), strict=True))


def adjusted_sessions(seed: int, sessions: int, duplicate: bool = False) -> tuple[AdjustedResult, MatchResult]:
    """Return the adjusted and the plain result of an agent with memory in sessions of 20 hands."""
    game, agents = limit_holdem(), [Grudging(), TightAggressive()]
    controls = ControlVariates(game, agents, seed, hands_per_table=20)
    result = play_match(game, agents, 20 * sessions, seed, duplicate, hands_per_table=20, callbacks=[controls])
    return controls.adjust(result)[0], result


@pytest.mark.parametrize("duplicate", [False, True])
def test_agents_with_memory_have_intervals_over_tables(duplicate: bool) -> None:
    estimate, result = adjusted_sessions(1, 80, duplicate)
    assert estimate.summary.num_samples == result.agents[0].num_samples == (40 if duplicate else 80)
    assert estimate.summary.standard_error < 0.8 * result.agents[0].standard_error
    assert abs(estimate.summary.mean - result.agents[0].mean) < 3 * result.agents[0].standard_error


@pytest.mark.slow
def test_intervals_over_tables_hold_the_truth() -> None:
    _, long = adjusted_sessions(1000, 4000)
    estimates = [adjusted_sessions(seed, 20)[0].summary for seed in range(150)]
    truth, error = long.agents[0].mean, long.agents[0].standard_error
    means = np.array([estimate.mean for estimate in estimates])
    assert abs(means.mean() - truth) < 4 * np.hypot(error, means.std(ddof=1) / np.sqrt(len(means)))
    held = np.mean([estimate.ci95[0] < truth < estimate.ci95[1] for estimate in estimates])
    assert held > 0.95 - 4 * np.sqrt(0.95 * 0.05 / len(estimates))


def test_tables_are_summed_hand_by_hand() -> None:
    """Where controls explain nothing, the result is the plain one: means of tables and their spread."""
    game, agents = limit_holdem(), [always_call(), always_call()]
    controls = ControlVariates(game, agents, 0, hands_per_table=3)
    result = play_match(game, agents, 12, 0, True, hands_per_table=3, callbacks=[controls])
    assert controls.adjust(result)[0].summary.mean == pytest.approx(result.agents[0].mean, abs=1e-9)
    assert controls.adjust(result)[0].summary.num_samples == 2


def test_a_match_of_other_tables_is_refused() -> None:
    game, agents = limit_holdem(), [RandomAgent(), RandomAgent()]
    controls = ControlVariates(game, agents, 0)
    result = play_match(game, agents, 20, 0, hands_per_table=10, callbacks=[controls])
    with pytest.raises(ValueError, match="expect 1 hands per table, but the match had 10: pass hands_per_table=10"):
        controls.adjust(result)


class Unsteady(TightAggressive):
    """Says that it acts by its random numbers alone, and acts by the number of the call."""

    name = "unsteady"
    calls = 0

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        self.calls += 1
        return np.where(decisions.action_mask[:, 2] & (self.calls % 2) == 1, 2, 1)


def test_an_agent_that_does_not_act_by_its_random_numbers_is_an_error() -> None:
    game, agents = limit_holdem(), [Unsteady(), RandomAgent()]
    with pytest.raises(ValueError, match=r"'unsteady' took another action than it returns for the same decision"):
        play_match(game, agents, 20, 0, callbacks=[ControlVariates(game, agents, 0)])


def test_a_match_with_another_seed_is_an_error() -> None:
    game, agents = limit_holdem(), [Equity(), find_agent("chen_loose", limit_holdem())]
    with pytest.raises(ValueError, match="1 is not the seed of the match"):
        play_match(game, agents, 200, 0, callbacks=[ControlVariates(game, agents, 1)])


@pytest.mark.parametrize("game", [limit_holdem(), limit_holdem(6), no_limit_holdem(3)], ids=["2", "6", "3, no limit"])
def test_agents_that_say_so_act_by_their_random_numbers_alone(game: Game) -> None:
    """Whatever else is asked beside a decision, in whatever order; and without a generator."""
    names = [name for name in known_agents() if find_entry_plays(name, game)]
    tables = game.seeded_tables(300, 4)
    game.deal_batch(tables, np.arange(300))
    random_numbers = np.random.default_rng(0).random(300)
    assert len(names) > 5
    for name in names:
        agent = find_agent(name, game)
        for rows in (np.arange(300), np.arange(299, 0, -3)):
            asked = decisions_at(game, tables, rows, rows, random_numbers[rows], encoder=agent.find_encoder(game))
            found = agent.act(asked, None)  # type: ignore[arg-type]  # so that it cannot draw from it
            if len(rows) == 300:
                whole = found
        assert np.array_equal(found, whole[rows]), name


def find_entry_plays(name: str, game: Game) -> bool:
    try:
        return find_agent(name, game).is_stateless
    except (ValueError, ImportError):
        return False


def test_counterfactual_hands_are_of_cards_that_nobody_else_may_hold() -> None:
    game = limit_holdem(3)
    tables = game.seeded_tables(50, 0)
    game.deal_batch(tables, np.arange(50))
    hands, scratch = np.zeros(50, COUNTERFACTUAL), np.zeros(1, SCRATCH)[0]
    wanted = np.tile([30, 1, 12], (50, 1))
    deal_counterfactual(tables, np.arange(50), np.uint64(0), wanted, hands, scratch)
    for table, each in zip(tables, hands, strict=True):
        assert np.diff(each["first"][:4]).tolist() == [30, 1, 12]
        board = {int(card) for card in table["deck"][6:11]}
        pools = [each["hole"][each["first"][seat] : each["first"][seat + 1]] for seat in range(3)]
        cards = [{int(card) for card in pool.ravel()} for pool in pools]
        assert len(board) + sum(map(len, cards)) == len(board.union(*cards)), "pools share no card"
        for seat, pool in enumerate(pools):
            assert sorted(pool[0]) == sorted(table["deck"][2 * seat : 2 * seat + 2]), "the first one is true"
            assert len({frozenset(hand) for hand in pool.tolist()}) == len(pool)


@pytest.mark.parametrize("antes", [(0, 0), (4, 0)], ids=["no antes", "one dead ante"])
def test_the_luck_of_a_showdown_is_what_the_true_hand_won_more_than_the_others(antes: tuple[int, int]) -> None:
    """Both only called, whatever they hold: all pairs of imagined hands are equally likely; the whole pot counts."""
    game, rows = holdem_game("limit", replace(HoldemConfig.limit(), antes=antes)), np.arange(20)
    tables = game.seeded_tables(20, 3)
    game.deal_batch(tables, rows)
    hands, scratch, correction = np.zeros(20, COUNTERFACTUAL), np.zeros(1, SCRATCH)[0], np.empty((20, 2))
    deal_counterfactual(tables, rows, np.uint64(0), np.full((20, 2), 12), hands, scratch)
    while tables["is_over"][0] == 0:
        game.step_batch(
            tables, rows, np.ones(20, np.int64), np.empty((20, 2), np.float32), np.empty(20, np.uint8), False
        )
    write_showdown_correction(tables, np.full(20, 3), hands, scratch, correction)
    for table, each, (first, second) in zip(tables, hands, correction, strict=True):
        board = table["deck"][4:9]
        ranks = hand_ranks(np.array([[*hand, *board] for hand in each["hole"][:24]]))
        shares = (1 + np.sign(ranks[None, 12:].astype(int) - ranks[:12, None].astype(int))) / 2
        won = shares.mean() * table["pot"] - table["hand_commit"][0]
        assert first == pytest.approx(table["payoff"][0] - won)
        assert second == pytest.approx(-first)


def test_in_big2_better_hands_are_taken_off() -> None:
    game = big2()
    agents: list[SupportsAct] = [find_agent("big2_greedy", game), *[find_agent("big2_lowest", game)] * 3]
    collecting, controls = Collecting(game, agents, 2), ControlVariates(game, agents, 2)
    result = play_match(game, agents, 3000, 2, callbacks=[collecting, controls])
    terms = np.concatenate(collecting.batches)
    z = terms.mean(axis=0) / np.maximum(terms.std(axis=0), 1e-9) * np.sqrt(len(terms))
    assert terms.shape[1] == len(collecting.units.is_stake) and np.abs(z).max() < 4.5
    found = controls.adjust(result)
    assert all(each.hands_factor > 1.2 for each in found)
    differences = [each.summary.mean - plain.mean for each, plain in zip(found, result.agents, strict=True)]
    assert max(map(abs, differences)) < 3 * result.agents[0].standard_error


def test_the_strengths_of_a_big2_hand() -> None:
    hand = ["3D", "3C", "3H", "4S", "5S", "6S", "7S", "8S", "9S", "9D", "2D", "2C", "2H"]
    orders = [order_of(card_id(name[0] + name[1].lower())) for name in hand]
    found = hand_strengths(np.array([[sum(1 << order for order in orders)]]))[0, 0]
    assert found[:13].tolist() == [3, 1, 1, 1, 1, 1, 2, 0, 0, 0, 0, 0, 3], "cards of the ranks 3 .. A, 2"
    assert found[13:18].tolist() == [1, 1, 1, 0, 1], "2D 2C 2H, 3D"
    assert found[18:].tolist() == [5, 3, 2, 0, 3, 1, 1, 1], "34567, 45678, 56789; 33399; six spades"


def test_what_they_cannot_do_is_an_error() -> None:
    large = leduc_holdem(num_players=5)
    with pytest.raises(ValueError, match="has no control variates: no feature control_terms, and no list of few deals"):
        ControlVariates(large, [RandomAgent()] * 5, 0)
    game, agents = limit_holdem(), [RandomAgent(), RandomAgent()]
    controls = ControlVariates(game, agents, 0)
    play_match(game, agents, 20, 0, callbacks=[controls])
    with pytest.raises(ValueError, match="did not observe all deals of this result"):
        controls.adjust(play_match(game, agents, 40, 0))
