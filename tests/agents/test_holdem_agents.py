"""What the scripted hold'em players do, table by table and rule by rule, and that they play legally everywhere."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from card_baselines.agents.scripted.equity import Equity, pot_share
from card_baselines.agents.scripted.holdem_moves import CALLS_WEAK, RAISES_STRONG
from card_baselines.agents.scripted.made_hand_rules import (
    DRAW,
    NOTHING,
    PAIR,
    STRONG,
    TOP_PAIR,
    LoosePassive,
    ShiRules,
    ShiRulesLoose,
    TightAggressive,
    classify_made_hand,
)
from card_baselines.agents.scripted.position_ranges import HAND_SHARES, PositionRanges
from card_baselines.agents.scripted.rlcard_rule import RLCardRule
from card_baselines.agents.scripted.simple import MAY_FOLD, RandomLowFold
from card_baselines.agents.scripted.starting_hands import (
    CHEN_POINTS,
    RANGE_OF_HAND,
    RANGES,
    Chen,
    ChenLoose,
    Sklansky,
    SklanskyLoose,
)
from card_envs import make_game
from card_envs.agent import Agent, decisions_at, find_agent
from card_envs.cards import card_ids
from card_envs.compiler import COMPILED
from card_envs.game import Game
from card_envs.match import play_match
from card_envs.poker.starting_hands import STARTING_HAND_COUNTS, starting_hand
from card_envs.poker_hands import hand_rank
from tests.helpers.holdem_hands import OneTable

NAMES = {
    "random_low_fold": RandomLowFold,
    "sklansky": Sklansky,
    "sklansky_strict": Sklansky,
    "sklansky_loose": SklanskyLoose,
    "chen": Chen,
    "chen_strict": Chen,
    "chen_loose": ChenLoose,
    "shi_rules": ShiRules,
    "shi_rules_strict": ShiRules,
    "shi_rules_loose": ShiRulesLoose,
    "rlcard_rule": RLCardRule,
    "tight_aggressive": TightAggressive,
    "loose_passive": LoosePassive,
    "position_ranges": PositionRanges,
    "equity": Equity,
}
FOLD, CALL, RAISE = 0, 1, 2
WORDS = ("fold", "call", "raise")

LIMIT = make_game("limit_holdem-v0")
SIX_MAX = make_game("limit_holdem-v0", num_players=6)
RLCARD = make_game("limit_holdem-v0", rules="rlcard", max_raises=(4, 4, 4, 4))


def action(agent: Agent, game: Game, table: OneTable, uniform: float = 0.99) -> int:
    """Return the action id that the agent chooses for the table's actor."""
    decisions = decisions_at(game, table.tables, np.array([0]), np.array([0]), np.array([uniform]))
    return int(agent.act(decisions, np.random.default_rng(0))[0])


def before_flop(agent: Agent, hand: str, game: Game = LIMIT, uniform: float = 0.99) -> str:
    """Return what the first player to act does with `hand`, facing the big blind."""
    table = OneTable(game.config, button=0)
    rest = [card for card in range(52) if card not in card_ids(hand)]
    count, actor = game.config.num_players, table.actor
    deck = [*rest[: 2 * actor], *card_ids(hand), *rest[2 * actor : 2 * (count - 1)]]
    return WORDS[action(agent, game, OneTable(game.config, button=0, deck=deck), uniform)]


def with_board(hand: str, board: str, decisions: str = "", game: Game = LIMIT) -> OneTable:
    """Return a heads-up table where `hand` acts after checks to the street of `board`, then `decisions`."""
    cards = card_ids(board)
    rest = [card for card in range(52) if card not in cards + card_ids(hand)]
    first = int(game.config.profile.button_owes_small_blind)  # the seat that acts first after the flop, button 0
    for holder in (first, 1 - first):
        holes = [card_ids(hand), rest[:2]] if holder == 0 else [rest[:2], card_ids(hand)]
        table = OneTable(game.config, button=0, deck=[*holes[0], *holes[1], *cards])
        table.play("c c" + " c c" * (len(cards) - 3) + " " + decisions)
        if table.actor == holder:
            return table
    raise AssertionError("nobody acts")


