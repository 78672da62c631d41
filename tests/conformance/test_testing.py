"""`card_envs.testing`: every environment passes every check, and each check fails for a game broken in its way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numba
import numpy as np
import pytest

from card_envs import make_game
from card_envs.envs import ENVS
from card_envs.game import ILLEGAL, Game
from card_envs.observation import Layout
from card_envs.testing import CHECKS, CheckFailure, NotApplicable, check
from tests.helpers.shell import Shell
from tests.third_game.game import POINTS, dozen


@pytest.mark.parametrize("name", CHECKS)
def test_the_third_game_keeps_its_promises(name: str) -> None:
    check(dozen(), name, deals=2)


@pytest.mark.parametrize("deals", [0, -1, 2.5])
def test_a_check_plays_a_deal_at_least(deals: int) -> None:
    with pytest.raises(ValueError, match=f"deals {deals} must be a whole number, at least 1"):
        check(dozen(), "masks", deals=deals)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("env_id", ENVS)
def test_all_environments_keep_all_promises(env_id: str, name: str) -> None:
    check(make_game(env_id), name, deals=2)


# --- a game broken in each way ---

GAME = dozen()


def with_observe(change: Callable[[Any, int, Any, Any], None]) -> Game:
    """Return the game with an encoder that changes what it has written."""

    def observe(tables: Any, i: int, seat: int, observations: Any, masks: Any) -> None:
        GAME.encoder.observe(tables, i, seat, observations, masks)
        change(tables[i], seat, observations[0], masks[0])

    return replace(GAME, encoder=replace(GAME.encoder, observe=observe))


def with_layout(layout: Layout, game: Game) -> Game:
    """Return a game with other blocks of observations."""
    return replace(game, encoder=replace(game.encoder, layout=lambda config: layout))


def with_step(change: Callable[[Any], None]) -> Game:
    """Return the game with a step that changes what it has done."""

    def step(tables: Any, i: int, action: int) -> int:
        actor = int(GAME.step(tables, i, action))
        if actor != ILLEGAL:
            change(tables[i])
        return actor

    return replace(GAME, step=step)


def allow_another_card(t: Any, seat: int, o: Any, m: Any) -> None:
    if seat == t.actor:
        m.mask[int(np.flatnonzero(m.mask == 0)[0])] = 1


def exceed(t: Any, seat: int, o: Any, m: Any) -> None:
    o.values[0] = 6


def halve(t: Any, seat: int, o: Any, m: Any) -> None:
    o.values[0] = 0.5


def tell_a_hand(t: Any, seat: int, o: Any, m: Any) -> None:
    o.values[POINTS] = float(0 in t.deck[(seat + 1) % 3 * 4 :][:4])


def make_a_chip(t: Any) -> None:
    if t.is_over:
        t.payoff[0] += 1


def remember(t: Any, seen: list[int] = []) -> None:  # noqa: B006  the fault
    seen.append(0)
    t.last_trick = 1 + len(seen) % 2


def wrong_first_actor(tables: Any, i: int) -> int:
    return (int(GAME.deal(tables, i)) + 1) % 3


def deal_batch_twice(tables: Any, rows: Any) -> None:
    GAME.deal_batch(tables, rows)
    GAME.deal_batch(tables, rows)


def without_private(layout: Layout) -> Layout:
    return replace(layout, blocks=tuple(replace(block, private=False) for block in layout.blocks))


def step_by_compiler(tables: Any, i: int, action: int) -> int:
    actor = int(GAME.step(tables, i, action))
    if actor != ILLEGAL and numba.config.DISABLE_JIT:
        tables[i].last_trick += 1
    return actor


def compiled_otherwise() -> Game:
    return replace(GAME, step=step_by_compiler, make=compiled_otherwise)


BROKEN: list[tuple[str, Callable[[], Game], str]] = [
    ("api", lambda: replace(GAME, deal=wrong_first_actor), "PettingZoo's tests fail"),
    ("spaces", partial(with_observe, exceed), "block 'hand' of encoder 'default' shows player_0 6.0"),
    (
        "spaces",
        lambda: with_layout(replace(GAME.layout, is_whole=True), with_observe(halve)),
        "block 'hand' of encoder 'default' shows player_0 0.5, but is_whole=True",
    ),
    ("masks", partial(with_observe, allow_another_card), "mask_batch and the encoder write different masks"),
    ("payoffs", partial(with_step, make_a_chip), "sum to 1, not to 0"),
    ("leaks", partial(with_observe, tell_a_hand), "block 'points' .* reveals to player_. cards that it cannot see"),
    ("leaks", lambda: with_layout(without_private(GAME.layout), GAME), "block 'hand' .* needs private=True"),
    ("batch", lambda: replace(GAME, deal_batch=deal_batch_twice), "deal_batch and deal leave different tables"),
    ("clones", partial(with_step, remember), "state is kept outside the table"),
    ("compiled", compiled_otherwise, "give different results"),
]


@pytest.mark.parametrize(("name", "broken", "words"), BROKEN)
def test_a_check_finds_what_is_broken(name: str, broken: Callable[[], Game], words: str) -> None:
    with pytest.raises(CheckFailure, match=words):
        check(broken(), name, deals=3)


def test_every_check_is_broken_once() -> None:
    assert {name for name, _, _ in BROKEN} == set(CHECKS)


def test_what_a_check_needs() -> None:
    with pytest.raises(NotApplicable, match=r"feature chance"):
        check(replace(GAME, features={"chance": None}), "leaks")
    with pytest.raises(ValueError, match="check 'chips' is not known"):
        check(GAME, "chips")


def test_the_command(shell: Shell) -> None:
    words = ["--deals", "2", "--only", "masks", "payoffs"]
    assert shell.prints("check", "tests.third_game.game:dozen", *words).count("ok") == 2
    assert "is no game" in shell.refuses("check", "tests.third_game:dozen")
