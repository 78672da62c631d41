"""Monte Carlo rollouts with a policy in Big 2: it selects the candidate actions, and plays all seats.

Networks are often overconfident: in some positions an action with a probability of one in a million wins more points.
So decisions are searched unless one action has nearly all of the probability. All actions of a decision are played on
the same imagined deals with the same random numbers, which reduces the variance of their differences. Candidates are
tried in two rounds, as in sequential halving (Karnin, Koren and Somekh 2013): all of them on a quarter of the deals,
then the best ones on the rest.

Without a critic, imagined deals are equally likely and are played to their ends. A critic replaces both: it predicts
who holds the unseen cards, and deals are drawn accordingly; and a deal is played only until the searching seat has to
choose again, where the critic says what the position is worth, given all hands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.search.big2_deals import deal_unseen
from card_envs.agent import Agent, Decisions, decisions_at
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.game import Game, Tables
from card_envs.games.big2.state import NUM_SEATS
from card_envs.games.big2.tricks import act
from card_envs.rng import random_unit
from card_envs.typing import Floats, Rows

CANDIDATES = 8
"""Number of likeliest actions that are tried."""
FINALISTS = 2
"""Number of actions, beside the likeliest one, that are tried on all deals."""
FIRST_ROUND = 0.25
"""Fraction of the deals on which all candidates are tried."""
PROPOSALS = 8
"""Number of equally likely deals among which one is drawn, by what the critic predicts."""
GROUP = 8
"""Number of decisions that are searched side by side: calls of a network cost less together."""

_SEED_BITS = 2.0**53

Actions = NDArray[np.int64]


class Critic(Protocol):
    """What a search asks of the critic of a policy, see `agents.learned.big2_critic`."""

    @property
    def predicts_cards(self) -> bool:
        """Whether it predicts the holders of cards."""

    def estimate_values(self, tables: Tables, rows: Rows) -> Floats:
        """Return (n,) points that the actors of the tables `rows` can expect to win."""

    def predict_holders(self, decisions: Decisions) -> NDArray[np.float32]:
        """Return log-probabilities (n, 3, 52) that an opponent, the next seat first, holds a card."""


@dataclass(frozen=True, eq=False)
class Position:
    """A decision that is searched."""

    view: Tables
    """(1,) the table as its actor sees it."""
    candidates: Actions
    """(k,) actions to try; the first one is played unless another is clearly better."""
    seed: int
    """Seed of a sequence of imagined deals and of random numbers."""
    holders: NDArray[np.float32] | None = None
    """(3, 52) log-probabilities that an opponent holds a card; None: all deals are equally likely."""


def choose_with(search: PolicySearch, decisions: Decisions, threshold: float) -> Actions:
    """Return the policy's likeliest action of each decision, or one that wins more on imagined deals.

    Args:
        search: The search.
        decisions: Decisions of Big 2.
        threshold: Smallest probability of all other actions together at which a decision is searched.

    Returns:
        (n,) action ids.
    """
    probabilities = np.asarray(search.policy.probabilities(decisions))
    actions = np.asarray(probabilities.argmax(axis=1), np.int64)
    is_unsure = 1.0 - probabilities.max(axis=1) >= threshold
    searched = np.flatnonzero((decisions.num_legal > 1) & is_unsure)
    critic = search.critic
    holders = critic.predict_holders(decisions) if len(searched) and critic and critic.predicts_cards else None
    for start in range(0, len(searched), GROUP):
        rows = searched[start : start + GROUP]
        positions = [
            Position(
                decisions.views[j : j + 1], _likeliest(probabilities[j]),
                int(decisions.random_numbers[j] * _SEED_BITS), None if holders is None else holders[j],
            )
            for j in rows
        ]  # fmt: skip
        actions[rows] = search.choose(positions)
    return actions


def _likeliest(probabilities: NDArray[np.floating]) -> Actions:
    """Return the ids of up to `CANDIDATES` actions with a probability above 0, the likeliest first."""
    order = np.argsort(-probabilities, kind="stable")[:CANDIDATES]
    return np.asarray(order[probabilities[order] > 0], np.int64)


@dataclass(frozen=True, eq=False)
class PolicySearch:
    """A search with a policy that remembers nothing, and perhaps with its critic."""

    policy: Agent
    """Plays all seats after a candidate; shows its probabilities."""
    game: Game
    """Big 2, observed with the encoder of the policy."""
    deals: int
    """Number of imagined deals for each decision, at least 2."""
    doubt: float
    """Standard errors of the difference by which another candidate has to be ahead of the first one."""
    critic: Critic | None = None
    """Ends the imagined deals early, and predicts cards; None: equally likely deals are played to their ends."""

    def choose(self, positions: Sequence[Position]) -> Actions:
        """Return the best candidate of each position: the first one unless another is ahead by `doubt`."""
        first = max(1, round(FIRST_ROUND * self.deals))
        candidates = [position.candidates for position in positions]
        points = self.compute_points(positions, candidates, first)
        kept = [_select_finalists(won) for won in points]
        finalists = [actions[places] for actions, places in zip(candidates, kept, strict=True)]
        rest = self.compute_points(positions, finalists, self.deals - first, first)
        won = [np.concatenate([a[places], b], axis=1) for a, b, places in zip(points, rest, kept, strict=True)]
        best = [actions[_find_best(each, self.doubt)] for actions, each in zip(finalists, won, strict=True)]
        return np.array(best, np.int64)

    def compute_points(
        self, positions: Sequence[Position], actions: Sequence[Actions], deals: int, first: int = 0
    ) -> list[Floats]:
        """Play actions on imagined deals, the same deals for all actions of a position.

        Args:
            positions: m positions.
            actions: For each position, (k,) actions.
            deals: Number of imagined deals.
            first: Number of the first deal of each position's sequence that is played.

        Returns:
            For each position, (k, deals) points that its actor wins, or can expect to win.
        """
        imagined = np.empty((len(positions), deals), positions[0].view.dtype)
        for position, tables in zip(positions, imagined, strict=True):
            imagine(position, tables, first)
        sizes = np.array([len(each) for each in actions])
        position_of = np.repeat(np.arange(len(positions)), sizes * deals)
        deal_of = np.tile(np.arange(deals), sizes.sum())
        seats = np.array([position.view["actor"][0] for position in positions], np.int64)[position_of]
        tables = imagined[position_of, deal_of]
        act_until_a_choice(tables, np.arange(len(tables)), np.repeat(np.concatenate(list(actions)), deals))
        streams = [np.random.default_rng(position.seed + first) for position in positions]
        numbers = np.empty((len(positions), deals))
        while len(rows := np.flatnonzero(self._goes_on(tables, seats))):
            for j in np.unique(position_of[rows]):
                numbers[j] = streams[j].random(deals)
            decisions = decisions_at(self.game, tables, rows, rows, numbers[position_of[rows], deal_of[rows]])
            act_until_a_choice(tables, rows, self.policy.act(decisions, streams[0]))
        won = self._value(tables, seats)
        return [part.reshape(-1, deals) for part in np.split(won, np.cumsum(sizes * deals)[:-1])]

    def _goes_on(self, tables: Tables, seats: Actions) -> NDArray[np.bool_]:
        """Return which tables are played on: those not over at which, with a critic, another seat has to choose."""
        is_played = tables["is_over"] == 0
        return np.asarray(is_played & (tables["actor"] != seats) if self.critic else is_played)

    def _value(self, tables: Tables, seats: Actions) -> Floats:
        """Return (n,) points of the seats: the payoff where a deal is over, elsewhere the critic's estimate."""
        won = tables["payoff"][np.arange(len(tables)), seats].astype(np.float64)
        if self.critic and len(rows := np.flatnonzero(tables["is_over"] == 0)):
            won[rows] = self.critic.estimate_values(tables, rows)
        return won


