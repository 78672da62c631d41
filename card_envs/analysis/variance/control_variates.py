"""Control variates: smaller intervals around the same mean.

During a match, *control variates* are computed for each hand: numbers with mean zero for any strategies, such as the
change of an agent's equity by the turn card. The part of the results that a regression on them explains is due to
chance, and is subtracted. The estimate is unbiased for two reasons: the control variates have mean zero, and the
coefficients for a deal are fitted to other deals (`regression`). The derivation is in
`docs/results/control_variates.md` and `control_variates_estimate.md`.

The control variates are those of MIVAT (White and Bowling, Learning a value analysis tool for agent evaluation, IJCAI
2009) if no agent's strategy is known, and of AIVAT (Burch, Schmid, Moravcik, Morrill and Bowling, AAAI 2018) if the
action probabilities of at least one agent with other cards are known.
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
from card_envs.analysis.exploitability.public_tree import has_few_deals
from card_envs.analysis.variance.control_terms import CONTROL_TERMS, ControlTerms
from card_envs.analysis.variance.regression import Estimate, Evidence, estimate_adjusted, evidence_of
from card_envs.analysis.variance.sequential import AdjustedStopping, SequentialSamples
from card_envs.analysis.variance.tree_terms import TreeControlTerms, can_be_asked
from card_envs.game import Game, Tables, check_actions
from card_envs.match.callbacks import MatchBatch, MatchCallback
from card_envs.match.play import play_match
from card_envs.match.result import MatchResult
from card_envs.match.stopping import StoppingRule
from card_envs.match.summary import Summary, skewed_interval, without_interval
from card_envs.rng import wrap_seed
from card_envs.typing import Floats, Rows

__all__ = ["UNEXPLAINED_HANDS", "AdjustedResult", "ControlVariates", "play_and_summarise", "summarise_adjusted"]

_DETERMINISTIC_HANDS, _MIXED_HANDS = 100, 12
"""Numbers of counterfactual hands: for deterministic agents, whose actions rule out most of them, and for others."""
_MAX_PROBABILITIES = 4_000_000
"""Maximum number of action probabilities per call of an agent."""
UNEXPLAINED_HANDS = 7
"""Number of additional hands for the interval of a match, with the variance of results without control variates.

A match of n hands does not show events with a probability below 3 / n (the rule of three), and rare large results are
what control variates do not explain. docs/results/variance_reduction.md says how often such intervals hold the truth.
"""
_EXACT = 1e-9
"""Ratio of the standard deviations of adjusted and plain results below which the rest is rounding errors."""
_UNUSED_RNG = np.random.default_rng(0)
"""Argument of `act` for agents that do not draw from it."""


@dataclass(frozen=True)
class AdjustedResult:
    """An agent's result without the variance that the control variates explain."""

    summary: Summary
    """Mean with its 95 % interval, in the unit of the match per hand."""
    hands_factor: float
    """Hands without duplicate deals and control variates for an equal interval, divided by the hands played."""
    is_exact: bool = False
    """True if the control variates explain all variance: the mean is exact, and the interval has width zero."""


