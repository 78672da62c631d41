"""What a page may say: everything else is refused in words."""

from __future__ import annotations

import json

import pytest

from card_baselines.web.limits import Hosts, RateLimit
from card_baselines.web.messages import MessageError, parse
from card_baselines.web.request_handler import KINDS


def test_a_message_is_a_type_and_fields() -> None:
    act = {"hand": 1, "step": 2, "action": 3}
    assert parse(json.dumps({"type": "act", **act}), KINDS) == ("act", act)
    opened = {"env": "big2-v0", "players": ["", "random"], "names": ["Ann"]}
    assert parse(json.dumps({"type": "open", **opened}), KINDS) == ("open", opened)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("not JSON", "JSON object"),
        ("[" * 10_000, "JSON object"),
        ("[1]", "JSON object"),
        ('{"type": "fly"}', "unknown type"),
        ('{"type": "act", "hand": 1, "step": 2}', "needs the field 'action'"),
        ('{"type": "act", "hand": 1, "step": 2, "action": 3, "more": 4}', "no field 'more'"),
        ('{"type": "act", "hand": 1, "step": 2, "action": "3"}', "action must be int"),
        ('{"type": "act", "hand": 1, "step": 2, "action": true}', "action must be int"),
        ('{"type": "act", "hand": 1, "step": 2, "action": 1e300}', "action must be int"),
        ('{"type": "act", "hand": 1, "step": 2, "action": 99999999999999999999}', "action must be int"),
        ('{"type": "watch", "session": 1, "pause": NaN}', "JSON object"),
        ('{"type": "hello", "token": "' + "x" * 201 + '"}', "token must be str"),
        ('{"type": "hello", "token": "a\\u0000b"}', "token must be str"),
        ('{"type": "open", "env": "e", "players": [1], "names": []}', "players must be list"),
    ],
)
def test_other_messages_are_refused_in_words(text: str, reason: str) -> None:
    with pytest.raises(MessageError, match=reason):
        parse(text, KINDS)


def test_a_rate_limit_lets_a_burst_pass_and_then_so_many_a_second() -> None:
    now = 0.0
    rate = RateLimit(per_second=2, burst=3, clock=lambda: now)
    assert [rate.passes() for _ in range(4)] == [True, True, True, False]
    now = 1.0
    assert [rate.passes() for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("host", "origin", "allowed"),
    [
        ("127.0.0.1:8765", None, True),
        ("127.0.0.1:8765", "http://127.0.0.1:8765", True),
        ("localhost:8765", "http://localhost:8765", True),
        ("[::1]:8765", "http://[::1]:8765", True),
        ("127.0.0.1:8765", "http://evil.example", False),
        ("127.0.0.1:8765", "http://127.0.0.1:9999", False),
        ("127.0.0.1:8765", "null", False),
        ("evil.example", "http://evil.example", False),
        ("", None, False),
        ("[", None, False),
    ],
)
def test_only_our_own_pages_under_our_own_names(host: str, origin: str | None, allowed: bool) -> None:
    hosts = Hosts()
    assert (hosts.allows_host(host) and hosts.allows_origin(origin, host)) == allowed
