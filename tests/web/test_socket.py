"""The server as a page sees it: no hidden card, no exception, no loss."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from card_baselines.web.limits import Limits
from card_baselines.web.serving import FAILED
from card_envs.agent import action_probabilities, find_agent
from card_envs.cards import NO_CARD, card_id
from card_envs.envs import make_game
from tests.web.served import HOST_TOKEN, Page, Server, serving

TABLES = [
    ("limit_holdem-v0", "", ["", "random"]),
    ("no_limit_holdem-v0", "num_players=6", ["", "random", "", "random", "random", "always_call"]),
    ("no_limit_holdem-v0", "bet_menu=integers stacks=20", ["", "random"]),
    ("big2-v0", "", ["", "random", "", "random"]),
    ("leduc_holdem-v0", "", ["", "random"]),
    ("kuhn_poker-v0", "", ["", "random"]),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("web")) as running:
        yield running


# --- hidden cards ---


PICTURES = ("picture", "narrow")


def cards_in(message: Any) -> set[int]:
    """Return the ids of all cards in a message: drawn, listed, or named anywhere in its words."""
    found: set[int] = set()
    pictures = [message[key] for key in PICTURES if message.get(key)]
    assert len(pictures) == (2 if message["type"] == "table" else 0)
    for shape in (shape for picture in pictures for shape in picture["shapes"]):
        if shape[0] == "card" and shape[4] != NO_CARD:
            found.add(shape[4])
    found |= set(message.get("cards", []))
    for choice in message.get("choices", []):
        found |= set(choice["cards"])
    return found | cards_named(json.dumps({key: value for key, value in message.items() if key not in PICTURES}))


def cards_named(words: str) -> set[int]:
    return {card_id(name[0] + name[1].lower()) for name in re.findall(r"\b[2-9TJQKA][cdhsCDHS]\b", words)}


def allowed_cards(server: Server, number: int, index: int) -> set[int]:
    """Return the cards that the session's own table shows to a player, by the words of the game."""
    session = server.handler.live_sessions._live[number].session
    seat = session.plan.seat_of(index, session.hand)
    return cards_named(session.game.text(session.game.views(session.tables, [0], [seat]), 0, seat))


@pytest.mark.parametrize(("env", "settings", "players"), TABLES)
def test_a_page_never_hears_of_a_card_that_its_seat_may_not_see(
    server: Server, env: str, settings: str, players: list[str]
) -> None:
    number, tokens = server.opened(env, players, settings=settings, seed=5)
    people = [index for index, agent in enumerate(players) if not agent]
    pages = {index: server.page(tokens[index] or "") for index in people}
    rng, decisions = random.Random(3), 0
    for hand in range(4):
        shown: dict[int, set[int]] = {index: set() for index in people}
        while True:
            wait_for_turn(server, number, people, hand)
            tables = {index: latest(server, number, page) for index, page in pages.items()}
            for index, page in pages.items():
                for message in page.heard:
                    lies_open = message["type"] == "table" and message["over"] and env == "big2-v0"
                    shown[index] |= set() if lies_open else cards_in(message)
                page.heard.clear()
                # everything shown in this hand is visible at its end too, or was played from a hand for all to see
                hidden = hidden_cards(server, number, index)
                assert not shown[index] & hidden, f"{env}: index {index} hears of cards of others"
            if tables[people[0]]["over"]:
                break
            index = next(index for index, table in tables.items() if table["choices"])
            choice = rng.choice(tables[index]["choices"])
            pages[index].act(tables[index], choice["action"] + rng.randrange(choice["count"]))
            decisions += 1
            wait_for_step(server, number, tables[index]["step"])
        pages[people[0]].say("next", hand=hand)
    assert decisions >= 4
    for page in pages.values():
        page.close()


def latest(server: Server, number: int, page: Page) -> dict[str, Any]:
    """Return the table as the page hears of it last; it is a person's turn, or the hand is over."""
    session = server.handler.live_sessions._live[number].session
    while (table := page.hear("table"))["hand"] != session.hand or table["step"] != len(session.actions):
        pass
    return table


