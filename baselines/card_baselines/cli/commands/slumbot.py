"""`card-envs play --slumbot`: an agent against Slumbot, over the HTTP interface of slumbot.com."""

from __future__ import annotations

import numpy as np

from card_baselines.cli.match_output import print_winnings
from card_baselines.cli.options import AgentName, AsJson
from card_baselines.loading import load_agent
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
            won = np.array(chips)
            print_winnings(
                game, summarise_deals(agent, won / game.chips_per_reward), won, f"against Slumbot at {url}", as_json
            )
