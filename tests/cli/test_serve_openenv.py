"""`card-envs serve --openenv`, without the package openenv."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("uvicorn")

import uvicorn

from card_baselines import cli
from card_baselines.web.limits import TimedProtocol


def test_connections_that_send_no_whole_request_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    started: dict[str, Any] = {}
    openenv = SimpleNamespace(LOOPBACK=("localhost",), make_app=lambda *words, **settings: "app")
    monkeypatch.setitem(sys.modules, "card_wrappers.openenv", openenv)
    monkeypatch.setattr(uvicorn, "run", lambda app, **settings: started.update(settings))
    assert cli.main(["serve", "--openenv", "--env", "kuhn_poker-v0"]) == 0
    protocol = started["http"]
    assert issubclass(protocol, TimedProtocol) and 0 < protocol.seconds <= 60
    assert 20_000 < started["ws_max_size"] <= 1 << 20


def test_an_address_of_version_6_is_shown_in_brackets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    openenv = SimpleNamespace(LOOPBACK=("localhost",), make_app=lambda *words, **settings: "app")
    monkeypatch.setitem(sys.modules, "card_wrappers.openenv", openenv)
    monkeypatch.setattr(uvicorn, "run", lambda app, **settings: None)
    assert cli.main(["serve", "--openenv", "--env", "kuhn_poker-v0", "--host", "::1"]) == 0
    assert "at http://[::1]:8000;" in capsys.readouterr().out
