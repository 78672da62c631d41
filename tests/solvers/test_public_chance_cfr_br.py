"""CFR-BR: what the responder chooses, and that players who learn against it lose less to whoever sees the cards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_baselines.solvers.buckets.hand_buckets import RIVER, BoardBuckets
from card_baselines.solvers.game_trees import grow_game
from card_baselines.solvers.hands import RANKED, rank_hands
from card_baselines.solvers.limit import public_chance_cfr
from card_baselines.solvers.limit.public_chance_cfr import PublicChanceCfr, PublicChanceCfrBr
from card_baselines.solvers.limit.street_passes import BEST, CHOOSE, FOLLOW, Workspace, make_streets, pass_backward
from card_baselines.solvers.tree import LIMIT_ACTIONS
from card_envs.cards import card_ids
from card_envs.compiler import COMPILED
from card_envs.games.holdem.config import HoldemConfig
from card_envs.poker.hands import NUM_HANDS
from tests.helpers.hand_buckets import some_buckets, some_turn

pytestmark = pytest.mark.skipif(not COMPILED, reason="visits all hands and bets, which takes minutes as plain Python")

BOARD = np.array(card_ids("2c 7h Jd Qc 7s"), np.int64)


def test_the_responder_chooses_what_wins_most() -> None:
    street = make_streets(grow_game(HoldemConfig.limit()))[RIVER]
    ranked = np.zeros(1, RANKED)
    rank_hands(BOARD, ranked[0])
    work = Workspace.allocate(street, is_last=True)
    work.reach[:] = np.random.default_rng(0).random(work.reach.shape)
    choices = np.zeros((street.num_decisions, NUM_HANDS, LIMIT_ACTIONS, street.num_sequences), np.float32)

    def values(mode: int) -> NDArray[np.float32]:
        args = ranked[0], np.arange(NUM_HANDS), choices, street.stakes, work
        pass_backward(street.steps[0], 0, 0, *args, mode, np.float32(0))
        return work.values[0].copy()

    best = values(BEST)
    assert not choices.any()
    assert np.array_equal(values(CHOOSE), best)
    assert set(np.unique(choices)) == {0.0, 1.0}
    assert np.array_equal(values(FOLLOW), best)
    choices[:] = choices[:, ::-1]  # what is best with other hands
    assert values(FOLLOW).sum() < best.sum()


class Answer(PublicChanceCfr):
    """Best responses with every hand to the average strategy of a run, on one board that both players know."""

    def value(self, run: PublicChanceCfr) -> float:
        """Return what they win, in chips a hand, the mean of both seats."""
        self._hands.set_board(BOARD)
        num, rng = self._hands.num_hands, np.random.default_rng(0)
        self._hands.rows[:] = run._hands.rows
        won = 0.0
        for learner in (0, 1):

            def play_river(number: int, learner: int = learner) -> None:
                self._pass_forward(RIVER, learner, run.averages, self._work, number)
                self._pass_backward(RIVER, learner, run.averages, self._work, number)

            self._walk(learner, run.averages, run.averages, self._work, play_river, rng)
            won += float(self._work[0].values[0, :num, 0].sum()) / num
        return won / 2

    def _pass_backward(self, street: int, learner: int, tables: Any, work: Any, number: int = 0) -> None:
        s, hands = self.streets[street], self._hands
        first = number * s.num_decisions
        args = hands.ranked[0], hands.rows[street], tables[street], s.stakes, work[street]
        pass_backward(s.steps[learner], first, learner, *args, BEST, np.float32(0))


def test_who_learned_against_it_loses_less_to_best_responses(monkeypatch: pytest.MonkeyPatch) -> None:
    """On one board, with buckets that mean nothing: players who see buckets alone know nothing of their hands."""
    look_at = BoardBuckets.set_board
    monkeypatch.setattr(BoardBuckets, "set_board", lambda hands, board: look_at(hands, BOARD))
    monkeypatch.setattr(public_chance_cfr, "_RARE", 1e-30)  # visit every river
    buckets, turn = some_buckets(2), some_turn(2)
    lost = []
    for solver in (PublicChanceCfr, PublicChanceCfrBr):
        run = solver(HoldemConfig.limit(), buckets, turn, seed=0)
        run.run(20)
        lost.append(Answer(HoldemConfig.limit(), buckets, turn, seed=0).value(run))
    assert 0 < lost[1] < 0.8 * lost[0]


@pytest.mark.parametrize("solver", [PublicChanceCfr, PublicChanceCfrBr])
def test_threads_do_all_iterations(solver: type[PublicChanceCfr]) -> None:
    """Strategies differ, since each thread sees what the others have learned so far; their weights do not."""
    buckets, turn = some_buckets(), some_turn()
    alone, three = (solver(HoldemConfig.limit(), buckets, turn, 3, num_threads) for num_threads in (1, 3))
    for run in (alone, three):
        run.run(1)
        run.run(7)
    assert alone.iterations == three.iterations == 8
    weights = [run.averages[0][0, :, :, 0].sum(axis=1) for run in (alone, three)]
    assert np.allclose(*weights, rtol=1e-3) and weights[0].min() > 0
    rest = solver(HoldemConfig.limit(), buckets, turn, 3)
    rest.restore({name: table.copy() for name, table in three.state().items()}, three.iterations)
    rest.run(1)
    assert rest.iterations == 9


def test_a_thread_that_fails_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    buckets, turn = some_buckets(), some_turn()
    run = PublicChanceCfr(HoldemConfig.limit(), buckets, turn, 3, num_threads=2)
    monkeypatch.setattr(run, "learn", lambda number: 1 / (number - 2))
    with pytest.raises(ZeroDivisionError):
        run.run(4)
    assert run.iterations == 0
