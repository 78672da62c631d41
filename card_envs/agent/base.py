"""What an agent is: something that gets a batch of decisions and returns actions."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from card_envs.agent.decisions import Decisions


class Agent(Protocol):
    """Whoever decides.

    An agent may also define, and matches then heed:

    * `encoder`: name of the encoder in which it wants its observations
    * `can_play(game)`: False for games that it does not know
    * `deal_starts(tables)` and `deal_ends(tables, payoffs)`: called with the numbers (n,) of the tables whose deal
      begins or is over, and with the rewards of all seats (n, num_seats)
    * `probabilities(decisions)`: with which probability `act` takes each action, float64 (n, num_actions), rows that
      sum to 1; control variates and exploitability ask for them, also for decisions that nobody faces in the match
    """

    name: str

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one legal action for each decision (n,)."""
        ...


class RandomAgent:
    """Plays every legal action with the same probability."""

    name = "random"

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return uniformly random legal actions."""
        legal = np.flatnonzero(decisions.action_mask.view(np.bool_))  # of all decisions, one after the other
        counts = decisions.num_legal
        picks = np.cumsum(counts) - counts + (decisions.uniforms * counts).astype(np.int64)
        return np.asarray(legal[picks] % decisions.game.num_actions, np.int64)

    def probabilities(self, decisions: Decisions) -> NDArray[np.float64]:
        """Return the same probability for every legal action."""
        return decisions.action_mask / decisions.num_legal[:, None]
