"""Agents that play by their hole cards before the flop, and then by the hand that these make with the board.

`shi_rules` is the rule-based agent of Shi et al. (2022), section 5.1 (3): the paper names equal ranks, equal suits and
straights, and says that strong hands bet. Maitrepierre et al. (2008, Brennus) describe the two styles of poker books,
after Billings et al. (2002): tight means few hands and loose many, aggressive means raises and passive calls. None of
them prints numbers; all rules are ours. Hands are classified by equal ranks, equal suits, and runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.scripted.holdem_moves import board_card, hole_card
from card_baselines.agents.scripted.rule_player import Loose, RulePlayer, move_kernel
from card_baselines.agents.scripted.starting_hands import chen_rule
from card_envs.compiler import kernel
from card_envs.games.holdem.showdown import num_board_cards
from card_envs.games.holdem.state import CALL, FOLD, RAISE

NOTHING, DRAW, PAIR, TOP_PAIR, STRONG = range(5)
"""`DRAW`: four of a suit or four of five ranks in a row, with a card to come. `TOP_PAIR`: with the highest card of the
board, or a pair in hand above it. `STRONG`: two pair or better. The board alone makes nothing."""

_WHOLE_BOARD = 5
_RUNS = 10  # of five ranks: A2345 .. TJQKA
_BITS_OF_FIVE: NDArray[np.int8] = np.array([number.bit_count() for number in range(32)], np.int8)


@kernel
def classify_made_hand(t: Any) -> Any:
    """Return the class of hand that the actor's hole cards make with three board cards or more: NOTHING .. STRONG."""
    first, second = hole_card(t, 0), hole_card(t, 1)
    count = num_board_cards(t)
    ranks = np.int64(0)
    same_first, same_second, highest = np.int64(0), np.int64(0), np.int64(-1)
    suit_first, suit_second = np.int64(1), np.int64(1)
    for k in range(count):
        card = board_card(t, k)
        ranks |= np.int64(1) << (card >> 2)
        highest = max(highest, card >> 2)
        same_first += card >> 2 == first >> 2
        same_second += card >> 2 == second >> 2
        suit_first += card & 3 == first & 3
        suit_second += card & 3 == second & 3
    if first & 3 == second & 3:
        suit_first += 1
    cards_in_line = max(max(suit_first, suit_second), longest_run(ranks, first >> 2, second >> 2))
    if cards_in_line >= _WHOLE_BOARD:
        return STRONG
    made = classify_by_ranks(first >> 2, second >> 2, same_first, same_second, highest)
    if made == NOTHING and cards_in_line == _WHOLE_BOARD - 1 and count < _WHOLE_BOARD:
        return DRAW
    return made


@kernel
def classify_by_ranks(first: Any, second: Any, same_first: Any, same_second: Any, highest: Any) -> Any:
    """Return the class of hand by ranks alone.

    The arguments are the ranks of the hole cards, the number of board cards of each of these ranks, and the highest
    rank of the board.
    """
    if first == second:
        return STRONG if same_first > 0 else TOP_PAIR if first > highest else PAIR
    if same_first + same_second >= 2:
        return STRONG
    if same_first + same_second == 0:
        return NOTHING
    return TOP_PAIR if (first if same_first > 0 else second) == highest else PAIR


@kernel
def longest_run(board_ranks: Any, first: Any, second: Any) -> Any:
    """Return the largest number of ranks present in any straight to which a hole card contributes."""
    board = board_ranks << 1 | board_ranks >> 12  # bit 0: the ace as the lowest card
    held = np.int64(1) << first | np.int64(1) << second
    own = (held << 1 | held >> 12) & ~board
    most = np.int64(0)
    for low in range(_RUNS):
        if own >> low & 31:
            most = max(most, np.int64(_BITS_OF_FIVE[(board | own) >> low & 31]))
    return most


_TEN, _JACK, _QUEEN, _KING = 8, 9, 10, 11


def _street_kernel(move_before_flop: Any, move_with_board: Any) -> Any:
    """Return `RulePlayer.choose_rows` of a rule for two cards and one for a board."""

    @kernel
    def choose_move(t: Any) -> Any:
        return move_before_flop(t) if t.street == 0 else move_with_board(t)

    return move_kernel(choose_move)


@kernel
def move_by_ranks(t: Any) -> Any:
    """Return the move of `shi_rules` before the flop."""
    first, second = hole_card(t, 0) >> 2, hole_card(t, 1) >> 2
    high, low = max(first, second), min(first, second)
    if (high == low and high >= _TEN) or low >= _JACK:
        return RAISE
    suited = hole_card(t, 0) & 3 == hole_card(t, 1) & 3
    return CALL if high - low <= 1 or suited or high >= _QUEEN else FOLD


@kernel
def move_by_class(t: Any) -> Any:
    """Return the move of `shi_rules` by the class of hand with the board (`classify_made_hand`)."""
    made = classify_made_hand(t)
    return RAISE if made >= TOP_PAIR else CALL if made >= DRAW else FOLD


@kernel
def move_tight_aggressive(t: Any) -> Any:
    """Return the move of `tight_aggressive` by the class of hand with the board and the bets of this street."""
    made, bets = classify_made_hand(t), t.street_raises[t.street]
    if made == STRONG or (made == TOP_PAIR and bets == 0):
        return RAISE
    if made == TOP_PAIR or (made in (PAIR, DRAW) and bets <= 1):
        return CALL
    return FOLD


@kernel
def move_loose_passive(t: Any) -> Any:
    """Return the move of `loose_passive` by the class of hand with the board and the bets of this street."""
    made, bets = classify_made_hand(t), t.street_raises[t.street]
    if made == STRONG and bets <= 1:
        return RAISE
    holds_high_card = max(hole_card(t, 0), hole_card(t, 1)) >> 2 >= _KING
    return CALL if made >= DRAW or (holds_high_card and bets <= 1) else FOLD


class ShiRules(RulePlayer):
    """Bets top pair or better, calls with any pair or draw, folds the rest; before the flop by rank, suit, distance.

    Before the flop it raises a pair of tens or better and two cards of at least a jack, and calls with other pairs, two
    cards of a suit or of neighbouring ranks, and with a queen or better.
    """

    name = "shi_rules_strict"
    choose_rows = _street_kernel(move_by_ranks, move_by_class)


class ShiRulesLoose(Loose, ShiRules):
    """Like `shi_rules_strict`, but calls a quarter of the times that one bets, and half of the times it folds."""

    name = "shi_rules_loose"


class TightAggressive(RulePlayer):
    """Plays few hands before the flop and raises most of them; then bets top pair, raises two pair or better.

    Before the flop by Chen points: raises from 9, calls from 7, heads-up from 7 and 4. With the board it raises two
    pair or better; bets top pair and calls raises with it; calls one bet with a lower pair or a draw; else it folds.
    """

    name = "tight_aggressive"
    choose_rows = _street_kernel(chen_rule(9, 7, 7, 4), move_tight_aggressive)


class LoosePassive(RulePlayer):
    """Calls before the flop with most hands and then with any pair or draw; raises little but two pair or better.

    Before the flop by Chen points: raises from 14, calls from 2, heads-up from 12 and 0. With the board it bets two
    pair or better but does not raise again; calls with any pair or draw, and one bet with a king or an ace; else it
    folds.
    """

    name = "loose_passive"
    choose_rows = _street_kernel(chen_rule(14, 2, 12, 0), move_loose_passive)
