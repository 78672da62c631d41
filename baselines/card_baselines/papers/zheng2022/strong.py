"""Matches of the paper's players against best responses and strong players.

`cfr_small` and `ppo_limit_hu` are trained for the usual rules (three raises before the flop, no fold where checking is
free, a button), so matches with them are played under these. The sheets are learned under RLCard's rules.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from card_baselines.papers.zheng2022.belief import RULES, SETTINGS
from card_baselines.papers.zheng2022.duel import make_paper_game
from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.ppo.config import Config
from card_baselines.runs.run import train
from card_envs.agent import Agent, find_agent
from card_envs.analysis.exploitability.local_best_response import play_local_best_response
from card_envs.games.holdem.presets import limit_holdem
from card_envs.match import play_match

STRONG_PLAYERS = ("cfr_small", "ppo_limit_hu", "equity", "tight_aggressive")
"""Registered players of heads-up limit hold'em."""
_SEED = 7


def play_best_responses(agent: Agent, hands: int) -> list[dict[str, Any]]:
    """Return the agent's gains against the local best response, under RLCard's rules and the usual ones."""
    rows = []
    for about, game in (("RLCard's rules", make_paper_game()), ("usual rules", limit_holdem())):
        result = play_local_best_response(game, agent, hands, _SEED)
        won = result.agents[1]
        rows.append(_row(f"local best response, {about}", won.mean, won.ci95, result.hands))
    return rows


def play_strong_players(agent: Agent, hands: int) -> list[dict[str, Any]]:
    """Return the agent's gains against strong players under the usual rules."""
    game = limit_holdem()
    rows = []
    for name in STRONG_PLAYERS:
        result = play_match(game, [agent, find_agent(name, game)], 10 * hands, _SEED, duplicate=True)
        rows.append(_row(f"{name}, usual rules", result.agents[0].mean, result.agents[0].ci95, result.hands))
    return rows


def play_learned_response(spec: str, folder: Path, decisions: int, hands: int) -> list[dict[str, Any]]:
    """Return the gain of the agent that `spec` names against a PPO that was trained against it alone."""
    config = Config(
        **SETTINGS, settings=RULES, steps=decisions, opponents=(spec,), mixed=1.0, batch=min(8192, decisions)
    )  # fmt: skip
    game = make_paper_game("default")
    agents = [find_agent(spec, game), find_agent(str(train(ALGORITHM, config, folder, progress=False).path), game)]
    result = play_match(game, agents, 10 * hands, _SEED, duplicate=True)
    won = result.agents[0]
    return [_row(f"PPO trained against it, {decisions:,} decisions", won.mean, won.ci95, result.hands)]


def _row(rival: str, mean: float, ci95: Any, hands: int) -> dict[str, Any]:
    return {"rival": rival, "mean": mean, "ci95": list(ci95), "hands": hands, "about": ""}
