"""Kinds of hold'em and sets of rules of Big 2, by name: what holds in every game is tested in each of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from card_envs.game import Game
from card_envs.games.big2.config import Big2Config
from card_envs.games.big2.game import big2_game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.rules import RULES
from tests.helpers.wide_games import widen

UNEVEN = (1, 2, 3, 17, 40, 200, 1000, 5, 64, 33)

PRESETS = {
    "kuhn": HoldemConfig.kuhn(),
    "kuhn, 4 seats": HoldemConfig.kuhn(4),
    "leduc": HoldemConfig.leduc(),
    "leduc, 3 seats": HoldemConfig.leduc(3),
    "flop": HoldemConfig.flop(),
    "limit, 2 seats": HoldemConfig.limit(2),
    "limit, 6 seats": HoldemConfig.limit(6),
    "limit, 10 seats": HoldemConfig.limit(10),
    "limit, uneven": HoldemConfig.limit(6, UNEVEN[:6], max_raises=None),
    "limit, rlcard": HoldemConfig.limit(2, rules="rlcard"),
    "no-limit, 2 seats": HoldemConfig.no_limit(2),
    "no-limit, 6 seats": HoldemConfig.no_limit(6),
    "no-limit, 10 seats": HoldemConfig.no_limit(10),
    "no-limit, uneven, 6 seats": HoldemConfig.no_limit(6, UNEVEN[:6]),
    "no-limit, uneven, 10 seats": HoldemConfig.no_limit(10, UNEVEN, ante=1),
    "no-limit, live antes": HoldemConfig.no_limit(
        5, UNEVEN[2:7], ante=2, rules=replace(RULES["standard"], dead_antes=False)
    ),
    "no-limit, acpc": HoldemConfig.no_limit(6, UNEVEN[:6], rules="acpc", bet_menu=(0.25, 0.5, 1, 2)),
    "no-limit, chips": HoldemConfig.no_limit(2, 100, bet_menu="chips:4,8,16,32,64,100"),
    "no-limit, integers": HoldemConfig.no_limit(3, (20, 33, 64), bet_menu="integers"),
    "no-limit, straddle": replace(HoldemConfig.no_limit(4, UNEVEN[3:7]), blinds=(1, 2, 4), min_bet=4),
    "no-limit, pokerstars": HoldemConfig.no_limit(6, UNEVEN[:6], ante=2, rules="pokerstars"),
    "pot-limit, uneven": HoldemConfig.no_limit(6, UNEVEN[2:8], structure="pot_limit"),
}

MORE_STACKS = {
    f"{make.__name__}, {n} uneven stacks": make(n, (3, 200, 50, 1, 20, 400, 7, 90, 2, 33)[:n], ante=n % 2)
    for n in range(2, 11)
    for make in (HoldemConfig.limit, HoldemConfig.no_limit)
}
"""Kinds of hold'em with more numbers of seats, for what depends on them."""

OPTION_SETS = {
    "charlesworth2018": Big2Config(),
    "charlesworth2018_text": Big2Config.profile("charlesworth2018_text"),
    "opening decision": Big2Config(opening_decision=True),
    "skipped": Big2Config(forced_passes="skipped"),
    "skipped after 2S": Big2Config(forced_passes="skipped_after_2s"),
    "higher straight flush": Big2Config(higher_straight_flush_wins=True),
    "all triples": Big2Config(all_triples=True),
    "without twos": Big2Config(straights="without_twos", flushes="suit"),
    "two low": Big2Config(straights="two_low", flushes="ranks"),
    "hong kong": Big2Config(straights="hong_kong", flushes="suit", higher_straight_flush_wins=True),
    "taiwan": Big2Config(straights="taiwan", all_triples=True),
    "no flushes": Big2Config(flushes="none"),
    "no bare triples": Big2Config(bare_triples=False),
    "dragon": Big2Config(dragon_wins=True),
    "dragon, asked": Big2Config(dragon_wins=True, opening_decision=True, bare_triples=False, all_triples=True),
    "profile hong_kong": Big2Config.profile("hong_kong"),
    "profile taiwan": Big2Config.profile("taiwan"),
    "double and triple": Big2Config(double_from=10, triple_from=13, double_per_two=True),
    "points per two": Big2Config(double_from=8, points_per_two=5),
    "everything": Big2Config(
        opening_decision=True,
        forced_passes="skipped",
        higher_straight_flush_wins=True,
        all_triples=True,
        straights="hong_kong",
        flushes="ranks",
        double_from=10,
        triple_from=13,
        double_per_two=True,
    ),
}


@cache
def make_kind(name: str, encoder: str = "default") -> Game:
    """Return the game of a name above; games of hold'em are widened, so that they share their kernels."""
    if name in OPTION_SETS:
        return big2_game(OPTION_SETS[name], encoder)
    return widen(holdem_game(name, (PRESETS | MORE_STACKS)[name], encoder))
