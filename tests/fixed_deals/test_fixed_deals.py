"""Benchmarks on fixed deals: the deals are fixed, the seatings fair, and the commands print what matches say."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_baselines.big2_benchmark import BIG2, load_deals
from card_baselines.fixed_deals import (
    AGENT,
    MIXED,
    NUM_DEALS,
    Benchmark,
    Seating,
    estimate_seconds,
    list_balanced_orders,
    play_group,
    play_seatings,
)
from card_baselines.six_max_benchmark import LIMIT, NO_LIMIT
from card_envs.agent import find_agent, known_agents
from card_envs.cards import card_name
from card_envs.compiler import COMPILED
from card_envs.games.big2.combos import card_of, order_name
from card_envs.match import play_match, summarise_deals
from tests.helpers.shell import Shell

BENCHMARKS = (BIG2, NO_LIMIT, LIMIT)
GAME = BIG2.make_game()
PACKAGE = Path(__file__).parents[2] / "baselines" / "card_baselines"
RESULTS = Path(__file__).parents[2] / "docs" / "results"
FROZEN = {
    "agents/learned/pretrained/ppo_big2/policy.safetensors": "3595697782c86ef3",
    "agents/learned/pretrained/ppo_limit_six_max/policy.safetensors": "e2d3ffc7e394cfec",
    "agents/learned/pretrained/ppo_no_limit_six_max/policy.safetensors": "fe6e25f5769fec0b",
    "solvers/data/limit_holdem_six_max.npz": "c298a61014648154",
    "solvers/data/no_limit_holdem_six_max.npz": "066af01574b263b9",
}
"""File of a reference player -> SHA-256, first 16 digits."""

needs_speed = pytest.mark.skipif(not COMPILED, reason="thousands of hands, which take minutes as plain Python")
of_each = pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark.name)


# --- deals ------------------------------------------------------------------------------------------------------------


@needs_speed
@of_each
def test_the_file_holds_the_deals_of_the_seed(benchmark: Benchmark) -> None:
    dealt = benchmark.deal_from_seed(NUM_DEALS)
    stored = benchmark.load_deals()
    assert list(stored) == list(dealt)
    for name, array in stored.items():
        assert (len(array), array.dtype) == (NUM_DEALS, np.uint8)
        assert np.array_equal(array, dealt[name])
    benchmark.require_same_deals(NUM_DEALS)


def test_every_seat_of_big_2_gets_thirteen_cards_and_no_deal_comes_twice() -> None:
    owner = load_deals()
    assert owner.shape == (NUM_DEALS, 52)
    assert all((np.count_nonzero(owner == seat, axis=1) == 13).all() for seat in range(4))
    assert len(np.unique(owner, axis=0)) == NUM_DEALS
    assert abs(np.bincount(owner[:, 0], minlength=4) - NUM_DEALS / 4).max() < 5 * np.sqrt(NUM_DEALS * 3 / 16)


def test_no_card_of_holdem_is_dealt_twice_and_every_seat_has_the_button_as_often() -> None:
    cards = NO_LIMIT.load_deals()
    deck, button = cards["deck"], cards["button"]
    assert deck.shape == (NUM_DEALS, 17) and deck.max() == 51
    assert (np.diff(np.sort(deck, axis=1), axis=1) > 0).all()
    assert len(np.unique(deck, axis=0)) == NUM_DEALS
    assert abs(np.bincount(button, minlength=6) - NUM_DEALS / 6).max() < 5 * np.sqrt(NUM_DEALS * 5 / 36)


@of_each
def test_a_changed_file_is_refused(benchmark: Benchmark, tmp_path: Path) -> None:
    cards = benchmark.load_deals()
    first = next(iter(cards.values()))
    place = int(np.flatnonzero(first[17] != first[17, 0])[0])
    first[17, [0, place]] = first[17, [place, 0]]
    np.savez_compressed(tmp_path / "deals.npz", **cards)
    with pytest.raises(ValueError, match=f"{benchmark.name} needs"):
        replace(benchmark, file=tmp_path / "deals.npz").load_deals()


@of_each
def test_deals_of_another_engine_are_noticed(benchmark: Benchmark, tmp_path: Path) -> None:
    other = replace(benchmark, seed=benchmark.seed + 1)
    with pytest.raises(ValueError, match=f"seed {other.seed} does not give the deals of"):
        other.require_same_deals(2)
    written = replace(other, file=tmp_path / "deals.npz")
    replace(written, sha256=written.write_deals()).require_same_deals(NUM_DEALS)


class Watcher:
    """Notes the tables of a match as they are dealt."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, Any]] = []

    def on_deal(self, batch: Any) -> None:
        self.seen.extend(zip(batch.deals.tolist(), batch.tables.copy(), strict=True))

    def on_actions(self, batch: Any, rows: Any, actions: Any) -> None: ...

    def on_end(self, batch: Any) -> None: ...


