"""The course of a deal (sections 2, 4 and 6 of the rules), the options, and what illegal plays are told."""

from __future__ import annotations

from typing import Any

import pytest

from card_envs.games.big2.actions import PASS, action_of
from card_envs.games.big2.config import Big2Config
from tests.helpers.big2_deals import DECK, Deal

HEARTS = " ".join(card for card in DECK if card[1] == "H")


def test_the_holder_of_3d_leads_it_without_a_decision() -> None:
    for opener in range(4):
        deal = Deal(*["3D" if seat == opener else "" for seat in range(4)])
        assert deal.t.opener == deal.t.trick_leader == deal.t.trick_seat == opener
        assert deal.actor == (opener + 1) % 4
        assert [int(deal.t.num_cards[seat]) for seat in range(4)] == [12 if s == opener else 13 for s in range(4)]
        assert (deal.t.trick_size, deal.t.passes, deal.t.num_decisions) == (1, 0, 0)
        assert PASS in deal.legal


def test_the_holder_of_3d_may_be_asked() -> None:
    deal = Deal("", "3D 3C", config=Big2Config(opening_decision=True))
    assert (deal.actor, deal.legal_names, deal.t.trick_size) == (1, ["single 3D"], 0)
    deal.observe()
    assert deal.observation[0, deal.game.layout.slices["control"]] == 1
    assert "begins with the single 3D" in deal.game.why_illegal(deal.tables, 0, 1)
    deal.play("3D")
    assert deal.actor == 2
    assert deal.legal == [*range(13), PASS]


def test_a_pass_is_not_final_and_a_play_starts_the_count_anew() -> None:
    deal = Deal("3D 4D", "5D", "6D KD", "7D AD")
    deal.pass_()
    assert deal.t.passes == 1
    deal.play("6D")
    assert (deal.t.passes, deal.t.trick_seat, deal.t.trick_leader) == (0, 2, 0)
    deal.pass_(2)
    assert deal.actor == 1
    assert "single 5D" not in deal.legal_names
    deal.play(deal.hand(1)[-1])
    assert deal.t.trick_seat == 1


def test_three_passes_give_control_to_who_played_last() -> None:
    deal = Deal("3D", "5D")
    deal.play("5D")
    deal.pass_(3)
    assert (deal.actor, deal.t.trick_size, deal.t.trick_seat, deal.t.trick_leader) == (1, 0, -1, -1)
    assert PASS not in deal.legal
    assert deal.legal[:12] == list(range(12))


@pytest.mark.parametrize(
    ("hands", "lead", "then", "legal"),
    [
        (("5D 5C 9S", "3D 6D 6C 6H", "7D 7C 8D 8C", "4D KS"), "5D 5C", "6D 6H",
         (["pair 6D 6C", "pair 6D 6H", "pair 6C 6H"], ["pair 7D 7C", "pair 8D 8C"])),
        (("2H 2S AD AC 3S", "5D 5C 5H 5S 6D", "7D 7C 7H 7S 8S", "KD"), "AD AC 2H 2S", "5D 5C 5H 5S",
         (["four of a kind 5D 5C 5H 5S"], ["four of a kind 7D 7C 7H 7S"])),
    ],
    ids=["the same number of cards follows", "four of a kind beats two pair and takes no kicker"],
)  # fmt: skip
def test_what_may_follow(hands: tuple[str, ...], lead: str, then: str, legal: tuple[list[str], list[str]]) -> None:
    deal = Deal()
    deal.leave(*hands, control=0)
    for cards, names in zip((lead, then), legal, strict=True):
        deal.play(cards)
        assert deal.legal_names == [*names, "pass"]