def hidden_cards(server: Server, number: int, index: int) -> set[int]:
    """Return the cards of other seats, and of the deck, that a player may not see now."""
    session = server.handler.live_sessions._live[number].session
    seat = session.plan.seat_of(index, session.hand)
    assert session.game.info.private_cards is not None
    everywhere: set[int] = set()
    for other in range(session.game.num_seats):
        if other != seat:
            everywhere |= set(session.game.info.private_cards(session.tables, 0, other))
    return everywhere - allowed_cards(server, number, index) - {NO_CARD}


def wait_for_step(server: Server, number: int, step: int) -> None:
    """Wait until the decision after `step` others is taken."""
    session = server.handler.live_sessions._live[number].session
    while len(session.actions) <= step:
        time.sleep(0.002)


def wait_for_turn(server: Server, number: int, people: list[int], hand: int = 0) -> None:
    """Wait until agents have played in a hand what they can."""
    while number not in server.handler.live_sessions._live:
        time.sleep(0.002)
    live, deadline = server.handler.live_sessions._live[number], time.monotonic() + 120
    session = live.session
    while live._lock.locked() or session.hand < hand or not (session.is_over or session.player_to_act in people):
        assert time.monotonic() < deadline
        time.sleep(0.002)


# --- what pages send ---


def test_thousands_of_random_messages_raise_nothing_and_show_nothing(server: Server) -> None:
    number, tokens = server.opened("big2-v0", ["", "random", "random", "random"], seed=9)
    rng = random.Random(0)
    page = server.page(tokens[0] or "")
    first = page.turn()
    host = server.page()
    hidden = hidden_cards(server, number, 0)
    for count in range(2000):
        for each in (page, host):
            each.socket.send(random_message(rng, first["hand"]))
        if count % 100 == 99:
            for each in (page, host):
                drain(each)
    session = server.handler.live_sessions._live[number].session
    assert (session.hand, session.plan.players[0].agent) == (0, None)
    told = [message for message in page.heard if message["type"] != "agents"]
    gone = {card for message in told for card in cards_in(message)} & hidden
    assert gone <= allowed_cards(server, number, 0), "a card was shown before it was played"
    assert all(message.get("message") != FAILED for message in [*told, *host.heard])
    assert {message["type"] for message in told} <= {"welcome", "table", "error", "thought"}
    for each in (page, host):
        each.say("sessions")
        assert each.next_message()["type"] in ("error", "sessions", "players")
        each.close()


def drain(page: Page) -> None:
    """Hear everything up to the answer of a message that is sent last."""
    page.say("recording", name="the last")
    while "last" not in str(message := page.next_message()) and "host may" not in str(message):
        pass


def random_message(rng: random.Random, hand: int) -> str:
    """Return a message that is nearly right, or nothing like one."""
    anything: list[Any] = [None, True, -1, 0, 1, 2, 2**60, 1.5, "", "x", "random", "../../etc/passwd", "__class__",
                           "a.py:A", [], ["random"] * 3, {}, {"a": 1}, "\\u202e", "big2-v0", hand]  # fmt: skip
    kinds = ["hello", "offer", "open", "close", "watch", "act", "next", "think", "moment", "recording", "zzz"]
    names = ["token", "env", "settings", "players", "names", "seed", "session", "pause", "hand", "step", "action",
             "agent", "name", "x"]  # fmt: skip
    kind = rng.choice(kinds)
    roll = rng.random()
    if roll < 0.2:
        return rng.choice(["", "{", "null", "[]", '"x"', "{}", '{"type": 5}', "\x00", "9" * 400])
    if roll < 0.5 and kind not in ("close", "open"):
        return json.dumps({"type": kind, **{name: rng.choice(anything) for name in rng.sample(names, 3)}})
    wrong = {"act": {"hand": hand, "step": rng.randrange(-1, 3), "action": rng.choice([-5, 5000, 2**50, 1694, 3])},
             "think": {"agent": rng.choice(["nobody", "../x", "a.py:A"]), "hand": hand, "step": rng.randrange(-2, 9)},
             "next": {"hand": hand}, "watch": {"session": rng.randrange(-3, 99), "pause": -1.0},
             "moment": {"name": "session 1", "hand": -1, "step": 0}, "recording": {"name": "session x"},
             "offer": {"env": "big2-v0", "settings": rng.choice(["x", "a=b", "rules=nothing", "flushes=99999999999"])},
             "open": {"env": "big2-v0", "players": ["a.py:A"] * 4, "names": []}}  # fmt: skip
    return json.dumps({"type": kind, **wrong.get(kind, {})})


