"""Nobody at a page can compute the cards to come: deals follow from a secret, and nothing that is sent tells of it."""

from __future__ import annotations

import contextlib
import json
import secrets
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from card_baselines.web.session import Plan, Player, deal_table
from card_baselines.web.store import Store, StoreError
from card_envs.envs import make_game
from card_envs.game import Game
from tests.web.served import Server, serving

CANDIDATES = 2048


def own_cards(game: Game, plan: Plan, index: int, hands: int) -> list[list[int]]:
    """The cards that a player is dealt in the first hands, as the page of its person shows them."""
    assert game.info.private_cards is not None
    seats = [plan.seat_of(index, hand) for hand in range(hands)]
    cards = [list(game.info.private_cards(deal_table(game, plan, hand), 0, seat)) for hand, seat in enumerate(seats)]
    return [[card for card in held if card < 52] for held in cards]


def found_seeds(game: Game, plan: Plan, hands: int = 3) -> list[int]:
    """The seeds that deal what a player has seen, among those that are tried."""
    seen, others = own_cards(game, plan, 0, hands), [plan.players] * CANDIDATES
    return [
        seed
        for seed, players in enumerate(others)
        if all(own_cards(game, Plan(plan.env, {}, players, seed), 0, count + 1)[count] == seen[count]
               for count in range(hands))
    ]  # fmt: skip


@pytest.mark.parametrize("env", ["limit_holdem-v0", "big2-v0"])
def test_a_search_finds_a_seed_and_no_secret(env: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "randbelow", lambda bound: 1234)  # as if the server's draw were one of few
    monkeypatch.setattr(secrets, "randbits", lambda bits: 1234)
    game = make_game(env)
    seats = ["", *["random"] * (game.num_seats - 1)]
    seeded = Plan(env, {}, tuple(Player(f"{k}", None) for k in range(game.num_seats)), 1234)
    assert found_seeds(game, seeded) == [1234]
    with serving(tmp_path) as server:
        number, _ = server.opened(env, seats)
        (stored,) = [each for each in server.handler.store.sessions() if each.id == number]
    assert len(stored.plan.secret) * 8 >= 128
    assert found_seeds(game, stored.plan) == []


def play(server: Server, env: str, hands: int, **more: Any) -> tuple[int, list[dict[str, Any]]]:
    """Play hands by the first legal action; return the session's number and all messages of both pages."""
    game = make_game(env)
    number, tokens = server.opened(env, ["", *["random"] * (game.num_seats - 1)], **more)
    with server.page(tokens[0] or "") as page, server.page() as host:
        for hand in range(hands):
            table = page.turn()
            while not table["over"]:
                page.act(table, table["choices"][0]["action"])
                table = page.turn()
            if hand + 1 < hands:
                page.say("next", hand=hand)
        for kind in ("sessions", "results", "recordings"):
            host.say(kind)
            host.hear(kind)
        if any(each["name"] == f"session {number}" for each in host.heard[-1]["recordings"]):
            host.say("recording", name=f"session {number}")
            host.hear("recording")
            host.say("moment", name=f"session {number}", hand=0, step=0, agent="random")
            host.hear("moment")
        return number, [*page.heard, *host.heard]


@pytest.mark.parametrize("takes_seeds", [False, True])
def test_nothing_that_is_sent_tells_of_the_secret(tmp_path: Path, takes_seeds: bool) -> None:
    with serving(tmp_path, takes_seeds=takes_seeds) as server:
        number, heard = play(server, "limit_holdem-v0", 3)
        (stored,) = [each for each in server.handler.store.sessions() if each.id == number]
        session = server.handler.live_sessions._live[number].session
        told = json.dumps(heard)
        assert stored.plan.secret.hex() not in told and repr(stored.plan.secret) not in told
        assert '"seed"' not in told and "secret" not in told.replace('"is_secret"', "")
        for state in session.tables["rng"][0].tolist():
            assert str(state) not in told
        assert all(each["is_secret"] for each in heard if each["type"] == "table")
        assert stored.plan.secret.hex() not in repr(stored) and repr(stored.plan.secret) not in repr(stored)


