"""Situations about which agents give advice: from a description in text, or from recorded hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from card_envs.cards import card_ids
from card_envs.game import ILLEGAL, NOBODY, Game, Tables
from card_envs.games.holdem.config import is_texas_holdem
from card_envs.games.holdem.kernels import apply_decision
from card_envs.games.holdem.state import MAX_CHIPS, RAISE, STREET_NAMES
from card_envs.history.errors import HandHistoryError
from card_envs.history.formats import load_recorded_hands
from card_envs.poker.hands import BOARD_CARDS
from card_envs.text import describe_legal_actions, parse_action

_SIGNS = {"f": "fold", "c": "call", "k": "check", "x": "check", "r": "raise", "b": "bet", "a": "all-in"}


@dataclass(frozen=True)
class Situation:
    """One decision that a seat faces."""

    game: Game
    tables: Tables
    """(1,) tables; cards that the acting seat may not see are arbitrary."""
    label: str
    """Source of the situation, such as a hand of a file; "" for a description in text."""
    player: str = ""
    """Name of the player who acted."""
    taken: str = ""
    """Action that was taken, if it is recorded."""

    @property
    def seat(self) -> int:
        """The seat to act."""
        return int(self.tables["actor"][0])


def read_line(
    game: Game, hole: str, board: str = "", history: str = "", button: int = 0, stacks: Sequence[int] = ()
) -> Situation:
    """Return the situation of Texas hold'em that cards and a betting history such as "r6 c / k r12" describe.

    Raises may have any size that the rules allow, even if the bet menu of the game does not contain it.

    Args:
        game: A game of Texas hold'em.
        hole: Hole cards of the acting seat, such as "AhKd".
        board: Board cards dealt so far.
        history: Actions so far, with "/" between streets: f folds, c calls, k checks, rN raises or bets to N chips on
            this street, r raises if only one size is legal.
        button: Seat with the button.
        stacks: Chips of each seat before the blinds. By default the stacks of the game.

    Raises:
        ValueError: The arguments do not describe a decision.
    """
    if not is_texas_holdem(game):
        raise ValueError(
            f"{game.name} is not Texas hold'em: use --file with recorded hands instead of cards and --history"
        )
    known, shown = card_ids(hole), card_ids(board)
    if len(known) != 2 or len(shown) not in BOARD_CARDS or len({*known, *shown}) < len(known) + len(shown):
        raise ValueError(f"cards {hole!r} and {board!r}: two hole cards and a board of 0, 3, 4 or 5, all different")
    options = {"button": button, **({"stacks": list(stacks)} if stacks else {})}
    others = [card for card in range(52) if card not in {*known, *shown}]
    holes = 2 * game.num_seats

    def play(deck: list[int]) -> Tables:
        return _play_line(game, {**options, "deck": deck[: holes + 5]}, history)

    first = play([*others[:holes], *shown, *others[holes:]])  # shows which seat acts
    seat = int(first["actor"][0])
    if seat == NOBODY:
        raise ValueError(f"history {history!r}: the hand is over, nobody is to act")
    due = BOARD_CARDS[int(first["street"][0])]
    if len(shown) != due:
        raise ValueError(f"history {history!r} leads to a board of {due} cards, but {len(shown)} are named")
    mine = [*others[: 2 * seat], *known, *others[2 * seat : holes - 2]]
    return Situation(game, play([*mine, *shown, *others[holes - 2 :]]), "")


def _play_line(game: Game, options: dict[str, object], history: str) -> Tables:
    tables = game.seeded_tables(1, 0)
    game.deal_with(tables, 0, options)
    for number, words in enumerate(history.split("/")):
        if int(tables["street"][0]) < number and int(tables["actor"][0]) != NOBODY:
            street = STREET_NAMES[number - 1]
            raise ValueError(f"history {history!r}: a / is on the wrong street: the {street} is not over")
        for word in words.split():
            if int(tables["street"][0]) != number or int(tables["actor"][0]) == NOBODY:
                raise ValueError(f"history {history!r}: {word!r} is on the wrong street: check the / between streets")
            _apply_word(game, tables, word)
    return tables


def _apply_word(game: Game, tables: Tables, word: str) -> None:
    if word[:1] in ("r", "b") and word[1:].isdecimal():
        if int(apply_decision(tables, 0, RAISE, min(int(word[1:10]), MAX_CHIPS + 1))) == ILLEGAL:
            raise ValueError(f"{word!r} is not legal: {describe_legal_actions(game, tables, 0)}")
        return
    game.step(tables, 0, parse_action(game, tables, 0, _SIGNS.get(word, word)))


def read_file(game: Game, path: Path, number: int | None = None) -> Iterator[Situation]:
    """Yield the decisions of recorded hands, except decisions of seats whose cards are unknown.

    Args:
        game: The game of the hands. Number of seats, stacks and blinds come from each hand.
        path: A file of recorded hands, such as .phh.
        number: Number of the only hand to read, counted from 1. By default all hands are read.

    Raises:
        HandHistoryError: The file cannot be read, or has no such hand.
        ValueError: A hand cannot be played.
    """
    hands = list(load_recorded_hands(path))
    if number is not None and not 1 <= number <= len(hands):
        raise HandHistoryError(f"{path}: there is no hand {number}: it has hands 1 to {len(hands)}")
    for k, hand in enumerate(hands, start=1):
        if number not in (None, k):
            continue
        if isinstance(hand, str):
            raise ValueError(hand)
        asked = hand.others[0] if hand.others else hand.game
        if asked.name != game.name:
            raise ValueError(f"{hand.source} is {asked.name}, not {game.name}")
        for step, action in enumerate(hand.actions):
            before = hand.tables_after(step)
            if int(before["actor"][0]) not in hand.unknown_seats:
                tables = hand.tables_after(step, asked) if hand.others else before
                player, taken = hand.names[int(before["actor"][0])], hand.game.action_name(before, 0, action)
                yield Situation(asked, tables, f"hand {k}, decision {step + 1}", player, taken)
