"""Control variates: the same mean, a smaller interval.

While a match is played, *controls* are computed for each hand: numbers whose mean is zero whatever the agents do, such
as how much the turn changed an agent's equity. What a regression of the results on the controls explains was chance,
and is taken off. The estimate stays right on average, for two reasons: the controls have mean zero, and the
coefficients for a deal are fitted to other deals (`regression`). The derivation:
`docs/results/control_variates.md`.

The controls are those of MIVAT (White and Bowling, Learning a value analysis tool for agent evaluation, IJCAI 2009) for
agents about which nothing is known, and of AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling, AAAI 2018) as soon as
one of them can be asked what it would have done with other cards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

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
from card_envs.game import Game, Tables, check_actions
from card_envs.game_info import ControlTerms
from card_envs.match.callbacks import MatchBatch, MatchCallback
from card_envs.match.play import play_match
from card_envs.match.result import MatchResult
from card_envs.match.stopping import StoppingRule
from card_envs.match.summary import Summary, johnson_quantile, without_interval
from card_envs.typing import Floats, Rows

_DETERMINISTIC_HANDS, _MIXED_HANDS = 100, 12
"""Number of counterfactual hands for deterministic agents, of which actions rule out most, and for others."""
_MAX_PROBABILITIES = 4_000_000
"""Maximum number of action probabilities that are asked for at once."""
UNEXPLAINED_DEALS = 5
"""Number of deals added to those of a match when its interval is computed, as if controls explained none of them.

A match of n deals does not show what happens in 3 / n of the deals or less (the rule of three), and rare large
surprises are what controls leave. `benchmarks/interval_coverage.py` counts how often intervals with this number hold.
"""
_EXACT = 1e-9
"""Ratio of the standard deviations of adjusted and plain results below which only rounding errors are left."""
_UNUSED_RNG = np.random.default_rng(0)
"""Argument of `act` for agents that do not draw from it."""


@dataclass(frozen=True)
class AdjustedResult:
    """An agent's mean per hand without the variance that the controls explain."""

    summary: Summary
    """Mean with its 95 % interval, in the unit of the match per hand."""
    hands_factor: float
    """Hands of plain play (no duplicate deals, no controls) for the same interval, divided by the hands played."""
    is_exact: bool = False
    """True if the controls explain all variance: the mean is the true one, and the interval has no width."""


