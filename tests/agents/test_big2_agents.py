"""What the scripted Big 2 players do, rule by rule, and that they play legally under all rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from card_baselines.agents.scripted.big2_greedy import FEW_CARDS, Big2Greedy
from card_baselines.agents.scripted.big2_lowest import Big2Lowest
from card_baselines.agents.scripted.big2_planner import CHANCES, Big2Planner
from card_envs import big2_v0, make_game
from card_envs.agent import Agent, Decisions, decisions_at, find_agent
from card_envs.compiler import COMPILED
from card_envs.game import Game
from card_envs.games.big2.actions import ACTION_SIZE, value_of_action
from card_envs.games.big2.combos import kind_of
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.game import new_tables
from card_envs.games.big2.legal import list_legal
from card_envs.games.big2.state import FLUSH, FULL_HOUSE, STRAIGHT, STRAIGHT_FLUSH
from card_envs.match import play_match
from tests.helpers.big2_deals import DECK, Deal, fill_hands
from tests.helpers.kinds_of_games import OPTION_SETS, make_kind

PLAYERS = {"big2_lowest": Big2Lowest, "big2_greedy": Big2Greedy, "big2_planner": Big2Planner}
MANY = ["8D 8C TD TC TH JD JC JH", "8H 8S TS JS QD QC QH QS"]
"""Hands of more than FEW_CARDS cards."""

every_player = pytest.mark.parametrize("name", PLAYERS)


def decision(game: Game, tables: Any) -> Decisions:
    return decisions_at(game, tables, np.array([0]), np.array([0]), np.array([0.5]))


def choice(agent: Agent, deal: Deal) -> str:
    """Return what the agent does next, in words."""
    action = agent.act(decision(deal.game, deal.tables), np.random.default_rng(0))[0]
    return deal.game.action_name(deal.tables, 0, int(action))


def play_first(env: Any, agent: Agent, *hands: str) -> str:
    """Return the agent's first action in a deal of the PettingZoo environment, and take it."""
    env.reset(options={"hands": fill_hands(*hands)})
    action = int(agent.act(decision(env.game, env._tables), np.random.default_rng(0))[0])
    name = env.game.action_name(env._tables, 0, action)
    env.step(action)
    return name


def follow(agent: Agent, lead: str, hand: str, kept: int = FEW_CARDS + 1) -> str:
    """Return what the agent does with `hand` after `lead`, when the leader has `kept` cards left, the others eight."""
    rest = [card for card in DECK if card not in f"{lead} {hand}".split()]
    deal = Deal()
    deal.leave(" ".join([lead, *rest[:kept]]), hand, " ".join(rest[8:16]), " ".join(rest[16:24]), control=0)
    deal.play(lead)
    return choice(agent, deal)


def lead(agent: Agent, hand: str, *others: str, gone: str = "") -> str:
    """Return what the agent leads from `hand`, with the cards `gone` played."""
    deal = Deal()
    deal.leave(hand, *others, control=0)
    deal.t.played[1] = sum(1 << DECK.index(card) for card in gone.split())
    return choice(agent, deal)


# --- all of them ------------------------------------------------------------------------------------------------------


@every_player
def test_names(name: str) -> None:
    game = make_game("big2-v0")
    agent = find_agent(name, game)
    assert type(agent) is PLAYERS[name]
    assert agent.name == name
    with pytest.raises(ValueError, match=f"agent '{name}' cannot play"):
        find_agent(name, make_game("leduc_holdem-v0"))


@every_player
def test_the_first_decision_in_the_environment(name: str) -> None:
    env = big2_v0.raw_env()
    played = play_first(env, PLAYERS[name](), "3D", "4D 5C 6H 7S 8D 8H TC TS KH KS AS 2D 2S")
    expected = {"big2_lowest": "single 4D", "big2_greedy": "single AS", "big2_planner": "single 8H"}
    assert played == expected[name]  # greedy keeps both eights, the planner the straight and the higher pairs
    assert env.agent_selection == "player_2"


@pytest.mark.parametrize("rules", OPTION_SETS)
def test_they_play_legally_under_all_rules(rules: str) -> None:
    agents = [Big2Lowest(), Big2Greedy(), Big2Planner(), Big2Planner()]
    hands = 200 if COMPILED else 1
    result = play_match(make_kind(rules), agents, hands, seed=5)  # an illegal action raises an AgentError
    assert (result.payoffs.sum(axis=1) == 0).all()
    assert (result.payoffs.max(axis=1) > 0).all()


