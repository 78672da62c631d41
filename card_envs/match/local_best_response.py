"""Local best response: an opponent that knows an agent's strategy, and so a lower bound on how exploitable it is.

It keeps the probability of every hand that the agent may hold, by Bayes' rule from the agent's own probabilities, and
takes the action that would be best if both only checked and called from then on (Lisy and Bowling, Equilibrium
approximation quality of current no-limit poker bots, AAAI 2017 workshop on computer poker, algorithm 1). What it wins
in a match is less than what a best response would; always folding loses 750 mbb a hand to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_envs.agent import (
    Agent,
    Decisions,
    action_probabilities,
    decisions_at,
    sampled_probabilities,
    shows_probabilities,
)
from card_envs.cards import DECK_SIZE
from card_envs.game import Game, Tables
from card_envs.games.holdem.actions import CALL_ACTION, FIRST_RAISE_ACTION, FOLD_ACTION
from card_envs.games.holdem.config import HoldemConfig
from card_envs.match.play import play_match
from card_envs.match.range_equity import HANDS, NUM_HANDS, chances_against
from card_envs.match.result import MatchResult
from card_envs.match.watch import Batch, Rows

_TABLES = 64
"""Played side by side: at each, the agent is asked for a thousand hands at once."""

Floats = NDArray[np.float64]


def play_local_best_response(
    game: Game,
    agent: Agent,
    hands: int,
    seed: int,
    draws: int = 1,
    num_boards: int = 100,
    progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Return the result of a duplicate match of the local best response (first) against an agent (second)."""
    response = LocalBestResponse(game, agent, draws, num_boards)
    return play_match(
        game, [response, agent], hands, seed, duplicate=True, num_tables=_TABLES, progress=progress,
        watchers=[response],
    )  # fmt: skip


