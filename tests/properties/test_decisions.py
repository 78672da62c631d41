"""What agents are given contains nothing that their seats cannot see, whoever is to act, at the end of deals too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_envs.agent import Decisions, RandomAgent, decisions_at
from card_envs.envs import make_game
from card_envs.game import Game
from card_envs.games.big2.config import Big2Config
from card_envs.match import play_match
from tests.fuzz.leaks import hide_big2, hide_holdem

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("no_limit_holdem-v0", {"num_players": 3, "stacks": [20, 60, 200]}),
    ("limit_holdem-v0", {"encoder": "shi2022"}),
    ("big2-v0", {"encoder": "clean"}),
    ("big2-v0", {}),
]
every_game = pytest.mark.parametrize(("env_id", "settings"), GAMES)


class Spy(RandomAgent):
    """Compares what its seats are given with what they are given where the cards that they cannot see are others."""

    def __init__(self) -> None:
        self.waiting = self.acting = self.ended = 0

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        actions = super().act(decisions, rng)
        self.compare(decisions)
        return actions

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        acts = self.compare(decisions)
        self.acting, self.waiting = self.acting + acts.sum(), self.waiting + (~acts).sum()
        assert decisions.action_mask[acts, actions[acts]].all()

    def sees_end(self, ends: Decisions) -> None:
        assert not self.compare(ends).any()
        self.ended += len(ends)

    def compare(self, decisions: Decisions) -> NDArray[np.bool_]:
        """Return which seats act, after comparing observations, masks and views."""
        game, tables = decisions.game, decisions._tables[decisions._rows]
        others, rows = tables.copy(), np.arange(len(tables))
        hide = hide_big2 if isinstance(game.config, Big2Config) else hide_holdem
        hide(others, decisions.seats)
        given = decisions_at(game, others, rows, rows, seats=decisions.seats)
        assert np.array_equal(decisions.observation, given.observation)
        assert np.array_equal(decisions.action_mask, given.action_mask)
        assert decisions.views.tobytes() == given.views.tobytes()
        for j in rows[:5].tolist():
            observation, mask = game.observe(tables, j, int(decisions.seats[j]))
            assert np.array_equal(decisions.observation[j], observation)
            assert np.array_equal(decisions.action_mask[j], mask)
        acts: NDArray[np.bool_] = tables["actor"] == decisions.seats
        assert np.array_equal(decisions.action_mask.any(axis=1), acts)
        assert np.array_equal(decisions.num_legal > 0, acts)
        return acts


@every_game
def test_agents_are_given_nothing_that_their_seats_cannot_see(env_id: str, settings: dict[str, Any]) -> None:
    game, spy = make_game(env_id, **settings), Spy()
    play_match(game, [spy, *(RandomAgent() for _ in range(game.num_seats - 1))], 40, seed=5)
    assert spy.waiting > 40 and spy.acting > 40 and spy.ended == 40


def decisions_of(game: Game, count: int) -> tuple[Any, Decisions]:
    tables, rows = game.seeded_tables(count, seed=2), np.arange(count)
    game.deal_batch(tables, rows)
    return tables, decisions_at(game, tables, rows, rows)


@every_game
def test_decisions_that_an_agent_keeps_do_not_show_it_the_cards_of_later_actors(
    env_id: str, settings: dict[str, Any]
) -> None:
    game = make_game(env_id, **settings)
    tables, kept = decisions_of(game, 30)
    _, in_time = decisions_of(game, 30)
    mask = in_time.action_mask
    for row in range(30):
        game.step(tables, row, int(np.flatnonzero(mask[row])[0]))
    assert (tables["actor"] != kept.seats).all()
    for row, seat in enumerate(kept.seats.tolist()):
        assert np.array_equal(kept.observation[row], game.observe(tables, row, seat)[0])
    assert not kept.action_mask.any()


@every_game
def test_the_order_in_which_masks_and_observations_are_read_does_not_matter(
    env_id: str, settings: dict[str, Any]
) -> None:
    game = make_game(env_id, **settings)
    (_, one), (_, other) = decisions_of(game, 30), decisions_of(game, 30)
    mask, observation = one.action_mask, one.observation
    assert np.array_equal(other.observation, observation) and np.array_equal(other.action_mask, mask)
    assert one.action_mask is mask