@pytest.mark.skipif(not COMPILED, reason="the planner takes minutes as plain Python")
def test_results_do_not_depend_on_the_number_of_tables() -> None:
    def payoffs(num_tables: int) -> Any:
        agents = [Big2Planner(), Big2Lowest(), Big2Greedy(), find_agent("random", make_game("big2-v0"))]
        return play_match(make_game("big2-v0"), agents, 120, seed=3, num_tables=num_tables).payoffs

    expected = payoffs(4096)
    assert len(np.unique(expected, axis=0)) > 60
    for num_tables in (1, 7):
        assert (payoffs(num_tables) == expected).all()


@every_player
def test_views_stay_as_they_are(name: str) -> None:
    deal = Deal(seed=4)
    decisions = decision(deal.game, deal.tables)
    before = decisions.views.copy()
    PLAYERS[name]().act(decisions, np.random.default_rng(0))
    assert decisions.views.tobytes() == before.tobytes()


@every_player
def test_they_play_their_last_cards(name: str) -> None:
    agent = PLAYERS[name]()
    assert follow(agent, "3D", "4D") == "single 4D"
    assert follow(agent, "3D 3C", "4D 4C") == "pair 4D 4C"
    assert follow(agent, "3D 4C 5D 6D 7D", "4D 5C 6C 7C 8D") == "straight 4D 5C 6C 7C 8D"


# --- big2_lowest ------------------------------------------------------------------------------------------------------


def test_lowest_leads_its_lowest_card_whatever_it_belongs_to() -> None:
    assert lead(Big2Lowest(), "3C 4D 4H 5C 6H 7S 2S", *MANY, "KD KC") == "single 3C"
    assert lead(Big2Lowest(), "4D 4H 9C", *MANY, "KD KC") == "single 4D"


def test_lowest_follows_with_the_lowest_highest_card() -> None:
    assert follow(Big2Lowest(), "5D", "4H 5C 5S 9D 2S") == "single 5C"
    assert follow(Big2Lowest(), "5D 5C", "6D 6H 6S KD KC") == "pair 6D 6H"
    assert follow(Big2Lowest(), "5D 5C", "6C 6H 6S KD KC") == "pair 6C 6H"


def test_lowest_takes_the_lower_of_two_plays_with_the_same_highest_card() -> None:
    assert follow(Big2Lowest(), "5D 5S", "6D 6C 6S") == "pair 6D 6C"
    assert follow(Big2Lowest(), "6D 6H", "6C 6S") == "pair 6C 6S"
    assert follow(Big2Lowest(), "7D 7C 5D 5C", "6C 6D 4D 4H 7H 7S") == "two pair 4D 4H 7H 7S"


def test_lowest_passes_only_if_forced() -> None:
    assert follow(Big2Lowest(), "AS", "3C 3H 3S 2S") == "single 2S"
    assert follow(Big2Lowest(), "2H", "3C 3H 3S AS") == "pass"


# --- big2_greedy ------------------------------------------------------------------------------------------------------


def test_greedy_leads_most_cards_then_the_lowest_highest_card() -> None:
    straight_and_more = "3C 3H 4D 4H 5C 6H 7S 8D 2S"
    assert lead(Big2Greedy(), straight_and_more, *MANY, "KD KC") == "straight 3C 4D 5C 6H 7S"
    assert lead(Big2Greedy(), "3C 3H 3S 5D 5C 9D 9C", *MANY, "KD KC") == "full house 3C 3H 3S 5D 5C"
    assert lead(Big2Greedy(), "3C 7D 7C 7H 9D 9C", *MANY, "KD KC") == "full house 7D 7C 7H 9D 9C"
    assert lead(Big2Greedy(), "3C 7D 7C 9D 9C", *MANY, "KD KC") == "two pair 7D 7C 9D 9C"
    assert lead(Big2Greedy(), "3C 7D 7C 9D TC", *MANY, "KD KC") == "pair 7D 7C"
    assert lead(Big2Greedy(), "3C 5D 9D TC", *MANY, "KD KC") == "single 3C"


def test_greedy_follows_with_single_cards_that_no_combination_needs() -> None:
    assert follow(Big2Greedy(), "3D", "5C 5H 7D KD") == "single 7D"
    assert follow(Big2Greedy(), "3D", "4C 5H 6D 7D 8H TD") == "single TD"
    assert follow(Big2Greedy(), "3D", "4C 6C 7C 9C TC") == "single 4C"  # a flush is not kept


