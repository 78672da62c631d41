"""Hold'em: what holds in every hand of every kind of game."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.state import CALL, FOLD, RAISE
from tests.helpers.holdem_hands import OneTable


@given(
    stacks=st.lists(st.integers(1, 300), min_size=2, max_size=10),
    structure=st.sampled_from(["no_limit", "pot_limit", "limit"]),
    ante=st.integers(0, 3),
    rules=st.sampled_from(["standard", "acpc", "rlcard"]),
    seed=st.integers(0, 2**32),
    choices=st.lists(st.tuples(st.sampled_from([FOLD, CALL, RAISE, RAISE]), st.floats(0, 1)), max_size=60),
)
def test_nobody_loses_more_than_the_stack_nor_wins_more_than_was_called(
    stacks: list[int], structure: str, ante: int, rules: str, seed: int, choices: list[tuple[int, float]]
) -> None:
    config = HoldemConfig(
        structure=structure, num_players=len(stacks), stacks=tuple(stacks), antes=ante, max_raises=None, rules=rules
    )
    table = OneTable(config, seed=seed)
    remaining = iter(choices)
    while not table.is_over:
        options = table.options()
        kind, share = next(remaining, (CALL, 0.0))
        if kind == RAISE and options.raise_to is not None:
            low, high = options.raise_to
            table.decide(RAISE, low + round(share * (high - low)))
        else:
            table.decide(FOLD if kind == FOLD and options.may_fold else CALL)
    payoffs, commits = table.by_seat("payoff"), table.by_seat("hand_commit")
    assert sum(payoffs) == 0
    for payoff, commit, stack in zip(payoffs, commits, stacks, strict=True):
        assert -commit <= payoff
        assert commit <= stack
        dead = ante * len(stacks)  # antes above a short stack's share may go to it too
        if rules != "rlcard":  # who may fold for free may leave chips behind that nobody called
            assert payoff <= sum(min(commit, other) for other in commits) - commit + dead
