"""The forest of min-max trees that values the actions of a decision from the flop on (section 3.1).

A tree supposes two views: the player holds its hand and thinks of one opponent's hand, the opponent holds a hand (drawn
from the same beliefs, but on its own) and thinks of one of the player's, of which it knows nothing. In the tree each
side takes the action that is best for it as it sees things: raise before call before fold where they are equal. The
value of a side is what it collects of the pot less what it still pays. Folding is worth 0 to who folds and the pot to
the other, a showdown the pot to whoever wins it against the hand it thinks of.

How a round of limit betting ends is told by the number of bets that were matched, so a round has at most five different
ends, not nine as the paper counts. As in the paper, the streets that follow are played once, for the first of these
ends, and the values of the others are moved by the share of the larger pot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.holdem_moves import sum_cards
from card_baselines.papers.maitrepierre2008.beliefs import visible_cards
from card_envs.cards import DECK_SIZE
from card_envs.compiler import kernel
from card_envs.games.holdem.actions import amount_to_call
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker.hands import BOARD_CARDS, HANDS, HOLE_CARDS, NUM_HANDS
from card_envs.poker.ranks import CARD_BITS, CARD_KEYS, rank_of
from card_envs.rng import STREAM, random_below, random_unit

FLOP, TURN, RIVER = 1, 2, 3
US, THEM = 0, 1
_MATCHED = 5
"""Number of ways in which a round ends: 0 to 4 bets matched."""
_OUTCOMES = 9
"""Number of outcomes of the two showdowns of a tree: 3 * (player's) + opponent's, each 0 lost, 1 split, 2 won."""
_BOARD_PLACE = 2 * HOLE_CARDS

FOREST = np.dtype(
    (
        np.record,
        [
            STREAM,  # of the hands that are drawn
            ("value", np.float64, (3,)),  # of fold, call, raise for the player, summed over trees
            # --- the decision ---
            ("first", np.int64),  # who opens a round: US or THEM
            ("start_pot", np.int64),  # pot at the start of this round, chips
            ("bet", np.int64, (4,)),  # by street
            ("cap", np.int64, (4,)),
            ("reference", np.int64),  # bets matched at the first end of this round, for which later streets are played
            # --- scratch; values are (player's, opponent's, player's share of the pot, opponent's) ---
            ("cumulative", np.float64, (NUM_HANDS,)),  # beliefs
            ("end", np.float64, (4, _MATCHED, 4)),  # by street: values where the round ends with so many bets matched
            ("node", np.float64, (4, 4)),  # by street: values where somebody decides
            ("river", np.float64, (_OUTCOMES, 4)),  # values at the start of the river
            ("count", np.int64, (DECK_SIZE, _OUTCOMES)),  # by turn card: river cards with each outcome
            ("hand", np.int64, (4,)),  # player's, thought of, opponent's, thought of
            ("key", np.int64, (4,)),
            ("bits", np.int64, (4,)),
        ],
    )
)
"""The work space of one decision."""


@kernel
def value_actions(f: Any, t: Any, seat: Any, probability: Any, trees: Any) -> None:
    """Write the values of fold, call and raise at view `t`, summed over `trees` drawn trees, in chips.

    `probability` (1326,) are the beliefs of `seat`. The stream of `f` is set before.
    """
    _look_at(f, t, seat)
    _solve_rivers(f, t)
    total = 0.0
    for hand in range(NUM_HANDS):
        total += probability[hand]
        f.cumulative[hand] = total
    for action in range(3):
        f.value[action] = 0.0
    for _ in range(trees):
        used = _draw_hands(f, t, seat)
        _end_this_round(f, t, used)
        _add_root(f, t)


@kernel
def best_action(f: Any, t: Any, margin: Any) -> Any:
    """Return RAISE, CALL or FOLD: the largest value, of equal ones the most aggressive action that is legal.

    Values (summed over trees) that differ by no more than `margin` count as equal.
    """
    can_raise, can_fold = t.max_raise_to > 0, amount_to_call(t) > 0
    if can_raise and f.value[RAISE] + margin >= f.value[CALL] and (f.value[RAISE] >= f.value[FOLD] or not can_fold):
        return RAISE
    return CALL if f.value[CALL] >= f.value[FOLD] or not can_fold else FOLD


@kernel
def _look_at(f: Any, t: Any, seat: Any) -> None:
    f.first = THEM if seat == t.button else US
    f.start_pot = np.int64(t.pot) - t.street_commit[0] - t.street_commit[1]
    for street in range(4):
        f.bet[street], f.cap[street] = t.bet_size[street], t.max_raises[street]
    f.reference = t.street_raises[t.street]  # the first end: a call, or two checks


# --- hands ---


@kernel
def _draw_hands(f: Any, t: Any, seat: Any) -> Any:
    """Draw the hands of a tree; return the set of cards that they and the board hold."""
    board = visible_cards(t, seat)
    own = sum_cards(t, HOLE_CARDS * seat, np.int64(HOLE_CARDS))[2]
    f.hand[0] = own
    f.hand[1] = _cards_of(_sample_belief(f))
    f.hand[2] = _cards_of(_sample_belief(f))
    f.hand[3] = _cards_of(random_below(f, np.int64(NUM_HANDS)))
    while f.hand[3] & (f.hand[2] | (board & ~own)) != 0:
        f.hand[3] = _cards_of(random_below(f, np.int64(NUM_HANDS)))
    board_key, board_bits, _ = sum_cards(t, _BOARD_PLACE, BOARD_CARDS[t.street])
    for who in range(4):
        f.key[who], f.bits[who] = board_key, board_bits
        for card in range(DECK_SIZE):
            if f.hand[who] >> card & 1 == 1:
                f.key[who] += CARD_KEYS[card]
                f.bits[who] |= CARD_BITS[card]
    return board | f.hand[1] | f.hand[2] | f.hand[3]


@kernel
def _cards_of(hand: Any) -> Any:
    return np.int64(1) << np.int64(HANDS[hand, 0]) | np.int64(1) << np.int64(HANDS[hand, 1])


@kernel
def _sample_belief(f: Any) -> Any:
    """Return a hand of the opponent drawn from the beliefs."""
    drawn = random_unit(f) * f.cumulative[NUM_HANDS - 1]
    return min(np.int64(np.searchsorted(f.cumulative, drawn, side="right")), NUM_HANDS - 1)


@kernel
def _outcome(f: Any, key: Any, bits: Any) -> Any:
    """Return the outcome of both showdowns with further board cards."""
    code = np.int64(0)
    for pair in range(2):
        own = rank_of(f.key[2 * pair] + key, f.bits[2 * pair] | bits)
        other = rank_of(f.key[2 * pair + 1] + key, f.bits[2 * pair + 1] | bits)
        code = 3 * code + (2 if own < other else (1 if own == other else 0))
    return code


# --- rounds of betting ---


@kernel
def _chain(f: Any, street: Any, base: Any, level: Any, actor: Any) -> None:
    """Write the values where `actor` faces the `level`-th bet of a round that began with `base` in the pot."""
    bet = f.bet[street]
    for facing in range(f.cap[street], level - 1, -1):
        own = actor if (facing - level) % 2 == 0 else 1 - actor
        other = 1 - own
        raises = f.node[street, own] - 2 * bet
        calls = f.end[street, facing, own] - bet
        if facing < f.cap[street] and raises >= calls and raises >= 0.0:
            f.node[street, own] = raises
        elif calls >= 0.0:
            for k in range(4):
                f.node[street, k] = f.end[street, facing, k]
            f.node[street, own] = calls
        else:
            f.node[street, own], f.node[street, 2 + own] = 0.0, 0.0
            f.node[street, other], f.node[street, 2 + other] = base + bet * (2 * facing - 1), 1.0


@kernel
def _after_check(f: Any, street: Any, base: Any) -> None:
    """Write the values where who opens a round has checked, and the other checks or bets."""
    opener, second = f.first, 1 - f.first
    _chain(f, street, base, np.int64(1), opener)
    bets = f.node[street, second] - f.bet[street]
    if bets >= f.end[street, 0, second]:
        f.node[street, second] = bets
    else:
        for k in range(4):
            f.node[street, k] = f.end[street, 0, k]


@kernel
def _round(f: Any, street: Any, base: Any) -> None:
    """Write the values at the start of a round, whose ends are known."""
    opener = f.first
    _after_check(f, street, base)
    v0, v1, s0, s1 = f.node[street, 0], f.node[street, 1], f.node[street, 2], f.node[street, 3]
    checks = v0 if opener == US else v1
    _chain(f, street, base, np.int64(1), 1 - opener)
    bets = f.node[street, opener] - f.bet[street]
    if bets >= checks:
        f.node[street, opener] = bets
    else:
        f.node[street, 0], f.node[street, 1], f.node[street, 2], f.node[street, 3] = v0, v1, s0, s1


@kernel
def _add_root(f: Any, t: Any) -> None:
    """Add the values of the actor's actions, the ends of this round being known."""
    street, level = np.int64(t.street), np.int64(t.street_raises[t.street])
    bet, base = f.bet[street], f.start_pot
    if amount_to_call(t) > 0:
        f.value[CALL] += f.end[street, level, US] - bet
        if level < f.cap[street]:
            _chain(f, street, base, level + 1, THEM)
            f.value[RAISE] += f.node[street, US] - 2 * bet
        return
    if f.first == US:
        _after_check(f, street, base)
        f.value[CALL] += f.node[street, US]
    else:
        f.value[CALL] += f.end[street, 0, US]
    _chain(f, street, base, np.int64(1), THEM)
    f.value[RAISE] += f.node[street, US] - bet


# --- ends of rounds ---


@kernel
def _show_down(f: Any, base: Any, outcome: Any) -> None:
    """Write the ends of the last round: each side collects the share that it thinks it wins."""
    for matched in range(f.cap[RIVER] + 1):
        pot = base + 2 * f.bet[RIVER] * matched
        for who in range(2):
            share = 0.5 * (outcome // 3 if who == US else outcome % 3)
            f.end[RIVER, matched, who] = share * pot
            f.end[RIVER, matched, 2 + who] = share


@kernel
def _solve_rivers(f: Any, t: Any) -> None:
    """Write the values at the start of the river for every outcome, in the pot of the first end of this round."""
    base = f.start_pot + 2 * f.bet[t.street] * f.reference
    for outcome in range(_OUTCOMES):
        _show_down(f, base, np.int64(outcome))
        _round(f, np.int64(RIVER), base)
        for k in range(4):
            f.river[outcome, k] = f.node[RIVER, k]


@kernel
def _end_this_round(f: Any, t: Any, used: Any) -> None:
    """Write the ends of the round that is being played, for the hands of one tree."""
    if t.street == RIVER:
        _show_down(f, f.start_pot, _outcome(f, np.int64(0), np.int64(0)))
    elif t.street == TURN:
        cards = _count_rivers(f, np.int64(0), np.int64(0), used, np.int64(0))
        _end_turn(f, np.int64(0), cards, f.reference)
    else:
        _end_flop(f, used)


@kernel
def _end_flop(f: Any, used: Any) -> None:
    """Write the ends of the flop: means over all turn cards."""
    _count_pairs(f, used)
    for k in range(4):
        f.end[FLOP, f.reference, k] = 0.0
    num_cards = np.int64(0)
    for card in range(DECK_SIZE):
        num_cards += 1 - (used >> card & 1)
    for card in range(DECK_SIZE):
        if used >> card & 1 == 0:
            _end_turn(f, np.int64(card), num_cards - 1, np.int64(0))
            _round(f, np.int64(TURN), f.start_pot + 2 * f.bet[FLOP] * f.reference)
            for k in range(4):
                f.end[FLOP, f.reference, k] += f.node[TURN, k] / num_cards
    _move_ends(f, np.int64(FLOP), f.reference)


@kernel
def _end_turn(f: Any, card: Any, num_cards: Any, reference: Any) -> None:
    """Write the ends of the turn: means over the river cards that `count` counts for a turn card."""
    for k in range(4):
        total = 0.0
        for outcome in range(_OUTCOMES):
            total += f.count[card, outcome] * f.river[outcome, k]
        f.end[TURN, reference, k] = total / num_cards
    _move_ends(f, np.int64(TURN), reference)


@kernel
def _move_ends(f: Any, street: Any, reference: Any) -> None:
    """Write all ends of a round from one: each side collects its share of what the pot is larger or smaller."""
    for matched in range(f.cap[street] + 1):
        more = 2.0 * f.bet[street] * (matched - reference)
        for who in range(2):
            share = f.end[street, reference, 2 + who]
            f.end[street, matched, who] = f.end[street, reference, who] + share * more
            f.end[street, matched, 2 + who] = share


@kernel
def _count_rivers(f: Any, key: Any, bits: Any, used: Any, card: Any) -> Any:
    """Count the outcomes over all river cards into `count[card]`; return how many cards there are."""
    for outcome in range(_OUTCOMES):
        f.count[card, outcome] = 0
    num_cards = np.int64(0)
    for river in range(DECK_SIZE):
        if used >> river & 1 == 0:
            f.count[card, _outcome(f, key + CARD_KEYS[river], bits | CARD_BITS[river])] += 1
            num_cards += 1
    return num_cards


@kernel
def _count_pairs(f: Any, used: Any) -> None:
    """Count the outcomes for every turn card over all river cards; each pair of cards is looked at once."""
    for card in range(DECK_SIZE):
        for outcome in range(_OUTCOMES):
            f.count[card, outcome] = 0
    for turn in range(DECK_SIZE):
        if used >> turn & 1 == 0:
            for river in range(turn):
                if used >> river & 1 == 0:
                    outcome = _outcome(f, CARD_KEYS[turn] + CARD_KEYS[river], CARD_BITS[turn] | CARD_BITS[river])
                    f.count[turn, outcome] += 1
                    f.count[river, outcome] += 1
