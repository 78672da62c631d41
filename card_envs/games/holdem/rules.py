"""Rules profiles: where poker rooms, competitions and older engines play hold'em differently."""

from __future__ import annotations

from dataclasses import dataclass

from card_envs.game import is_whole
from card_envs.games.holdem.state import MAX_SEATS


@dataclass(frozen=True)
class RulesProfile:
    """A set of rules in which poker rooms, competitions and older engines differ. Named profiles are in `RULES`."""

    fold_when_free: bool = False
    """Folding is legal where checking costs nothing."""
    short_raise_reopens: bool = False
    """An all-in raise below the minimum lets players who already acted raise again. The smallest raise-to then stays,
    unless as much again would be more."""
    button_owes_small_blind: bool = True
    """Heads-up the button owes the small blind and opens before the flop; otherwise the other seat does."""
    last_actor_opens: bool = False
    """Streets after the first open with the seat left of the last actor, instead of left of the button."""
    dead_antes: bool = True
    """Antes belong to the main pot whole; otherwise the part that some could not match forms a side pot, and the part
    that nobody matched is returned before the blinds."""
    limit_raises: tuple[int, ...] = (3, 4, 4, 4)
    """Limit hold'em: raises allowed on each street (the blind is not one), unless `max_raises` says otherwise."""
    most_limit_seats: int = MAX_SEATS
    """Limit hold'em: seats up to which the profile is the whole game that it is named after."""


RULES = {
    "standard": RulesProfile(),
    "acpc": RulesProfile(short_raise_reopens=True),
    "rlcard": RulesProfile(
        fold_when_free=True,
        button_owes_small_blind=False,
        last_actor_opens=True,
        limit_raises=(4, 4, 4, 4),
        most_limit_seats=2,
    ),
}
"""`standard`: poker rooms, equal to PokerKit 0.7. `acpc`: Annual Computer Poker Competition server and OpenSpiel's
`universal_poker`, with odd chips paid whole. `rlcard`: RLCard 1.2 limit hold'em for two."""

BY_RULES = "by_rules"
"""Value of `max_raises` that leaves the caps of limit hold'em to the rules profile."""


def profile_of(rules: str | RulesProfile) -> RulesProfile:
    """Return the profile of that name, or the profile given; ValueError for other names."""
    if isinstance(rules, RulesProfile):
        return rules
    if not isinstance(rules, str) or rules not in RULES:
        raise ValueError(f"rules {rules!r} are not known: choose one of {sorted(RULES)}")
    return RULES[rules]


def limit_caps(rules: str | RulesProfile, num_players: int) -> tuple[int, ...]:
    """Return the caps that a profile has for limit hold'em, or raise a ValueError if it has none for so many seats."""
    profile = profile_of(rules)
    if is_whole(num_players) and profile.most_limit_seats < num_players <= MAX_SEATS:  # other numbers fail later
        raise ValueError(
            f"rules {rules!r} with num_players {num_players}: this is the game of {rules!r} for up to "
            f"{profile.most_limit_seats} seats only. Choose rules='standard' for more, or name max_raises, such as "
            f"{profile.limit_raises}, to play its rules one by one at a larger table, which is another game"
        )
    return profile.limit_raises
