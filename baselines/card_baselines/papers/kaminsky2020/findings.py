"""The agents of a league of the paper, with their scores by every metric and their styles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.league.league import League
from card_baselines.league.ratings import Rating, final_ratings
from card_baselines.league.store import Member
from card_baselines.league.winnings import (
    Winnings,
    compute_winnings,
    load_rounds,
    low_winnings,
    mean_winnings,
    median_winnings,
)
from card_baselines.papers.kaminsky2020.paper import DIRECT, METRICS, OUT_OF, SIMILAR, TOP, TYPES, original
from card_baselines.papers.kaminsky2020.style import NUM_BINS, SHAPE, Style, measure_style
from card_envs.agent import find_agent
from card_envs.damaged_files import open_arrays
from card_envs.files import replace_file
from card_envs.memory import find_file_limit
from card_envs.typing import Floats

MEASURES: Mapping[str, Callable[[Floats], Floats] | None] = dict(
    zip(METRICS, (None, mean_winnings, median_winnings, low_winnings), strict=True)
)
"""Metric of section 3.2 -> function of the winnings matrix; None for TrueSkill."""
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]
RESAMPLES, _STUDENT_DRAWS = 400, 500
_STYLES = "styles.npz"
History = list[tuple[int, int, float, float]]


@dataclass(frozen=True, eq=False)
class Findings:
    """The n agents of a league that do not learn, with their scores and styles."""

    members: tuple[Member, ...]
    types: tuple[str, ...]
    """Types of the agents, as named in the paper."""
    divisions: tuple[str, ...]
    """Divisions in which the agents learned, without the number of a copy; "" for baselines."""
    winnings: Winnings
    ratings: tuple[dict[int, Rating], dict[int, Rating]]
    """Member id -> TrueSkill, in each of the two evaluations."""
    histories: tuple[History, History]
    """History of these ratings: (round, member, mu, sigma)."""
    internal: Mapping[int, float]
    """Member -> TrueSkill in its own division."""
    styles: tuple[Style, ...]
    commit: str = ""
    """Commit that made the league."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the agents."""
        return tuple(member.name for member in self.members)

    @property
    def generations(self) -> NDArray[np.int64]:
        """(n,) number of each clone among the clones of its student; 0 for baselines."""
        return np.array([member.generation for member in self.members])

    @property
    def homes(self) -> NDArray[np.int64]:
        """(n,) ids of the divisions in which clones learned; -1 for baselines."""
        return np.array([-1 if member.division is None else member.division for member in self.members])

    @property
    def top(self) -> int:
        """Number of agents at the top: the same share as the paper's 20 of 102."""
        return max(1, round(len(self.members) * TOP / OUT_OF))

    def trueskill(self, run: int) -> Floats:
        """Return the (n,) TrueSkill means of one of the two evaluations."""
        return np.array([self.ratings[run].get(member.id, Rating()).mu for member in self.members])

    def rating_moves(self, first: int) -> Floats:
        """Return (n,): how far apart each agent's ratings are from round `first` on.

        Of both evaluations, the one in which they move more; NaN for agents that were not rated after that round.
        """
        moves = np.full((len(self.histories), len(self.members)), np.nan)
        for evaluation, history in enumerate(self.histories):
            ratings: dict[int, list[float]] = {}
            for number, member, mu, _ in history:
                kept = ratings.setdefault(member, [])
                ratings[member] = [*kept, mu] if number >= first else [mu]
            last = max((number for number, *_ in history), default=0)
            for place, each in enumerate(self.members):
                if last >= first and each.id in ratings:
                    moves[evaluation, place] = np.ptp(ratings[each.id])
        return np.asarray(np.fmax.reduce(moves), np.float64)

    @cached_property
    def scores(self) -> dict[str, Floats]:
        """Metric -> (n,) scores; higher is better."""
        return {
            name: self.trueskill(0) if measure is None else measure(self.winnings.means)
            for name, measure in MEASURES.items()
        }

    @cached_property
    def draws(self) -> dict[str, Floats]:
        """Metric -> (draws, n) scores with random noise.

        The noise of winnings is that of their hands. The noise of TrueSkill is the difference of its two evaluations,
        which is larger than its own estimate of uncertainty.
        """
        rng = np.random.default_rng(0)
        again = self.winnings.resample(RESAMPLES, rng)
        first, second = self.trueskill(0), self.trueskill(1)
        spread = float(np.sqrt(np.mean((first - second) ** 2) / 2))
        resampled = first + spread * rng.standard_normal((RESAMPLES, len(first)))
        return {name: resampled if measure is None else measure(again) for name, measure in MEASURES.items()}

    def order(self, metric: str) -> list[int]:
        """Return the indices of the agents, the best one first."""
        return [int(index) for index in np.argsort(-self.scores[metric], kind="stable")]

    def ranks(self, scores: Floats) -> NDArray[np.int64]:
        """Return the (n,) ranks; 1 is the best."""
        return np.argsort(np.argsort(-scores, kind="stable"), kind="stable") + 1

    def percentiles(self, metric: str) -> Floats:
        """Return (n,): 100 for the best agent by a metric, 0 for the worst."""
        return np.asarray(100 * (1 - (self.ranks(self.scores[metric]) - 1) / max(1, len(self.members) - 1)))

    @cached_property
    def clones(self) -> list[Indices]:
        """The indices of the clones of each student."""
        parents = np.array([-1 if member.parent is None else member.parent for member in self.members])
        return [np.flatnonzero(parents == student) for student in sorted(set(parents.tolist()) - {-1})]

    @cached_property
    def student_draws(self) -> list[Indices]:
        """The indices of clones for many draws of students, with replacement and with all their clones."""
        rng, count = np.random.default_rng(0), len(self.clones)
        draws = [rng.integers(count, size=count) for _ in range(_STUDENT_DRAWS)]
        return [np.concatenate([self.clones[k] for k in draw]) for draw in draws]

    @cached_property
    def agent_draws(self) -> list[Indices]:
        """`student_draws` with the baselines, which are in every draw."""
        baselines = np.flatnonzero([member.parent is None for member in self.members])
        return [np.concatenate([baselines, draw]) for draw in self.student_draws]

    def average_by_student(self, values: Floats, chosen: Mask) -> list[float]:
        """Return the mean of `values` over the chosen clones of each student that has any."""
        groups = [mine[chosen[mine]] for mine in self.clones]
        return [float(values[mine].mean()) for mine in groups if len(mine)]

    def count_students(self, chosen: Mask) -> int:
        """Return how many students have clones among the chosen agents."""
        return len(self.average_by_student(np.zeros(len(chosen)), chosen))

    def has_type(self, *types: str) -> Mask:
        """Return an (n,) mask of the agents of these types."""
        return np.isin(self.types, types)

    def is_in_division(self, name: str) -> Mask:
        """Return an (n,) mask of the agents from a division."""
        return np.asarray(np.array(self.divisions) == name, np.bool_)

    @cached_property
    def plane(self) -> Floats:
        """(n, 2) styles of the agents, see `Style.point`."""
        return np.array([style.point for style in self.styles])


