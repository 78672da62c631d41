"""Strengths of the agents for `card-envs agents`: what each wins from a reference agent at all other seats.

Matches take minutes, so their results are stored in strengths.json, which `python -m card_baselines.cli.strengths`
writes. A single number is no ranking: an agent that plays well against the reference may lose to another one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from card_baselines.registry import STYLES
from card_baselines.settings import parse_environment
from card_envs.envs import make_game

if TYPE_CHECKING:
    from card_envs.game import Game

FILE = Path(__file__).with_name("strengths.json")
HANDS, SEED = 6_000, 0
REFERENCES = {
    "limit_holdem-v0": "cfr_large",
    "limit_holdem-v0 num_players=6": "cfr_limit_six_max",
    "no_limit_holdem-v0": "cfr_no_limit",
    "no_limit_holdem-v0 num_players=6": "cfr_no_limit_six_max",
    "no_limit_holdem-v0 stacks=20000 small_blind=50 big_blind=100": "cfr_no_limit_200",
    "big2-v0": "ppo_big2_clean",
    "leduc_holdem-v0": "cfr",
    "kuhn_poker-v0": "cfr",
}
"""Environment with settings -> the agent at all other seats: the one that is hardest to exploit, as far as measured."""
TOO_SLOW = ("mcts", "resolve", "resolve_turn", "rollout")
"""Agents that search for milliseconds to seconds in each decision; the pages of results have their matches."""


def make_listed_game(env: str) -> Game:
    """Return the game of an environment id with settings after it, such as "limit_holdem-v0 num_players=6"."""
    env_id, settings = parse_environment(env)
    return make_game(env_id, **settings)


def read_strengths() -> dict[str, dict[str, Any]]:
    """Return {environment with settings: {reference, unit, hands, seed, commit, agents: {name: {mean, ci95}}}}."""
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def measure_strengths(env: str, reference: str, commit: str, hands: int = HANDS) -> dict[str, Any]:
    """Return what every listed agent wins from a reference agent at all other seats, in duplicate deals.

    Args:
        env: Environment id, and settings after it.
        reference: Name of the agent at the other seats.
        commit: Commit that plays, for the report.
        hands: Hands of each match.

    Returns:
        Means and 95 % intervals in the first unit of the game, which is big blinds per 100 hands in hold'em.
    """
    from card_envs.agent import find_agent
    from card_envs.match import play_match
    from card_envs.match.result import main_unit_of

    game = make_listed_game(env)
    unit, factor = main_unit_of(game)
    results = {}
    for name in (name for name in STYLES if name not in (*TOO_SLOW, reference)):
        try:
            agents = [find_agent(name, game), *[find_agent(reference, game)] * (game.num_seats - 1)]
        except ValueError:
            continue  # it does not play this game
        summary = play_match(game, agents, hands, SEED, duplicate=True).agents[0]
        results[name] = summary.scale(factor).as_json()
        print(f"{env}: {name} {results[name]}", file=sys.stderr, flush=True)
    made_by = {"reference": reference, "unit": unit, "hands": hands, "seed": SEED, "commit": commit}
    return {**made_by, "agents": results}


if __name__ == "__main__":
    from card_baselines.run_folder import git_commit

    made_from = git_commit()  # before the file changes
    measured: dict[str, dict[str, Any]] = {}
    for played, player in REFERENCES.items():
        measured[played] = measure_strengths(played, player, made_from)
        FILE.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
