"""`PokerStarsHand`, and what the text of a hand of PokerStars says."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from card_envs.cards import NO_CARD
from card_envs.games.holdem.rules import RULES, RulesProfile
from card_envs.history.hand_record import DEAL_HOLE, MUCK, SHOW, HandRecord, Move
from card_envs.history.phh.format import action_text, check_fields
from card_envs.history.phh.hand import RULES_FIELD, Hand
from card_envs.history.pokerstars.header import Header, parse_amount
from card_envs.history.results import MISMATCHED, Number, Stop
from card_envs.poker.hands import HOLE_CARDS

_SUMMARY_LOST = re.compile(r" (?:folded|mucked|lost)\b")
_SUMMARY_FOLDED = re.compile(r" folded (before Flop|on the Flop|on the Turn|on the River)\b")
_SUMMARY_ROLE = re.compile(r" \((button|small blind|big blind)\)")
_BOARD_AT_FOLD = {"before Flop": 0, "on the Flop": 3, "on the Turn": 4, "on the River": 5}
_SUMMARY_WON = re.compile(r" (?:won|collected) \(([^()]*)\)")


@dataclass(frozen=True)
class PokerStarsHand(Hand):
    """One hand as PHH, with what the text states and PHH has no field for."""

    returned: tuple[Number, ...]
    """Chips by player that are returned as uncalled."""
    pot: Number | None
    """Total pot, without uncalled chips; None if the text states none."""

    @property
    def identity(self) -> Hashable:
        """The number that the site gave to the hand."""
        return int(self.fields["hand"])

    @property
    def amounts(self) -> list[Number]:
        """All amounts that the replay counts in chips of our tables, the costs of calls and raises included."""
        stated = [move.stated for move in self.moves if move.stated is not None]
        return [*super().amounts, *stated, *self.returned, self.pot or 0]

    def to_record(self, rules: str | RulesProfile | None = None) -> HandRecord:
        """Return the hand in terms of the engine, see `Hand`."""
        return replace(super().to_record(rules), returned=self.returned, pot=self.pot)


@dataclass
class Player:
    """One player, as described by the lines that are read so far."""

    seat: int
    name: str
    stack: Number
    is_absent: bool
    """True if the seat line says that the player is not dealt in."""
    acts: bool = False
    ante: Number = 0
    blind: str = ""
    """"small blind", "big blind" or empty."""
    posted: Number = 0
    """Amount of the blind that the player posted."""
    collected: Number = 0
    returned: Number = 0
    """Uncalled part of the player's last bet."""
    summary: str | None = None
    """What the summary says about the player; None if it does not list the seat."""
    cards: tuple[int, ...] = ()
    seen: set[int] = field(default_factory=set)
    """Cards that were dealt or shown, a single one included."""
    folded_with: int | None = None
    """Number of board cards when the player folded; None if it did not."""

    @property
    def takes_part(self) -> bool:
        """True if the player posts or acts."""
        return self.acts or bool(self.ante or self.posted)


