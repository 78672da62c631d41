"""The rules that the corpus shows: what each says, which games to search, and what a hand that shows it looks like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from card_envs.games.holdem.rules import RULES as PROFILES
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from card_envs.poker_hands import hand_rank
from tests.corpus.predicates import (
    Config,
    acted_before,
    adds_up,
    all_in,
    calls,
    class_of,
    classes,
    events,
    faces_short_all_in,
    folds,
    is_showdown,
    limit,
    no_limit,
    odd_chips,
    others_have_chips,
    pots,
    raises,
    ranks,
    short_all_ins,
    short_limit,
    winners,
    with_stacks,
)
from tests.helpers.holdem_hands import Choose, Hand, choose_all_in_often, choose_any

Cards = Callable[[list[list[int]], list[int]], bool]


@dataclass(frozen=True)
class Rule:
    """One rule, and how to find hands that show it."""

    says: str
    config: Config
    shows: Callable[[Hand], bool]
    choose: Choose = choose_any
    profile: str = "standard"
    """Under which the recorded actions are legal."""
    cards: Cards | None = None
    """(hole cards, board) -> the deal is worth playing; for rules about rare cards."""


# --- order, blinds, bets ----------------------------------------------------------------------------------------------


def opener(street: int, position: int) -> Callable[[Hand], bool]:
    return lambda hand: next((e.position == position for e in events(hand) if e.street == street), False)


def all_streets(hand: Hand) -> bool:
    return is_showdown(hand) and set(hand.streets) == {0, 1, 2, 3}


def option_is_raised(hand: Hand) -> bool:
    big = 1 if len(hand.stacks) > 2 else 0
    return any(e.street == 0 and e.position == big and e.kind == RAISE and not e.options.to_call for e in events(hand))


def opens_left_of_a_fold(hand: Hand) -> bool:
    flop = [e for e in events(hand) if e.street == 1]
    return bool(flop) and flop[0].position > 0 and 0 in {e.position for e in events(hand) if e.kind == FOLD}


def raises_in_a_row(least: int) -> Callable[[Hand], bool]:
    return lambda hand: any(
        sum(e.street == street and e.kind == RAISE for e in events(hand)) >= least for street in range(4)
    )


def smallest_raise_after_a_larger_one(hand: Hand) -> bool:
    last = 0
    for e in events(hand):
        if e.kind != RAISE or e.options.raise_to is None:
            continue
        if e.street == 0 and last and e.raise_to == e.options.raise_to[0] > last + 2 * hand.config.min_bet and e.behind:
            return True
        last = e.raise_to if e.street == 0 else last
    return False


def smallest_bet(hand: Hand) -> bool:
    return any(
        e.street and e.kind == RAISE and not e.options.to_call and e.raise_to == 10 and e.behind for e in events(hand)
    )


def uncalled(hand: Hand) -> bool:
    last = events(hand)[-1] if hand.decisions else None
    return last is not None and last.kind == FOLD and not is_showdown(hand) and max(hand.payoffs) < max(hand.commits)


def pot_sized(hand: Hand) -> bool:
    return any(
        e.kind == RAISE and e.options.raise_to and e.raise_to == e.options.raise_to[1] and e.behind
        for e in events(hand)
    )


def capped(street: int) -> Callable[[Hand], bool]:
    def shows(hand: Hand) -> bool:
        faced = [e for e in events(hand) if e.street == street]
        return sum(e.kind == RAISE for e in faced) == 4 and faced[-1].options.raise_to is None

    return shows


def bet_of(street: int, chips: int) -> Callable[[Hand], bool]:
    return lambda hand: any(
        e.street == street and e.kind == RAISE and e.raise_to == chips and not e.options.to_call for e in events(hand)
    )


# --- all-ins and pots -------------------------------------------------------------------------------------------------


def calls_for_less(hand: Hand) -> bool:
    return any(e.kind == CALL and e.options.to_call and not e.behind and owes_more(hand, e.index) for e in events(hand))


def owes_more(hand: Hand, index: int) -> bool:
    """True if the bet on that street is above what the caller could put in: nobody could raise less than he owes."""
    event = events(hand)[index]
    bet = max((e.raise_to for e in events(hand)[:index] if e.street == event.street and e.kind == RAISE), default=0)
    return bet > event.options.to_call + hand.config.blinds[-1]


def short_then_raised(hand: Hand) -> bool:
    """True if somebody who had not acted raises after a short all-in."""
    for short, _ in short_all_ins(hand):
        later = next((e for e in events(hand)[short.index + 1 :]), None)
        if later and later.street == short.street and later.kind == RAISE and not acted_before(hand, later, short):
            return True
    return False


def nobody_could_call(hand: Hand) -> bool:
    return any(
        e.options.to_call and e.options.raise_to is None and e.behind > 0 and not others_have_chips(hand, e)
        for e in events(hand)
    )


def runs_out(hand: Hand) -> bool:
    return is_showdown(hand) and 0 < max(hand.streets, default=0) < 3


def num_pots(count: int) -> Callable[[Hand], bool]:
    return lambda hand: is_showdown(hand) and len(pots(hand)) == count


def different_winners(hand: Hand) -> bool:
    if not is_showdown(hand):
        return False
    who = [tuple(winners(hand, contenders)) for _, contenders in pots(hand)]
    return len(set(who)) > 1


def folded_money_in_a_side_pot(hand: Hand) -> bool:
    if not is_showdown(hand) or len(pots(hand)) < 2:
        return False
    main = min(hand.commits[p] for p in pots(hand)[0][1])
    return any(hand.folded[p] and hand.commits[p] > main for p in range(len(hand.stacks)))


def split(hand: Hand) -> bool:
    return is_showdown(hand) and len(pots(hand)) == 1 and len(winners(hand, pots(hand)[0][1])) == 2


def short_blind(position: int) -> Callable[[Hand], bool]:
    def shows(hand: Hand) -> bool:
        p = (1 - position) if len(hand.stacks) == 2 else position
        return hand.stacks[p] < hand.config.blinds[position] and len(hand.decisions) > 0

    return shows


def has_short_ante(hand: Hand) -> bool:
    antes = hand.config.ante_list
    return any(stack <= ante for stack, ante in zip(hand.stacks, antes, strict=True) if ante) and is_showdown(hand)


def any_hand(hand: Hand) -> bool:
    return len(hand.decisions) > 3


# --- cards ------------------------------------------------------------------------------------------------------------


def meet(better: str, worse: str) -> Cards:
    """Two hands of these classes, the better one first."""

    def worth(hole_cards: list[list[int]], board: list[int]) -> bool:
        found = sorted(hand_rank([*cards, *board]) for cards in hole_cards)
        return [class_of(rank) for rank in found[:2]] == [better, worse]

    return worth


def met(better: str, worse: str) -> Callable[[Hand], bool]:
    return lambda hand: classes(hand)[:2] == [better, worse]


def wheel(hole_cards: list[list[int]], board: list[int]) -> bool:
    return min(hand_rank([*cards, *board]) for cards in hole_cards) == 1609


def wheel_wins(hand: Hand) -> bool:
    return is_showdown(hand) and min(ranks(hand).values()) == 1609


def board_is_best(hole_cards: list[list[int]], board: list[int]) -> bool:
    rank = hand_rank(board)
    return rank < 3326 and all(hand_rank([*cards, *board]) == rank for cards in hole_cards)


def board_played(hand: Hand) -> bool:
    return is_showdown(hand) and set(ranks(hand).values()) == {hand_rank(hand.board)}


def same_pair(hole_cards: list[list[int]], board: list[int]) -> bool:
    """The two best hands have one pair, the same one, and different kickers."""
    shared = set(card // 4 for card in hole_cards[0]) & set(card // 4 for card in hole_cards[1])
    first, second = (hand_rank([*cards, *board]) for cards in hole_cards[:2])
    paired = shared & {card // 4 for card in board}
    return bool(paired) and first != second and class_of(first) == class_of(second) == "pair"


def kicker_decides(hand: Hand) -> bool:
    return len(hand.stacks) == 2 and classes(hand) == ["pair", "pair"] and same_pair(hand.hole_cards, hand.board)


def same_kicker(hole_cards: list[list[int]], board: list[int]) -> bool:
    shared = set(card // 4 for card in hole_cards[0]) & set(card // 4 for card in hole_cards[1])
    first, second = (hand_rank([*cards, *board]) for cards in hole_cards[:2])
    return len(shared) == 1 and first == second and class_of(first) == "pair"


def best_are_equal(count: int) -> Cards:
    """So many hands share the best rank."""

    def worth(hole_cards: list[list[int]], board: list[int]) -> bool:
        found = [hand_rank([*cards, *board]) for cards in hole_cards]
        return found.count(min(found)) == count

    return worth


def ties(hand: Hand) -> bool:
    return is_showdown(hand) and len(set(ranks(hand).values())) == 1


# --- the list ---------------------------------------------------------------------------------------------------------

TWO, SIX, DEEP = no_limit(2, 2, 10, 100), no_limit(3, 6, 10, 60), no_limit(6, 9, 20, 100)
SHORT = no_limit(3, 5, 2, 20)
TINY = no_limit(4, 6, 1, 12)
ODD = with_stacks(4, (15, 85), blinds=(3, 7), min_bet=7)
LIVE = replace(PROFILES["standard"], dead_antes=False)

RULES: dict[str, Rule] = {
    "heads-up-button-opens-preflop": Rule(
        "Heads-up the button owes the small blind and acts first before the flop.", TWO, opener(0, 1)
    ),
    "heads-up-button-acts-last-after": Rule(
        "Heads-up the big blind acts first from the flop on.", TWO, lambda h: opener(1, 0)(h) and all_streets(h), calls
    ),
    "opens-left-of-the-big-blind": Rule(
        "With three or more players the seat left of the big blind opens.",
        SIX,
        lambda h: opener(0, 2)(h) and all_streets(h),
        calls,
    ),
    "opens-left-of-the-button": Rule(
        "From the flop on the first player left of the button who has not folded opens.", SIX, opens_left_of_a_fold
    ),
    "straddle-acts-last": Rule(
        "A straddle is a third blind: the seat left of it opens, and it acts last before the flop.",
        no_limit(4, 6, 10, 50, blinds=(5, 10, 20), min_bet=20),
        lambda h: (
            opener(0, 3)(h) and any(e.street == 0 and e.position == 2 and not e.options.to_call for e in events(h))
        ),
        calls,
    ),
    "big-blind-has-the-option": Rule("The big blind may raise when everybody called.", SIX, option_is_raised, raises),
    "smallest-bet-is-the-big-blind": Rule("The smallest bet is the big blind.", SIX, smallest_bet),
    "smallest-raise-is-the-last-one": Rule(
        "A raise is at least as large as the largest bet or raise of the street.",
        DEEP,
        smallest_raise_after_a_larger_one,
        raises,
    ),
    "no-cap-in-no-limit": Rule("There is no cap on raises in no-limit games.", DEEP, raises_in_a_row(5), raises),
    "uncalled-bet-is-returned": Rule("Chips that nobody called go back to whoever bet them.", SIX, uncalled),
    "folding-needs-a-bet": Rule(
        "Whoever has nothing to call cannot fold.",
        SIX,
        lambda h: any(not o.may_fold for o in h.trace) and all_streets(h),
        calls,
    ),
    "pot-limit-largest-raise": Rule(
        "In pot-limit games a raise is at most the pot after calling.",
        no_limit(2, 6, 30, 100, structure="pot_limit"),
        pot_sized,
        lambda rng, table, o: (RAISE, o.raise_to[1]) if o.raise_to and rng.random() < 0.4 else (CALL, 0),
    ),
    "short-all-in-does-not-reopen": Rule(
        "An all-in below a full raise lets players who already acted call or fold, not raise (TDA 2024 rule 47).",
        SHORT,
        lambda h: faces_short_all_in(h, may_raise=False),
        choose_all_in_often,
    ),
    "short-all-ins-add-up": Rule(
        "Several all-ins that add up to a full raise reopen the betting (TDA 2024 rule 47).",
        TINY,
        adds_up,
        choose_all_in_often,
    ),
    "short-all-in-may-be-raised-by-others": Rule(
        "After a short all-in, players who have not acted yet may raise.", SHORT, short_then_raised, choose_all_in_often
    ),
    "acpc-short-all-in-reopens": Rule(
        "Under acpc every all-in raise reopens the betting for everybody.",
        no_limit(3, 5, 2, 20, rules="acpc"),
        lambda h: faces_short_all_in(h, may_raise=True) and not adds_up(h) and is_showdown(h),
        choose_all_in_often,
        "acpc",
    ),
    "acpc-raise-after-a-short-all-in": Rule(
        "Under acpc the smallest raise-to after a short all-in stays, unless as much again would be more.",
        no_limit(3, 5, 2, 20, rules="acpc"),
        short_then_raised,
        choose_all_in_often,
        "acpc",
    ),
    "call-for-less": Rule(
        "A player who cannot call the whole bet calls with all chips.", SHORT, calls_for_less, choose_all_in_often
    ),
    "no-raise-that-nobody-could-call": Rule(
        "Against players who are all-in one may call or fold, not raise.", SHORT, nobody_could_call, all_in
    ),
    "board-runs-out": Rule(
        "When nobody can bet any more, the rest of the board comes without betting.", SHORT, runs_out, all_in
    ),
    "blinds-put-everybody-all-in": Rule(
        "When the blinds take all chips there is no decision at all.",
        with_stacks(2, (1, 5)),
        lambda h: not h.decisions,
    ),
    "short-big-blind": Rule(
        "A big blind that is short of chips posts what it has; that is the bet to call.",
        with_stacks(4, (6, 9), (40, 200), (40, 200), (6, 200)),
        short_blind(1),
        calls,
    ),
    "short-small-blind": Rule(
        "A small blind that is short of chips posts what it has and plays for the main pot.",
        with_stacks(3, (1, 4), (40, 200)),
        short_blind(0),
        calls,
    ),
    "short-big-blind-heads-up": Rule(
        "Heads-up a short big blind leaves the button nothing to do but call it.",
        with_stacks(2, (1, 9), (20, 100)),
        short_blind(1),
        calls,
    ),
    "side-pot": Rule(
        "Chips that one player could not match form a side pot for the others.", SHORT, num_pots(2), all_in
    ),
    "three-way-side-pots": Rule("Two short stacks make a main pot and two side pots.", TINY, num_pots(3), all_in),
    "four-way-side-pots": Rule(
        "Three short stacks make a main pot and three side pots.",
        with_stacks(6, (10, 30), (31, 60), (61, 90), (91, 140)),
        num_pots(4),
        all_in,
    ),
    "side-pot-won-by-a-worse-hand": Rule(
        "The best hand wins only the pots that it paid for.", SHORT, different_winners, all_in
    ),
    "folded-chips-in-a-side-pot": Rule(
        "What a player put in before folding stays in the pots that it reached.",
        with_stacks(5, (20, 60), (100, 300)),
        folded_money_in_a_side_pot,
        choose_any,
    ),
    "pot-is-split": Rule("Equal hands share the pot.", TWO, split, calls),
    "odd-chip-two-way": Rule(
        "A chip that cannot be split goes to the first winner left of the button.",
        ODD,
        lambda h: odd_chips(h, 2),
        folds,
        cards=best_are_equal(2),
    ),
    "odd-chips-three-way": Rule(
        "Of a pot shared by three, one or two odd chips go to the first winner left of the button.",
        ODD,
        lambda h: odd_chips(h, 3),
        folds,
        cards=best_are_equal(3),
    ),
    "odd-chip-of-a-side-pot": Rule(
        "Every pot is split on its own, odd chips of side pots too.",
        ODD,
        lambda h: odd_chips(h, 2, side=True),
        all_in,
        cards=best_are_equal(2),
    ),
    "antes-are-dead": Rule(
        "Antes are no bets: they go to the pot, and what is to call does not count them.",
        no_limit(3, 6, 10, 40, antes=2),
        all_streets,
        calls,
    ),
    "big-blind-ante": Rule(
        "The big blind may pay the ante for the whole table.", no_limit(3, 6, 10, 40, antes=(0, 10)), all_streets, calls
    ),
    "short-ante": Rule(
        "A player whose stack is below the ante puts in all of it; dead antes belong to the main pot whole.",
        with_stacks(4, (1, 4), (60, 200), antes=4),
        has_short_ante,
        calls,
    ),
    "trimmed-antes": Rule(
        "Where antes are trimmed, a short stack wins no more of each ante than it paid (field ante_trimming_status).",
        with_stacks(4, (1, 4), (60, 200), antes=4, rules=LIVE),
        has_short_ante,
        calls,
    ),
    "small-bets-before-the-turn": Rule(
        "In limit games bets before the turn are small bets.", limit(2, 4), bet_of(1, 2), raises
    ),
    "big-bets-from-the-turn": Rule(
        "In limit games bets from the turn on are big bets.", limit(2, 4), bet_of(2, 4), raises
    ),
    "limit-cap-preflop": Rule(
        "At most four raises before the flop (the blind is none).", limit(2, 4), capped(0), raises
    ),
    "limit-cap-flop": Rule("At most one bet and three raises on the flop.", limit(2, 4), capped(1), raises),
    "limit-cap-river": Rule("At most one bet and three raises on the river.", limit(2, 4), capped(3), raises),
    "limit-short-all-in": Rule(
        "In limit games, too, an all-in may be below a full bet or raise.",
        short_limit,
        lambda h: any(e.kind == RAISE and not e.behind and e.raise_to % 4 for e in events(h)) and is_showdown(h),
        raises,
    ),
    "rlcard-other-seat-owes-the-small-blind": Rule(
        "Under rlcard, heads-up, the seat without the button owes the small blind and opens.",
        limit(2, 2, rules="rlcard"),
        opener(0, 0),
        profile="rlcard",
    ),
    "rlcard-last-actor-decides-who-opens": Rule(
        "Under rlcard a street opens left of whoever acted last.",
        limit(2, 2, rules="rlcard"),
        lambda h: opener(1, 1)(h) and all_streets(h),
        calls,
        "rlcard",
    ),
    "rlcard-folding-is-always-possible": Rule(
        "Under rlcard a player may fold with nothing to call.",
        limit(2, 2, rules="rlcard"),
        lambda h: any(e.kind == FOLD and not e.options.to_call for e in events(h)),
        choose_any,
        "rlcard",
    ),
    "wheel-is-the-lowest-straight": Rule(
        "A-2-3-4-5 is a straight, and the lowest.", SIX, wheel_wins, calls, cards=wheel
    ),
    "board-plays": Rule(
        "Where the board is everybody's best hand, all share.", SIX, board_played, calls, cards=board_is_best
    ),
    "kicker-decides": Rule("Of equal pairs the higher kicker wins.", TWO, kicker_decides, calls, cards=same_pair),
    "kicker-does-not-count": Rule(
        "Cards beyond the best five do not count: equal pairs with three higher cards on the board share.",
        TWO,
        ties,
        calls,
        cards=same_kicker,
    ),
    "straight-flush-beats-everything": Rule(
        "Nothing beats a straight flush but a higher one.",
        TWO,
        lambda h: classes(h)[:1] == ["straight flush"],
        calls,
        cards=lambda hole_cards, board: min(hand_rank([*cards, *board]) for cards in hole_cards) <= 10,
    ),
    **{
        f"{better.replace(' ', '-')}-beats-{worse.replace(' ', '-')}": Rule(
            f"A hand of the class {better} beats one of the class {worse}.",
            TWO,
            met(better, worse),
            calls,
            cards=meet(better, worse),
        )
        for better, worse in (
            ("pair", "high"),
            ("two pair", "pair"),
            ("three", "two pair"),
            ("straight", "three"),
            ("flush", "straight"),
            ("full house", "flush"),
            ("four of a kind", "full house"),
        )
    },
}
