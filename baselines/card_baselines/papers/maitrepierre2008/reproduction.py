"""The matches of Maitrepierre et al. (2008), an opponent that changes its style, and the figures in kind."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from card_baselines.papers.cells import NORMAL_95, Cell, KeptResults
from card_baselines.papers.maitrepierre2008.arms import LOT, mean_by_style, mean_of_walks, play_sessions
from card_baselines.papers.maitrepierre2008.brennus import Brennus
from card_baselines.papers.maitrepierre2008.models import LOOSENESS
from card_baselines.papers.maitrepierre2008.pictures import draw_figures
from card_baselines.papers.maitrepierre2008.scales import Scale
from card_baselines.papers.maitrepierre2008.tables import (
    BANDITS,
    BRENNUS,
    CELLS,
    MATCHES,
    SINGLE_STRATEGIES,
    SWITCHES,
    UNIT,
    VEXBOT,
)
from card_baselines.papers.protocol import Report, Say
from card_baselines.run_folder import git_commit
from card_envs.agent import Agent, find_agent
from card_envs.envs import make_game
from card_envs.match import play_match
from card_envs.match.summary import summarise
from card_envs.typing import Floats

ENV, SEED = "limit_holdem-v0", 1
_STRATEGY = "brennus, strategy "  # its number from 1 and "alone" follow


class Maitrepierre2008Reproduction:
    """Plays what is missing, and keeps every result in one folder; interrupted, it continues there."""

    def __init__(self, scale: Scale, root: Path, say: Say, figures: bool = True) -> None:
        """Nothing is trained: `root` holds matches and pictures."""
        self.scale, self.root, self._say, self._figures = scale, root, say, figures
        self.game = make_game(ENV)
        self._kept, self._strategies = KeptResults(root, "matches.json"), KeptResults(root, "arms.json")

    def train(self, row: str, seed: int) -> Path:
        """Return the folder: nothing is trained, the players learn within a session."""
        return self.root

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the results of a row."""
        if table == MATCHES:
            return [self._match(cell) for cell in CELLS if cell.row == row]
        return [self._adaptation(table, name) for name in self._players_of(row)]

    def _players_of(self, row: str) -> list[str]:
        if row == SINGLE_STRATEGIES:
            return [f"{_STRATEGY}{number} alone" for number in range(1, len(LOOSENESS) + 1)]
        return [row] if row in (*BANDITS, VEXBOT) else []

    def _agent(self, name: str) -> Agent:
        if name.startswith(_STRATEGY):
            return Brennus(looseness=(LOOSENESS[int(name[len(_STRATEGY)]) - 1],))
        return find_agent(name, self.game)

    def _match(self, cell: Cell) -> dict[str, Any]:
        return self._kept.get(f"{cell.row} v {cell.opponent}", lambda: self._play_match(cell))

    def _play_match(self, cell: Cell) -> dict[str, Any]:
        sessions = self.scale.sessions if cell.row == BRENNUS else self.scale.fast_sessions
        self._say(f"{cell.row} v {cell.opponent}: {sessions} sessions of {self.scale.hands} hands")
        start, hands = time.process_time(), sessions * self.scale.hands
        players = [self._agent(cell.row), self._agent(cell.opponent)]
        result = play_match(self.game, players, hands, SEED, hands_per_table=self.scale.hands)
        own, sd = result.agents[0], result.hand_sds[0]
        return {
            "table": MATCHES,
            "row": cell.row,
            "opponent": cell.opponent,
            "paper": cell.paper,
            "mean": own.mean,
            "ci95": list(own.ci95),
            "hands": hands,
            "seed": SEED,
            "sd_of_hand": sd,
            "hands_to_decide": (NORMAL_95 * sd / own.mean) ** 2 if own.mean else None,
            "seconds": round(time.process_time() - start, 1),
            "commit": git_commit(),
        }

    def _adaptation(self, table: int, name: str) -> dict[str, Any]:
        styles = SWITCHES[table]
        return self._kept.get(f"{' then '.join(styles)}: {name}", lambda: self._play_adaptation(table, name))

    def _play_adaptation(self, table: int, name: str) -> dict[str, Any]:
        """Return the winnings of a player against an opponent that changes its style."""
        styles, start = SWITCHES[table], time.process_time()
        won = self._winnings_by_style(styles, name)
        parts = [summarise(style, won[:, place]) for place, style in enumerate(styles)]
        overall = summarise(name, won.mean(axis=1))
        return {
            "table": table,
            "row": name,
            "opponent": name,
            "sessions": len(won),
            "mean": overall.mean,
            "ci95": list(overall.ci95),
            "by_style": [{"mean": part.mean, "ci95": list(part.ci95)} for part in parts],
            "by_session": np.round(won.mean(axis=1), 6).tolist(),
            "orders": self.scale.orders if name in BANDITS else 1,
            "seed": SEED,
            "seconds": round(time.process_time() - start, 1),
            "commit": git_commit(),
        }

    def _winnings_by_style(self, styles: Sequence[str], name: str) -> Floats:
        """Return the winnings per hand, (sessions, styles); those of bandits follow from their strategies' sessions."""
        if name in BANDITS:
            agent = self._agent(name)
            assert isinstance(agent, Brennus)
            rewards = np.stack([self._play_strategy(styles, number) for number in range(1, len(LOOSENESS) + 1)])
            return mean_of_walks(rewards, len(styles), agent.new_session, self.scale.orders)
        if name.startswith(_STRATEGY):
            return mean_by_style(self._play_strategy(styles, int(name[len(_STRATEGY)])), len(styles))
        return mean_by_style(self._play_sessions(styles, name, self.scale.switching_sessions, SEED), len(styles))

    def _play_strategy(self, styles: Sequence[str], number: int) -> Floats:
        """Return the winnings of one strategy of Brennus, (sessions, hands), played and kept in lots."""
        name, lots = f"{_STRATEGY}{number} alone", []
        for first in range(0, self.scale.switching_sessions, LOT):
            count = min(LOT, self.scale.switching_sessions - first)
            kept = self._strategies.get(
                f"{' then '.join(styles)}: {name}, {count} sessions from {first + 1}",
                lambda count=count, first=first: {  # type: ignore[misc]
                    "rewards": self._play_sessions(styles, name, count, SEED + first).tolist()
                },
            )
            lots.append(np.array(kept["rewards"]))
        return np.concatenate(lots)

    def _play_sessions(self, styles: Sequence[str], name: str, sessions: int, seed: int) -> Floats:
        self._say(f"{name} v {' then '.join(styles)}: {sessions} sessions of {self.scale.hands} hands")
        return play_sessions(self.game, self._agent(name), styles, self.scale.hands, sessions, seed)

    def report(self, tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the results of some of the tables and rows, and draw the figures."""
        results = [result for table in tables for row in rows for result in self.play(table, row)]
        content: dict[str, Any] = {
            "paper": "maitrepierre2008",
            "unit": UNIT,
            "tables": list(tables),
            "results": results,
        }
        notes = [
            "Sparbot and Vexbot are not public: sparbot_like and vexbot_like stand in for them (docs).",
            "Expert models and preflop tables are not printed in the paper; ours are in models.py and preflop.py.",
        ]
        if self._figures and "brennus" in rows:
            self._draw()
            notes.append("Figures 3 to 5 in kind: figures.png.")
        heading = f"Means in {UNIT}, with 95 % intervals over sessions."
        return Report(content, notes, heading)

    def _draw(self) -> None:
        """Play sessions against the adaptive stand-in with one, four and five strategies, and draw them."""
        curves = {}
        for count in (1, 4, 5):
            kept = self._kept.get(f"figure: {count}", lambda count=count: self._play_figure(count))  # type: ignore[misc]
            curves[count] = kept["sessions"]
        draw_figures(self.root, curves)

    def _play_figure(self, strategies: int) -> dict[str, Any]:
        sessions, hands = self.scale.figure_sessions, self.scale.hands
        self._say(f"figures: {strategies} strategies v {VEXBOT}, {sessions} sessions")
        agent = Brennus(looseness=LOOSENESS[:strategies])
        players = [agent, find_agent(VEXBOT, self.game)]
        play_match(self.game, players, sessions * hands, SEED, hands_per_table=hands)
        found = [agent.session(table) for table in range(sessions)]
        return {
            "sessions": [
                {
                    "rewards": np.round(session.rewards, 2).tolist(),
                    "played": session.played,
                    "change_points": session.change_points,
                }
                for session in found
            ]
        }
