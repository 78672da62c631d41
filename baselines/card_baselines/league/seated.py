"""Members of a league as they sit at the tables of a round."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.experience import Experience
from card_baselines.league.trainee import Choices, Trainee
from card_envs.agent import Agent, Decisions
from card_envs.game import Game, check_actions


class Seated(Agent):
    """An agent under the name that it has in the league."""

    def __init__(self, name: str, agent: Agent) -> None:
        """Give it the name; it plays as before."""
        self.name, self.agent = name, agent
        self.encoder = agent.encoder

    def can_play(self, game: Game) -> bool:
        """Return whether the agent can play the game."""
        return self.agent.can_play(game)

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the agent's actions."""
        return self.agent.act(decisions, rng)

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Forward the event to the agent."""
        self.agent.deal_starts(table_ids)

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        """Forward the event to the agent."""
        self.agent.deal_ends(table_ids, payoffs)

    def sees_end(self, ends: Decisions) -> None:
        """Show the agent the end."""
        self.agent.sees_end(ends)

    @property
    def needs_showdowns(self) -> bool:
        """True if the agent does."""
        return self.agent.needs_showdowns

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        """Show the agent the actions."""
        self.agent.observe_actions(decisions, actions)

    @property
    def needs_actions(self) -> bool:
        """True if the agent does."""
        return self.agent.needs_actions


class Absent(Agent):
    """Takes the first legal action: in the place of a member that cannot be loaded, as for decisions that fail."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the first legal action of each decision."""
        return np.asarray(np.argmax(decisions.action_mask, axis=1), np.int64)


class Student(Seated):
    """A trainee that explores; it learns from each batch of hands when they are over."""

    def __init__(self, name: str, trainee: Trainee, rng: np.random.Generator) -> None:
        """Seat the trainee; `rng` is for what it learns."""
        super().__init__(name, trainee)
        self.trainee, self.rng = trainee, rng
        self.measures: Mapping[str, float] = {}
        """Measures that `learn` returned last."""
        self._taken: list[tuple[Decisions, Choices]] = []

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the trainee's exploring actions, and remember them; ValueError if an action is not legal."""
        actions, notes = self.trainee.explore(decisions, rng)
        actions = check_actions(actions, len(decisions))
        if notes is not None and len(notes) != len(decisions):
            raise ValueError(f"it wrote {len(notes)} notes for {len(decisions)} decisions: one for each is needed")
        known = (actions >= 0) & (actions < decisions.game.num_actions)
        if not known.all() or not decisions.action_mask[np.arange(len(actions)), actions].all():
            return actions  # whoever runs the match refuses them and asks again: they are not remembered
        _ = decisions.observation  # made now: the tables move on
        self._taken.append((decisions, Choices(actions, notes)))
        return actions

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        """Let the trainee learn from the hands that end."""
        super().deal_ends(table_ids, payoffs)
        taken, self._taken = self._taken, []
        if taken:
            self.measures = dict(self.trainee.learn(_experience(taken, table_ids, payoffs), self.rng))


def _experience(
    taken: list[tuple[Decisions, Choices]], tables: NDArray[np.int64], payoffs: NDArray[np.float64]
) -> Experience:
    """Return the decisions taken at `tables` (hands,), which ended with the rewards `payoffs` (hands, seats)."""
    decisions, choices = zip(*taken, strict=True)
    order = np.argsort(tables)
    numbers, seats = (np.concatenate([getattr(each, name) for each in decisions]) for name in ("table_ids", "seats"))
    hands = order[np.searchsorted(tables, numbers, sorter=order)]
    has_notes = all(each.notes is not None for each in choices)
    return Experience(
        game=decisions[0].game,
        observations=np.concatenate([each.observation for each in decisions]),
        action_masks=np.concatenate([each.action_mask for each in decisions]),
        actions=np.concatenate([each.actions for each in choices]),
        notes=np.concatenate([each.notes for each in choices if each.notes is not None]) if has_notes else None,
        hands=hands,
        seats=seats,
        rewards=payoffs[hands, seats],
        num_hands=len(tables),
    )
