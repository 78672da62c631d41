"""Slumbot's interface: a local server that speaks the format of public clients and deals by our tables.

The service itself is not asked. Requests, states and what goes wrong on the way are those of the module's docstring.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions, find_agent
from card_envs.cards import card_name
from card_envs.game import NOBODY
from card_envs.games.holdem.kernels import apply_decision
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_wrappers.slumbot import (
    SlumbotClient,
    SlumbotError,
    SlumbotPlayer,
    make_slumbot_game,
    parse_betting,
    to_incr,
)
from tests.helpers.shell import Shell

BOARD_CARDS = (0, 3, 4, 5)
Answer = dict[str, Any]


class Service(ThreadingHTTPServer):
    """Deals, plays the other seat at random with any amount, and notes what the client won."""

    daemon_threads = True

    def __init__(self, change: Callable[[Answer, int], Any] = lambda answer, _: answer, style: str = "plain") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.game, self.rng = make_slumbot_game("integers"), random.Random(7)
        self.change, self.style = change, style
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.requests: list[tuple[str, Answer]] = []
        self.winnings: list[int] = []
        self.bets: list[int] = []
        self.bets_seen: list[int] = []

    def new_hand(self) -> Answer:
        self.tables, self.action = self.game.seeded_tables(1, self.rng.randrange(2**32)), ""
        self.game.deal_with(self.tables, 0, {"button": 1})  # seat and position are the same
        self.client = len(self.winnings) % 2
        return self._play()

    def act(self, incr: str) -> Answer:
        kind = {"f": FOLD, "k": CALL, "c": CALL, "b": RAISE}[incr[0]]
        assert (incr == "c") == (self._to_call() > 0) or kind != CALL, (self.action, incr)
        self.bets_seen.append(int(self.tables["current_bet"][0]))
        self._apply(kind, int(incr[1:] or 0))
        return self._play()

    def _to_call(self) -> int:
        t = self.tables[0]
        return int(t.current_bet) - int(t.street_commit[t.actor])

    def _apply(self, kind: int, raise_to: int) -> None:
        call, street = "c" if self._to_call() else "k", int(self.tables["street"][0])
        assert int(apply_decision(self.tables, 0, kind, raise_to)) >= NOBODY, (self.action, kind, raise_to)
        self.action += {FOLD: "f", CALL: call}.get(kind, f"b{raise_to}")
        if int(self.tables["street"][0]) > street and int(self.tables["actor"][0]) != NOBODY:
            self.action += "/"

    def _play(self) -> Answer:
        while int(self.tables["actor"][0]) == 1 - self.client:
            self._decide()
        return self._state()

    def _decide(self) -> None:
        t, choice = self.tables[0], self.rng.random()
        if t.max_raise_to > 0 and choice < 0.3:
            low, high = int(t.min_raise_to), int(t.max_raise_to)
            amount = self.rng.choice([self.rng.randint(low, min(high, 3 * low)), self.rng.randint(low, high)])
            self.bets.append(amount)
            self._apply(RAISE, amount)
        else:
            self._apply(FOLD if choice > 0.93 and self._to_call() else CALL, 0)

    def _state(self) -> Answer:
        t = self.tables[0]
        is_over = int(t.actor) == NOBODY
        is_showdown = is_over and int(t.in_hand) == 3
        cards = [card_name(int(card)) for card in t.deck[:9]]
        shown = 5 if is_showdown else BOARD_CARDS[int(t.street)]
        action = self.action
        if is_showdown and self.style == "slashes":
            action += "/" * (3 - action.count("/"))
        if not is_over and self.style == "bare":
            action = action.removesuffix("/")
        mine, other = (cards[2 * seat : 2 * seat + 2] for seat in (self.client, 1 - self.client))
        answer: Answer = {
            "action": action, "client_pos": self.client, "hole_cards": mine, "board": cards[4 : 4 + shown],
            "token": "b7a5f0c2-0000-4000-8000-0123456789ab",
        }  # fmt: skip
        if is_over:
            winnings = int(t.payoff[self.client])
            self.winnings.append(winnings)
            answer |= {"bot_hole_cards": other, "winnings": winnings, "won_pot": max(winnings, 0),
                       "session_num_hands": len(self.winnings), "baseline_winnings": 0,
                       "session_total": sum(self.winnings), "session_baseline_total": 0}  # fmt: skip
        return answer


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        service, path = self.server, self.path.removeprefix("/api/")
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        service.requests.append((path, body))
        number = len(service.requests)
        if service.style == "busy" and number % 3 == 1:
            self.send_error(503)
        elif service.style == "broken actions" and path == "act" and number > 4:
            self.send_error(500)
        elif (service.style, path) == ("slow", "act") or (service.style == "late start" and number == 1):
            time.sleep(3.0)
        else:
            answer = service.new_hand() if path == "new_hand" else service.act(body["incr"])
            content = service.change(answer, number)
            content = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    def log_message(self, *words: Any) -> None:
        """Print nothing."""


class Watcher(Agent):
    """Plays at random, often calling, and notes what it is told."""

    name = "watcher"

    def __init__(self) -> None:
        self.bets: list[int] = []
        self.payoffs: list[float] = []
        self.actions = 0

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        self.bets += [int(view["current_bet"]) for view in decisions.views]
        legal = [decisions.legal_actions(j) for j in range(len(decisions))]
        return np.array([1 if rng.random() < 0.6 else int(rng.choice(list(ids))) for ids in legal], np.int64)

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        self.actions += len(actions)

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        self.payoffs.append(float(payoffs[0].max()))


@pytest.fixture
def serve() -> Iterator[Callable[..., Service]]:
    services: list[Service] = []

    def start(*words: Any, **options: Any) -> Service:
        services.append(Service(*words, **options))
        threading.Thread(target=services[-1].serve_forever, args=(0.01,), daemon=True).start()
        return services[-1]

    yield start
    for service in services:
        service.shutdown()
        service.server_close()


def player(service: Service, agent: Agent | None = None, timeout: float = 20.0, retries: int = 3) -> SlumbotPlayer:
    game = make_slumbot_game()
    client = SlumbotClient(service.url, timeout, retries, backoff=0.01)
    return SlumbotPlayer(game, agent or find_agent("always_call", game), client)


@pytest.mark.parametrize("style", ["plain", "slashes", "bare", "busy"])
def test_results_are_those_of_the_server_hand_by_hand(style: str, serve: Callable[..., Service]) -> None:
    service, agent = serve(style=style), Watcher()
    hands = list(player(service, agent).play(60))
    assert [hand.payoff for hand in hands] == service.winnings
    assert [hand.number for hand in hands] == list(range(1, 61))
    assert {hand.position for hand in hands} == {0, 1}
    assert agent.bets == service.bets_seen  # every amount as it was bet
    assert sum(bet % 50 != 0 for bet in service.bets) > 20
    assert agent.payoffs == [abs(chips) / 100 for chips in service.winnings]
    assert agent.actions > len(service.bets)
    assert all("token" in body for path, body in service.requests[3:])


def without(answer: Answer, *keys: str) -> Answer:
    return {key: value for key, value in answer.items() if key not in keys}


def test_answers_may_omit_what_the_client_knows(serve: Callable[..., Service]) -> None:
    """Position and cards come with new hands alone; where Slumbot's cards stay hidden, its word is taken."""
    service = serve(lambda answer, _: without(answer, "client_pos", "hole_cards") if hidden(answer) else answer)
    agent = Watcher()
    assert [hand.payoff for hand in player(service, agent).play(30)] == service.winnings
    service = serve(lambda answer, _: without(answer, "bot_hole_cards"))
    agent = Watcher()
    assert [hand.payoff for hand in player(service, agent).play(30)] == service.winnings
    assert agent.payoffs == [abs(chips) / 100 for chips in service.winnings]


