"""The matches of Maitrepierre et al. (2008), and sessions for its figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from card_baselines.papers.claims import NORMAL_95, describe_mean
from card_baselines.papers.maitrepierre2008.brennus import Brennus
from card_baselines.papers.maitrepierre2008.models import LOOSENESS
from card_baselines.papers.maitrepierre2008.paper import BRENNUS, FILE, VEXBOT, Options, Scale
from card_baselines.papers.maitrepierre2008.pictures import draw_figures
from card_baselines.papers.printed import Cell
from card_baselines.papers.protocol import Report, Reproduction
from card_baselines.progress import ProgressBar
from card_envs.agent import Agent, find_agent
from card_envs.envs import make_game
from card_envs.match import MatchResult, play_match

ENV, SEED = "limit_holdem-v0", 1


class Maitrepierre2008Reproduction(Reproduction[Options, Scale]):
    """Plays matches. Nothing is trained: the players learn within a session."""

    game = make_game(ENV)

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the results of a row, after playing what is missing."""
        return [{"table": table, **self._play_match(cell)} for cell in FILE.find_cells(table, row)]

    def _play(self, name: str, players: list[Agent], sessions: int, hands: int) -> MatchResult:
        """Return the result of some sessions."""
        self.say(f"{name}: {sessions} sessions of {hands} hands")
        with ProgressBar(name, sessions * hands) as bar:
            return play_match(self.game, players, sessions * hands, SEED, hands_per_table=hands, progress=bar.advance)

    def _play_match(self, cell: Cell) -> dict[str, Any]:
        sessions = self.scale.sessions if cell.row == BRENNUS else self.scale.fast_sessions

        def play() -> dict[str, Any]:
            players = [find_agent(name, self.game) for name in (cell.row, cell.opponent)]
            result = self._play(f"{cell.row} v {cell.opponent}", players, sessions, self.scale.hands)
            own, sd = result.agents[0], result.hand_sds[0]
            return {
                "row": cell.row, "opponent": cell.opponent, "paper": cell.paper,
                **describe_mean(own), "hands": sessions * self.scale.hands, "seed": SEED, "sd_of_hand": sd,
                "hands_to_decide": (NORMAL_95 * sd / own.mean) ** 2 if own.mean else None,
            }  # fmt: skip

        found: dict[str, Any] = self.grid.get({"row": cell.row, "opponent": cell.opponent, "sessions": sessions}, play)
        return found

    def _play_vexbot(self, looseness: tuple[float, ...], hands: int = 0) -> list[dict[str, Any]]:
        """Return sessions of Brennus with some strategies against vexbot_like, by default as long as other sessions."""
        sessions, hands = self.scale.figure_sessions, hands or self.scale.hands

        def play() -> list[dict[str, Any]]:
            agent = Brennus(looseness=looseness)
            name = f"{len(looseness)} of {len(LOOSENESS)} strategies v {VEXBOT}"
            self._play(name, [agent, find_agent(VEXBOT, self.game)], sessions, hands)
            played = [agent.session(table) for table in range(sessions)]
            return [
                {
                    "rewards": np.round(session.rewards, 2).tolist(), "played": session.played,
                    "change_points": session.change_points,
                }
                for session in played
            ]  # fmt: skip

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
