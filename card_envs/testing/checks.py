"""The checks of `card_envs.testing`. Each plays random deals of a game and raises a `CheckFailure`."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo.test import api_test, seed_test

from card_envs.aec import GameAEC
from card_envs.chance import CHANCE
from card_envs.episode import resample_episode
from card_envs.game import ILLEGAL, Game, Tables, is_whole
from card_envs.rng import make_generator
from card_envs.testing.play import CheckFailure, decisions, digest, episodes

_TABLES = 16
"""Number of tables in a batch."""
_NOBODY = -1
"""Seat for which `resample_episode` keeps only public information."""


class NotApplicable(Exception):
    """Raised by a check that does not apply to a game; the message says what is missing."""


def check(game: Game, name: str, seed: int = 0, deals: int = 10) -> None:
    """Run a check.

    Args:
        game: The game.
        name: One of `CHECKS`.
        seed: Seed of the deals and of the random play.
        deals: Number of deals; some checks take fixed multiples of it.

    Raises:
        CheckFailure: If the game fails the check.
        NotApplicable: If the check does not apply to the game.
        ValueError: If the name is not known, and for less than one deal.

    Example:
        >>> from card_envs import make_game
        >>> check(make_game("kuhn_poker-v0"), "payoffs")
    """
    if name not in CHECKS:
        raise ValueError(f"check {name!r} is not known: choose one of {list(CHECKS)}")
    if not is_whole(deals) or deals < 1:
        raise ValueError(f"deals {deals!r} must be a whole number, at least 1")
    CHECKS[name](game, seed, deals)


def check_api(game: Game, seed: int, deals: int) -> None:
    """Check that PettingZoo's `api_test` and `seed_test` pass."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            api_test(GameAEC(game, game.name), num_cycles=20 * deals)
            seed_test(lambda: GameAEC(game, game.name), num_cycles=20 * deals)
        except CheckFailure:
            raise
        except Exception as error:
            raise CheckFailure(f"PettingZoo's tests fail: {type(error).__name__}: {error}") from error


def check_spaces(game: Game, seed: int, deals: int) -> None:
    """Check that all observations lie in their space, and are whole numbers where the layout says so."""
    low, high = game.layout.space.low, game.layout.space.high
    for tables, _ in decisions(game, seed, deals):
        for seat in range(game.num_seats):
            seen, _ = game.observe(tables, 0, seat)
            outside = np.flatnonzero(~((seen >= low) & (seen <= high)))
            if len(outside):
                wrong = int(outside[0])
                raise CheckFailure(f"{_block_at(game, wrong)} shows player_{seat} {seen[wrong]}: outside its range")
            fractions = np.flatnonzero(seen != np.rint(seen)) if game.layout.is_whole else outside
            if len(fractions):
                wrong = int(fractions[0])
                raise CheckFailure(f"{_block_at(game, wrong)} shows player_{seat} {seen[wrong]}, but is_whole=True")


def check_masks(game: Game, seed: int, deals: int) -> None:
    """Check that the mask allows exactly the legal actions, and illegal actions change nothing."""
    for tables, actor in decisions(game, seed, deals):
        for seat in range(game.num_seats):
            _, mask = game.observe(tables, 0, seat)
            if seat != actor and mask.any():
                raise CheckFailure(f"player_{seat} does not act, but its mask allows {np.flatnonzero(mask).tolist()}")
        if actor >= 0:
            _check_mask(game, tables, actor)


def _check_mask(game: Game, tables: Tables, actor: int) -> None:
    _, mask = game.observe(tables, 0, actor)
    if np.flatnonzero(mask).tolist() != game.legal_actions(tables, 0):
        raise CheckFailure("mask_batch and the encoder write different masks")
    for action in (-(2**40), -1, *range(game.num_actions), game.num_actions, 2**40):
        allowed = 0 <= action < game.num_actions and bool(mask[action])
        tried = tables.copy()
        is_legal = game.step(tried, 0, action) != ILLEGAL
        if is_legal != allowed:
            raise CheckFailure(f"action {action} is {'legal' if is_legal else 'illegal'}, its mask says {int(allowed)}")
        if (game.first_illegal(tables, np.zeros(1, np.int64), np.array([action])) < 0) != is_legal:
            raise CheckFailure(f"first_illegal and step do not agree about action {action}")
        if not is_legal and tried.tobytes() != tables.tobytes():
            raise CheckFailure(f"action {action} is illegal, and yet it changes the table")


