"""Replay of a `HandRecord` on a table of hold'em, which checks the legality of every action and the result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import Any, NoReturn

from card_envs.cards import NO_CARD
from card_envs.game import ILLEGAL, NOBODY, Game
from card_envs.games.holdem.actions import INTEGERS_OFFSET, betting_options
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.kernels import apply_decision, begin_hand
from card_envs.games.holdem.state import CALL, MAX_CHIPS, RAISE, STREET_NAMES
from card_envs.games.holdem.view import chips_behind
from card_envs.history.hand_record import DEAL_BOARD, DEAL_HOLE, MUCK, REMARK, HandRecord, Move
from card_envs.history.replay import RecordedHand, Replay
from card_envs.history.results import MISMATCHED, Number, ReplayResult, Stop
from card_envs.history.settle import compare_result

_SMALL_GAMES = {6: "leduc_holdem", 3: "kuhn_poker"}
"""Number of cards of the deck -> name of the game."""


class HoldemReplay(Replay):
    """The replay of one hand. The last seat has the button, so that seats equal positions."""

    def __init__(self, record: HandRecord) -> None:
        config = record.config
        self.record, self.names, self.texts = record, record.names, record.texts
        self.tables = _template(config).copy()
        self.table = self.tables[0]
        # views of the fields that the replay reads, which are faster than the record
        self.stack = self.tables["stack"][0, : config.num_players]
        self.street = self.tables["street"]
        self.in_hand = self.tables["in_hand"]
        deck = fill_unknown(record.known, config)
        self.actor: int = begin_hand(self.tables, 0, len(self.stack) - 1, record.stacks, deck)
        self.board_by_street = tuple(accumulate(config.board_cards))
        self.board_dealt = 0
        """Number of board cards that the recording has dealt."""
        self.board_due = self.board_by_street[self.street[0]]
        """Number of board cards on the current street."""
        self.decisions: list[tuple[int, int]] = []
        """(FOLD, CALL or RAISE; chips on the street after a raise, 0 after other decisions)."""
        self.unmatched = [0] * config.num_players
        """Chips by seat that the file counts as called although nobody can match them."""
        self.mucked = 0
        """Set (a bit for each seat) of the seats that mucked."""

    @property
    def game(self) -> Game:
        """The game of the record."""
        return holdem_game("holdem", self.record.config)

    @property
    def seat_names(self) -> tuple[str, ...]:
        """Names of the seats in messages."""
        return tuple(f"p{seat + 1}" for seat in range(len(self.stack)))

    @property
    def is_showdown(self) -> bool:
        """True if the hand is over and at least two seats did not fold."""
        in_hand = int(self.in_hand[0])
        return self.actor == NOBODY and in_hand & (in_hand - 1) != 0

    @property
    def claims(self) -> int:
        """Set (a bit for each seat) of the seats that neither folded nor mucked."""
        return int(self.in_hand[0]) & ~self.mucked

    def play(self) -> Iterator[int]:
        """Make the recorded moves; yield the index of each decision after it. `Stop` for a move that is not legal."""
        for index, move in enumerate(self.record.moves):
            if move.kind <= RAISE:
                if self._decide(index, move):
                    yield index
            elif move.kind == DEAL_BOARD:
                self._deal_board(index, move)
            elif move.kind == DEAL_HOLE:
                if self.decisions:
                    self._stop(index, f"hole cards come before the first decision; {self.situation()}")
            elif move.kind != REMARK:
                self._show(index, move.seat, move.kind)

    def _deal_board(self, index: int, move: Move) -> None:
        self.board_dealt += len(move.cards)
        if self.board_dealt > self.board_due:
            self._stop(index, f"{self.board_due} board cards can be on the table now; {self.situation()}")

    def _decide(self, index: int, move: Move) -> bool:
        """Make a decision; return False for one that our tables skip."""
        if self.actor == NOBODY or move.seat != self.actor:
            self._stop(index, self.situation())
        if self.board_dealt != self.board_due:
            missing = self.board_due - self.board_dealt
            self._stop(index, f"{missing} board cards of the {STREET_NAMES[self.street[0]]} must be dealt before")
        if move.stated is not None:
            self._check_stated(index, move)
        raise_to = self._raise_to(index, move) if move.kind == RAISE else 0
        actor = apply_decision(self.tables, 0, move.kind, min(raise_to, MAX_CHIPS + 1))
        if actor == ILLEGAL:
            self._stop(index, self.situation())
        if move.is_all_in and (left := chips_behind(self.table, move.seat) - self.unmatched[move.seat]):
            self._stop(index, f"{self.seat_names[move.seat]} still has {self.record.amount(left)}")
        self.decisions.append((move.kind, raise_to))
        self.actor = actor
        self.board_due = self.board_by_street[self.street[0]]
        return True

    def _raise_to(self, index: int, move: Move) -> int:
        """Return the chips of the actor on this street after a raise."""
        return self.record.chips(move.amount)

    def _earlier_chips(self) -> int:
        """Return the actor's chips of earlier streets that recorded raises include."""
        return 0

    def _check_stated(self, index: int, move: Move) -> None:
        """Compare what the file says that a decision costs with the table; `Stop` if they differ.

        A call may name the whole big blind if nobody can match it; the file then says that the rest is returned.
        """
        assert move.stated is not None
        if move.kind == RAISE:
            due = self.record.chips(move.amount) - int(self.table.current_bet)
        else:
            due = int(betting_options(self.tables, 0)[1])
        unmatched = self.record.chips(move.stated) - due
        if unmatched > 0 and move.kind == CALL and self._is_returned(move.seat, unmatched):
            self.unmatched[move.seat] = unmatched
        elif unmatched:
            self._stop(index, f"it costs {self.record.amount(due)}; {self.situation()}")

    def _is_returned(self, seat: int, chips: int) -> bool:
        """Return True if nobody else has chips left, and the file says that a seat gets back at least `chips`."""
        returned = self.record.returned
        if not returned or chips > int(self.stack[seat]):
            return False
        others = (k for k in range(len(self.stack)) if k != seat and int(self.in_hand[0]) >> k & 1)
        return self.record.chips(returned[seat]) >= chips and not any(self.stack[k] for k in others)

    def _show(self, index: int, seat: int, kind: int) -> None:
        if self.actor != NOBODY:
            self._stop(index, f"hands are shown after the last decision; {self.situation()}")
        if not int(self.in_hand[0]) >> seat & 1:
            self._stop(index, f"{self.seat_names[seat]} has folded")
        self.mucked = self.mucked | 1 << seat if kind == MUCK else self.mucked & ~(1 << seat)

    def _stop(self, index: int, reason: str) -> NoReturn:
        raise Stop(MISMATCHED, f"action {index + 1} '{self.texts[index]}' is not legal: {reason}", index)

    def situation(self) -> str:
        """Describe who is to act, and the legal actions."""
        if self.actor == NOBODY:
            return "the betting is over"
        may_fold, to_call, low, high = betting_options(self.tables, 0)
        amount, earlier = self.record.amount, self._earlier_chips()
        words = ["fold"] if may_fold else []
        words.append(f"call {amount(to_call)}" if to_call else "check")
        if high:
            words.append(f"raise to {amount(low + earlier)}" + (f" .. {amount(high + earlier)}" if high > low else ""))
        return f"{self.seat_names[self.actor]} is to act and may {', '.join(words)}"

    def result(self) -> ReplayResult:
        """Compare the result with the recorded one; `Stop` for a missing end, another pot or cards that are unknown."""
        self._check_end()
        return compare_result(self)

    def _check_end(self) -> None:
        """Raise `Stop` for a hand that is recorded without its end."""
        if self.actor != NOBODY:
            raise Stop(MISMATCHED, f"the recorded actions end although {self.situation()}")
        if self.is_showdown and self.board_dealt < self.board_due:
            raise Stop(MISMATCHED, f"the recorded actions end with {self.board_dealt} board cards")

    def format_amounts(self, amounts: Iterable[Number]) -> str:
        """Return amounts by seat as messages write them."""
        return f"[{', '.join(map(str, amounts))}]"

    def recorded_hand(self) -> RecordedHand:
        """Return the hand in the form that a table plays; unknown cards are replaced by unused ones."""
        record, k = self.record, self.record.config.num_hole_cards
        config = replace(record.config, stacks=record.stacks)
        n, is_limit = config.num_players, config.structure == "limit"
        num_known = max((position + 1 for position, card in enumerate(record.known) if card != NO_CARD), default=0)
        shown = config if is_limit else replace(config, bet_menu="integers")  # this menu offers every amount
        hand = RecordedHand(
            source=record.source,
            game=holdem_game(game_name(config), shown),
            options={
                "button": n - 1,
                "stacks": list(record.stacks),
                "deck": fill_unknown(record.known, config)[: max(num_known, n * k)],
            },
            names=record.names or self.seat_names,
            actions=tuple(
                kind if kind < RAISE or is_limit else raise_to + INTEGERS_OFFSET for kind, raise_to in self.decisions
            ),
            others=() if is_limit else (holdem_game(game_name(config), config),),
            apply=_apply_amount,
            unknown_seats=tuple(seat for seat in range(n) if record.has_hidden_cards(seat)),
        )
        hand.tables_after(len(hand.actions))
        return hand


@lru_cache(maxsize=1024)
def _template(config: HoldemConfig) -> Any:
    """Return a read-only table of a game, to copy."""
    tables = config.new_tables(1)
    tables.flags.writeable = False
    return tables


def fill_unknown(cards: Sequence[int], config: HoldemConfig) -> list[int]:
    """Replace unknown cards by unused ones; the caller must ensure that these do not affect the result."""
    if NO_CARD not in cards:
        return list(cards)
    used = set(cards)
    unused = (card for card in config.deck_cards if card not in used)
    return [next(unused) if card == NO_CARD else card for card in cards]


def _apply_amount(tables: Any, action: int) -> bool:
    """Take an action id of the menu "integers" at a single table with any menu; return False if it is illegal."""
    kind = min(action, RAISE)
    return int(apply_decision(tables, 0, kind, action - INTEGERS_OFFSET if kind == RAISE else 0)) != ILLEGAL


def game_name(config: HoldemConfig) -> str:
    """Return the name of the game with these settings, "holdem" for those without an environment."""
    if config.is_texas:
        return "limit_holdem" if config.structure == "limit" else "no_limit_holdem"
    if config.is_flop_holdem:
        return "flop_holdem"
    return _SMALL_GAMES.get(config.deck_size, "holdem")
