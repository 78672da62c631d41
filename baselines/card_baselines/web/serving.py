"""Start of the web server: makes its parts, prints the link, serves until Ctrl-C."""

from __future__ import annotations

import secrets
import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.http_connections import timed_protocol
from card_baselines.web.limits import LOOPBACK, Hosts, Limits
from card_baselines.web.replay import Library
from card_baselines.web.request_handler import RequestHandler
from card_baselines.web.server import make_app
from card_baselines.web.store import Store


def serve(
    catalogue: Catalogue,
    results: Path,
    host: str,
    port: int,
    *,
    replay: Sequence[Path] = (),
    names: Sequence[str] = (),
    open_browser: bool = False,
    takes_seeds: bool = False,
) -> None:
    """Serve until Ctrl-C.

    Args:
        catalogue: Games and agents.
        results: SQLite file of the sessions.
        host: Address to listen at.
        port: Port to listen at; 0 for any free one.
        replay: Files and folders of recorded hands.
        names: Further host names under which other machines reach this one.
        open_browser: Whether to open the page in a browser.
        takes_seeds: See `RequestHandler`.
    """
    listening = _open_socket(host, port)
    port = listening.getsockname()[1]
    token, store = secrets.token_urlsafe(16), Store(results)
    handler = RequestHandler(catalogue, store, Library(catalogue, store, replay), token, takes_seeds)
    app = make_app(handler, Hosts([host, *names]))
    shown = f"[{host}]" if ":" in host else host
    link = f"http://{shown}:{port}/#host={token}"
    print(f"The table is at {link}", flush=True)
    if host not in LOOPBACK:
        print("Anybody with this link may open tables; give others the link of a seat.", flush=True)
    if open_browser:
        webbrowser.open(link)
    uvicorn.Server(server_config(app)).run([listening])
    store.close()


def server_config(app: object, limits: Limits | None = None) -> uvicorn.Config:
    """Return the settings of uvicorn for an ASGI application."""
    limits = limits or Limits()
    return uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI application
        log_level="warning",
        http=timed_protocol(limits),
        ws="websockets-sansio",
        ws_max_size=limits.message_bytes,
        ws_per_message_deflate=False,
        lifespan="off",
        timeout_graceful_shutdown=2,
    )


def _open_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise ValueError if the address cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # before the link is printed: a browser may be faster than the server
    except OSError as error:
        listening.close()
        raise ValueError(
            f"cannot listen at {host}, port {port}: {error.strerror}; `card-envs serve --port 0` takes a free one"
        ) from error
    listening.set_inheritable(True)
    return listening