@dataclass
class TextHand:
    """The content of the lines that are read so far."""

    header: Header
    players: dict[str, Player] = field(default_factory=dict)
    moves: list[tuple[str, Move]] = field(default_factory=list)
    """(name of the player, or "" for board cards; the move, without its seat)."""
    board: tuple[int, ...] = ()
    button: int = 0
    num_seats: int = 0
    rules: str = "pokerstars"
    part: str = "seats"
    """"seats" before the hole cards, then the last heading."""
    pot: Number | None = None
    rake: Number = 0

    def to_amount(self, text: str) -> Number:
        """Return an amount in the currency of the stakes; ValueError for anything else."""
        sign, value = parse_amount(text)
        if sign != self.header.currency and value:
            raise ValueError(f"{text!r} is not in the currency of the stakes, {self.header.currency or 'chips'!r}")
        return value

    def to_hand(self, number: int, where: str) -> PokerStarsHand:
        """Return the hand after its last line; p1 is the first seat left of the button.

        A hand that lacks something is a ValueError; amounts that contradict each other are a `Stop` with MISMATCHED.
        """
        dealt = self._find_dealt_in()
        self._check_sums(dealt)
        self._check_summary(dealt)
        order = {player.name: k for k, player in enumerate(dealt)}
        holes = [Move(DEAL_HOLE, k, cards=player.cards or (NO_CARD,) * HOLE_CARDS) for k, player in enumerate(dealt)]
        moves = (*holes, *(self._with_seat(name, move, order) if name else move for name, move in self.moves))
        variant, (low, high), _ = self.header
        antes, blinds = self._find_antes(dealt), self._find_blinds(dealt)
        if len(dealt) == 2:  # PHH gives the forced bets of two players in reverse
            blinds, antes = blinds[::-1], antes[::-1]
        fields: dict[str, Any] = {
            "variant": variant,
            "ante_trimming_status": not RULES[self.rules].dead_antes and antes.count(0) != len(dealt) - 1,
            "antes": antes,
            "blinds_or_straddles": blinds,
            **({"small_bet": low, "big_bet": high} if variant == "FT" else {"min_bet": high}),
            "starting_stacks": [player.stack for player in dealt],
            "actions": [action_text(move) for move in moves],
            "players": [player.name for player in dealt],
            "seats": [player.seat for player in dealt],
            "venue": "PokerStars",
            "winnings": [player.collected for player in dealt],
            "hand": number,
            RULES_FIELD: self.rules,
        }
        check_fields(fields)
        return PokerStarsHand(fields, moves, where, tuple(player.returned for player in dealt), self.pot)

    def _with_seat(self, name: str, move: Move, order: Mapping[str, int]) -> Move:
        """Return a player's move with its seat; who shows a single card and wins nothing has mucked."""
        is_muck = move.kind == SHOW and not move.cards and not self.players[name].collected
        return Move(MUCK, order[name]) if is_muck else move._replace(seat=order[name])

    def _find_dealt_in(self) -> list[Player]:
        """Return the players in the hand by position; ValueError if it is not certain who they are."""
        if not self.button:
            raise ValueError("no line \"Table 'NAME' ... Seat #N is the button\" says who has the button")
        has_summary = any(player.summary is not None for player in self.players.values())
        for player in self.players.values():
            if not 1 <= player.seat <= self.num_seats:
                raise ValueError(f"{player.name} has seat {player.seat} of {self.num_seats}")
            if player.takes_part or (player.is_absent and player.summary is None):
                continue
            if player.summary is not None or not has_summary:
                raise ValueError(f"{player.name} neither posts nor acts, and no line says that the player is absent")
        dealt = [player for player in self.players.values() if player.takes_part]
        if len(dealt) < 2:
            raise ValueError(f"{len(dealt)} players take part; a hand needs two")
        return sorted(dealt, key=lambda player: (player.seat <= self.button, player.seat))

    def _check_sums(self, dealt: list[Player]) -> None:
        collected = sum(player.collected for player in dealt)
        if self.pot is not None and self.pot != collected + self.rake:
            raise Stop(
                MISMATCHED,
                f"the total pot is {self.pot} in the recording, but {collected} are collected and {self.rake} raked",
            )
        for player in dealt:
            won = [self.to_amount(text) for text in _SUMMARY_WON.findall(player.summary or "")]
            if sum(won) != player.collected and (won or _SUMMARY_LOST.search(player.summary or "")):
                raise Stop(
                    MISMATCHED,
                    f"{player.name} collects {player.collected} in the recording, but {sum(won)} in its summary",
                )

    def _check_summary(self, dealt: list[Player]) -> None:
        """Raise Stop, with MISMATCHED, for roles, folds and shown cards that are not those of the hand."""
        for player in dealt:
            summary = player.summary or ""
            folded = _SUMMARY_FOLDED.search(summary)
            if folded and _BOARD_AT_FOLD[folded[1]] != player.folded_with:
                raise Stop(MISMATCHED, f"{player.name} folded {folded[1]} in the summary, and not so before")
            for role in _SUMMARY_ROLE.findall(summary):
                others = [each.name for each in dealt if role == ("button" if each.seat == self.button else each.blind)]
                if others and player.name not in others:
                    raise Stop(MISMATCHED, f"{player.name} has the {role} in the summary, {others[0]} before")
        shown = [card for player in dealt for card in player.seen.difference(player.cards)]
        known = {*self.board, *(card for player in dealt for card in player.cards)}
        if len(set(shown)) < len(shown) or known.intersection(shown):
            raise Stop(MISMATCHED, "a card that a player shows is on the board, or another player's")

    def _find_antes(self, dealt: list[Player]) -> list[Number]:
        """Return the ante that each player owes; ValueError if a player posts another one."""
        ante = max(player.ante for player in dealt)
        posted = [player.ante for player in dealt]
        if posted.count(0) == len(dealt) - 1:  # one player posts for the table
            return posted
        for player in dealt:
            _check_post(player, "ante", player.ante, min(ante, player.stack))
        return [ante] * len(dealt)

    def _find_blinds(self, dealt: list[Player]) -> list[Number]:
        """Return the blind that each player owes; ValueError if a player posts another one.

        A player who posts less is all-in. In limit games, the small blind is what its player posts.
        """
        variant, (low, high), _ = self.header
        small, big = (None, low) if variant == "FT" else (low, high)
        owed = {"": 0, "small blind": small, "big blind": big}
        blinds = []
        for player in dealt:
            due = owed[player.blind]
            due = min(player.posted, big) if due is None else due
            _check_post(player, player.blind, player.posted, min(due, player.stack - player.ante))
            blinds.append(due)
        if all(player.blind != "big blind" for player in dealt):
            blinds[self._find_absent_big_blind(dealt)] = big
        _check_order(dealt)
        return blinds

    def _find_absent_big_blind(self, dealt: list[Player]) -> int:
        """Return the position of the big blind if its player has put all chips into the ante."""
        posts = [k for k, player in enumerate(dealt) if player.blind == "small blind"]
        usual = 0 if len(dealt) == 2 else (posts[0] if posts else 0) + 1
        for position in (usual,) if posts or len(dealt) == 2 else (usual, 0):
            if position < len(dealt) and dealt[position].stack == dealt[position].ante:
                return position
        raise ValueError("nobody posts the big blind")


def _check_order(dealt: list[Player]) -> None:
    """Raise ValueError unless the blinds are posted left of the button; the small blind may be missing."""
    posted = [player.blind for player in dealt]
    small, big = (1, 0) if len(dealt) == 2 else (0, 1)
    places = {"small blind": {small}, "big blind": {big} if "small blind" in posted else {0, big}}
    for kind, allowed in places.items():
        if kind in posted and posted.index(kind) not in allowed:
            raise ValueError(f"{dealt[posted.index(kind)].name} posts the {kind} from another position")


def _check_post(player: Player, kind: str, posted: Number, due: Number) -> None:
    if posted != due:
        raise ValueError(f"{player.name} posts {posted} as {kind or 'blind'}, but {due} are due")