class LocalBestResponse:
    """Plays heads-up hold'em against the agent that it is made for: first agent, and watcher, of one `play_match`.

    All raises of the game's bet menu are considered. Agents without `probabilities` are asked `draws` times where they
    are needed (see `sampled_probabilities`): the bound then stays valid, but may be lower.
    """

    def __init__(self, game: Game, agent: Agent, draws: int = 1, num_boards: int = 100) -> None:
        config = game.config
        is_texas = isinstance(config, HoldemConfig) and (config.num_hole_cards, config.deck_size) == (2, DECK_SIZE)
        if not is_texas or game.num_seats != 2:
            raise ValueError(f"local best response is for heads-up Texas hold'em, not for {game.name} with "
                             f"{game.num_seats} seats")  # fmt: skip
        if draws < 1 or num_boards < 1:
            raise ValueError(f"draws {draws} and num_boards {num_boards} must be at least 1")
        self.name = f"local best response to {agent.name}"
        self._game, self._agent, self._draws, self._num_boards = game, agent, draws, num_boards
        encoder = getattr(agent, "encoder", None)
        self._agents_game = game if encoder is None else game.with_encoder(encoder)
        self._rng = np.random.default_rng(0)

    def deals_start(self, batch: Batch) -> None:
        """Think every hand of the agent equally likely at every table."""
        self._first = int(batch.numbers[0])
        self._ranges = np.ones((len(batch.tables), NUM_HANDS))

    def decisions_made(self, batch: Batch, rows: Rows, actions: Rows) -> None:
        """Weigh the agent's hands by how likely they take the actions that were taken."""
        seats = batch.tables["actor"][rows].astype(np.int64)
        theirs = np.flatnonzero(batch.places(rows, seats) == 1)
        if len(theirs) == 0:
            return
        tables, seats = batch.tables[rows[theirs]], seats[theirs]
        ranges = _without_seen(self._ranges[rows[theirs]], tables, 1 - seats)
        chances = self._chances(tables, seats, ranges)
        taken = np.take_along_axis(chances, actions[theirs, None, None], axis=2)[:, :, 0]
        self._ranges[rows[theirs]] = _normalised(ranges * taken, ranges)

    def deals_end(self, batch: Batch) -> None:
        """Do nothing: ranges start anew with every deal."""

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the actions that win most if both sides only check and call afterwards."""
        tables, seats, mask = decisions.views, decisions.seats, decisions.action_mask
        ranges = _without_seen(self._ranges[decisions.tables - self._first], tables, seats)
        ranges = _normalised(ranges, ranges)
        wins = chances_against(tables, seats, decisions.uniforms, self._num_boards)
        gains = np.full(mask.shape, -np.inf)
        gains[:, FOLD_ACTION] = 0.0
        pot, owed = tables["pot"].astype(np.float64), _to_call(tables, seats)
        chance = (ranges * wins).sum(axis=1)
        gains[:, CALL_ACTION] = chance * pot - (1 - chance) * owed
        for action in range(FIRST_RAISE_ACTION, mask.shape[1]):
            rows = np.flatnonzero(mask[:, action])
            if len(rows):
                gains[rows, action] = self._gain_of_raise(tables[rows], seats[rows], action, ranges[rows], wins[rows])
        gains[mask == 0] = -np.inf
        return np.asarray(gains.argmax(axis=1), np.int64)

    def _gain_of_raise(self, tables: Tables, seats: Rows, action: int, ranges: Floats, wins: Floats) -> Floats:
        """Return the chips won on average by a raise: at once if the agent folds, else with the hands that remain."""
        after = tables.copy()
        for i in range(len(after)):
            self._game.step(after, i, action)
        others, rows = 1 - seats, np.arange(len(seats))
        folds = self._chances(after, others, ranges)[:, :, FOLD_ACTION]
        fold = (ranges * folds).sum(axis=1)
        stays = _normalised(ranges * (1 - folds), ranges)
        chance = (stays * wins).sum(axis=1)
        paid = (after["hand_commit"][rows, seats] - tables["hand_commit"][rows, seats]).astype(np.float64)
        pot = tables["pot"].astype(np.float64)
        return np.asarray(fold * pot + (1 - fold) * (chance * (pot + _to_call(after, others)) - (1 - chance) * paid))

    def _chances(self, tables: Tables, seats: Rows, ranges: Floats) -> Floats:
        """Return the agent's probability of each action (n, hands, actions) if it held each hand with a weight."""
        table_of, hand_of = np.nonzero(ranges > 0)
        supposed = tables[table_of]
        cells = np.arange(len(table_of))
        for k in range(2):
            supposed["deck"][cells, 2 * seats[table_of] + k] = HANDS[hand_of, k]
        decisions = decisions_at(self._agents_game, supposed, cells, cells, np.full(len(cells), 0.5))
        if shows_probabilities(self._agent):
            shown = action_probabilities(self._agent, decisions)
        else:
            shown = sampled_probabilities(self._agent, decisions, self._rng, self._draws)
        chances = np.zeros((*ranges.shape, self._game.num_actions))
        chances[table_of, hand_of] = shown
        return chances


def _to_call(tables: Any, seats: Rows) -> Floats:
    """Return the chips that `seats` have to put in to stay."""
    rows = np.arange(len(seats))
    owed = tables["current_bet"] - tables["street_commit"][rows, seats]
    return np.asarray(np.minimum(owed, tables["stack"][rows, seats]), np.float64)


def _without_seen(ranges: Floats, tables: Tables, seats: Rows) -> Floats:
    """Return the ranges without the hands that share a card with the board or the hole cards of `seats`."""
    rows = np.arange(len(seats))
    seen = np.zeros((len(seats), 256), bool)
    for k in range(2):
        seen[rows, tables["deck"][rows, 2 * seats + k]] = True
    shown = np.cumsum(tables["board_cards"], axis=1)[rows, tables["street"]]
    for k in range(5):
        seen[rows, tables["deck"][:, 4 + k]] |= k < shown
    return np.where(seen[:, HANDS[:, 0]] | seen[:, HANDS[:, 1]], 0.0, ranges)


def _normalised(ranges: Floats, otherwise: Floats) -> Floats:
    """Return ranges that sum to 1; where nothing is left, the hands of `otherwise`, all equally likely."""
    sums = ranges.sum(axis=1, keepdims=True)
    fallback = (otherwise > 0) / np.maximum((otherwise > 0).sum(axis=1, keepdims=True), 1)
    return np.where(sums > 0, ranges / np.where(sums > 0, sums, 1.0), fallback)
