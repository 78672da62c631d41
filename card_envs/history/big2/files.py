"""Big 2 as text among the formats of recorded hands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from card_envs.game import Game
from card_envs.games.big2.config import is_big2
from card_envs.history.big2.format import Big2Deal, dump_deal, load_deals
from card_envs.history.big2.replay import read_actions, replay_deal, steps_of
from card_envs.history.big2.write import replay_recorded
from card_envs.history.formats import HistoryFormat
from card_envs.history.recorded_hand import RecordedHand, make_recorded_hands
from card_envs.history.recording import PlayedHands, names_by_seat
from card_envs.history.results import ReplayResult
from card_envs.history.steps import HandSteps, hand_number


class _Writer:
    def __init__(self, game: Game, names: tuple[str, ...]) -> None:
        self._config, self._names = game.config, names

    def header(self, num_hands: int) -> str:
        return ""

    def hands(self, played: PlayedHands) -> Iterator[str]:
        for deal in replay_recorded(self._config, played, partial(names_by_seat, self._names)):
            yield dump_deal(deal) + "\n"

    def footer(self) -> str:
        return ""


class Big2Format:
    """Our text for people; its files name their rules themselves."""

    suffixes = (".big2",)
    suffixes_if_named = ()

    def why_not(self, game: Game) -> str | None:
        """See `HistoryFormat`."""
        return None if is_big2(game) else "it is for Big 2"

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`."""
        return _Writer(game, names)

    def replay(self, file: Path, rules: object = None) -> list[ReplayResult]:
        """See `HistoryFormat`; `rules` are those of the file."""
        return [replay_deal(deal) for deal in load_deals(file)]

    def steps(self, file: Path, number: int, rules: object = None) -> HandSteps:
        """See `HistoryFormat`; `rules` are those of the file."""
        return steps_of(hand_number(number, load_deals(file), file))

    def load_recorded_hands(self, file: Path) -> Iterator[RecordedHand | str]:
        """See `HistoryFormat`."""
        return make_recorded_hands(partial(_to_recorded_hand, deal) for deal in load_deals(file))


def _to_recorded_hand(deal: Big2Deal) -> RecordedHand:
    game, hands, actions = read_actions(deal)
    return RecordedHand(deal.source, game, {"hands": hands}, deal.players, tuple(actions))


BIG2: HistoryFormat = Big2Format()
