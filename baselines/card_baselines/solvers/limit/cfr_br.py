"""CFR-BR for heads-up limit hold'em: strategies in an abstraction that learn against best responses outside of it.

Johanson, Bard, Burch and Bowling (AAAI 2012), Finding optimal abstract strategies in extensive-form games. Plain CFR
finds an equilibrium between two players who both see buckets only; an opponent who sees the cards may win a lot from
it. Here each player learns against its own responder: on the river, where the whole board is known, the responder plays
the best response with every hand; before the river it learns with buckets (the paper's hybrid of CFR and CFR-BR).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.solvers.buckets.board_buckets import RIVER, TURN
from card_baselines.solvers.buckets.hand_buckets import HandBuckets
from card_baselines.solvers.limit.public_chance_cfr import PublicChanceCfr
from card_baselines.solvers.limit.street_passes import CHOOSE, Workspace, pass_backward, pass_forward
from card_baselines.solvers.tree import LIMIT_ACTIONS, NUM_PLAYERS
from card_envs.games.holdem.config import HoldemConfig
from card_envs.poker.hands import NUM_HANDS

_RESPONDER = "responder."
_EVERY_HAND = np.arange(NUM_HANDS)
_ONE = np.float32(1)


class PublicChanceCfrBr(PublicChanceCfr):
    """The solver: each player learns against a responder; `strategy` returns the players' average strategy."""

    def __init__(
        self, config: HoldemConfig, buckets: HandBuckets, turn: NDArray[np.uint16], seed: int, num_threads: int = 1
    ) -> None:
        """Start with regrets of 0; arguments as of `PublicChanceCfr`."""
        super().__init__(config, buckets, turn, seed, num_threads)
        self._responder = [np.zeros_like(table) for table in self.regrets[:RIVER]]

    def allocate_scratch(self) -> None:
        """Allocate the arrays of `PublicChanceCfr` twice, and the responder's choices on the river."""
        super().allocate_scratch()
        self._responder_work = [Workspace.allocate(street, street is self.streets[-1]) for street in self.streets]
        river = self.streets[RIVER]
        shape = river.num_passes, river.num_decisions, NUM_HANDS, LIMIT_ACTIONS, river.num_sequences
        self._choices = np.zeros(shape, np.float32)
        """(passes, decisions, hands, actions, sequences): the responder's play on the river, 1 for its best actions."""
        self._is_chosen = np.zeros(river.num_passes, np.bool_)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return the arrays of `PublicChanceCfr`, and the responders' regrets."""
        tables = {f"{_RESPONDER}{street}": table for street, table in enumerate(self._responder)}
        return super().state() | tables

    def _learn(self, learner: int, rng: np.random.Generator) -> None:
        """Update the responder to a player on the board, and then the player."""
        responder = NUM_PLAYERS - 1 - learner
        self._is_chosen[:] = False

        def respond(number: int) -> None:
            self._pass_forward(RIVER, responder, self.regrets, self._responder_work, number)
            self._choose(responder, number)

        def play_river(number: int) -> None:
            if not self._is_chosen[number]:
                self._enter_river(responder, number)
                self._choose(responder, number)
            self._follow_choices(learner, number)
            self._pass_backward(RIVER, learner, self.regrets, self._work, number)

        self._walk(responder, self.regrets, self._responder, self._responder_work, respond, rng)
        self._walk(learner, self._responder, self.regrets, self._work, play_river, rng)

    def _enter_river(self, responder: int, number: int) -> None:
        """Compute the player's reach probabilities on a river that the responder did not visit."""
        turn, river = self._responder_work[TURN], self._responder_work[RIVER]
        slot = int(self.streets[TURN].closes[responder][number])
        s, hands = self.streets[RIVER], self._hands
        river.reach[0, : hands.num_hands] = turn.reach[slot, : hands.num_hands]
        steps, first = s.steps[responder], number * s.num_decisions
        pass_forward(steps, first, responder, hands.ranked[0], hands.rows[RIVER], self.regrets[RIVER], river)

    def _choose(self, responder: int, number: int) -> None:
        """Write the responder's best response to the reach probabilities in the river's `reach`, and its values."""
        s, first = self.streets[RIVER], number * self.streets[RIVER].num_decisions
        stakes = s.stakes[first : first + s.num_decisions]
        pass_backward(
            s.steps[responder], 0, responder, self._hands.ranked[0], _EVERY_HAND, self._choices[number], stakes,
            self._responder_work[RIVER], CHOOSE, _ONE,
        )  # fmt: skip
        self._is_chosen[number] = True

    def _follow_choices(self, learner: int, number: int) -> None:
        """Compute the responder's reach probabilities on a river, where it plays its best response."""
        work, hands = self._work[RIVER], self._hands
        steps = self.streets[RIVER].steps[learner]
        pass_forward(steps, 0, learner, hands.ranked[0], _EVERY_HAND, self._choices[number], work)
