"""`card-envs slumbot`: an agent against Slumbot, over the HTTP interface of slumbot.com."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from card_baselines.cli.commands.arguments import load_agent
from card_baselines.cli.console import print_json, print_results
from card_baselines.cli.options import AgentName, AsJson
from card_envs.game import Game
from card_envs.match.result import units_of
from card_envs.match.summary import summarise_deals
from card_wrappers.slumbot import URL, SlumbotClient, SlumbotPlayer, make_slumbot_game


def slumbot(
    agent: AgentName,
    hands: int = 100,
    seed: int = 0,
    bet_menu: str | None = None,
    url: str = URL,
    timeout: float = 30.0,
    retries: int = 5,
    as_json: AsJson = False,
) -> int:
    """Play heads-up no-limit hold'em with 200 big blinds against Slumbot; not tested against the service here.

    Every decision is a request to slumbot.com. If the service fails, the hands that are over are printed, and the
    command ends with an error.

    Args:
        agent: Who plays, see `card-envs agents`.
        hands: Hands to play.
        seed: Of the agent's random numbers; the service deals.
        bet_menu: Raise sizes of the agent: "integers" for every amount; by default the usual ones.
        url: Address of the service.
        timeout: Seconds to wait for an answer.
        retries: How often a request is repeated that certainly had no effect.
        as_json: Print JSON; the mean is per hand in big blinds.
    """
    if hands < 1:
        raise ValueError(f"--hands {hands} must be at least 1")
    game = make_slumbot_game(bet_menu)
    player = SlumbotPlayer(game, load_agent(agent, game), SlumbotClient(url, timeout, retries), seed)
    chips: list[int] = []
    try:
        for hand in player.play(hands):
            chips.append(hand.payoff)  # noqa: PERF401  what was played before a failure is kept
    finally:
        if chips:
            _print(agent, np.array(chips), game, url, as_json)
    return 0


def _print(agent: str, chips: NDArray[np.int64], game: Game, url: str, as_json: bool) -> None:
    summary = summarise_deals(agent, chips / game.chips_per_reward)
    if as_json:
        print_json(
            {"agent": agent, "hands": len(chips), "chips": int(chips.sum()), "mean": summary.mean,
             "ci95": list(summary.ci95)}
        )  # fmt: skip
    else:
        print_results(f"{len(chips):,} hands against Slumbot at {url}", [(agent, summary)], units_of(game))
