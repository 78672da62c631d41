"""Who may connect, and how much one page may ask for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Limits:
    """Bounds for one page and for all of them."""

    message_bytes: int = 8192
    """Largest message from a page; a longer one ends its connection."""
    messages_per_second: float = 50.0
    """Messages a second in the long run; a page that sends more is disconnected."""
    burst: int = 100
    """Messages that a page may send at once."""
    connections: int = 500
    hello_seconds: float = 10.0
    """Seconds within which a page must have sent its token."""
    waiting_messages: int = 1000
    """Messages that wait for a page that does not read them, before it is disconnected."""


class RateLimit:
    """Lets a number of messages pass at once, and then so many a second."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, burst, clock
        self._left, self._last = float(burst), clock()

    def passes(self) -> bool:
        """Return True if one more message may pass now, and count it."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._last) * self._per_second)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Hosts:
    """The names under which the server may be reached; pages of other sites may not use it."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """Allow the loopback names, and these."""
        self._names = {*LOOPBACK, *(name.lower() for name in names)}

    def allows_host(self, host: str) -> bool:
        """Return True for the Host header of a request to us: others come from names that were made to point here."""
        return _name(f"//{host}") in self._names

    def allows_origin(self, origin: str | None, host: str) -> bool:
        """Return True for pages that we served; programs that are no browsers send no origin."""
        if origin is None:
            return True
        return urlsplit(origin).scheme in ("http", "https") and urlsplit(origin).netloc.lower() == host.lower()


def _name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
