"""What strategies play where training hardly came, and that they say so."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import treys

from card_baselines.advice import advise_on
from card_baselines.solvers.agent import CfrNoLimit
from card_baselines.solvers.pot_odds import call_by_odds
from card_baselines.solvers.strategy import STRATEGY, TableStrategy, compress, list_states
from card_envs import make_game
from card_envs.agent import decisions_at
from card_envs.cards import to_treys
from card_envs.compiler import COMPILED
from card_envs.game import Game, Tables
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION, amount_to_call
from card_envs.games.holdem.config import HoldemConfig
from card_envs.typing import Integers
from tests.helpers.hand_buckets import some_buckets

pytestmark = pytest.mark.skipif(not COMPILED, reason="plays many hands, which takes minutes as plain Python")

POT = 3
"""Action id of a raise by the pot in the default menu."""


def decisions_of(game: Game, num_tables: int, seed: int) -> Tables:
    """Return tables at all decisions of hands in which most actions are calls, and none a fold."""
    tables, rng, found = game.seeded_tables(num_tables, seed), np.random.default_rng(seed), []
    game.deal_batch(tables, np.arange(num_tables))
    while (going := np.flatnonzero(tables["is_over"] == 0)).size:
        found.append(tables[going].copy())
        for i in going.tolist():
            legal = np.flatnonzero(int(tables["legal"][i]) >> np.arange(game.num_actions) & 1)
            call = rng.random() < 0.7
            game.step(tables, i, CALL_ACTION if call else int(rng.choice(legal[legal > FOLD_ACTION])))
    return np.concatenate(found)


def share_on_river(t: np.void) -> float:
    """Return the share of the pot against a random hand, by treys."""
    evaluator, deck = treys.Evaluator(), [int(card) for card in t["deck"][:52]]
    seat = int(t["actor"])
    own, board = deck[2 * seat : 2 * seat + 2], deck[4:9]
    left = [to_treys(card) for card in range(52) if card not in (*own, *board)]
    cards = [to_treys(card) for card in board]
    mine = evaluator.evaluate(cards, [to_treys(card) for card in own])
    theirs = np.array([evaluator.evaluate(cards, list(hand)) for hand in combinations(left, 2)])
    return float(np.mean(mine < theirs) + np.mean(mine == theirs) / 2)


def test_it_calls_what_the_equity_is_worth() -> None:
    tables = decisions_of(make_game("no_limit_holdem-v0"), 400, 3)
    price = np.array([min(int(amount_to_call(t)), int(t["stack"][t["actor"]])) for t in tables])
    moves = call_by_odds(tables, 5).argmax(axis=1)
    assert (moves[price == 0] == CALL_ACTION).all() and not (moves >= FIRST_RAISE_ACTION).any()
    chosen = np.flatnonzero((tables["street"] == 3) & (price > 0))[:40]
    margins = np.array([share_on_river(tables[j]) - price[j] / (int(tables["pot"][j]) + price[j]) for j in chosen])
    clear = np.abs(margins) > 0.17  # three standard errors of 100 deals
    assert clear.sum() > 20 and 5 < (margins[clear] > 0).sum() < clear.sum() - 5
    assert np.array_equal(moves[chosen][clear], np.where(margins[clear] > 0, CALL_ACTION, FOLD_ACTION))


@pytest.fixture(scope="module")
def half_trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a strategy that raises the pot wherever it was trained: before the flop."""
    config, buckets = HoldemConfig.no_limit(), some_buckets(2)
    states = list_states(config, buckets.hands_by_street)
    assert states.tree is not None

    def raise_pot(state: int, legal: Integers) -> Integers:
        part = np.zeros((len(legal), states.num_buckets[state]), np.int64)
        part[np.flatnonzero(legal <= POT)[-1]] = 15
        return part

    is_early = states.tree.street[states.tree.first] == 0
    strategy = TableStrategy.from_parts(config, buckets, raise_pot, trained=is_early)
    folder = tmp_path_factory.mktemp("run")
    strategy.save(folder / STRATEGY)
    return folder


@pytest.mark.parametrize("menu", ["fchpa", "fcpa", "pot:0.4,0.9,all_in"])
def test_pot_odds_play_where_a_strategy_was_not_trained(half_trained: Path, menu: str) -> None:
    game = make_game("no_limit_holdem-v0", bet_menu=menu)
    agent = CfrNoLimit(game, half_trained)
    tables = decisions_of(game, 40, 0)
    rows = np.arange(len(tables))
    decisions = decisions_at(game, tables, rows, rows)
    found, late = agent.probabilities(decisions), tables["street"] > 0
    assert np.array_equal(found[late], call_by_odds(tables[late], game.num_actions))
    raises = found[~late][:, FIRST_RAISE_ACTION:].sum(axis=1)
    assert np.allclose(found.sum(axis=1), 1) and (raises > 0.5).mean() > 0.5
    said = np.array([text.startswith("training hardly came") for text in agent.explain(decisions)])
    assert said[late].all() and not said[~late].any()


def test_advice_says_so(half_trained: Path) -> None:
    game = make_game("no_limit_holdem-v0")
    agent = CfrNoLimit(game, half_trained)
    tables = decisions_of(game, 10, 0)
    early, late = (tables[tables["street"] == street][:1] for street in (0, 1))
    assert advise_on(game, early, agent).note is None
    assert "training hardly came" in str(advise_on(game, late, agent).note)


def test_a_file_must_tell_of_all_states(half_trained: Path, tmp_path: Path) -> None:
    with np.load(half_trained / STRATEGY) as data:
        arrays = dict(data)
    made = TableStrategy.load(half_trained / STRATEGY)
    assert 0 < made.trained.sum() < len(made.trained)
    arrays["trained"] = compress(np.ones(10, np.uint8))
    np.savez(tmp_path / STRATEGY, **arrays)
    with pytest.raises(ValueError, match=r"strategy\.npz"):
        TableStrategy.load(tmp_path / STRATEGY)