class ControlVariates:
    """Match callback that computes control variates; `adjust` then returns results with smaller intervals.

    It supports games with control terms (Texas hold'em, Big 2) and games with few deals (Kuhn, Leduc). The
    variance is reduced most if agents can be asked for their actions with other hands: agents that define
    `probabilities`, that do not mix, or whose actions depend only on the random numbers of the match
    (`Agent.is_stateless`).

    Agents with memory are not asked, because their memory may depend on their cards. With several hands per table,
    coefficients are fitted to other tables, and intervals are over tables.

    Args:
        game: The game of the match.
        agents: The agents, in the order of the match.
        seed: Seed of the match.
        hands_per_table: Number of hands per table of the match.
        replayed: Whether the hands were played earlier with other random numbers, for example by people; agents whose
            actions depend on random numbers are then not asked.
        until: Rule that ends the match by its adjusted results. Pass the attribute `until` of this object to
            `play_match`. Coefficients are then fitted to earlier deals only, and intervals are valid at any stopping
            time.
        num_adjusted: Number of agents, from the first, whose results are adjusted; None for all. At two seats the
            second agent's result is minus the first's.

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
    """Stopping rule for `play_match`, which ends the match when the adjusted result is decided."""

    def __init__(
        self,
        game: Game,
        agents: Sequence[SupportsAct],
        seed: int,
        hands_per_table: int = 1,
        *,
        replayed: bool = False,
        until: StoppingRule | None = None,
        num_adjusted: int | None = None,
    ) -> None:
        self._agents = [as_agent(agent) for agent in agents]
        self._is_deterministic = [not agent.mixes or (agent.is_stateless and not replayed) for agent in self._agents]
        self._num_hands = [
            _count_counterfactual_hands(*each) for each in zip(self._agents, self._is_deterministic, strict=True)
        ]
        self._controls = self._make_terms(game, seed)
        self._seed = seed
        self._game, self._encoders = game, [agent.find_encoder(game) for agent in self._agents]
        self._measured = range(1 if game.num_seats == 2 else num_adjusted or game.num_seats)
        self._hands_per_table = hands_per_table
        self._num_deals = 0
        self._evidence = dict[int, Evidence]()
        self._first_results = dict[int, float]()  # subtracted to avoid rounding errors
        self._tables = [_TableSums(hands_per_table) for _ in self._measured]
        if until is not None:
            samples = [SequentialSamples(self._controls.units) for _ in self._measured]
            self.until = AdjustedStopping(**asdict(until), adjusted=samples)

    def _make_terms(self, game: Game, seed: int) -> ControlTerms:
        make_terms = CONTROL_TERMS.find(game)
        if make_terms is not None:
            return make_terms(seed, self._num_hands)
        if not has_few_deals(game):
            raise ValueError(f"{game.name} has no control variates: no feature control_terms, and no list of few deals")
        self._is_deterministic = [not agent.mixes for agent in self._agents]
        self._num_hands = [2 if can_be_asked(agent) else 1 for agent in self._agents]
        return TreeControlTerms(game, self._agents)

    def on_deal(self, batch: MatchBatch) -> None:
        """Prepare for new hands."""
        self._decision = 0
        self._controls.on_deal(batch)

    def on_actions(self, batch: MatchBatch, rows: Rows, actions: Rows) -> None:
        """Compute the action probabilities at counterfactual tables, and pass them to the control terms."""
        tables, copied_from = self._controls.counterfactual_tables(batch, rows)
        probabilities = self._ask_agents(batch, rows, tables, copied_from)
        if len(tables):
            self._check_actions(batch, rows, probabilities[np.searchsorted(copied_from, np.arange(len(rows))), actions])
        self._controls.on_actions(batch, rows, actions, probabilities)
        self._decision += 1

    def on_end(self, batch: MatchBatch) -> None:
        """Add the control variates and results of the hands."""
        rewards = batch.payoffs / batch.game.chips_per_reward
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

    def _check_actions(self, batch: MatchBatch, rows: Rows, probabilities: Floats) -> None:
        """Raise a ValueError if an agent that claims to be deterministic took another action than it returns now."""
        agents = batch.agent_indices(rows, batch.tables["actor"][rows].astype(np.int64))
        wrong = np.flatnonzero((probabilities == 0) & np.array(self._is_deterministic)[agents])
        if len(wrong):
            raise ValueError(
                f"agent {self._agents[agents[wrong[0]]].name!r} took another action than it returns for the same "
                "decision now: either it depends on more than Decisions.random_numbers, against is_stateless=True or "
                f"mixes=False, or {self._seed} is not the seed of the match"
            )

    def _ask_agents(self, batch: MatchBatch, rows: Rows, tables: Tables, copied_from: Rows) -> Floats:
        """Return the actors' action probabilities (len(tables), num_actions), NaN for agents that cannot be asked."""
        probabilities = np.full((len(tables), batch.game.num_actions), np.nan)
        seats = batch.tables["actor"][rows].astype(np.int64)
        random_numbers = np.empty(len(rows))
        write_random_numbers(np.uint64(wrap_seed(self._seed)), batch.deals[rows], self._decision, seats, random_numbers)
        agents = batch.agent_indices(rows, seats)[copied_from]
        for agent, count in enumerate(self._num_hands):
            mine = np.flatnonzero(agents == agent)
            num_parts = -(-mine.size * probabilities.shape[1] // _MAX_PROBABILITIES)
            for part in np.array_split(mine, num_parts) if mine.size else ():
                if count > 1:
                    asked = copied_from[part]
                    decisions = decisions_at(
                        self._game,
                        tables,
                        part,
                        batch.table_ids[rows[asked]],
                        random_numbers[asked],
                        encoder=self._encoders[agent],
                    )
                    probabilities[part] = _ask(self._agents[agent], decisions, self._is_deterministic[agent])
        return probabilities

    def adjust(self, result: MatchResult) -> tuple[AdjustedResult, ...]:
        """Return the adjusted result of each of the agents that are adjusted.

        Args:
            result: Plain result of the match in which this object was a callback.

        Raises:
            ValueError: If `result` is that of another match.
        """
        if self._num_deals < result.deals or (self._num_deals > result.deals and self.until is None):
            raise ValueError("these control variates did not observe all deals of this result")
        if result.hands_per_table != self._hands_per_table:
            raise ValueError(
                f"these control variates expect {self._hands_per_table} hands per table, but the match had "
                f"{result.hands_per_table}: pass hands_per_table={result.hands_per_table} to ControlVariates"
            )
        if self.until is not None:
            estimates = [self.until.summarise_adjusted(name, agent, result.hands // result.hands_per_sample)
                         for name, agent in zip(result.names, self._measured, strict=False)]  # fmt: skip
        else:
            estimates = [self._estimate(result, agent) for agent in self._measured]
        estimates = [estimate.without_interval(result.hands_needed) for estimate in estimates]
        if self._game.num_seats == 2:
            estimates.append(replace(estimates[0].scale(-1.0), name=result.names[1]))
        adjusted = []
        for summary, sd in zip(estimates, result.hand_sds, strict=False):
            variance = summary.standard_error**2 * result.hands
            is_explained = variance <= (_EXACT * sd) ** 2
            factor = math.inf if is_explained else sd**2 / variance
            adjusted.append(AdjustedResult(summary, factor, is_explained and sd > 0))
        return tuple(adjusted)

    def _estimate(self, result: MatchResult, agent: int) -> Summary:
        """Return the adjusted result of an agent in a match of fixed length."""
        estimate = estimate_adjusted(self._evidence[agent], self._controls.units)
        estimate = replace(estimate, mean=estimate.mean + self._first_results[agent])
        samples = result.hands // result.hands_per_sample
        explains_all = isinstance(self._controls, TreeControlTerms) and self._controls.is_complete
        unexplained = 0.0 if explains_all else UNEXPLAINED_HANDS / result.hands_per_sample
        return summarise_adjusted(result.names[agent], estimate, result.agents[agent].sd, samples, unexplained)


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
        game: The game; this and the other arguments are those of `play_match`.
        agents: One agent per seat.
        hands: Number of hands.
        seed: Seed of the match.
        duplicate: Whether to play duplicate deals.
        num_tables: Maximum number of hands that are played at the same time.
        progress: Called with the number of hands finished since its last call.
        control_variates: Whether to adjust the results by `ControlVariates`.
        callbacks: Observers of the match.

    Returns:
        The result, and a summary of each agent: adjusted if `control_variates` is True, else plain.
    """
    controls = [ControlVariates(game, agents, seed)] if control_variates else []
    observers = [*callbacks, *controls]
    result = play_match(game, agents, hands, seed, duplicate, num_tables, progress, callbacks=observers)
    adjusted = tuple(agent.summary for each in controls for agent in each.adjust(result))
    return result, adjusted or result.agents


def summarise_adjusted(
    name: str, estimate: Estimate, plain_sd: float, samples: int, unexplained: float = UNEXPLAINED_HANDS
) -> Summary:
    """Return an adjusted result with its 95 % interval, which is longer on the side of the long tail.

    Args:
        name: Name of the agent.
        estimate: Mean, variance and skewness of the samples' adjusted results.
        plain_sd: Standard deviation of the samples' plain results.
        samples: Number of samples.
        unexplained: Number of additional samples with the variance of plain results: `UNEXPLAINED_HANDS` over the hands
            of a sample.
    """
    if samples == 1:
        return without_interval(name, estimate.mean)
    if math.sqrt(estimate.variance) <= _EXACT * plain_sd:
        return Summary(name, estimate.mean, (estimate.mean, estimate.mean), 0.0, samples)
    error = math.sqrt((estimate.variance + unexplained / samples * plain_sd**2) / samples)
    ci95 = skewed_interval(estimate.mean, error, estimate.skewness, samples)
    return Summary(name, estimate.mean, ci95, error, samples)


class _TableSums:
    """Means of control variates and results over the consecutive hands of each table."""

    def __init__(self, hands_per_table: int) -> None:
        self._hands, self._played = hands_per_table, 0
        self._sums: tuple[Floats, Floats] = np.zeros(0), np.zeros(0)

    def add(self, controls: Floats, results: Floats) -> tuple[Floats, Floats] | None:
        """Add the next hand of each table; return the means over the hands of each table after its last hand."""
        if self._hands == 1:
            return controls, results
        new = controls / self._hands, results / self._hands
        self._sums = new if self._played == 0 else (self._sums[0] + new[0], self._sums[1] + new[1])
        self._played = (self._played + 1) % self._hands
        return self._sums if self._played == 0 else None


def _count_counterfactual_hands(agent: Agent, is_deterministic: bool) -> int:
    """Return the number of counterfactual hands for an agent; 1 if it cannot be asked about other hands."""
    if agent.needs_deal_events:
        return 1  # its memory may depend on its true cards
    return _DETERMINISTIC_HANDS if is_deterministic else _MIXED_HANDS if agent.shows_probabilities else 1


def _ask(agent: Agent, decisions: Decisions, is_deterministic: bool) -> Floats:
    """Return an agent's action probabilities (n, num_actions), 0 and 1 for a deterministic agent."""
    if is_deterministic:
        actions = check_actions(agent.act(decisions, _UNUSED_RNG), len(decisions))
        return np.asarray(actions[:, None] == np.arange(decisions.game.num_actions), np.float64)
    return action_probabilities(agent, decisions)