def test_greedy_passes_rather_than_breaking_a_combination_until_somebody_holds_few_cards() -> None:
    for hand, lowest in {"5C 5H": "single 5C", "4C 5H 6D 7D 8H": "single 4C", "5C 5H 5S": "single 5C"}.items():
        assert follow(Big2Greedy(), "3D", hand) == "pass"
        assert follow(Big2Greedy(), "3D", hand, kept=FEW_CARDS) == lowest


def test_greedy_keeps_nothing_together_when_it_follows_with_more_cards() -> None:
    assert follow(Big2Greedy(), "3D 3C", "5C 5H 5S 6D") == "pair 5C 5H"


# --- big2_planner -----------------------------------------------------------------------------------------------------


def test_planner_leads_what_nobody_can_beat_before_its_last_play() -> None:
    assert lead(Big2Planner(), "3C 2S", *MANY, "KD KC") == "single 2S"
    assert lead(Big2Planner(), "3C 3H 2S", *MANY, "KD KC") == "single 2S"
    assert lead(Big2Planner(), "3C 4D 4C 4H 5D 5C", "KD KC", "AD AC", "QD QC") == "full house 4D 4C 4H 5D 5C"


def test_planner_knows_which_cards_are_gone() -> None:
    higher = "KS AD AC AH AS 2D 2C 2H 2S"
    for low in ("3C", "3C 3H"):
        assert lead(Big2Planner(), f"{low} KH", *MANY, "9D 9C 9H", gone=higher) == "single KH"
        assert lead(Big2Planner(), f"{low} KH", *MANY, "9D 9C 9H") in ("single 3C", "pair 3C 3H")


def test_planner_leads_low_and_keeps_control_cards() -> None:
    assert lead(Big2Planner(), "3C 4C 9D 2S", *MANY, "KD KC QS AS AD") == "single 3C"
    assert lead(Big2Planner(), "3C 3H 9D", *MANY, "KD") == "pair 3C 3H"


def test_planner_follows_with_cards_that_its_partition_can_spare() -> None:
    assert follow(Big2Planner(), "3D", "5C 5H 7D KS") == "single 7D"
    assert follow(Big2Planner(), "3D", "3C 4C 5H 6D 7D 9H") == "single 9H"
    assert follow(Big2Planner(), "3D", "5C 6C 6H 7D 8D 2S") == "single 5C"


def test_planner_passes_rather_than_breaking_its_last_play() -> None:
    assert follow(Big2Planner(), "3D", "4C 5H 6D 7D 8D") == "pass"


def test_planner_takes_control_when_it_can_then_play_out() -> None:
    assert follow(Big2Planner(), "3D", "2S 4D 4C 4H 5D 5C") == "single 2S"
    assert follow(Big2Planner(), "3D", "3C 4C 5H 6D 7D 2S") == "single 2S"
    assert follow(Big2Planner(), "3D", "4D 4C 6H 7D TC 2S") != "single 2S"


@pytest.mark.parametrize("num_cards", [4, 5, 9, 13])
def test_chances_of_the_planner_are_frequencies(num_cards: int) -> None:
    table, rng, samples = new_tables(Big2Config(), 1)[0], np.random.default_rng(num_cards), 3000
    table.actor, table.num_decisions, table.num_cards[0] = 0, 1, num_cards
    counts = np.zeros(5)
    for _ in range(samples):
        orders = np.sort(rng.permutation(len(DECK))[:num_cards])
        table.hand[0, :num_cards] = orders
        table.held[0] = sum(1 << int(order) for order in orders)
        list_legal(table)
        plays = table.legal[: table.num_legal]
        counts[0] += (ACTION_SIZE[plays] == 4).any()
        kinds = [kind_of(value_of_action(table, 0, int(action))) for action in plays if ACTION_SIZE[action] == 5]
        best = max(kinds, default=-1)
        counts[1:] += [best >= kind for kind in (STRAIGHT, FLUSH, FULL_HOUSE, STRAIGHT_FLUSH)]
    expected = CHANCES[num_cards]
    spread = 4 * np.sqrt(expected * (1 - expected) / samples) + 0.002
    assert (np.abs(counts / samples - expected) <= spread).all()
