"""`card-envs play`: a person at the terminal, who types what a test says."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from card_baselines.cli.commands.play import describe_won, match_answer, number_actions
from card_baselines.secret_deals import new_secret
from card_envs import make_game
from card_envs.history import replay_paths
from card_envs.history.formats import load_recorded_hands
from tests.helpers.shell import Shell
from tests.helpers.terminal import type_answers

Typing = Callable[..., None]


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Typing:
    """Answers to `input`, one by one; then the input ends."""
    return partial(type_answers, monkeypatch)


def test_a_game_of_the_competition_is_written_for_bots(tmp_path: Path, shell: Shell) -> None:
    words = ["play", "--acpc", "holdem.limit.2p.reverse_blinds.game", "--agents", "random", "chen", "--hands", "4"]
    first = shell.reports(*words, "--game-file", str(tmp_path / "own.game"), "--timeout", "60")
    words[2] = str(tmp_path / "own.game")
    assert shell.reports(*words) == first


def test_hands_are_played_to_the_end_and_added_up(types: Typing, shell: Shell) -> None:
    types(*["call", "check", "1"] * 10)
    out = shell.prints("play", "leduc_holdem-v0", "--agents", "always_call", "--hands", "3", "--seed", "4")
    assert out.count("--- hand") == 3
    assert "--- hand 2: player_0 always_call, player_1 you" in out, "seats move on"
    signs = {"win": 1, "lose": -1}
    ends = [line.split() for line in out.splitlines() if line.startswith(("you win", "you lose"))]
    won = [0.0 if words[2] == "and" else signs[words[1]] * float(words[2]) for words in ends]
    assert len(won) == 3
    assert f"3 hands, seed 4: you {describe_won(sum(won), 'chips', 'won', 'lost')}" in out


def test_cards_of_others_are_hidden_until_the_hand_ends(types: Typing, shell: Shell) -> None:
    types(*["1"] * 10)
    out = shell.prints("play", "limit_holdem-v0", "--agents", "always_call", "chen", "--hands", "1", "--seed", "0")
    before, _, after = re.split(r"\nyou (?:win|lose)", out)[0].rpartition("\n\n")
    assert before.count("??") >= 4
    assert "??" not in after


def test_a_folded_hand_stays_hidden(types: Typing, shell: Shell) -> None:
    types("fold")
    out = shell.prints("play", "limit_holdem-v0", "--agents", "always_raise", "--hands", "1", "--seed", "0")
    end = re.split(r"\nyou (?:win|lose)", out.rpartition("\n\n--- hand")[2])[0]
    yours, theirs = [line for line in end.splitlines() if line.startswith("player_") and "stack" in line][-2:]
    assert "folded" in yours and "??" not in yours
    assert "?? ??" in theirs, "there was no showdown"


def test_one_agent_stands_for_all_where_the_seats_are_set(types: Typing, shell: Shell) -> None:
    types("q")
    out = shell.prints("play", "limit_holdem-v0", "--agents", "always_call", "--set", "num_players=4", "--seed", "0")
    assert "player_0 you, player_1 always_call, player_2 always_call, player_3 always_call" in out


def test_wrong_answers_are_asked_again(types: Typing, shell: Shell) -> None:
    types("7", "", "nonsense", "q")
    out = shell.prints("play", "kuhn_poker-v0", "--hands", "1", "--seed", "0")
    assert out.count("is not one of them") == 3
    assert "you leave the table" in out and "0 hands, seed 0: you won and lost nothing" in out


def test_one_agent_stands_for_three_in_big2(types: Typing, shell: Shell) -> None:
    types("1")
    out = shell.prints("play", "big2-v0", "--agents", "big2_lowest", "--seed", "1")
    assert out.count("big2_lowest,") + out.count("big2_lowest\n") >= 3
    assert "you leave the table" in out, "the input ended"


def test_finished_hands_are_saved(types: Typing, shell: Shell, tmp_path: Path) -> None:
    types(*["1"] * 40)
    path = tmp_path / "evening.phhs"
    shell.prints(
        "play", "limit_holdem-v0", "--agents", "always_call", "--hands", "2", "--seed", "0", "--save", str(path)
    )
    assert path.read_text().count("starting_stacks") == 2


def test_an_unknown_agent_is_an_error(shell: Shell) -> None:
    assert "agent 'nobody'" in shell.refuses("play", "kuhn_poker-v0", "--agents", "nobody")


NAMES = {0: "fold", 1: "call 2", 2: "raise to 4", 5: "raise to 6", 6: "raise to 200 all-in"}
BETS = {1: "check", 2: "bet 4", 6: "bet 198 all-in"}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("0", 0), ("1", 1), ("5", 5), ("3", None), ("fold", 0), ("raise to 6", 5), ("f", 0), ("c", 1), ("raise", None),
     ("r", None), ("r 6", 5), ("r6", 5), ("raise 6", 5), ("r 200", 6), ("r 5", None), ("f 6", None), ("", None)],
)  # fmt: skip
def test_what_answers_mean(answer: str, expected: int | None) -> None:
    assert match_answer(answer, NAMES, number_actions(list(NAMES), 7)) == expected


@pytest.mark.parametrize(("answer", "expected"), [("c", 1), ("b 4", 2), ("r 4", 2), ("2", 2), ("0", None), ("b", None)])
def test_bets_are_answered_as_raises_are(answer: str, expected: int | None) -> None:
    assert match_answer(answer, BETS, number_actions(list(BETS), 7)) == expected


def test_an_action_keeps_its_number_and_letter_on_every_street(types: Typing, shell: Shell) -> None:
    types("c", "c", "r 2", "c", "q")
    out = shell.prints("play", "no_limit_holdem-v0", "--agents", "always_call", "--seed", "3")
    choices = [line for line in out.splitlines() if line.startswith("[")]
    assert len(choices) == 5 and all(line.endswith("  q leaves") for line in choices)
    assert choices[0].startswith("[1] check (c)  [2] ") or choices[0].startswith("[0] fold (f)  [1] call 1 (c)  [2] ")
    assert all("[1] check (c)  [2] bet 2 (b 2)" in line for line in choices[1:3]), "a call was 2, a bet 2 before"
    assert [number for number in re.findall(r"\[(\d+)\] fold", out)] == ["0"] * out.count("] fold")


def test_many_actions_are_counted() -> None:
    assert number_actions([17, 40, 1694], 1695) == {1: 17, 2: 40, 3: 1694}
    assert match_answer("3", {17: "single 3H", 40: "single 4S", 1694: "pass"}, {1: 17, 2: 40, 3: 1694}) == 1694


def test_without_a_seed_nothing_that_is_printed_or_saved_leads_to_the_cards(
    types: Typing, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[bytes] = []

    def draw() -> bytes:
        drawn.append(new_secret())
        return drawn[-1]

    monkeypatch.setattr("card_baselines.cli.commands.play.new_secret", draw)
    for name in ("one", "two"):
        types(*["call", "check", "1"] * 20)
        out = shell.prints(
            "play", "leduc_holdem-v0", "--agents", "always_call", "--hands", "4", "--save", str(tmp_path / name)
        )
        assert re.search("4 hands: you (won|lost)", out) and "seed" not in out
    assert len(set(drawn)) == 2 and len(drawn[0]) * 8 >= 128
    files = [file for name in ("one", "two") for file in (tmp_path / name).iterdir()]
    assert [file.name for file in files] == ["leduc_holdem.acpc"] * 2
    assert replay_paths(tmp_path).num_matched == 8
    for file in files:
        game = make_game("leduc_holdem-v0")
        hands = [hand for hand in load_recorded_hands(file) if not isinstance(hand, str)]
        for number, hand in enumerate(hands):
            seeded = game.seeded_tables(1, 0, number)  # the seed that the format asks for
            game.deal(seeded, 0)
            if seeded["deck"][0, :3].tolist() != hand.tables_after(0)["deck"][0, :3].tolist():
                break
        else:
            pytest.fail("the seed in the file deals these cards")


def test_all_hands_of_big_2_lie_open_when_the_deal_is_over(types: Typing, shell: Shell) -> None:
    types(*["1"] * 60)
    out = shell.prints("play", "big2-v0", "--agents", "big2_greedy", "--hands", "1", "--seed", "1")
    before, _, after = re.split(r"\nyou (?:win|lose)", out)[0].rpartition("\n\n")
    assert "??" in before and "??" not in after


@pytest.mark.parametrize(
    ("amount", "unit", "words"),
    [(3, "points", "win 3 points"), (-13, "points", "lose 13 points"), (-1, "points", "lose 1 point"),
     (0.5, "bb", "win 0.5 bb"), (0, "bb", "win and lose nothing")],
)  # fmt: skip
def test_nobody_wins_a_negative_amount(amount: float, unit: str, words: str) -> None:
    assert describe_won(amount, unit) == words