class ControlVariates:
    """Match callback that computes control variates; `adjust` then returns results with smaller intervals.

    For games with `GameInfo.control_terms` (Texas hold'em, Big 2) and those with few deals (Kuhn, Leduc). Agents that
    show their probabilities, that do not mix, or that act by the random numbers of the match alone
    (`Agent.is_stateless`) are asked for their actions with other hands, which reduces the variance most.

    Agents with memory are not asked, since what they remember may depend on their cards. With several hands per table,
    coefficients are fitted to other tables, and intervals are over tables.

    Args:
        game: The game of the match.
        agents: Its agents, in the order of the match.
        seed: Seed of the match.
        hands_per_table: Number of hands per table of the match.
        replayed: Whether the hands were played before with other random numbers, as those of people were; agents
            that act by their random numbers are then not asked.
        until: Rule that ends the match by its adjusted results. Give the attribute `until` of this object to
            `play_match`. Coefficients come from earlier deals alone, and intervals hold whenever the match stops.

    Raises:
        ValueError: For games without control variates.

    Example:
        >>> from card_envs import make_game
        >>> from card_envs.agent import RandomAgent
        >>> from card_envs.match import play_match
        >>> game, agents = make_game("leduc_holdem-v0"), [RandomAgent(), RandomAgent()]
        >>> controls = ControlVariates(game, agents, seed=0)
        >>> result = play_match(game, agents, hands=500, seed=0, callbacks=[controls])
        >>> bool(controls.adjust(result)[0].summary.half_width < result.agents[0].half_width)
        True
    """

    until: AdjustedStopping | None = None
    """Stopping rule for `play_match`: ends the match when the adjusted result is decided."""

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
        self._is_deterministic = [not agent.mixes or (agent.is_stateless and not replayed) for agent in self._agents]
        self._num_hands = [
            _count_counterfactual_hands(*each) for each in zip(self._agents, self._is_deterministic, strict=True)
        ]
        self._controls = self._make_terms(game, seed)
        self._seed = seed
        self._games = [agent.apply_encoder(game) for agent in self._agents]
        self._measured = range(1) if game.num_seats == 2 else range(game.num_seats)  # two agents mirror each other
        self._hands_per_table = hands_per_table
        self._num_deals = 0
        self._evidence = dict[int, Evidence]()
        self._first_results = dict[int, float]()  # subtracted from all, so that equal results leave no rounding
        self._tables = [_TableSums(hands_per_table) for _ in self._measured]
        if until is not None:
            samples = [SequentialSamples(self._controls.units) for _ in self._measured]
            self.until = AdjustedStopping(**asdict(until), adjusted=samples)

    def _make_terms(self, game: Game, seed: int) -> ControlTerms:
        if game.info.control_terms is not None:
            return game.info.control_terms(seed, self._num_hands)
        if not has_tree_terms(game):
            raise ValueError(f"{game.name} has no control variates (GameInfo.control_terms, or few enough deals)")
        self._is_deterministic = [not agent.mixes for agent in self._agents]
        self._num_hands = [2 if can_be_asked(agent) else 1 for agent in self._agents]
        return TreeControlTerms(game, self._agents)

    def on_deal(self, batch: MatchBatch) -> None:
        """Prepare for new hands."""
        self._decision = 0
        self._controls.on_deal(batch)

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Ask the agents about counterfactual hands, and pass their probabilities to the controls."""
        tables, copied_from = self._controls.counterfactual_tables(batch, rows)
        chances = self._ask_agents(batch, rows, tables, copied_from)
        if len(tables):
            self._check_actions(batch, rows, chances[np.searchsorted(copied_from, np.arange(len(rows))), actions])
        self._controls.on_actions(batch, rows, actions, chances)
        self._decision += 1

    def on_end(self, batch: MatchBatch) -> None:
        """Add the controls and results of the batch's hands."""
        payoffs = batch.order_by_agent(batch.tables["payoff"][:, : batch.game.num_seats].astype(np.int64))
        rewards = payoffs / batch.game.chips_per_reward
        tables = batch.deals[:: batch.plays] // self._hands_per_table
        for agent, controls in zip(self._measured, self._controls.compute_controls(batch, self._measured), strict=True):
            terms = controls.terms.reshape(len(tables), batch.plays, -1)
            results = (rewards[:, agent] - controls.correction).reshape(len(tables), batch.plays)
            if self.until is None:
                results -= self._first_results.setdefault(agent, float(results[0].mean()))
            complete = self._tables[agent].add(terms, results)
            if self.until is None:
                evidence = evidence_of(terms, results, tables, complete)
                self._evidence[agent] = self._evidence[agent] + evidence if agent in self._evidence else evidence
            elif complete is not None:
                self.until.adjusted[agent].add(*complete)
        self._num_deals += len(tables)

    def _check_actions(self, batch: MatchBatch, rows: Rows, chances: Floats) -> None:
        """Raise a ValueError for agents that act by their random numbers alone, and acted otherwise."""
        agents = batch.agent_indices(rows, batch.tables["actor"][rows].astype(np.int64))
        wrong = np.flatnonzero((chances == 0) & np.array(self._is_deterministic)[agents])
        if len(wrong):
            raise ValueError(
                f"agent {self._agents[agents[wrong[0]]].name!r} says that it acts by Decisions.random_numbers alone "
                "(is_stateless, or mixes = False), and took another action than it now says it would take: either "
                f"that is not so, or {self._seed} is not the seed of the match"
            )

    def _ask_agents(self, batch: MatchBatch, rows: Rows, tables: Tables, copied_from: Rows) -> Floats:
        """Return the actors' action probabilities (len(tables), num_actions), NaN for agents that cannot be asked."""
        chances = np.full((len(tables), batch.game.num_actions), np.nan)
        seats = batch.tables["actor"][rows].astype(np.int64)
        random_numbers = np.empty(len(rows))
        write_random_numbers(np.uint64(self._seed % 2**64), batch.deals[rows], self._decision, seats, random_numbers)
        agents = batch.agent_indices(rows, seats)[copied_from]
        for agent, count in enumerate(self._num_hands):
            mine = np.flatnonzero(agents == agent)
            num_parts = -(-mine.size * chances.shape[1] // _MAX_PROBABILITIES)
            for part in np.array_split(mine, num_parts) if mine.size else ():
                if count > 1:
                    asked = copied_from[part]
                    decisions = decisions_at(
                        self._games[agent], tables, part, batch.table_ids[rows[asked]], random_numbers[asked]
                    )
                    chances[part] = _ask(self._agents[agent], decisions, self._is_deterministic[agent])
        return chances

    def adjust(self, result: MatchResult) -> tuple[AdjustedResult, ...]:
        """Return the adjusted result of each agent.

        Args:
            result: Plain result of the match in which this object was a callback.

        Raises:
            ValueError: If `result` is that of another match.
        """
        if self._num_deals < result.deals or (self._num_deals > result.deals and self.until is None):
            raise ValueError("these control variates have not watched the deals of this result, all of them")
        if result.hands_per_table != self._hands_per_table:
            raise ValueError(
                f"these control variates expect {self._hands_per_table} hands per table, and the match had "
                f"{result.hands_per_table}: ControlVariates(..., hands_per_table={result.hands_per_table})"
            )
        if self.until is not None:
            estimates = [self.until.summarise_adjusted(name, agent, result.hands // result.hands_per_sample)
                         for name, agent in zip(result.names, self._measured, strict=False)]  # fmt: skip
        else:
            estimates = [self._estimate(result, agent) for agent in self._measured]
        if len(estimates) < len(result.names):
            estimates.append(replace(estimates[0].scale(-1.0), name=result.names[1]))
        return tuple(
            AdjustedResult(summary, _hands_factor(summary, sd, result.hands), summary.standard_error == 0 < sd)
            for summary, sd in zip(estimates, result.hand_sds, strict=True)
        )

    def _estimate(self, result: MatchResult, agent: int) -> Summary:
        """Return the adjusted result of an agent in a match of fixed length."""
        estimate = estimate_adjusted(self._evidence[agent], self._controls.units)
        estimate = replace(estimate, mean=estimate.mean + self._first_results[agent])
        samples, unexplained = result.hands // result.hands_per_sample, 0 if self._is_complete else UNEXPLAINED_DEALS
        return summarise_adjusted(result.names[agent], estimate, result.agents[agent].sd, samples, unexplained)

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
    """Play a match, with control variates if wanted.

    Args:
        game: See `play_match`, as for the other arguments.
        agents: One agent per seat.
        hands: Number of hands.
        seed: Seed of the match.
        duplicate: Whether to play duplicate deals.
        num_tables: Largest number of hands that are played side by side.
        progress: Called with the number of hands finished since its last call.
        control_variates: Whether to adjust the results by `ControlVariates`.
        callbacks: Observers of the match.

    Returns:
        The result, and for each agent its adjusted summary with control variates, else its plain one.
    """
    controls = [ControlVariates(game, agents, seed)] if control_variates else []
    observers = [*callbacks, *controls]
    result = play_match(game, agents, hands, seed, duplicate, num_tables, progress, callbacks=observers)
    adjusted = tuple(agent.summary for each in controls for agent in each.adjust(result))
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
        unexplained: Number of samples, with the variance of plain results, that are added to them.
    """
    if samples == 1:
        return without_interval(name, estimate.mean)
    if math.sqrt(estimate.variance) <= _EXACT * plain_sd:
        return Summary(name, estimate.mean, (estimate.mean, estimate.mean), 0.0, samples)
    error = math.sqrt((estimate.variance + unexplained / samples * plain_sd**2) / samples)
    half_width = error * johnson_quantile(estimate.skewness, samples)
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


def _count_counterfactual_hands(agent: Agent, is_deterministic: bool) -> int:
    """Return the number of hands about which an agent is asked, 1 for one that cannot be asked."""
    if agent.needs_deal_events:
        return 1  # what it remembers may depend on the cards that it really had
    return _DETERMINISTIC_HANDS if is_deterministic else _MIXED_HANDS if agent.shows_probabilities else 1


def _ask(agent: Agent, decisions: Decisions, is_deterministic: bool) -> Floats:
    """Return an agent's action probabilities (n, num_actions), 0 and 1 for one that acts by its random numbers."""
    if is_deterministic:
        actions = check_actions(agent.act(decisions, _UNUSED_RNG), len(decisions))
        return np.asarray(actions[:, None] == np.arange(decisions.game.num_actions), np.float64)
    return action_probabilities(agent, decisions)


def _hands_factor(summary: Summary, sd_of_hand: float, hands: int) -> float:
    variance = summary.standard_error**2 * hands
    return math.inf if variance == 0 else sd_of_hand**2 / variance
