"""CFR on a bet menu: the tree is the game's, and in a small game what it finds is an equilibrium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines.solvers.agent import DATA, CfrNoLimit
from card_baselines.solvers.betting_keys import find_keys
from card_baselines.solvers.buckets.hand_buckets import sort_buckets
from card_baselines.solvers.game_trees import grow_game
from card_baselines.solvers.hands import RANKED, mark_ties
from card_baselines.solvers.menu_cfr import MenuCfr, make_strategy, round_sums
from card_baselines.solvers.strategy import STRATEGY, TableStrategy, compress, decompress, lay_out, list_states
from card_baselines.solvers.train import MenuConfig, MenuLearner
from card_baselines.solvers.translation import find_places, has_same_bets, pseudo_harmonic, translate
from card_baselines.solvers.tree import BettingTree
from card_baselines.solvers.walk import ANSWER, RESPOND, SAMPLE
from card_envs import make_game, memory
from card_envs.agent import decisions_at, find_agent
from card_envs.analysis.exploitability.best_response import strategy_exploitability
from card_envs.analysis.exploitability.public_tree import PublicTree
from card_envs.compiler import COMPILED
from card_envs.game import Game
from card_envs.games.holdem.actions import FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.poker.hands import NUM_HANDS
from tests.helpers.hand_buckets import some_buckets

needs_speed = pytest.mark.skipif(not COMPILED, reason="visits all hands and bets, which takes minutes as plain Python")

NO_LIMIT_LEDUC = HoldemConfig(
    stacks=13, blinds=(1, 2), max_raises=None, num_hole_cards=1, board_cards=(0, 1), lowest_rank=9, num_ranks=3,
    num_suits=2, button_moves=False, chips_per_reward=1,
)  # fmt: skip
"""Jack, queen and king in two suits, 6.5 big blinds, raises by half the pot, the pot or all chips."""
CARDS = NO_LIMIT_LEDUC.deck_cards


class LeducBoards:
    """One card on the board; a hand is one card, or on the second street one card and the board."""

    def __init__(self) -> None:
        self.num_buckets = [len(CARDS), len(CARDS) ** 2]
        self.ranked = np.zeros(1, RANKED)
        self.rows = np.zeros((2, NUM_HANDS), np.int64)

    def copy(self) -> LeducBoards:
        return LeducBoards()

    def draw(self, rng: np.random.Generator) -> None:
        board = int(rng.integers(len(CARDS)))
        strength = {k: (CARDS[k] // 4 == CARDS[board] // 4, CARDS[k] // 4) for k in range(len(CARDS)) if k != board}
        hands = sorted(strength, key=lambda k: strength[k])
        ranked: Any = self.ranked[0]
        ranked.num_hands = len(hands)
        for place, k in enumerate(hands):
            ranked.rank[place] = 100 - 50 * strength[k][0] - strength[k][1]
            ranked.first[place], ranked.second[place] = CARDS[k], k  # the second is no other hand's
            self.rows[:, place] = k, k * len(CARDS) + board
        mark_ties(ranked)


make_boards: Any = LeducBoards
"""In place of `BoardBuckets`."""


def exploitability(run: MenuCfr, public: PublicTree) -> float:
    """Return the exact exploitability of the average strategy, in chips a hand."""
    views = public.decisions.views
    place = {card: k for k, card in enumerate(CARDS)}
    strategy = np.zeros((len(views), NO_LIMIT_LEDUC.num_actions))
    for j, state in enumerate(run.tree.find_states(views).tolist()):
        legal, hand = run.tree.child[run.tree.first[state]] >= 0, place[int(views["deck"][j, views["actor"][j]])]
        if views["street"][j] == 1:
            hand = hand * len(CARDS) + place[int(views["deck"][j, 2])]
        num, size = legal.sum(), run.boards.num_buckets[views["street"][j]]
        sums = run.averages[run.first[state] + hand :: size][:num]
        strategy[j, legal] = sums / sums.sum() if sums.sum() > 0 else 1 / num
    return strategy_exploitability(public, strategy).exploitability


@pytest.fixture(scope="module")
def tree() -> BettingTree:
    return grow_game(HoldemConfig.no_limit())


def random_decisions(game: Game, num: int) -> Any:
    """Return tables at decisions of random play."""
    tables, rng, found = game.seeded_tables(50, 0), np.random.default_rng(0), []
    while sum(map(len, found)) < num:
        for i in np.flatnonzero(tables["is_over"]).tolist():
            game.deal(tables, i)
        found.append(tables.copy())
        for i in range(len(tables)):
            legal = np.flatnonzero(int(tables["legal"][i]) >> np.arange(game.num_actions) & 1)
            game.step(tables, i, int(rng.choice(legal)))
    return np.concatenate(found)


def test_every_decision_of_the_game_is_in_the_tree(tree: BettingTree) -> None:
    tables = random_decisions(make_game("no_limit_holdem-v0"), 4000)
    nodes = tree.find(tables)
    assert nodes.min() >= 0
    assert np.array_equal(tree.state[nodes], tree.find_states(tables))
    assert np.array_equal(tree.legal[nodes], tables["legal"]) and np.array_equal(tree.street[nodes], tables["street"])
    assert np.array_equal(tree.player[nodes], tables["actor"] == tables["button"])


def test_the_tree_has_the_decisions_that_were_counted(tree: BettingTree) -> None:
    assert np.bincount(tree.street[tree.decisions]).tolist() == [216, 1976, 9960, 36072]
    for child in tree.child.T:
        rows = np.flatnonzero(child >= 0)
        assert (rows < child[rows]).all() and (child[rows] < tree.end[rows]).all()


def test_games_too_large_for_memory_are_refused_while_they_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the level that is too large is allocated, and before the buckets of a run are computed."""
    config = HoldemConfig.no_limit(stacks=42)
    with pytest.raises(ValueError, match=r"more than 1,000 sequences of bets, .* smaller stacks; there are 1,\d{3} or"):
        grow_game(config, 1000)
    monkeypatch.setattr("card_baselines.solvers.tree.find_free_memory", lambda: 4e6)
    with pytest.raises(ValueError, match=r"more than 2,000 sequences of bets"):
        MenuLearner(MenuConfig(), make_game("no_limit_holdem-v0", stacks=42))
    monkeypatch.undo()
    monkeypatch.setattr(memory, "find_free_memory", lambda: 1e8)
    with pytest.raises(
        ValueError, match=r"sequences of bets with \[169, 65536, .* GiB, of 0\.1 that are free: .* width"
    ):
        MenuLearner(MenuConfig(width=256), make_game("no_limit_holdem-v0", stacks=20))
    assert MenuLearner(MenuConfig(), make_game("no_limit_holdem-v0", stacks=20)).num_steps == 0
    assert not has_same_bets(HoldemConfig.no_limit(bet_menu="pot:0.1,0.2,all_in"), HoldemConfig.no_limit(stacks=20))


