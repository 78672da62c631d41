"""How exploitable an agent is, by the method that its game allows."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from card_baselines.progress import progress_bar
from card_baselines.settings import parse_settings
from card_envs.agent import Agent, find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.analysis.exploitability.local_best_response import NUM_TABLES, LocalBestResponse
from card_envs.analysis.exploitability.public_tree import MAX_DEALS
from card_envs.analysis.variance.control_variates import play_and_summarise
from card_envs.envs import find_entry, make_game
from card_envs.game import Game
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.match import MatchResult, Summary

if TYPE_CHECKING:
    from card_baselines.training.response_config import ResponseConfig

METHODS = ("exact", "exact-flops", "local", "learned")
_RESPONSE = "card_baselines.training.response"  # imported when they are asked for: they need torch
_MASKABLE_PPO = "card_baselines.training.maskable_ppo"


def method_for(game: Game) -> str:
    """Return the strictest of `METHODS` that a game allows, but for the one that takes hours."""
    listed = game.info.enumeration
    if listed is not None and listed.num_deals <= MAX_DEALS:
        return "exact"
    return "local" if is_texas_holdem(game) and game.num_seats == 2 else "learned"


def exploit_exactly(game: Game, agent: Agent, draws: int) -> dict[str, Any]:
    """Return the exact exploitability, and what the agent and best responses to it win at each seat."""
    found = exact_exploitability(game, agent, draws)
    return {
        "exploitability": found.exploitability,
        "nash_conv": found.nash_conv,
        "values": list(found.values),
        "best_responses": list(found.best_responses),
    }


def exploit_locally(
    game: Game, agent: Agent, hands: int, seed: int, draws: int, control_variates: bool = False
) -> dict[str, Any]:
    """Return what the local best response wins in a duplicate match, with its interval.

    With control variates the agent is asked about other hands if it shows probabilities; the response never is, since
    what it does depends on the range that it keeps.
    """
    response = LocalBestResponse(game, agent, draws)
    with progress_bar("playing the local best response", hands) as bar:
        result, won = play_and_summarise(
            game, [response, agent], hands, seed, True, NUM_TABLES, bar.advance,
            control_variates=control_variates, callbacks=[response],
        )  # fmt: skip
    return won_by_response(result, won[0])


def won_by_response(result: MatchResult, won: Summary) -> dict[str, Any]:
    """Return what a response won as JSON has it; `won` is the plain result of its match, or the adjusted one."""
    plain = result.agents[0]
    adjusted = {} if won is plain else {"plain": {"mean": plain.mean, "ci95": list(plain.ci95)}}
    return {"exploitability": won.mean, "ci95": list(won.ci95), **adjusted, "hands": result.hands, "seed": result.seed}


def exploit_by_learning(config: ResponseConfig) -> dict[str, Any]:
    """Return what the best learned response wins at one seat from the agent at all others: a lower bound.

    Agents that remember deals are met by MaskablePPO alone, from scratch, with one seed.
    """
    game = make_game(find_entry(config.env).id, **parse_settings(config.set))
    if find_agent(config.agent, game).follows_deals:
        found = _by_maskable_ppo(config, game)
    else:
        found = importlib.import_module(_RESPONSE).learn_response(config).as_json()
    return found | {"minutes": config.minutes}


def _by_maskable_ppo(config: ResponseConfig, game: Game) -> dict[str, Any]:
    learner = importlib.import_module(_MASKABLE_PPO)
    met = (config.agent,)
    run = learner.main(
        learner.Config(
            env=config.env, set=config.set, opponents=met, panel=met, minutes=config.minutes, seed=config.seed,
            final_hands=config.hands,
        )
    )  # fmt: skip
    others = [find_agent(config.agent, game) for _ in range(game.num_seats - 1)]
    result, won = play_and_summarise(
        game, [find_agent(str(run.path), game), *others], config.hands, config.seed, True,
        control_variates=config.control_variates,
    )  # fmt: skip
    return won_by_response(result, won[0]) | {"is_lower_bound": True, "run": str(run.path)}
