"""Faults of disk and network: a disk that is full, pages that say nothing, requests that never end."""

from __future__ import annotations

import asyncio
import logging
import socket
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from card_baselines.web import live_session
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.limits import Limits, Waiting
from card_baselines.web.live_session import LiveSession, LiveSessions
from card_baselines.web.serving import _serve_alone, serve
from card_baselines.web.session import Plan, Player, Session
from card_baselines.web.store import Store, StoreError
from card_envs.agent import find_agent
from card_envs.envs import make_game
from tests.web.served import serving


class FullDisk:
    """The connection of a store to its file, whose disk can be full."""

    def __init__(self, store: Store) -> None:
        self._db, self.is_full = store._db, False
        store._db = self  # type: ignore[assignment]

    def execute(self, statement: str, *values: Any) -> Any:
        if self.is_full and statement.split()[0] in ("INSERT", "UPDATE"):
            raise sqlite3.OperationalError("database or disk is full")
        return self._db.execute(statement, *values)

    @property
    def in_transaction(self) -> bool:
        return self._db.in_transaction

    def close(self) -> None:
        self._db.close()


class HeardViewer:
    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.heard.append(message)


class Table:
    """A person and an agent at Leduc hold'em, with a store whose disk can be full."""

    def __init__(self, folder: Path, players: tuple[Player, ...]) -> None:
        game = make_game("leduc_holdem-v0")
        plan = Plan("leduc_holdem-v0", {}, players, 3)
        agents = {k: find_agent(player.agent, game) for k, player in enumerate(players) if player.agent}
        self.store = Store(folder / "results.sqlite")
        self.disk = FullDisk(self.store)
        self.number = self.store.add_session(plan, [None, None])
        self.store.add_hand(self.number, 0)
        session = Session(plan, game, agents)
        session.deal(0)
        self.live = LiveSession(self.number, session, self.store, ThreadPoolExecutor(1))
        self.viewer = HeardViewer()

    def state(self) -> tuple[Any, ...]:
        session = self.live.session
        return session.hand, list(session.actions), session.tables.tobytes(), self.live.score()

    def require_stored(self) -> None:
        """Require that the file holds exactly what the table shows."""
        session, hands = self.live.session, self.store.hands(self.number)
        assert [hand.number for hand in hands] == list(range(session.hand + 1))
        assert list(hands[-1].actions) == session.actions
        assert [hand.payoffs is not None for hand in hands] == [True] * session.hand + [session.is_over]
        assert self.live.score()["hands"] == session.hand + session.is_over

    async def act(self) -> None:
        session = self.live.session
        await self.live.act(0, session.hand, len(session.actions), session.game.legal_actions(session.tables, 0)[-1])


PERSON_AND_AGENT = (Player("me", None), Player("call", "always_call"))
ORDERS = {"person first": PERSON_AND_AGENT, "agent first": PERSON_AND_AGENT[::-1]}


def test_on_a_full_disk_nothing_is_taken_that_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_session, "_RETRY_SECONDS", 0.01)

    async def play() -> None:
        table = Table(tmp_path, PERSON_AND_AGENT)
        table.live.sit(0, table.viewer)
        await table.live.begin()
        for _ in range(12):
            table.disk.is_full = True
            before = table.state()
            with pytest.raises(StoreError, match=r"results\.sqlite cannot be written: database or disk is full"):
                if table.live.session.is_over:
                    await table.live.next_hand(table.live.session.hand)
                else:
                    await table.act()
            assert table.state() == before
            table.disk.is_full = False
            table.require_stored()
            if table.live.session.is_over:
                await table.live.next_hand(table.live.session.hand)
            else:
                await table.act()
            table.require_stored()
        assert table.live.session.hand >= 2

    asyncio.run(play())


def test_a_table_whose_agent_cannot_be_stored_says_so_and_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_session, "_RETRY_SECONDS", 0.01)

    async def play() -> None:
        tables = [Table(tmp_path / name, players) for name, players in ORDERS.items()]
        table = next(each for each in tables if each.live.session.player_to_act in each.live.session.agents)
        agent = table.live.session.player_to_act
        assert agent is not None
        table.live.sit(1 - agent, table.viewer)
        before = table.state()
        table.disk.is_full = True
        await table.live.begin()
        assert table.viewer.heard[-1]["type"] == "error" and "disk is full" in table.viewer.heard[-1]["message"]
        await asyncio.sleep(0.1)
        assert table.state() == before
        table.disk.is_full = False
        while table.live.session.player_to_act == agent:
            await asyncio.sleep(0.01)
        table.require_stored()

    asyncio.run(asyncio.wait_for(play(), 60))


def test_a_watched_table_waits_for_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_session, "_RETRY_SECONDS", 0.01)

    async def play() -> None:
        table = Table(tmp_path, (Player("a", "random"), Player("b", "random")))
        table.disk.is_full = True
        before = table.state()
        table.live.watch(table.viewer, 0.0)
        await asyncio.sleep(0.1)
        assert table.state() == before and table.viewer.heard[-1]["type"] == "error"
        table.disk.is_full = False
        while table.live.session.hand < 3:
            await asyncio.sleep(0.01)
        table.live.leave(table.viewer)
        table.require_stored()

    asyncio.run(asyncio.wait_for(play(), 60))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_one_server_at_a_time_serves_a_file_of_results(tmp_path: Path) -> None:
    results = tmp_path / "new" / "results.sqlite"
    with (
        _serve_alone(results),
        pytest.raises(ValueError, match=r"results\.sqlite is in use: process \d+ .* serves its tables\. Stop it"),
    ):
        serve(Catalogue(["kuhn_poker-v0"]), results, "127.0.0.1", 0)
    assert not list(results.parent.iterdir())