def test_agents_are_found_by_the_names_of_the_server_alone(server: Server, tmp_path: Path) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\nclass Trap: ...")
    with server.page() as host:
        for spec in (f"{trap}:Trap", str(tmp_path), "os:getcwd", "card_baselines.agents.scripted.starting_hands:Chen"):
            host.say("open", env="limit_holdem-v0", players=["", spec], names=[])
            assert "is not offered here" in host.hear("error")["message"] if len(spec) <= 200 else True
    assert not (tmp_path / "sprung").exists()


def test_a_seat_can_do_nothing_of_the_host_and_nothing_for_another_seat(server: Server) -> None:
    _, tokens = server.opened("limit_holdem-v0", ["", ""], seed=1)
    with server.page(tokens[0] or "") as one, server.page(tokens[1] or "") as other:
        tables = [one.hear("table"), other.hear("table")]
        waiting, table = (one, tables[0]) if not tables[0]["choices"] else (other, tables[1])
        waiting.act(table, 1)
        assert "not your decision" in waiting.hear("error")["message"]
        waiting.say("think", agent="random", hand=0, step=0)
        assert "not a decision of yours" in waiting.hear("error")["message"]
        for kind in ("sessions", "recordings", "results"):
            waiting.say(kind)
            assert "only the host" in waiting.hear("error")["message"]


@pytest.mark.parametrize("token", ["", "wrong", HOST_TOKEN[:-1]])
def test_a_wrong_token_opens_nothing(server: Server, token: str) -> None:
    with server.page(token) as page, pytest.raises(ConnectionClosed) as closed:
        page.next_message()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == 4403


def test_pages_of_other_sites_cannot_connect(server: Server) -> None:
    with pytest.raises(InvalidStatus):
        server.page(origin="http://evil.example")


def test_long_messages_and_too_many_end_the_connection(tmp_path: Path) -> None:
    with serving(tmp_path, Limits(messages_per_second=1, burst=5, hello_seconds=0.5)) as strict:
        with strict.page() as page, pytest.raises(ConnectionClosed) as closed:
            page.socket.send("x" * 9000)
            while True:
                page.next_message()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 1009
        with strict.page() as page, pytest.raises(ConnectionClosed) as closed:
            for _ in range(50):
                page.say("sessions")
            while True:
                page.next_message()
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4429
        with connect(f"ws://127.0.0.1:{strict.port}/socket") as silent, pytest.raises(ConnectionClosed) as closed:
            silent.recv(10)
        assert closed.value.rcvd is not None and closed.value.rcvd.code == 4408


# --- thoughts ---


def test_thoughts_are_the_probabilities_of_the_agent_before_and_after_the_decision(server: Server) -> None:
    number, tokens = server.opened("leduc_holdem-v0", ["", "random"], seed=2)
    with server.page(tokens[0] or "") as page:
        table = page.turn()
        page.say("think", agent="cfr", hand=table["hand"], step=table["step"])
        before = page.hear("thought")
        page.act(table, table["choices"][-1]["action"])
        page.hear("table")
        page.say("think", agent="cfr", hand=table["hand"], step=table["step"])
        after = page.hear("thought")
    session = server.handler.live_sessions._live[number].session
    game = make_game("leduc_holdem-v0")
    tables = game.seeded_tables(1, session.plan.seed, table["hand"])
    game.deal(tables, 0)
    from card_baselines.web.session import decisions_of, table_after

    tables = table_after(game, session.plan, table["hand"], session.actions[: table["step"]])
    agent = find_agent("cfr", game)
    shown = action_probabilities(agent, decisions_of(game, agent, session.plan, tables, 0, table["step"]))[0]
    told = {each["action"]: each["probability"] for each in before["actions"]}
    assert sum(told.values()) == pytest.approx(1)
    assert told == pytest.approx({action: shown[action] for action in told})
    assert before == after


