"""Limits of the server: which hosts and pages may connect, and how many messages a page may send."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

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