def test_decisions_that_share_a_state_have_the_same_actions(tree: BettingTree) -> None:
    first = tree.first[tree.state[tree.decisions]]
    for name in ("player", "street", "legal"):
        assert np.array_equal(getattr(tree, name)[tree.decisions], getattr(tree, name)[first])
    assert len(tree.first) == 42_722


def test_on_the_own_menu_translation_finds_the_decision_itself(tree: BettingTree) -> None:
    tables = random_decisions(make_game("no_limit_holdem-v0"), 2000)
    for t, state in zip(tables, tree.find_states(tables).tolist(), strict=True):
        if t["num_decisions"] <= 8:
            [(weight, node)] = [pair for pair in find_places(tree, t) if pair[0] > 0.01]
            assert weight > 0.9 and tree.state[node] == state


def test_betting_that_is_not_on_the_menu(tree: BettingTree) -> None:
    game = make_game("no_limit_holdem-v0", bet_menu="pot:0.25,0.5,2,all_in")
    tables = game.seeded_tables(1, 0)
    game.deal(tables, 0)

    def find_after(*actions: int) -> dict[int, float]:
        for action in actions:
            assert action in game.legal_actions(tables, 0)
            game.step(tables, 0, action)
        return {node: weight for weight, node in find_places(tree, tables[0])}

    quarter = find_after(3, 1, 2)  # of the pot, on the flop
    sizes = {float(tree.size[node]): weight for node, weight in quarter.items()}
    assert sizes == pytest.approx({0.0: 0.4, 0.5: 0.6})
    two_pots = find_after(1, 4)
    assert len(two_pots) == 4  # the pot or all-in, after a check or half the pot
    called = find_after(1)
    assert len(called) == 2 and sum(called.values()) == pytest.approx(1.0)  # it was not all-in
    assert (tree.street[list(called)] == 3).all()


def test_pseudo_harmonic_mapping() -> None:
    assert pseudo_harmonic(0.5, 0.5, 1.0) == 1.0
    assert pseudo_harmonic(1.0, 0.5, 1.0) == 0.0
    assert pseudo_harmonic(1 / 3, 0.0, 1.0) == pytest.approx(0.5)  # Ganzfried and Sandholm 2013, section 5


