"""Pictures of tables: what they show, what they must not show, and that nothing overlaps in them."""

from __future__ import annotations

import json
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from card_envs.canvas import format_signed, text_width
from card_envs.canvas.canvas import Box, Canvas, Card, Disc, Text
from card_envs.canvas.fonts import shorten
from card_envs.cards import NO_CARD, card_ids
from card_envs.envs import ENVS, make_game, make_raw_env
from card_envs.game import Game, Tables
from card_envs.games.big2.actions import PASS
from card_envs.games.holdem.kernels import apply_decision
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.rendering import big2, holdem
from card_envs.rendering.pictures import PICTURE, draw_table
from tests.helpers.processes import run_python


def dealt(env_id: str, options: dict[str, Any] | None = None, seed: int = 0, **settings: Any) -> tuple[Game, Tables]:
    game = make_game(env_id, **settings)
    tables = game.seeded_tables(1, seed)
    game.deal_with(tables, 0, options or {})
    return game, tables


def play(game: Game, tables: Tables, *actions: int) -> Any:
    for action in actions:
        assert game.step(tables, 0, action) >= -1, game.why_illegal(tables, 0, action)
    return tables[0]


def decide(tables: Tables, decisions: str) -> Any:
    """Apply hold'em decisions such as "f c 6": fold, check or call, raise to six; return the table."""
    for word in decisions.split():
        kind = RAISE if word.isdigit() else FOLD if word == "f" else CALL
        assert apply_decision(tables, 0, kind, int(word) if kind == RAISE else 0) >= -1, word
    return tables[0]


def play_randomly(game: Game, tables: Tables, decisions: int) -> None:
    for _ in range(decisions):
        if tables[0].is_over:
            return
        actions = np.zeros(1, np.int64)
        game.random_batch(tables, np.zeros(1, np.int64), tables, actions)
        game.step(tables, 0, int(actions[0]))


@pytest.mark.parametrize("env_id", ENVS)
def test_render_gives_a_picture_that_changes_with_the_table(env_id: str) -> None:
    env = make_raw_env(env_id, render_mode="rgb_array")
    env.reset(seed=1)
    before = env.render()
    assert isinstance(before, np.ndarray)
    assert (before.shape, before.dtype) == ((600, 900, 3), np.uint8)
    assert np.array_equal(before, env.render())
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[-1]))
    assert not np.array_equal(before, env.render())


@pytest.mark.parametrize("env_id", ENVS)
def test_a_seat_sees_no_difference_in_what_it_may_not_see(env_id: str) -> None:
    game = make_game(env_id)
    draw = partial(draw_table, game)
    for seed in range(4):
        tables = game.seeded_tables(1, seed)
        game.deal(tables, 0)
        play_randomly(game, tables, 2 * seed)
        views = tables.copy()
        for seat in range(game.num_seats):
            game.censor_batch(tables, np.zeros(1, np.int64), np.array([seat]), views)
            assert np.array_equal(draw(tables, seat), draw(views, seat))
        if not tables[0].is_over:
            assert not np.array_equal(draw(tables, 0), draw(tables, None))


@pytest.mark.parametrize("env_id", ENVS)
def test_shapes_are_those_of_the_picture_without_hidden_cards(env_id: str) -> None:
    game = make_game(env_id)
    paint = PICTURE.require(game)
    tables = game.seeded_tables(1, 5)
    game.deal(tables, 0)
    names = [f"<name {seat}>" for seat in range(game.num_seats)]
    everything = paint(tables, None, names)
    cards = [shape.card for shape in everything.shapes if isinstance(shape, Card)]
    for seat in range(game.num_seats):
        visible = [shape.card for shape in paint(tables, seat, names).shapes if isinstance(shape, Card)]
        assert len(visible) == len(cards)
        assert 0 < sum(card != NO_CARD for card in visible) < sum(card != NO_CARD for card in cards)
    words = [shape.text for shape in everything.shapes if isinstance(shape, Text)]
    assert set(names) <= set(words)
    for_a_page = everything.to_json()
    assert json.loads(json.dumps(for_a_page)) == for_a_page
    assert [shape[4] for shape in for_a_page if shape[0] == "card"] == cards