@pytest.mark.parametrize("all_triples", [False, True])
def test_three_of_four_cards_of_a_rank(all_triples: bool) -> None:
    deal = Deal(config=Big2Config(all_triples=all_triples))
    deal.leave("7D 7C 7H 7S 9D 9C", "3D 3C", "4D 4C", "5D 5C", control=0)
    names = {"7D 7C 7H", "7D 7C 7S", "7D 7H 7S", "7C 7H 7S"} - (set() if all_triples else {"7D 7C 7S"})
    legal = deal.legal_names
    assert {name[16:] for name in legal if name.startswith("three of a kind")} == names
    assert {name[11:19] for name in legal if name.startswith("full house")} == names
    action = deal.action("7D 7C 7S")
    assert (action in deal.legal) == all_triples
    if not all_triples:
        assert "without the heart" in deal.game.why_illegal(deal.tables, 0, action)


def test_diamond_club_and_spade_are_a_triple_when_the_heart_is_gone() -> None:
    deal = Deal()
    deal.leave("7D 7C 7S 9D 9C", "3D 3C", "4D 4C", "5D 5C", control=0)
    assert "three of a kind 7D 7C 7S" in deal.legal_names
    assert "full house 7D 7C 7S 9D 9C" in deal.legal_names


@pytest.mark.parametrize("wins", [False, True])
def test_a_higher_straight_flush(wins: bool) -> None:
    deal = Deal(config=Big2Config(higher_straight_flush_wins=wins))
    deal.leave("3D 4D 5D 6D 7D 9S", "5S 6S 7S 8S 9H 9C", "TC JC QC KC AC 2D", "8C", control=0)
    deal.play("3D 4D 5D 6D 7D")
    deal.pass_()
    straight_flush = deal.action("TC JC QC KC AC")
    assert deal.legal == ([straight_flush] if wins else []) + [PASS]
    if not wins:
        assert "nothing beats a straight flush" in deal.game.why_illegal(deal.tables, 0, straight_flush)


PASSES_AFTER_2S = {"played": 3, "skipped_after_2s": 0, "skipped": 0}
PASSES_AFTER_AD = {"played": 3, "skipped_after_2s": 3, "skipped": 0}


@pytest.mark.parametrize("forced_passes", PASSES_AFTER_2S)
def test_turns_without_a_choice(forced_passes: str) -> None:
    deal = Deal(config=Big2Config(forced_passes=forced_passes))
    deal.leave("3D AD 2S", "3C 4C", "4D 4H", "5D 5H", control=0)
    deal.play("AD")
    for _ in range(PASSES_AFTER_AD[forced_passes]):
        assert deal.legal == [PASS]
        deal.pass_()
    assert (deal.actor, deal.t.trick_size) == (0, 0)
    deal.play("2S")
    for _ in range(PASSES_AFTER_2S[forced_passes]):
        assert deal.legal == [PASS]
        deal.pass_()
    assert (deal.actor, deal.t.trick_size, deal.legal_names) == (0, 0, ["single 3D"])


def test_skipped_passes_are_counted() -> None:
    deal = Deal(config=Big2Config(forced_passes="skipped"))
    deal.leave("3D KD", "3C 4C", "4D AH", "5D 5H", control=0)
    deal.play("KD")
    assert (deal.actor, deal.t.passes, deal.t.num_decisions) == (2, 1, 4)  # three of them by `leave`
    deal.pass_()
    assert (deal.actor, deal.t.trick_size) == (0, 0)


def payoffs(*hands: str, **options: Any) -> list[int]:
    """Let seat 0 go out and return what everybody wins."""
    deal = Deal(config=Big2Config(**options))
    deal.leave("AD", *hands, control=0)
    deal.play("AD")
    assert deal.t.is_over
    assert (deal.actor, deal.legal) == (-1, [])
    assert sum(deal.t.payoff.tolist()) == 0
    assert deal.t.payoff.max() <= deal.game.max_reward
    return [int(points) for points in deal.t.payoff]


