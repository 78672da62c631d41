"""Re-solving turn and river: ranges by Bayes' rule, equilibria of endgames, and the promise of the gadget."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from card_baselines.exploitability.methods import ExploitSettings, measure_exploitability
from card_baselines.solvers.resolving import resolver as resolver_module
from card_baselines.solvers.resolving.agent import Resolve, ResolveTurn
from card_baselines.solvers.resolving.resolver import Blueprint, Resolver, SubgameCfr
from card_envs import make_game
from card_envs.agent import Agent, RandomAgent, action_probabilities, decisions_at, find_agent
from card_envs.cards import card_ids
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.endgame import Endgame
from card_envs.games.holdem.presets import river_endgame
from card_envs.games.holdem.state import Street
from card_envs.match import play_match
from card_envs.poker.hands import hand_number, possible_hands
from tests.helpers.endgames import target_of

BOARD = "Ks 9d 4c 2h 7s"


def play_to_river(game: Game, actions: list[int], button: int = 1) -> Any:
    """Return a table (1,) after some actions, with AsAd in seat 0 and QhQd in seat 1."""
    tables = game.new_tables(1)
    game.deal_with(tables, 0, {"button": button, "deck": [*card_ids("AsAdQhQd"), *card_ids(BOARD)]})
    for action in actions:
        game.step(tables, 0, action)
    return tables


def ask(agent: Agent, game: Game, tables: Any) -> Any:
    rows = np.arange(len(tables))
    return action_probabilities(agent, decisions_at(game, tables, rows, rows, np.full(len(rows), 0.5)))


@pytest.fixture(scope="module")
def limit() -> Game:
    return make_game("limit_holdem-v0")


CALLED_DOWN = [1, 1, 2, 1, 1, 2, 2, 1]


def test_ranges_are_the_products_of_the_blueprints_probabilities(limit: Game) -> None:
    blueprint = find_agent("cfr_small", limit)
    found = Blueprint(limit, blueprint).find_ranges(
        play_to_river(limit, CALLED_DOWN), np.array(card_ids(BOARD), np.int64)
    )
    assert found.sum(axis=1) == pytest.approx([1, 1])
    assert not found[:, ~possible_hands(card_ids(BOARD))].any()
    for player, names in ((0, ("AsAd", "QhQd", "Tc8c")), (1, ("KhKd", "JsTs", "5d3d"))):
        expected = []
        for name in names:
            share, tables = 1.0, play_to_river(limit, [])
            tables["deck"][0, 2 * player : 2 * player + 2] = card_ids(name)
            tables["deck"][0, 2 * (1 - player) : 2 * (1 - player) + 2] = card_ids("6c6d")
            for action in CALLED_DOWN:
                if tables["actor"][0] == player:
                    legal = int(tables["legal"][0]).bit_count()
                    share *= 0.999 * ask(blueprint, limit, tables)[0, action] + 0.001 / legal
                limit.step(tables, 0, action)
            expected.append(share)
        ratio = found[player, [hand_number(*card_ids(name)) for name in names]] / expected
        assert ratio == pytest.approx(ratio[0], rel=1e-6)


def test_endgames_are_solved() -> None:
    game = river_endgame(stacks=(30, 30))
    lost = []
    for agent in (RandomAgent(), Resolve(game, RandomAgent(), iterations=300, range_share=1.0)):
        found = measure_exploitability(target_of(game, agent), "exact", ExploitSettings())
        lost.append(found["exploitability"])
    assert lost[0] > 1 and lost[1] < 0.005, lost


def test_no_hand_of_the_opponent_wins_more_than_from_the_blueprint(limit: Game) -> None:
    blueprint = find_agent("cfr_small", limit)
    board = np.array(card_ids(BOARD), np.int64)
    more, gained = {}, {}
    trunk, tables = Blueprint(limit, blueprint), play_to_river(limit, CALLED_DOWN)
    root, player = int(trunk.betting.find(tables)[0]), 0
    assert trunk.betting.find_street(root) == root
    for share in (0.0, 1.0):
        resolver = Resolver(limit, Street.RIVER, trunk.betting, lambda *_: trunk, 1000, share)
        solution = resolver.find_solution(root, board, player)
        river = SubgameCfr(resolver.find_subgame(root), board, np.zeros(0, np.int64))
        ranges = trunk.find_ranges(tables, board)[:, river.hands.numbers].astype(np.float32)
        won = [river.respond_to(strategy, player, ranges[player]) for strategy in (trunk, solution)]
        more[share] = float((won[1] - won[0]).max())
        gained[share] = float(ranges[1 - player] @ (won[0] - won[1]))
    assert more[0.0] < 0.02, "chips, by the gadget alone"
    assert gained[1.0] > gained[0.0] > 0 and more[1.0] > more[0.0]


def test_before_the_river_the_blueprint_plays_and_on_it_seats_make_no_difference(limit: Game) -> None:
    blueprint = find_agent("cfr_small", limit)
    agent = Resolve(limit, blueprint, iterations=20)
    assert agent.name == "cfr_small:resolve"
    turn = play_to_river(limit, CALLED_DOWN[:4])
    assert np.array_equal(ask(agent, limit, turn), ask(blueprint, limit, turn))
    here, there = play_to_river(limit, CALLED_DOWN), play_to_river(limit, CALLED_DOWN, button=0)
    there["deck"][0, :4] = there["deck"][0, [2, 3, 0, 1]]
    assert np.array_equal(ask(agent, limit, here), ask(agent, limit, there))
    assert not np.allclose(ask(agent, limit, here), ask(blueprint, limit, here))
    both = np.concatenate([turn, here])
    assert np.array_equal(ask(agent, limit, both), np.concatenate([ask(agent, limit, t) for t in (turn, here)]))


def test_the_turn_is_re_solved_and_the_flop_is_the_blueprints(limit: Game) -> None:
    blueprint = find_agent("cfr_large", limit)
    agent = ResolveTurn(limit, blueprint, iterations=5, turn_iterations=5)
    flop, turn = play_to_river(limit, CALLED_DOWN[:2]), play_to_river(limit, CALLED_DOWN[:4])
    assert (flop["street"][0], turn["street"][0]) == (1, 2)
    assert np.array_equal(ask(agent, limit, flop), ask(blueprint, limit, flop))
    assert not np.allclose(ask(agent, limit, turn), ask(blueprint, limit, turn))
    assert np.array_equal(
        ask(agent, limit, turn), ask(ResolveTurn(limit, blueprint, 5, turn_iterations=5), limit, turn)
    )


@pytest.mark.slow
def test_turn_endgames_are_solved_with_the_river_re_solved_from_the_turn() -> None:
    game = Endgame(HoldemConfig.no_limit(bet_menu="fcpa"), BOARD[:11], 20, (30, 30)).game()
    agents = [
        RandomAgent(),
        Resolve(game, RandomAgent(), iterations=100, range_share=1.0),
        ResolveTurn(game, RandomAgent(), iterations=100, range_share=1.0, turn_iterations=1000),
    ]
    lost = [
        measure_exploitability(target_of(game, agent), "exact", ExploitSettings())["exploitability"] for agent in agents
    ]
    assert lost[0] > lost[1] > 20 * lost[2], lost


@pytest.mark.slow
def test_no_hand_of_the_opponent_wins_more_from_a_re_solved_turn_than_from_the_blueprint(limit: Game) -> None:
    trunk, board = Blueprint(limit, find_agent("cfr_small", limit)), np.array(card_ids(BOARD), np.int64)[:4]
    tables, player = play_to_river(limit, CALLED_DOWN[:4]), 0
    root = int(trunk.betting.find(tables)[0])
    resolvers = {
        share: Resolver(limit, Street.TURN, trunk.betting, lambda *_: trunk, 800, share) for share in (0.0, 1.0)
    }
    turn = SubgameCfr(resolvers[0.0].find_subgame(root), board, np.setdiff1d(np.arange(52), board))
    ranges = trunk.find_ranges(tables, board)[:, turn.numbers].astype(np.float32)
    before = turn.respond_to(trunk, player, ranges[player])
    more, gained = {}, {}
    for share, resolver in resolvers.items():
        after = turn.respond_to(resolver.find_solution(root, board, player), player, ranges[player])
        more[share] = float((after - before).max())
        gained[share] = float(ranges[1 - player] @ (before - after))
    assert more[0.0] < 0.15 < more[1.0] / 2, "chips, of a pot of 8"
    assert gained[1.0] > gained[0.0] > 0


def test_it_plays_matches_by_name(limit: Game) -> None:
    for name, hands in (("cfr_small:resolve", 4), ("cfr_small:resolve_turn", 1)):
        result = play_match(limit, [find_agent(name, limit), find_agent("always_raise", limit)], hands, 0)
        assert np.isfinite(result.payoffs).all()


def test_no_limit_on_the_bet_menu_is_re_solved() -> None:
    game = make_game("no_limit_holdem-v0")
    blueprint = find_agent("cfr_no_limit", game)
    agent = find_agent("cfr_no_limit:resolve", game)
    flop, checked = play_to_river(game, [1, 1]), play_to_river(game, [1] * 6)
    assert checked["street"][0] == 3
    assert np.array_equal(ask(agent, game, flop), ask(blueprint, game, flop))
    assert not np.allclose(ask(agent, game, checked), ask(blueprint, game, checked), atol=0.02)


def test_solutions_are_dropped_when_they_fill_the_memory(limit: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    trunk = Blueprint(limit, find_agent("cfr_small", limit))
    resolver = Resolver(limit, Street.RIVER, trunk.betting, lambda *_: trunk, 2, 0.5)
    root = trunk.betting.find_street(int(trunk.betting.find(play_to_river(limit, CALLED_DOWN))[0]))
    boards = [np.array(card_ids(cards), np.int64) for cards in (BOARD, "Ks 9d 4c 2h 8s")]
    first = resolver.find_solution(root, boards[0], 0)
    monkeypatch.setattr(resolver_module, "_MAX_BYTES", first.num_bytes)
    resolver.find_solution(root, boards[1], 0)
    assert [key[2] for key in resolver._solutions] == [boards[1].tobytes()]
    again = resolver.find_solution(root, boards[0], 0)
    tables = resolver.find_subgame(root).tables
    assert again is not first and np.array_equal(again.ask(tables, boards[0]), first.ask(tables, boards[0]))


def test_games_and_blueprints_that_do_not_fit_are_refused(limit: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"needs limit hold'em, or no-limit .* of at most 6 raises, for two, and a"):
        find_agent("cfr:resolve", make_game("leduc_holdem-v0"))
    with pytest.raises(ValueError, match=r"needs limit hold'em, or no-limit .* of at most 6 raises, for two, and a"):
        find_agent("cfr_no_limit:resolve", make_game("no_limit_holdem-v0", bet_menu="integers"))
    with monkeypatch.context() as patched:
        patched.setattr(resolver_module, "MAX_GAME_NODES", 100_000)
        with pytest.raises(ValueError, match=r"more than 100,000 sequences of bets, .* choose a smaller bet_menu"):
            find_agent("cfr_no_limit:resolve", make_game("no_limit_holdem-v0"))
    with pytest.raises(ValueError, match=r"more than 4,000 sequences of bets, .* choose a smaller bet_menu"):
        find_agent("cfr_no_limit:resolve_turn", make_game("no_limit_holdem-v0"))
    with pytest.raises(ValueError, match="a blueprint shows its probabilities and remembers nothing"):
        find_agent("always_call:resolve", limit)
    with pytest.raises(ValueError, match=r"range_share 2 in 0 \.\. 1"):
        Resolve(limit, find_agent("cfr_small", limit), range_share=2)
    with pytest.raises(ValueError, match="turn_iterations 0 must be at least 1"):
        ResolveTurn(limit, find_agent("cfr_small", limit), turn_iterations=0)