def _select_finalists(points: Floats) -> Actions:
    """Return the indices of the first candidate and of the `FINALISTS` best others, given points (k, deals)."""
    best = 1 + np.argsort(-points[1:].mean(axis=1), kind="stable")[:FINALISTS]
    return np.concatenate([[0], np.sort(best)]).astype(np.int64)


def _find_best(points: Floats, doubt: float) -> np.int64:
    """Return the place of the candidate whose lead over the first one, less `doubt` standard errors, is largest."""
    ahead = points - points[0]
    return np.int64((ahead.mean(axis=1) - doubt * ahead.std(axis=1) / np.sqrt(points.shape[1])).argmax())


def imagine(position: Position, imagined: Tables, first: int) -> None:
    """Make every table of `imagined` (n,) another deal of the unseen cards, from number `first` on of the sequence."""
    if position.holders is None:
        imagine_uniformly(position.view, imagined, np.uint64(position.seed), first)
    else:
        imagine_likely(position.view, imagined, np.uint64(position.seed), first, position.holders)


@kernel
def imagine_uniformly(views: Any, imagined: Any, seed: Any, first: Any) -> None:
    """Make every table of `imagined` another deal, all equally likely, of the cards that views[0] hides."""
    for k in range(imagined.shape[0]):
        imagined[k] = views[0]
        deal_unseen(imagined[k], seed, first + k)


@kernel
def imagine_likely(views: Any, imagined: Any, seed: Any, first: Any, holders: Any) -> None:
    """Make every table of `imagined` another deal, drawn from `PROPOSALS` with chances as `holders` (3, 52) says.

    This is sampling importance resampling (Rubin 1987), with Gumbel noise in place of normalised weights.
    """
    for k in range(imagined.shape[0]):
        best, highest = first + k, -np.inf
        for proposal in range(PROPOSALS):
            number = (first + k) * PROPOSALS + proposal
            imagined[k] = views[0]
            deal_unseen(imagined[k], seed, number)
            score = log_weight(imagined[k], holders) - np.log(-np.log(random_unit(imagined[k]) + 1e-300) + 1e-300)
            if score > highest:
                best, highest = number, score
        imagined[k] = views[0]
        deal_unseen(imagined[k], seed, best)


@kernel
def log_weight(t: Any, holders: Any) -> Any:
    """Return the sum of the log-probabilities `holders` (3, 52) of the cards that the opponents of the actor hold."""
    total = 0.0
    for k in range(1, NUM_SEATS):
        held = t.held[(np.int64(t.actor) + k) & (NUM_SEATS - 1)]
        for card in range(DECK_SIZE):
            if held >> card & 1:
                total += holders[k - 1, card]
    return total


@kernel
def act_until_a_choice(tables: Any, rows: Any, actions: Any) -> None:
    """Apply an action at each of the tables `rows`, then all decisions that have one legal action."""
    for j in range(rows.shape[0]):
        t = tables[rows[j]]
        act(t, actions[j])
        while t.is_over == 0 and t.num_legal == 1:
            act(t, np.int64(t.legal[0]))