def then(agent: Agent, hand: str, board: str, decisions: str = "", game: Game = LIMIT) -> str:
    """Return what the agent does with `hand` on `board`, after `decisions` of this street."""
    return WORDS[action(agent, game, with_board(hand, board, decisions, game))]


def share(hands: set[int]) -> float:
    """Return the percentage of starting hands, of all 1,326, that the numbers name."""
    deals = sum(starting_hand(a, b) in hands for a, b in combinations(range(52), 2))
    return round(100 * deals / 1326, 1)


# --- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    assert type(find_agent(name, LIMIT)) is NAMES[name]
    with pytest.raises(ValueError, match="cannot play big2"):
        find_agent(name, make_game("big2-v0"))


def test_players_of_whole_decks_refuse_small_ones() -> None:
    for name in NAMES:
        if name != "random_low_fold":
            with pytest.raises(ValueError, match="cannot play leduc_holdem"):
                find_agent(name, make_game("leduc_holdem-v0"))


@pytest.mark.parametrize(
    "game",
    [
        LIMIT,
        RLCARD,
        make_game("limit_holdem-v0", num_players=10, stacks=7, ante=1),
        make_game("limit_holdem-v0", num_players=3, max_raises=None),
        make_game("no_limit_holdem-v0", num_players=6),
        make_game("no_limit_holdem-v0", num_players=2, bet_menu="integers", stacks=30),
        make_game("no_limit_holdem-v0", num_players=4, bet_menu="chips:8,16", structure="pot_limit", rules="acpc"),
    ],
    ids=["limit", "rlcard", "ten_short_stacks", "no_cap", "no_limit", "integers", "pot_limit"],
)
def test_they_play_legally(game: Game) -> None:
    agents = [find_agent(name, game) for name in NAMES]
    for first in range(0, len(agents), game.num_seats) if COMPILED else [0]:
        seated = [agents[(first + k) % len(agents)] for k in range(game.num_seats)]
        result = play_match(game, seated, 300 if COMPILED else 2, seed=3)  # an illegal action raises an AgentError
        assert (result.payoffs.sum(axis=1) == 0).all()
        assert result.payoffs.any()


@pytest.mark.skipif(not COMPILED, reason="thousands of sampled deals, which take minutes as plain Python")
def test_results_do_not_depend_on_the_number_of_tables() -> None:
    names = ["equity", "chen_loose", "sklansky_loose", "shi_rules_loose", "random_low_fold", "loose_passive"]

    def payoffs(num_tables: int) -> Any:
        agents = [find_agent(name, SIX_MAX) for name in names]
        return play_match(SIX_MAX, agents, 200, seed=1, num_tables=num_tables).payoffs

    expected = payoffs(4096)
    assert (expected != 0).any(axis=0).all()
    for num_tables in (1, 7):
        assert (payoffs(num_tables) == expected).all()


@pytest.mark.parametrize("name", NAMES)
def test_views_stay_as_they_are(name: str) -> None:
    table = with_board("Ah Kd", "Ac 7d 2s")
    decisions = decisions_at(LIMIT, table.tables, np.array([0]), np.array([0]), np.array([0.3]))
    before = decisions.views.tobytes()
    find_agent(name, LIMIT).act(decisions, np.random.default_rng(0))
    assert decisions.views.tobytes() == before


@pytest.mark.parametrize("name", ["sklansky", "chen", "shi_rules", "tight_aggressive", "loose_passive", "equity"])
def test_nobody_folds_where_checking_is_free(name: str) -> None:
    assert then(find_agent(name, RLCARD), "7c 2d", "Ah Ks Qh", game=RLCARD) == "call"


@pytest.mark.parametrize(
    ("bet_menu", "expected"),
    [("fcpa", 4 + 2), ("pot:0.5,2", 3 + 1), ("chips:3,7,50", 7), ("integers", 6), ("fca", 200)],
)
def test_raises_in_no_limit_are_those_nearest_to_the_pot(bet_menu: str, expected: int) -> None:
    game = make_game("no_limit_holdem-v0", num_players=2, bet_menu=bet_menu)
    table = OneTable(game.config, button=0, deck=card_ids("As Ah Kc Kd"))
    button = table.actor
    table.step(action(find_agent("chen", game), game, table))
    assert int(table.t.street_commit[button]) == expected  # the pot after calling is 4 chips: raise to 2 + 4


