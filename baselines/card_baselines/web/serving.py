"""The web server: its application (static files, pictures, a WebSocket for each page), and its start."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from card_baselines.file_lock import LockedError, hold_lock
from card_baselines.web.catalogue import Catalogue
from card_baselines.web.limits import LOOPBACK, Hosts, Limits, RateLimit, Waiting, make_timed_protocol
from card_baselines.web.messages import MessageError
from card_baselines.web.replay import Library
from card_baselines.web.request_handler import Page, RequestHandler
from card_baselines.web.store import Store
from card_envs.canvas import card_geometry, font_file

STATIC = Path(__file__).parent / "static"

_HEADERS = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
        b"connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)

NORMAL, FAILURE, NOT_ALLOWED, TOO_MUCH, TOO_SLOW = 1000, 1011, 4403, 4429, 4408
"""Close codes of WebSockets: the page left; the server failed; wrong token, origin or kind of message; too many
messages; no hello, or messages that are not read."""


def make_app(handler: RequestHandler, hosts: Hosts, limits: Limits | None = None) -> Starlette:
    """Return the application.

    Args:
        handler: Answers the messages.
        hosts: Host names under which the application may be reached.
        limits: Limits for pages; by default those of `Limits`.
    """
    limits = limits or Limits()
    sockets = _Sockets(handler, hosts, limits)

    async def page(request: Request) -> Response:
        return FileResponse(STATIC / "index.html", headers={"cache-control": "no-cache"})

    async def cards(request: Request) -> Response:
        return JSONResponse(card_geometry(), headers={"cache-control": "max-age=3600"})

    async def font(request: Request) -> Response:
        return Response(font_file(), media_type="font/ttf", headers={"cache-control": "max-age=3600"})

    routes = [
        Route("/", page),
        Route("/cards.json", cards),
        Route("/font.ttf", font),
        Route("/picture/{kind}", partial(_draw_picture, handler=handler)),
        WebSocketRoute("/socket", sockets.serve),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(routes=routes)
    app.add_middleware(_Guard, hosts=hosts)
    return app


class _Guard:
    """Middleware that refuses requests to other host names, and adds security headers."""

    def __init__(self, app: ASGIApp, hosts: Hosts) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        if not self._hosts.allows_host(host):
            await PlainTextResponse("unknown host\n", 421)(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        await self._app(scope, receive, send_with_headers)


async def _draw_picture(request: Request, handler: RequestHandler) -> Response:
    """Answer a request of the host for a picture of a recording, see `Library.picture`."""
    words = request.headers.get("authorization", "")
    if not handler.is_host(words.removeprefix("Bearer ")):
        return PlainTextResponse("this needs the token of the host\n", 403)
    asked = request.query_params
    try:
        hand, step = int(asked.get("hand", "0")), int(asked.get("step", "0"))
        kind, name = request.path_params["kind"], asked.get("name", "")
        made = await handler.run_in_pool(handler.library.picture, kind, name, hand, step)
    except ValueError as error:
        return PlainTextResponse(f"{error}\n", 404)
    return Response(made, media_type=f"image/{kind}")


_LOG = logging.getLogger("card_baselines.web")
FAILED = "the server failed at this: its log says why"


class Connection:
    """The connection to one page. Messages wait in a queue, so that a slow page delays no other."""

    def __init__(self, waiting_messages: int) -> None:
        self.outgoing: asyncio.Queue[dict[str, Any]] = asyncio.Queue(waiting_messages)
        self.is_stuck = asyncio.Event()
        """Set when the queue is full, so that the page is disconnected."""

    def send(self, message: dict[str, Any]) -> None:
        """Queue a message."""
        try:
            self.outgoing.put_nowait(message)
        except asyncio.QueueFull:
            self.is_stuck.set()


class _Sockets:
    """The WebSockets of all pages."""

    def __init__(self, handler: RequestHandler, hosts: Hosts, limits: Limits) -> None:
        self._handler, self._hosts, self._limits = handler, hosts, limits
        self._silent = Waiting(limits.silent_pages, "pages without a token")
        self._count = 0

    async def serve(self, socket: WebSocket) -> None:
        """Serve one page until its connection ends."""
        host = socket.headers.get("host", "")
        allowed = self._hosts.allows_host(host) and self._hosts.allows_origin(socket.headers.get("origin"), host)
        if not allowed or self._count >= self._limits.connections:
            await socket.close(NOT_ALLOWED)  # before it is accepted: the handshake fails
            return
        await socket.accept()
        self._count += 1
        try:
            await self._talk(socket)
        finally:
            self._count -= 1

    async def _talk(self, socket: WebSocket) -> None:
        connection = Connection(self._limits.waiting_messages)
        reading = asyncio.create_task(self._read(socket, connection))
        tasks: list[asyncio.Task[Any]] = [
            reading,
            asyncio.create_task(_write(socket, connection)),
            asyncio.create_task(connection.is_stuck.wait()),
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            with suppress(RuntimeError, WebSocketDisconnect):
                await socket.close(reading.result() if reading.done() else TOO_SLOW)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, socket: WebSocket, connection: Connection) -> int:
        """Read and answer messages until the page disconnects or exceeds a limit; return the close code."""
        rate = RateLimit(self._limits.messages_per_second, self._limits.burst)
        self._silent.add(connection, connection.is_stuck.set)
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                hello = await _receive_text(socket)
            self._silent.remove(connection)
            page = await self._handler.welcome(hello, connection)
        except (MessageError, PermissionError):
            return NOT_ALLOWED
        except TimeoutError:
            return TOO_SLOW
        except WebSocketDisconnect:
            return NORMAL
        except Exception:
            _LOG.exception("a page was not welcomed")
            return FAILURE
        finally:
            self._silent.remove(connection)
        try:
            while True:
                text = await _receive_text(socket)
                if not rate.passes():
                    return TOO_MUCH
                await _answer(page, text, connection)
        except MessageError:
            return NOT_ALLOWED
        except WebSocketDisconnect:
            return NORMAL
        finally:
            self._handler.live_sessions.leave(connection)


async def _receive_text(socket: WebSocket) -> str:
    """Return the next message; raise MessageError for a binary one."""
    try:
        return await socket.receive_text()
    except KeyError:
        raise MessageError("a message must be text") from None


async def _answer(page: Page, text: str, connection: Connection) -> None:
    """Answer a message, with an error message if that fails."""
    try:
        await page.answer(text)
    except (MessageError, ValueError, PermissionError) as error:
        connection.send({"type": "error", "message": str(error)})
    except Exception:
        _LOG.exception("a message was not answered")
        connection.send({"type": "error", "message": FAILED})


async def _write(socket: WebSocket, connection: Connection) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_json(await connection.outgoing.get())


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
        results: SQLite file of the sessions, which no other server may serve at the same time.
        host: Address to listen at.
        port: Port to listen at; 0 for any free one.
        replay: Files and folders of recorded hands.
        names: Further host names under which other machines reach this one.
        open_browser: Whether to open the page in a browser.
        takes_seeds: See `RequestHandler`.
    """
    with _serve_alone(results):
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


@contextmanager
def _serve_alone(results: Path) -> Iterator[None]:
    """Lock a file of results: each of two servers would go on with the open tables as it knows them."""
    with ExitStack() as stack:
        try:
            results.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(hold_lock(results.parent / f".{results.name}.lock"))
        except OSError as error:
            raise ValueError(f"{results} cannot be written: {error.strerror}") from error
        except LockedError as error:
            raise ValueError(
                f"{results} is in use: {error.holder} serves its tables. Stop it, or name another file: --results PATH"
            ) from None
        yield


def server_config(app: object, limits: Limits | None = None) -> uvicorn.Config:
    """Return the settings of uvicorn for an ASGI application."""
    limits = limits or Limits()
    return uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI application
        log_level="warning",
        http=make_timed_protocol(limits),
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
