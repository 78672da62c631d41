"""ACPC logs: what is read, which game it is, what is refused and how it says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from card_envs.games.holdem.config import HoldemConfig
from card_envs.history import HandHistoryError, ReplayResult, dump_log, load_log, parse_log, replay_hand
from card_envs.history.acpc.game_file import KNOWN_GAMES, game_lines, parse_game
from card_envs.history.report import replay_file, replay_paths
from card_envs.history.results import EXACT, MATCHED, MISMATCHED, ODD_CHIP, SKIPPED
from card_wrappers.acpc import make_acpc_game

LOG = Path(__file__).parents[1] / "data" / "acpc" / "limit_2p.log"
NO_LIMIT_3 = "# name/game/hands/seed m holdem.nolimit.3p.game 1 0\n"
HEADS_UP = "# name/game/hands/seed m holdem.nolimit.2p.reverse_blinds.game 1 0\n"
FOLDED = "STATE:0:r300fr900f:AsAh|2c7d|KdKh:-50|350|-300:a|b|c\n"


def replayed(text: str, **game: Any) -> ReplayResult:
    log = parse_log(text, **game)
    return replay_hand(log.hands[0])


def test_a_log_is_read_replayed_and_written_byte_for_byte() -> None:
    log = load_log(LOG)
    assert dump_log(log).encode() == LOG.read_bytes()
    assert [replay_hand(hand).agreement for hand in log.hands] == [EXACT] * 10
    first = log.hands[0]
    assert (first.number, first.players, first.values) == (0, ("p1", "p2"), (60, -60))
    assert list(replay_paths(LOG).lines())[-1] == "replayed 10 hands: 10 matched, 0 mismatched, 0 skipped"


def test_raises_count_all_chips_of_the_hand() -> None:
    text = HEADS_UP + "STATE:0:r300c/cr600c/cc/cr1200f:AsAh|KdKh/2c7d9h/Jd/3s:{}:a|b\n"
    assert replayed(text.format("-600|600")).agreement == EXACT
    wrong = replayed(text.format("-1200|1200"))
    assert wrong.reason == "values are -1200|1200 in the recording, -600|600 by the rules"


def test_boards_run_out_after_an_all_in() -> None:
    result = replayed(HEADS_UP + "STATE:0:r20000c///:AsAh|KdKh/2c7d9h/Jd/3s:20000|-20000:a|b\n")
    assert (result.agreement, result.stacks) == (EXACT, (40000, 0))


def test_halves_of_an_odd_chip_agree_up_to_odd_chips() -> None:
    text = NO_LIMIT_3 + "STATE:0:r301cc/ccc/ccc/ccc:AsKc|AhKd|2c7d/3h8s9d/Jc/4h:150.5|150.5|-301:a|b|c\n"
    assert (replayed(text).status, replayed(text).agreement) == (MATCHED, ODD_CHIP)


def test_cards_matter_only_where_they_are_compared() -> None:
    assert replayed(HEADS_UP + "STATE:0:r300f:|:-100|100:a|b\n").agreement == EXACT
    hidden = replayed(HEADS_UP + "STATE:0:cc/cc/cc/cc:AsAh|/2c7d9h/Jd/3s:100|-100:a|b\n")
    assert (hidden.status, hidden.reason) == (SKIPPED, "hole cards that decide the showdown are not recorded")


def test_a_check_that_nobody_could_refuse_may_be_written_or_not() -> None:
    game = HoldemConfig.no_limit(2, (100, 200), 50, 100, rules="acpc")  # the big blind is all-in with the blind
    line = "STATE:0:c{}///:AsAh|KdKh/2c7d9h/Jd/3s:100|-100:a|b\n"
    assert replayed(line.format(""), game=game).agreement == EXACT
    assert replayed(line.format("c"), game=game).agreement == EXACT


@pytest.mark.parametrize(
    ("betting", "reason"),
    [
        (
            "r150",
            "action 1 of the betting, 'r150', is not legal: c is to act and may fold, call 100, raise to 200 ..",
        ),
        (
            "r300fr350f",
            "action 3 of the betting, 'r350', is not legal: b is to act and may fold, call 200, raise to 500",
        ),
        ("r", "action 1 of the betting, 'r', is not legal: c is to act"),
        ("ccf", "action 3 of the betting, 'f', is not legal: b is to act and may check, raise to 200"),
        ("ccc/f", "action 5 of the betting, 'f', is not legal: a is to act and may check"),
        ("cc/c", "action 3 of the betting, '/', is not legal: the preflop is not over; b is to act"),
        ("cccc", "action 4 of the betting, 'c', is not legal: the preflop is over: write / before the next action"),
        ("fff", "action 3 of the betting, 'f', is not legal: the betting is over"),
        ("r300f", "the recorded betting ends although b is to act and may fold, call 200"),
        ("r300x", "betting 'r300x': write f, c, r, numbers and /"),
    ],
)
def test_illegal_betting_is_named_with_its_place(betting: str, reason: str) -> None:
    result = replayed(NO_LIMIT_3 + f"STATE:0:{betting}:AsAh|2c7d|KdKh:0|0|0:a|b|c\n")
    assert result.status == MISMATCHED
    assert result.reason.startswith(reason)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("holdem.nolimit.3p.game", "unknown.game", "line 1: game 'unknown.game' is not known: put the file beside"),
        (NO_LIMIT_3, "", "does not name its game: begin it with '# name/game/hands/seed"),
        ("game 1 0", "game 2 0", "the log ends too early: 2 hands are announced, the last is 0"),
        (FOLDED, "", "the log ends too early: 1 hands are announced, it holds none"),
        (FOLDED, FOLDED + NO_LIMIT_3 + FOLDED, "another match begins here: write each match to a file of its own"),
    ],
)
def test_a_log_that_is_not_understood_is_refused_with_its_place(old: str, new: str, error: str, tmp_path: Path) -> None:
    file = tmp_path / "match.acpc"
    file.write_text((NO_LIMIT_3 + FOLDED).replace(old, new))
    with pytest.raises(HandHistoryError) as caught:
        load_log(file)
    assert str(caught.value).startswith(f"{file}")
    assert error in str(caught.value)
    assert replay_file(file)[0].status == MISMATCHED


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        (FOLDED.replace(":a|b|c", ""), "line 3",
         "'STATE:0:r300fr900f:AsAh|2c7d|KdKh:-50|350|-300' is not a hand: write STATE:NUMBER:"),
        (FOLDED.replace(":a|b|c", ":a|b"), "line 3, hand 0", "2 players in a game for 3 players"),
        (FOLDED.replace("-50|350|-300", "-50|350"), "line 3, hand 0", "2 values in a game for 3 players"),
        (FOLDED.replace("-50|", "x|"), "line 3, hand 0", "value 'x' is not a number of chips"),
        (FOLDED.replace("STATE:0", "HAND:0"), "line 3", "is not a hand"),
        (FOLDED.replace("a|b|c", "a|b|x"), "line 3, hand 0", "players a|b|x are not those of the hands before"),
        ("no line of a log\n", "line 3", "'no line of a log' is not a hand"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_hand_is_skipped_and_the_others_are_replayed(
    line: str, place: str, reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "match.acpc"
    file.write_text(NO_LIMIT_3 + FOLDED + line + FOLDED + "SCORE:-150|1050|-900:a|b|c\n")
    first, wrong, last = replay_file(file)
    assert (first.agreement, last.agreement) == (EXACT, EXACT)
    assert (wrong.source, wrong.status) == (f"{file}, {place}", SKIPPED)
    assert reason in wrong.reason
    assert [hand.source for hand in load_log(file).hands] == [first.source, last.source]


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ("AsAh|2c7d", "3 hands of 2 cards are needed"),
        ("AsAh|2c7d|Kd", "3 hands of 2 cards are needed"),
        ("AsAh|2c7d|KdAs", "a card is dealt twice"),
        ("AsAh|2c7d|KdXX", "'XX' is not a card"),
        ("AsAh|2c7d|KdKh/2d3d", "the board comes in 3, 1, 1 cards"),
    ],
)
def test_impossible_cards_are_named(cards: str, reason: str) -> None:
    result = replayed(NO_LIMIT_3 + FOLDED.replace("AsAh|2c7d|KdKh", cards))
    assert result.status == MISMATCHED
    assert reason in result.reason


def test_a_remark_on_rules_is_no_name_of_a_profile(tmp_path: Path) -> None:
    file = tmp_path / "match.log"
    for remark, agreement in (("rules of the house", EXACT), ("rules standard", EXACT), ("rules house", "")):
        file.write_text(f"{NO_LIMIT_3}# {remark}\n{FOLDED}")
        assert replay_file(file)[0].agreement == agreement


def test_a_log_has_one_game_definition(tmp_path: Path) -> None:
    lines = ["GAMEDEF", *KNOWN_GAMES["holdem.nolimit.3p.game"], "# a note", "END GAMEDEF"]
    definition, file = "".join(f"# {line}\n" for line in lines), tmp_path / "match.log"
    file.write_text(definition + NO_LIMIT_3 + FOLDED)
    assert replay_file(file)[0].agreement == EXACT
    file.write_text(definition + definition.replace("100", "50") + NO_LIMIT_3 + FOLDED)
    assert "2 lines '# GAMEDEF' begin game definitions" in replay_file(file)[0].reason


def test_a_file_beside_the_log_defines_the_game(tmp_path: Path) -> None:
    lines = ["GAMEDEF", *KNOWN_GAMES["holdem.nolimit.3p.game"], "END GAMEDEF"]
    (tmp_path / "own.game").write_text("\ufeff" + "\r\n".join(lines), encoding="utf-8")
    assert make_acpc_game(tmp_path / "own.game").num_seats == 3
    file = tmp_path / "match.log"
    file.write_text((NO_LIMIT_3 + FOLDED).replace("holdem.nolimit.3p.game", "own.game"))
    assert replay_file(file)[0].agreement == EXACT
    (tmp_path / "own.game").write_text("\n".join(line for line in lines if "blind" not in line))
    assert "game definition: blind is missing" in replay_file(file)[0].reason


@pytest.mark.parametrize(
    "config",
    [
        HoldemConfig.limit(2, rules="acpc"),
        HoldemConfig.limit(6, max_raises=None, rules="acpc"),
        HoldemConfig.no_limit(2, 20_000, 50, 100, rules="acpc"),
        HoldemConfig.no_limit(9, 1000, 5, 10, rules="acpc"),
        HoldemConfig.kuhn(),
        HoldemConfig.leduc(3),
        HoldemConfig.flop(rules="acpc"),
    ],
)
def test_a_definition_reads_back_as_the_same_game(config: HoldemConfig) -> None:
    again = parse_game(game_lines(config), "acpc")
    assert game_lines(again) == game_lines(config)
    assert (again.deck_cards, again.num_players, again.structure) == (
        config.deck_cards,
        config.num_players,
        config.structure,
    )
    assert again.stack_list == config.stack_list


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (HoldemConfig.no_limit(structure="pot_limit"), "no pot-limit games"),
        (HoldemConfig.no_limit(2, (10, 20)), "stacks by position"),
        (HoldemConfig.no_limit(ante=1), "no antes beside blinds"),
        (HoldemConfig.limit(rules="rlcard"), "no streets that open left of the last actor"),
    ],
)
def test_games_that_the_format_cannot_describe_are_refused(config: HoldemConfig, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        game_lines(config)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("firstPlayer = 3 1 1 1", "firstPlayer = 1 1 1 1", "our tables can only play it with 3 1 1 1"),
        ("numPlayers = 3", "numPlayers = x", "numPlayers = x: 1 whole numbers are needed"),
        ("numPlayers = 3", "numPlayers = 0", "numPlayers = 0: our tables have 1 .. 10"),
        ("numPlayers = 3", "numPlayers = 11", "numPlayers = 11: our tables have 1 .. 10"),
        ("numRounds = 4", "numRounds = 0", "numRounds = 0: our tables have 1 .. 4"),
        ("numRounds = 4", "numRounds = 99999999999", "numRounds = 99999999999: our tables have 1 .. 4"),
        ("nolimit", "", "neither 'limit' nor 'nolimit'"),
        ("numRanks = 13", "numRanks = 14", "are not a deck"),
        ("nolimit", "limit\nnolimit", "both 'limit' and 'nolimit' stand"),
        ("nolimit", "nolimit\nlimit", "both 'limit' and 'nolimit' stand"),
        ("numPlayers = 3", "numPlayers = 3 2", "numPlayers = 3 2: one whole number is needed"),
        ("numPlayers = 3", "numPlayers = 2\nnumPlayers = 3", "numPlayers is 2, and on another line 3"),
        ("blind =", "Blind = 1 2 3\nblind =", "blind is 1 2 3, and on another line 50 100 0"),
        ("stack =", "stacks =", "'stacks = 20000 20000 20000' is not understood: write .* FIELD = NUMBERS"),
        ("stack =", "stack", "'stack 20000 20000 20000' is not understood"),
        ("nolimit", "GAMEDEF\nnolimit", "the line 'END GAMEDEF' is missing: the definition is cut off"),
    ],
)
def test_definitions_that_are_none_are_refused(old: str, new: str, reason: str) -> None:
    text = "\n".join(KNOWN_GAMES["holdem.nolimit.3p.game"])
    assert old in text
    with pytest.raises(ValueError, match=reason):
        parse_game(text.replace(old, new).split("\n"))


@pytest.mark.parametrize(
    "score", ["100|-101:p1|p2", "-100|100:p1|p2", "100:p1", "many|-100:p1|p2", "100|-100:p1|p3", ""]
)
def test_a_score_that_is_not_the_sum_of_the_hands_is_a_mismatch(score: str, tmp_path: Path) -> None:
    file = tmp_path / LOG.name
    file.write_text(LOG.read_text().replace("SCORE:100|-100:p1|p2", f"SCORE:{score}"))
    report = replay_file(file)
    (wrong,) = [result for result in report if result.status != MATCHED]
    assert len(report) == 11 and wrong.status == MISMATCHED
    assert wrong.source.startswith(f"{file}, line ") and "the hands add up to" in wrong.reason


def test_scores_of_fractions_may_be_rounded(tmp_path: Path) -> None:
    file = tmp_path / LOG.name
    text = (
        LOG.read_text()
        .replace(":70|-70:", ":70.333333|-70.333333:")
        .replace("SCORE:100|-100", "SCORE:100.333334|-100.333334")
    )
    file.write_text(text)
    assert not any("the score" in result.reason for result in replay_file(file))
