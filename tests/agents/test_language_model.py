"""Language models as agents, against a server of this test that speaks OpenAI's protocol and behaves badly."""

from __future__ import annotations

import json
import re
import shlex
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.locations import UntrustedNameError, registered_names_only
from card_envs.match import AgentError, play_match
from tests.helpers.shell import Shell

import_module("card_baselines")  # registers the scheme where the metadata of an older installation is found
pytest.importorskip("openai")


class Endpoint(ThreadingHTTPServer):
    """Answers by the name of the model that is asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.keys.append(str(self.headers["Authorization"]))
        prompt, model = request["messages"][-1]["content"], request["model"]
        number = len(self.server.requests)
        if model == "down" or (model == "failing" and number % 2):
            self.send_error(500)
            return
        if model == "slow" and number == 1:
            time.sleep(1.0)
        answer = {
            "talkative": "Let me [fold]? No: I think about raise to 80.\n" * 200 + "Final answer: **call**",
            "lying": "Final answer: raise to 123456789",
            "silent": None,
            "repentant": "[call]" if "Refused" in prompt else "[win]",
        }.get(model, "[call]")
        body = json.dumps(
            {"id": "x", "object": "chat.completion", "created": 0, "model": model,
             "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}]}
        ).encode()  # fmt: skip
        with suppress(OSError):  # the client may have given up waiting
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Print nothing."""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_address[1]}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "secret-key")
        for name in ("LOG", "MAX_CALLS", "TIMEOUT", "RETRIES"):
            monkeypatch.delenv(f"CARD_ENVS_LLM_{name}", raising=False)
        yield server
        server.shutdown()
        thread.join()


GAME = make_game("limit_holdem-v0")


def play(model: str, hands: int = 6, opponent: str = "always_raise", duplicate: bool = False) -> tuple[Any, Any]:
    agent = find_agent(f"llm:{model}", GAME)
    result = play_match(GAME, [agent, find_agent(opponent, GAME)], hands, seed=1, duplicate=duplicate)
    agent.close()  # type: ignore[attr-defined]
    return agent, result


@pytest.mark.parametrize("model", ["plain", "talkative", "repentant", "failing", "slow"])
def test_answers_are_played_however_they_come(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    monkeypatch.setenv("CARD_ENVS_LLM_TIMEOUT", "0.5")
    monkeypatch.setenv("CARD_ENVS_LLM_RETRIES", "6")
    agent, result = play(model, hands=2)
    calling = play_match(GAME, [find_agent("always_call", GAME), find_agent("always_raise", GAME)], 2, seed=1)
    assert (result.payoffs == calling.payoffs).all()
    assert agent.num_defaults == 0 and agent.name == f"llm:{model}"
    assert set(endpoint.keys) == {"Bearer secret-key"}


@pytest.mark.parametrize("model", ["lying", "silent"])
def test_answers_that_name_no_legal_action_are_counted_and_played_as_check_or_fold(
    endpoint: Endpoint, model: str
) -> None:
    agent, result = play(model)
    assert agent.num_defaults > 0
    assert agent.num_calls == 2 * agent.num_defaults
    assert (result.payoffs[:, 0] < 0).all()  # against raises, check or fold always folds
    assert (np.abs(result.payoffs) <= 2).all()


def test_an_endpoint_that_is_down_ends_the_match(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARD_ENVS_LLM_RETRIES", "0")
    with pytest.raises(AgentError, match=r"llm:down.*InternalServerError"):
        play("down")


def test_prompts_tell_the_betting_and_no_hidden_card(endpoint: Endpoint) -> None:
    play("plain", hands=8)
    last = [request["messages"][-1]["content"] for request in endpoint.requests]
    assert any("Actions so far:\n  preflop: player_" in prompt for prompt in last)
    assert all(prompt.count("|") == 4 and "shows" not in prompt for prompt in last)
    river = next(prompt for prompt in last if " river " in prompt)
    assert all(f"  {street}" in river for street in ("preflop:", "flop ", "turn "))


def test_a_budget_ends_the_match_and_the_log_lets_it_go_on(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    log = tmp_path / "calls.jsonl"
    monkeypatch.setenv("CARD_ENVS_LLM_LOG", str(log))
    monkeypatch.setenv("CARD_ENVS_LLM_MAX_CALLS", "5")
    with pytest.raises(AgentError, match="has made 5 calls, as many as it may"):
        play("plain", hands=4)
    entries = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(entries) == 5 and all(entry["answer"] == "[call]" and entry["messages"] for entry in entries)
    assert "secret-key" not in log.read_text()
    with log.open("a") as file:
        file.write('{"key": "half of a li')
    monkeypatch.setenv("CARD_ENVS_LLM_MAX_CALLS", "1000")
    agent, result = play("plain", hands=4)
    assert len(endpoint.requests) == 5 + agent.num_calls
    again, same = play("plain", hands=4)
    assert again.num_calls == 0 and (same.payoffs == result.payoffs).all()
    for damaged in (b"no json\n", b"\xff\xfe\n", b"[" * 100_000 + b"\n", b"[]\n"):
        log.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"calls\.jsonl, line 1: not a prompt and its answer"):
            find_agent("llm:plain", GAME)


def test_two_language_models_play_duplicate_hands_to_an_interval(endpoint: Endpoint) -> None:
    players = [find_agent(f"llm:{model}", GAME) for model in ("plain", "lying")]
    result = play_match(GAME, players, 12, seed=1, duplicate=True)
    low, high = result.agents[0].ci95
    assert result.hands == 12 and low < result.agents[0].mean < high
    for player in players:
        player.close()  # type: ignore[attr-defined]


def test_the_calls_of_a_match_are_named_before_it_is_played(endpoint: Endpoint, shell: Shell) -> None:
    """In Kuhn poker an agent has 1 or 2 decisions a hand; the pilot match calls no model."""
    command = "match kuhn_poker-v0 --agents llm:calling always_call --hands 20 --duplicate"
    calls = re.search(r"takes about 20 hands and (\d+) calls of llm:calling", shell.prints(*shlex.split(command)))
    assert calls is not None and 20 <= int(calls[1]) <= 40
    assert abs(len(endpoint.requests) - int(calls[1])) <= 10
    code, out, err = shell.run(*shlex.split(f"{command} --within 0.1 --json"))
    assert (code, json.loads(out)["hands"]) == (0, 20) and "for the wanted interval type --hands" in err


def test_files_may_not_name_a_language_model(endpoint: Endpoint) -> None:
    with registered_names_only("a league"), pytest.raises(UntrustedNameError, match="llm:plain"):
        find_agent("llm:plain", GAME)


def test_settings_come_from_the_environment(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARD_ENVS_LLM_TIMEOUT", "soon")
    with pytest.raises(ValueError, match="CARD_ENVS_LLM_TIMEOUT='soon' is no number"):
        find_agent("llm:plain", GAME)


PAGE = Path(__file__).parents[2] / "docs" / "guides" / "language_models.md"
COMMANDS = [line for line in PAGE.read_text().splitlines() if line.startswith("card-envs ")]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_of_the_page_work_when_copied(endpoint: Endpoint, shell: Shell, command: str) -> None:
    """With fewer hands than on the page."""
    assert shell.prints(*shlex.split(re.sub(r"--hands \d+", "--hands 10", command))[1:]).strip()