def test_without_flushes_a_flush_is_nothing_and_a_straight_flush_stays() -> None:
    deal = Deal(config=Big2Config(flushes="none"))
    deal.leave("3D 4D 5D 6D 7D 9D", "5S 6S 7S 8S 9H 9C", "TC JC QC KC AC 2D", "8C", control=0)
    names = [name for name in deal.legal_names if "flush" in name]
    assert names == ["straight flush 3D 4D 5D 6D 7D"]
    flush = deal.action("3D 4D 5D 6D 9D")
    assert "are not a combination" in deal.game.why_illegal(deal.tables, 0, flush)
    deal = Deal(config=Big2Config(flushes="none"))
    deal.leave("3D 4C 5D 6D 7D 9D", "3S 5S 7S 9S JS 2C", "TC JC QC KC AC 4H", "8C", control=0)
    deal.play("3D 4C 5D 6D 7D")
    assert deal.legal == [PASS]  # a flush does not beat a straight
    deal.pass_()
    assert deal.legal_names == ["straight flush TC JC QC KC AC", "pass"]


@pytest.mark.parametrize("all_triples", [False, True])
def test_without_bare_triples_three_of_a_kind_needs_a_pair(all_triples: bool) -> None:
    deal = Deal(config=Big2Config(bare_triples=False, all_triples=all_triples))
    deal.leave("7D 7C 7H 7S 9D 9C", "3D 3C", "4D 4C", "5D 5C", control=0)
    assert not [name for name in deal.legal_names if name.startswith("three")]
    houses = {name[11:19] for name in deal.legal_names if name.startswith("full house")}
    assert len(houses) == (4 if all_triples else 3)
    assert "four of a kind 7D 7C 7H 7S" in deal.legal_names
    triple = deal.action("7D 7C 7H")
    assert triple not in deal.legal
    assert "cards 7D 7C 7H (action 46) are not a combination" in deal.game.why_illegal(deal.tables, 0, triple)


DRAGON = "3D 4C 5H 6S 7D 8C 9H TS JD QC KH AS 2D"
OTHER_DRAGON = "3C 4D 5S 6H 7C 8D 9S TH JC QD KS AH 2C"


def test_a_dragon_wins_before_anybody_plays() -> None:
    deal = Deal("", "", DRAGON, config=Big2Config(dragon_wins=True))
    assert (deal.t.is_over, deal.actor, deal.legal) == (1, -1, [])
    assert deal.t.payoff.tolist() == [-13, -13, 39, -13]
    assert deal.game.text(deal.tables, 0, None).startswith("deal over: player_2 was dealt a dragon\n")
    assert deal.game.why_illegal(deal.tables, 0, 0).startswith("action 0: the deal is over")
    assert Deal("", "", DRAGON).t.is_over == 0  # under other rules it is played card by card


def test_of_two_dragons_the_first_in_the_order_of_play_wins() -> None:
    rules = Big2Config(dragon_wins=True, double_from=10, triple_from=13)
    assert Deal(OTHER_DRAGON, "", "", DRAGON, config=rules).t.payoff.tolist() == [-39, -39, -39, 117]
    assert Deal(OTHER_DRAGON, "3D", "", DRAGON.replace("3D", "3H"), config=rules).t.payoff.argmax() == 3
    assert Deal(DRAGON.replace("3D", "3H"), "3D", OTHER_DRAGON, config=rules).t.payoff.argmax() == 2


def test_all_ranks_but_one_are_no_dragon() -> None:
    deal = Deal(DRAGON.replace("2D", "AH"), config=Big2Config(dragon_wins=True))
    assert (deal.t.is_over, int(deal.t.num_cards[0])) == (0, 12)


FIVE, SEVEN, TEN = "3D 3C 3H 3S 4D", "5D 5C 5H 5S 6D 6C 2C", "7D 7C 7H 7S 8D 8C 8H 8S 2H 2S"
THIRTEEN = "9D 9C 9H 9S TD TC TH TS JD JC JH JS QD"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [5, 7, 10]),
        ({"double_from": 10}, [5, 7, 2 * 10]),
        ({"double_from": 7}, [5, 2 * 7, 2 * 10]),
        ({"triple_from": 10}, [5, 7, 3 * 10]),
        ({"double_from": 6, "triple_from": 10}, [5, 2 * 7, 3 * 10]),
        ({"points_per_two": 4}, [5, 7 + 4, 10 + 8]),
        ({"double_per_two": True}, [5, 7 * 2, 10 * 4]),
        ({"double_from": 10, "double_per_two": True}, [5, 7 * 2, 10 * 2 * 4]),
        ({"double_from": 10, "points_per_two": 3}, [5, 7 + 3, 10 * 2 + 6]),
    ],
)
def test_losers_pay_a_point_a_card_and_penalties(options: dict[str, Any], expected: list[int]) -> None:
    assert payoffs(FIVE, SEVEN, TEN, **options) == [sum(expected), *(-points for points in expected)]


