from __future__ import annotations

import numpy as np
import pytest

from card_envs import make_game
from card_envs.chance import REDEAL
from card_envs.text import FORMS, TextTable, Transcript, write_prompt
from card_envs.text.answers import ActionTextError
from tests.text.games_in_words import GAMES, game_of, random_states
from tests.third_game.game import dozen


@pytest.mark.parametrize("name", GAMES)
def test_prompts_of_all_seats_hold_nothing_that_the_seat_may_not_see(name: str) -> None:
    game = game_of(name)
    redeal = REDEAL.find(game)
    assert redeal is not None
    rng = np.random.default_rng(1)
    changed = 0
    for tables in random_states(game, deals=6, seed=2):
        seat = int(tables["actor"][0])
        other = game.views(tables, [0], [seat])
        redeal(other, seat, rng)
        changed += other.tobytes() != tables.tobytes()
        for form in FORMS:
            assert write_prompt(game, tables, 0, seat, form=form) == write_prompt(game, other, 0, seat, form=form)
    assert changed > 5


@pytest.mark.parametrize("name", GAMES)
def test_summaries_and_transcripts_hold_no_card_that_was_never_shown(name: str) -> None:
    game = game_of(name)
    table = TextTable(game, form="verbose")
    rng = np.random.default_rng(0)
    for seed in range(8):
        table.reset(seed)
        while not table.is_over:
            names = table.action_names()
            action = list(names)[rng.integers(len(names))]
            assert table.answer(names[action]).lower() == names[action].lower()
        assert table.rewards.sum() == pytest.approx(0.0)
        shown = table.summaries[-1]
        for seat in range(game.num_seats):
            assert shown == table.summaries[-1]
            assert table.prompt(seat).count("Legal") == 0
    # a hand that ended by a fold shows no hole cards
    folded = TextTable(make_game("limit_holdem-v0"))
    folded.reset(1)
    folded.answer("fold")
    assert "shows" not in folded.summaries[-1] and "player_" in folded.summaries[-1]


def test_a_compact_prompt_reads_like_this() -> None:
    table = TextTable(make_game("no_limit_holdem-v0", num_players=3))
    table.reset(1, {"button": 0, "deck": [48, 45, 0, 5, 10, 15]})
    table.answer("raise to 2bb")
    assert table.prompt() == (
        "player_1 (SB) 2c 3d | board none | preflop | pot 7 | to call 3\n"
        "Players: player_0 BTN stack 196, in for 4; player_1 SB stack 199, in for 1; player_2 BB stack 198, in for 2\n"
        "Actions so far:\n"
        "  preflop: player_0 raise to 4\n"
        "Legal: fold, call 3, raise to 9, raise to 14, raise to 200 all-in"
    )


def test_verbose_prompts_have_the_rules_and_earlier_deals() -> None:
    table = TextTable(make_game("limit_holdem-v0"), form="verbose")
    table.reset(1, {"button": 0})
    table.answer("fold")
    prompt = table.reset()
    assert prompt.startswith("You play limit Texas hold'em with 2 players; blinds 1/2")
    assert "Earlier deals:\npreflop: player_0 fold; player_0 -0.5, player_1 +0.5 bb" in prompt


def test_a_game_without_words_of_its_own_is_described_by_its_text_and_played_by_names() -> None:
    game = dozen()
    table = TextTable(game)
    prompt = table.reset(1)
    assert f"player_{table.seat}" in prompt
    name = next(iter(table.action_names().values()))
    assert table.answer(f"[{name}]") == name
    table.reset(1)
    with pytest.raises(ActionTextError, match="no legal action has this name"):
        table.answer("something else")


def test_what_cannot_be_prompted_is_refused() -> None:
    game = make_game("kuhn_poker-v0")
    tables = game.seeded_tables(1, 0)
    game.deal(tables, 0)
    with pytest.raises(ValueError, match=r"form 'long' is not known: choose one of \['compact', 'verbose'\]"):
        write_prompt(game, tables, 0, 0, form="long")
    with pytest.raises(TypeError, match=r"'kuhn_poker-v0' is no game: pass make_game\("):
        TextTable("kuhn_poker-v0")  # type: ignore[arg-type]
    for seat in ("0", 0.0, True):
        with pytest.raises(ValueError, match=r"seat .* is outside 0\.\.1"):
            write_prompt(game, tables, 0, seat)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"seat 2 is outside 0\.\.1"):
        write_prompt(game, tables, 0, 2)
    with pytest.raises(ValueError, match="no action can be recorded"):
        ended = tables.copy()
        while not ended["is_over"][0]:
            game.step(ended, 0, game.legal_actions(ended, 0)[0])
        Transcript(game).record(ended, 0, 0)


def test_agents_play_the_seats_that_are_not_asked() -> None:
    table = TextTable(make_game("limit_holdem-v0", num_players=3), agents={0: "random", 2: "always_call"})
    rewards = []
    for _ in range(2):
        table.reset(seed=4)
        asked = 0
        while not table.is_over:
            assert table.seat == 1
            asked += 1
            table.answer("call")
        rewards.append(table.rewards.tolist())
        assert asked
    assert rewards[0] == rewards[1]
    with pytest.raises(ValueError, match="agent at seat 3"):
        TextTable(make_game("limit_holdem-v0"), agents={3: "random"})
    with pytest.raises(ValueError, match="the deal is over"):
        table.act(1)


def test_options_are_for_one_deal() -> None:
    table = TextTable(make_game("no_limit_holdem-v0"))
    table.reset(seed=0, options={"stacks": [20, 20], "button": 0})
    assert (table.view(0)["stack"] + table.view(0)["hand_commit"])[0, :2].tolist() == [20, 20]
    table.reset()
    assert (table.view(0)["stack"] + table.view(0)["hand_commit"])[0, :2].tolist() == [200, 200]
    with pytest.warns(UserWarning, match=r"reset options \['cards'\] are ignored: known are \['button'"):
        table.reset(options={"cards": []})
    with pytest.raises(TypeError, match="must be a dict"):
        table.reset(options=[1])  # type: ignore[arg-type]
