"""A server in a thread, and pages that are programs: what the tests of the web server share."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from websockets.sync.client import ClientConnection, connect

from card_baselines.cli.strengths import read_strengths
from card_baselines.registry import STYLES
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.limits import Hosts, Limits
from card_baselines.web.replay import Library
from card_baselines.web.request_handler import RequestHandler
from card_baselines.web.serving import make_app, server_config
from card_baselines.web.store import Store

HOST_TOKEN = "token-of-the-host"
FREE = Limits(messages_per_second=1e6, burst=10**6)
"""For tests that play as fast as they can."""


@dataclass
class Server:
    """A running server and its parts."""

    port: int
    handler: RequestHandler

    def page(self, token: str = HOST_TOKEN, **arguments: Any) -> Page:
        """Return a page that has said hello."""
        return Page(f"ws://127.0.0.1:{self.port}/socket", token, **arguments)

    def opened(self, env: str, players: list[str], **more: Any) -> tuple[int, list[str | None]]:
        """Open a table; return the session's number and the tokens of its seats."""
        with self.page() as host:
            names = [f"person {k}" for k, agent in enumerate(players) if not agent]
            host.say("open", env=env, players=players, names=names, **more)
            answer = host.hear("opened")
        return answer["session"], answer["tokens"]


class Page:
    """A socket to the server that hears what a page hears."""

    def __init__(self, address: str, token: str, **arguments: Any) -> None:
        self._closing = ExitStack()
        self.socket: ClientConnection = self._closing.enter_context(connect(address, **arguments))
        self.heard: list[dict[str, Any]] = []
        self.say("hello", token=token)

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._closing.close()

    def say(self, kind: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"type": kind, **fields}))

    def next_message(self, timeout: float = 120) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout))
        self.heard.append(message)
        return message

    def hear(self, *kinds: str) -> dict[str, Any]:
        """Return the next message of these kinds; an error message fails the test unless it is asked for."""
        while True:
            message = self.next_message()
            if message["type"] in kinds:
                return message
            assert message["type"] != "error", message["message"]

    def turn(self) -> dict[str, Any]:
        """Return the table when this page is to act, or when the hand is over."""
        while True:
            table = self.hear("table")
            if table["over"] or table["choices"]:
                return table

    def act(self, table: dict[str, Any], action: int) -> None:
        self.say("act", hand=table["hand"], step=table["step"], action=action)


@contextmanager
def serving(
    folder: Path, limits: Limits = FREE, catalogue: Catalogue | None = None, takes_seeds: bool = True, **more: Any
) -> Iterator[Server]:
    """Serve from a file of results in a folder until the block ends."""
    catalogue = catalogue or Catalogue(styles=STYLES, strengths=read_strengths())
    store = Store(folder / "results.sqlite")
    handler = RequestHandler(catalogue, store, Library(catalogue, store, **more), HOST_TOKEN, takes_seeds)
    server = uvicorn.Server(server_config(make_app(handler, Hosts(), limits), limits))
    server.config.port = 0
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield Server(server.servers[0].sockets[0].getsockname()[1], handler)
    finally:
        server.should_exit = True
        thread.join(10)
        store.close()