# --- random_low_fold --------------------------------------------------------------------------------------------------


def test_low_fold_folds_a_third_of_the_decisions_in_which_it_may() -> None:
    table = OneTable(LIMIT.config, button=0)
    count = 3000
    random_numbers = (np.arange(count) + 0.5) / count
    rows = np.zeros(count, np.int64)
    taken = RandomLowFold().act(decisions_at(LIMIT, table.tables, rows, rows, random_numbers), np.random.default_rng(0))
    shares = np.bincount(taken, minlength=3) / count
    assert shares == pytest.approx([MAY_FOLD / 3, (1 - MAY_FOLD / 3) / 2, (1 - MAY_FOLD / 3) / 2], abs=0.001)


# --- sklansky ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "printed", "exact"),
    [
        ("very high", 3, 3.0),
        ("tight", 5, 5.1),
        ("average", 10, 9.7),
        ("loose", 25, 25.2),
        ("very loose", 50, 49.9),
    ],
)
def test_ranges_hold_the_printed_shares(name: str, printed: int, exact: float) -> None:
    assert share(set(np.flatnonzero(list(RANGES).index(name) >= RANGE_OF_HAND))) == exact
    assert exact == pytest.approx(printed, abs=0.5)


@pytest.mark.parametrize(
    ("hand", "number"),
    [
        ("As Ah", 0), ("Js Jh", 0), ("As Kd", 0), ("Ts Th", 1), ("9s 9h", 1), ("As Qd", 1), ("8s 8h", 2),
        ("As Td", 2), ("Ks Qd", 2), ("6s 6h", 3), ("As 5d", 3), ("Qs Td", 3), ("Js Td", 3), ("Ks 9s", 3),
        ("Ts 9s", 3), ("Ks 9d", 4), ("Ts 7d", 4), ("As 2d", 4), ("Ks 4d", 4), ("Ks 2s", 4), ("Ks 3d", 5),
        ("9s 6s", 5), ("Qs 6s", 5), ("7s 2h", 5),
    ],
)  # fmt: skip
def test_range_of_hand(hand: str, number: int) -> None:
    assert RANGE_OF_HAND[starting_hand(*card_ids(hand))] == number


def test_sklansky_raises_tight_calls_loose_and_folds_the_rest_on_every_street() -> None:
    wanted = {"9s 9h": "raise", "As Qd": "raise", "8s 8h": "call", "Ks 9s": "call", "Ks 9d": "fold"}
    for hand, expected in wanted.items():
        assert before_flop(Sklansky(), hand) == expected
        assert then(Sklansky(), hand, "2c 2d 2h 3c", "c 4") == expected


# --- chen -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("As Ah", 20), ("Ks Kh", 16), ("Ts Th", 10), ("6s 6h", 6), ("5s 5h", 6), ("4s 4h", 5), ("2s 2h", 5),
        ("As Ks", 12), ("As Kd", 10), ("As Qd", 9), ("As Js", 10), ("As Td", 6), ("As 5d", 5), ("As 2s", 7),
        ("Ks Qd", 8), ("Qs Jd", 7), ("Js Td", 7), ("Js 9d", 6), ("Js 8d", 4), ("Js 7d", 2), ("Ts 9s", 8),
        ("7s 5s", 6), ("7s 3d", 0), ("9s 8d", 6), ("3s 2d", 3), ("7s 2d", -1), ("8s 3d", -1),
    ],
)  # fmt: skip
def test_chen_points(hand: str, points: int) -> None:
    """By the formula: "7s 5s" is 3.5 + 2 suited - 1 gap + 1 below the queen = 5.5, rounded up."""
    assert CHEN_POINTS[starting_hand(*card_ids(hand))] == points


def test_chen_raises_and_calls_by_points_on_every_street() -> None:
    at_nine, at_seven, at_five, at_three = "As Qd", "Js Td", "4s 4h", "3s 2d"
    for game, expected in ((LIMIT, ("raise", "raise", "call", "call")), (SIX_MAX, ("raise", "call", "call", "fold"))):
        assert tuple(before_flop(Chen(), hand, game) for hand in (at_nine, at_seven, at_five, at_three)) == expected
    assert then(Chen(), "As Qd", "2c 2h 3d", "c 2") == "raise"
    assert then(Chen(), "7s 2d", "7c 7h 2c", "c 2") == "fold"


