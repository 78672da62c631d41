"""The format PHH."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from card_envs.game import Game
from card_envs.history.formats import HistoryFormat, HistoryWriter
from card_envs.history.holdem_hand import check_rules, replay_recorded, why_not_holdem
from card_envs.history.holdem_replay import HoldemReplay
from card_envs.history.phh.format import Hand, dump_hand, load_hands
from card_envs.history.phh.replay import begin
from card_envs.history.phh.write import phh_of, require_phh
from card_envs.history.recording import PlayedHands


class _Writer(HistoryWriter):
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        self._config, self._names = game.config, names
        self._more = {"event": game.name if seed is None else f"{game.name}, seed {seed}"}

    def hands(self, played: PlayedHands) -> Iterator[str]:
        for hand in replay_recorded(self._config, played, self._names):
            yield f"[{hand.number + 1}]\n{dump_hand(phh_of(hand, self._more))}\n\n"


class PhhFormat(HistoryFormat[Hand]):
    """Texas hold'em in PHH: a .phhs file holds a match, a .phh file a single hand.

    The default rules are the rules that a hand names, else `standard`. Fractions of chips are counted in a smaller
    unit.
    """

    suffixes = (".phhs", ".phh")

    def why_not(self, game: Game) -> str | None:
        """See `HistoryFormat`."""
        return why_not_holdem(game, require_phh)

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`."""
        return _Writer(game, names, seed)

    def load_hands(self, file: Path) -> list[Hand]:
        """See `HistoryFormat`."""
        return load_hands(file)

    def begin(self, hand: Hand, rules: object) -> HoldemReplay:
        """See `HistoryFormat`."""
        return begin(hand, check_rules(rules))


PHH = PhhFormat()
