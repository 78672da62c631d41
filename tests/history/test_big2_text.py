"""Big 2 deals as text: what is read, that it is written again the same, what is refused and how it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from card_envs.agent import RandomAgent
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.game import big2_game
from card_envs.games.big2.state import NOBODY
from card_envs.history import HandHistoryError, MatchFile, dump_deals, load_deals, parse_deals, replay_hand
from card_envs.history.big2.format import rules_words
from card_envs.history.report import replay_file
from card_envs.history.results import EXACT, MISMATCHED
from card_envs.match import play_match
from card_envs.text.interface import TEXT as WORDS

FILE = Path(__file__).parents[1] / "data" / "big2" / "one_deal.big2"
TEXT = FILE.read_text()


def test_a_deal_is_read_replayed_and_written_byte_for_byte() -> None:
    deals = load_deals(FILE)
    assert dump_deals(deals) == TEXT
    assert [replay_hand(deal).agreement for deal in deals] == [EXACT]
    assert deals[0].players[0] == "big2_lowest"
    assert deals[0].payoffs == (11, -5, -2, -4)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("1 3D, 2 KD", "2 KD", "the first play must be '1 3D': the seat with 3D leads it"),
        ("2 KD, 3 2C", "2 KD, 0 TD", "trick 1, play 3 '0 TD' is not legal: player_3 is to act"),
        (
            "2 KD, 3 2C",
            "2 QD, 3 JD",
            "trick 1, play 3 '3 JD' is not legal: single JD (action 8) does not beat",
        ),
        ("3 JD JC JH", "3 JD JC QC", "trick 2, play 7 '3 JD JC QC' is not legal: cards JD JC QC (action "),
        ("3 JD JC JH", "3 3S 4C QC", "trick 2, play 7 '3 3S 4C QC' is not legal: they are not a combination"),
        ("3 JD JC JH", "3 KS", "trick 2, play 7 '3 KS' is not legal: the seat holds 3S 4C 6D"),
        (
            "3 JD JC JH",
            "3 pass",
            "trick 2, play 7 '3 pass' is not legal: pass (action 1694): the seat that has control",
        ),
        ("\n0 8D\n", "\n", "the recorded plays end although player_0 is to act"),
        ("2 pass\n3 JD", "2 pass, 3 JD", "trick 1, play 7 '3 JD JC JH' is not legal: a new trick begins here"),
        ("1 3D, 2 KD", "1 3D\n2 KD", "trick 2, play 2 '2 KD' is not legal: the trick of the line before goes on"),
        ("0 8D\n", "0 8D, 1 pass\n", "trick 13, play 81 '1 pass' is not legal: the deal is over"),
        ("payoffs 11", "payoffs 12", "payoffs are (12, -5, -2, -4) in the recording, (11, -5, -2, -4) by the rules"),
    ],
)
def test_an_illegal_play_is_named_with_its_place(old: str, new: str, reason: str) -> None:
    assert old in TEXT
    result = replay_hand(parse_deals(TEXT.replace(old, new, 1))[0])
    assert result.status == MISMATCHED
    assert result.reason.startswith(reason)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("deal 0\n", "", "line 1: 'rules charlesworth2018': a deal begins with 'deal NUMBER', after an empty line"),
        ("charlesworth2018", "house", "line 2, deal 0: rules 'house' are not known: choose one of"),
        ("charlesworth2018", "charlesworth2018 colour=1", "options ['colour'] are not known"),
        ("charlesworth2018", f"charlesworth2018 flushes={'-' * 100_000}1", "flushes '-----"),
        ("charlesworth2018", "charlesworth2018 flushes=suit flushes=ranks", "option 'flushes' comes twice"),
        ("charlesworth2018", "charlesworth2018 double_from=\u0663", "double_from '\u0663' must be a number of cards"),
        ("deal 0", f"deal {'9' * 5000}", "a deal begins with 'deal NUMBER'"),
        ("deal 0", "deal \u0663", "a deal begins with 'deal NUMBER'"),
        ("payoffs 11", f"payoffs {'9' * 5000}", "4 whole numbers are needed"),
        ("rules charlesworth2018\n", "rules\n", "line 2, deal 0: 'rules': the second line of a deal"),
        ("player_1 random:", "player_1:", "line 4, deal 0: 'player_1: 3D"),
        ("player_1", "player_2", "line 1, deal 0: the lines of player_0 to player_3 follow the rules"),
        ("3H 5D", "3X 5D", "line 3, deal 0: '3X' is not a card: write rank and suit such as '3D' or 'TS'"),
        ("3H 5D", "5D", "line 3, deal 0: player_0 has 12 cards: a hand has 13"),
        ("3H 5D", "3D 5D", "line 1, deal 0: a card is dealt twice"),
        ("1 3D, ", "7 3D, ", "line 7, deal 0: '7 3D' is not a play: write the seat"),
        ("payoffs 11 -5 -2 -4", "payoffs 11 -5", "deal 0: 'payoffs 11 -5': 4 whole numbers are needed"),
    ],
)
def test_a_text_that_is_no_deal_is_refused_with_its_place(old: str, new: str, error: str, tmp_path: Path) -> None:
    assert old in TEXT
    file = tmp_path / "deals.big2"
    file.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(HandHistoryError) as caught:
        load_deals(file)
    assert str(caught.value).startswith(f"{file}, line ")
    assert error in str(caught.value)
    assert replay_file(file)[0].status == MISMATCHED


def test_a_damaged_deal_costs_one_deal(tmp_path: Path) -> None:
    file = tmp_path / "deals.big2"
    file.write_text("\n".join([TEXT, TEXT.replace("3H 5D", "3X 5D", 1), TEXT]))
    first, wrong, last = replay_file(file)
    assert (first.agreement, wrong.status, last.agreement) == (EXACT, MISMATCHED, EXACT)
    assert wrong.reason.startswith(f"line {len(TEXT.splitlines()) + 4}, deal 0: '3X' is not a card")


def test_a_text_that_ends_too_early_is_refused() -> None:
    lines = TEXT.splitlines(keepends=True)
    for end in range(1, len(lines)):
        with pytest.raises(HandHistoryError, match="deal 0: ends too early, with"):
            parse_deals("".join(lines[:end]))
    with pytest.raises(HandHistoryError, match="is empty"):
        parse_deals("\n\n")


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (Big2Config(), "charlesworth2018"),
        (Big2Config(straights="two_low", double_from=10), "charlesworth2018 straights=two_low double_from=10"),
        (Big2Config.profile("charlesworth2018_text", flushes="suit"), "charlesworth2018_text flushes=suit"),
        (Big2Config.profile("taiwan"), "taiwan"),
        (Big2Config.profile("hong_kong", flushes="none"), "hong_kong flushes=none"),
    ],
)
def test_rules_are_written_as_a_profile_and_what_differs(config: Big2Config, words: str) -> None:
    assert rules_words(config) == words
    assert parse_deals(TEXT.replace("charlesworth2018", words))[0].config == config


def test_a_dragon_is_recorded_without_plays(tmp_path: Path) -> None:
    game = big2_game(Big2Config.profile("taiwan"))
    seed = next(seed for seed in range(20_000) if game.deal(game.seeded_tables(1, seed), 0) == NOBODY)
    player = RandomAgent()
    with MatchFile(tmp_path / "a.big2", game, ["random"] * 4, seed=seed) as file:
        result = play_match(game, [player] * 4, 3, seed, callbacks=[file])
    assert sorted(result.payoffs[0].tolist()) == [-39, -39, -39, 117]
    deals = load_deals(tmp_path / "a.big2")
    assert [len(deal.tricks) > 0 for deal in deals] == [False, True, True]
    assert [replay_hand(deal).agreement for deal in deals] == [EXACT] * 3
    assert dump_deals(deals).strip() == (tmp_path / "a.big2").read_text().strip()
    tables = game.seeded_tables(1, seed)
    game.deal(tables, 0)
    assert "was dealt a dragon" in game.text(tables, 0, None)
    played = [seat for seat in range(4) if tables[0]["payoff"][seat] > 0]
    assert f"player_{played[0]} was dealt all 13 ranks; cards left: " in WORDS.require(game).describe_outcome(tables, 0)