# --- nothing overlaps ---


NARROW_SCREEN = 344
"""Width in pixels that a picture gets on the narrowest phones in use."""


def text_boxes(game: Game, tables: Tables) -> list[tuple[str, tuple[float, ...]]]:
    """Return every line of text in a picture with its rectangle, after both pictures of the table are checked."""
    narrow = check_texts(game, tables, narrow=True)
    assert narrow.size[0] <= NARROW_SCREEN
    assert min(shape.size for shape in narrow.shapes if isinstance(shape, Text)) >= 12
    return boxes_of(check_texts(game, tables))


def check_texts(game: Game, tables: Tables, narrow: bool = False) -> Canvas:
    """Return a picture; its texts must lie apart, inside it, and beside the cards that are drawn later."""
    canvas: Canvas = PICTURE.require(game)(tables, None, narrow=narrow)
    assert_apart(boxes_of(canvas), canvas)
    boxes = iter(boxes_of(canvas))
    for k, shape in enumerate(canvas.shapes):
        if isinstance(shape, Text):
            text, (left, top, right, bottom) = next(boxes)
            for card in (each for each in canvas.shapes[k:] if isinstance(each, Card)):
                aside = abs(card.x - (left + right) / 2) - (card.width + right - left) / 2
                above = abs(card.y - (top + bottom) / 2) - (1.4 * card.width + bottom - top) / 2
                assert max(aside, above) >= 0, f"a card at ({card.x}, {card.y}) covers {text!r}"
    return canvas


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_cards_of_big_2_lie_on_the_felt(narrow: bool) -> None:
    game, tables = dealt("big2-v0", seed=13)
    canvas = PICTURE.require(game)(tables, None, narrow=narrow)
    felt = [shape for shape in canvas.shapes if isinstance(shape, Box)][1]
    for card in (shape for shape in canvas.shapes if isinstance(shape, Card)):
        assert felt.left <= card.x - card.width / 2 and card.x + card.width / 2 <= felt.left + felt.width


@pytest.mark.parametrize("num_players", range(2, 11))
@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_the_dealer_button_covers_no_card(narrow: bool, num_players: int) -> None:
    game, tables = dealt("limit_holdem-v0", num_players=num_players)
    canvas = PICTURE.require(game)(tables, None, narrow=narrow)
    letter = next(shape for shape in canvas.shapes if isinstance(shape, Text) and shape.text == "D")
    button = next(each for each in canvas.shapes if isinstance(each, Disc) and each.x == letter.x and each.radius > 10)
    for card in (shape for shape in canvas.shapes if isinstance(shape, Card)):
        aside = abs(card.x - button.x) - card.width / 2 - button.radius
        assert max(aside, abs(card.y - button.y) - 0.7 * card.width - button.radius) >= 0


def boxes_of(canvas: Canvas) -> list[tuple[str, tuple[float, ...]]]:
    boxes = []
    for shape in canvas.shapes:
        if isinstance(shape, Text):
            width = text_width(shape.text, shape.size)
            left = shape.x - {"left": 0.0, "middle": 0.5, "right": 1.0}[shape.align] * width
            boxes.append((shape.text, (left, shape.baseline - 0.715 * shape.size, left + width, shape.baseline)))
    return boxes


def assert_apart(boxes: list[tuple[str, tuple[float, ...]]], canvas: Canvas) -> None:
    for (one, a), (other, b) in combinations(boxes, 2):
        apart = a[2] < b[0] or b[2] < a[0] or a[3] < b[1] or b[3] < a[1]
        assert apart, f"{one!r} at {a} overlaps {other!r} at {b}"
    for text, (left, top, right, bottom) in boxes:
        assert left >= 0 and top >= 0 and right <= canvas.size[0] and bottom <= canvas.size[1], text


