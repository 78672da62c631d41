"""The protocol of the Annual Computer Poker Competition: our client, our dealer, and the competition's own programs."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from card_envs.agent import Agent, RandomAgent, find_agent
from card_envs.game import Game
from card_envs.history.acpc.game_file import KNOWN_GAMES
from card_envs.match import AgentError, play_match
from card_wrappers.acpc import (
    AcpcBot,
    AcpcPlayer,
    AcpcProtocolError,
    DealtHand,
    game_definition,
    make_acpc_game,
    parse_state,
)

GAMES = sorted(KNOWN_GAMES)
SOURCES = Path(os.environ.get("ACPC_SERVER", Path(__file__).parents[3] / "shared" / "data" / "acpc_server"))


def play_over_a_socket(game: Game, at_dealer: Agent, others: list[Any], hands: int) -> tuple[Any, list[DealtHand]]:
    """Return the result of a match in which `at_dealer` plays through a socket, and the hands as it saw them."""
    seen: list[DealtHand] = []
    player = AcpcPlayer(game, at_dealer)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        thread = threading.Thread(target=lambda: seen.extend(player.play("127.0.0.1", port, 20.0)))
        thread.start()
        bot = AcpcBot(game, listener.accept()[0], timeout=20.0)
    try:
        result = play_match(game, [bot, *others], hands, seed=5, num_tables=1)
    finally:
        bot.close()
        thread.join()
    return result, seen


@pytest.mark.parametrize("name", GAMES)
def test_a_match_over_the_protocol_is_the_match_without_it(name: str) -> None:
    game = make_acpc_game(name)
    agents = ["always_raise", "random", "chen"][: game.num_seats]
    others = [find_agent(agent, game) for agent in agents[1:]]
    hands = 60
    result, seen = play_over_a_socket(game, find_agent(agents[0], game), others, hands)
    direct = play_match(game, [find_agent(agents[0], game), *others], hands, seed=5, num_tables=1)
    assert (result.payoffs == direct.payoffs).all()
    assert [hand.payoff for hand in seen] == direct.payoffs[:, 0].tolist()
    assert [hand.number for hand in seen] == list(range(hands))
    assert {hand.position for hand in seen} == set(range(game.num_seats))


def scripted_bot(game: Game, answers: list[str]) -> AcpcBot:
    """Return a bot that gives these answers, each to the newest state, and then hangs up."""
    ours, theirs = socket.socketpair()

    def answer() -> None:
        with suppress(OSError), theirs, theirs.makefile("rw", newline="\n") as file:
            file.write("VERSION:2.0.0\r\n")
            file.flush()
            for text in answers:
                line = file.readline().strip()
                file.write(text.replace("STATE", line) + "\r\n")
                file.flush()

    threading.Thread(target=answer, daemon=True).start()
    return AcpcBot(game, ours, timeout=2.0)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (["STATE:x"], "answer 'x' is not f, c or r"),
        (["STATE:r1:r2"], "hung up|silent"),
        (["nonsense"], "hung up|silent"),
        ([], "hung up|does not listen"),
        (["A" * 20_000], "longer than 10000 characters"),
    ],
)
def test_a_bot_that_breaks_the_protocol_is_named(answers: list[str], message: str) -> None:
    game = make_acpc_game("holdem.limit.2p.reverse_blinds.game")
    bot = scripted_bot(game, answers)
    with pytest.raises(AgentError, match=message):
        play_match(game, [find_agent("always_call", game), bot], 2, seed=1, num_tables=1)
    bot.close()


def test_raises_off_the_menu_are_rounded_and_counted() -> None:
    game = make_acpc_game("holdem.nolimit.2p.reverse_blinds.game")
    bot = scripted_bot(game, ["STATE:r317", *["STATE:c"] * 20])
    with pytest.raises(AgentError, match=r"hung up|does not listen|silent"):
        play_match(game, [find_agent("always_call", game), bot], 40, seed=1, num_tables=1)
    assert bot.num_rounded_raises == 1
    bot.close()
    every = make_acpc_game("holdem.nolimit.2p.reverse_blinds.game", "integers")
    bot = scripted_bot(every, ["STATE:r317", *["STATE:c"] * 20])
    with pytest.raises(AgentError, match=r"hung up|does not listen|silent"):
        play_match(every, [find_agent("always_call", every), bot], 40, seed=1, num_tables=1)
    assert bot.num_rounded_raises == 0
    bot.close()


@pytest.mark.parametrize(
    "line",
    ["", "MATCHSTATE:2:0::AsKs|", "MATCHSTATE:0:0:x:AsKs|", "STATE:0:0::AsKs|", "MATCHSTATE:0:0::AsKs|:c", "\x00" * 99],
)
def test_lines_that_are_no_states_are_refused(line: str) -> None:
    with pytest.raises(AcpcProtocolError, match="is not a state of this game"):
        parse_state(line, make_acpc_game("holdem.limit.2p.reverse_blinds.game"))


def test_a_hand_of_a_dealer_counts_once_and_has_an_end() -> None:
    game = make_acpc_game("holdem.limit.2p.reverse_blinds.game")
    end, begun = "MATCHSTATE:0:0:f:AsKs|", "MATCHSTATE:0:1::AsKs|"
    told = Told()
    player = AcpcPlayer(game, told)

    def play(*lines: str) -> list[DealtHand]:
        with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor() as pool:
            hands = pool.submit(player.play, "127.0.0.1", listener.getsockname()[1], 20.0)
            with listener.accept()[0] as connection:
                connection.sendall("".join(f"{line}\r\n" for line in lines).encode())
                connection.shutdown(socket.SHUT_WR)
                return hands.result()

    for _ in range(2):  # both matches begin with hand 0
        assert [hand.number for hand in play(end)] == [0]
    assert told.deals == 2
    with pytest.raises(AcpcProtocolError, match="hand 0 is over, but the dealer sends 'MATCHSTATE:0:0:f"):
        play(end, end)
    with pytest.raises(AcpcProtocolError, match="hung up in the middle of a hand"):
        play(begun, end)


class Told(RandomAgent):
    """Counts the deals that it is told of."""

    deals = 0

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        self.deals += len(table_ids)


def test_states_that_no_game_has_are_refused() -> None:
    game = make_acpc_game("holdem.limit.2p.reverse_blinds.game")
    player = AcpcPlayer(game, find_agent("random", game))
    for line in (
        "MATCHSTATE:0:0::|",
        "MATCHSTATE:1:0::AsKs|",
        "MATCHSTATE:0:0:rrrrr:AsKs|",
        "MATCHSTATE:0:0::AsAs|",
        "MATCHSTATE:0:0:cc/:AsKs|/As",
    ):
        with pytest.raises(AcpcProtocolError):
            player.respond(line)


# --- the competition's own programs -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the dealer and the example player, built from their sources."""
    if not (SOURCES / "dealer.c").is_file() or shutil.which("gcc") is None or shutil.which("make") is None:
        pytest.skip("the sources of the ACPC server are not here: set ACPC_SERVER to their folder")
    folder = tmp_path_factory.mktemp("acpc") / "server"
    shutil.copytree(SOURCES, folder)
    subprocess.run(["make", "-s", "dealer", "example_player"], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("name", GAMES)
def test_our_result_is_that_of_the_competitions_dealer_hand_by_hand(server: Path, name: str) -> None:
    game = make_acpc_game(server / name)
    names = ["us", *(f"example{k}" for k in range(1, game.num_seats))]
    command = ["./dealer", "match", name, "40", "7", *names, "-q"]
    with subprocess.Popen(command, cwd=server, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as dealer:
        assert dealer.stdout is not None
        ports = list(map(int, dealer.stdout.readline().split()))
        bots = [subprocess.Popen(["./example_player", name, "127.0.0.1", str(port)], cwd=server) for port in ports[1:]]
        hands = AcpcPlayer(game, find_agent("chen", game)).play("127.0.0.1", ports[0], 60.0)
        assert dealer.wait(60) == 0
        assert [bot.wait(60) for bot in bots] == [0] * len(bots)
    log = [line.strip().split(":") for line in (server / "match.log").read_text().splitlines() if "STATE" in line]
    dealt = [(int(parts[1]), parts[5].split("|").index("us"), parts[4].split("|")) for parts in log]
    assert [(hand.number, hand.position) for hand in hands] == [(number, position) for number, position, _ in dealt]
    for hand, (_, position, values) in zip(hands, dealt, strict=True):
        # the dealer divides the odd chip of a split pot, our tables give it to one seat
        assert hand.payoff == float(values[position]) or (
            "." in values[position] and abs(hand.payoff - float(values[position])) < 1
        )
    assert len(hands) == 40


@pytest.mark.parametrize("name", GAMES)
def test_the_example_player_plays_in_our_matches(server: Path, name: str) -> None:
    game = make_acpc_game(server / name, "integers")
    (server / "ours.game").write_text(game_definition(game))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        program = ["./example_player", "ours.game", "127.0.0.1", str(listener.getsockname()[1])]
        example = subprocess.Popen(program, cwd=server)
        bot = AcpcBot(game, listener.accept()[0], timeout=20.0)
    others = [find_agent("random_low_fold", game) for _ in range(game.num_seats - 1)]
    result = play_match(game, [bot, *others], 40, seed=2, num_tables=1)
    bot.close()
    assert example.wait(20) == 0
    assert result.hands == 40 and bot.num_rounded_raises == 0
    assert (result.payoffs.sum(axis=1) == 0).all()
