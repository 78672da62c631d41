"""Rules profiles: named sets of rules in which poker rooms, competitions and older engines differ."""

from __future__ import annotations

from dataclasses import dataclass

from card_envs.game import check_switches, is_whole
from card_envs.games.holdem.state import MAX_SEATS

__all__ = ["BY_RULES", "RULES", "RulesProfile", "limit_caps", "profile_of"]


@dataclass(frozen=True)
class RulesProfile:
    """A set of rules. Named profiles are in `RULES`."""

    fold_when_free: bool = False
    """True if folding is legal where checking is free."""
    short_raise_reopens: bool = False
    """True if players who already acted may raise again after an all-in raise below the minimum. The smallest raise-to
    then does not change, unless another raise of the same size would be larger."""
    button_owes_small_blind: bool = True
    """True if, heads-up, the button posts the small blind and opens before the flop; else the other seat does."""
    last_actor_opens: bool = False
    """True if streets after the first open with the seat left of the last actor; else left of the button."""
    dead_antes: bool = True
    """True if antes belong to the main pot as a whole; else the part that not all seats matched forms a side pot, and
    the part that no seat matched is returned before the blinds."""
    full_blinds: bool = False
    """True if the bet to call before the flop is the whole big blind, even if its seat has fewer chips; else it is what
    the blinds put in."""
    no_empty_decisions: bool = False
    """True if a seat against which nobody else can bet only has to call what the others put in, and has no decision if
    that costs nothing. Else such a seat has one if it was still to act when the others became unable to bet."""
    limit_raises: tuple[int, ...] = (3, 4, 4, 4)
    """Maximum number of raises on each street of limit hold'em (the blind is no raise), unless `max_raises` is set."""
    max_limit_seats: int = MAX_SEATS
    """Maximum number of seats for which `limit_raises` is defined."""

    def __post_init__(self) -> None:
        """Raise a ValueError for a rule that is neither True nor False."""
        check_switches(self)


RULES = {
    "standard": RulesProfile(),
    "acpc": RulesProfile(short_raise_reopens=True),
    "rlcard": RulesProfile(
        fold_when_free=True,
        button_owes_small_blind=False,
        last_actor_opens=True,
        limit_raises=(4, 4, 4, 4),
        max_limit_seats=2,
    ),
    "pokerstars": RulesProfile(dead_antes=False, full_blinds=True, no_empty_decisions=True),
}
"""`standard`: rules of poker rooms, as in PokerKit 0.7. `acpc`: the server of the Annual Computer Poker Competition and
OpenSpiel's `universal_poker`, except that odd chips are not split. `rlcard`: RLCard 1.2, limit hold'em for two.
`pokerstars`: hands that PokerStars recorded."""

BY_RULES = "by_rules"
"""Value of `max_raises` that takes the caps of limit hold'em from the rules profile."""


def profile_of(rules: str | RulesProfile) -> RulesProfile:
    """Return the profile with a name; a profile is returned unchanged. ValueError for unknown names."""
    if isinstance(rules, RulesProfile):
        return rules
    if not isinstance(rules, str) or rules not in RULES:
        raise ValueError(f"rules {rules!r} are not known: choose one of {sorted(RULES)}")
    return RULES[rules]


def limit_caps(rules: str | RulesProfile, num_players: int) -> tuple[int, ...]:
    """Return a profile's caps of limit hold'em; ValueError if it defines none for this number of seats."""
    profile = profile_of(rules)
    if is_whole(num_players) and profile.max_limit_seats < num_players <= MAX_SEATS:  # other numbers are refused later
        raise ValueError(
            f"rules {rules!r} with num_players {num_players}: {rules!r} has limit games for at most "
            f"{profile.max_limit_seats} seats. Choose rules='standard', or pass max_raises, such as "
            f"{profile.limit_raises}, to use the other rules of {rules!r} at a larger table"
        )
    return profile.limit_raises
