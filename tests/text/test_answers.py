from __future__ import annotations

import json
import random

import numpy as np
import pytest

from card_envs import limit_holdem_v0, make_game
from card_envs.game import Game
from card_envs.games.holdem.actions import FIRST_RAISE_ACTION, raise_to_of
from card_envs.text import ActionTextError, action_names, extract_answer, parse_action
from tests.text.games_in_words import GAMES, game_of, random_states

FRAMES = (
    "{}",
    "[{}]",
    "I think about the pot odds.\n\nFinal Answer: {}.",
    "**Action:** `{}`",
    "<think>[fold] or [pass]?</think> \\boxed{{{}}}",
    "<answer> {} </answer>",
)


@pytest.mark.parametrize("name", GAMES)
def test_the_name_of_every_legal_action_is_read_as_that_action(name: str) -> None:
    game = game_of(name)
    for k, tables in enumerate(random_states(game, deals=12)):
        for action, words in action_names(game, tables, 0).items():
            assert parse_action(game, tables, 0, FRAMES[k % len(FRAMES)].format(words)) == action, words
            assert parse_action(game, tables, 0, json.dumps({"thought": "so be it", "move": words.upper()})) == action


def no_limit(**settings: object) -> tuple[Game, np.ndarray]:
    game = make_game("no_limit_holdem-v0", **{"bet_menu": "integers", "stacks": 200, **settings})
    tables = game.seeded_tables(1, 1)
    game.deal_with(tables, 0, {"button": 0})
    return game, tables


@pytest.mark.parametrize(
    ("words", "amount"),
    [
        ("raise to 80", 80), ("raise 80", 80), ("[raise 80]", 80), ("Raise to $80 chips", 80), ("bet 80", 80),
        ("raise to 2.5bb", 5), ("raise to 3 big blinds", 6), ("raise by 10", 12), ("all-in", 200), ("ALL IN!", 200),
        ("I'm all in.", 200), ("shove", 200), ("raise pot", 6), ("raise half pot", 4), ("bet 75% pot", 5),
        ("raise 2/1 of the pot", 10), ("min-raise", 4), ("raise to 1,00", None), ("raise max", 200),
        ('{"move": "raise 80"}', 80),
        ('{"action": "raise", "amount": 80}', 80), ('{"action": "raise", "to": "4bb"}', 8),
        ("raise to 80 all-in", 80), ("all-in for 200", 200), ("all in 199", 200), ("shove now", 200),
        ("raise all-in", 200),
    ],
)  # fmt: skip
def test_amounts_are_what_is_put_in_on_this_street_afterwards(words: str, amount: int | None) -> None:
    game, tables = no_limit()
    if amount is None:
        with pytest.raises(ActionTextError, match="not an amount"):
            parse_action(game, tables, 0, words)
        return
    action = parse_action(game, tables, 0, words)
    assert game.action_name(tables, 0, action).startswith(f"raise to {amount}")


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("raise to 1,500", "raise to 1500"), ("raise to $12,000", "raise to 12000"), ("raise 1500.0", "raise to 1500"),
        ("raise to 0,500", "'0,500' is not an amount"), ("raise to 1500,500", "'1500,500' is not an amount"),
        ("raise to 1,50", "'1,50' is not an amount"), ("raise to 1,500,00", "'1,500,00' is not an amount"),
        ("raise to 5.000", "'5.000' may be thousands or a fraction"), ("call 1.000", "'1.000' may be thousands"),
        ("all-in for 20.000", "'20.000' may be thousands"), ("raise to 1.000.000", "'1.000.000' may be thousands"),
    ],
)  # fmt: skip
def test_separators_are_those_of_thousands_or_the_answer_is_refused(words: str, taken: str) -> None:
    game, tables = no_limit(stacks=20_000)
    try:
        shown = game.action_name(tables, 0, parse_action(game, tables, 0, words))
    except ActionTextError as error:
        shown = str(error)
    assert taken in shown


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("check", "there are 1 chips to call"),
        ("raise to 3", "outside 4 .. 200"),
        ("raise to 201", "outside 4 .. 200"),
        ("raise to 2.25bb", "not a whole number of chips"),
        ("raise", "name the amount"),
        ("raise to 3x", "not an amount"),
        ("raise 1/0 pot", "divided by 0"),
        ("call 7", "calling costs 1 chips"),
        ("call or fold", "not an amount|not an action"),
        ("I would like to win", "not an action"),
        ("", "names no action"),
        ("[]", "names no action"),
        ("x" * 1000, "names no action"),
    ],
)
def test_a_refused_answer_says_why_and_what_is_legal(words: str, why: str) -> None:
    game, tables = no_limit()
    before = tables.tobytes()
    with pytest.raises(ActionTextError, match=why) as caught:
        parse_action(game, tables, 0, words)
    assert str(caught.value).endswith("legal: fold, call 1, raise to 4 .. 200 (any whole number)")
    assert tables.tobytes() == before


