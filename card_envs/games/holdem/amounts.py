"""Checks of stacks, blinds and other amounts of chips in the settings of a hold'em game."""

from __future__ import annotations

from collections.abc import Sequence

from card_envs.game import check_list, is_whole
from card_envs.games.holdem.state import MAX_CHIPS


def check_stacks(stacks: int | Sequence[int], num_players: int) -> list[int]:
    """Return the starting stack of each seat, or raise a ValueError that names a wrong one."""
    setting = stack_setting(stacks)
    listed = [setting] * num_players if isinstance(setting, int) else list(setting)
    if len(listed) != num_players:
        raise ValueError(f"stacks {listed} are {len(listed)} numbers for {num_players} players")
    for seat, stack in enumerate(listed):
        if not is_whole(stack) or not 1 <= stack <= MAX_CHIPS:
            raise ValueError(f"stack {stack!r} of player_{seat} must be a whole number of chips in 1 .. {MAX_CHIPS}")
    return [int(stack) for stack in listed]


def check_amounts(name: str, amounts: Sequence[int]) -> None:
    """Raise a ValueError unless all amounts are whole numbers of chips in 0 .. `MAX_CHIPS`."""
    for amount in amounts:
        if not is_whole(amount) or not 0 <= amount <= MAX_CHIPS:
            raise ValueError(f"{name} {list(amounts)}: {amount!r} must be a whole number of chips in 0 .. {MAX_CHIPS}")


def check_blinds(small_blind: int, big_blind: int) -> int:
    """Return the big blind; ValueError for blinds that are negative, in the wrong order or not whole."""
    if not is_whole(big_blind) or not is_whole(small_blind) or not 0 <= small_blind <= big_blind or big_blind < 1:
        raise ValueError(
            f"small_blind {small_blind!r} and big_blind {big_blind!r} must be whole, 0 <= small <= big, big >= 1"
        )
    return int(big_blind)


def stack_setting(stacks: int | Sequence[int]) -> int | tuple[int, ...]:
    """Return stacks as one number for all seats or a tuple with one for each; ValueError for anything else."""
    wanted = "a whole number of chips, or a list of them, one for each seat"
    return int(stacks) if is_whole(stacks) else tuple(check_list("stacks", stacks, wanted))