def test_a_closed_table_stays_open_if_that_cannot_be_stored(tmp_path: Path) -> None:
    table = Table(tmp_path, PERSON_AND_AGENT)
    table.disk.is_full = True
    with pytest.raises(StoreError):
        asyncio.run(table.live.close())
    assert not table.live.is_closed


def test_a_table_whose_agent_is_not_offered_any_more_can_be_closed(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.sqlite")
    plan = Plan("leduc_holdem-v0", {}, (Player("me", None), Player("gone", "an_agent_of_yesterday")), 3)
    number = store.add_session(plan, ["a token", None])
    sessions = LiveSessions(Catalogue(["leduc_holdem-v0"]), store)
    with pytest.raises(ValueError, match="'an_agent_of_yesterday' is not offered here"):
        asyncio.run(sessions.get(number))
    asyncio.run(sessions.close(number))
    assert not sessions.list_sessions() and sessions.seat_of("a token") is None
    assert [session.is_open for session in store.sessions()] == [False]


def test_pages_close_a_table_at_the_same_time(tmp_path: Path) -> None:
    async def close_twice() -> None:
        store = Store(tmp_path / "results.sqlite")
        sessions = LiveSessions(Catalogue(["leduc_holdem-v0"]), store)
        opened = await sessions.open(Plan("leduc_holdem-v0", {}, PERSON_AND_AGENT, 3))
        live, viewer = await sessions.get(opened.id), HeardViewer()
        live.sit(0, viewer)
        async with live._lock:  # as while an agent acts
            closing = [asyncio.create_task(sessions.close(opened.id)) for _ in range(2)]
            await asyncio.sleep(0)
        await asyncio.gather(*closing)
        assert [message["type"] for message in viewer.heard] == ["table", "closed"]
        with pytest.raises(ValueError, match="session 1 is not open"):
            await sessions.close(opened.id)

    asyncio.run(close_twice())


def test_a_table_that_is_closed_while_it_is_restored_stays_closed(tmp_path: Path) -> None:
    async def close_while_restoring() -> None:
        sessions = LiveSessions(Catalogue(["leduc_holdem-v0"]), Store(tmp_path / "results.sqlite"))
        opened = await sessions.open(Plan("leduc_holdem-v0", {}, PERSON_AND_AGENT, 3))
        restoring = asyncio.create_task(sessions.get(opened.id))
        await asyncio.sleep(0)
        await sessions.close(opened.id)
        with pytest.raises(ValueError, match="session 1 is not open"):
            await restoring

    asyncio.run(close_while_restoring())


def test_binary_messages_end_the_connection_without_a_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(tmp_path) as server:
        with connect(f"ws://127.0.0.1:{server.port}/socket") as page:
            page.send(b"\x00\x01")
            with pytest.raises(ConnectionClosed) as closed:
                page.recv(10)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403
        with server.page() as page, pytest.raises(ConnectionClosed) as closed:
            page.hear("welcome")
            page.socket.send(b"\x00")
            page.next_message(10)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_pages_that_say_nothing_do_not_lock_the_host_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    limits = Limits(connections=30, silent_pages=10, hello_seconds=300)
    with serving(tmp_path, limits) as server, ExitStack() as closing:
        address = f"ws://127.0.0.1:{server.port}/socket"
        silent = [closing.enter_context(connect(address)) for _ in range(60)]
        with server.page() as host:
            assert host.next_message(20)["role"] == "host"
        assert sum(_is_closed(page) for page in silent) >= 50
    assert [record.message for record in caplog.records if record.levelno >= logging.WARNING] == [
        "more than 10 pages without a token: the oldest are closed"
    ]


def _is_closed(page: Any) -> bool:
    try:
        page.recv(0.05)
    except TimeoutError:
        return False
    except ConnectionClosed:
        return True
    raise AssertionError("nothing was to be said")


def test_requests_that_never_end_are_closed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    limits = Limits(request_seconds=0.5, waiting_requests=20)
    with serving(tmp_path, limits) as server, ExitStack() as closing:
        halves = [closing.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(50)]
        for half in halves:
            half.settimeout(20)
            try:
                half.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
            except OSError:  # closed already
                continue
        with server.page() as host:
            assert host.next_message(20)["role"] == "host"
        assert all(_ends(half) for half in halves)
        with socket.create_connection(("127.0.0.1", server.port)) as again:
            again.settimeout(20)
            again.sendall(b"GET /cards.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert again.recv(12) == b"HTTP/1.1 200"
            again.sendall(b"GET / HTTP/1.1\r\nHost")
            while again.recv(4096):  # the rest of the answer, and then the end
                pass
    lines = [record.message for record in caplog.records if record.levelno >= logging.WARNING]
    assert lines == ["more than 20 connections without a request: the oldest are closed"]


def _ends(half: socket.socket) -> bool:
    try:
        return half.recv(1) == b""
    except ConnectionError:
        return True


def test_the_log_has_one_line_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now, closed = [0.0], []
    waiting = Waiting(2, "guests", lambda: now[0])
    for k in range(6):
        waiting.add(k, lambda k=k: closed.append(k))  # type: ignore[misc]
    assert closed == [0, 1, 2, 3] and len(caplog.records) == 1
    waiting.remove(4)
    waiting.remove(4)
    waiting.add(6, lambda: closed.append(6))
    assert len(closed) == 4
    now[0] = 61.0
    waiting.add(7, lambda: closed.append(7))
    assert closed[-1] == 5 and len(caplog.records) == 2
