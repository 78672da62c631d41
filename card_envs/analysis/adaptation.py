"""How well an agent with memory adapts: sessions against an opponent that changes its style at known hands.

A session is a table of many hands. In each, the opponent plays one style after the other, so many hands each, and the
agent is not told. Three numbers come out, with 95 % intervals over sessions, which are independent:

* what the agent wins per hand against each style,
* its *regret*: what the best of some fixed responses would have won against each style, less what the agent won,
* its *recovery*: after how many hands of a new style it wins as much as it does late in that style.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import Agent, Decisions, SupportsAct, require_playable
from card_envs.game import Game
from card_envs.match.play import play_match
from card_envs.match.summary import Summary, summarise

Floats = NDArray[np.float64]

_RESAMPLES = 1000


class SwitchingAgent(Agent):
    """Plays one style after the other at every table, `hands_per_style` hands each, the first again after the last."""

    name = "switching"

    def __init__(self, styles: Sequence[Agent], hands_per_style: int) -> None:
        if not styles or hands_per_style < 1:
            raise ValueError(f"{len(styles)} styles of {hands_per_style} hands each: at least one of each is needed")
        self.styles, self.hands_per_style = list(styles), hands_per_style
        self._hands: dict[int, int] = {}  # table -> hands that have begun there

    def _style_at(self, tables: NDArray[np.int64]) -> NDArray[np.int64]:
        begun = np.array([self._hands[table] for table in tables.tolist()], np.int64)
        return np.asarray((begun - 1) // self.hands_per_style % len(self.styles), np.int64)

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Count the hand, and tell the style that is to play it."""
        for table in table_ids.tolist():
            self._hands[table] = self._hands.get(table, 0) + 1
        of = self._style_at(table_ids)
        for number in np.unique(of).tolist():
            self.styles[number].deal_starts(table_ids[of == number])

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return what the style of each table chooses."""
        actions, of = np.empty(len(decisions), np.int64), self._style_at(decisions.table_ids)
        for number in np.unique(of).tolist():
            rows = np.flatnonzero(of == number)
            actions[rows] = self.styles[number].act(_some(decisions, rows, self.styles[number]), rng)
        return actions

    def sees_end(self, ends: Decisions) -> None:
        """Show the end to the style that played."""
        of = self._style_at(ends.table_ids)
        for number in np.unique(of).tolist():
            self.styles[number].sees_end(_some(ends, np.flatnonzero(of == number), self.styles[number]))

    def deal_ends(self, table_ids: NDArray[np.int64], payoffs: Floats) -> None:
        """Tell the style that played."""
        of = self._style_at(table_ids)
        for number in np.unique(of).tolist():
            self.styles[number].deal_ends(table_ids[of == number], payoffs[of == number])


def _some(decisions: Decisions, rows: NDArray[np.int64], agent: Agent) -> Decisions:
    """Return some of the decisions as an agent wants to see them."""
    return replace(decisions.part(rows), game=agent.apply_encoder(decisions.game))


@dataclass(frozen=True, eq=False)
class Adaptation:
    """What an agent won, hand by hand, in sessions against an opponent that changes its style."""

    agent: str
    styles: tuple[str, ...]
    """In the order of play."""
    hands_per_style: int
    rewards: Floats
    """(sessions, hands): in the unit of the game."""
    best_fixed: tuple[Summary, ...]
    """For each style, the best of the fixed responses and what it wins per hand; empty if none was named."""
    unit: str

    @property
    def num_sessions(self) -> int:
        """How many sessions were played."""
        return len(self.rewards)

    @cached_property
    def style_of_hand(self) -> NDArray[np.int64]:
        """(hands,): index of the style in play."""
        return np.asarray(np.arange(self.rewards.shape[1]) // self.hands_per_style % len(self.styles), np.int64)

    @cached_property
    def by_style(self) -> tuple[Summary, ...]:
        """What the agent wins per hand against each style."""
        return tuple(
            summarise(name, self.rewards[:, self.style_of_hand == style].mean(axis=1))
            for style, name in enumerate(self.styles)
        )

    @cached_property
    def overall(self) -> Summary:
        """What the agent wins per hand of all."""
        return summarise(self.agent, self.rewards.mean(axis=1))

    @cached_property
    def regrets(self) -> Floats:
        """(sessions, hands): what the best fixed response wins on average against the style, less what was won."""
        if not self.best_fixed:
            raise ValueError("regret is measured against fixed responses: name some")
        return np.asarray(np.array([best.mean for best in self.best_fixed])[self.style_of_hand] - self.rewards)

    @cached_property
    def regret(self) -> Summary:
        """Regret per hand; the interval is that of the sessions, the fixed responses' means taken as they are."""
        return summarise(self.agent, self.regrets.mean(axis=1))

    def recovery(self, phase: int, window: int = 50, seed: int = 0) -> tuple[float, float, float]:
        """Return after how many hands of the `phase`-th stretch of one style the agent is back at its late level there.

        The late level is its mean over the second half of the stretch; it is reached where the mean over `window` hands
        (and all sessions) first is not below it. With bounds of a 95 % interval (bootstrap over sessions).

        Raises ValueError for a phase that was not played, or one shorter than two windows.
        """
        hands = self.hands_per_style
        if not 0 <= phase < self.rewards.shape[1] // hands or hands < 2 * window:
            raise ValueError(
                f"phase {phase} with a window of {window}: there are {self.rewards.shape[1] // hands} of {hands} "
                "hands, and two windows must fit into one"
            )
        played = self.rewards[:, phase * hands : (phase + 1) * hands]
        rng = np.random.default_rng(seed)
        drawn = [
            _first_recovered(played[rng.integers(len(played), size=len(played))].mean(axis=0), window)
            for _ in range(_RESAMPLES)
        ]
        low, high = np.quantile(drawn, (0.025, 0.975))
        return _first_recovered(played.mean(axis=0), window), float(low), float(high)

    def as_json(self) -> dict[str, Any]:
        """Return the summaries as JSON can hold them."""
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
    """Return the first hand at which the mean over `window` hands reaches that of the second half."""
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
    """Return how `agent` does in `sessions` sessions of a two-player game against the `styles`, `rounds` times in turn.

    `responses` are agents without memory; the best of them against each style is what regret is measured by. Each
    plays a match of as many hands against every style. `progress` is called with the hands finished since last time.

    Raises ValueError for games of more than two seats and for numbers below 1.
    """
    if game.num_seats != 2:
        raise ValueError(f"adaptation is measured between two players: {game.name} has {game.num_seats} seats here")
    if min(hands_per_style, rounds, sessions) < 1:
        raise ValueError(f"{sessions} sessions of {rounds} rounds of {hands_per_style} hands: all must be at least 1")
    players = [require_playable(style, game) for style in styles]
    opponent, hands = SwitchingAgent(players, hands_per_style), hands_per_style * len(players) * rounds
    result = play_match(
        game, [agent, opponent], hands * sessions, seed, hands_per_table=hands, num_tables=sessions, progress=progress
    )
    rewards = result.payoffs[:, 0].reshape(sessions, hands) / result.chips_per_unit
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