def watch_deals(benchmark: Benchmark, player: str) -> list[tuple[int, Any]]:
    """Return (deal, table) of the hands of three duplicate deals."""
    game, watcher = benchmark.make_game(), Watcher()
    seats = game.num_seats
    players = [find_agent(player, game)] * seats
    play_match(game, players, 3 * seats, benchmark.seed, duplicate=True, callbacks=[watcher])
    assert [deal for deal, _ in watcher.seen] == [0] * seats + [1] * seats + [2] * seats
    return watcher.seen


def test_matches_of_big_2_deal_the_cards_of_the_file() -> None:
    """By names of cards, as another package would read the file."""
    owner = load_deals()
    for deal, table in watch_deals(BIG2, "big2_lowest"):
        for card in range(52):
            holder = next(seat for seat in range(4) if int(table["held"][seat] | table["played"][seat]) >> card & 1)
            assert holder == owner[deal, card], (deal, order_name(card), card_name(card_of(card)))


def test_matches_of_holdem_deal_the_cards_of_the_file() -> None:
    cards = LIMIT.load_deals()
    assert [card_name(c) for c in range(52)] == [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    for deal, table in watch_deals(LIMIT, "always_call"):
        assert table["deck"][:17].tolist() == cards["deck"][deal].tolist()
        assert table["button"] == cards["button"][deal]


def test_references_are_frozen() -> None:
    """Other weights of a reference are another benchmark: give it another version, and play its results again."""
    found = {name: hashlib.sha256((PACKAGE / name).read_bytes()).hexdigest()[:16] for name in FROZEN}
    assert found == FROZEN


@of_each
def test_stored_results_are_of_these_deals(benchmark: Benchmark) -> None:
    stored = json.loads((RESULTS / f"{benchmark.name.rpartition('-')[0].replace('-', '_')}.json").read_text())
    assert (stored["benchmark"], stored["deals_sha256"]) == (benchmark.name, benchmark.sha256)
    assert set(stored["agents"]) <= {*known_agents(), "donksolver"}  # benchmarks/donksolver_player.py
    assert all(set(report["against"]) <= set(benchmark.references) for report in stored["agents"].values())


# --- seatings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", ["abc", "abcde", "abcdefg"])
def test_everybody_sits_behind_everybody_else_as_often(players: str) -> None:
    orders = list_balanced_orders(players)
    assert len(orders) == len(set(orders)) == 2 * len(players)
    assert all(sorted(order) == list(players) for order in orders)
    tables = ["".join((AGENT[0].upper(), *order)) for order in orders]
    behind = Counter(pair for table in tables for pair in zip(table, table[1:] + table[0], strict=True))
    assert len(behind) == len(players) * (len(players) + 1) and set(behind.values()) == {2}
    places = Counter((place, player) for order in orders for place, player in enumerate(order))
    assert set(places.values()) == {2}


def test_an_even_number_of_players_is_refused() -> None:
    with pytest.raises(ValueError, match="4 players have no such orders"):
        list_balanced_orders("abcd")


def test_every_circular_order_of_big_2_is_played_once() -> None:
    listed = BIG2.list_seatings()
    assert len(listed) == 3 * len(BIG2.references) + 6
    mixed = [seating.players for seating in listed if seating.kind == MIXED]
    assert len(set(mixed)) == 6
    assert all(players[0] == AGENT and sorted(players[1:]) == sorted(BIG2.mixed_table) for players in mixed)
    pairs = {seating.players for seating in listed if seating.opponents == ("random", "random")}
    assert pairs == {(AGENT, AGENT, "random", "random"), (AGENT, "random", AGENT, "random")}


def test_six_max_has_one_against_five_and_ten_mixed_orders() -> None:
    for benchmark in (NO_LIMIT, LIMIT):
        listed = benchmark.list_seatings()
        assert len(listed) == len(benchmark.references) + 10
        assert listed[0].players == (AGENT, *["always_call"] * 5)
        assert sum(seating.hands for seating in listed) == 16 * 60_000


def test_slow_references_play_fewer_deals() -> None:
    counts = {seating.opponents[0]: seating.deals for seating in BIG2.list_seatings() if seating.kind != MIXED}
    assert counts == {**dict.fromkeys(BIG2.references[:4], 10_000), BIG2.references[4]: 200}
    assert {seating.deals for seating in BIG2.list_seatings(deals=50)} == {50}


@pytest.mark.parametrize(("references", "count"), [(("random",), 1), (("random",), 10_001), (("chen",), 10)])
def test_wrong_seatings_are_refused(references: tuple[str, ...], count: int) -> None:
    with pytest.raises(ValueError, match=r"must be in 2|is not known"):
        BIG2.list_seatings(references, count)


# --- play -------------------------------------------------------------------------------------------------------------


def test_copies_of_one_player_win_nothing_from_each_other() -> None:
    player = find_agent("big2_lowest", GAME)
    agents = {AGENT: player, "big2_lowest": player}
    for players in ((AGENT, *["big2_lowest"] * 3), (AGENT, AGENT, "big2_lowest", "big2_lowest")):
        points, _ = play_seatings(BIG2, agents, [Seating("", players, 8)])
        assert points == pytest.approx(np.zeros((8, 1)))  # each deal has the same course at all rotations


@needs_speed
def test_the_report_is_what_matches_say() -> None:
    agents = {AGENT: find_agent("big2_greedy", GAME), "random": find_agent("random", GAME)}
    reported = list[int]()
    report = play_group(BIG2, agents, BIG2.list_seatings(["random"], 60, mixed=False), reported.append)
    assert sum(reported) == 3 * 60 * 4
    one, other = agents[AGENT], agents["random"]
    means = {}
    for kind, players, own in (
        ("one_against_three", [one, other, other, other], [0]),
        ("neighbours", [one, one, other, other], [0, 1]),
        ("opposite", [one, other, one, other], [0, 2]),
    ):
        result = play_match(GAME, players, 240, BIG2.seed, duplicate=True)
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
    agents = {AGENT: find_agent("big2_greedy", GAME), "random": find_agent("random", GAME)}
    players = (AGENT, "random", "random", "random")
    few, many = (play_seatings(BIG2, agents, [Seating("", players, count)])[0] for count in (10, 40))
    assert (many[:10] == few).all()
    assert len(many) == 40


@needs_speed
def test_estimated_cost_grows_with_the_deals() -> None:
    agents = {AGENT: find_agent("big2_greedy", GAME), "random": find_agent("random", GAME)}
    few, many = (estimate_seconds(BIG2, agents, BIG2.list_seatings(["random"], n, mixed=False)) for n in (10, 10_000))
    assert 0 < few < many


# --- the command ------------------------------------------------------------------------------------------------------


@needs_speed
def test_the_command_keeps_results_of_other_agents_and_references(tmp_path: Path, shell: Shell) -> None:
    output = tmp_path / "results.json"

    def play(agent: str, *words: str, said: str = "hands: about") -> Any:
        fixed = ("bench", "big2", "--agent", agent, "--deals", "2", "--output", str(output), "--json")
        code, out, err = shell.run(*fixed, *words)
        assert code == 0 and said in err
        printed = json.loads(out)
        assert printed["deals_sha256"] == BIG2.sha256
        assert list(printed["agents"]) == [agent]
        return printed["agents"][agent]

    first = play("big2_greedy", "--no-mixed", "--references", "random", "big2_greedy")
    assert list(first["against"]) == ["random"]  # not against itself
    own = play("tests.fixed_deals.own_player:HighestCard", "--no-mixed", "--references", "big2_greedy", "random")
    second = play("big2_greedy", "--references", "big2_planner")
    again = play("big2_greedy", "--no-mixed", "--references", "random", said="holds what this commit played")
    assert again == {"against": {"random": first["against"]["random"]}}
    kept = json.loads(output.read_text())["agents"]
    assert kept["tests.fixed_deals.own_player:HighestCard"] == own
    assert kept["big2_greedy"] == {"against": first["against"] | second["against"], "mixed": second["mixed"]}


@needs_speed
def test_the_command_prints_tables(shell: Shell) -> None:
    out = shell.prints("bench", "big2", "--agent", "big2_lowest", "--deals", "2", "--references", "random")
    assert "two against two" in out
    assert "mean of all orders" in out
    lists = {", ".join(order) for order in permutations(BIG2.mixed_table)}
    assert {line.strip().rpartition("  ")[0].strip() for line in out.splitlines()} >= lists and len(lists) == 6


def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path, shell: Shell) -> None:
    (tmp_path / "other.json").write_text('{"benchmark": "another"}')
    for path, message in ((tmp_path / "other.json", "holds no results of"), (tmp_path / "no" / "x.json", "no folder")):
        assert message in shell.refuses("bench", "big2", "--agent", "random", "--deals", "2", "--output", str(path))
    assert (tmp_path / "other.json").read_text() == '{"benchmark": "another"}'


