"""The format PHH."""

from __future__ import annotations

from pathlib import Path

from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.rules import RulesProfile
from card_envs.history.hand_record import HandRecord
from card_envs.history.holdem_format import HoldemFormat, HoldemWriter
from card_envs.history.phh.format import Hand, dump_hand, load_readable_hands
from card_envs.history.phh.tables import record_of
from card_envs.history.phh.write import phh_of, require_phh
from card_envs.history.results import ReplayResult, Stop


class _Writer(HoldemWriter):
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        super().__init__(game, names)
        self._more = {"event": game.name if seed is None else f"{game.name}, seed {seed}"}

    def text(self, hand: HandRecord) -> str:
        return f"[{hand.number + 1}]\n{dump_hand(phh_of(hand, self._more))}\n\n"


class PhhFormat(HoldemFormat[Hand | ReplayResult]):
    """Texas hold'em in PHH: a .phhs file holds a match, a .phh file a single hand.

    The default rules are the rules that a hand names, else `standard`. Fractions of chips are counted in a smaller
    unit. A section that cannot be read is loaded as the result that says why.
    """

    suffixes = (".phhs", ".phh")

    def require(self, config: HoldemConfig) -> None:
        """See `HoldemFormat`."""
        require_phh(config)

    def writer(self, game: Game, names: tuple[str, ...], seed: int | None) -> _Writer:
        """See `HistoryFormat`."""
        return _Writer(game, names, seed)

    def load_hands(self, file: Path) -> list[Hand | ReplayResult]:
        """See `HistoryFormat`."""
        return load_readable_hands(file)

    def to_record(self, hand: Hand | ReplayResult, rules: str | RulesProfile | None) -> HandRecord:
        """See `HoldemFormat`."""
        if isinstance(hand, ReplayResult):
            raise Stop(hand.status, hand.reason)
        return record_of(hand, rules)


PHH = PhhFormat()
