"""Hold'em with random decks, seats and menus: whatever depends on the deck stays inside its arrays and its cards.

CI runs the slow tests with `NUMBA_BOUNDSCHECK=1`, under which an index outside an array raises an error.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from card_baselines.exploitability.methods import ExploitSettings, Target, measure_exploitability
from card_envs.agent import Decisions, StochasticAgent
from card_envs.chance import EQUITY
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders import ENCODERS
from card_envs.games.holdem.endgame import Endgame
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.state import TEXAS_BOARD
from card_envs.table_checks import check_tables
from tests.helpers.wide_games import widen


class Observes(StochasticAgent):
    """Plays uniformly at random, and reads its observations, as agents with networks do."""

    name = "observes"

    def compute_probabilities(self, decisions: Decisions) -> Any:
        assert np.isfinite(decisions.observation).all()
        return decisions.action_mask / decisions.num_legal[:, None]


def draw_config(rng: random.Random) -> HoldemConfig:
    """Return a game with random cards, seats and betting."""
    hole_cards, board = rng.choice([(1, (0,)), (1, (0, 1)), (2, (0, 3)), (2, TEXAS_BOARD), (2, (0, 3, 1)), (1, (0, 4))])
    num_players = rng.choice((2, 2, 3, 6, 10))
    needed = num_players * hole_cards + sum(board)
    decks = [(ranks, suits) for ranks in range(1, 14) for suits in range(1, 5) if needed <= ranks * suits]
    num_ranks, num_suits = rng.choice(decks)
    streets = len(board)
    return HoldemConfig(
        structure=rng.choice(("limit", "pot_limit", "no_limit")),
        num_players=num_players,
        stacks=tuple(rng.choice((1, 3, 20, 60)) for _ in range(num_players)),
        antes=rng.choice((0, 1)),
        raise_sizes=(2,) * streets,
        max_raises=rng.choice((None, (1,) * streets, (4,) * streets, (7,) * streets)),
        bet_menu=rng.choice(("fchpa", "integers", "chips:4,9,all_in", "pot:0.5,2")),
        rules=rng.choice(("standard", "acpc")),
        num_hole_cards=hole_cards,
        board_cards=board,
        lowest_rank=rng.randrange(14 - num_ranks),
        num_ranks=num_ranks,
        num_suits=num_suits,
    )


def play(game: Game, deals: int) -> None:
    """Play random deals, in which every seat is observed and every table is checked, at every step."""
    tables, rows = game.seeded_tables(4, 7), np.arange(4)
    deck = set(game.config.deck_cards)
    for _ in range(deals):
        game.deal_batch(tables, rows)
        while len(running := np.flatnonzero(tables["is_over"] == 0)):
            check_tables(game, tables)
            assert set(tables["deck"][:, : game.config.num_dealt].ravel().tolist()) <= deck
            for i in running.tolist():
                for seat in range(game.num_seats):
                    game.observe(tables, i, seat)
                game.state(tables, i)
                game.text(tables, i, None)
            actions, is_over = np.zeros(len(running), np.int64), np.zeros(len(running), np.uint8)
            rewards = np.zeros((len(running), game.num_seats), np.float32)
            game.random_batch(tables, running, tables, actions)
            assert game.step_batch(tables, running, actions, rewards, is_over, False) == -1


def play_random_game(seed: int) -> None:
    """Play a random game with every encoder that takes it."""
    config = draw_config(random.Random(seed))
    taken = 0
    for name in ENCODERS:
        try:
            game = widen(holdem_game("random", config, name))
        except ValueError:  # an encoder for other games
            continue
        play(game, 2)
        equity = EQUITY.find(game)
        if equity is not None:
            tables = game.seeded_tables(1, 1)
            game.deal(tables, 0)
            assert 0 <= equity(tables, 0) <= 1
        taken += 1
    assert taken > 0


def measure_random_flop_game(seed: int) -> None:
    """Measure exact exploitability of flop hold'em with a small deck, and of an endgame with it."""
    rng = random.Random(seed)
    num_ranks, num_suits = rng.choice([(7, 1), (9, 1), (4, 2), (5, 2), (3, 3), (4, 3), (2, 4), (3, 4)])
    deck = {"num_ranks": num_ranks, "num_suits": num_suits, "lowest_rank": rng.randrange(14 - num_ranks)}
    config = replace(HoldemConfig.flop(small_blind=1, big_blind=2, max_raises=(1, rng.choice((1, 2)))), **deck)
    game = widen(holdem_game("small_deck", config))
    found = measure(game, flops=rng.choice((None, None, 10)))
    assert found["exploitability"] > 0 and found.get("suits_alike", True)
    board = rng.sample(config.deck_cards, 3)
    endgame = widen(Endgame(replace(config, bet_menu="fcpa"), board, pot=4, stacks=(6, 9)).game())
    assert measure(endgame)["exploitability"] >= 0
    play(endgame, 2)


def measure(game: Game, flops: int | None = None) -> dict[str, Any]:
    target = Target(env="small_deck", settings={}, agent="observes", game=game, player=Observes())
    return measure_exploitability(target, "exact", ExploitSettings(flops=flops))


def seeds(few: int, many: int) -> list[Any]:
    """Numbers of which the first few are always tried, and many in slow tests."""
    return [*range(few), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(few, many))]


@pytest.mark.parametrize("seed", seeds(6, 500))
def test_random_games(seed: int) -> None:
    play_random_game(seed)


@pytest.mark.parametrize("seed", seeds(3, 50))
def test_small_decks_are_measured_exactly(seed: int) -> None:
    measure_random_flop_game(seed)


@pytest.mark.parametrize(("changes", "message"), [
    ({"num_hole_cards": 1, "board_cards": (0, 6)}, r"board_cards \(0, 6\) sum to 6, of at most 5"),
    ({"board_cards": (8, -3)}, "must be whole numbers from 0 on"),
    ({"num_ranks": 6.5}, "num_ranks 6.5"),
    ({"lowest_rank": True}, "lowest_rank True"),
    ({"min_bet": 2**40}, "min_bet 1099511627776"),
    ({"chips_per_reward": 0.5}, "chips_per_reward 0.5"),
])  # fmt: skip
def test_settings_that_kernels_cannot_hold_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        HoldemConfig(max_raises=None, **changes)
