"""Which rules can be asked for, and which hands."""

from __future__ import annotations

import inspect
import re
import tomllib
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from typing import Any

import pytest

from card_envs.games.big2.config import (
    FLUSHES,
    FORCED_PASSES,
    RULES,
    STRAIGHTS,
    Big2Config,
)
from card_envs.games.big2.presets import big2
from card_envs.games.big2.state import (
    FLUSH_BY_HIGHEST_CARD,
    FLUSH_BY_RANKS,
    FLUSH_BY_SUIT,
    NO_FLUSHES,
    OPENING_DECISION,
    OPENING_DRAGON_WINS,
    PASSES_PLAYED,
    PASSES_SKIPPED,
    PASSES_SKIPPED_AFTER_2S,
    TRIPLES_ALL,
    TRIPLES_NOT_BARE,
)
from tests.helpers.big2_deals import Deal, fill_hands


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forced_passes": "never"}, "forced_passes 'never' is not known: choose one of ['played'"),
        ({"straights": "poker"}, "straights 'poker' is not known: choose one of ['two_high'"),
        ({"flushes": "rank"}, "flushes 'rank' is not known"),
        ({"all_triples": 1}, "all_triples 1 must be True or False"),
        ({"bare_triples": 0}, "bare_triples 0 must be True or False"),
        ({"dragon_wins": "yes"}, "dragon_wins 'yes' must be True or False"),
        ({"double_from": 0}, "double_from 0 must be a number of cards in 1 .. 13, or None"),
        ({"triple_from": 14}, "triple_from 14 must be"),
        ({"double_from": 10.0}, "double_from 10.0 must be"),
        ({"double_from": 10, "triple_from": 10}, "triple_from 10 must be more cards than double_from 10"),
        ({"points_per_two": -1}, "points_per_two -1 must be a whole number in 0 .. 1000"),
        ({"points_per_two": 5, "double_per_two": True}, "penalties for the same cards: choose one"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Big2Config(**options)


def test_unknown_names_are_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=re.escape("options ['jokers'] are not known: Big 2 has ['opening_decision'")):
        Big2Config.profile(jokers=2)
    with pytest.raises(ValueError, match=re.escape("rules 'poker' are not known: choose one of ['charlesworth2018'")):
        Big2Config.profile("poker")
    with pytest.raises(ValueError, match="encoder 'nothing' is not known"):
        big2(encoder="nothing")


def test_profiles_and_single_options() -> None:
    assert Big2Config.profile() == Big2Config()
    text = Big2Config.profile("charlesworth2018_text", all_triples=False)
    assert (text.opening_decision, text.forced_passes, text.all_triples) == (True, "skipped_after_2s", False)
    assert big2(rules="charlesworth2018_text", double_from=10).config.double_from == 10
    assert big2(forced_passes="skipped").config == Big2Config(forced_passes="skipped")
    taiwan = Big2Config.profile("taiwan")
    assert (taiwan.flushes, taiwan.bare_triples, taiwan.dragon_wins, taiwan.double_from) == ("none", False, True, 10)
    assert big2("taiwan", bare_triples=True).config.bare_triples
    for rules in RULES:
        assert big2(rules).config == Big2Config.profile(rules)


def test_a_config_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Big2Config().all_triples = True  # type: ignore[misc]


def test_every_option_is_documented_and_an_argument() -> None:
    names = [field.name for field in fields(Big2Config)]
    documented = tomllib.loads((Path(__file__).parents[2] / "docs" / "_meanings.toml").read_text(encoding="utf-8"))
    options = documented["big2_options"]
    assert list(options) == names
    assert list(inspect.signature(big2).parameters) == ["rules", "encoder", *names]
    for option, choices in (("forced_passes", FORCED_PASSES), ("flushes", FLUSHES), ("straights", STRAIGHTS)):
        assert options[option]["values"] == ", ".join(f"`{choice}`" for choice in choices)
    assert all(set(option) == {"values", "meaning", "source"} for option in options.values())


def test_choices_have_the_numbers_that_kernels_know() -> None:
    def written(**options: Any) -> Any:
        return big2(**options).new_tables(1)[0]

    assert written().forced_passes == written(forced_passes="played").forced_passes == PASSES_PLAYED
    assert written(forced_passes="skipped_after_2s").forced_passes == PASSES_SKIPPED_AFTER_2S
    assert written(forced_passes="skipped").forced_passes == PASSES_SKIPPED
    assert written().flushes == written(flushes="highest_card").flushes == FLUSH_BY_HIGHEST_CARD
    assert written(flushes="suit").flushes == FLUSH_BY_SUIT
    assert written(flushes="ranks").flushes == FLUSH_BY_RANKS
    assert written(flushes="none").flushes == NO_FLUSHES
    assert (written().triple_rules, written(all_triples=True).triple_rules) == (0, TRIPLES_ALL)
    assert written(bare_triples=False).triple_rules == TRIPLES_NOT_BARE
    assert written(bare_triples=False, all_triples=True).triple_rules == TRIPLES_NOT_BARE | TRIPLES_ALL
    assert (written().opening_rules, written(dragon_wins=True).opening_rules) == (0, OPENING_DRAGON_WINS)
    assert written(opening_decision=True, dragon_wins=True).opening_rules == OPENING_DECISION | OPENING_DRAGON_WINS


def wrong_hands() -> list[tuple[Any, str]]:
    good = fill_hands("3D", "4D")
    return [
        (good[:3], "hands has 3 hands: Big 2 has 4 seats"),
        ([good[0][:12], *good[1:]], "player_0 has 12 cards: a hand has 13"),
        ([[*good[0], good[1][0]], good[1][1:], *good[2:]], "player_0 has 14 cards"),
        ([["4d", *good[0][1:]], *good[1:]], "4d is dealt twice: to player_0 and to player_1"),
        ([[52, *good[0][1:]], *good[1:]], "hands[0][0] = 52 is not a card id in 0..51"),
        ([[*good[0][:12], -1], *good[1:]], "hands[0][12] = -1 is not a card id"),
        ([[*good[0][:12], 2.5], *good[1:]], "hands[0][12] = 2.5 is not a card id"),
        ([["1x", *good[0][1:]], *good[1:]], "'1x' is not a card"),
    ]


@pytest.mark.parametrize(("hands", "message"), wrong_hands(), ids=[message[:20] for _, message in wrong_hands()])
def test_hands_that_are_no_deal_are_refused_and_change_nothing(hands: Any, message: str) -> None:
    deal = Deal()
    before = deal.tables.tobytes()
    with pytest.raises(ValueError, match=re.escape(message)):
        deal.game.deal_with(deal.tables, 0, {"hands": hands})
    assert deal.tables.tobytes() == before


def test_hands_may_be_in_any_order_and_without_them_the_deal_is_random() -> None:
    deal, hands = Deal(), fill_hands("3D", "4D")
    deal.game.deal_with(deal.tables, 0, {"hands": [hand[::-1] for hand in hands]})
    other = Deal()
    other.game.deal_with(other.tables, 0, {"hands": hands})
    assert deal.t.hand.tolist() == other.t.hand.tolist()
    deal.game.deal_with(deal.tables, 0, {})
    assert deal.t.hand.tolist() != other.t.hand.tolist()
