"""The agent `rollout`: improves the action of a Big 2 policy by Monte Carlo rollouts.

Tesauro and Galperin (1996), On-line policy improvement using Monte-Carlo search: every legal action is played to the
end of sampled deals by a fast rollout policy. All actions are played on the same deals, which reduces the variance of
their differences. The rollout policy is weaker than `big2_planner`, so the planner's action is played unless another
one is significantly better. With another policy, its likeliest action takes the place of the planner's, and the policy
itself plays the rollouts (`policy_rollout`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.big2_planner import PLAN, choose
from card_baselines.agents.search.big2_deals import deal_unseen, play_out
from card_baselines.agents.search.policy_rollout import choose_with
from card_envs.agent import Agent, Decisions
from card_envs.compiler import kernel
from card_envs.game import Game
from card_envs.games.big2.config import is_big2
from card_envs.games.big2.state import MAX_LEGAL, TABLE
from card_envs.games.big2.tricks import act
from card_envs.rng import SEED_SCALE

DEALS, DEALS_OF_A_POLICY = 64, 32
"""Number of sampled deals per decision, with the planner and with another policy."""
DOUBT, DOUBT_OF_A_POLICY = 2.0, 1.0
"""Number of standard errors by which another action must be ahead of the planned one, with the planner and with
another policy."""
THRESHOLD = 1e-6
"""Smallest total probability of all but the likeliest action at which a decision of a policy is searched."""


THOUGHT = np.dtype(
    (
        np.record,
        [
            ("imagined", TABLE),  # the sampled deal
            ("after", TABLE),  # the deal after an action
            ("points", np.int64, (MAX_LEGAL,)),  # points of each legal action on the last deal
            ("ahead", np.float64, (MAX_LEGAL,)),  # sum over deals of the lead over the planned action
            ("squares", np.float64, (MAX_LEGAL,)),  # sum over deals of the squared lead
        ],
    )
)
"""Scratch space of the kernels for one decision."""


class Big2Rollout(Agent):
    """Plays the action of big2_planner, unless another one wins significantly more in rollouts on sampled deals."""

    name = "rollout"

    def __init__(
        self,
        deals: int | None = None,
        doubt: float | None = None,
        policy: Agent | None = None,
        threshold: float = THRESHOLD,
    ) -> None:
        """Make an agent.

        Args:
            deals: Number of sampled deals per decision; None: 64, with a policy 32.
            doubt: Standard errors by which another action must be ahead of the planned one; None: 2, with a policy 1.
            policy: Agent with `probabilities` that plans and plays the rollouts; None: big2_planner plans, a fast rule
                plays the rollouts.
            threshold: With a policy, decisions are searched where it gives its likeliest action 1 - threshold or less.

        Raises:
            ValueError: A number is out of range, or the policy cannot be searched with.
        """
        self.deals = deals if deals is not None else DEALS_OF_A_POLICY if policy else DEALS
        if self.deals < 2:
            raise ValueError(f"deals {deals} must be at least 2")
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold {threshold} must be in 0 .. 1")
        self.policy, self.threshold = policy, threshold
        self.doubt = doubt if doubt is not None else DOUBT_OF_A_POLICY if policy else DOUBT
        self._thought, self._plan = np.zeros(1, THOUGHT), np.zeros(1, PLAN)
        if policy:
            if policy.greedy or not policy.shows_probabilities:
                raise ValueError(
                    f"agent {policy.name!r} plays one action and shows no chances of others: rollouts need them"
                )
            if policy.needs_deal_events:
                raise ValueError(f"agent {policy.name!r} remembers deals: it cannot play imagined ones")
            self.name, self.encoder = f"{policy.name}:{self.name}", policy.encoder

    def can_play(self, game: Game) -> bool:
        """Return True for Big 2 under any rules, if the policy plays them."""
        return is_big2(game) and (self.policy is None or self.policy.can_play(game))

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the best action of every decision."""
        if self.policy:
            return choose_with(self.policy, decisions, self.deals, self.doubt, self.threshold)
        actions = np.empty(len(decisions), np.int64)
        choose_rows(
            decisions.views, decisions.random_numbers, np.int64(self.deals), np.float64(self.doubt),
            self._thought, self._plan, actions,
        )  # fmt: skip
        return actions


@kernel
def choose_rows(
    views: Any, random_numbers: Any, deals: Any, doubt: Any, thoughts: Any, plans: Any, actions: Any
) -> None:
    """Write the best action of each view's actor; `thoughts` and `plans` are one record each of scratch space."""
    for j in range(views.shape[0]):
        view = views[j]
        if view.num_legal == 1:
            actions[j] = view.legal[0]
        else:
            planned = place_of(view, choose(view, plans[0]))
            try_all(view, np.uint64(random_numbers[j] * SEED_SCALE), deals, planned, thoughts[0])
            actions[j] = view.legal[best_place(view, deals, doubt, planned, thoughts[0])]


@kernel
def place_of(view: Any, action: Any) -> Any:
    """Return the index of a legal action in the list of legal actions."""
    place = np.int64(0)
    while view.legal[place] != action:
        place += 1
    return place


@kernel
def try_all(view: Any, seed: Any, deals: Any, planned: Any, thought: Any) -> None:
    """Write the lead of each legal action over the planned one, on the same `deals` sampled deals."""
    seat = view.actor
    for k in range(view.num_legal):
        thought.ahead[k] = thought.squares[k] = 0.0
    for number in range(deals):
        thought.imagined = view
        deal_unseen(thought.imagined, seed, number)
        for k in range(view.num_legal):
            thought.after = thought.imagined
            act(thought.after, np.int64(view.legal[k]))
            play_out(thought.after)
            thought.points[k] = thought.after.payoff[seat]
        for k in range(view.num_legal):
            ahead = np.float64(thought.points[k] - thought.points[planned])
            thought.ahead[k] += ahead
            thought.squares[k] += ahead * ahead


@kernel
def best_place(view: Any, deals: Any, doubt: Any, planned: Any, thought: Any) -> Any:
    """Return the index of the action with the largest lead minus `doubt` standard errors; the plan's lead is 0."""
    best, largest = planned, 0.0
    for k in range(view.num_legal):
        spread = thought.squares[k] - thought.ahead[k] ** 2 / deals
        lead = thought.ahead[k] - doubt * np.sqrt(max(0.0, spread))  # both summed over the deals
        if lead > largest or (lead == largest and best != planned and view.legal[k] < view.legal[best]):
            best, largest = np.int64(k), lead
    return best
