"""Limits of the server: which hosts and pages may connect, how many messages a page may send, and for how long."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlsplit

from uvicorn.protocols.http.h11_impl import H11Protocol

_LOG = logging.getLogger("card_baselines.web")

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Limits:
    """Limits for each page, and for the number of pages."""

    message_bytes: int = 8192
    """Largest message from a page, in bytes; a longer one ends its connection."""
    messages_per_second: float = 50.0
    """Largest long-term rate of messages; a page that sends more is disconnected."""
    burst: int = 100
    """Number of messages that a page may send at once."""
    connections: int = 500
    """Largest number of pages."""
    hello_seconds: float = 10.0
    """Seconds after which a page that has sent no token is disconnected."""
    silent_pages: int = 100
    """Largest number of pages that have sent no token; the oldest is disconnected for one more."""
    request_seconds: float = 10.0
    """Seconds after which a connection that has sent no whole request is closed."""
    waiting_requests: int = 200
    """Largest number of such connections; the oldest is closed for one more."""
    waiting_messages: int = 1000
    """Number of unread messages at which a page is disconnected."""


class RateLimit:
    """Token bucket: allows a burst of messages, and then a number per second."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, burst, clock
        self._left, self._last = float(burst), clock()

    def passes(self) -> bool:
        """Return True if one more message is allowed now, and count it."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._last) * self._per_second)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


_LOG_SECONDS = 60.0


class Waiting:
    """Connections of which something is expected. The one that has waited longest is closed if there are too many."""

    def __init__(self, most: int, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Allow `most` connections at a time; `what` is the plural that names them in the log."""
        self._most, self._what, self._clock = most, what, clock
        self._closers: dict[object, Callable[[], None]] = {}
        self._logged = -math.inf

    def add(self, connection: object, close: Callable[[], None]) -> None:
        """Add a connection that `close` closes."""
        self._closers[connection] = close
        if len(self._closers) > self._most:
            self._closers.pop(next(iter(self._closers)))()
            if self._clock() - self._logged > _LOG_SECONDS:
                self._logged = self._clock()
                _LOG.warning("more than %d %s: the oldest are closed", self._most, self._what)

    def remove(self, connection: object) -> None:
        """Remove a connection, if it is there."""
        self._closers.pop(connection, None)


class TimedProtocol(H11Protocol):
    """An HTTP connection that is closed if it sends no whole request in time, which uvicorn does not do by itself.

    `make_timed_protocol` makes subclasses with limits.
    """

    seconds: ClassVar[float]
    """Seconds within which a whole request must arrive."""
    waiting: ClassVar[Waiting]
    """The connections without a request."""
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once a whole request has arrived."""
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        if not self.transport.is_closing():
            self._wait()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Stop waiting: WebSockets have their own limits."""
        self._stop_waiting()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(self.seconds, self._close)
        self.waiting.add(self, self._close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.waiting.remove(self)

    def _close(self) -> None:
        self._stop_waiting()
        self.transport.abort()


def make_timed_protocol(limits: Limits) -> type[H11Protocol]:
    """Return uvicorn's HTTP protocol with the limits `request_seconds` and `waiting_requests`."""
    waiting = Waiting(limits.waiting_requests, "connections without a request")
    return type("LimitedProtocol", (TimedProtocol,), {"seconds": limits.request_seconds, "waiting": waiting})


class Hosts:
    """The host names of the server. Requests to other names and from pages of other sites are refused."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Allow the loopback names and `names`."""
        self._names = {*LOOPBACK, *(name.lower() for name in names)}

    def allows_host(self, host: str) -> bool:
        """Return True if the Host header of a request names this server (protects from DNS rebinding)."""
        return _name(f"//{host}") in self._names

    def allows_origin(self, origin: str | None, host: str) -> bool:
        """Return True if the Origin header names this server, or there is none, as from programs but not browsers."""
        if origin is None:
            return True
        return urlsplit(origin).scheme in ("http", "https") and urlsplit(origin).netloc.lower() == host.lower()


def _name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
