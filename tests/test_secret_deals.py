"""Deals of a secret: as random as seeded ones, the same for the same secret, and found by no search for a seed."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from card_baselines.secret_deals import new_secret, secret_generator, secret_uniform, with_secret
from card_envs.agent import find_agent
from card_envs.envs import ENVS, make_game
from card_envs.match import play_match

SECRET = bytes(range(32))


@pytest.mark.parametrize("env", ENVS)
def test_a_secret_changes_the_deals_and_nothing_else(env: str) -> None:
    game = make_game(env)
    secret = with_secret(game, SECRET)
    plain, one, again = (each.seeded_tables(64, 5) for each in (game, secret, with_secret(game, SECRET)))
    assert one.tobytes() == again.tobytes()
    assert not (one["rng"] == plain["rng"]).any()
    assert with_secret(game, new_secret()).seeded_tables(64, 5)["rng"].tobytes() != one["rng"].tobytes()
    alone = secret.seeded_tables(1, 5, 63)
    assert alone.tobytes() == one[63:].tobytes()  # whatever tables lie beside it
    result = play_match(secret, [find_agent("random", game)] * game.num_seats, 20, 3)
    assert (result.payoffs.sum(axis=1) == 0).all()


def test_every_bit_of_the_secret_reaches_the_state() -> None:
    game = make_game("limit_holdem-v0")
    state = with_secret(game, SECRET).seeded_tables(1, 0)["rng"].tobytes()
    assert len(state) == 32
    changed = []
    for bit in range(256):
        other = bytearray(SECRET)
        other[bit // 8] ^= 1 << bit % 8
        after = with_secret(game, bytes(other)).seeded_tables(1, 0)["rng"].tobytes()
        changed.append(sum((a ^ b).bit_count() for a, b in zip(state, after, strict=True)))
    assert min(changed) > 80 and max(changed) < 176  # half of 256, up to six standard deviations


def test_secrets_come_from_the_operating_system_and_are_long() -> None:
    assert len({new_secret() for _ in range(100)}) == 100
    assert len(new_secret()) * 8 >= 128
    game = make_game("kuhn_poker-v0")
    for short in (b"", b"fifteen bytes..", bytes(65)):
        with pytest.raises(ValueError, match="a secret has 16 to 64 bytes"):
            with_secret(game, short)


def test_deals_of_a_secret_are_uniform() -> None:
    game = with_secret(make_game("kuhn_poker-v0"), SECRET)
    tables = game.seeded_tables(6000, 0)
    game.deal_batch(tables, np.arange(len(tables)))
    dealt = Counter(map(tuple, tables["deck"][:, :2].tolist()))
    assert len(dealt) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in dealt.values()) < 25  # chi squared, five degrees of freedom


def test_numbers_of_agents_follow_from_the_secret() -> None:
    drawn = [secret_uniform(SECRET, deal, step, 1) for deal in range(40) for step in range(40)]
    assert len(set(drawn)) == 1600 and min(drawn) >= 0 and max(drawn) < 1
    assert abs(np.mean(drawn) - 0.5) < 0.04
    assert secret_uniform(SECRET, 3, 2, 1) == drawn[3 * 40 + 2]
    assert secret_uniform(new_secret(), 3, 2, 1) != drawn[3 * 40 + 2]
    first, same, other = (secret_generator(SECRET, place).random() for place in (0, 0, 1))
    assert first == same != other