def test_a_seed_is_taken_where_the_host_asks_for_it_and_the_page_says_so(tmp_path: Path) -> None:
    with serving(tmp_path / "secret", takes_seeds=False) as server, server.page() as host:
        assert host.hear("welcome")["takes_seeds"] is False
        host.say("open", env="kuhn_poker-v0", players=["", "random"], names=[], seed=7)
        assert "start the server with --reproducible" in host.hear("error")["message"]
    with serving(tmp_path / "seeded", takes_seeds=True) as server:
        number, heard = play(server, "kuhn_poker-v0", 2, seed=7)
        assert not any(each["is_secret"] for each in heard if each["type"] == "table")
        plan = server.handler.live_sessions._live[number].session.plan
        assert (plan.seed, plan.secret) == (7, b"")
        tables = make_game("kuhn_poker-v0").seeded_tables(1, 7, 1)
        make_game("kuhn_poker-v0").deal(tables, 0)
        assert deal_table(make_game("kuhn_poker-v0"), plan, 1).tobytes() == tables.tobytes()


def test_a_session_goes_on_with_its_secret_after_the_server_was_started_anew(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        _, tokens = server.opened("big2-v0", ["", "random", "random", "random"])
        with server.page(tokens[0] or "") as page:
            before = page.turn()["cards"]
    with serving(tmp_path) as server, server.page(tokens[0] or "") as page:
        assert page.turn()["cards"] == before


def test_deals_that_come_again_are_not_replayed_before_the_session_is_closed(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        once, _ = play(server, "kuhn_poker-v0", 2)
        again, _ = play(server, "kuhn_poker-v0", 2, block=3)
        with server.page() as host:
            host.say("recordings")
            names = [each["name"] for each in host.hear("recordings")["recordings"]]
            assert f"session {once}" in names and f"session {again}" not in names
            host.say("close", session=again)
            host.hear("sessions")
            host.say("recordings")
            assert f"session {again}" in [each["name"] for each in host.hear("recordings")["recordings"]]


def test_a_file_of_another_version_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "results.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE session (id INTEGER PRIMARY KEY, env TEXT NOT NULL)")
    content = path.read_bytes()
    with pytest.raises(ValueError, match=r"results.sqlite is not a file of results of this version.*name another file"):
        Store(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("table", ["bookmarks", "'a b; DROP TABLE x'", "hand"])
def test_a_database_of_another_program_is_refused_and_not_written_to(table: str, tmp_path: Path) -> None:
    path = tmp_path / "bookmarks.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute(f"CREATE TABLE {table} (url TEXT)")
    content = path.read_bytes()
    with pytest.raises(ValueError, match=r"bookmarks\.sqlite: table '.*' is not one that this version writes; name"):
        Store(path)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_results_are_read_where_nobody_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "results.sqlite"
    store = Store(path)
    number = store.add_session(Plan("kuhn_poker-v0", {}, (Player("a", None), Player("b", "random"))), ("x", None))
    store.close()
    content = path.read_bytes()
    monkeypatch.setattr("os.access", lambda *_: False)  # a read-only folder, also for root
    reading = Store(path, writes=False)
    assert [session.id for session in reading.sessions()] == [number]
    with pytest.raises(StoreError, match="cannot be written: attempt to write a readonly database"):
        reading.close_session(number)
    assert path.read_bytes() == content
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_folder_is_no_file_of_results(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a folder: name the file of results in it"):
        Store(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    Store(tmp_path / "results.sqlite").close()
    assert (tmp_path / "results.sqlite").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("block", [0, 2])
def test_hands_lie_open_at_the_end_unless_the_deal_comes_again(tmp_path: Path, block: int) -> None:
    with serving(tmp_path) as server:
        _, heard = play(server, "big2-v0", 1, block=block)
        ends = [each for each in heard if each["type"] == "table" and each["over"]]
        for end in ends:
            shapes = [*end["picture"]["shapes"], *end["narrow"]["shapes"]]
            hidden = [shape for shape in shapes if shape[0] == "card" and shape[4] == 255]
            assert bool(hidden) == bool(block)
            assert ("??" in end["text"]) == bool(block)
        assert any("??" in each["text"] for each in heard if each["type"] == "table")
