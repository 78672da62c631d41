"""The Big 2 benchmark: its deals are fixed, its seatings fair, and its command prints what matches say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines import cli
from card_baselines.big2_benchmark import deals, seatings
from card_baselines.big2_benchmark.play import estimate_seconds, play_group, play_seating
from card_baselines.big2_benchmark.seatings import AGENT, MIXED, REFERENCES, Seating, list_seatings
from card_envs import make_game
from card_envs.agent import find_agent, known_agents
from card_envs.cards import card_name
from card_envs.compiler import COMPILED
from card_envs.games.big2.combos import card_of, order_name
from card_envs.match import play_match, summarise_deals

BIG2 = make_game("big2-v0")

needs_speed = pytest.mark.skipif(not COMPILED, reason="thousands of hands, which take minutes as plain Python")


# --- deals ------------------------------------------------------------------------------------------------------------


@needs_speed
def test_the_file_holds_the_deals_of_the_seed() -> None:
    owner = deals.load_deals()
    assert owner.shape == (deals.NUM_DEALS, 52)
    assert owner.dtype == np.uint8
    assert (deals.deal_from_seed(deals.NUM_DEALS) == owner).all()
    deals.require_same_deals(deals.NUM_DEALS)


def test_every_seat_gets_thirteen_cards_and_no_deal_comes_twice() -> None:
    owner = deals.load_deals()
    assert all((np.count_nonzero(owner == seat, axis=1) == 13).all() for seat in range(4))
    assert len(np.unique(owner, axis=0)) == deals.NUM_DEALS
    assert abs(np.bincount(owner[:, 0], minlength=4) - deals.NUM_DEALS / 4).max() < 5 * np.sqrt(
        deals.NUM_DEALS * 3 / 16
    )


def test_a_changed_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    owner = deals.load_deals()
    owner[17, [0, 1]] = owner[17, [1, 0]]
    assert (owner != deals.load_deals()).any()
    np.savez_compressed(tmp_path / "deals.npz", owner=owner)
    monkeypatch.setattr(deals, "FILE", tmp_path / "deals.npz")
    with pytest.raises(ValueError, match="the benchmark needs"):
        deals.load_deals()


def test_matches_deal_the_cards_of_the_file() -> None:
    """By names of cards, as another package would read the file."""
    owner, seen = deals.load_deals(), list[Any]()

    class Watcher:
        def on_deal(self, batch: Any) -> None:
            seen.extend(zip(batch.deals.tolist(), batch.tables.copy(), strict=True))

        def on_actions(self, batch: Any, rows: Any, actions: Any) -> None: ...

        def on_end(self, batch: Any) -> None: ...

    player = find_agent("big2_lowest", BIG2)
    play_match(BIG2, [player] * 4, 12, deals.SEED, duplicate=True, callbacks=[Watcher()])
    assert [deal for deal, _ in seen] == [0] * 4 + [1] * 4 + [2] * 4
    for deal, table in seen:
        for card in range(52):
            holder = next(seat for seat in range(4) if int(table["held"][seat] | table["played"][seat]) >> card & 1)
            assert holder == owner[deal, card], (deal, order_name(card), card_name(card_of(card)))


def test_stored_results_are_of_these_deals() -> None:
    stored = json.loads((Path(__file__).parents[2] / "docs" / "results" / "big2_benchmark.json").read_text())
    assert (stored["benchmark"], stored["deals_sha256"]) == (seatings.BENCHMARK, deals.DEALS_SHA256)
    assert set(stored["agents"]) <= set(known_agents())
    assert all(set(report["against"]) <= set(REFERENCES) for report in stored["agents"].values())


# --- seatings ---------------------------------------------------------------------------------------------------------


def test_every_circular_order_is_played_once() -> None:
    listed = list_seatings()
    assert len(listed) == 3 * len(REFERENCES) + 6
    mixed = [seating.players for seating in listed if seating.kind == MIXED]
    assert len(set(mixed)) == 6
    assert all(players[0] == AGENT and sorted(players[1:]) == sorted(seatings.MIXED_TABLE) for players in mixed)
    pairs = {seating.players for seating in listed if seating.opponents == ("random", "random")}
    assert pairs == {(AGENT, AGENT, "random", "random"), (AGENT, "random", AGENT, "random")}


def test_slow_references_play_fewer_deals() -> None:
    counts = {seating.opponents[0]: seating.deals for seating in list_seatings() if seating.kind != MIXED}
    assert counts == {**dict.fromkeys(REFERENCES[:4], 10_000), REFERENCES[4]: 200}
    assert {seating.deals for seating in list_seatings(deals=50)} == {50}


@pytest.mark.parametrize(("references", "count"), [(("random",), 1), (("random",), 10_001), (("chen",), 10)])
def test_wrong_seatings_are_refused(references: tuple[str, ...], count: int) -> None:
    with pytest.raises(ValueError, match=r"must be in 2|is not known"):
        list_seatings(references, count)


# --- play -------------------------------------------------------------------------------------------------------------


def test_copies_of_one_player_win_nothing_from_each_other() -> None:
    player = find_agent("big2_lowest", BIG2)
    agents = {AGENT: player, "big2_lowest": player}
    for players in ((AGENT, *["big2_lowest"] * 3), (AGENT, AGENT, "big2_lowest", "big2_lowest")):
        points = play_seating(BIG2, agents, Seating("", players, 8))
        assert points == pytest.approx(np.zeros(8))  # each deal has the same course at all rotations


@needs_speed
def test_the_report_is_what_matches_say() -> None:
    agents = {AGENT: find_agent("big2_greedy", BIG2), "random": find_agent("random", BIG2)}
    reported = list[int]()
    report = play_group(BIG2, agents, list_seatings(["random"], 60, mixed=False), reported.append)
    assert sum(reported) == 3 * 60 * 4
    one, other = agents[AGENT], agents["random"]
    means = {}
    for kind, players, own in (
        ("one_against_three", [one, other, other, other], [0]),
        ("neighbours", [one, one, other, other], [0, 1]),
        ("opposite", [one, other, one, other], [0, 2]),
    ):
        result = play_match(BIG2, players, 240, deals.SEED, duplicate=True)
        means[kind] = result.payoffs[:, own].reshape(60, -1).mean(axis=1)
    means["two_against_two"] = (means["neighbours"] + means["opposite"]) / 2
    for kind, samples in means.items():
        expected = summarise_deals("", samples)
        cell = report[kind]
        assert cell["mean"] == pytest.approx(expected.mean, abs=1e-4)
        assert cell["ci95"] == pytest.approx(expected.ci95, abs=1e-4)
        assert cell["deals"] == 60
        assert cell["ci95"][0] > 0


@needs_speed
def test_a_prefix_of_the_deals_is_a_prefix() -> None:
    agents = {AGENT: find_agent("big2_greedy", BIG2), "random": find_agent("random", BIG2)}
    players = (AGENT, "random", "random", "random")
    few, many = (play_seating(BIG2, agents, Seating("", players, count)) for count in (10, 40))
    assert (many[:10] == few).all()
    assert len(many) == 40


@needs_speed
def test_estimated_cost_grows_with_the_deals() -> None:
    agents = {AGENT: find_agent("big2_greedy", BIG2), "random": find_agent("random", BIG2)}
    few, many = (estimate_seconds(BIG2, agents, list_seatings(["random"], n, mixed=False)) for n in (10, 10_000))
    assert 0 < few < many


# --- the command ------------------------------------------------------------------------------------------------------


@needs_speed
def test_the_command_keeps_results_of_other_agents_and_references(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "results.json"

    def play(agent: str, *words: str, said: str = "hands: about") -> Any:
        assert (
            cli.main(["bench", "big2", "--agent", agent, "--deals", "2", "--output", str(output), "--json", *words])
            == 0
        )
        out, err = capsys.readouterr()
        assert said in err
        printed = json.loads(out)
        assert printed["deals_sha256"] == deals.DEALS_SHA256
        assert list(printed["agents"]) == [agent]
        return printed["agents"][agent]

    first = play("big2_greedy", "--no-mixed", "--references", "random", "big2_greedy")
    assert list(first["against"]) == ["random"]  # not against itself
    own = play("tests.big2_benchmark.own_player:HighestCard", "--no-mixed", "--references", "big2_greedy", "random")
    second = play("big2_greedy", "--references", "big2_planner")
    again = play("big2_greedy", "--no-mixed", "--references", "random", said="holds what this commit played")
    assert again == {"against": {"random": first["against"]["random"]}}
    kept = json.loads(output.read_text())["agents"]
    assert kept["tests.big2_benchmark.own_player:HighestCard"] == own
    assert kept["big2_greedy"] == {"against": first["against"] | second["against"], "mixed": second["mixed"]}


@needs_speed
def test_the_command_prints_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "big2", "--agent", "big2_lowest", "--deals", "2", "--references", "random"]) == 0
    out = capsys.readouterr().out
    assert "two against two" in out
    assert "mean of all orders" in out
    assert len([line for line in out.splitlines() if line.strip().startswith("big2_lowest, ")]) == 6


def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "other.json").write_text('{"benchmark": "another"}')
    for path, message in ((tmp_path / "other.json", "holds no results of"), (tmp_path / "no" / "x.json", "no folder")):
        assert cli.main(["bench", "big2", "--agent", "random", "--deals", "2", "--output", str(path)]) == 2
        assert message in capsys.readouterr().err
    assert (tmp_path / "other.json").read_text() == '{"benchmark": "another"}'
