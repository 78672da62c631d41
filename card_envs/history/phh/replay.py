"""Replay of PHH hands, which checks the legality of every action and the final stacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from typing import Any, NoReturn

from card_envs.game import ILLEGAL, NOBODY
from card_envs.games.holdem.actions import betting_options
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.kernels import apply_decision, begin_hand
from card_envs.games.holdem.rules import RulesProfile
from card_envs.games.holdem.state import MAX_CHIPS, RAISE, STREET_NAMES, TEXAS_BOARD
from card_envs.history.phh.format import DEAL_BOARD, DEAL_HOLE, MUCK, REMARK, Hand
from card_envs.history.phh.tables import (
    check_playable,
    chip_scale,
    max_raises_of,
    profile_with_antes,
    rules_of,
    template_of,
)
from card_envs.history.recorded_cards import (
    RecordedDecisions,
    cards_in_deck_order,
    fill_unknown,
    seats_with_hidden_cards,
)
from card_envs.history.results import (
    EXACT,
    LEGAL_ONLY,
    MATCHED,
    MISMATCHED,
    ODD_CHIP,
    RAKE,
    SKIPPED,
    Number,
    ReplayResult,
    Stop,
)
from card_envs.history.settle import differ_by_odd_chips, is_raked, settle, stacks_before_award, uncalled_bet

_BOARD_BY_STREET = tuple(accumulate(TEXAS_BOARD))
"""Number of board cards on each street."""


def replay_hand(hand: Hand, rules: str | RulesProfile | None = None) -> ReplayResult:
    """Replay a recorded hand, and check that it is legal and ends with the recorded stacks.

    Amounts with fractions are played in units of a hundredth or smaller, stacks above `MAX_CHIPS` in the largest common
    unit of the amounts.

    Args:
        hand: One hand of a PHH file.
        rules: Rules profile or its name; None for the profile that the file names in RULES_FIELD, else `standard`. The
            hand, not the profile, determines whether antes are trimmed.

    Returns:
        A result whose status is MATCHED, MISMATCHED or SKIPPED, with the reason.
    """
    try:
        play = _Play(hand, rules)
        for index in range(len(hand.moves)):
            play.apply(index)
        return _compare_result(play)
    except Stop as stop:
        return ReplayResult(hand.source, stop.status, stop.reason, stop.action_index)


def replay_tables(hand: Hand, rules: str | RulesProfile | None = None) -> Iterator[tuple[int, Any]]:
    """Replay a recorded hand, and yield the table after every decision.

    Args:
        hand: One hand of a PHH file.
        rules: Rules profile or its name, see `replay_hand`.

    Yields:
        (index of the action, copy of the table after it). The first index is -1, for the table after the blinds. The
        table is a record array of length 1 with chips in units of 1 / `chip_scale`.

    Raises:
        ValueError: If `replay_hand` returns MISMATCHED or SKIPPED before the comparison of stacks, with the reason.
    """
    try:
        play = _Play(hand, rules)
        yield -1, play.tables.copy()
        for index, move in enumerate(hand.moves):
            play.apply(index)
            if move.kind <= RAISE:
                yield index, play.tables.copy()
    except Stop as stop:
        raise ValueError(f"{hand.source}: {stop.reason}") from None


def config_of(hand: Hand, rules: str | RulesProfile | None = None) -> HoldemConfig:
    """Return the game of a hand, with chips in units of 1 / `chip_scale`; ValueError if our tables do not play it."""
    try:
        return _Play(hand, rules).config
    except Stop as stop:
        raise ValueError(f"{hand.source}: {stop.reason}") from None


def replay_decisions(hand: Hand) -> RecordedDecisions:
    """Return the cards and decisions of a hand; seat 0 is the first seat left of the button.

    Raises ValueError for a hand that is not legal under the rules that it names, or that our tables do not play.
    """
    try:
        play = _Play(hand, None)
        decisions = []
        for index, move in enumerate(hand.moves):
            if move.kind <= RAISE:
                decisions.append((move.kind, play.chips([move.amount])[0] if move.kind == RAISE else 0))
            play.apply(index)
    except Stop as stop:
        raise ValueError(f"{hand.source}: {stop.reason}") from None
    names = [str(name) for name in hand.fields.get("players", ())] or [f"p{k + 1}" for k in range(hand.num_players)]
    stacks = play.chips(hand.fields["starting_stacks"])
    return RecordedDecisions(hand.source, play.config, tuple(names), stacks, tuple(play.known), tuple(decisions))


class _Play:
    """The replay of one hand on a table of its own."""

    def __init__(self, hand: Hand, rules: str | RulesProfile | None) -> None:
        check_playable(hand)
        self.hand = hand
        self.scale = chip_scale(hand)
        fields = hand.fields
        config, template = template_of(
            hand.variant,
            self.chips(fields["blinds_or_straddles"]),
            self.chips(fields["antes"]),
            self.chips([fields[name] for name in ("min_bet", "small_bet", "big_bet") if name in fields]),
            max_raises_of(hand),
            profile_with_antes(
                rules_of(hand) if rules is None else rules, bool(fields.get("ante_trimming_status", False))
            ),
        )
        self.config = config
        self.tables = template.copy()
        self.table = self.tables[0]
        # views of the fields that the replay reads, which are faster than the record
        self.stack = self.tables["stack"][0, : config.num_players]
        self.street = self.tables["street"]
        self.in_hand = self.tables["in_hand"]
        stacks = self.chips(fields["starting_stacks"])
        if max(stacks) > MAX_CHIPS:
            raise Stop(SKIPPED, f"a stack is larger than {MAX_CHIPS} chips, the most that our tables count")
        self.known = cards_in_deck_order(hand)
        """Card ids in the order of the deck field; NO_CARD for unknown cards."""
        self.actor = begin_hand(self.tables, 0, int(self.table.button), stacks, fill_unknown(self.known))
        self.board_dealt = 0
        """Number of board cards that the recording has dealt."""
        self.board_due = _BOARD_BY_STREET[self.street[0]]
        """Number of board cards on the current street."""
        self.has_begun = False
        self.mucked = 0
        """Set (a bit for each seat) of the seats that mucked."""

    @property
    def is_showdown(self) -> bool:
        """True if the hand is over and at least two seats did not fold."""
        in_hand = int(self.in_hand[0])
        return self.actor == NOBODY and in_hand & (in_hand - 1) != 0

    @property
    def claims(self) -> int:
        """Set (a bit for each seat) of the seats that neither folded nor mucked."""
        return int(self.in_hand[0]) & ~self.mucked

    def chips(self, amounts: Sequence[Number]) -> tuple[int, ...]:
        """Convert amounts of the file to our chips."""
        if self.scale == 1:
            return tuple(map(int, amounts))
        return tuple(int(Fraction(amount) * self.scale) for amount in amounts)

    def amount(self, chips: int) -> Number:
        """Convert our chips to an amount of the file."""
        if self.scale == 1:
            return chips
        exact = Fraction(chips) / self.scale
        return int(exact) if exact.denominator == 1 else Decimal(exact.numerator) / exact.denominator

    def apply(self, index: int) -> None:
        """Apply the action with this index; `Stop`, with the legal actions, if it is not legal."""
        move = self.hand.moves[index]
        if move.kind <= RAISE:
            self._decide(index, move.seat, move.kind, move.amount)
        elif move.kind == DEAL_BOARD:
            self.board_dealt += len(move.cards)
            if self.board_dealt > self.board_due:
                self._stop(index, f"{self.board_due} board cards can be on the table now; {self.situation()}")
        elif move.kind == DEAL_HOLE:
            if self.has_begun:
                self._stop(index, f"hole cards come before the first decision; {self.situation()}")
        elif move.kind != REMARK:
            self._show(index, move.seat, move.kind)

    def _decide(self, index: int, seat: int, kind: int, amount: Number) -> None:
        if seat != self.actor:
            self._stop(index, self.situation())
        if self.board_dealt != self.board_due:
            missing = self.board_due - self.board_dealt
            self._stop(index, f"{missing} board cards of the {STREET_NAMES[self.street[0]]} must be dealt before")
        self.has_begun = True
        raise_to = int(amount if self.scale == 1 else Fraction(amount) * self.scale)
        actor = apply_decision(self.tables, 0, kind, min(raise_to, MAX_CHIPS + 1))
        if actor == ILLEGAL:
            self._stop(index, self.situation())
        self.actor = actor
        self.board_due = _BOARD_BY_STREET[self.street[0]]

    def _show(self, index: int, seat: int, kind: int) -> None:
        if self.actor != NOBODY:
            self._stop(index, f"hands are shown after the last decision; {self.situation()}")
        if not int(self.in_hand[0]) >> seat & 1:
            self._stop(index, f"p{seat + 1} has folded")
        if kind == MUCK:
            self.mucked |= 1 << seat
        else:
            self.mucked &= ~(1 << seat)

    def _stop(self, index: int, reason: str) -> NoReturn:
        text = self.hand.fields["actions"][index]
        raise Stop(MISMATCHED, f"action {index + 1} '{text}' is not legal: {reason}", index)

    def situation(self) -> str:
        """Describe who is to act, and the legal actions."""
        if self.actor == NOBODY:
            return "the betting is over"
        return f"p{self.actor + 1} is to act and may {legal_words(self.tables, self.amount)}"


def legal_words(tables: Any, amount: Callable[[int], object], raise_offset: int = 0) -> str:
    """Describe the legal actions at the first table, such as "fold, call 4, raise to 8 .. 200".

    Args:
        tables: The tables.
        amount: Function that converts our chips to an amount of the file.
        raise_offset: Chips to add to our raises, for files that count them from the start of the hand.
    """
    may_fold, to_call, low, high = betting_options(tables, 0)
    options = ["fold"] if may_fold else []
    options.append(f"call {amount(to_call)}" if to_call else "check")
    if high:
        lowest, highest = amount(low + raise_offset), amount(high + raise_offset)
        options.append(f"raise to {lowest}" + (f" .. {highest}" if high > low else ""))
    return ", ".join(options)


# --- the result -------------------------------------------------------------------------------------------------------


def _compare_result(play: _Play) -> ReplayResult:
    """Return the result of a hand whose actions are all legal."""
    source, fields = play.hand.source, play.hand.fields
    name = next((name for name in ("finishing_stacks", "winnings") if name in fields), None)
    stacks, problem = _final_stacks(play)
    shown = tuple(map(play.amount, stacks or ()))
    if name is None:
        return ReplayResult(source, MATCHED, agreement=LEGAL_ONLY, stacks=shown)
    if stacks is None:
        return ReplayResult(source, SKIPPED, problem)
    recorded = fields[name]
    if name == "finishing_stacks":
        ours, agreement = list(shown), _stack_agreement(play, stacks, recorded)
    else:
        won = [after - before for after, before in zip(stacks, stacks_before_award(play.table), strict=True)]
        ours, agreement = list(map(play.amount, won)), _compare_winnings(play, won, recorded)
    if agreement:
        return ReplayResult(source, MATCHED, agreement=agreement, stacks=shown)
    reason = f"{name} are {_join_amounts(recorded)} in the recording, {_join_amounts(ours)} by the rules"
    return ReplayResult(source, MISMATCHED, f"{reason}; {problem}" if problem else reason, stacks=shown)


def _final_stacks(play: _Play) -> tuple[list[int] | None, str]:
    """Return the final stacks and a remark on an early end; or None and the reason why the stacks are unknown."""
    t = play.table
    if play.actor != NOBODY:
        return stacks_before_award(t), f"the recorded actions end although {play.situation()}"
    if not play.is_showdown:
        return play.stack.tolist(), ""
    if play.board_dealt < play.board_due:
        seat, chips = uncalled_bet(t)
        stacks = stacks_before_award(t)
        stacks[seat] += chips
        return stacks, f"the recorded actions end with {play.board_dealt} board cards"
    hidden = seats_with_hidden_cards(play.known)
    if play.claims & hidden and play.claims & (play.claims - 1):
        return None, "hole cards that decide the showdown are not recorded"
    if not play.mucked:
        return play.stack.tolist(), ""
    settlement = settle(t, play.claims)
    if settlement is None:
        return None, "all hands that could win a pot were mucked"
    return [before + won for before, won in zip(stacks_before_award(t), settlement.won, strict=True)], ""


def _stack_agreement(play: _Play, stacks: list[int], recorded: list[Number]) -> str:
    if play.scale == 1 and list(recorded) == stacks:
        return EXACT
    scaled = [Fraction(amount) * play.scale for amount in recorded]
    if scaled == stacks:
        return EXACT
    taken = [chips - before for chips, before in zip(scaled, stacks_before_award(play.table), strict=True)]
    return ODD_CHIP if _is_odd_chip(play, taken) else ""


def _compare_winnings(play: _Play, won: list[int], recorded: list[Number]) -> str:
    """Return the agreement of recorded winnings with ours; some sites include an uncalled bet, others do not."""
    scaled = [Fraction(amount) * play.scale for amount in recorded]
    returned = [0] * len(won)
    seat, chips = uncalled_bet(play.table)
    returned[seat] = min(chips, won[seat])
    net = [chips - back for chips, back in zip(won, returned, strict=True)]
    if scaled in (won, net):
        return EXACT
    with_returned = [chips + back for chips, back in zip(scaled, returned, strict=True)]
    if _is_odd_chip(play, scaled) or _is_odd_chip(play, with_returned):
        return ODD_CHIP
    return RAKE if is_raked(won, returned, scaled) else ""


def _is_odd_chip(play: _Play, taken: list[Fraction]) -> bool:
    if not play.is_showdown or play.board_dealt < play.board_due:
        return False
    settlement = settle(play.table, play.claims)
    return settlement is not None and differ_by_odd_chips(settlement, taken)


def _join_amounts(amounts: Sequence[Number]) -> str:
    return "[" + ", ".join(map(str, amounts)) + "]"
