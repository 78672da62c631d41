"""The common part of formats of hold'em."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig, is_holdem
from card_envs.games.holdem.rules import RulesProfile
from card_envs.history.hand_record import HandRecord
from card_envs.history.history_format import HistoryFormat, HistoryWriter, PlayedHands
from card_envs.history.holdem_match import record_hands
from card_envs.history.holdem_replay import HoldemReplay
from card_envs.history.replay import ParsedHand

__all__ = ["HoldemFormat", "HoldemHand", "HoldemWriter"]


class HoldemHand(ParsedHand):
    """One hand of hold'em as its format reads it."""

    replay_class: type[HoldemReplay] = HoldemReplay
    """Class that replays the record of the hand."""

    @abstractmethod
    def to_record(self, rules: str | RulesProfile | None = None) -> HandRecord:
        """Return the hand in terms of the engine; `Stop` or HandHistoryError for a hand that cannot be played."""

    def begin(self, rules: object = None) -> HoldemReplay:
        """Return the replay of the hand; ValueError for `rules` that are no rules profile of hold'em or its name."""
        if rules is not None and not isinstance(rules, (str, RulesProfile)):
            raise ValueError(f"rules {rules!r} must be a rules profile of hold'em or the name of one")
        return self.replay_class(self.to_record(rules))


class HoldemFormat(HistoryFormat):
    """A format of hold'em."""

    writer_class: type[HoldemWriter]

    @abstractmethod
    def require(self, config: HoldemConfig) -> None:
        """Raise ValueError for a game of hold'em that the format cannot describe."""

    def why_not(self, game: Game) -> str | None:
        """Return the reason why a game is not hold'em or the format cannot describe it; None if it can."""
        if not is_holdem(game):
            return "it is for hold'em"
        try:
            self.require(game.config)
        except ValueError as error:
            return str(error)
        return None

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> HoldemWriter:
        """Return an object of `writer_class` for a match."""
        return self.writer_class(game, names, seed)


class HoldemWriter(HistoryWriter):
    """Writes the hands of one match of hold'em."""

    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        self.config, self.names = game.config, names

    @abstractmethod
    def text(self, hand: HandRecord) -> str:
        """Return the text of a hand, with the line breaks after it."""

    def hands(self, played: PlayedHands) -> Iterator[str]:
        """Yield the text of each hand."""
        yield from map(self.text, record_hands(self.config, played, self.names))