@needs_speed
def test_six_seats_are_played_in_bb_a_hundred_hands(shell: Shell) -> None:
    words = ["bench", "six-max", "--agent", "always_raise", "--betting", "limit", "--deals", "3"]
    report = shell.reports(*words, "--references", "always_call")
    assert (report["benchmark"], report["unit"]) == ("six-max-limit-v1", "bb/100")
    found, game = report["agents"]["always_raise"], LIMIT.make_game()
    players = [find_agent("always_raise", game), *[find_agent("always_call", game)] * 5]
    expected = play_match(game, players, 18, LIMIT.seed, duplicate=True).agents[0].scale(100.0)
    cell = found["against"]["always_call"]["one_against_five"]
    assert cell["mean"] == pytest.approx(expected.mean, abs=1e-3) and cell["deals"] == 3
    assert len(found["mixed"]["orders"]) == 10
    means = [order["mean"] for order in found["mixed"]["orders"]]
    assert found["mixed"]["mean"] == pytest.approx(np.mean(means), abs=1e-3)
    assert set(cell["adjusted"]) == set(found["mixed"]["adjusted"]) == {"mean", "ci95"}


@pytest.mark.slow
def test_adjusted_results_of_all_orders_have_smaller_intervals_around_the_same_mean() -> None:
    game = LIMIT.make_game()
    agents = {name: find_agent(name, game) for name in LIMIT.mixed_table} | {AGENT: find_agent("chen", game)}
    deals = 200
    found = play_group(LIMIT, agents, [each for each in LIMIT.list_seatings([], deals) if each.kind == MIXED])
    (low, high), (adjusted_low, adjusted_high) = found["ci95"], found["adjusted"]["ci95"]
    assert adjusted_high - adjusted_low < 0.8 * (high - low)
    assert abs(found["adjusted"]["mean"] - found["mean"]) < (high - low) / 2


def test_an_agent_does_not_meet_itself(shell: Shell) -> None:
    words = ["bench", "six-max", "--agent", "always_call", "--deals", "2", "--references", "always_call"]
    assert "always_call against itself has no result: name other --references" in shell.refuses(*words, "--no-mixed")
    assert not [seating for seating in NO_LIMIT.list_seatings([], 2) if seating.kind != MIXED]
