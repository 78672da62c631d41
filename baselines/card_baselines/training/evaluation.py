"""What a trained agent wins, with 95 % intervals, against a panel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from card_baselines.run_folder import RunFolder
from card_envs.agent import find_agent
from card_envs.game import Game
from card_envs.match.play import play_match


def evaluate(
    run: RunFolder, game: Game, panel: Sequence[str], hands: int, seed: int, duplicate: bool = False
) -> dict[str, Any]:
    """Return results of the run's policy against each agent of the panel (in all other seats)."""
    learner = find_agent(str(run.path), game)
    matches = []
    for name in panel:
        other = find_agent(name, game)
        result = play_match(game, [learner, *[other] * (game.num_seats - 1)], hands, seed, duplicate=duplicate)
        own = result.agents[0]
        known_as = Path(name).name if Path(name).is_dir() else name
        matches.append({"opponent": known_as, "mean": own.mean, "ci95": list(own.ci95), "hands": result.hands})
    return {"env": run.config()["env"], "unit": game.unit, "seed": seed, "matches": matches}
