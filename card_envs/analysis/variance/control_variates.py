"""Control variates: the same mean, a smaller interval.

While a match is played, *controls* are computed for each hand: numbers whose mean is zero whatever the agents do, such
as how much the turn changed an agent's equity. What a regression of the results on the controls explains was chance,
and is taken off. The estimate stays right on average, for two reasons: the controls have mean zero, and the
coefficients for a deal are fitted to other deals (`regression`). The derivation:
`docs/results/evaluation_methods.md`.

The controls are those of MIVAT (White and Bowling, Learning a value analysis tool for agent evaluation, IJCAI 2009) for
agents about which nothing is known, and of AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling, AAAI 2018) as soon as
one of them can be asked what it would have done with other cards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import (
    Agent,
    Decisions,
    SupportsAct,
    action_probabilities,
    as_agent,
    decisions_at,
    write_random_numbers,
)
from card_envs.analysis.variance.regression import Estimate, Evidence, estimate_adjusted, evidence_of
from card_envs.analysis.variance.sequential import AdjustedStopping, SequentialSamples
from card_envs.analysis.variance.tree_terms import TreeControlTerms, can_be_asked, has_tree_terms
from card_envs.game import Game, Tables, checked_actions
from card_envs.game_info import ControlTerms
from card_envs.match.callbacks import MatchBatch, MatchCallback, Rows
from card_envs.match.play import play_match
from card_envs.match.result import MatchResult
from card_envs.match.stopping import StoppingRule
from card_envs.match.summary import Summary, skewed_quantile, without_interval

_SURE_HANDS, _MIXED_HANDS = 100, 12
"""Hands that are imagined for agents that do not mix, of which few remain possible after some actions, and others."""
_MOST_CHANCES = 4_000_000
"""Probabilities that are asked for at once."""
UNEXPLAINED_DEALS = 5
"""Deals that are added to those of a match when its interval is computed, as if controls explained nothing of them.

A match of n deals does not show what happens in 3 / n of the deals or less (the rule of three), and rare large
surprises are what controls leave. `benchmarks/interval_coverage.py` counts how often intervals with this number hold.
"""
_EXACT = 1e-9
"""Spread of adjusted results, as a share of that of plain ones, below which nothing is left but rounding."""
_NO_GENERATOR = np.random.default_rng(0)
"""For agents that do not use it."""


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Adjusted:
    """An agent's result without the chance that the controls explain."""

    summary: Summary
    hands_factor: float
    """How many times as many hands plain play (no duplicate deals, no controls) needs for the same interval."""
    is_exact: bool = False
    """True where the controls explain everything: the mean is the true one, and the interval has no width."""


