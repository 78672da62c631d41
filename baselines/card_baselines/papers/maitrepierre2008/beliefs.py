"""What hands the opponent may hold: probabilities of all 1,326, by Bayes' rule from a model of play (section 3.2).

After every action of the opponent from the flop on, the probability of each hand is multiplied by how likely the model
takes that action with it. Before the flop nothing is learned: the paper's models begin on the flop.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import sum_cards
from card_baselines.papers.maitrepierre2008.models import NUM_POTS, NUM_STRENGTHS
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.state import CALL, FOLD, RAISE, RECENT_ACTIONS
from card_envs.poker.draw import draw_unused_card
from card_envs.poker.hands import BOARD_CARDS, BOARD_SIZE, HANDS, HOLE_CARDS, NUM_HANDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, WORST_RANK, rank_of
from card_envs.rng import STREAM, seed_stream

FLOP_SAMPLES = 100
"""Random boards by which hands are judged on the flop; a fifth of strength is then right for nearly all of them."""

_POT_STEP = 2  # big blinds
_BOARD_PLACE = 2 * HOLE_CARDS  # in the deck of two players

BELIEFS = np.dtype(
    (
        np.record,
        [
            ("probability", np.float64, (NUM_HANDS,)),  # of each hand; sums to 1
            ("resets", np.int64),  # how often all hands were impossible, and the beliefs began anew
            # --- the betting so far, as it was followed ---
            ("followed", np.int64),  # decisions
            ("street", np.int64),
            ("pot", np.int64),
            ("raises", np.int64),  # on this street
            ("checks", np.int64),  # on this street, before any raise; before the flop the small blind's call is one
            ("commit", np.int64, (2,)),  # by seat, on this street
            # --- the player ---
            ("strategy", np.int64),  # that plays the hand
            ("seat", np.int64),  # in the hand, -1 before its first decision
        ],
    )
)
"""One table as one player sees it."""
STRENGTHS = np.dtype(
    (
        np.record,
        [
            STREAM,  # random stream of the sampled boards
            ("share", np.float64, (NUM_HANDS,)),  # chance of each hand to win against a random one; ties count half
            ("boards", np.int64, (NUM_HANDS,)),  # number of boards on which each hand was possible
            ("rank", np.int64, (NUM_HANDS,)),
            ("count", np.int64, (WORST_RANK + 2,)),  # number of hands of this rank, later of this and all worse ranks
        ],
    )
)
"""Dtype of the record of one computation, scratch space and result."""


class TableRecords:
    """Records of an agent, one for each table that it has met."""

    def __init__(self, dtype: Any) -> None:
        """Begin with no table."""
        self.records = np.zeros(0, dtype)
        self._row_of: dict[int, int] = {}

    def find_rows(self, table_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the row of each table's record (n,); records of new tables are zeros."""
        rows = np.array([self._row_of.setdefault(table, len(self._row_of)) for table in table_ids.tolist()], np.int64)
        if (missing := len(self._row_of) - len(self.records)) > 0:  # at least doubled: tables may come one by one
            more = np.zeros(max(missing, len(self.records)), self.records.dtype)
            self.records = np.concatenate([self.records, more])
        return rows

    def record_at(self, table: int) -> Any:
        """Return the record of a table; KeyError for a new one."""
        return self.records[self._row_of[table]]


@kernel
def begin(b: Any, t: Any) -> None:
    """Begin a hand: every hand of the opponent is equally probable, the blinds are in the pot."""
    for hand in range(NUM_HANDS):
        b.probability[hand] = 1.0 / NUM_HANDS
    b.followed, b.street, b.raises, b.checks, b.pot = 0, 0, 0, 0, 0
    for seat in range(2):
        position = 1 if seat == t.button else 0
        b.commit[seat] = t.blind[position]
        b.pot += b.commit[seat]


@kernel
def begin_mid_hand(b: Any, t: Any) -> None:
    """Begin in mid-hand, where the record no longer holds all decisions: as at the start, with the betting as it is."""
    begin(b, t)
    b.followed, b.street, b.pot = t.num_decisions, t.street, t.pot
    b.raises = t.street_raises[t.street]
    b.checks = 1 if b.raises == 0 and np.int64(t.pending) & (np.int64(t.pending) - 1) == 0 else 0
    for seat in range(2):
        b.commit[seat] = t.street_commit[seat]


@kernel
def update_beliefs(b: Any, t: Any, seat: Any, model: Any, s: Any, seed: Any) -> None:
    """Update the beliefs of `seat` with the decisions at view `t` since the last call.

    `model` (3, 5, 24, 3) is the strategy that the opponent is thought to play, `s` scratch space, `seed` uint64.
    Where the decisions since then are not all known, or were of another hand, beliefs begin in mid-hand.
    """
    missed = t.num_decisions - b.followed
    if missed < 0 or missed > RECENT_ACTIONS or b.street > t.street:
        begin_mid_hand(b, t)
    for number in range(b.followed, t.num_decisions):
        if b.street > t.street:
            begin_mid_hand(b, t)
            break
        move = np.int64(t.recent_move[number % RECENT_ACTIONS])
        kind, amount = move & 3, np.int64(t.recent_amount[number % RECENT_ACTIONS])
        if move >> 2 != seat and b.street > 0:
            write_hand_strengths(s, t, np.int64(BOARD_CARDS[b.street]), seed)
            _update(b, t, seat, kind, model, s)
        _apply(b, move >> 2, kind, amount)
    b.followed = t.num_decisions
    _normalise(b, t, seat)