@pytest.mark.parametrize(("strict", "loose"), [("chen_strict", "chen_loose"), ("sklansky_strict", "sklansky_loose")])
def test_loose_variants_raise_less_and_fold_less(strict: str, loose: str) -> None:
    agent = find_agent(loose, LIMIT)
    cases = {"As Ah": RAISES_STRONG, "7s 2d": CALLS_WEAK}
    expected = {"As Ah": ("raise", "call"), "7s 2d": ("call", "fold")}
    for hand, chance in cases.items():
        assert before_flop(agent, hand, uniform=chance - 0.01) == expected[hand][0]
        assert before_flop(agent, hand, uniform=chance + 0.01) == expected[hand][1]
    for uniform in (0.01, 0.99):
        assert before_flop(agent, "6s 6h", SIX_MAX, uniform) == "call"
        assert before_flop(find_agent(strict, LIMIT), "7s 2d", uniform=uniform) == "fold"


# --- shi_rules, tight_aggressive, loose_passive -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "board", "made"),
    [
        ("As Kd", "2c 7h 9d", NOTHING),
        ("As 9s", "2c 7h 9d", TOP_PAIR),
        ("As 7s", "2c 7d 9d", PAIR),
        ("Ts Td", "2c 7h 9d", TOP_PAIR),
        ("8s 8d", "2c 7h 9d", PAIR),
        ("7s 7d", "2c 7h 9d", STRONG),
        ("9s 7s", "2c 7h 9d", STRONG),
        ("As 7s", "7c 7h 9d", STRONG),
        ("As Kd", "7c 7h 9d", NOTHING),
        ("As Ks", "2s 7s 9d", DRAW),
        ("As Kd", "2s 7s 9s", DRAW),
        ("Ad Kd", "2s 7s 9s Ts", NOTHING),
        ("As Kd", "2s 7s 9s 3h 4c", NOTHING),
        ("As Kd", "2s 7s 9s Ts", STRONG),
        ("As Kd", "2s 7s 9s Ts Js", STRONG),
        ("Ts 8d", "2c 7h 9d", DRAW),
        ("Js 8d", "7c 9h Td", STRONG),
        ("As 2d", "3c 4h 5d", STRONG),
        ("As Kd", "2c 3h 4d", DRAW),
        ("As 8d", "2c 3h 4d 9c 5c", STRONG),
        ("Qs Jd", "2c 3h 4d 5c", NOTHING),
        ("Ks Qd", "9c Th Jd Jc 2s", STRONG),
        ("7s 7d", "2c 3h 4d 5c 6c", STRONG),
    ],
)
def test_what_hole_cards_make_of_the_board(hand: str, board: str, made: int) -> None:
    assert classify_made_hand(with_board(hand, board).t) == made


def test_shi_rules_before_the_flop() -> None:
    expected = {
        "Ts Td": "raise", "Ks Jd": "raise", "As Js": "raise", "9s 9d": "call", "7s 2s": "call", "6s 5d": "call",
        "Qs 2d": "call", "Js 9d": "fold", "7s 2d": "fold",
    }  # fmt: skip
    assert {hand: before_flop(ShiRules(), hand) for hand in expected} == expected


def test_shi_rules_with_the_board() -> None:
    assert then(ShiRules(), "As 9s", "2c 7h 9d", "c 2") == "raise"
    assert then(ShiRules(), "As 7s", "2c 7d 9d", "c 2") == "call"
    assert then(ShiRules(), "As Ks", "2s 7s 9d", "c 2") == "call"
    assert then(ShiRules(), "As Kd", "2c 7h 9d", "c 2") == "fold"
    assert then(ShiRules(), "As Kd", "2c 7h 9d") == "call"


