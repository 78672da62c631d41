"""What engines find in the hands of the corpus: the options at every decision, the payoffs, what they refuse."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from card_envs.cards import card_name
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RULES
from card_envs.games.holdem.state import CALL, FOLD
from tests.differential.against_openspiel import ask_openspiel, is_choice, settle
from tests.helpers.holdem_hands import Found, Hand, OneTable, Options

PROFILES = ("standard", "acpc", "rlcard")
"""Profiles that another engine plays; hands of `pokerstars` are in `tests/history/test_pokerstars_site.py`."""
ENGINES = ("PokerKit", "OpenSpiel", "RLCard")
STAKES_OF_RLCARD = ((1, 2), (2, 2, 4, 4), (4, 4, 4, 4))
"""Blinds, raise sizes, caps."""


def under(hand: Hand, profile: str) -> HoldemConfig:
    """Return the game of a hand under a rules profile; the hand itself says what happens to antes."""
    dead = hand.config.profile.dead_antes
    return replace(hand.config, rules=profile if dead else replace(RULES[profile], dead_antes=False))


def found_by_us(hand: Hand, profile: str) -> Found:
    config = under(hand, profile)
    n = config.num_players
    deck = [card for cards in hand.hole_cards for card in cards] + hand.board
    table = OneTable(config, button=n - 1, stacks=hand.stacks, deck=deck)
    trace: list[Options] = []
    for index, (kind, raise_to) in enumerate(hand.decisions):
        if table.is_over:
            return Found(tuple(trace), (), index)
        options = table.options()
        trace.append(options)
        if hand.trace[index].position != options.position or not allows(options, kind, raise_to):
            return Found(tuple(trace), (), index)
        table.decide(kind, raise_to)
    if not table.is_over:
        trace.append(table.options())
        return Found(tuple(trace), (), len(hand.decisions))
    return Found(tuple(trace), tuple(map(Fraction, table.by_position("payoff"))), None)


def allows(options: Options, kind: int, raise_to: int) -> bool:
    if kind == FOLD:
        return options.may_fold
    return kind == CALL or (options.raise_to is not None and options.raise_to[0] <= raise_to <= options.raise_to[1])


def found_by_pokerkit(hand: Hand) -> Found:
    from tests.differential.oracles import pokerkit_hands

    return pokerkit_hands.replay(hand)


# --- OpenSpiel --------------------------------------------------------------------------------------------------------


def openspiel_plays(hand: Hand) -> bool:
    """True if universal_poker can: no antes, no stack below a blind; in limit, deep stacks and two to four seats."""
    config, n = hand.config, len(hand.stacks)
    big = max(config.blinds)
    if config.structure == "pot_limit" or any(config.ante_list) or min(hand.stacks) < big or len(config.blinds) > 2:
        return False
    if not config.profile.button_owes_small_blind:
        return False  # its lists would have to be turned around
    return config.structure == "no_limit" or (n <= 4 and min(hand.stacks) > 1000)


def found_by_openspiel(hands: list[Hand], as_it_is: bool) -> list[Found]:
    """Return what a process of its own finds; `as_it_is`: with raises that nobody could call."""
    answers = ask_openspiel(hands, as_it_is)
    return [answer_of(hand, answer) for hand, answer in zip(hands, answers, strict=True)]


def answer_of(hand: Hand, answer: dict[str, Any]) -> Found:
    trace = tuple(
        Options(p, fold, call, tuple(raises) if raises else None) for p, fold, call, raises in answer["trace"]
    )
    if answer["refused"] not in (None, [None, None]) or not answer["returns"]:
        return Found(trace, (), len(trace) - 1)
    payoffs = tuple(Fraction(chips).limit_denominator(1000) for chips in answer["returns"])
    return Found(trace, payoffs, None)


# --- RLCard -----------------------------------------------------------------------------------------------------------


def rlcard_plays(hand: Hand) -> bool:
    """True for heads-up limit with deep stacks and RLCard's own stakes."""
    config = hand.config
    stakes = config.blinds, config.raise_sizes, config.max_raises
    return (
        config.structure == "limit" and len(hand.stacks) == 2 and stakes == STAKES_OF_RLCARD and min(hand.stacks) > 1000
    )


def found_by_rlcard(hand: Hand) -> Found:
    import rlcard
    from rlcard.games.base import Card

    env = rlcard.make("limit-holdem", config={"seed": 0})
    env.reset()
    game = env.game
    small = next(player for player in game.players if player.in_chips == 1).player_id
    seats = [small, 1 - small]  # the small blind is position 0, as nobody has a button
    for position, seat in enumerate(seats):
        game.players[seat].hand = [rlcard_card(Card, card) for card in hand.hole_cards[position]]
    game.dealer.deck = [rlcard_card(Card, card) for card in reversed(hand.board)]
    trace: list[Options] = []
    for index, (kind, _) in enumerate(hand.decisions):
        if env.is_over():
            return Found(tuple(trace), (), index)
        trace.append(options_of_rlcard(env, seats))
        legal = set(env.get_state(env.get_player_id())["raw_legal_actions"])
        word = next(iter(legal & {FOLD: {"fold"}, CALL: {"call", "check"}}.get(kind, {"raise"})), None)
        if word is None or trace[-1].position != hand.trace[index].position:
            return Found(tuple(trace), (), index)
        env.step(word, raw_action=True)
    if not env.is_over():
        return Found((*trace, options_of_rlcard(env, seats)), (), len(hand.decisions))
    payoffs = env.get_payoffs()
    return Found(tuple(trace), tuple(Fraction(float(payoffs[seat]) * 2) for seat in seats), None)


def rlcard_card(make: Any, card: int) -> Any:
    name = card_name(card)
    return make(name[1].upper(), name[0])


def options_of_rlcard(env: Any, seats: list[int]) -> Options:
    seat = env.get_player_id()
    legal, raised = env.get_state(seat)["raw_legal_actions"], env.game.round.raised
    to_call = max(raised) - raised[seat]
    raise_to = int(max(raised) + env.game.round.raise_amount)
    return Options(seats.index(seat), "fold" in legal, int(to_call), (raise_to, raise_to) if "raise" in legal else None)


# --- comparisons ------------------------------------------------------------------------------------------------------


def same(expected: Found, found: Found, limit_ids: bool = False, in_fractions: Hand | None = None) -> bool:
    """True if an engine finds what a profile expects.

    `limit_ids`: the engine tells whether a limit raise is possible, not to how much. `in_fractions`: the engine splits
    odd chips, which is compared with what that hand pays when it does so.
    """
    ours, theirs = ([reduced(o, limit_ids) for o in trace if is_choice(o)] for trace in (expected.trace, found.trace))
    payoffs = tuple(settle(in_fractions, whole=False)) if in_fractions and expected.payoffs else expected.payoffs
    return ours == theirs and (expected.refused is None) == (found.refused is None) and payoffs == found.payoffs


def reduced(options: Options, limit_ids: bool) -> tuple[object, ...]:
    return (*options[:3], options.raise_to is not None) if limit_ids else tuple(options)
