"""Stacks that differ: chips that nobody can match are neither won nor lost, whoever counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_baselines.agents.scripted.equity import Equity
from card_envs.agent import Agent, Decisions
from card_envs.analysis.exploitability.local_best_response import play_local_best_response
from card_envs.analysis.variance.control_variates import ControlVariates
from card_envs.analysis.variance.holdem.control_terms import contested_pots
from card_envs.game import Game
from card_envs.games.holdem.presets import no_limit_holdem
from card_envs.match import MatchBatch, play_match
from tests.helpers.scripted_agents import Silent

EQUAL, DEEP_BUTTON, DEEP_BLIND = (no_limit_holdem(2, stacks=stacks) for stacks in (20, (20, 200), (200, 20)))
FOLD, CALL = 0, 1


class AllIn(Agent):
    """Puts in all its chips where it may raise, and calls where it may not."""

    mixes = False

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        mask = decisions.action_mask
        return np.where(mask[:, 2:].any(axis=1), mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1), CALL)


class AllInOrFold(AllIn):
    """Puts in all its chips, calls or folds, with probabilities by its hole cards."""

    mixes = True

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        rows, mask = np.arange(len(decisions)), decisions.action_mask
        first = decisions.views["deck"][rows, 2 * decisions.seats].astype(np.float64) / 52
        found, wanted = np.zeros(mask.shape), super().act(decisions, np.random.default_rng(0))
        found[rows, np.where(mask[:, FOLD] == 1, FOLD, CALL)] += 0.6 * (1 - first)
        found[:, CALL] += 0.2
        found[rows, wanted] += 0.8 - 0.6 * (1 - first)
        return found

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        chances = self.probabilities(decisions).cumsum(axis=1)
        return (chances < decisions.random_numbers[:, None] * (1 - 1e-12)).sum(axis=1)


class Corrections(ControlVariates):
    """Control variates that keep the AIVAT corrections and the terms of the regression."""

    def __init__(self, game: Game, agents: list[Any]) -> None:
        super().__init__(game, agents, 0)
        self.found = list[NDArray[np.float64]]()

    def on_end(self, batch: MatchBatch) -> None:
        for each in self._controls.compute_controls(batch, [0]):
            self.found.append(np.column_stack([each.correction, each.terms]))


@pytest.mark.parametrize("game", [DEEP_BUTTON, DEEP_BLIND], ids=["20, 200", "200, 20"])
def test_the_local_best_response_counts_chips_that_can_be_lost(game: Game) -> None:
    expected = play_local_best_response(EQUAL, AllIn(), 100, 0).payoffs
    found = play_local_best_response(game, AllIn(), 100, 0).payoffs
    assert found.tolist() == expected.tolist()
    lost = (expected[:, 0] < 0) & (expected[:, 0] > -20)
    assert lost.any() and not lost.all(), "it folds some hands, not all"


@pytest.mark.parametrize("game", [DEEP_BUTTON, DEEP_BLIND], ids=["20, 200", "200, 20"])
@pytest.mark.parametrize("is_silent", [False, True], ids=["asked", "silent"])
def test_control_variates_count_chips_that_can_be_lost(game: Game, is_silent: bool) -> None:
    found = []
    for each in (EQUAL, game):
        agents: list[Agent] = [AllInOrFold(), AllInOrFold()]
        agents = list(map(Silent, agents)) if is_silent else agents
        corrections = Corrections(each, agents)
        result = play_match(each, agents, 200, 0, callbacks=[corrections])
        found.append(np.column_stack([result.payoffs, *corrections.found]))
    assert np.abs(found[0]).max() > 10
    assert found[1] == pytest.approx(found[0], abs=1e-9)


@pytest.mark.parametrize("game", [DEEP_BUTTON, DEEP_BLIND], ids=["20, 200", "200, 20"])
def test_the_equity_player_pays_for_chips_that_it_can_win(game: Game) -> None:
    expected = play_match(EQUAL, [Equity(), AllIn()], 100, 0, duplicate=True).payoffs
    found = play_match(game, [Equity(), AllIn()], 100, 0, duplicate=True).payoffs
    assert found.tolist() == expected.tolist()
    assert (expected[:, 0] == -2).any() and (expected[:, 0] == -20).any()


@pytest.mark.parametrize("dead_antes", [0, 1])
def test_what_each_seat_can_win_of_a_pot(dead_antes: int) -> None:
    """The first two are all-in for 10 and 40; the third bet 90 of 100, of which 50 can come back; the last folded."""
    tables = no_limit_holdem(4).new_tables(1)
    tables["is_over"], tables["in_hand"] = 0, 0b0111
    tables["dead_antes"], tables["ante"][0, :4] = dead_antes, 1
    tables["hand_commit"][0, :4], tables["stack"][0, :4] = (10, 40, 90, 5), (0, 0, 10, 65)
    assert contested_pots(tables, 4)[0, :3].tolist() == [35, 95, 95]
    tables["hand_commit"][0, 0] = 1  # the ante alone
    assert contested_pots(tables, 4)[0, :3].tolist() == [4, 86, 86]