def test_tight_aggressive() -> None:
    player = TightAggressive()
    assert [before_flop(player, hand, SIX_MAX) for hand in ("As Qd", "Qs Jd", "4s 4d")] == ["raise", "call", "fold"]
    assert [before_flop(player, hand) for hand in ("Qs Jd", "4s 4d", "3s 2d")] == ["raise", "call", "fold"]
    assert then(player, "9s 7s", "2c 7h 9d", "c 2") == "raise"
    assert then(player, "As 9s", "2c 7h 9d") == "raise"
    assert then(player, "As 9s", "2c 7h 9d", "c 2") == "call"
    assert then(player, "As 7s", "2c 7d 9d", "c 2") == "call"
    assert then(player, "As 7s", "2c 7d 9d", "2 4") == "fold"
    assert then(player, "As Kd", "2c 7h 9d", "c 2") == "fold"


def test_loose_passive() -> None:
    player = LoosePassive()
    assert [before_flop(player, hand, SIX_MAX) for hand in ("Ks Kd", "As Ks", "8s 3d")] == ["raise", "call", "fold"]
    assert [before_flop(player, hand) for hand in ("As Ks", "7s 3d", "7s 2d")] == ["raise", "call", "fold"]
    assert then(player, "9s 7s", "2c 7h 9d", "c 2") == "raise"
    assert then(player, "9s 7s", "2c 7h 9d", "2 4") == "call"
    assert then(player, "As 9s", "2c 7h 9d", "2 4") == "call"
    assert then(player, "As Ks", "2s 7s 9d", "2 4") == "call"
    assert then(player, "As Kd", "2c 7h 9d", "c 2") == "call"
    assert then(player, "As Kd", "2c 7h 9d", "2 4") == "fold"
    assert then(player, "Qs Jd", "2c 7h 9d", "c 2") == "fold"


# --- position_ranges --------------------------------------------------------------------------------------------------

NO_LIMIT_SIX_MAX = make_game("no_limit_holdem-v0", num_players=6)
UTG, HJ, CO, BTN, SB = "", "f", "f f", "f f f", "f f f f"
"""Decisions before a seat that is first in."""


def at_six(hand: str, decisions: str, game: Game = NO_LIMIT_SIX_MAX) -> int:
    """Return the action of position_ranges with `hand` after these decisions before the flop."""
    table = OneTable(game.config, button=0)
    table.play(decisions)
    rest = [card for card in range(52) if card not in card_ids(hand)]
    actor = table.actor
    deck = [*rest[: 2 * actor], *card_ids(hand), *rest[2 * actor : 10]]
    table = OneTable(game.config, button=0, deck=deck)
    table.play(decisions)
    return action(PositionRanges(), game, table)


def test_hand_shares_are_places_of_all_hands() -> None:
    assert pytest.approx(0.5) == HAND_SHARES @ STARTING_HAND_COUNTS / 1326
    aces, seven_deuce = (starting_hand(*card_ids(hand)) for hand in ("As Ad", "7s 2d"))
    assert HAND_SHARES[aces] == pytest.approx(3 / 1326)
    assert HAND_SHARES[seven_deuce] > 0.95


def test_position_ranges_opens_more_hands_in_late_position() -> None:
    half_pot = 2
    opens = {
        "As Ad": (UTG, HJ, CO, BTN, SB),
        "Ks Td": (HJ, CO, BTN, SB),
        "As 9d": (CO, BTN, SB),
        "8s 7d": (BTN, SB),
        "7s 2d": (),
    }
    for hand, positions in opens.items():
        for position in (UTG, HJ, CO, BTN, SB):
            assert at_six(hand, position) == (half_pot if position in positions else FOLD), (hand, position)


def test_position_ranges_plays_fewer_hands_against_raises() -> None:
    big_blind_after_a_raise = "4 f f f f"
    assert at_six("As Ad", "4") == RAISE
    assert at_six("7s 7d", "4") == CALL
    assert at_six("As 9d", "4") == FOLD
    assert at_six("As 9d", big_blind_after_a_raise) == CALL
    assert at_six("7s 7d", "4 12") == FOLD
    assert at_six("7s 2d", "c c c c c") == CALL  # checking is free


# --- rlcard_rule ------------------------------------------------------------------------------------------------------


def test_rlcard_rule_before_the_flop() -> None:
    expected = {
        "2s 2d": "raise", "As Td": "raise", "As 2s": "raise", "As 9d": "fold", "Ks Td": "raise", "Ks 9s": "fold",
        "9s 8s": "fold",
    }  # fmt: skip
    assert {hand: before_flop(RLCardRule(), hand) for hand in expected} == expected


