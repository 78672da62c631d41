"""Requests to the service."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
import urllib.error
import urllib.request
from typing import Any

from card_envs.history.errors import shorten

URL = "https://slumbot.com"
"""Address of the service."""
_MAX_BYTES = 1_000_000
"""Maximum number of bytes of an answer; usual answers have a few hundred."""
_MAX_PAUSE = 60.0
"""Maximum number of seconds between two attempts."""
_UNSENT = (ConnectionRefusedError, socket.gaierror)
"""Errors that occur before a request is sent."""
_BUSY = (429, 503)
"""HTTP statuses of a server that did not process the request."""


class SlumbotError(OSError):
    """Raised if the service cannot be reached, refuses a request, or answers with something else than a state."""


class SlumbotClient:
    """Client of the service's two requests, with retries.

    The client repeats requests for new hands, and requests that had no effect. It does not repeat an action whose
    answer is lost, because the service may have processed it and would treat the repetition as the next decision.

    Args:
        url: Address of the service, http or https.
        timeout: Seconds to wait for an answer.
        retries: Maximum number of repetitions of a request.
        backoff: Seconds before the first repetition; each further one waits twice as long, up to a minute.

    Raises:
        ValueError: If the address does not begin with http:// or https://.
    """

    def __init__(self, url: str = URL, timeout: float = 30.0, retries: int = 5, backoff: float = 1.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"url {url!r} must begin with http:// or https://")
        self._url, self._timeout, self._retries, self._backoff = url.rstrip("/"), timeout, retries, backoff
        self._token: str | None = None

    def new_hand(self) -> dict[str, Any]:
        """Start a hand and return its first state.

        Raises:
            SlumbotError: If the request fails, or the answer is not a JSON object.
        """
        return self._post("new_hand", {}, is_action=False)

    def act(self, incr: str) -> dict[str, Any]:
        """Send a decision and return the next state.

        Args:
            incr: The decision, such as "c" or "b300".

        Raises:
            SlumbotError: If the request fails, or the answer is not a JSON object.
        """
        return self._post("act", {"incr": incr}, is_action=True)

    def _post(self, path: str, body: dict[str, Any], is_action: bool) -> dict[str, Any]:
        if self._token is not None:
            body = {"token": self._token, **body}
        for attempt in range(self._retries + 1):
            if attempt:
                time.sleep(min(self._backoff * 2 ** (attempt - 1), _MAX_PAUSE))
            try:
                return self._parse(path, self._send(path, body))
            except (urllib.error.URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
                if attempt == self._retries or not _may_repeat(error, is_action):
                    raise SlumbotError(f"{self._url}, {path}: {_describe(error)}") from error
        raise AssertionError("unreachable")

    def _send(self, path: str, body: dict[str, Any]) -> bytes:
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._url}/api/{path}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=self._timeout) as response:
            return bytes(response.read(_MAX_BYTES + 1))

    def _parse(self, path: str, content: bytes) -> dict[str, Any]:
        try:
            answer = json.loads(content[:_MAX_BYTES])
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise SlumbotError(f"{path}: {shorten(repr(content[:200]), 100)} is not a JSON object")
        if "error_msg" in answer:
            raise SlumbotError(f"{path} was refused: {shorten(str(answer['error_msg']), 200)}")
        if isinstance(answer.get("token"), str):
            self._token = answer["token"]
        return answer


def _may_repeat(error: Exception, is_action: bool) -> bool:
    """Return True if the service cannot have processed a failed request, or may process it twice."""
    if isinstance(error, urllib.error.HTTPError):
        return error.code in _BUSY or (error.code >= 500 and not is_action)
    return not is_action or isinstance(getattr(error, "reason", error), _UNSENT)


def _describe(error: Exception) -> str:
    """Return the reason of a failure, with the beginning of the page of an HTTP error."""
    if not isinstance(error, urllib.error.HTTPError):
        return str(getattr(error, "reason", error)) or type(error).__name__
    page = b""
    with contextlib.suppress(OSError, http.client.HTTPException), error:
        page = error.read(200)
    return f"HTTP status {error.code} {error.reason} {shorten(page.decode('utf-8', 'replace'), 200)}".strip()