def test_winnings_of_hidden_cards_are_the_bets_or_nothing(serve: Callable[..., Service]) -> None:
    def change(answer: Answer, number: int) -> Answer:
        shown = without(answer, "bot_hole_cards")
        return shown | {"winnings": answer["winnings"] + 1} if hidden(answer) else shown

    with pytest.raises(SlumbotError, match=r"are -?[0-9]+, but each has bet [0-9]+"):
        list(player(serve(change), Watcher()).play(30))


def hidden(answer: Answer) -> bool:
    return "winnings" in answer and len(answer["action"]) > 3 and answer["action"][-1] != "f"


def test_new_hands_are_asked_for_again(serve: Callable[..., Service]) -> None:
    service = serve(style="late start")
    assert [hand.payoff for hand in player(service, timeout=1.0).play(2)] == service.winnings
    assert [path for path, _ in service.requests[:2]] == ["new_hand", "new_hand"]


@pytest.mark.parametrize(
    ("style", "message", "first"), [("slow", "timed out", 0), ("broken actions", "HTTP status 500", 4)]
)
def test_an_action_without_an_answer_is_not_sent_again(
    style: str, message: str, first: int, serve: Callable[..., Service]
) -> None:
    service = serve(style=style)
    with pytest.raises(SlumbotError, match=message):
        list(player(service, timeout=1.0).play(200))
    assert [path for path, _ in service.requests[first:]].count("act") == 1


