"""Conversion of a hand of a match to PokerStars' text, in play money, for programs that track hands."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from card_envs.cards import card_names
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD
from card_envs.history.holdem_hand import Decision, HoldemHand, rules_name
from card_envs.history.phh.write import require_phh
from card_envs.history.pokerstars.format import OWN_TABLE
from card_envs.poker.ranks import hand_category, hand_rank

_LIMITS = {"limit": "Limit", "pot_limit": "Pot Limit", "no_limit": "No Limit"}
_STREETS = ("preflop", "FLOP", "TURN", "RIVER")
_FOLDED = ("before Flop", "on the Flop", "on the Turn", "on the River")
_BEGIN = datetime(2000, 1, 1)
"""Date of the first hand; the others follow a second apart, so that equal matches have equal files."""
_CAPS = ((3, 4, 4, 4), (4, 4, 4, 4))
"""Caps of limit games, with which the text is read back."""


def require_pokerstars(config: HoldemConfig) -> None:
    """Raise ValueError for a game that PokerStars' text cannot describe, or that its readers would play differently."""
    require_phh(config)
    profile, (low, high) = config.profile, (*config.blinds, 0, 0)[:2]
    if len(config.blinds) != 2 or not 0 <= low <= high or not high:
        raise ValueError("PokerStars' text has a small and a big blind, no straddles")
    if config.structure == "limit" and config.max_raises not in _CAPS:
        raise ValueError("a limit game of PokerStars has at most 4 bets and raises on a street, equally many on all")
    if high != (config.raise_sizes[0] if config.structure == "limit" else config.min_bet):
        raise ValueError("PokerStars' text has no smallest bet that differs from the big blind")
    if len(set(config.ante_list)) > 1:
        raise ValueError("PokerStars' text has one ante for all players")
    if profile.fold_when_free or profile.last_actor_opens or not profile.button_owes_small_blind:
        raise ValueError(f"PokerStars' text follows the order of its site, which rules {rules_name(config)!r} do not")
    if profile.short_raise_reopens and len(set(config.stack_list)) > 1:
        raise ValueError(
            f"PokerStars has no raises after short all-ins, which {rules_name(config)!r} allows with different stacks"
        )


def write_hand(hand: HoldemHand, names: tuple[str, ...], number: int) -> str:
    """Return a hand as text, with a line break at the end.

    Args:
        hand: The hand.
        names: Players by position, all different.
        number: Number of the hand, unique among all hands that a tracker knows.
    """
    return "\n".join([*_HandWriter(hand, names).write_lines(number), ""])