@pytest.mark.parametrize("num_players", range(2, 11))
def test_amounts_of_eight_digits_do_not_overlap(num_players: int) -> None:
    stacks = [10_000_000 + 9_111_111 * k for k in range(num_players)]
    blinds = {"small_blind": 1_000_000, "big_blind": 2_000_000, "ante": 100_000}
    game = make_game("no_limit_holdem-v0", num_players=num_players, stacks=stacks, **blinds)
    texts = set()
    for seed in range(6):
        tables = game.seeded_tables(1, seed)
        game.deal(tables, 0)
        for raises in (0, 3, 3):
            play_randomly(game, tables, raises)
            texts |= {text for text, _ in text_boxes(game, tables)}
        while not tables[0].is_over:
            game.step(tables, 0, game.num_actions - 1)
            game.step(tables, 0, 1)
        text_boxes(game, tables)
    assert any(len(text) > 10 for text in texts)


def test_everybody_all_in_for_a_different_amount() -> None:
    stacks = [11_111_111 * (k + 1) for k in range(9)] + [99_999_999]
    game, tables = dealt("no_limit_holdem-v0", {"button": 9}, num_players=10, stacks=stacks)
    while not tables[0].is_over:
        game.step(tables, 0, game.num_actions - 1)
        game.step(tables, 0, 1)
    boxes = text_boxes(game, tables)
    assert any(text == "main 111,111,110   side 99,999,999" for text, _ in boxes)
    assert any(text.endswith("and 5 more") for text, _ in boxes)


@pytest.mark.parametrize("env_id", ENVS)
def test_texts_lie_apart_in_pictures_of_random_play(env_id: str) -> None:
    game = make_game(env_id)
    for seed in range(8):
        tables = game.seeded_tables(1, seed)
        game.deal(tables, 0)
        for _ in range(6):
            text_boxes(game, tables)
            play_randomly(game, tables, 3)
        play_randomly(game, tables, 10_000)
        text_boxes(game, tables)


def test_names_stay_inside_their_plates_and_keep_their_numbers() -> None:
    for name in ("ppo_no_limit_six_max (3)", "tight_no_limit_six_max:greedy", "you", "W" * 40):
        assert text_width(shorten(name, 12, 76), 12) <= 76
    assert shorten("ppo_no_limit_six_max (3)", 12, 76) == "ppo_no_l.. (3)"
    assert shorten("you", 12, 76) == "you"


# --- what hold'em pictures say ---


def test_side_pots_of_three_all_ins() -> None:
    options = {"button": 2, "deck": card_ids("AhKc 7d7h QsJs 9h9d KdTd 5c4c 7sKs2h4hTc")}
    stacks = [180, 60, 120, 240, 300, 200]
    _, tables = dealt("no_limit_holdem-v0", options, num_players=6, stacks=stacks, bet_menu="integers")
    t = decide(tables, "7 c 60 120 c f f")
    assert holdem.side_pots(t) == [("main", 60 + 60 + 60 + 7 + 2 + 7), ("side", 60 + 60)]
    decide(tables, "180")
    assert holdem.side_pots(t) == [("main", 60 * 4 + 9), ("side", 180), ("uncalled", 60)]
    decide(tables, "c")
    assert holdem.side_pots(t) == [("main", 249), ("side", 180), ("side", 120)]
    assert t.payoff[:6].tolist() == [120, 189, -120, -180, -2, -7]


def test_antes_belong_to_the_main_pot() -> None:
    _, tables = dealt(
        "no_limit_holdem-v0", {"button": 0}, num_players=3, stacks=[100, 10, 100], ante=4, bet_menu="integers"
    )
    t = decide(tables, "20")
    assert holdem.side_pots(t) == [("main", 20 + 1 + 2 + 12)]
    t = decide(tables, "c")
    assert holdem.side_pots(t) == [("main", 12 + 6 + 6 + 2), ("uncalled", 14)]