def test_an_agent_without_probabilities_says_so_and_is_asked_what_it_does(server: Server) -> None:
    _, tokens = server.opened("limit_holdem-v0", ["", "random"], seed=2)
    with server.page(tokens[0] or "") as page:
        table = page.turn()
        page.say("think", agent="always_call", hand=table["hand"], step=table["step"])
        thought = page.hear("thought")
    assert "does not show probabilities" in thought["note"]
    assert {each["name"].split()[0] for each in thought["actions"] if each["probability"] > 0} <= {"check", "call"}
    assert sum(each["probability"] for each in thought["actions"]) == pytest.approx(1)
    assert 0 < thought["equity"] < 1


# --- nothing is lost ---


def test_a_page_comes_back_in_the_middle_of_a_hand(server: Server) -> None:
    _, tokens = server.opened("big2-v0", ["", "random", "random", "random"], seed=4)
    with server.page(tokens[0] or "") as page:
        table = page.turn()
        page.act(table, table["choices"][0]["action"])
        table = page.turn()
    with server.page(tokens[0] or "") as page:
        again = page.hear("table")
    kept = ("hand", "step", "cards", "choices", "moves", *PICTURES)
    assert {key: again[key] for key in kept} == {key: table[key] for key in kept}
    assert again["moves"][0]["is_forced"] and again["moves"][0]["action"] == "single 3D"


def test_a_session_goes_on_after_kill_9_in_the_middle_of_a_hand(tmp_path: Path) -> None:
    program = f"""
import sys, time
from pathlib import Path
from tests.web.served import serving
with serving(Path({str(tmp_path)!r})) as server:
    print(server.port, flush=True)
    time.sleep(600)
"""
    root = Path(__file__).parents[2]
    paths = os.pathsep.join(str(root / part) for part in (".", "wrappers", "baselines"))
    environment = {**os.environ, "PYTHONPATH": paths}

    def started() -> tuple[subprocess.Popen[str], Server]:
        process = subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        return process, Server(int(process.stdout.readline()), None)  # type: ignore[arg-type]

    process, server = started()
    try:
        _, tokens = server.opened("no_limit_holdem-v0", ["", "random", "random"], settings="num_players=3", seed=8)
        with server.page(tokens[0] or "") as page:
            table = page.turn()
            for _ in range(3):  # into the second hand, and past a decision of it
                while not table["over"]:
                    page.act(table, table["choices"][-1]["action"])
                    table = page.turn()
                page.say("next", hand=table["hand"])
                table = page.turn()
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
        process, server = started()
        with server.page(tokens[0] or "") as page:
            again = page.turn()
            kept = ("hand", "step", "cards", "choices", "picture", "narrow", "moves", "score", "text")
            assert [again[key] for key in kept] == [table[key] for key in kept]
            if not again["over"]:
                page.act(again, again["choices"][0]["action"])
                assert page.hear("table")["step"] == again["step"] + 1
    finally:
        process.kill()
        process.communicate()


def test_agents_that_are_watched_play_on_with_a_result_and_its_interval(server: Server) -> None:
    number, _ = server.opened("kuhn_poker-v0", ["random", "cfr"], seed=1)
    with server.page() as host:
        host.say("watch", session=number, pause=0)
        while host.hear("table")["score"]["hands"] < 20:
            pass
        score = host.heard[-1]["score"]
        host.say("watch", session=number, pause=-1)
    (low, high) = score["means"][0][1:]
    assert low < score["means"][0][0] < high
    assert np.isclose(sum(score["totals"]), 0)


def test_nobody_watches_where_people_play(server: Server) -> None:
    number, _ = server.opened("limit_holdem-v0", ["", "random"], seed=1)
    with server.page() as host:
        host.say("watch", session=number, pause=0)
        assert "people play" in host.hear("error")["message"]