def check_payoffs(game: Game, seed: int, deals: int) -> None:
    """Check that payoffs are zero before the end, sum to zero, and never exceed the largest reward."""
    for tables, actor in decisions(game, seed, deals):
        payoff = tables["payoff"][0, : game.num_seats].astype(np.int64)
        if actor >= 0 and payoff.any():
            raise CheckFailure(f"payoffs are {payoff.tolist()} before the end")
        if payoff.sum() != 0:
            raise CheckFailure(f"payoffs {payoff.tolist()} sum to {payoff.sum()}, not to 0")
        if np.abs(payoff).max() > game.max_reward * game.chips_per_reward:
            raise CheckFailure(f"payoffs {payoff.tolist()} exceed max_reward {game.max_reward}")


def check_leaks(game: Game, seed: int, deals: int) -> None:
    """Check that hidden cards change nothing that a seat gets, and own cards only private blocks."""
    if CHANCE.find(game) is None:
        raise NotApplicable("the game does not describe its cards: register the feature chance")
    rng = make_generator(seed)
    public = np.concatenate([np.full(block.size, not block.private) for block in game.layout.blocks])
    for episode in episodes(game, seed, deals):
        seat = int(episode.tables["actor"][0])
        other = resample_episode(game, episode, seat, rng.random)
        _compare(game, episode.tables, other.tables, seat)
    for episode in episodes(game, seed, deals):
        seat = int(episode.tables["actor"][0])
        others_too = resample_episode(game, episode, _NOBODY, rng.random)
        mine, theirs = (game.observe(tables, 0, seat)[0] for tables in (episode.tables, others_too.tables))
        wrong = np.flatnonzero((mine != theirs) & public)
        if len(wrong):
            raise CheckFailure(
                f"{_block_at(game, int(wrong[0]))} depends on the cards of player_{seat}: it needs private=True"
            )


def _compare(game: Game, tables: Tables, other: Tables, seat: int) -> None:
    (mine, my_mask), (theirs, their_mask) = game.observe(tables, 0, seat), game.observe(other, 0, seat)
    at_view, _ = game.observe(game.views(tables, [0], [seat]), 0, seat)
    wrong = np.flatnonzero((mine != theirs) | (mine != at_view))
    if len(wrong):
        raise CheckFailure(f"{_block_at(game, int(wrong[0]))} reveals to player_{seat} cards that it cannot see")
    if not np.array_equal(my_mask, their_mask):
        raise CheckFailure(f"the mask reveals to player_{seat} cards that it cannot see")
    if game.views(tables, [0], [seat]).tobytes() != game.views(other, [0], [seat]).tobytes():
        raise CheckFailure(f"censor_batch reveals to player_{seat} cards that it cannot see")
    if game.text(tables, 0, seat) != game.text(other, 0, seat):
        raise CheckFailure(f"text reveals to player_{seat} cards that it cannot see:\n{game.text(tables, 0, seat)}")


def check_batch(game: Game, seed: int, deals: int) -> None:
    """Check that a batch of tables equals each table alone, byte for byte, with observations and masks."""
    batch, rows = game.seeded_tables(_TABLES, seed), np.arange(_TABLES)
    alone = [game.seeded_tables(1, seed, number) for number in range(_TABLES)]
    game.deal_batch(batch, rows)
    for tables in alone:
        game.deal(tables, 0)
    _compare_batch(batch, alone, "deal_batch and deal")
    rewards, is_over = np.zeros((_TABLES, game.num_seats), np.float32), np.zeros(_TABLES, np.uint8)
    rng = make_generator(seed)
    for _ in range(20 * deals):
        active = rows[batch["is_over"] == 0]
        if len(active) == 0:
            return
        observations, masks = game.observe_actors(batch, active)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks], np.int64)
        for j, (row, action) in enumerate(zip(active.tolist(), actions.tolist(), strict=True)):
            observation, mask = game.observe(alone[row], 0, int(alone[row]["actor"][0]))
            if not np.array_equal(observation, observations[j]) or not np.array_equal(mask, masks[j]):
                raise CheckFailure("observe_batch and observe write different observations or masks")
            game.step(alone[row], 0, action)
        game.step_batch(batch, active, actions, rewards, is_over, False)
        _compare_batch(batch, alone, "step_batch and step")
        _check_rewards(game, batch[active], rewards[: len(active)], is_over[: len(active)])