def collect_findings(league: League, folder: Path, style_hands: int, progress: Callable[[str], Any]) -> Findings:
    """Return the agents of an evaluated league with their scores; styles are stored in `folder`."""
    store = league.store
    members = tuple(member for member in league.members.values() if not member.learns)
    names = {row.id: row.name for row in league.divisions.values()}
    internal: dict[int, float] = {}
    for row in league.divisions.values():
        if row.name not in (DIRECT, *SIMILAR):
            internal |= {number: rating.mu for number, rating in league.ratings(row.name).items()}
    histories = tuple(store.ratings(league.division(name).id) for name in SIMILAR)
    pairs = load_rounds(store, league.division(DIRECT).id)
    return Findings(
        members=members,
        types=tuple(TYPES[member.spec] for member in members),
        divisions=tuple(original(names.get(member.division or 0, "")) for member in members),
        winnings=compute_winnings(pairs, [member.id for member in members], league.game.chips_per_reward),
        ratings=(final_ratings(histories[0]), final_ratings(histories[1])),
        histories=(histories[0], histories[1]),
        internal=internal,
        styles=_load_styles(league, members, folder, style_hands, progress),
        commit=str(league.meta["commit"]),
    )


def _load_styles(
    league: League, members: Sequence[Member], folder: Path, hands: int, progress: Callable[[str], Any]
) -> tuple[Style, ...]:
    """Return the styles of the members, from the file in `folder` if it has all of them, else measured."""
    path, names = folder / _STYLES, [member.name for member in members]
    if path.exists():
        with open_arrays(path, find_file_limit()) as kept:
            if kept["names"].tolist() == names and int(kept["hands"]) == hands:
                return tuple(Style(counts.astype(np.int64)) for counts in kept["counts"])
    counts = np.zeros((len(members), *SHAPE, NUM_BINS), np.uint16)
    for number, member in enumerate(members):
        spec = member.spec if member.folder is None else str(league.folder / member.folder)
        with league.restrict_names():
            agent = find_agent(spec, league.game)
        counts[number] = measure_style(agent, league.game, hands).counts
        progress(member.name)
    with replace_file(folder / _STYLES) as temporary:
        np.savez_compressed(temporary, names=np.array(names), hands=hands, counts=counts)
    return tuple(Style(each.astype(np.int64)) for each in counts)