@pytest.mark.parametrize(
    ("hand", "board", "facing_a_bet", "free"),
    [
        ("7s 7d", "2c 7h 9d", "raise", "raise"),
        ("8s 8d", "2c 7h 9d", "fold", "fold"),
        ("As Td", "2c 7h Kd", "raise", "raise"),
        ("As Td", "2c 7h 9d", "fold", "fold"),
        ("As 2s", "3s 7h 9d", "raise", "raise"),
        ("As 2s", "3d 7h 9d", "fold", "fold"),
        ("As 2d", "Ad 2h 9d", "fold", "fold"),
        ("Ks 9d", "2c 3h 5d", "fold", "call"),
        ("Ks 9d", "2c 3h 5d 4d", "fold", "fold"),
        ("Ks 9d", "2c 3h 5d 6d", "call", "raise"),
        ("Ks 9d", "2c 3h 6d", "call", "raise"),
    ],
)
def test_rlcard_rule_with_the_board(hand: str, board: str, facing_a_bet: str, free: str) -> None:
    bet = "2" if len(board.split()) == 3 else "4"
    assert then(RLCardRule(), hand, board, f"c {bet}", game=RLCARD) == facing_a_bet
    assert then(RLCardRule(), hand, board, game=RLCARD) == free


def test_rlcard_rule_calls_where_it_may_not_raise() -> None:
    assert then(RLCardRule(), "7s 7d", "2c 7h 9d", "2 4 6 8", game=RLCARD) == "call"


def test_rlcard_rule_checks_where_folding_for_free_is_illegal() -> None:
    assert then(RLCardRule(), "8s 8d", "2c 7h 9d", game=LIMIT) == "call"


# --- equity -----------------------------------------------------------------------------------------------------------


def test_shares_before_the_flop_are_exact_against_one_opponent() -> None:
    table = OneTable(LIMIT.config, button=0, deck=card_ids("As Ad"))
    table.t.actor = 0
    assert pot_share(table.t, 1, 1, np.uint64(0)) == pytest.approx(0.852, abs=0.001)


def test_shares_are_those_of_all_possible_hands() -> None:
    board, mine = card_ids("2c 7h 9d Jc Js"), card_ids("As Jd")
    table = with_board("As Jd", "2c 7h 9d Jc Js")
    rest = [card for card in range(52) if card not in board + mine]
    rank = hand_rank(board + mine)
    others = [hand_rank([*board, *pair]) for pair in combinations(rest, 2)]
    exact = np.mean([(rank < other) + 0.5 * (rank == other) for other in others])
    assert 0.9 < exact < 1
    assert pot_share(table.t, 1, 20_000 if COMPILED else 300, np.uint64(1)) == pytest.approx(exact, abs=0.02)


def test_shares_fall_with_opponents_and_are_fair_on_average() -> None:
    table = with_board("As Ad", "2c 7h 9d")
    shares = [pot_share(table.t, opponents, 2000 if COMPILED else 50, np.uint64(2)) for opponents in (1, 3, 6)]
    assert 1 > shares[0] > shares[1] > shares[2] > 0.2
    played_by_board = with_board("2s 3d", "Tc Jc Qc Kc Ac")
    assert pot_share(played_by_board.t, 3, 10, np.uint64(3)) == 0.25


def test_equity_raises_good_hands_calls_at_a_price_and_folds() -> None:
    player = Equity()
    assert before_flop(player, "As Ad") == "raise"
    assert then(player, "As 9s", "2c 7h 9d") == "raise"
    assert then(player, "5s 4d", "2c 7h 9d") == "call"
    assert then(player, "5s 4d", "Ac 7h 9d 2h Qs", "c 4") == "fold"
    assert then(player, "Ks 8d", "Ac 7h 9d 2h Qs", "c 4") == "call"
    assert then(player, "Ks Qd", "Kc 7h 9d 2h Qs", "c 4") == "raise"


def test_equity_needs_samples() -> None:
    with pytest.raises(ValueError, match="samples 0 must be at least 1"):
        Equity(samples=0)
