"""The Big 2 agent that plans the order in which to play its whole hand.

For every subset of its cards it finds the cheapest partition into plays. A play that is unlikely to be beaten is cheap,
because the lead comes back, and so is a play that can follow other plays. The probability to be beaten depends on the
unseen cards and on the number of cards that the opponents hold. Each legal action is rated by the cost of the cards
that it leaves, and by the probability of playing all of them in a row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from card_baselines.agents.scripted.rule_player import RulePlayer, rule_kernel
from card_envs.bits import bit_count, lowest_bit
from card_envs.compiler import kernel
from card_envs.games.big2.actions import ACTION_POSITIONS, ACTION_SIZE, PASS, POSITIONS, value_of_action
from card_envs.games.big2.combos import KIND_SHIFT, NO_COMBO, kind_of, rank_counts
from card_envs.games.big2.config import is_big2
from card_envs.games.big2.legal import list_legal
from card_envs.games.big2.state import (
    FOUR_OF_A_KIND,
    FULL_HOUSE,
    HAND_SIZE,
    MAX_LEGAL,
    NUM_SEATS,
    PAIR,
    SINGLE,
    STRAIGHT,
    STRAIGHT_FLUSH,
    TABLE,
    TRIPLE,
    TWO_PAIR,
)

# Costs are in turns: a play that can only be led, and loses the lead, costs one. The constants were tuned by hand, in
# duplicate matches against random, big2_lowest, big2_greedy and earlier versions of this agent.

LEAD_BACK = 1.2
"""Turns saved by a play that nobody beats."""
FOLLOWING = np.array([0.0, 0.65, 0.4, 0.4, 0.2, 0.2])
"""(6,): turns saved by the strongest play of each number of cards, because it can follow other plays."""
NOT_LEADING = 0.8
"""Cost of not having the lead, in turns."""
FINISH = 3.0
"""Value of certainly playing everything in a row, in turns."""
CARD = 0.4
"""Cost in turns of each card left, divided by the number of cards of the opponent with the fewest."""
HELD_BACK = 0.5
"""Probability that an opponent does not play a given higher card on a single."""

CHANCES = np.array(
    [
        *[[0.0] * 5] * 4,
        [0.0103, 0.0000, 0.0000, 0.0000, 0.0000],
        [0.0493, 0.0068, 0.0034, 0.0014, 0.0000],
        [0.1330, 0.0336, 0.0177, 0.0080, 0.0001],
        [0.2692, 0.0987, 0.0569, 0.0270, 0.0003],
        [0.4421, 0.2105, 0.1310, 0.0630, 0.0008],
        [0.6206, 0.3675, 0.2428, 0.1202, 0.0016],
        [0.7787, 0.5503, 0.3880, 0.1969, 0.0030],
        [0.8925, 0.7222, 0.5531, 0.2920, 0.0055],
        [0.9582, 0.8541, 0.7063, 0.3921, 0.0092],
        [0.9878, 0.9373, 0.8337, 0.4950, 0.0151],
    ]
)
"""(14, 5): row n holds the probabilities that n random cards contain two pairs or four of a kind; a straight or better;
a flush or better; a full house or better; a straight flush. Counted in 200,000 random hands of each size."""
_FOUR_CARDS, _STRAIGHT_OR_BETTER = 0, 1

_NUM_SETS = 1 << HAND_SIZE
_DECK = (np.int64(1) << NUM_SEATS * HAND_SIZE) - 1
_HIGHEST_RANK = HAND_SIZE - 1
_HIGHEST_RUN = 8  # levels of straights above the lowest; some house rules have one more
_NEARLY_NEVER = 1e-6
_ENDLESS = np.float32(1e9)

POSITION_SET = np.array([sum(1 << position for position in positions) for positions in POSITIONS], np.int64)
"""(NUM_ACTIONS,): positions of each action as a set, bit = position."""

PLAN = np.dtype(
    (
        np.record,
        [
            ("in_control", TABLE),  # the table as if the actor had control, which lists all its combinations
            # --- public information ---
            ("unseen", np.int64),  # set of cards that opponents may hold
            ("num_unseen", np.float64),
            ("fewest_cards", np.int64),  # held by an opponent
            ("most_cards", np.int64),  # held by an opponent
            ("same_hand_2", np.float64),  # probability that one opponent holds two given unseen cards
            ("same_hand_3", np.float64),  # ... three given unseen cards
            # --- combinations of the hand, by their lowest position ---
            ("first", np.int64, (HAND_SIZE + 2,)),  # combinations with lowest position p: first[p] .. first[p + 1] - 1
            ("combo", np.int64, (MAX_LEGAL,)),  # set of positions
            ("cost", np.float32, (MAX_LEGAL,)),  # turns
            ("risk", np.float32, (MAX_LEGAL,)),  # -log(probability that nobody beats it)
            # --- the best partition of every set of positions ---
            ("least_cost", np.float32, (_NUM_SETS,)),  # turns
            ("least_risk", np.float32, (_NUM_SETS,)),  # -log(probability that nobody beats any play)
            ("finish_risk", np.float32, (_NUM_SETS,)),  # ... any play but the last, which need not win
        ],
    )
)
"""Scratch space of the kernels for one decision."""


@kernel
def plan_play(t: Any, random_number: Any, plans: Any) -> Any:
    """Return the planned action of a view's actor; `plans` is one record of scratch space."""
    return np.int64(t.legal[0]) if t.num_legal == 1 else choose(t, plans[0])


