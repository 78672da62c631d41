"""The format PHH, and the conversion of a hand of a match to the fields of a PHH `Hand`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.history.hand_record import HandRecord
from card_envs.history.holdem_format import HoldemFormat, HoldemWriter
from card_envs.history.holdem_match import rules_name
from card_envs.history.phh.format import action_text, dump_hand, hand_of, load_readable_hands
from card_envs.history.phh.hand import HOLDEM_VARIANTS, MAX_RAISES_FIELD, RULES_FIELD, Hand
from card_envs.history.replay import ParsedHand

__all__ = ["PHH", "PhhFormat", "phh_of"]

_VARIANTS = {structure: variant for variant, structure in HOLDEM_VARIANTS.items()}


class _Writer(HoldemWriter):
    def __init__(self, game: Game, names: tuple[str, ...], seed: int | None) -> None:
        super().__init__(game, names, seed)
        self._more = {"event": game.name if seed is None else f"{game.name}, seed {seed}"}

    def text(self, hand: HandRecord) -> str:
        return f"[{hand.number + 1}]\n{dump_hand(phh_of(hand, self._more))}\n\n"


class PhhFormat(HoldemFormat):
    """Texas hold'em in PHH: a .phhs file holds a match, a .phh file a single hand.

    The default rules are the rules that a hand names, else `standard`. Fractions of chips are counted in a smaller
    unit. A section that cannot be read is loaded as an `UnreadHand`.
    """

    suffixes = (".phhs", ".phh")
    writer_class = _Writer

    def require(self, config: HoldemConfig) -> None:
        """Raise ValueError for cards and bets that PHH cannot describe, and for rules without a name."""
        small, big = config.raise_sizes[0], config.raise_sizes[-1]
        if not config.is_texas:
            raise ValueError("PHH has no code for games with other cards than Texas hold'em")
        if config.structure == "limit" and config.raise_sizes != (small, small, big, big):
            raise ValueError(f"PHH has a small and a big bet, not raise_sizes {config.raise_sizes}")
        rules_name(config)

    def load_hands(self, file: Path) -> Sequence[ParsedHand]:
        """Return the hands of a file, see `load_readable_hands`."""
        return load_readable_hands(file)


def phh_of(hand: HandRecord, more: Mapping[str, Any]) -> Hand:
    """Return a hand as PHH, with the further fields `more`, such as the event."""
    config, n = hand.config, hand.config.num_players
    antes = config.ante_list
    is_limit = config.structure == "limit"
    fields: dict[str, Any] = {
        "variant": _VARIANTS[config.structure],
        "ante_trimming_status": not config.profile.dead_antes,
        "antes": antes[::-1] if n == 2 else antes,  # PHH gives the forced bets of two players in reverse
        "blinds_or_straddles": [*config.blinds, *[0] * (n - len(config.blinds))],
    }
    if is_limit:
        fields |= {"small_bet": config.raise_sizes[0], "big_bet": config.raise_sizes[-1]}
    else:
        fields |= {"min_bet": config.min_bet}
    fields |= {
        "starting_stacks": list(hand.stacks),
        "actions": list(map(action_text, hand.moves)),
        "hand": hand.number,
        "players": list(hand.names),
        "finishing_stacks": [stack + won for stack, won in zip(hand.stacks, hand.results["values"], strict=True)],
        RULES_FIELD: rules_name(config),
    }
    if is_limit:
        fields[MAX_RAISES_FIELD] = list(config.max_raises or ())
    return hand_of({**fields, **more}, f"hand {hand.number}")


PHH = PhhFormat()
