"""`card-envs play --acpc` and `--slumbot`: play at other dealers, and against other programs."""

from __future__ import annotations

import time
from contextlib import ExitStack, nullcontext
from pathlib import Path

import numpy as np

from card_baselines.cli.console import print_report
from card_baselines.cli.match_output import describe_match, print_winnings
from card_baselines.cli.options import AgentName, AgentNames, AsJson, SavePath, Seed, require_port, require_seconds
from card_baselines.loading import load_agent
from card_envs.agent import Agent
from card_envs.game import Game
from card_envs.history import MatchFile
from card_envs.match import play_match
from card_envs.match.summary import summarise, summarise_deals
from card_wrappers.acpc import AcpcPlayer, accept_bot, game_definition, make_acpc_game
from card_wrappers.slumbot import URL, SlumbotClient, SlumbotPlayer, make_slumbot_game

_BOT = "bot:"


def acpc(
    game: str,
    /,
    agents: AgentNames = (),
    connect: str | None = None,
    hands: int = 1000,
    seed: Seed = 0,
    bet_menu: str | None = None,
    timeout: float = 600.0,
    game_file: Path | None = None,
    save: SavePath = None,
    as_json: AsJson = False,
) -> None:
    """Play by the protocol of the Annual Computer Poker Competition: at its dealer, or against its bots.

    With --connect, one agent plays at a dealer until that hangs up. Without, this is the dealer: --agents names one
    player per seat, where `bot:PORT` is a program that connects to that port of this machine.

    Args:
        game: File with a game definition, or the name of one that the competition played, such as
            holdem.limit.2p.reverse_blinds.game.
        connect: HOST:PORT of a dealer.
        hands: Hands to deal.
        bet_menu: No-limit: "integers" offers every amount; by default raises are rounded to the usual sizes.
        timeout: Seconds to wait for an answer.
        game_file: Write the game definition here, for the bots.
    """
    require_seconds("timeout", timeout)
    played = make_acpc_game(game, bet_menu)
    if connect is not None:
        _play(played, agents, connect, seed, timeout, as_json)
        return
    if len(agents) != played.num_seats:
        raise ValueError(f"the game has {played.num_seats} seats: name so many --agents, not {len(agents)}")
    if game_file is not None:
        game_file.write_text(game_definition(played), encoding="ascii")
    _deal(played, agents, hands, seed, timeout, save, as_json)


def _play(game: Game, names: tuple[str, ...], connect: str, seed: int, timeout: float, as_json: bool) -> None:
    """Play at a dealer."""
    host, _, port = connect.rpartition(":")
    if len(names) != 1 or not host or not port.isdecimal():
        raise ValueError("at a dealer, name one agent, and where it listens: --agents AGENT --connect HOST:PORT")
    number, agent = require_port(int(port)), load_agent(names[0], game)
    hands = AcpcPlayer(game, agent, seed).play(host, number, timeout)
    if not hands:
        raise ValueError(f"the dealer at {connect} dealt no hand: start it, and type the same command again")
    chips = np.array([hand.payoff for hand in hands])
    print_winnings(game, summarise(agent.name, chips / game.chips_per_reward), chips, f"at {connect}", as_json)


def _deal(
    game: Game, names: tuple[str, ...], hands: int, seed: int, timeout: float, save: Path | None, as_json: bool
) -> None:
    """Deal to agents and bots."""
    start = time.perf_counter()
    with ExitStack() as bots:
        players = [_make_player(spec, game, timeout, bots) for spec in names]
        file = None if save is None else MatchFile(save, game, [player.name for player in players], seed)
        with file or nullcontext():
            callbacks = [] if file is None else [file]
            result = play_match(game, players, hands, seed, num_tables=1, callbacks=callbacks)
        rounded = {player.name: count for player in players if (count := getattr(player, "num_rounded_raises", 0))}
    lines = [
        f"{name}: {count:,} raises were rounded to sizes of the menu; --bet-menu integers takes them as they are"
        for name, count in rounded.items()
    ]
    parts = [*describe_match(game.name, result, hands / (time.perf_counter() - start)), *lines]
    print_report({**result.as_json(game.name, {}), "rounded_raises": rounded}, parts, as_json)


def _make_player(spec: str, game: Game, timeout: float, bots: ExitStack) -> Agent:
    """Return an agent, or a bot once it has connected; `bots` closes its connection."""
    if not spec.startswith(_BOT):
        return load_agent(spec, game)
    port = spec.removeprefix(_BOT)
    if not port.isdecimal():
        raise ValueError(f"agent {spec!r}: write bot:PORT with the number of a port")
    bot = accept_bot(game, require_port(int(port)), timeout=timeout)
    bots.callback(bot.close)
    return bot


def slumbot(
    agent: AgentName,
    hands: int = 100,
    seed: int = 0,
    bet_menu: str | None = None,
    url: str = URL,
    timeout: float = 30.0,
    retries: int = 5,
    as_json: AsJson = False,
) -> None:
    """Play heads-up no-limit hold'em with 200 big blinds against Slumbot; not tested against the service here.

    Every decision is a request to slumbot.com. If the service fails, the hands that are over are printed, and the
    command ends with an error.

    Args:
        hands: Hands to play.
        seed: Seed of the agent's random numbers; the service deals.
        bet_menu: Raise sizes of the agent: "integers" for every amount; by default the usual ones.
        url: Address of the service.
        timeout: Seconds to wait for an answer.
        retries: How often a request is repeated that certainly had no effect.
    """
    require_seconds("timeout", timeout)
    if hands < 1 or retries < 0:
        raise ValueError(f"--hands {hands} must be at least 1, --retries {retries} at least 0")
    game = make_slumbot_game(bet_menu)
    player = SlumbotPlayer(game, load_agent(agent, game), SlumbotClient(url, timeout, retries), seed)
    chips: list[int] = []
    try:
        for hand in player.play(hands):
            chips.append(hand.payoff)  # noqa: PERF401  what was played before a failure is kept
    finally:
        if chips:
            won = np.array(chips)
            print_winnings(
                game, summarise_deals(agent, won / game.chips_per_reward), won, f"against Slumbot at {url}", as_json
            )