def test_thirteen_cards_pay_three_times() -> None:
    losers = {"double_from": 10, "triple_from": 13}
    assert payoffs(FIVE, THIRTEEN, TEN, **losers) == [5 + 39 + 20, -5, -39, -20]


def test_rewards_are_bounded_by_the_worst_hands() -> None:
    assert Big2Config().max_reward == 39
    assert Big2Config(double_from=10).max_reward == 78
    assert Big2Config(triple_from=13, points_per_two=5).max_reward == 117 + 20
    assert Big2Config(double_per_two=True).max_reward == 13 * (16 + 1 + 1)


def explain(deal: Deal, action: int) -> str:
    before = deal.tables.tobytes()
    text = deal.game.why_illegal(deal.tables, 0, action)
    assert deal.tables.tobytes() == before
    return text


def test_illegal_plays_are_explained_in_words() -> None:
    deal = Deal()
    deal.leave("5D 9S KD", "3D 6D 6C 7H AS", "7D 7C 8D 8C", "4D KS", control=0)
    assert explain(deal, PASS) == (
        "pass (action 1694): the seat that has control must lead; legal: single 5D (0), single 9S (1), single KD (2)"
    )
    assert "cards 5D 9S (action 13) are not a combination" in explain(deal, 13)
    assert "plays positions [3] of a hand of 3 cards" in explain(deal, 3)
    assert "action 1695 is outside 0..1694" in explain(deal, 1695)
    deal.play("9S")
    assert explain(deal, 0) == "single 3D (action 0) does not beat the single 9S; legal: single AS (4), pass (1694)"
    pair = action_of((1, 2))
    assert "pair 6D 6C (action 16) has 2 cards, the hand to beat 1: single 9S" in explain(deal, pair)
    deal.play("AS")
    deal.pass_(3)
    deal.leave("3D", "4D", "5D", "6D", control=1)
    deal.play("4D")
    assert "the deal is over" in explain(deal, 0)


def test_a_long_list_of_legal_plays_is_cut() -> None:
    deal = Deal()
    deal.leave("3D", HEARTS, "4D", "5D", control=1)
    assert explain(deal, PASS).endswith("and 1288 more")


def test_text_shows_what_a_seat_sees() -> None:
    deal = Deal()
    deal.leave("5D 9S KD", "3D 6D", "7D 7C", "4D", control=0)
    deal.play("9S")
    assert deal.game.text(deal.tables, 0, 1) == (
        "to beat: single 9S by player_0, led by player_0\n"
        "player_0   2  ?? ??\n"
        "player_1   2  3D 6D <\n"
        "player_2   2  ?? ??\n"
        "player_3   1  ??"
    )
    deal.pass_()
    assert deal.game.text(deal.tables, 0, None) == (
        "to beat: single 9S by player_0, led by player_0, 1 passed since\n"
        "player_0   2  5D KD\n"
        "player_1   2  3D 6D\n"
        "player_2   2  7D 7C <\n"
        "player_3   1  4D"
    )
    deal.pass_(2)
    assert deal.game.text(deal.tables, 0, 3).startswith("player_0 has control\n")
    deal.leave("3D", "4D", "5D 5C", "6D", control=1)
    deal.play("4D")
    assert deal.game.text(deal.tables, 0, 2) == (
        "deal over: player_1 went out with single 4D\n"
        "player_0   1  ??  -1\n"
        "player_1   0    +4\n"
        "player_2   2  5D 5C  -2\n"
        "player_3   1  ??  -1"
    )
