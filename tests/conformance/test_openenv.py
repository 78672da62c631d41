"""OpenEnv: the server over a socket with OpenEnv's own client, and the environment by itself.

The package pulls half a gigabyte, so these tests want `pip install 'card-envs[openenv]'`, and are skipped elsewhere.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openenv.core")

import uvicorn
from openenv.core.generic_client import GenericEnvClient
from starlette.testclient import TestClient
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from card_envs import make_game
from card_wrappers.openenv import CardAction, CardEnvironment, make_app, session_factory

SPACE = Path(__file__).parents[2] / "wrappers" / "openenv_space"
SESSIONS = 50

pytestmark = pytest.mark.filterwarnings("ignore")  # of the package and what it brings


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Return the address of a server of six-max no-limit hold'em."""
    app = make_app("no_limit_holdem-v0", num_players=6, stacks=50, max_sessions=SESSIONS)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started:
        assert time.monotonic() < deadline, "the server does not start"
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


async def _play(url: str, seed: int) -> dict[str, Any]:
    """Play a seeded deal by the first legal action, refused words in between; return the last observation."""
    async with GenericEnvClient(base_url=url) as client:
        result = await client.reset(seed=seed)
        seat, steps = result.observation["seat"], 0
        while not result.done:
            refused = await client.step({"message": "I raise the roof"})
            assert refused.observation["error"] and not refused.done and not refused.reward
            assert refused.observation["legal_actions"] == result.observation["legal_actions"]
            result = await client.step({"message": f"Final answer: {result.observation['legal_actions'][-1]}"})
            assert result.observation["seat"] == seat and not result.observation["error"]
            steps += 2
        state = await client.state()
        assert state["step_count"] == steps and state["num_refused"] == steps // 2
        assert "hole" not in str(state)
        return {**result.observation, "reward": result.reward}


def test_fifty_sessions_at_once_play_their_seeded_deals(url: str) -> None:
    async def play_all() -> list[dict[str, Any]]:
        return list(await asyncio.gather(*(_play(url, seed) for seed in range(SESSIONS))))

    together = asyncio.run(play_all())
    assert together[7] == asyncio.run(_play(url, 7))  # alone it is the same deal
    rewards = [last["reward"] for last in together]
    assert len({last["text"] for last in together}) == SESSIONS
    assert -25 <= min(rewards) < 0 < max(rewards) <= 125  # 25 big blinds each


def test_the_reward_is_the_payoff_of_the_seat_that_the_client_had() -> None:
    game = make_game("leduc_holdem-v0")
    env = session_factory(game, ["random"], None, "compact", 3, 0.0)()
    seats = set()
    for seed in range(40):
        observation = env.reset(seed=seed)
        seats.add(observation.seat)
        while not observation.done:
            assert observation.text.startswith(f"player_{observation.seat} ")
            observation = env.step(CardAction(message=observation.legal_actions[0]))
        won = observation.text.rsplit(";", 1)[1].split(",")[observation.seat].split()
        assert won[0] == f"player_{observation.seat}" and float(won[1]) == observation.reward
    assert seats == {0, 1}


def test_three_refused_answers_play_the_default_and_cost_what_was_agreed() -> None:
    game = make_game("kuhn_poker-v0")
    env = session_factory(game, ["random"], 0, "compact", 3, -0.5)()
    before = env.reset(seed=1)
    refused = [env.step(CardAction(message="banana")) for _ in range(3)]
    assert [each.reward for each in refused[:2]] == [-0.5, -0.5] and all(each.error for each in refused)
    assert refused[1].text == before.text != refused[2].text
    assert env.state.num_refused == 3


def test_nothing_hidden_is_shown() -> None:
    game = make_game("no_limit_holdem-v0", num_players=2)
    deck = ["7c", "2d", "As", "Ad"]
    env = session_factory(game, ["random"], 0, "verbose", 3, 0.0)()
    observation = env.reset(seed=3, options={"deck": deck, "button": 0})
    assert "7c 2d" in observation.text and "As" not in observation.text and "Ad" not in observation.text
    assert "As" not in str(env.state.model_dump())