@needs_speed
@pytest.mark.parametrize(
    ("plain", "share", "least", "threads", "last"),
    [
        (None, 0.0, 0.0, 1, 4000),
        pytest.param(50, 1.0, 0.3, 1, 4000, marks=pytest.mark.slow),
        pytest.param(50, 1.0, 0.3, 3, 8000, marks=pytest.mark.slow),
        pytest.param(50, 0.5, 0.3, 1, 4000, marks=pytest.mark.slow),
    ],
)
def test_exploitability_falls_towards_zero(
    plain: int | None, share: float, least: float, threads: int, last: int
) -> None:
    """Sampled actions make each iteration cheaper and noisier; halved again, and again, with more of them."""
    public = PublicTree(holdem_game("no_limit_leduc", NO_LIMIT_LEDUC))
    run = MenuCfr(
        NO_LIMIT_LEDUC, make_boards(), 0, least=least, plain_iterations=plain, responder_share=share,
        num_threads=threads,
    )  # fmt: skip
    lost = []
    for iterations in (20, 400, last):
        run.run(iterations - run.iterations)
        lost.append(exploitability(run, public))
    assert lost[0] > 2 * lost[1] > 4 * lost[2]
    assert lost[2] < (0.1 if least == 0 else 0.3)


@needs_speed
def test_responders_take_part_in_their_share_of_the_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never in the plain iterations; where they do, each player learns against its own, which learns as well."""
    modes: list[int] = []
    learn = MenuCfr._learn
    monkeypatch.setattr(MenuCfr, "_learn", lambda run, *args: (modes.append(args[1]), learn(run, *args))[1])
    for share, least, most in ((0.0, 0, 0), (0.25, 15, 35), (1.0, 100, 100)):
        modes.clear()
        MenuCfr(NO_LIMIT_LEDUC, make_boards(), 1, plain_iterations=20, responder_share=share).run(120)
        responding = modes.count(RESPOND) // 2
        assert modes.count(ANSWER) == 2 * responding and modes.count(SAMPLE) == 2 * (120 - responding)
        assert least <= responding <= most and RESPOND not in modes[:40]


@pytest.fixture(scope="module")
def strategy(tmp_path_factory: pytest.TempPathFactory) -> tuple[TableStrategy, Path]:
    """Random probabilities, and the file in which they are kept."""
    config, buckets = HoldemConfig.no_limit(), some_buckets(2)
    _, size = lay_out(list_states(config, buckets.hands_by_street), 0)
    weights = np.random.default_rng(0).random(size).astype(np.float32)
    made, path = make_strategy(config, weights, buckets), tmp_path_factory.mktemp("run") / STRATEGY
    made.save(path)
    return made, path


@needs_speed
def test_a_run_with_responders_is_not_continued_without_them() -> None:
    plain, responding = (MenuCfr(NO_LIMIT_LEDUC, make_boards(), 3, plain_iterations=number) for number in (None, 5))
    with pytest.raises(ValueError, match=r"a run with responders: continue it with a responder_share above 0"):
        plain.restore(responding.state(), 1)
    with pytest.raises(ValueError, match=r"a run without responders: continue it with a responder_share of 0"):
        responding.restore(plain.state(), 1)


@needs_speed
def test_a_strategy_is_kept_in_a_file(strategy: tuple[TableStrategy, Path]) -> None:
    made, path = strategy
    read = TableStrategy.load(path)
    assert np.array_equal(read.shares, made.shares) and read.config == made.config
    assert np.array_equal(read.buckets.flop, made.buckets.flop)


@needs_speed
def test_the_agent_plays_legal_actions_with_every_bet_menu(strategy: tuple[TableStrategy, Path]) -> None:
    for menu in ("fchpa", "pot:0.33,0.75,1.5,all_in", "fcpa"):
        game = make_game("no_limit_holdem-v0", bet_menu=menu)
        agent = CfrNoLimit(game, strategy[1].parent)
        tables = random_decisions(game, 300)
        rows = np.arange(len(tables))
        decisions = decisions_at(game, tables, rows, rows, np.full(len(rows), 0.5))
        found = agent.probabilities(decisions)
        assert found.sum(axis=1) == pytest.approx(1.0)
        assert (found[decisions.action_mask == 0] == 0).all()
        assert ((found > 0).sum(axis=1) > 1).any()


@needs_speed
def test_hands_are_translated_together_as_one_by_one(strategy: tuple[TableStrategy, Path]) -> None:
    game = make_game("no_limit_holdem-v0", bet_menu="pot:0.33,0.75,1.5,all_in")
    views = random_decisions(game, 150)
    assert len(np.unique(find_keys(views))) < len(views) / 2
    one_by_one = [translate(strategy[0], game.config, view)[0] for view in np.split(views, len(views))]
    assert np.array_equal(translate(strategy[0], game.config, views), one_by_one)


@needs_speed
def test_betting_of_probability_0_is_no_place(tree: BettingTree) -> None:
    """A raise of a size on the menu is not mapped to its neighbours, not even with the probability 0."""
    tables = random_decisions(make_game("no_limit_holdem-v0", bet_menu="fcpa"), 100)
    assert all(weight > 0 for t in tables for weight, _ in find_places(tree, t))


@needs_speed
@pytest.mark.parametrize("menu", ["pot:0.25,0.75,2,4,all_in", "integers"])
def test_probabilities_of_places_sum_to_1(tree: BettingTree, menu: str) -> None:
    tables = random_decisions(make_game("no_limit_holdem-v0", bet_menu=menu), 300)
    assert [sum(weight for weight, _ in find_places(tree, t)) for t in tables] == pytest.approx([1.0] * len(tables))


@needs_speed
def test_the_agent_needs_the_stakes_of_its_strategy(strategy: tuple[TableStrategy, Path]) -> None:
    folder = strategy[1].parent
    CfrNoLimit(make_game("no_limit_holdem-v0", stacks=20_000, small_blind=100, big_blind=200), folder)
    for settings in ({"stacks": 400}, {"num_players": 3}, {"small_blind": 2}, {"structure": "pot_limit"}):
        with pytest.raises(ValueError, match="cannot play"):
            CfrNoLimit(make_game("no_limit_holdem-v0", **settings), folder)


@needs_speed
@pytest.mark.parametrize(
    ("name", "settings"),
    [("cfr_no_limit", {}), ("cfr_no_limit_200", {"stacks": 20_000, "small_blind": 50, "big_blind": 100})],
)
def test_shipped_strategies_play_their_stacks_and_are_not_timid(name: str, settings: dict[str, int]) -> None:
    game = make_game("no_limit_holdem-v0", **settings)
    agent = find_agent(name, game)
    strategy = agent.strategy
    assert strategy.config == game.config and strategy.trained.mean() > 0.9
    with pytest.raises(ValueError, match="cannot play"):
        find_agent(name, make_game("no_limit_holdem-v0", stacks=3_000, small_blind=50, big_blind=100))
    hands, tree = strategy.hands_on(np.zeros(0, np.int64)), strategy.states.tree
    half_pot = tree.child[0][FIRST_RAISE_ACTION]
    button, big_blind = (
        strategy.look_up(np.full(NUM_HANDS, tree.state[node]), hands).mean(axis=0) for node in (0, half_pot)
    )
    assert button[FOLD_ACTION] < 0.4 and big_blind[FOLD_ACTION] < 0.55


def test_probabilities_are_rounded_to_15ths() -> None:
    actions = np.array([0, 1, 2])
    sums = np.array([[6.0, 0.01, 1e-9], [3.0, 0.0, 1e-9], [3.0, 0.99, 1e-9]])
    assert round_sums(sums, 1.0, actions).T.tolist() == [[8, 3, 4], [0, 0, 15], [7, 3, 5]]  # the last plays as all do
    assert round_sums(sums * 1e-9, 1.0, actions)[1].tolist() == [15, 15, 15]  # hardly ever there: check or call
    numbers = np.array([3, 15, 0], np.uint8)
    assert decompress(compress(numbers), 3).tolist() == [3, 15, 0]


def test_sorted_buckets_are_the_same_buckets() -> None:
    buckets = some_buckets(3)
    river = sort_buckets(buckets).river
    assert (np.diff(river[0].sum(axis=0)) >= 0).all()
    groups = [river[0, :, k].tolist() for k in range(3)]
    for k in range(3):
        place = groups.index(buckets.river[0, :, k].tolist())
        assert sorted(river[1 + place].T.tolist()) == sorted(buckets.river[1 + k].T.tolist())


@pytest.mark.parametrize("entry", ["shares", "flop", "trained"])
def test_compressed_zeros_in_a_file_do_not_fill_the_memory(entry: str, tmp_path: Path) -> None:
    path = tmp_path / STRATEGY
    with np.load(DATA / "no_limit_holdem_heads_up.npz") as file:
        arrays = dict(file)
    np.savez(path, **arrays | {entry: compress(np.zeros(2**25, np.uint8))})
    with pytest.raises(ValueError, match=r"strategy\.npz: a compressed entry holds more than the [\d,]+ bytes that"):
        TableStrategy.load(path)
