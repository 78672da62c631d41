"""Time limits for HTTP connections, which uvicorn lacks: a connection that sends no whole request is closed."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

from card_baselines.web.limits import Limits, Waiting


class TimedProtocol(H11Protocol):
    """One HTTP connection; `timed_protocol` makes subclasses with limits."""

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


def timed_protocol(limits: Limits) -> type[H11Protocol]:
    """Return uvicorn's HTTP protocol with the limits `request_seconds` and `waiting_requests`."""
    waiting = Waiting(limits.waiting_requests, "connections without a request")
    return type("LimitedProtocol", (TimedProtocol,), {"seconds": limits.request_seconds, "waiting": waiting})
