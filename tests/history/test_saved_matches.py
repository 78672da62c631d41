"""Matches as files: every game in every format that describes it, replayed; nothing half-written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.agent import RandomAgent
from card_envs.game import Game
from card_envs.games.big2.presets import big2
from card_envs.games.holdem.presets import flop_holdem, kuhn_poker, leduc_holdem, limit_holdem, no_limit_holdem
from card_envs.history import (
    HandHistoryError,
    MatchFile,
    dump_deals,
    dump_hands,
    dump_log,
    find_files,
    load_deals,
    load_hands,
    load_log,
)
from card_envs.history import report as report_module
from card_envs.history.formats import format_of_file, load_recorded_hands
from card_envs.history.replay import RecordedHand
from card_envs.history.report import replay_paths
from card_envs.match import AgentError, MatchResult, StoppingRule, play_match

UNEVEN = (1, 2, 30, 200, 55, 7)


class Named(RandomAgent):
    def __init__(self, name: str) -> None:
        self.name = name


def played(
    game: Game, path: Path, hands: int = 60, duplicate: bool = False, num_tables: int = 16, seed: int = 5
) -> MatchResult:
    agents = [Named(f"agent {number}") for number in range(game.num_seats)]
    names = [agent.name for agent in agents]
    with MatchFile(path, game, names, seed=seed) as file:
        return play_match(game, agents, hands, seed, duplicate, num_tables, callbacks=[file])


SAVED: dict[str, tuple[Callable[[], Game], str]] = {
    "limit": (limit_holdem, "a.phhs"),
    "limit for six, uneven": (lambda: limit_holdem(6, stacks=UNEVEN), "a.phhs"),
    "limit, no cap": (lambda: limit_holdem(3, max_raises=None), "a.phhs"),
    "limit, rlcard": (lambda: limit_holdem(rules="rlcard"), "a.phhs"),
    "no-limit": (lambda: no_limit_holdem(2), "a.phhs"),
    "no-limit for six, uneven, antes": (lambda: no_limit_holdem(6, stacks=UNEVEN, ante=1), "a.phhs"),
    "no-limit, acpc, uneven": (lambda: no_limit_holdem(6, stacks=UNEVEN, rules="acpc"), "a.phhs"),
    "no-limit, every integer": (lambda: no_limit_holdem(3, stacks=40, bet_menu="integers"), "a.phhs"),
    "pot-limit": (lambda: no_limit_holdem(4, structure="pot_limit"), "a.phhs"),
    "limit, ACPC": (limit_holdem, "a.acpc"),
    "limit for four, no cap, ACPC": (lambda: limit_holdem(4, max_raises=None), "a.acpc"),
    "no-limit, ACPC": (lambda: no_limit_holdem(6, stacks=30), "a.acpc"),
    "no-limit, acpc, ACPC": (lambda: no_limit_holdem(3, stacks=50, rules="acpc"), "a.acpc"),
    "flop, ACPC": (flop_holdem, "a.acpc"),
    "kuhn": (kuhn_poker, "a.acpc"),
    "kuhn for four": (lambda: kuhn_poker(4), "a.acpc"),
    "leduc for three": (lambda: leduc_holdem(3), "a.acpc"),
    "no-limit, PokerStars": (lambda: no_limit_holdem(6, stacks=UNEVEN), "a.pokerstars"),
    "short heads-up, PokerStars": (lambda: no_limit_holdem(2, stacks=(1, 2)), "a.pokerstars"),
    "antes, PokerStars": (lambda: no_limit_holdem(4, stacks=(3, 50, 2, 80), ante=1), "a.pokerstars"),
    "pot-limit, PokerStars": (lambda: no_limit_holdem(3, structure="pot_limit"), "a.pokerstars"),
    "limit, PokerStars": (limit_holdem, "a.pokerstars"),
    "big2": (big2, "a.big2"),
    "big2, other rules": (lambda: big2("charlesworth2018_text", straights="taiwan"), "a.big2"),
    "big2, skipped passes": (lambda: big2(forced_passes="skipped", double_from=10), "a.big2"),
}


@pytest.mark.parametrize("name", SAVED)
def test_what_is_saved_is_replayed_exactly(name: str, tmp_path: Path) -> None:
    make, file_name = SAVED[name]
    path = tmp_path / file_name
    result = played(make(), path)
    for hand, payoffs in zip(load_recorded_hands(path), result.payoffs, strict=True):
        assert isinstance(hand, RecordedHand), hand
        won = hand.tables_after(len(hand.actions))["payoff"][0]
        by_name = {name.replace("_", " "): won[seat] for seat, name in enumerate(hand.names)}
        assert [by_name[agent] for agent in result.names] == payoffs.tolist()
    report = replay_paths(path)
    assert list(report.lines()) == ["matched: 60 exactly", "replayed 60 hands: 60 matched, 0 mismatched, 0 skipped"]
    assert [file.name for file in tmp_path.iterdir()] == [file_name]


@pytest.mark.parametrize("name", ["limit for six, uneven", "no-limit, ACPC", "flop, ACPC", "leduc for three", "big2"])
def test_a_saved_hand_is_shown_as_it_was_played(name: str, tmp_path: Path) -> None:
    make, file_name = SAVED[name]
    path = tmp_path / file_name
    played(make(), path)
    for number in (1, 8):
        steps = format_of_file(path).steps(path, number)
        assert len(steps.tables) == len(steps.actions) + 1 > 1
        assert (steps.tables["actor"][:-1] >= 0).all() and steps.tables["actor"][-1] < 0
        text = "\n".join(steps.lines())
        assert text.count("--> player_") == len(steps.actions)
    with pytest.raises(HandHistoryError, match="there is no hand 61: it has hands 1 to 60"):
        format_of_file(path).steps(path, 61)


def test_files_read_back_byte_for_byte(tmp_path: Path) -> None:
    played(limit_holdem(), tmp_path / "a.phhs")
    assert dump_hands(load_hands(tmp_path / "a.phhs")) == (tmp_path / "a.phhs").read_text().rstrip()
    played(leduc_holdem(), tmp_path / "a.acpc")
    assert dump_log(load_log(tmp_path / "a.acpc")) == (tmp_path / "a.acpc").read_text()
    played(big2(), tmp_path / "a.big2")
    assert dump_deals(load_deals(tmp_path / "a.big2")) + "\n" == (tmp_path / "a.big2").read_text()


@pytest.mark.parametrize("ending", [".phhs", ".pokerstars"])
def test_a_hand_that_comes_again_counts_once(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"a{ending}"
    played(limit_holdem(), file, hands=4)
    text = file.read_text()
    file.write_text(text + re.sub(r"^\[([0-9]+)\]$", r"[1\1]", text, flags=re.MULTILINE))
    report = replay_paths(file)
    assert (report.num_matched, len(report.mismatched)) == (4, 0)
    [(reason, sources)] = report.skipped.items()
    assert reason == "the file has this hand before, and it counts once" and len(sources) == 4


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("ending", [".phhs", ".pokerstars"])
def test_a_hand_of_an_earlier_file_counts_once(
    ending: str, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report_module, "_FILES_PER_TASK", 1)
    for name, seed in (("a", 0), ("b", 1)):
        played(limit_holdem(), tmp_path / f"{name}{ending}", hands=4, seed=seed)
    (tmp_path / f"c{ending}").write_bytes((tmp_path / f"a{ending}").read_bytes())
    report = replay_paths(tmp_path, jobs=jobs)
    assert (report.num_matched, len(report.mismatched)) == (8, 0)
    [(reason, sources)] = report.skipped.items()
    assert reason == "an earlier file has this hand, and it counts once"
    assert len(sources) == 4 and all(source.startswith(f"{tmp_path}/c{ending}") for source in sources)


@pytest.mark.parametrize("ending", [".phhs", ".acpc"])
def test_a_file_that_several_paths_name_is_read_once(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"a{ending}"
    played(limit_holdem(), file, hands=4)
    (tmp_path / f"link{ending}").symlink_to(file)
    assert find_files([file, tmp_path, str(tmp_path / "." / file.name), tmp_path / f"link{ending}"]) == [file]
    report = replay_paths([file, tmp_path])
    assert (report.num_hands, report.num_matched) == (4, 4)


@pytest.mark.parametrize("duplicate", [False, True])
@pytest.mark.parametrize("ending", [".phhs", ".acpc"])
def test_names_and_chips_are_those_of_the_match(ending: str, duplicate: bool, tmp_path: Path) -> None:
    path = tmp_path / f"a{ending}"
    result = played(limit_holdem(3), path, duplicate=duplicate)
    won = dict.fromkeys(result.names, 0)
    if ending == ".phhs":
        for hand in load_hands(path):
            amounts = zip(hand.fields["players"], hand.fields["finishing_stacks"], strict=True)
            for (name, after), before in zip(amounts, hand.fields["starting_stacks"], strict=True):
                won[name] += after - before
    else:
        log = load_log(path)
        for line in log.hands:
            for player, value in zip(line.players, line.values, strict=True):
                won[player.replace("_", " ")] += int(value)
        assert log.lines[-1] == f"SCORE:{'|'.join(map(str, won.values()))}:agent_0|agent_1|agent_2"
    assert list(won.values()) == result.payoffs.sum(axis=0).tolist()


@pytest.mark.parametrize("ending", ["phhs", "acpc", "pokerstars", "big2"])
@pytest.mark.parametrize(
    "names",
    [
        ["random"] * 4, ["a b", "a_b", "a:b", "a|b"], ["", " ", "\t", "\n"], ["a", "a 2", "a", "a 2"],
        ["é", "日", "\ud800", "\u2028"], ["Dealt to", "folds", "SCORE:", "# [1]"], ["'", '"', "\\n", "\x00"],
    ],
)  # fmt: skip
def test_players_may_have_any_names_and_equal_ones(names: list[str], ending: str, tmp_path: Path) -> None:
    game, path = big2() if ending == "big2" else no_limit_holdem(4, stacks=40), tmp_path / f"a.{ending}"
    with MatchFile(path, game, names, seed=1) as file:
        play_match(game, list(map(Named, "abcd")), 6, 1, callbacks=[file])
    report = replay_paths(path)
    assert (report.num_matched, report.num_hands) == (6, 6), list(report.lines())


def test_scores_of_logs_with_equal_names_are_not_compared(tmp_path: Path) -> None:
    with MatchFile(tmp_path / "a.acpc", limit_holdem(), ["a", "b"], seed=1) as file:
        play_match(limit_holdem(), [RandomAgent()] * 2, 5, 1, callbacks=[file])
    log = (tmp_path / "a.acpc").read_text().replace("a|b", "a|a").replace("b|a", "a|a")
    (tmp_path / "b.acpc").write_text(log)
    assert replay_paths(tmp_path / "b.acpc").num_hands == replay_paths(tmp_path / "b.acpc").num_matched == 5


def test_recording_does_not_change_the_match(tmp_path: Path) -> None:
    game = no_limit_holdem(3)
    agents = [Named("a"), Named("b"), Named("c")]
    recorded = played(game, tmp_path / "a.phhs")
    assert np.array_equal(recorded.payoffs, play_match(game, agents, 60, 5, num_tables=16).payoffs)


def test_the_file_does_not_depend_on_the_number_of_tables(tmp_path: Path) -> None:
    played(limit_holdem(), tmp_path / "a.phhs", num_tables=7)
    played(limit_holdem(), tmp_path / "b.phhs", num_tables=4096)
    assert (tmp_path / "a.phhs").read_bytes() == (tmp_path / "b.phhs").read_bytes()


def test_a_match_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    class Broken(RandomAgent):
        name = "broken"

        def act(self, decisions: Any, rng: np.random.Generator) -> Any:
            if 30 in decisions.table_ids:
                raise RuntimeError("enough")
            return super().act(decisions, rng)

    game, path = limit_holdem(), tmp_path / "folder" / "a.phhs"
    with pytest.raises(AgentError, match="enough"), MatchFile(path, game, ["a", "b"], 0) as file:
        play_match(game, [Broken(), RandomAgent()], 60, 0, num_tables=8, callbacks=[file])
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize(
    ("make", "name", "reason"),
    [
        (limit_holdem, "a.txt", "matches are saved as .phhs, .acpc, .pokerstars, .big2, or into a folder"),
        (limit_holdem, "a.phh", r"\(.phh holds a single hand\)"),
        (limit_holdem, "a.big2", "limit_holdem cannot be written as .big2: use .phhs or .acpc"),
        (big2, "a.phhs", "big2 cannot be written as .phhs: use .big2"),
        (kuhn_poker, "a.phhs", "PHH has no code for games with other cards"),
        (lambda: no_limit_holdem(3, stacks=(5, 6, 7)), "a.acpc", "stacks by position"),
        (limit_holdem, "there.phhs", "there.phhs exists already: choose another name"),
    ],
)
def test_what_cannot_be_saved_is_refused_before_the_first_hand(
    make: Callable[[], Game], name: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "there.phhs").write_text("something")
    with pytest.raises(ValueError, match=reason):
        MatchFile(tmp_path / name, make(), ["a"] * make().num_seats, 0)
    assert (tmp_path / "there.phhs").read_text() == "something"


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], "ab", ["a", 2], None])
def test_a_file_has_a_name_for_each_agent(names: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^names .* must be (2 texts|a list)"):
        MatchFile(tmp_path / "a.phhs", "no_limit_holdem-v0", names, seed=1)


def test_a_file_is_of_one_match_of_its_game(tmp_path: Path) -> None:
    """Hands of another game would be written as those of this one, and hands of a second match have equal numbers."""
    agents, path = [RandomAgent(), RandomAgent()], tmp_path / "a.phhs"
    with pytest.raises(ValueError, match=r"for <Game no_limit_holdem.*, and this match plays <Game limit_holdem"):  # noqa: SIM117
        with MatchFile(path, "no_limit_holdem-v0", ["a", "b"], seed=1) as file:
            play_match("limit_holdem-v0", agents, 5, 1, callbacks=[file])
    with pytest.raises(ValueError, match="a second match begins, and a file holds one"):  # noqa: SIM117
        with MatchFile(path, "no_limit_holdem-v0", ["a", "b"], seed=1) as file:
            play_match("no_limit_holdem-v0", agents, 20, 1, hands_per_table=5, num_tables=2, callbacks=[file])
            assert file.num_hands == 20
            play_match("no_limit_holdem-v0", agents, 5, 2, callbacks=[file])
    assert not list(tmp_path.iterdir())


def test_a_match_that_ends_early_announces_the_hands_that_it_had(tmp_path: Path) -> None:
    game, agents = leduc_holdem(), [Named("a"), Named("b")]
    with MatchFile(tmp_path / "a.acpc", game, ["a", "b"], 5) as file:
        play_match(game, agents, 10_000, 5, num_tables=100, until=StoppingRule(margin=5.0), callbacks=[file])
    assert file.num_hands < 10_000
    assert replay_paths(tmp_path / "a.acpc").num_matched == file.num_hands


def test_a_folder_gets_a_file_named_after_game_and_seed(tmp_path: Path) -> None:
    for make in (limit_holdem, kuhn_poker, big2):
        played(make(), tmp_path / "new")
    names = sorted(file.name for file in (tmp_path / "new").iterdir())
    assert names == ["big2-seed5.big2", "kuhn_poker-seed5.acpc", "limit_holdem-seed5.phhs"]
    assert replay_paths(tmp_path).num_matched == 180


def test_actions_of_a_recorded_hand_are_not_taken_in_a_game_that_numbers_them_otherwise() -> None:
    hand = RecordedHand("a.acpc, hand 1", leduc_holdem(), {}, ("a", "b"), (1,))
    with pytest.raises(ValueError, match="hand 1: actions of leduc_holdem cannot be taken in kuhn_poker"):
        hand.tables_after(1, kuhn_poker())