MENUS = {
    "limit": ("limit_holdem-v0", {}),
    "integers": ("no_limit_holdem-v0", {"bet_menu": "integers", "stacks": 60}),
    "chips": ("no_limit_holdem-v0", {"bet_menu": "chips:4,8,16,all_in", "stacks": 60}),
    "fractions": ("no_limit_holdem-v0", {"bet_menu": "pot:0.001,0.5,1,all_in", "stacks": 60}),
    "no all-in": ("no_limit_holdem-v0", {"bet_menu": "pot:0.5,1", "stacks": 60}),
    "pot limit": ("no_limit_holdem-v0", {"structure": "pot_limit", "bet_menu": "integers", "stacks": 60}),
}
WAYS = ("raise to {}", "bet {}", "raise ${}", "raise to {} chips", "[raise {}]", '{{"action": "raise", "amount": {}}}')


@pytest.mark.parametrize("menu", MENUS)
def test_an_amount_is_read_as_that_amount_or_refused(menu: str) -> None:
    env_id, settings = MENUS[menu]
    game = make_game(env_id, **settings)
    read = 0
    for tables in random_states(game, deals=8, seed=1):
        for k, amount in enumerate(range(62)):
            try:
                action = parse_action(game, tables, 0, WAYS[k % len(WAYS)].format(amount))
            except ActionTextError:
                continue
            read += 1
            assert int(raise_to_of(tables[0], action)) == amount, (menu, amount)
            assert action >= FIRST_RAISE_ACTION
    assert read > 10


@pytest.mark.parametrize("menu", MENUS)
@pytest.mark.parametrize(
    "words", ["raise to 0", "bet 0", "raise $0", "raise to 0bb", "raise 0 chips", "raise by 0", "bet 0% pot", "0"]
)
def test_raising_to_nothing_is_refused_with_and_without_a_bet_to_call(menu: str, words: str) -> None:
    env_id, settings = MENUS[menu]
    game = make_game(env_id, **settings)
    tables = game.seeded_tables(1, 1)
    game.deal_with(tables, 0, {"button": 0})
    for before in ("call", "check", "check"):
        game.step(tables, 0, parse_action(game, tables, 0, before))
        with pytest.raises(ActionTextError, match=r"outside|not an action|not on the bet menu"):
            parse_action(game, tables, 0, words)
    game.step(tables, 0, parse_action(game, tables, 0, "check"))
    game.step(tables, 0, game.legal_actions(tables, 0)[-1])
    with pytest.raises(ActionTextError, match=r"outside|not an action|not possible|not on the bet menu"):
        parse_action(game, tables, 0, words)


def test_amounts_off_the_bet_menu_are_refused() -> None:
    game = make_game("no_limit_holdem-v0", num_players=2)
    tables = game.seeded_tables(1, 1)
    game.deal(tables, 0)
    with pytest.raises(ActionTextError, match=r"raise to 11 is not on the bet menu; legal: fold, call 1, raise to 4, "):
        parse_action(game, tables, 0, "raise to 11")


def test_all_in_is_a_call_where_the_stack_does_not_exceed_it() -> None:
    game, tables = no_limit()
    game.step(tables, 0, parse_action(game, tables, 0, "all-in"))
    assert parse_action(game, tables, 0, "all-in") == parse_action(game, tables, 0, "call") == 1
    with pytest.raises(ActionTextError, match="raising is not possible here"):
        parse_action(game, tables, 0, "raise to 400")


def test_a_limit_raise_needs_no_amount_and_refuses_another() -> None:
    game = make_game("limit_holdem-v0")
    tables = game.seeded_tables(1, 1)
    game.deal(tables, 0)
    assert parse_action(game, tables, 0, "raise") == parse_action(game, tables, 0, "raise to 4") == 2
    with pytest.raises(ActionTextError, match=r"outside 4 \.\. 4"):
        parse_action(game, tables, 0, "raise to 6")
    for words in ("all-in", "raise all-in"):
        with pytest.raises(ActionTextError, match=r"outside 4 \.\. 4"):
            parse_action(game, tables, 0, words)


@pytest.mark.parametrize("words", ["all-in for 20", "shove 201", "all in -1", "all-in 1e3", "all-in for 50%", "jam ½"])
def test_all_in_for_another_amount_is_refused(words: str) -> None:
    game, tables = no_limit()
    with pytest.raises(ActionTextError, match=r"all-in is 199 chips, 200 on this street|not an amount"):
        parse_action(game, tables, 0, words)


def big2() -> tuple[Game, np.ndarray]:
    game = make_game("big2-v0", opening_decision=False)
    tables = game.seeded_tables(1, 5)
    game.deal(tables, 0)
    return game, tables