@kernel
def choose(t: Any, plan: Any) -> Any:
    """Return the action after which the actor needs the fewest turns."""
    count_unseen(t, plan)
    list_combos(t, plan)
    find_partitions(plan, np.int64(t.num_cards[t.actor]))
    best, fewest = np.int64(PASS), np.inf
    for k in range(t.num_legal):
        action = np.int64(t.legal[k])
        turns = turns_after(t, plan, action)
        if turns < fewest or (turns == fewest and action < best):
            best, fewest = action, turns
    return best


@kernel
def turns_after(t: Any, plan: Any, action: Any) -> Any:
    """Return the number of turns that the actor needs after `action`, minus the value of a certain finish."""
    cards_left = np.int64(t.num_cards[t.actor]) - ACTION_SIZE[action]
    if cards_left == 0:
        return -np.inf
    rest = ((np.int64(1) << np.int64(t.num_cards[t.actor])) - 1) ^ POSITION_SET[action]
    wins = 0.0 if action == PASS else win_chance(t, plan, action)
    turns = plan.least_cost[rest] + NOT_LEADING * (1.0 - wins) + CARD * cards_left / plan.fewest_cards
    return turns - FINISH * wins * np.exp(-np.float64(plan.finish_risk[rest]))


@kernel
def count_unseen(t: Any, plan: Any) -> None:
    """Write the cards that opponents may hold, and the probabilities that one of them holds several given cards."""
    seen = t.held[t.actor]
    fewest, most = np.int64(HAND_SIZE), np.int64(0)
    pairs, triples = 0.0, 0.0  # ordered ones within one hand
    for seat in range(NUM_SEATS):
        seen |= t.played[seat]
        if seat != t.actor:
            cards = np.int64(t.num_cards[seat])
            fewest, most = min(fewest, cards), max(most, cards)
            pairs += cards * (cards - 1)
            triples += cards * (cards - 1) * (cards - 2)
    plan.fewest_cards, plan.most_cards = fewest, most
    plan.unseen = _DECK & ~seen
    unseen = bit_count(plan.unseen)
    plan.num_unseen = unseen
    plan.same_hand_2 = pairs / max(1, unseen * (unseen - 1))
    plan.same_hand_3 = triples / max(1, unseen * (unseen - 1) * (unseen - 2))


@kernel
def list_combos(t: Any, plan: Any) -> None:
    """Write all combinations of the actor's hand, sorted by lowest position, with their costs and risks."""
    plan.in_control = t
    table = plan.in_control
    table.trick_size, table.trick_value = 0, NO_COMBO
    list_legal(table)
    for p in range(HAND_SIZE + 2):
        plan.first[p] = 0
    for k in range(table.num_legal):
        plan.first[ACTION_POSITIONS[table.legal[k], 0] + 2] += 1
    for p in range(2, HAND_SIZE + 2):
        plan.first[p] += plan.first[p - 1]
    for k in range(table.num_legal):
        action = np.int64(table.legal[k])
        after = np.int64(ACTION_POSITIONS[action, 0]) + 1
        place = plan.first[after]  # grows to where the next position's combinations begin
        plan.first[after] = place + 1
        wins = win_chance(t, plan, action)
        plan.combo[place] = POSITION_SET[action]
        plan.cost[place] = 1.0 - LEAD_BACK * wins - FOLLOWING[ACTION_SIZE[action]] * strength(t, plan, action)
        plan.risk[place] = -np.log(max(wins, _NEARLY_NEVER))


@kernel
def find_partitions(plan: Any, num_cards: Any) -> None:
    """Write the least costs and risks of all sets of the first `num_cards` positions."""
    plan.least_cost[0] = plan.least_risk[0] = plan.finish_risk[0] = 0.0
    for cards in range(1, np.int64(1) << num_cards):
        cost = risk = finish_risk = _ENDLESS
        lowest = lowest_bit(cards)  # every partition has a play that contains it
        for k in range(plan.first[lowest], plan.first[lowest + 1]):
            combo = plan.combo[k]
            if combo & cards == combo:
                rest = cards ^ combo
                cost = min(cost, plan.least_cost[rest] + plan.cost[k])
                risk = min(risk, plan.least_risk[rest] + plan.risk[k])
                # this play may be the last one, or another one
                finish_risk = min(finish_risk, min(plan.finish_risk[rest] + plan.risk[k], plan.least_risk[rest]))
        plan.least_cost[cards] = cost
        plan.least_risk[cards] = risk
        plan.finish_risk[cards] = finish_risk


