"""The matches of Maitrepierre et al. (2008), matches with an opponent that changes its style, and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from card_baselines.papers.claims import NORMAL_95, describe_mean
from card_baselines.papers.maitrepierre2008.arms import BATCH, mean_by_style, play_sessions, simulate_bandit
from card_baselines.papers.maitrepierre2008.bandit import Bandit
from card_baselines.papers.maitrepierre2008.brennus import Brennus
from card_baselines.papers.maitrepierre2008.models import LOOSENESS
from card_baselines.papers.maitrepierre2008.paper import (
    BANDITS,
    BRENNUS,
    FILE,
    FIVE,
    FOUR,
    LONG,
    MATCHES,
    SINGLE_STRATEGIES,
    STRATEGIES,
    SWITCHES,
    VEXBOT,
    Options,
    Scale,
)
from card_baselines.papers.maitrepierre2008.pictures import draw_figures
from card_baselines.papers.printed import Cell
from card_baselines.papers.protocol import Report, Reproduction
from card_baselines.progress import ProgressBar
from card_envs.agent import Agent, find_agent
from card_envs.envs import make_game
from card_envs.match import MatchResult, play_match
from card_envs.match.summary import summarise
from card_envs.typing import Floats

ENV, SEED = "limit_holdem-v0", 1
_PERIODS = 5
"""Parts of a session, and of a long match, whose uses of strategies are counted."""
_STRATEGY = "brennus, strategy "
"""Beginning of the name of a strategy; its number from 1 and "alone" follow."""


class Maitrepierre2008Reproduction(Reproduction[Options, Scale]):
    """Plays matches. Nothing is trained: the players learn within a session."""

    game = make_game(ENV)

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the results of a row, after playing what is missing."""
        if table == MATCHES:
            return [self._play_match(cell) for cell in FILE.find_cells(table, row)]
        if table == STRATEGIES:
            return self._measure_strategies() if row == BRENNUS else []
        return [self._play_adaptation(table, name) for name in self._list_players(row)]

    def _list_players(self, row: str) -> list[str]:
        """Return the names of the players in a row of the tables about adaptation."""
        if row == SINGLE_STRATEGIES:
            return [f"{_STRATEGY}{number} alone" for number in range(1, len(LOOSENESS) + 1)]
        return [row] if row in (*BANDITS, VEXBOT) else []

    def _make_agent(self, name: str) -> Agent:
        if name.startswith(_STRATEGY):
            return Brennus(looseness=(LOOSENESS[int(name[len(_STRATEGY)]) - 1],))
        return find_agent(name, self.game)

    def _play(self, name: str, players: list[Agent], sessions: int, hands: int) -> MatchResult:
        """Return the result of some sessions."""
        self.say(f"{name}: {sessions} sessions of {hands} hands")
        with ProgressBar(name, sessions * hands) as bar:
            return play_match(self.game, players, sessions * hands, SEED, hands_per_table=hands, progress=bar.advance)

    def _play_match(self, cell: Cell) -> dict[str, Any]:
        sessions = self.scale.sessions if cell.row == BRENNUS else self.scale.fast_sessions

        def play() -> dict[str, Any]:
            players = [self._make_agent(cell.row), self._make_agent(cell.opponent)]
            result = self._play(f"{cell.row} v {cell.opponent}", players, sessions, self.scale.hands)
            own, sd = result.agents[0], result.hand_sds[0]
            return {
                "table": MATCHES, "row": cell.row, "opponent": cell.opponent, "paper": cell.paper,
                **describe_mean(own), "hands": sessions * self.scale.hands, "seed": SEED, "sd_of_hand": sd,
                "hands_to_decide": (NORMAL_95 * sd / own.mean) ** 2 if own.mean else None,
            }  # fmt: skip

        found: dict[str, Any] = self.grid.get({"row": cell.row, "opponent": cell.opponent, "sessions": sessions}, play)
        return found

    def _play_adaptation(self, table: int, name: str) -> dict[str, Any]:
        """Return the winnings of a player against an opponent that changes its style."""
        styles = SWITCHES[table]

        def play() -> dict[str, Any]:
            won = self._play_styles(styles, name)
            return {
                "table": table, "row": name, "opponent": name, "sessions": len(won),
                **describe_mean(summarise(name, won.mean(axis=1))),
                "by_style": [describe_mean(summarise(style, won[:, k])) for k, style in enumerate(styles)],
                "by_session": np.round(won.mean(axis=1), 6).tolist(),
                "orders": self.scale.orders if name in BANDITS else 1, "seed": SEED,
            }  # fmt: skip

        found: dict[str, Any] = self.grid.get({"row": name, "styles": styles}, play)
        return found

    def _play_styles(self, styles: Sequence[str], name: str) -> Floats:
        """Return the winnings per hand, (sessions, styles); those of bandits are computed from their strategies'."""
        if name in BANDITS:
            agent = self._make_agent(name)
            assert isinstance(agent, Brennus)
            rewards = np.stack([self._play_strategy(styles, each) for each in self._list_players(SINGLE_STRATEGIES)])
            return simulate_bandit(rewards, len(styles), agent.new_session, self.scale.orders)
        if name.startswith(_STRATEGY):
            return mean_by_style(self._play_strategy(styles, name), len(styles))
        return mean_by_style(self._play_sessions(styles, name, self.scale.switching_sessions, SEED), len(styles))

    def _play_strategy(self, styles: Sequence[str], name: str) -> Floats:
        """Return the winnings of one strategy of Brennus, (sessions, hands), played and kept in batches."""
        sessions = self.scale.switching_sessions
        cells = [
            {"strategy": name, "styles": styles, "sessions": min(BATCH, sessions - first), "seed": SEED + first}
            for first in range(0, sessions, BATCH)
        ]
        return np.concatenate([
            np.array(rewards)
            for rewards in self.grid.fill(
                cells, lambda cell: self._play_sessions(styles, name, cell["sessions"], cell["seed"]).tolist()
            )
        ])  # fmt: skip

    def _play_sessions(self, styles: Sequence[str], name: str, sessions: int, seed: int) -> Floats:
        self.say(f"{name} v {' then '.join(styles)}: {sessions} sessions of {self.scale.hands} hands")
        return play_sessions(self.game, self._make_agent(name), styles, self.scale.hands, sessions, seed)

    def _measure_strategies(self) -> list[dict[str, Any]]:
        """Return the winnings of strategies from vexbot_like: each alone, the first four, all five."""
        alone = {f"strategy {number} alone": ((each,), 0) for number, each in enumerate(LOOSENESS, 1)}
        players = {
            **alone, FOUR: (LOOSENESS[:4], 0), FIVE: (LOOSENESS, 0), LONG: (LOOSENESS, self.scale.long_hands),
        }  # fmt: skip
        return [_describe_sessions(name, self._play_vexbot(*player)) for name, player in players.items()]

    def _play_vexbot(self, looseness: tuple[float, ...], hands: int = 0) -> list[dict[str, Any]]:
        """Return sessions of Brennus with some strategies against vexbot_like, by default as long as other sessions."""
        sessions, hands = self.scale.figure_sessions, hands or self.scale.hands

        def play() -> list[dict[str, Any]]:
            agent = Brennus(looseness=looseness)
            name = f"{len(looseness)} of {len(LOOSENESS)} strategies v {VEXBOT}"
            self._play(name, [agent, find_agent(VEXBOT, self.game)], sessions, hands)
            return [_describe_session(agent.session(table)) for table in range(sessions)]

        cell = {"strategies": looseness, "opponent": VEXBOT, "sessions": sessions, "hands": hands}
        found: list[dict[str, Any]] = self.grid.get(cell, play)
        return found

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the report, and draw sessions against the adaptive stand-in."""
        notes = [
            "Sparbot and Vexbot are not public: sparbot_like and vexbot_like stand in for them (docs).",
            "Expert models and preflop tables are not printed in the paper; ours are in models.py and preflop.py.",
        ]
        if self.options.figures and BRENNUS in rows:
            curves = {count: self._play_vexbot(LOOSENESS[:count]) for count in (1, 4, 5)}
            draw_figures(self.root, curves, self._play_vexbot(LOOSENESS, self.scale.long_hands))
            notes.append("Figures like 3 to 5 of the paper: figures.png.")
        return Report(content, notes, f"Means in {FILE.unit}, with 95 % intervals over sessions.")


def _describe_session(session: Bandit) -> dict[str, Any]:
    return {
        "rewards": np.round(session.rewards, 2).tolist(),
        "played": session.played,
        "change_points": session.change_points,
    }


def _describe_sessions(name: str, sessions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the result of some sessions, with the number of hands of each strategy in each fifth of a session."""
    means = [float(np.mean(session["rewards"])) for session in sessions]
    uses = [
        [np.bincount(part, minlength=len(LOOSENESS)).tolist() for part in np.array_split(session["played"], _PERIODS)]
        for session in sessions
    ]
    return {
        "table": STRATEGIES, "row": name, "opponent": VEXBOT, "hands": sum(len(each["rewards"]) for each in sessions),
        **describe_mean(summarise(name, np.array(means))), "by_session": np.round(means, 6).tolist(), "uses": uses,
        "seed": SEED,
    }  # fmt: skip
