"""Adaptation of an agent with memory, measured in sessions against an opponent that changes its style.

A session is a table of many hands, at which the opponent plays one style after the other for a fixed number of hands.
The results, with 95 % intervals over independent sessions, are:

* the mean per hand against each style,
* the *regret*: the mean of the best of some fixed responses to each style, minus the mean of the agent,
* the *recovery*: the number of hands of a new style after which the agent wins as much as late in that style.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions, SupportsAct, require_playable
from card_envs.game import Game, check_actions
from card_envs.match.play import play_match
from card_envs.match.summary import Summary, summarise
from card_envs.rng import make_generator
from card_envs.typing import Floats

_RESAMPLES = 1000


class SwitchingAgent(Agent):
    """An agent that plays its styles in turn at every table, `hands_per_style` hands each."""

    name = "switching"

    def __init__(self, styles: Sequence[Agent], hands_per_style: int) -> None:
        if not styles or hands_per_style < 1:
            raise ValueError(f"{len(styles)} styles of {hands_per_style} hands each: both must be at least 1")
        self.styles, self.hands_per_style = list(styles), hands_per_style
        self._hands: dict[int, int] = {}  # table id -> number of hands begun

    def _split(self, table_ids: NDArray[np.int64]) -> Iterator[tuple[Agent, NDArray[np.int64]]]:
        """Yield the styles that are in play, and the indices of their tables."""
        hands = np.array([self._hands[table] for table in table_ids.tolist()], np.int64)
        styles = (hands - 1) // self.hands_per_style % len(self.styles)
        for style in np.unique(styles).tolist():
            yield self.styles[style], np.flatnonzero(styles == style)

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Count the hands, and forward to the styles that play them."""
        for table in table_ids.tolist():
            self._hands[table] = self._hands.get(table, 0) + 1
        for style, rows in self._split(table_ids):
            style.deal_starts(table_ids[rows])

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the actions of the style in play at each table."""
        actions = np.empty(len(decisions), np.int64)
        for style, rows in self._split(decisions.table_ids):
            actions[rows] = check_actions(style.act(_select(decisions, rows, style), rng), len(rows))
        return actions

    def observe_actions(self, decisions: Decisions, actions: NDArray[np.int64]) -> None:
        """Forward to the styles in play."""
        for style, rows in self._split(decisions.table_ids):
            style.observe_actions(_select(decisions, rows, style), actions[rows])

    @property
    def needs_actions(self) -> bool:
        """True if any style defines `observe_actions`."""
        return any(style.needs_actions for style in self.styles)

    def sees_end(self, ends: Decisions) -> None:
        """Forward to the styles that played."""
        for style, rows in self._split(ends.table_ids):
            style.sees_end(_select(ends, rows, style))

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: Floats) -> None:
        """Forward to the styles that played."""
        for style, rows in self._split(table_ids):
            style.deal_ends(table_ids[rows], payoffs[rows])


def _select(decisions: Decisions, rows: NDArray[np.int64], agent: Agent) -> Decisions:
    """Return the decisions at some rows in the encoder of an agent."""
    return replace(decisions.part(rows), encoder=agent.find_encoder(decisions.game))


@dataclass(frozen=True, eq=False)
class Adaptation:
    """Result of `play_adaptation`: an agent's rewards, hand by hand, and their summaries."""

    agent: str
    """Name of the agent."""
    styles: tuple[str, ...]
    """Names of the opponent's styles, in the order of play."""
    hands_per_style: int
    """Number of hands after which the opponent changes its style."""
    rewards: Floats
    """(sessions, hands): rewards of the agent in `unit`."""
    best_fixed: tuple[Summary, ...]
    """Name and mean of the best fixed response to each style; empty without responses."""
    unit: str
    """Unit of rewards per hand."""

    @property
    def num_sessions(self) -> int:
        """Number of sessions."""
        return len(self.rewards)

    @cached_property
    def style_of_hand(self) -> NDArray[np.int64]:
        """(hands,): index of the opponent's style."""
        return np.asarray(np.arange(self.rewards.shape[1]) // self.hands_per_style % len(self.styles), np.int64)

    @cached_property
    def by_style(self) -> tuple[Summary, ...]:
        """Mean per hand against each style."""
        return tuple(
            summarise(name, self.rewards[:, self.style_of_hand == style].mean(axis=1))
            for style, name in enumerate(self.styles)
        )

    @cached_property
    def overall(self) -> Summary:
        """Mean per hand over all styles."""
        return summarise(self.agent, self.rewards.mean(axis=1))

    @cached_property
    def regret(self) -> Summary:
        """Mean per hand of the best fixed response to the opponent's style, minus that of the agent.

        The interval ignores the errors of the fixed responses' means.
        """
        if not self.best_fixed:
            raise ValueError("regret needs fixed responses: call play_adaptation(..., responses=[...])")
        best = np.array([best.mean for best in self.best_fixed])[self.style_of_hand]
        return summarise(self.agent, (best - self.rewards).mean(axis=1))

    def recovery(self, phase: int, window: int = 50, seed: int = 0) -> tuple[float, float, float]:
        """Return the number of hands after which the agent has recovered from a change of style.

        The agent has recovered when its moving mean first reaches its mean over the second half of the phase.

        Args:
            phase: Index of the phase, the hands between two changes of style.
            window: Number of hands of the moving mean.
            seed: Seed of the bootstrap over sessions.

        Returns:
            Number of hands, and lower and upper bound of its 95 % interval.

        Raises:
            ValueError: For a phase that was not played, and for phases shorter than two windows.
        """
        hands = self.hands_per_style
        if not 0 <= phase < self.rewards.shape[1] // hands or hands < 2 * window:
            raise ValueError(
                f"phase {phase}, window {window}: there are {self.rewards.shape[1] // hands} phases of {hands} "
                "hands, and a phase must be at least two windows long"
            )
        played = self.rewards[:, phase * hands : (phase + 1) * hands]
        rng = make_generator(seed)
        resampled = [
            _first_recovered(played[rng.integers(len(played), size=len(played))].mean(axis=0), window)
            for _ in range(_RESAMPLES)
        ]
        low, high = np.quantile(resampled, (0.025, 0.975))
        return _first_recovered(played.mean(axis=0), window), float(low), float(high)

    def as_json(self) -> dict[str, Any]:
        """Return the summaries as a dict for JSON."""
        report: dict[str, Any] = {
            "agent": self.agent,
            "styles": list(self.styles),
            "hands_per_style": self.hands_per_style,
            "sessions": self.num_sessions,
            "unit": self.unit,
            "overall": _json(self.overall),
            "by_style": [_json(summary) for summary in self.by_style],
        }
        if self.best_fixed:
            report |= {"best_fixed": [_json(best) for best in self.best_fixed], "regret": _json(self.regret)}
        return report


def _json(summary: Summary) -> dict[str, Any]:
    return {"name": summary.name, "mean": summary.mean, "ci95": list(summary.ci95), "sessions": summary.num_samples}


def _first_recovered(means: Floats, window: int) -> float:
    """Return the first hand at which the mean over `window` hands reaches the mean over the second half."""
    late = means[len(means) // 2 :].mean()
    moving = np.convolve(means, np.full(window, 1 / window), "valid")
    return float(np.argmax(moving >= late)) if (moving >= late).any() else float(len(means))


def play_adaptation(
    game: Game,
    agent: SupportsAct,
    styles: Sequence[SupportsAct],
    *,
    hands_per_style: int = 500,
    rounds: int = 1,
    sessions: int = 100,
    seed: int = 0,
    responses: Sequence[SupportsAct] = (),
    progress: Callable[[int], None] | None = None,
) -> Adaptation:
    """Play sessions of an agent with memory against an opponent that changes its style.

    Args:
        game: A game with two seats.
        agent: The agent.
        styles: The opponent's styles, in the order of play.
        hands_per_style: Number of hands after which the opponent changes its style.
        rounds: Number of times that the opponent plays all styles in a session.
        sessions: Number of sessions; the agent begins each without memory of the others.
        seed: Seed of the match.
        responses: Agents without memory, each of which plays a match against every style. The best of them against each
            style defines the regret.
        progress: Called with the number of hands finished since its last call.

    Raises:
        ValueError: For games of more than two seats and for numbers below 1.
    """
    if game.num_seats != 2:
        raise ValueError(f"adaptation is measured in games with two seats: {game.name} has {game.num_seats} seats")
    if min(hands_per_style, rounds, sessions) < 1:
        raise ValueError(f"{sessions} sessions of {rounds} rounds of {hands_per_style} hands: all must be at least 1")
    players = [require_playable(style, game) for style in styles]
    opponent, hands = SwitchingAgent(players, hands_per_style), hands_per_style * len(players) * rounds
    result = play_match(
        game, [agent, opponent], hands * sessions, seed, hands_per_table=hands, num_tables=sessions, progress=progress
    )
    rewards = result.payoffs[:, 0].reshape(sessions, hands) / result.chips_per_reward
    count = max(2, hands_per_style * rounds * sessions)
    best = [
        max(
            (play_match(game, [response, style], count, seed + 1).agents[0] for response in responses),
            key=lambda summary: summary.mean,
        )
        for style in (players if responses else ())
    ]
    name = result.names[0]
    return Adaptation(
        name, tuple(p.name for p in players), hands_per_style, np.asarray(rewards), tuple(best), result.unit
    )