@kernel
def _apply(b: Any, seat: Any, kind: Any, amount: Any) -> None:
    """Advance the betting by one decision that does not end the hand."""
    b.pot += amount - b.commit[seat]
    b.commit[seat] = amount
    if kind == RAISE:
        b.raises += 1
    elif b.raises > 0 or b.checks == 1:
        b.street += 1
        b.raises, b.checks, b.commit[0], b.commit[1] = 0, 0, 0, 0
    else:
        b.checks = 1


@kernel
def _update(b: Any, t: Any, seat: Any, kind: Any, model: Any, s: Any) -> None:
    """Multiply the probability of every hand by that of the opponent's action with it."""
    _normalise(b, t, seat)
    street = b.street - 1
    pot = min(b.pot // (_POT_STEP * np.int64(t.chips_per_reward)), NUM_POTS - 1)
    is_free = b.commit[0] == b.commit[1]
    is_capped = b.raises >= t.max_raises[b.street]
    for hand in range(NUM_HANDS):
        strength = min(np.int64(s.share[hand] * NUM_STRENGTHS), NUM_STRENGTHS - 1)
        likelihood = model[street, strength, pot, kind]
        if kind == CALL and is_free:
            likelihood += model[street, strength, pot, FOLD]  # where checking is free, nobody folds
        if kind == CALL and is_capped:
            likelihood += model[street, strength, pot, RAISE]
        b.probability[hand] *= likelihood
    _normalise(b, t, seat)


@kernel
def _normalise(b: Any, t: Any, seat: Any) -> None:
    """Make the probabilities sum to 1, without hands that hold a card of the board or of `seat`.

    Where none is left, the beliefs begin anew with all hands that are possible.
    """
    seen, total = visible_cards(t, seat), 0.0
    while total == 0.0:
        for hand in range(NUM_HANDS):
            if (seen >> np.int64(HANDS[hand, 0]) | seen >> np.int64(HANDS[hand, 1])) & 1 == 1:
                b.probability[hand] = 0.0
            total += b.probability[hand]
        if total == 0.0:
            b.resets += 1
            for hand in range(NUM_HANDS):
                b.probability[hand] = 1.0
    for hand in range(NUM_HANDS):
        b.probability[hand] /= total


@kernel
def visible_cards(t: Any, seat: Any) -> Any:
    """Return the set of cards that `seat` sees at view `t`: its own and the board, as bits of an int64."""
    own = sum_cards(t, HOLE_CARDS * seat, np.int64(HOLE_CARDS))[2]
    return own | sum_cards(t, _BOARD_PLACE, BOARD_CARDS[t.street])[2]


# --- strengths of hands ---


@kernel
def share_on_board(s: Any, t: Any, hand: Any) -> Any:
    """Return the share of other hands that `hand` beats on the whole board of `t`; ties count half."""
    write_hand_strengths(s, t, np.int64(BOARD_SIZE), np.uint64(0))
    return s.share[hand]


@kernel
def write_hand_strengths(s: Any, t: Any, num_board: Any, seed: Any) -> None:
    """Write the probability of every hand to win against a random one with the first `num_board` cards of the board.

    On the river exactly, on the turn over all last cards, on the flop over `FLOP_SAMPLES` random boards that `seed`
    fixes. Hands that hold a card of the board get 0. The random hand may hold the same cards as the hand.
    """
    key, bits, used = sum_cards(t, _BOARD_PLACE, num_board)
    seed_stream(s, seed, np.uint64(num_board))
    for hand in range(NUM_HANDS):
        s.share[hand] = 0.0
        s.boards[hand] = 0
    if num_board == BOARD_SIZE:
        _add_board(s, key, bits, used)
    elif num_board == BOARD_SIZE - 1:
        for last in range(DECK_SIZE):
            if used >> last & 1 == 0:
                _add_board(s, key + CARD_KEYS[last], bits | CARD_BITS[last], used | np.int64(1) << last)
    else:
        for _ in range(FLOP_SAMPLES):
            turn = draw_unused_card(s, used)
            river = draw_unused_card(s, used | np.int64(1) << turn)
            both = np.int64(1) << turn | np.int64(1) << river
            cards = CARD_BITS[turn] | CARD_BITS[river]
            _add_board(s, key + CARD_KEYS[turn] + CARD_KEYS[river], bits | cards, used | both)
    for hand in range(NUM_HANDS):
        if s.boards[hand] > 0:
            s.share[hand] /= s.boards[hand]


@kernel
def _add_board(s: Any, key: Any, bits: Any, used: Any) -> None:
    """Add the share of all hands that each hand beats on a complete board."""
    for k in range(WORST_RANK + 2):
        s.count[k] = 0
    total = np.int64(0)
    for hand in range(NUM_HANDS):
        a, c = np.int64(HANDS[hand, 0]), np.int64(HANDS[hand, 1])
        s.rank[hand] = 0
        if (used >> a | used >> c) & 1 == 0:
            rank = rank_of(key + CARD_KEYS[a] + CARD_KEYS[c], bits | CARD_BITS[a] | CARD_BITS[c])
            s.rank[hand] = rank
            s.count[rank] += 1
            total += 1
    for k in range(WORST_RANK, 0, -1):
        s.count[k] += s.count[k + 1]
    for hand in range(NUM_HANDS):
        rank = np.int64(s.rank[hand])
        if rank > 0:
            worse, equal = s.count[rank + 1], s.count[rank] - s.count[rank + 1]
            s.share[hand] += (worse + 0.5 * equal) / total
            s.boards[hand] += 1
