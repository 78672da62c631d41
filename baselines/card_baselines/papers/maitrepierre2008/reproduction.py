"""The matches of Maitrepierre et al. (2008), and its figures 3 to 5 with our results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from card_baselines.figures import draw_zero_line, hide_frame, make_figure, save_figure
from card_baselines.papers.claims import NORMAL_95
from card_baselines.papers.maitrepierre2008.brennus import Brennus
from card_baselines.papers.maitrepierre2008.models import LOOSENESS
from card_baselines.papers.maitrepierre2008.paper import BRENNUS, FILE, VEXBOT, Options, Scale
from card_baselines.papers.printed import Cell
from card_baselines.papers.protocol import Report, Reproduction
from card_baselines.progress import ProgressBar
from card_envs.agent import Agent, find_agent
from card_envs.envs import make_game
from card_envs.match import MatchResult, play_match
from card_envs.match.summary import student_t_quantile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ENV, SEED = "limit_holdem-v0", 1
Session = Mapping[str, Any]
_WINDOW = 200
_INTERVALS = 5
"""Number of hands at which a curve has error bars; bands would hide each other."""


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
                **own.as_json(), "hands": sessions * self.scale.hands, "seed": SEED, "sd_of_hand": sd,
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


# --- figures ---


def draw_figures(root: Path, curves: Mapping[int, Sequence[Session]], long: Sequence[Session]) -> None:
    """Write figures.png: means for one, four and five strategies; a session with its change points; uses of strategies.

    Args:
        root: Folder of the file.
        curves: Number of strategies -> sessions with the keys `rewards`, `played` and `change_points`.
        long: Long matches with all strategies, as in figure 5.
    """
    figure = make_figure(12.0, 3.8)
    left, middle, right = figure.subplots(1, 3)
    _draw_means(left, curves)
    session, match = (max(each, key=lambda one: len(one["change_points"])) for each in (curves[max(curves)], long))
    _draw_session(middle, session)
    _draw_uses(right, match, max(curves))
    for axes in (left, middle):
        draw_zero_line(axes)
        axes.set_ylabel(FILE.unit)
    for axes in (left, middle, right):
        axes.set_xlabel("hand of the match" if axes is right else "hand of the session")
        axes.set_xlim(0, len((match if axes is right else session)["rewards"]) * 1.02)
    hide_frame(left, middle, right)
    save_figure(figure, root / "figures.png")


def _draw_means(axes: Axes, curves: Mapping[int, Sequence[Session]]) -> None:
    """Draw running means after the first tenth of a session, with 95 % intervals at a few hands."""
    for number, (count, sessions) in enumerate(curves.items()):
        rewards = np.array([session["rewards"] for session in sessions])
        hands = np.arange(1, rewards.shape[1] + 1)
        means = rewards.cumsum(axis=1) / hands
        shown = slice(len(hands) // 10, None)
        label = f"{count} strateg{'y' if count == 1 else 'ies'}"
        (line,) = axes.plot(hands[shown], means.mean(axis=0)[shown], label=label, linewidth=1.4)
        if len(rewards) > 1:
            step, apart = len(hands) // _INTERVALS, len(hands) // 50
            at = np.arange(1, _INTERVALS + 1) * step - 1 - apart * (len(curves) - 1 - number)
            reach = student_t_quantile(0.975, len(rewards) - 1) * means.std(axis=0, ddof=1) / np.sqrt(len(rewards))
            axes.errorbar(
                hands[at], means.mean(axis=0)[at], reach[at], fmt="o", markersize=3, capsize=2, linewidth=1.0,
                color=line.get_color(),
            )  # fmt: skip
    axes.set_title("Mean so far against vexbot_like, 95 % intervals", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="lower right", ncols=len(curves), handlelength=1.2, columnspacing=1.2)
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.12 * (high - low), high)  # room for the legend


def _draw_session(axes: Axes, session: Session) -> None:
    """Draw the moving mean of the rewards of a session, and its change points."""
    window = min(_WINDOW, len(session["rewards"]) // 2 or 1)
    moving = np.convolve(session["rewards"], np.full(window, 1 / window), "valid")
    axes.plot(np.arange(window, len(session["rewards"]) + 1), moving, linewidth=1.2)
    for number, hand in enumerate(session["change_points"]):
        axes.axvline(hand, color="tab:red", linewidth=1.0, label="change point" if number == 0 else None)
    axes.set_title(f"A session, mean of the last {window} hands", loc="left", fontsize=10)
    if session["change_points"]:
        axes.legend(frameon=False, fontsize=8)


def _draw_uses(axes: Axes, session: Session, strategies: int) -> None:
    """Draw the number of hands that each strategy has played so far."""
    played = np.array(session["played"])
    for strategy in range(strategies):
        axes.plot(np.cumsum(played == strategy), label=f"strategy {strategy + 1}", linewidth=1.4)
    axes.plot([0, len(played)], [0, len(played) / strategies], color="0.6", linestyle="--", label="evenly")
    axes.set_title("A long match: hands of each strategy", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8)