def test_tasks_are_seeded_deals() -> None:
    env = session_factory(make_game("big2-v0"), ["random"], None, "compact", 3, 0.0)()
    assert env.list_splits() == ["train", "test"] and env.num_tasks("test") == 1_000_000
    task = env.get_task("test", 12)
    by_task, by_seed = env.reset(split="test", index=12), env.reset(seed=task["seed"])
    assert by_task == by_seed != env.reset(split="train", index=12)
    with pytest.raises(ValueError, match="split 'validation'"):
        env.reset(split="validation", index=0)
    with pytest.raises(IndexError, match="outside 0"):
        env.get_task("train", -1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": ()}, "at least one"),
        ({"seat": 9}, "outside 0..1"),
        ({"form": "poem"}, "choose one of"),
        ({"attempts": 0}, "at least 1"),
        ({"refused_reward": 0.1}, "at most 0"),
        ({"num_players": 99}, "num_players"),
    ],
)
def test_bad_arguments_are_refused_before_a_server_begins(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_app("limit_holdem-v0", **arguments)


def test_a_refused_reset_leaves_the_session_as_it_was() -> None:
    game = make_game("limit_holdem-v0")
    env = session_factory(game, ["random"], 0, "compact", 3, 0.0)()
    first = env.reset(seed=1)
    for wrong in ({"deck": ["As", "As"]}, {"stack": 3}):
        with pytest.raises(ValueError):
            env.reset(seed=2, options=wrong)
    with pytest.raises(ValueError, match="not known"):
        env.reset(seed=2, hands=10)
    assert env.step(CardAction(message="nonsense")).text == first.text


def test_a_step_without_a_deal_is_refused() -> None:
    env: CardEnvironment = session_factory(make_game("kuhn_poker-v0"), ["random"], 0, "compact", 3, 0.0)()
    with pytest.raises(RuntimeError, match="reset"):
        env.step(CardAction(message="check"))


def _ask(url: str, path: str, body: str, **headers: str) -> tuple[int, str]:
    """Return status and text of the answer to a POST."""
    request = urllib.request.Request(url + path, body.encode(), {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


@pytest.mark.parametrize(
    ("path", "body", "why"),
    [
        ("/reset", '{"seed": 1, "options": {"stack": 3}}', "not known"),
        ("/reset", '{"seed": 1, "options": [1]}', "must be a dict"),
        ("/reset", '{"options": {"deck": ["As", "As"]}}', "deck"),
        ("/reset", '{"hands": 10}', "not known"),
        ("/reset", '{"split": "validation"}', "choose one of"),
        ("/reset", '{"split": 3}', "choose one of"),
        ("/reset", '{"split": [3]}', "choose one of"),
        ("/reset", '{"split": ""}', "choose one of"),
        ("/reset", '{"split": "train", "index": -1}', "outside"),
        ("/reset", '{"index": "one"}', "index 'one' must be a whole number"),
        ("/reset", '{"index": 1.5}', "index 1.5 must be a whole number"),
        ("/reset", '{"index": true}', "index True must be a whole number"),
        ("/reset", '{"seed": "one"}', ""),
        ("/reset", '{"seed": -1}', ""),
        ("/reset", "[1]", ""),
        ("/reset", "{", ""),
        ("/step", '{"action": {"message": "call"}}', "call reset"),
        ("/step", '{"action": {"words": "call"}}', ""),
        ("/step", '{"action": {"message": 3}}', ""),
        ("/step", '{"action": 3}', ""),
        ("/step", "{}", ""),
    ],
)
def test_requests_with_wrong_fields_are_refused_without_a_traceback(
    url: str, path: str, body: str, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    status, text = _ask(url, path, body)
    assert 400 <= status < 500 and why in text, (status, text)
    assert "Traceback" not in text + "".join(capfd.readouterr())
    assert _ask(url, "/reset", '{"seed": 1}')[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "", "[", "127.0.0.1.evil"]
)
def test_other_host_names_are_refused(url: str, host: str) -> None:
    assert _ask(url, "/reset", "{}", Host=host)[0] in (400, 421)
    assert _ask(url, "/reset", "{}", Host="LOCALHOST:1234")[0] == 200
    with pytest.raises(InvalidStatus), connect(url.replace("http", "ws") + "/ws", additional_headers={"Host": host}):
        pass


@pytest.mark.parametrize("origin", ["http://evil.example", "https://127.0.0.1.evil", "null", "http://["])
def test_pages_of_other_sites_are_refused(url: str, origin: str) -> None:
    assert _ask(url, "/reset", "{}", Origin=origin)[0] == 403
    assert _ask(url, "/reset", "{}", Origin=url)[0] == 200
    address = url.replace("http", "ws") + "/ws"
    with connect(address, additional_headers={"Origin": url}):
        pass
    with pytest.raises(InvalidStatus), connect(address, additional_headers={"Origin": origin}):
        pass


def test_long_requests_are_refused_with_the_limit(url: str) -> None:
    status, text = _ask(url, "/reset", f'{{"episode_id": "{"x" * (1 << 20)}"}}')
    assert status == 413 and "at most 1,048,576 bytes" in text
    assert _ask(url, "/reset", '{"seed": 1}')[0] == 200


def test_a_server_may_have_other_names() -> None:
    app = make_app("kuhn_poker-v0", hosts=["cards.example"])
    with TestClient(app, base_url="http://cards.example") as client:
        assert client.post("/reset", json={}).status_code == 200
    with TestClient(app, base_url="http://localhost") as client:
        assert client.post("/reset", json={}).status_code == 421
    with TestClient(make_app("kuhn_poker-v0", hosts=["*"]), base_url="http://any.example") as client:
        assert client.post("/reset", json={}).status_code == 200


def test_long_answers_are_refused_with_the_limit() -> None:
    env = session_factory(make_game("kuhn_poker-v0"), ["random"], 0, "compact", 3, 0.0)()
    env.reset(seed=1)
    observation = env.step(CardAction(message="[check]".rjust(20_001)))
    assert "at most 20,000 characters" in observation.error and not observation.done


def test_a_slow_session_does_not_stop_the_others(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers are read in worker threads, a thread for each session."""
    begun, released = threading.Event(), threading.Event()
    step = CardEnvironment.step

    def wait_if_asked(env: CardEnvironment, action: CardAction, *more: Any, **others: Any) -> Any:
        if action.message == "wait":
            begun.set()
            assert released.wait(60)
        return step(env, action, *more, **others)

    monkeypatch.setattr(CardEnvironment, "step", wait_if_asked)

    async def play() -> None:
        async with GenericEnvClient(base_url=url) as slow:
            await slow.reset(seed=1)
            waiting = asyncio.create_task(slow.step({"message": "wait"}))
            while not begun.is_set():
                await asyncio.sleep(0.01)
            try:
                await asyncio.gather(*(_play(url, seed) for seed in range(4)))
                assert not waiting.done()
            finally:
                released.set()
            assert (await waiting).observation["error"]

    asyncio.run(play())


def test_the_manifest_of_the_space_is_valid() -> None:
    report = subprocess.run(
        [sys.executable, "-m", "openenv.cli", "validate", str(SPACE)], capture_output=True, text=True, timeout=120
    )
    assert "PASS  static.manifest" in report.stdout, report.stdout + report.stderr
