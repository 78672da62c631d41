"""The matches of Maitrepierre et al. (2008), matches with an opponent that changes its style, and figures."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from card_baselines.papers.cells import NORMAL_95, StoredResults
from card_baselines.papers.maitrepierre2008.arms import BATCH, mean_by_style, play_sessions, simulate_bandit
from card_baselines.papers.maitrepierre2008.bandit import Bandit
from card_baselines.papers.maitrepierre2008.brennus import Brennus
from card_baselines.papers.maitrepierre2008.models import LOOSENESS
from card_baselines.papers.maitrepierre2008.pictures import draw_figures
from card_baselines.papers.maitrepierre2008.scales import Options, Scale
from card_baselines.papers.maitrepierre2008.tables import (
    BANDITS,
    BRENNUS,
    CELLS,
    FIVE,
    FOUR,
    LONG,
    MATCHES,
    SINGLE_STRATEGIES,
    STRATEGIES,
    SWITCHES,
    UNIT,
    VEXBOT,
)
from card_baselines.papers.printed import Cell
from card_baselines.papers.protocol import Report, Reproduction
from card_baselines.progress import ProgressBar
from card_baselines.run_folder import git_commit
from card_envs.agent import Agent, find_agent
from card_envs.envs import make_game
from card_envs.match import play_match
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

    @cached_property
    def _matches(self) -> StoredResults:
        return StoredResults(self.root, "matches.json")

    @cached_property
    def _strategies(self) -> StoredResults:
        return StoredResults(self.root, "arms.json")

    def play(self, table: int, row: str) -> list[dict[str, Any]]:
        """Return the results of a row, after playing what is missing."""
        if table == MATCHES:
            return [self._match(cell) for cell in CELLS if cell.row == row]
        if table == STRATEGIES:
            return self._measure_strategies() if row == BRENNUS else []
        return [self._measure_adaptation(table, name) for name in self._list_players(row)]

    def _list_players(self, row: str) -> list[str]:
        """Return the names of the players in a row of the tables about adaptation."""
        if row == SINGLE_STRATEGIES:
            return [f"{_STRATEGY}{number} alone" for number in range(1, len(LOOSENESS) + 1)]
        return [row] if row in (*BANDITS, VEXBOT) else []

    def _make_agent(self, name: str) -> Agent:
        if name.startswith(_STRATEGY):
            return Brennus(looseness=(LOOSENESS[int(name[len(_STRATEGY)]) - 1],))
        return find_agent(name, self.game)

    def _match(self, cell: Cell) -> dict[str, Any]:
        return self._matches.get(f"{cell.row} v {cell.opponent}", lambda: self._play_match(cell))

    def _play_match(self, cell: Cell) -> dict[str, Any]:
        sessions = self.scale.sessions if cell.row == BRENNUS else self.scale.fast_sessions
        self.say(f"{cell.row} v {cell.opponent}: {sessions} sessions of {self.scale.hands} hands")
        start, hands = time.process_time(), sessions * self.scale.hands
        players = [self._make_agent(cell.row), self._make_agent(cell.opponent)]
        with ProgressBar(f"{cell.row} v {cell.opponent}", hands) as bar:
            result = play_match(
                self.game, players, hands, SEED, hands_per_table=self.scale.hands, progress=bar.advance
            )  # fmt: skip
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

    def _measure_adaptation(self, table: int, name: str) -> dict[str, Any]:
        styles = SWITCHES[table]
        return self._matches.get(f"{' then '.join(styles)}: {name}", lambda: self._play_adaptation(table, name))

    def _play_adaptation(self, table: int, name: str) -> dict[str, Any]:
        """Return the winnings of a player against an opponent that changes its style."""
        styles, start = SWITCHES[table], time.process_time()
        won = self._play_styles(styles, name)
        parts = [summarise(style, won[:, k]) for k, style in enumerate(styles)]
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

    def _play_styles(self, styles: Sequence[str], name: str) -> Floats:
        """Return the winnings per hand, (sessions, styles); those of bandits are computed from their strategies'."""
        if name in BANDITS:
            agent = self._make_agent(name)
            assert isinstance(agent, Brennus)
            rewards = np.stack([self._play_strategy(styles, number) for number in range(1, len(LOOSENESS) + 1)])
            return simulate_bandit(rewards, len(styles), agent.new_session, self.scale.orders)
        if name.startswith(_STRATEGY):
            return mean_by_style(self._play_strategy(styles, int(name[len(_STRATEGY)])), len(styles))
        return mean_by_style(self._play_sessions(styles, name, self.scale.switching_sessions, SEED), len(styles))

    def _play_strategy(self, styles: Sequence[str], number: int) -> Floats:
        """Return the winnings of one strategy of Brennus, (sessions, hands), played and kept in batches."""
        name, batches = f"{_STRATEGY}{number} alone", []
        for first in range(0, self.scale.switching_sessions, BATCH):
            count = min(BATCH, self.scale.switching_sessions - first)
            kept = self._strategies.get(
                f"{' then '.join(styles)}: {name}, {count} sessions from {first + 1}",
                lambda count=count, first=first: {  # type: ignore[misc]
                    "rewards": self._play_sessions(styles, name, count, SEED + first).tolist()
                },
            )
            batches.append(np.array(kept["rewards"]))
        return np.concatenate(batches)

    def _play_sessions(self, styles: Sequence[str], name: str, sessions: int, seed: int) -> Floats:
        self.say(f"{name} v {' then '.join(styles)}: {sessions} sessions of {self.scale.hands} hands")
        return play_sessions(self.game, self._make_agent(name), styles, self.scale.hands, sessions, seed)

    def make_report(self, content: dict[str, Any], tables: Sequence[int], rows: Sequence[str]) -> Report:
        """Return the report, and draw the figures."""
        notes = [
            "Sparbot and Vexbot are not public: sparbot_like and vexbot_like stand in for them (docs).",
            "Expert models and preflop tables are not printed in the paper; ours are in models.py and preflop.py.",
        ]
        if self.options.figures and BRENNUS in rows:
            self._draw()
            notes.append("Figures like 3 to 5 of the paper: figures.png.")
        heading = f"Means in {UNIT}, with 95 % intervals over sessions."
        return Report({**content, "tables": list(tables)}, notes, heading)

    def _draw(self) -> None:
        """Draw the sessions with one, four and five strategies against the adaptive stand-in, and long matches."""
        curves = {count: self._play_vexbot(LOOSENESS[:count]) for count in (1, 4, 5)}
        draw_figures(self.root, curves, self._play_vexbot(LOOSENESS, self.scale.long_hands))

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

        def play() -> dict[str, Any]:
            self.say(
                f"{len(looseness)} of {len(LOOSENESS)} strategies v {VEXBOT}: {sessions} sessions of {hands} hands"
            )
            agent = Brennus(looseness=looseness)
            players = [agent, find_agent(VEXBOT, self.game)]
            with ProgressBar(f"{len(looseness)} strategies", sessions * hands) as bar:
                play_match(self.game, players, sessions * hands, SEED, hands_per_table=hands, progress=bar.advance)
            return {"sessions": [_describe_session(agent.session(table)) for table in range(sessions)]}

        name = " ".join(f"{each:g}" for each in looseness)
        kept = self._matches.get(f"strategies {name} v {VEXBOT}, {sessions} sessions of {hands}", play)
        sessions_played: list[dict[str, Any]] = kept["sessions"]
        return sessions_played


def _describe_session(session: Bandit) -> dict[str, Any]:
    return {
        "rewards": np.round(session.rewards, 2).tolist(),
        "played": session.played,
        "change_points": session.change_points,
    }


def _describe_sessions(name: str, sessions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the result of some sessions, with the number of hands of each strategy in each fifth of a session."""
    means = [float(np.mean(session["rewards"])) for session in sessions]
    uses = []
    for session in sessions:
        played = np.array_split(np.array(session["played"]), _PERIODS)
        uses.append([np.bincount(part, minlength=len(LOOSENESS)).tolist() for part in played])
    return {
        "table": STRATEGIES, "row": name, "opponent": VEXBOT, "hands": sum(len(each["rewards"]) for each in sessions),
        "mean": float(np.mean(means)), "ci95": list(summarise(name, np.array(means)).ci95) if len(means) > 1 else None,
        "by_session": np.round(means, 6).tolist(), "uses": uses, "seed": SEED, "commit": git_commit(),
    }  # fmt: skip