def test_a_server_that_is_not_there_is_named() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as gone:
        port = gone.server_port
    client = SlumbotClient(f"http://127.0.0.1:{port}/", retries=2, backoff=0.01)
    with pytest.raises(SlumbotError, match=rf"127\.0\.0\.1:{port}, new_hand: .*refused"):
        client.new_hand()
    with pytest.raises(ValueError, match="must begin with http"):
        SlumbotClient("file:///etc/hostname")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda answer: b"<html>busy</html>", "is not a JSON object"),
        (lambda answer: b"[" * 100_000, "is not a JSON object"),
        (lambda answer: [answer], "is not a JSON object"),
        (lambda answer: {"error_msg": "Invalid token"}, "was refused: Invalid token"),
        (lambda answer: answer | {"client_pos": 2}, "client_pos 2 is not 0 or 1"),
        (lambda answer: answer | {"action": None}, "action None is not a betting string"),
        (lambda answer: answer | {"action": "x"}, "write k, c, f, b and numbers"),
        (lambda answer: answer | {"action": "k"}, "'k' is not legal there"),
        (lambda answer: answer | {"action": "b150", "client_pos": 0}, "action 1 of the betting"),
        (lambda answer: answer | {"action": "b99999", "client_pos": 0}, "action 1 of the betting"),
        (lambda answer: answer | {"action": "c", "client_pos": 1}, "has not the 0 decisions"),
        (lambda answer: answer | {"action": "", "client_pos": 0}, "waits for Slumbot"),
        (lambda answer: answer | {"hole_cards": ["Ah"]}, "is not a list of 2 cards"),
        (lambda answer: answer | {"hole_cards": ["Ah", "1h"]}, "write cards such as"),
        (lambda answer: answer | {"hole_cards": ["Ah", "Ah"]}, "twice|more than once|Ah"),
        (lambda answer: answer | {"board": ["Ah", "Kh"]}, "is not a list of"),
        (lambda answer: answer | {"winnings": 100}, "do not fit together"),
        (lambda answer: answer | {"winnings": "100"}, "are not a number of chips"),
    ],
)
def test_answers_that_are_no_states_end_the_match(
    change: Callable[[Answer], Any], message: str, serve: Callable[..., Service]
) -> None:
    service = serve(lambda answer, number: change(answer))
    with pytest.raises(SlumbotError, match=message):
        list(player(service).play(1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda answer: answer | {"hole_cards": answer["hole_cards"][::-1]}, "changed within a hand"),
        (lambda answer: answer | {"client_pos": 1 - answer["client_pos"]}, "changed within a hand"),
        (lambda answer: answer | {"winnings": answer.get("winnings", 0) + 1}, "by the rules|do not fit together"),
        (lambda answer: answer | {"action": "b300c/"}, "does not continue|more streets|changed"),
        (lambda answer: {"error_msg": "Illegal bet"}, "act was refused: Illegal bet"),
    ],
)
def test_answers_of_another_hand_end_the_match(
    change: Callable[[Answer], Any], message: str, serve: Callable[..., Service]
) -> None:
    requests: list[Service] = []

    def change_actions(answer: Answer, number: int) -> Any:
        return change(answer) if requests[0].requests[number - 1][0] == "act" else answer

    requests.append(serve(change_actions))
    with pytest.raises(SlumbotError, match=message):
        list(player(requests[0]).play(20))


@pytest.mark.parametrize(
    ("action", "cards", "signs", "positions", "sign", "incr"),
    [
        ("", 0, "", (), "c", "c"),
        ("c", 0, "c", (1,), "c", "k"),
        ("c", 0, "c", (1,), "r300", "b300"),
        ("b200c", 3, "r200c/", (1, 0), "c", "k"),
        ("b200c/kb300", 3, "r200c/cr500", (1, 0, 0, 1), "r1100", "b900"),
        ("b200c/kk/b400c/", 5, "r200c/cc/r600c/", (1, 0, 0, 1, 0, 1), "f", "f"),
    ],
)
def test_betting_in_the_notation_of_the_competition(
    action: str, cards: int, signs: str, positions: tuple[int, ...], sign: str, incr: str
) -> None:
    betting = parse_betting(action, cards)
    assert (betting.acpc_betting, betting.positions, betting.is_over) == (signs, positions, False)
    assert to_incr(sign, betting) == incr


@pytest.mark.parametrize(
    ("action", "cards", "showdown"),
    [
        ("f", 0, False), ("b200f", 0, False), ("b20000c", 5, True), ("b20000c///", 5, True), ("ck/kk/kk/kk", 5, True),
        ("b200c/b19800c", 5, True), ("ck/kk/kk/b100f", 5, False), ("b20000c", 0, True),
    ],
)  # fmt: skip
def test_ends_of_hands(action: str, cards: int, showdown: bool) -> None:
    betting = parse_betting(action, cards)
    assert betting.is_over and betting.is_showdown == showdown


def test_the_command_prints_an_interval(serve: Callable[..., Service], shell: Shell) -> None:
    service = serve()
    report = shell.reports("play", "--slumbot", "--agent", "chen", "--hands", "25", "--url", service.url)
    assert report["hands"] == 25 and report["chips"] == sum(service.winnings)
    assert report["ci95"][0] < report["mean"] < report["ci95"][1]
    assert report["mean"] == pytest.approx(sum(service.winnings) / 2500)


def test_the_command_prints_what_was_played_before_a_failure(serve: Callable[..., Service], shell: Shell) -> None:
    service = serve(lambda answer, number: {"error_msg": "tired"} if len(service.winnings) == 3 else answer)
    code, out, err = shell.run("play", "--slumbot", "--agent", "always_call", "--hands", "9", "--url", service.url)
    assert code == 2 and "2 hands against Slumbot" in out and "bb/100" in out
    assert "was refused: tired" in err