@kernel
def strength(t: Any, plan: Any, action: Any) -> Any:
    """Return the rank of a play among those of its size, 0 to 1; 1 for plays of four cards or more."""
    size = ACTION_SIZE[action]
    if size > 3:
        return 1.0
    top = _top_card(t, action)
    if size == 1:
        return 1.0 - bit_count(plan.unseen >> top) / max(1.0, plan.num_unseen)
    return (top >> 2) / _HIGHEST_RANK


@kernel
def win_chance(t: Any, plan: Any, action: Any) -> Any:
    """Return an estimate of the probability that no opponent beats a play; for fours and straight flushes it is 1."""
    if ACTION_SIZE[action] > plan.most_cards:
        return 1.0
    kind = kind_of(value_of_action(t, t.actor, action))
    top = _top_card(t, action)
    if kind == SINGLE:
        return HELD_BACK ** bit_count(plan.unseen >> top)
    if kind == PAIR:
        return _no_higher_pair(plan, top)
    if kind == TWO_PAIR:
        return 1.0 - (1.0 - _no_higher_pair(plan, top)) * CHANCES[plan.most_cards, _FOUR_CARDS]
    if kind == TRIPLE:
        return _no_higher_triple(plan, top >> 2)
    if kind in (FOUR_OF_A_KIND, STRAIGHT_FLUSH):
        return 1.0
    return _no_better_five(t, kind, _place_among_fives(t, action, kind))


@kernel
def _top_card(t: Any, action: Any) -> Any:
    """Return the highest card of a play."""
    return np.int64(t.hand[t.actor, ACTION_POSITIONS[action, ACTION_SIZE[action] - 1]])


@kernel
def _no_higher_pair(plan: Any, top: Any) -> Any:
    """Return the probability that no opponent holds a pair above card `top`, treating pairs as independent."""
    counts = rank_counts(plan.unseen)
    rank = top >> 2
    # of the same rank, the pair with the spade
    pairs = np.int64(counts >> 4 * rank & 0xF == 2 and plan.unseen >> top & (0xF >> (top & 3)) != 0)
    for higher in range(rank + 1, _HIGHEST_RANK + 1):
        count = counts >> 4 * higher & 0xF
        pairs += count * (count - 1) >> 1
    return (1.0 - plan.same_hand_2) ** pairs


@kernel
def _no_higher_triple(plan: Any, rank: Any) -> Any:
    """Return the probability that no opponent holds a triple above `rank`, treating triples as independent."""
    counts = rank_counts(plan.unseen)
    triples = np.int64(0)
    for higher in range(rank + 1, _HIGHEST_RANK + 1):
        count = counts >> 4 * higher & 0xF
        triples += 4 if count == 4 else 1 if count == 3 else 0
    return (1.0 - plan.same_hand_3) ** triples


@kernel
def _place_among_fives(t: Any, action: Any, kind: Any) -> Any:
    """Return the rank of a straight, flush or full house among its kind, 0 to 1."""
    if kind == STRAIGHT:
        level = (value_of_action(t, t.actor, action) - (STRAIGHT << KIND_SHIFT)) >> 2
        return min(1.0, level / _HIGHEST_RUN)
    if kind == FULL_HOUSE:
        return (value_of_action(t, t.actor, action) - (FULL_HOUSE << KIND_SHIFT)) / _HIGHEST_RANK
    return (_top_card(t, action) >> 2) / _HIGHEST_RANK


@kernel
def _no_better_five(t: Any, kind: Any, place: Any) -> Any:
    """Return the probability that no opponent, with a random hand, beats a five-card play of a kind and rank."""
    column = _STRAIGHT_OR_BETTER + kind - STRAIGHT
    chance = 1.0
    for seat in range(NUM_SEATS):
        if seat != t.actor:
            cards = t.num_cards[seat]
            better_kind = CHANCES[cards, column + 1]
            same_kind = CHANCES[cards, column] - better_kind
            chance *= 1.0 - better_kind - same_kind * (1.0 - place)
    return chance


class Big2Planner(RulePlayer):
    """Takes the action that leaves the hand which needs the fewest turns, and keeps or takes the lead for it."""

    name = "big2_planner"
    choose_rows = rule_kernel(plan_play)
    plays = staticmethod(is_big2)

    def __init__(self) -> None:
        self.setting = np.zeros(1, PLAN)