def test_cards_of_big2_are_read_in_several_notations() -> None:
    game, tables = big2()  # the actor holds 3C 3S 4C 4S 5D 6S 7C 7S 8H 9H 2D 2C 2H; to beat: 3D
    seven = parse_action(game, tables, 0, "single 7C")
    for words in ("7c", "7♣", "play the 7 of clubs", "seven of clubs", "I play 7C", "single seven of clubs", "[7C]"):
        assert parse_action(game, tables, 0, words) == seven, words
    assert parse_action(game, tables, 0, "Pass.") in game.legal_actions(tables, 0)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("AS", "you do not hold AS"),
        ("3D", "you do not hold 3D"),
        ("pair 7C 7S", "does not beat the single 3D"),
        ("pair 7C", "these cards are a single"),
        ("a single seven", "2 legal single of rank 7: name the cards"),
        ("7C 7C", "named twice"),
        ("my best card", "neither cards nor a combination"),
        ("cards", "name the cards"),
        ("single zebra", "'zebra' is no rank"),
    ],
)
def test_refused_answers_of_big2(words: str, why: str) -> None:
    game, tables = big2()
    with pytest.raises(ActionTextError, match=why):
        parse_action(game, tables, 0, words)


def test_a_combination_may_be_named_by_its_kind_where_only_one_is_legal() -> None:
    game, tables = big2()
    game.step(tables, 0, parse_action(game, tables, 0, "2H"))
    found = 0
    for state in random_states(game, deals=10, seed=3):
        for action, words in action_names(game, state, 0).items():
            if words.startswith("pair ") and words.count(" ") == 2:
                rank = words[5]
                same = [name for name in action_names(game, state, 0).values() if name.startswith(f"pair {rank}")]
                if len(same) == 1:
                    assert parse_action(game, state, 0, f"the pair of {rank}s") == action
                    found += 1
    assert found > 10


def test_where_an_answer_stands_in_a_text() -> None:
    assert extract_answer("<think>[raise 80]</think>[call]") == "call"
    assert extract_answer("First I wanted [fold], but then: [call]") == "call"
    assert extract_answer("[fold] is weak. Final answer: Raise to 80!") == "raise to 80"
    assert extract_answer('```json\n{"move": "Raise 200"}\n``` instead of [fold]') == "raise 200"
    assert extract_answer('{"reason": {"a": 1}, "x": 2} {"move": "call"}') == "call"
    assert extract_answer("  *CHECK*  ") == "check"
    assert extract_answer("{" * 50_000) == ""


def test_answers_that_are_no_text_and_tables_that_are_over() -> None:
    game, tables = no_limit()
    with pytest.raises(ActionTextError, match="answer int must be a text"):
        parse_action(game, tables, 0, 3)  # type: ignore[arg-type]
    game.step(tables, 0, 0)
    with pytest.raises(ActionTextError, match="the deal is over"):
        parse_action(game, tables, 0, "fold")


def hostile(rng: random.Random, known: list[str]) -> str:
    """Return a text that is damaged, mixed or made up."""
    pieces = [
        *known, "[", "]", "{", "}", '"move":', "raise", "to", "all-in", "bb", "-1", "1e99", "9" * 40, "\x00", "٣", "½",
        "NaN", "\\boxed{", "<answer>", "</think>", "Final Answer:", "%", "/", "pot", "of", "7C", "♠", "😀", "\n",
    ]  # fmt: skip
    text = " ".join(rng.choice(pieces) for _ in range(rng.randrange(1, 9)))
    if rng.random() < 0.3:
        cut = rng.randrange(len(text) + 1)
        text = text[:cut] + chr(rng.randrange(1, 0x2FFF)) + text[cut:]
    return text


def fuzz(name: str, count: int) -> None:
    game = game_of(name)
    rng = random.Random(name)
    states = [tables.copy() for tables in random_states(game, deals=6)]
    read = 0
    for k in range(count):
        tables = states[k % len(states)]
        text = hostile(rng, list(action_names(game, tables, 0).values())[:20])
        try:
            action = parse_action(game, tables, 0, text)
        except ActionTextError:
            continue
        read += 1
        assert action in game.legal_actions(tables, 0), text
    assert 0 < read < count


@pytest.mark.parametrize("name", ["limit", "menu", "integers", "kuhn", "big2"])
def test_hostile_answers_are_refused_or_mean_a_legal_action(name: str) -> None:
    fuzz(name, 400)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["limit", "menu", "integers", "kuhn", "big2"])
def test_a_hundred_thousand_hostile_answers(name: str) -> None:
    fuzz(name, 20_000)


def test_an_aec_environment_names_its_actions_and_reads_answers() -> None:
    env = limit_holdem_v0.env()
    env.reset(seed=1)
    names = env.unwrapped.action_names()
    assert list(names) == np.flatnonzero(env.last()[0]["action_mask"]).tolist()
    for action, name in names.items():
        assert env.unwrapped.parse_action(f"Final answer: {name}") == action
    env.step(env.unwrapped.parse_action("fold"))
    assert env.unwrapped.action_names() == {}
    with pytest.raises(ActionTextError, match="the deal is over"):
        env.unwrapped.parse_action("fold")