class _HandWriter:
    def __init__(self, hand: HoldemHand, names: tuple[str, ...]) -> None:
        self.hand, self.names, self.config = hand, names, hand.config
        self.n = len(names)
        self.seats = [(seat - hand.number) % self.n + 1 for seat in hand.seats]
        """Seat number of each position. Trackers expect that players keep their seats and the button moves."""
        self.commits = [0] * self.n
        """Chips that each position has put in on this street."""
        self.left = list(hand.stacks)
        """Chips that each position has left."""
        self.folded_on: dict[int, int] = {}

    def write_lines(self, number: int) -> Iterator[str]:
        yield from self._write_head(number)
        yield from self._write_posts()
        yield "*** HOLE CARDS ***"
        for name, cards in zip(self.names, self.hand.hole_cards, strict=True):
            yield f"Dealt to {name} [{card_names(cards)}]"
        yield from self._write_betting()
        yield from self._write_showdown()
        yield from self._write_summary()

    def _write_head(self, number: int) -> Iterator[str]:
        config, time = self.config, _BEGIN + timedelta(seconds=self.hand.number)
        is_limit = config.structure == "limit"
        low, high = (config.raise_sizes[0], config.raise_sizes[-1]) if is_limit else config.blinds
        game = f"Hold'em {_LIMITS[config.structure]} ({low}/{high})"
        yield f"PokerStars Hand #{number}:  {game} - {time:%Y/%m/%d %H:%M:%S} ET"
        rules = rules_name(config)
        table = OWN_TABLE if rules == "standard" else f"{OWN_TABLE} {rules}"
        yield f"Table '{table}' {self.n}-max (Play Money) Seat #{self.seats[-1]} is the button"
        for position in self._order_by_seat():
            yield f"Seat {self.seats[position]}: {self.names[position]} ({self.hand.stacks[position]} in chips)"

    def _order_by_seat(self) -> list[int]:
        return sorted(range(self.n), key=lambda position: self.seats[position])

    def _write_posts(self) -> Iterator[str]:
        antes = [min(ante, stack) for ante, stack in zip(self.config.ante_list, self.left, strict=True)]
        unmatched = 0 if self.config.profile.dead_antes else max(antes) - sorted(antes)[-2]
        for position, ante in enumerate(antes):
            if paid := min(ante, max(antes) - unmatched):
                self.left[position] -= paid
                yield f"{self.names[position]}: posts the ante {paid}{self._mark_all_in(position)}"
        for kind, position, blind in zip(("small", "big"), self._find_blinds(), self.config.blinds, strict=True):
            if paid := min(blind, self.left[position]):
                self._pay(position, paid)
                yield f"{self.names[position]}: posts {kind} blind {paid}{self._mark_all_in(position)}"

    def _find_blinds(self) -> tuple[int, int]:
        return (1, 0) if self.n == 2 else (0, 1)

    def _pay(self, position: int, chips: int) -> None:
        self.commits[position] += chips
        self.left[position] -= chips

    def _mark_all_in(self, position: int) -> str:
        return " and is all-in" if self.left[position] == 0 else ""

    def _write_betting(self) -> Iterator[str]:
        street = 0
        for decision in self.hand.decisions:
            while street < decision.street:
                street += 1
                yield self._write_board(street)
                self.commits = [0] * self.n
            yield self._write_decision(decision)
        yield from self._write_uncalled()
        for later in range(street + 1, len(self.hand.board_by_street)):
            yield self._write_board(later)

    def _write_board(self, street: int) -> str:
        by_street = self.hand.board_by_street
        before = [card for cards in by_street[:street] for card in cards]
        shown = f"[{card_names(before)}] " if before else ""
        return f"*** {_STREETS[street]} *** {shown}[{card_names(by_street[street])}]"

    def _write_decision(self, decision: Decision) -> str:
        position, name = decision.position, self.names[decision.position]
        high, paid = decision.bet, decision.raise_to - self.commits[decision.position]
        if decision.kind == FOLD:
            self.folded_on[position] = decision.street
            return f"{name}: folds"
        self._pay(position, paid)
        if decision.kind == CALL:
            return f"{name}: calls {paid}{self._mark_all_in(position)}" if paid else f"{name}: checks"
        words = f"raises {decision.raise_to - high} to {decision.raise_to}" if high else f"bets {decision.raise_to}"
        return f"{name}: {words}{self._mark_all_in(position)}"

    def _write_uncalled(self) -> Iterator[str]:
        """Yield a line for the uncalled part of a bet, if there is one."""
        second, high = sorted(self.commits)[-2:]
        if high > second:
            position = self.commits.index(high)
            self.left[position] += high - second
            yield f"Uncalled bet ({high - second}) returned to {self.names[position]}"

    def _write_showdown(self) -> Iterator[str]:
        self.collected = [
            stack + payoff - left
            for stack, payoff, left in zip(self.hand.stacks, self.hand.payoffs, self.left, strict=True)
        ]
        if self.hand.is_showdown:
            yield "*** SHOW DOWN ***"
            for position, name in enumerate(self.names):
                if not self.hand.folded[position]:
                    cards = self.hand.hole_cards[position]
                    yield f"{name}: shows [{card_names(cards)}] ({self._name_category(position)})"
        for name, chips in zip(self.names, self.collected, strict=True):
            if chips:
                yield f"{name} collected {chips} from pot"

    def _name_category(self, position: int) -> str:
        return hand_category(hand_rank((*self.hand.hole_cards[position], *self.hand.board)))

    def _write_summary(self) -> Iterator[str]:
        yield "*** SUMMARY ***"
        yield f"Total pot {sum(self.collected)} | Rake 0"
        if self.hand.board:
            yield f"Board [{card_names(self.hand.board)}]"
        for position in self._order_by_seat():
            who = f"Seat {self.seats[position]}: {self.names[position]}{self._write_role(position)}"
            yield f"{who} {self._write_end(position)}"

    def _write_role(self, position: int) -> str:
        small, big = self._find_blinds()
        roles = [
            *(["(button)"] if position == self.n - 1 else []),
            *(["(small blind)"] if position == small else []),
            *(["(big blind)"] if position == big else []),
        ]
        return "".join(f" {role}" for role in roles)

    def _write_end(self, position: int) -> str:
        won = self.collected[position]
        if position in self.folded_on:
            return f"folded {_FOLDED[self.folded_on[position]]}"
        if not self.hand.is_showdown:
            return f"collected ({won})"
        cards, category = card_names(self.hand.hole_cards[position]), self._name_category(position)
        return f"showed [{cards}] and {f'won ({won})' if won else 'lost'} with {category}"
