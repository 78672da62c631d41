"""What tests of endgames share: an agent that mixes by hand and bets, and targets of measurements."""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.exploitability.methods import Target
from card_envs.agent import Decisions, as_agent
from card_envs.game import Game


class Mixed:
    """Mixes by hand and bets."""

    name = "mixed"

    def probabilities(self, decisions: Decisions) -> Any:
        found = []
        for t, me, mask in zip(decisions.views, decisions.seats, decisions.action_mask, strict=True):
            hand = sorted(t["deck"][2 * me : 2 * me + 2].tolist())
            rng = np.random.default_rng([*hand, *t["hand_commit"][:2].tolist(), int(t["num_decisions"])])
            weights = rng.random(len(mask)) ** 3 * mask
            found.append(weights / weights.sum())
        return np.array(found)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> Any:
        raise AssertionError("an agent that shows its probabilities is not asked to act")


def target_of(game: Game, agent: Any) -> Target:
    playing = as_agent(agent)
    return Target(env="endgame", settings={}, agent=playing.name, game=game, player=playing)
