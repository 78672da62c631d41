"""The server as a process: makes the parts, prints the link, runs until it is stopped."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from card_baselines.web.catalogue import Catalogue
from card_baselines.web.limits import LOOPBACK, Hosts, Limits
from card_baselines.web.replay import Library
from card_baselines.web.request_handler import RequestHandler
from card_baselines.web.server import make_app, new_token
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
    token: str | None = None,
) -> None:
    """Serve until Ctrl-C.

    `names` are those under which other machines reach this one; for `takes_seeds` see `RequestHandler`.
    """
    listening = _open_socket(host, port)
    port = listening.getsockname()[1]
    token = token or new_token()
    store = Store(results)
    handler = RequestHandler(catalogue, store, Library(catalogue, store, replay), token, takes_seeds)
    app = make_app(handler, Hosts([host, *names]))
    shown = f"[{host}]" if ":" in host else host
    link = f"http://{shown}:{port}/#host={token}"
    print(f"The table is at {link}", flush=True)
    if host not in LOOPBACK:
        print("Whoever has this link may open tables; give others the link of a seat.", flush=True)
    if open_browser:
        webbrowser.open(link)
    uvicorn.Server(server_config(app)).run([listening])
    store.close()


def server_config(app: object, limits: Limits | None = None) -> uvicorn.Config:
    """Return the settings of the server: messages as small as the limits say, and no log of requests."""
    size = (limits or Limits()).message_bytes
    return uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI application
        log_level="warning",
        ws="websockets-sansio",
        ws_max_size=size,
        ws_per_message_deflate=False,
        lifespan="off",
        timeout_graceful_shutdown=2,
    )


def _open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; a ValueError says why there is none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()  # before the link is printed: a browser may be faster than the server
    except OSError as error:
        listening.close()
        raise ValueError(
            f"cannot listen at {host}, port {port}: {error}; choose another --port, or 0 for any"
        ) from error
    listening.set_inheritable(True)
    return listening
