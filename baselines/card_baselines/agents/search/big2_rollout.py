"""The Big 2 player that tries what it plans on imagined deals, and changes its mind where something else wins more.

Rollouts (Tesauro and Galperin 1996, On-line policy improvement using Monte-Carlo search): every legal action is played
to the end of the deal by a fast rule, on the same deals, so that luck of the cards does not decide between actions.
The rule plays less well than `big2_planner`, so the plan stands unless another action is clearly better. With a policy,
its likeliest action is the plan, and the policy is the rule: see `policy_rollout`.
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

DEALS, DEALS_OF_A_POLICY = 64, 32
"""Imagined deals for each decision; fewer where a policy plays to the end."""
DOUBT, DOUBT_OF_A_POLICY = 2.0, 1.0
"""Standard errors by which another action has to be ahead of the planned one; likewise."""
THRESHOLD = 1e-6
"""Decisions are searched where the policy gives so much probability to others than its likeliest action."""

_SEED_BITS = 2.0**53

THOUGHT = np.dtype(
    (
        np.record,
        [
            ("imagined", TABLE),  # the deal that is played
            ("after", TABLE),  # the same after an action
            ("points", np.int64, (MAX_LEGAL,)),  # won by each legal action on the last deal
            ("ahead", np.float64, (MAX_LEGAL,)),  # points won more than by the planned action, over all deals
            ("squares", np.float64, (MAX_LEGAL,)),  # the same, squared on each deal
        ],
    )
)
"""Scratch space of the kernels for one decision."""


class Big2Rollout(Agent):
    """Plays what big2_planner plans, unless another action wins clearly more on imagined deals played to their ends."""

    name = "rollout"

    def __init__(
        self,
        deals: int | None = None,
        doubt: float | None = None,
        policy: Agent | None = None,
        threshold: float = THRESHOLD,
    ) -> None:
        """Choose how much is searched.

        Args:
            deals: Imagined deals for each decision; None: 64, with a policy 32.
            doubt: Standard errors by which another action has to be ahead of the planned one; None: 2, with a policy 1.
            policy: Agent that shows its probabilities: it plans, and plays to the ends of the deals.
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
            _require_chances(policy)
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


def _require_chances(policy: Agent) -> None:
    """Raise ValueError for an agent that cannot say which of its actions are worth a trial, or that remembers deals."""
    if policy.greedy or not policy.shows_probabilities:
        raise ValueError(f"agent {policy.name!r} plays one action and shows no chances of others: rollouts need them")
    if policy.needs_deal_events:
        raise ValueError(f"agent {policy.name!r} remembers deals: it cannot play imagined ones")


@kernel
def choose_rows(
    views: Any, random_numbers: Any, deals: Any, doubt: Any, thoughts: Any, plans: Any, actions: Any
) -> None:
    """Write the best action of each view's actor; `thoughts` and `plans` are one record each to think on."""
    for j in range(views.shape[0]):
        view = views[j]
        if view.num_legal == 1:
            actions[j] = view.legal[0]
        else:
            planned = place_of(view, choose(view, plans[0]))
            try_all(view, np.uint64(random_numbers[j] * _SEED_BITS), deals, planned, thoughts[0])
            actions[j] = view.legal[best_place(view, deals, doubt, planned, thoughts[0])]


@kernel
def place_of(view: Any, action: Any) -> Any:
    """Return where a legal action stands in the list of legal actions."""
    place = np.int64(0)
    while view.legal[place] != action:
        place += 1
    return place


@kernel
def try_all(view: Any, seed: Any, deals: Any, planned: Any, thought: Any) -> None:
    """Write how far each legal action is ahead of the planned one on the same `deals` imagined deals."""
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
    """Return where the action stands whose lead, less `doubt` standard errors, is largest; the plan leads by 0."""
    best, largest = planned, 0.0
    for k in range(view.num_legal):
        spread = thought.squares[k] - thought.ahead[k] ** 2 / deals
        lead = thought.ahead[k] - doubt * np.sqrt(max(0.0, spread))  # both summed over the deals
        if lead > largest or (lead == largest and best != planned and view.legal[k] < view.legal[best]):
            best, largest = np.int64(k), lead
    return best