def _check_rewards(game: Game, tables: Tables, rewards: NDArray[np.float32], is_over: NDArray[np.uint8]) -> None:
    if not np.array_equal(is_over, tables["is_over"]):
        raise CheckFailure("step_batch reports other ends than the tables")
    won = tables["payoff"][:, : game.num_seats] / game.chips_per_reward
    if not np.array_equal(rewards, np.where(is_over[:, None] == 1, won, 0).astype(np.float32)):
        raise CheckFailure("step_batch writes rewards that are not payoff / chips_per_reward, zero before the end")


def _compare_batch(batch: Tables, alone: list[Tables], what: str) -> None:
    for row, tables in enumerate(alone):
        if batch[row : row + 1].tobytes() != tables.tobytes():
            fields = [name for name in batch.dtype.names or () if not np.array_equal(batch[name][row], tables[name][0])]
            raise CheckFailure(f"{what} leave different tables: fields {fields}")


def check_clones(game: Game, seed: int, deals: int) -> None:
    """Check that a copied table continues like the original, and that seed and actions fix all deals."""
    rng, again = make_generator(seed), game.seeded_tables(1, seed)
    tables = game.seeded_tables(1, seed)
    for _ in range(deals):
        actor, _ = int(game.deal(tables, 0)), game.deal(again, 0)
        clone = tables.copy()
        while actor >= 0:
            action = int(rng.choice(np.flatnonzero(game.observe(tables, 0, actor)[1])))
            actor = int(game.step(tables, 0, action))
            for other, what in ((clone, "a copied table"), (again, "the same seed")):
                game.step(other, 0, action)
                if other.tobytes() != tables.tobytes():
                    raise CheckFailure(f"{what} differs after the same actions: some state is kept outside the table")


def check_compiled(game: Game, seed: int, deals: int) -> None:
    """Check that the compiled kernels do the same as plain Python; the game must be picklable."""
    compare_with_plain_python([game], seed, deals)


def compare_with_plain_python(games: Sequence[Game], seed: int, deals: int) -> None:
    """Check games as `check_compiled` does, in a single process without the compiler."""
    program = (
        "import pickle, sys; paths, rest = pickle.load(sys.stdin.buffer); sys.path[:] = paths;"
        "from card_envs.testing.play import digest; games, seed, deals = pickle.loads(rest);"
        "print(*(digest(game, seed, deals) for game in games))"
    )
    arguments = pickle.dumps((sys.path, pickle.dumps((list(games), seed, deals))))
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], input=arguments, capture_output=True, env=environment)
    if done.returncode != 0:
        raise CheckFailure(f"without the compiler the game fails:\n{done.stderr.decode(errors='replace')[-2000:]}")
    for game, found in zip(games, done.stdout.decode().split()[-len(games) :], strict=True):
        if found != digest(game, seed, deals):
            raise CheckFailure(
                f"{game}: compiled kernels and plain Python give different results: look for overflows and indices out "
                "of range"
            )


def _block_at(game: Game, index: int) -> str:
    name = next(name for name, columns in game.layout.slices.items() if columns.start <= index < columns.stop)
    return f"block {name!r} of encoder {game.encoder.name!r}"


CHECKS: Mapping[str, Callable[[Game, int, int], Any]] = {
    "api": check_api,
    "spaces": check_spaces,
    "masks": check_masks,
    "payoffs": check_payoffs,
    "leaks": check_leaks,
    "batch": check_batch,
    "clones": check_clones,
    "compiled": check_compiled,
}
"""Name -> function (game, seed, deals) that returns nothing or raises `CheckFailure` or `NotApplicable`."""