def moves(t: Any) -> list[str]:
    return [holdem.last_move(t, k) for k in range(int(t.num_seats))]


def test_last_moves_before_the_flop() -> None:
    _, tables = dealt("no_limit_holdem-v0", {"button": 0}, num_players=4, bet_menu="integers")
    t = tables[0]
    assert moves(t) == ["", "blind 1", "blind 2", ""]
    decide(tables, "c c c")
    assert moves(t) == ["call", "call", "blind 2", "call"]
    decide(tables, "8")
    assert moves(t) == ["call", "call", "raise to 8", "call"]
    decide(tables, "c c c")
    assert moves(t) == ["", "", "", ""]


def test_last_moves_after_the_flop() -> None:
    _, tables = dealt("no_limit_holdem-v0", {"button": 0}, num_players=3, stacks=[200, 200, 50], bet_menu="integers")
    t = decide(tables, "c c c")
    decide(tables, "c 10 c")
    assert moves(t) == ["call", "check", "bet 10"]
    decide(tables, "30 48")
    assert moves(t) == ["call", "raise to 30", "all-in 48"]
    decide(tables, "c c")
    assert (t.street, moves(t)) == (2, ["", "", "all-in"])


def test_last_moves_of_a_full_table_reach_back_further_than_the_recent_actions() -> None:
    _, tables = dealt("no_limit_holdem-v0", {"button": 9}, num_players=10, bet_menu="integers")
    t = decide(tables, "10" + " c" * 8)
    assert moves(t) == ["call", "blind 2", "raise to 10", *["call"] * 7]


def test_without_blinds_the_first_street_has_checks_and_bets() -> None:
    game, tables = dealt("leduc_holdem-v0")
    t = play(game, tables, 1)
    assert moves(t) == ["check", ""]
    game, tables = dealt("leduc_holdem-v0")
    t = play(game, tables, 2)
    assert moves(t) == ["bet 2", ""]
    play(game, tables, 2)
    assert moves(t) == ["bet 2", "raise to 4"]


@pytest.mark.parametrize(
    ("cards", "board", "words"),
    [
        ("AsKs", "QsJsTs2c2d", "royal flush"),
        ("9s9c", "9h9dTs2c3d", "four of a kind"),
        ("Kh", "Ks", "pair of kings"),
        ("Jh", "Qs", "queen high"),
        ("Tc", "", "ten high"),
    ],
)
def test_hands_in_words(cards: str, board: str, words: str) -> None:
    assert holdem.hand_name(card_ids(cards), card_ids(board)) == words


def test_amounts_in_words() -> None:
    assert (format_signed(-1200), format_signed(7), format_signed(0)) == ("-1,200", "+7", "0")


# --- what Big 2 pictures say ---


def test_who_has_passed() -> None:
    game, tables = dealt("big2-v0", seed=21)  # player_1 has led 3D
    t = tables[0]
    assert [big2.has_passed(t, k) for k in range(4)] == [False] * 4
    play(game, tables, PASS, PASS)
    assert [big2.has_passed(t, k) for k in range(4)] == [False, False, True, True]
    play(game, tables, PASS)
    assert t.trick_size == 0
    assert [big2.has_passed(t, k) for k in range(4)] == [False] * 4


# --- without Pillow ---


def test_without_pillow_games_work_and_pictures_say_what_to_install() -> None:
    script = (
        "import sys; sys.modules['PIL'] = None\n"
        "from card_envs.envs import make_raw_env\n"
        "env = make_raw_env('kuhn_poker-v0', render_mode='rgb_array'); env.reset(seed=0); env.step(1)\n"
        "try: env.render()\n"
        "except ImportError as error: print(error)\n"
    )
    assert "pip install 'card-envs[render]'" in run_python("-c", script).stdout