class ControlVariates:
    """A callback that computes controls and moments; give it to `play_match` and ask `adjusted` afterwards.

    For games with `GameInfo.control_terms` (Texas hold'em, Big 2) and those with few deals (Kuhn, Leduc: `tree_terms`);
    others raise a ValueError. Agents that show their
    probabilities, that do not mix, or that act by the random numbers of the match alone (`Agent.is_stateless`;
    `seed` has to be that of the match) are asked what they would have done with other hands. If hands are `replayed`
    that were played with other random numbers, the last kind is not asked.

    For agents with memory, `hands_per_table` is that of the match: the cards of a hand are drawn anew whatever agents
    remember, so its controls have mean zero given all hands before it; coefficients are then fitted to other tables,
    and intervals are over tables. They are not asked about other hands, since what they remember may depend on theirs.

    A match that stops when it is decided (`until`) is decided by adjusted results if `play_match` gets this object's
    `until`. Their coefficients come from earlier deals alone (`sequential`), and intervals hold whenever it stops.
    """

    until: AdjustedStopping | None = None
    """For `play_match`: stops when the adjusted result is decided."""

    def __init__(
        self,
        game: Game,
        agents: Sequence[SupportsAct],
        seed: int,
        hands_per_table: int = 1,
        *,
        replayed: bool = False,
        until: StoppingRule | None = None,
    ) -> None:
        self._agents = [as_agent(agent) for agent in agents]
        self._by_uniforms = [not agent.mixes or (agent.is_stateless and not replayed) for agent in self._agents]
        self._hands_of = [_hands_to_imagine(*each) for each in zip(self._agents, self._by_uniforms, strict=True)]
        self._controls = self._terms_of(game, seed)
        self._seed = seed
        self._games = [agent.encoded(game) for agent in self._agents]
        self._places = range(1) if game.num_seats == 2 else range(game.num_seats)  # two agents mirror each other
        self._hands_per_table = hands_per_table
        self._watched = 0
        self._evidence = dict[int, Evidence]()
        self._first_results = dict[int, float]()  # subtracted from all, so that equal results leave no rounding
        self._tables = [_TableSums(hands_per_table) for _ in self._places]
        if until is not None:
            samples = [SequentialSamples(self._controls.units) for _ in self._places]
            self.until = AdjustedStopping(**asdict(until), places=samples)

    def _terms_of(self, game: Game, seed: int) -> ControlTerms:
        if game.info.control_terms is not None:
            return game.info.control_terms(seed, self._hands_of)
        if not has_tree_terms(game):
            raise ValueError(f"{game.name} has no control variates (GameInfo.control_terms, or few enough deals)")
        self._by_uniforms = [not agent.mixes for agent in self._agents]
        self._hands_of = [2 if can_be_asked(agent) else 1 for agent in self._agents]
        return TreeControlTerms(game, self._agents)

    def on_deal(self, batch: MatchBatch) -> None:
        """Prepare for new hands."""
        self._decision = 0
        self._controls.on_deal(batch)

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Note what the controls depend on."""
        tables, of_row = self._controls.supposed(batch, rows)
        chances = self._chances(batch, rows, tables, of_row)
        if len(tables):
            self._check(batch, rows, chances[np.searchsorted(of_row, np.arange(len(rows))), actions])
        self._controls.on_actions(batch, rows, actions, chances)
        self._decision += 1

    def on_end(self, batch: MatchBatch) -> None:
        """Add the controls and results of the batch's hands."""
        payoffs = batch.by_place(batch.tables["payoff"][:, : batch.game.num_seats].astype(np.int64))
        rewards = payoffs / batch.game.chips_per_reward
        tables = batch.deals[:: batch.plays] // self._hands_per_table
        for place, controls in zip(self._places, self._controls.of_batch(batch, self._places), strict=True):
            terms = controls.terms.reshape(len(tables), batch.plays, -1)
            results = (rewards[:, place] - controls.luck).reshape(len(tables), batch.plays)
            if self.until is None:
                results -= self._first_results.setdefault(place, float(results[0].mean()))
            complete = self._tables[place].add(terms, results)
            if self.until is None:
                evidence = evidence_of(terms, results, tables, complete)
                self._evidence[place] = self._evidence[place] + evidence if place in self._evidence else evidence
            elif complete is not None:
                self.until.places[place].add(*complete)
        self._watched += len(tables)

    def _check(self, batch: MatchBatch, rows: Rows, chances: Floats) -> None:
        """Raise a ValueError for agents that act by their random numbers alone, and acted otherwise."""
        places = batch.places(rows, batch.tables["actor"][rows].astype(np.int64))
        wrong = np.flatnonzero((chances == 0) & np.array(self._by_uniforms)[places])
        if len(wrong):
            raise ValueError(
                f"agent {self._agents[places[wrong[0]]].name!r} says that it acts by Decisions.random_numbers alone "
                "(is_stateless, or mixes = False), and took another action than it now says it would take: either "
                f"that is not so, or {self._seed} is not the seed of the match"
            )

    def _chances(self, batch: MatchBatch, rows: Rows, tables: Tables, of_row: Rows) -> Floats:
        """Return (len(tables), num_actions): with which probability the actors take each action, nan if unknown."""
        chances = np.full((len(tables), batch.game.num_actions), np.nan)
        seats = batch.tables["actor"][rows].astype(np.int64)
        random_numbers = np.empty(len(rows))
        write_random_numbers(np.uint64(self._seed % 2**64), batch.deals[rows], self._decision, seats, random_numbers)
        places = batch.places(rows, seats)[of_row]
        for place, count in enumerate(self._hands_of):
            mine = np.flatnonzero(places == place)
            for part in np.array_split(mine, -(-mine.size * chances.shape[1] // _MOST_CHANCES)) if mine.size else ():
                if count > 1:
                    asked = of_row[part]
                    decisions = decisions_at(
                        self._games[place], tables, part, batch.numbers[rows[asked]], random_numbers[asked]
                    )
                    chances[part] = _chances_of(self._agents[place], decisions, self._by_uniforms[place])
        return chances

    def adjusted(self, result: MatchResult) -> tuple[Adjusted, ...]:
        """Return the adjusted result of each agent, of the match that was watched, `result` being its plain result."""
        if self._watched < result.deals or (self._watched > result.deals and self.until is None):
            raise ValueError("these control variates have not watched the deals of this result, all of them")
        if result.hands_per_table != self._hands_per_table:
            raise ValueError(
                f"these control variates expect {self._hands_per_table} hands per table, and the match had "
                f"{result.hands_per_table}: ControlVariates(..., hands_per_table={result.hands_per_table})"
            )
        if self.until is not None:
            estimates = [self.until.adjusted(name, place, result.hands // result.hands_per_sample)
                         for name, place in zip(result.names, self._places, strict=False)]  # fmt: skip
        else:
            estimates = [self._estimate(result, place) for place in self._places]
        if len(estimates) < len(result.names):
            estimates.append(replace(estimates[0].scaled(-1.0), name=result.names[1]))
        return tuple(
            Adjusted(summary, _hands_factor(summary, sd, result.hands), summary.standard_error == 0 < sd)
            for summary, sd in zip(estimates, result.hand_sds, strict=True)
        )

    def _estimate(self, result: MatchResult, place: int) -> Summary:
        """Return the adjusted result of an agent of a match whose length was fixed."""
        estimate = estimate_adjusted(self._evidence[place], self._controls.units)
        estimate = replace(estimate, mean=estimate.mean + self._first_results[place])
        samples, unexplained = result.hands // result.hands_per_sample, 0 if self._is_complete else UNEXPLAINED_DEALS
        return summarise_adjusted(result.names[place], estimate, result.agents[place].sd, samples, unexplained)

    @property
    def _is_complete(self) -> bool:
        """True if the controls are exact and known for all agents: nothing unexplained can happen."""
        return isinstance(self._controls, TreeControlTerms) and self._controls.is_complete


def play_and_summarise(
    game: Game,
    agents: Sequence[SupportsAct],
    hands: int,
    seed: int,
    duplicate: bool = False,
    num_tables: int = 4096,
    progress: Callable[[int], None] | None = None,
    *,
    control_variates: bool,
    callbacks: Sequence[MatchCallback] = (),
) -> tuple[MatchResult, tuple[Summary, ...]]:
    """Return the result of `play_match`, and of each agent its plain summary, or the adjusted one."""
    controls = [ControlVariates(game, agents, seed)] if control_variates else []
    followed = [*callbacks, *controls]
    result = play_match(game, agents, hands, seed, duplicate, num_tables, progress, callbacks=followed)
    adjusted = tuple(agent.summary for each in controls for agent in each.adjusted(result))
    return result, adjusted or result.agents


def summarise_adjusted(
    name: str, estimate: Estimate, plain_sd: float, samples: int, unexplained: int = UNEXPLAINED_DEALS
) -> Summary:
    """Return an adjusted result with its 95 % interval.

    Args:
        name: Name of the agent.
        estimate: Mean, variance and skewness of the samples' adjusted results.
        plain_sd: Standard deviation of the samples' plain results.
        samples: Number of samples.
        unexplained: Number of samples with the variance of plain results that are added to them.
    """
    if samples == 1:
        return without_interval(name, estimate.mean)
    if math.sqrt(estimate.variance) <= _EXACT * plain_sd:
        return Summary(name, estimate.mean, (estimate.mean, estimate.mean), 0.0, samples)
    error = math.sqrt((estimate.variance + unexplained / samples * plain_sd**2) / samples)
    half_width = error * skewed_quantile(estimate.skewness, samples)
    return Summary(name, estimate.mean, (estimate.mean - half_width, estimate.mean + half_width), error, samples)


class _TableSums:
    """Sums controls and results over the hands of a table, whose hands follow each other."""

    def __init__(self, hands_per_table: int) -> None:
        self._hands, self._played = hands_per_table, 0
        self._sums: tuple[Floats, Floats] = np.zeros(0), np.zeros(0)

    def add(self, controls: Floats, results: Floats) -> tuple[Floats, Floats] | None:
        """Add the next hand of each table; return controls and results a hand of the tables if that was their last."""
        if self._hands == 1:
            return controls, results
        new = controls / self._hands, results / self._hands
        self._sums = new if self._played == 0 else (self._sums[0] + new[0], self._sums[1] + new[1])
        self._played = (self._played + 1) % self._hands
        return self._sums if self._played == 0 else None


def _hands_to_imagine(agent: Agent, by_uniforms: bool) -> int:
    """Return for how many hands an agent is asked what it would do, 1 for one that cannot be asked."""
    if agent.needs_deal_events:
        return 1  # what it remembers may depend on the cards that it really had
    return _SURE_HANDS if by_uniforms else _MIXED_HANDS if agent.shows_probabilities else 1


def _chances_of(agent: Agent, decisions: Decisions, by_uniforms: bool) -> Floats:
    """Return the probabilities of an agent; given the random numbers of the match, of one that acts by them alone."""
    if by_uniforms:
        actions = checked_actions(agent.act(decisions, _NO_GENERATOR), len(decisions))
        return np.asarray(actions[:, None] == np.arange(decisions.game.num_actions), np.float64)
    return action_probabilities(agent, decisions)


def _hands_factor(summary: Summary, sd_of_hand: float, hands: int) -> float:
    variance = summary.standard_error**2 * hands
    return math.inf if variance == 0 else sd_of_hand**2 / variance
