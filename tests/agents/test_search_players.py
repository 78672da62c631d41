"""What searching players are made of: trees, buckets, imagined deals; and that they play legally what they can play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines.agents.search.big2_deals import deal_unseen
from card_baselines.agents.search.big2_rollout import Big2Rollout
from card_baselines.agents.search.mcts import Mcts
from card_baselines.agents.search.mcts_holdem import deal_hidden, num_raises
from card_baselines.agents.search.policy_rollout import compute_points, imagine
from card_baselines.solvers.agent import Cfr, CfrLarge, CfrSmall
from card_baselines.solvers.buckets.equity_buckets import CARDS, EquityBuckets, bucket_of, equal_bounds, equity_of
from card_baselines.solvers.game_trees import grow_game
from card_baselines.solvers.limit.mccfr import Mccfr
from card_baselines.solvers.strategy import TableStrategy
from card_envs import make_game
from card_envs.agent import Agent, Decisions, choose, decisions_at, find_agent, split_policy
from card_envs.cards import card_ids
from card_envs.compiler import COMPILED
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import NOBODY
from card_envs.match import play_match
from card_envs.rng import seed_streams
from tests.helpers.big2_deals import Deal
from tests.helpers.holdem_hands import OneTable
from tests.helpers.kinds_of_games import OPTION_SETS, make_kind

LIMIT = make_game("limit_holdem-v0")
SIX_MAX = make_game("limit_holdem-v0", num_players=6)
BIG2 = make_game("big2-v0")

needs_speed = pytest.mark.skipif(not COMPILED, reason="searches, which take minutes as plain Python")


def decisions_of(game: Game, tables: Any) -> Any:
    """Return the decision of the actor of tables[0]."""
    return decisions_at(game, tables, np.array([0]), np.array([0]), np.array([0.5]))


def action_of(agent: Agent, game: Game, tables: Any) -> int:
    return int(agent.act(decisions_of(game, tables), np.random.default_rng(0))[0])


# --- betting trees ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "decisions", "ends"),
    [(HoldemConfig.kuhn(), 4, 5), (HoldemConfig.leduc(), 6 + 5 * 6, 4 + 5 * 9), (HoldemConfig.limit(), 6378, 10206)],
    ids=["kuhn", "leduc", "limit"],
)
def test_trees_have_every_sequence_of_bets(config: HoldemConfig, decisions: int, ends: int) -> None:
    """Leduc: 6 decisions, 4 folds, 5 ways on, each with 4 folds and 5 showdowns.

    Limit: 8 and 7, then 10 and 9 on every street: 8 + 70 + 630 + 5670.
    """
    tree = grow_game(config)
    assert len(tree.decisions) == len(tree.first) == decisions
    assert (tree.player == NOBODY).sum() == ends
    assert (tree.child >= 0).sum() == len(tree.player) - 1


@pytest.mark.parametrize("name", ["kuhn_poker-v0", "leduc_holdem-v0", "limit_holdem-v0"])
def test_the_node_of_a_table_is_where_its_bets_lead(name: str) -> None:
    game = make_game(name)
    tree, rng = grow_game(game.config), np.random.default_rng(1)
    tables, met = game.seeded_tables(1, 5), set()
    for _ in range(60):
        game.deal(tables, 0)
        number = 0
        while not tables[0].is_over:
            assert tree.find(tables)[0] == number
            met.add(number)
            legal = [action for action in range(3) if tree.child[number, action] >= 0]
            assert legal == decisions_of(game, tables).legal_actions(0)
            action = int(rng.choice(legal[1:] if rng.random() < 0.8 else legal))
            game.step(tables, 0, action)
            number = int(tree.child[number, action])
        assert tree.player[number] == NOBODY
        assert tree.stake[number] == abs(tables[0].payoff[0]) or tables[0].payoff[0] == 0
    assert len(met) > 3


# --- cfr --------------------------------------------------------------------------------------------------------------


@needs_speed
@pytest.mark.parametrize(
    ("agent_name", "name"),
    [
        ("cfr", "kuhn_poker-v0"),
        ("cfr", "leduc_holdem-v0"),
        ("cfr", "limit_holdem-v0"),
        ("cfr_large", "limit_holdem-v0"),
    ],
)
def test_cfr_shows_its_chances(agent_name: str, name: str) -> None:
    game = make_game(name)
    agent, tables = find_agent(agent_name, game), game.seeded_tables(200, 3)
    for i in range(len(tables)):
        game.deal(tables, i)
    rows = np.arange(len(tables))
    decisions = decisions_at(game, tables, rows, rows, np.full(len(tables), 0.5))
    chances = np.asarray(agent.probabilities(decisions))
    assert chances.sum(axis=1) == pytest.approx(1)
    assert (chances[decisions.action_mask == 0] == 0).all()
    assert 0.05 < chances[:, 2].mean() < 0.95


@pytest.mark.parametrize("player", [Cfr, CfrSmall, CfrLarge])
def test_cfr_plays_aces(player: type[Cfr]) -> None:
    agent = player(LIMIT)
    table = OneTable(LIMIT.config, button=0, deck=card_ids("As Ah 7c 2d"))
    fold, _, raise_ = agent.probabilities(decisions_of(LIMIT, table.tables))[0]
    assert fold == 0
    assert raise_ > 0.8
    table.play("4")
    assert agent.probabilities(decisions_of(LIMIT, table.tables))[0, 2] < 0.3  # seven deuce does not raise again


@pytest.mark.parametrize(("name", "kinds"), [("cfr", 1024), ("cfr_small", 40), ("cfr_large", 1024)])
def test_shipped_strategies_tell_so_many_kinds_of_hands_apart(name: str, kinds: int) -> None:
    agent = find_agent(name, LIMIT)
    assert isinstance(agent, Cfr) and agent.name == name
    table = agent.table()
    assert table is not None and table.buckets.hands_by_street == [169, kinds, kinds, kinds]


@needs_speed
@pytest.mark.parametrize(("hole_cards", "low", "high"), [("As Ah", 0.0, 0.01), ("3s 2h", 0.9, 1.0)])
def test_cfr_large_folds_on_the_river_what_cannot_win(hole_cards: str, low: float, high: float) -> None:
    agent = CfrLarge(LIMIT)
    table = OneTable(LIMIT.config, button=0, deck=card_ids(f"{hole_cards} Kc Jd Qd Ac Ad 9h 8c"))
    table.play("c c 2 c 4 c 4")  # the other player bets on flop, turn and river
    fold, _, _ = agent.probabilities(decisions_of(LIMIT, table.tables))[0]
    assert low <= fold <= high


@pytest.mark.parametrize(
    "game",
    [
        SIX_MAX,
        make_game("no_limit_holdem-v0", num_players=2),
        make_game("limit_holdem-v0", stacks=20),
        make_game("limit_holdem-v0", max_raises=(4, 4, 4, 4)),
        make_game("limit_holdem-v0", max_raises=None),
        make_game("limit_holdem-v0", rules="rlcard"),
        make_game("leduc_holdem-v0", num_players=3),
        BIG2,
    ],
    ids=["six_max", "no_limit", "short_stacks", "other_cap", "no_cap", "rlcard", "leduc_for_three", "big2"],
)
def test_cfr_refuses_other_betting(game: Game) -> None:
    with pytest.raises(ValueError, match="agent 'cfr' cannot play"):
        find_agent("cfr", game)


def test_strategies_of_earlier_versions_are_read(tmp_path: Path) -> None:
    """Rows of folds and raises in 255ths for each decision and bucket, which may sum to 256."""
    bounds, tree = np.array([[0.25, 0.5]] * 3), grow_game(HoldemConfig.limit())
    rng, widths = np.random.default_rng(0), np.array([169, 3, 3, 3])[tree.street[tree.first]]
    decisions = tree.pack(np.cumsum(widths) - widths)[tree.first]
    rows = np.zeros((widths.sum(), 2), np.uint8)
    for node in decisions:
        part = rows[node["first"] :][: 3 if node["street"] else 169]
        shares = rng.dirichlet([1, 1, 1], size=len(part)) * [node["child"] >= 0]
        part[:] = np.rint(255 * (shares / shares.sum(axis=1, keepdims=True))[:, [0, 2]])
    rows[0] = 128, 128
    np.savez_compressed(tmp_path / "strategy.npz", chances=rows, bounds=bounds.astype(np.float32))
    loaded = TableStrategy.load(tmp_path / "strategy.npz")
    assert isinstance(loaded.buckets, EquityBuckets) and loaded.buckets.bounds.tolist() == bounds.tolist()
    loaded.save(tmp_path / "new.npz")
    for strategy in (loaded, TableStrategy.load(tmp_path / "new.npz")):
        for state, node in enumerate(decisions):
            width = 3 if node["street"] else 169
            found = strategy.look_up(np.full(width, state), np.arange(width))
            assert found.sum(axis=1) == pytest.approx(1) and not found[:, node["child"] < 0].any()
            expected = rows[node["first"] :][:width] / 255
            assert found[int(state == 0) :, [0, 2]] == pytest.approx(expected[int(state == 0) :], abs=1e-12)
    assert loaded.look_up(np.zeros(1, np.int64), np.zeros(1, np.int64))[0] * 255 == pytest.approx([128, 0, 127])


@needs_speed
def test_mccfr_learns_which_hands_to_fold_first() -> None:
    solver = Mccfr(HoldemConfig.limit(), equal_bounds(5, seed=0, samples=2000), seed=1)
    solver.run(15_000)
    buckets = np.array([13 * 12 + 12, 13 * 0 + 5])  # of the first decision: starting hands
    aces, trash = solver.strategy().look_up(np.zeros(2, np.int64), buckets)
    assert aces[0] < 0.1
    assert trash[0] > aces[0] + 0.2


# --- buckets ----------------------------------------------------------------------------------------------------------


def cards_with_board(board: str) -> Any:
    cards = np.zeros(1, CARDS)
    cards[0].card[4 : 4 + len(board.split())] = card_ids(board)
    return cards[0]


def test_buckets_depend_on_the_cards_alone() -> None:
    cards, bounds = cards_with_board("2c 7h 9d Jc"), np.tile(np.linspace(0.1, 0.9, 9), (3, 1))
    ace, king, nine = card_ids("As Ks 9s")
    for street in range(3):
        assert bucket_of(ace, king, cards, street, bounds) == bucket_of(king, ace, cards, street, bounds)
    assert bucket_of(nine, ace, cards, 1, bounds) > bucket_of(king, ace, cards, 1, bounds)
    assert equity_of(*card_ids("Tc 8c"), cards_with_board("7c 9c Jc 2d 3h"), 3) == 1.0
    assert bucket_of(*card_ids("Tc 8c"), cards_with_board("7c 9c Jc 2d 3h"), 3, bounds) == 9


@needs_speed
def test_bounds_share_hands_equally() -> None:
    bounds = equal_bounds(5, seed=1, samples=4000)
    assert bounds.shape == (3, 4)
    assert (np.diff(bounds, axis=1) > 0).all()
    assert bounds[0] == pytest.approx([0.35, 0.46, 0.54, 0.66], abs=0.06)  # the flop: few hands far from a half


# --- imagined deals ---------------------------------------------------------------------------------------------------


def test_hidden_cards_of_holdem_are_dealt_from_those_unseen() -> None:
    table = OneTable(SIX_MAX.config, button=0, deck=card_ids("As Ah"), seed=3).play("f 4 c f c c c c")
    t = decisions_of(SIX_MAX, table.tables).views
    known = [int(card) for card in t["deck"][0] if card < 52]
    actor, raiser = int(t[0].actor), int(t[0].raiser[0, 0])
    other = next(seat for seat in range(6) if seat != actor and int(t[0].in_hand) >> seat & 1)
    assert len(known) == 2 + 3
    hands = set()
    for number in range(50):
        imagined = t.copy()
        seed_streams(imagined, np.uint64(7), np.uint64(number))
        deal_hidden(imagined[0])
        deck = [int(card) for card in imagined["deck"][0][:17] if card < 52]
        assert len(set(deck)) == len(deck) == 5 + 2 + 2 * (bin(int(t[0].in_hand)).count("1") - 1)
        assert set(known) <= set(deck)
        assert (imagined["deck"][0][2 * actor : 2 * actor + 2] == t["deck"][0][2 * actor : 2 * actor + 2]).all()
        hands.add(tuple(imagined["deck"][0][2 * other : 2 * other + 2].tolist()))
    assert len(hands) > 40
    assert num_raises(t[0], raiser) == 1
    assert num_raises(t[0], (raiser + 1) % 6) == 0


def test_hidden_cards_of_big2_are_dealt_from_those_unseen() -> None:
    deal = Deal(seed=4)
    view = decisions_of(deal.game, deal.tables).views
    seen = {int(view[0].held[deal.t.actor])}
    hands = set()
    for number in range(30):
        imagined = view.copy()
        deal_unseen(imagined[0], np.uint64(1), np.uint64(number))
        t = imagined[0]
        assert t.num_cards.tolist() == deal.t.num_cards.tolist()
        assert np.bitwise_or.reduce(t.held) | np.bitwise_or.reduce(t.played) == 2**52 - 1
        assert sum(int(cards).bit_count() for cards in [*t.held, *t.played]) == 52
        for seat in range(4):
            orders = t.hand[seat, : t.num_cards[seat]].tolist()
            assert orders == sorted(orders)
            assert sum(1 << order for order in orders) == int(t.held[seat])
        assert int(t.held[deal.t.actor]) in seen
        hands.add(int(t.held[(deal.t.actor + 1) % 4]))
    assert len(hands) == 30


# --- rollout and mcts -------------------------------------------------------------------------------------------------


@needs_speed
@pytest.mark.parametrize("rules", OPTION_SETS)
def test_they_play_big2_legally_under_all_rules(rules: str) -> None:
    game = make_kind(rules)
    policy = find_agent("random", game)
    agents = [
        Big2Rollout(deals=4),
        Mcts(game, simulations=30),
        Big2Rollout(2, policy=policy),
        Mcts(game, simulations=5),
    ]
    result = play_match(game, agents, 30, seed=5)  # an illegal action raises an AgentError
    assert (result.payoffs.sum(axis=1) == 0).all()
    assert (result.payoffs.max(axis=1) > 0).all()


@needs_speed
@pytest.mark.parametrize(
    "game",
    [
        LIMIT,
        make_game("limit_holdem-v0", num_players=10, stacks=9, max_raises=None, rules="rlcard"),
        make_game("no_limit_holdem-v0", num_players=3, bet_menu="pot:0.3,0.5,0.7,1,1.5,2,3,4,5,6,all_in"),
    ],
    ids=["limit", "ten_short_stacks", "no_limit"],
)
def test_mcts_plays_holdem_legally(game: Game) -> None:
    agents = [Mcts(game, simulations=20 + k) for k in range(game.num_seats)]
    result = play_match(game, agents, 60, seed=5)
    assert (result.payoffs.sum(axis=1) == 0).all()
    assert result.payoffs.any()


def test_who_plays_what() -> None:
    integers = make_game("no_limit_holdem-v0", bet_menu="integers")
    for name, game in (("mcts", integers), ("mcts", make_game("kuhn_poker-v0")), ("rollout", LIMIT)):
        with pytest.raises(ValueError, match=f"agent '{name}' cannot play"):
            find_agent(name, game)
    with pytest.raises(ValueError, match="simulations 0 must be at least 1"):
        Mcts(LIMIT, simulations=0)
    with pytest.raises(ValueError, match="deals 1 must be at least 2"):
        Big2Rollout(deals=1)
    with pytest.raises(ValueError, match=r"threshold 2 must be in 0 \.\. 1"):
        Big2Rollout(threshold=2)


def test_rollouts_take_a_policy_that_shows_chances_and_forgets_deals() -> None:
    agent = find_agent("random:rollout", BIG2)
    assert isinstance(agent, Big2Rollout) and agent.policy is not None
    assert (agent.name, agent.policy.name, agent.doubt) == ("random:rollout", "random", 1.0)
    assert (agent.deals, Big2Rollout().deals) == (32, 64)
    assert (split_policy("a/b:c:rollout"), split_policy("rollout")) == (("a/b:c", "rollout"), ("", "rollout"))
    assert split_policy("players.py:mcts") == ("", "players.py:mcts")  # mcts takes no policy

    class Remembering(Preferring):
        def deal_starts(self, table_ids: Any) -> None:
            pass

    with pytest.raises(ValueError, match="agent 'remembering' remembers deals"):
        Big2Rollout(policy=Remembering({}))
    for spec, game, reason in (
        ("big2_planner:rollout", BIG2, "agent 'big2_planner' plays one action and shows no chances of others"),
        ("random:rollout", LIMIT, "agent 'random:rollout' cannot play"),
        ("random:rollout:greedy", BIG2, "has one way to choose its actions"),
        ("nobody:rollout", BIG2, "agent 'nobody' is not known"),
    ):
        with pytest.raises(ValueError, match=reason):
            find_agent(spec, game)


class Preferring(Agent):
    """Gives some actions the chances it is told, all others nothing; then it plays at random."""

    def __init__(self, chances: dict[int, float]) -> None:
        self.chances = chances

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        return choose(decisions.action_mask.astype(float), decisions.random_numbers)

    def probabilities(self, decisions: Decisions) -> Any:
        shown = np.zeros((len(decisions), decisions.game.num_actions))
        for action, chance in self.chances.items():
            shown[:, action] = chance
        return shown


@needs_speed
@pytest.mark.parametrize(("chance", "is_played"), [(1e-6, True), (0.0, False)])
def test_what_a_policy_hardly_plays_is_tried_and_what_it_never_plays_is_not(chance: float, is_played: bool) -> None:
    deal = Deal()
    deal.leave("4D 4C 4H 5D 5C", "3D 9C", "8D 8C TD TC", "KD KC KH", control=0)
    single, last_cards = deal.action("4D"), deal.action("4D 4C 4H 5D 5C")
    agent = Big2Rollout(deals=8, policy=Preferring({single: 1.0 - chance, last_cards: chance}))
    decisions = decisions_of(deal.game, deal.tables)
    before = decisions.views.tobytes()
    assert agent.act(decisions, np.random.default_rng(0)) == [last_cards if is_played else single]
    assert decisions.views.tobytes() == before


@needs_speed
def test_all_actions_are_tried_on_the_same_deals() -> None:
    """The last cards win what the others then hold: the same for two ways to play them, if the deals are the same."""
    deal = Deal()
    deal.leave("4D 4C", "3D 9C 9D", "8D 8C TD TC", "KD KC KH", control=0)
    view, pair = decisions_of(deal.game, deal.tables).views, deal.action("4D 4C")
    single = deal.action("4D")
    policy = find_agent("random", deal.game)
    actions = np.array([pair, single, single])
    points = compute_points(policy, deal.game, view, [actions], deals=16, seeds=[3])[0]
    assert (points[0] == 3 + 4 + 3).all()
    assert (points[1] == points[2]).all() and len(set(points[1].tolist())) > 1
    together = compute_points(policy, deal.game, np.repeat(view, 3), [actions[:1], actions, actions[1:]], 16, [4, 3, 3])
    assert [each.shape for each in together] == [(1, 16), (3, 16), (2, 16)]
    assert (together[1] == points).all() and (together[2] == points[1:]).all()  # whoever is searched beside them


@needs_speed
def test_the_second_round_goes_on_with_the_deals_of_the_first() -> None:
    deal = Deal()
    view = decisions_of(deal.game, deal.tables).views
    whole, rest = np.empty(20, view.dtype), np.empty(12, view.dtype)
    imagine(view, whole, np.uint64(3), 0)
    imagine(view, rest, np.uint64(3), 8)
    assert (whole["held"][8:] == rest["held"]).all()
    assert len(np.unique(whole["held"], axis=0)) == 20


@needs_speed
@pytest.mark.parametrize(("threshold", "is_played"), [(1e-3, True), (1e-2, True), (0.02, False)])
def test_decisions_without_doubt_are_not_searched(threshold: float, is_played: bool) -> None:
    deal = Deal()
    deal.leave("4D 4C 4H 5D 5C", "3D 9C", "8D 8C TD TC", "KD KC KH", control=0)
    single, last_cards = deal.action("4D"), deal.action("4D 4C 4H 5D 5C")
    policy = Preferring({single: 0.99, last_cards: 0.01 + 1e-12})
    agent = Big2Rollout(policy=policy, threshold=threshold)
    action = agent.act(decisions_of(deal.game, deal.tables), np.random.default_rng(0))
    assert action == [last_cards if is_played else single]


@needs_speed
def test_results_do_not_depend_on_the_number_of_tables() -> None:
    def payoffs(num_tables: int) -> Any:
        policy = Big2Rollout(4, policy=find_agent("random", BIG2))
        big2 = [Mcts(BIG2, 20), Big2Rollout(4), policy, find_agent("random", BIG2)]
        heads_up = [Mcts(LIMIT, 20), Cfr(LIMIT)]
        matches = ((BIG2, big2, 12), (LIMIT, heads_up, 60))
        return [play_match(game, agents, n, seed=3, num_tables=num_tables).payoffs for game, agents, n in matches]

    expected = payoffs(4096)
    for num_tables in (1, 7):
        assert all((a == b).all() for a, b in zip(payoffs(num_tables), expected, strict=True))


@needs_speed
@pytest.mark.parametrize("make", [lambda: Big2Rollout(16), lambda: Mcts(BIG2, 100)], ids=["rollout", "mcts"])
def test_they_play_their_last_cards_and_leave_views_alone(make: Any) -> None:
    deal = Deal()
    deal.leave("3D 9C", "4D 4C 4H 5D 5C", "8D 8C TD TC", "KD KC KH", control=0)
    deal.play("3D")
    agent, decisions = make(), decisions_of(deal.game, deal.tables)
    before = decisions.views.tobytes()
    agent.act(decisions, np.random.default_rng(0))
    assert decisions.views.tobytes() == before
    deal = Deal()
    deal.leave("4D 4C 4H 5D 5C", "3D 9C", "8D 8C TD TC", "KD KC KH", control=0)
    action = action_of(agent, deal.game, deal.tables)
    assert deal.game.action_name(deal.tables, 0, action) == "full house 4D 4C 4H 5D 5C"


@needs_speed
def test_mcts_folds_nothing_worth_and_raises_the_nuts() -> None:
    agent = Mcts(LIMIT, 500)
    for hand, expected in {"Tc 8c": 2, "2h 3d": 0}.items():
        deck = [*card_ids("Ad Kd"), *card_ids(hand), *card_ids("7c 9c Jc Qs Qh")]
        table = OneTable(LIMIT.config, button=1, deck=deck).play("c c c c c c 4")
        if table.actor == 0:
            deck = [*card_ids(hand), *card_ids("Ad Kd"), *card_ids("7c 9c Jc Qs Qh")]
            table = OneTable(LIMIT.config, button=1, deck=deck).play("c c c c c c 4")
        assert action_of(agent, LIMIT, table.tables) == expected
