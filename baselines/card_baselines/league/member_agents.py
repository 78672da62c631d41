"""Members of a league as the agents of a match."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.trainee import Choices, Experience, Trainee
from card_envs.agent import Agent, Decisions, DuckTypedAgent
from card_envs.game import check_actions


class NamedAgent(DuckTypedAgent):
    """An agent with the name of its member."""

    def __init__(self, name: str, agent: Agent) -> None:
        super().__init__(agent)
        self.name = name


class FirstLegalAction(Agent):
    """Takes the first legal action, in the place of a member that cannot be loaded."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the first legal action of each decision."""
        return np.asarray(np.argmax(decisions.action_mask, axis=1), np.int64)


class Student(NamedAgent):
    """A trainee that explores, and learns from each batch of hands at their end."""

    def __init__(self, name: str, trainee: Trainee, rng: np.random.Generator) -> None:
        """Wrap a trainee; `rng` is the generator for `Trainee.learn`."""
        super().__init__(name, trainee)
        vars(self).pop("deal_ends")  # that of this class, not the trainee's alone
        self.trainee, self.rng = trainee, rng
        self.measures: Mapping[str, float] = {}
        """Measures that `learn` returned last."""
        self._taken: list[tuple[Decisions, Choices]] = []

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the trainee's exploring actions, and remember them if they are legal."""
        actions, notes = self.trainee.explore(decisions, rng)
        actions = check_actions(actions, len(decisions))
        if notes is not None and len(notes) != len(decisions):
            raise ValueError(f"it wrote {len(notes)} notes for {len(decisions)} decisions: one for each is needed")
        known = (actions >= 0) & (actions < decisions.game.num_actions)
        if not known.all() or not decisions.action_mask[np.arange(len(actions)), actions].all():
            return actions  # the match refuses them and asks again: they are not remembered
        _ = decisions.observation  # made now: the tables move on
        self._taken.append((decisions, Choices(actions, notes)))
        return actions

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]) -> None:
        """Let the trainee learn from the hands that end."""
        self.trainee.deal_ends(table_ids, payoffs)
        taken, self._taken = self._taken, []
        if taken:
            self.measures = dict(self.trainee.learn(_make_experience(taken, table_ids, payoffs), self.rng))


def _make_experience(
    taken: list[tuple[Decisions, Choices]], table_ids: NDArray[np.int64], payoffs: NDArray[np.float64]
) -> Experience:
    """Return the experience of decisions at tables `table_ids` (hands,), which ended with `payoffs` (hands, seats)."""
    decisions, choices = zip(*taken, strict=True)
    order = np.argsort(table_ids)
    ids, seats = (np.concatenate([getattr(each, name) for each in decisions]) for name in ("table_ids", "seats"))
    hands = order[np.searchsorted(table_ids, ids, sorter=order)]
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
        num_hands=len(table_ids),
    )
