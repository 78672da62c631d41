"""Tables that ought to be the same: many and one, copied and original, moved around the table and not."""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from card_envs.aec import GameAEC
from card_envs.envs import ENVS, make_env, make_raw_env
from card_envs.game import Game, Tables
from card_envs.games.big2.combos import CARD_OF_ORDER
from card_envs.games.big2.config import Big2Config
from card_envs.observation import mask_records, observation_records
from card_envs.testing import CheckFailure, check
from tests.fuzz.check import Difference
from tests.fuzz.games import Named, dealt, random_game
from tests.helpers.wide_games import MASK_WIDTH, WIDTH

NUM_TABLES, DECISIONS = 16, 60
CLONED_DEALS = 5
DEALS = 40


def batches(seed: int) -> int:
    """Play a batch, and each of its tables alone; return the number of tables."""
    keep_promise("batch", seed)
    return NUM_TABLES


def clones(seed: int) -> int:
    """Copy tables and environments, and go on with both; return the number of copies."""
    keep_promise("clones", seed)
    return CLONED_DEALS + environments(seed)


def keep_promise(name: str, seed: int) -> None:
    """Call a check of `card_envs.testing` with a random game."""
    named = random_game(random.Random(seed))
    try:
        check(named.game, name, seed, CLONED_DEALS)
    except CheckFailure as failure:
        raise Difference(named.words, f"seed {seed}", str(failure)) from failure


def environments(seed: int) -> int:
    """Copy an environment before every step, and go on with all copies; return the number of copies."""
    rng = random.Random(seed)
    env_id, make = rng.choice(list(ENVS)), rng.choice((make_env, make_raw_env))
    return environment_copies(partial(make, env_id), seed)


def environment_copies(make: Callable[..., GameAEC], seed: int) -> int:
    """Pickle and copy an environment before every step and new deal, and go on with all three; return their number."""
    rng, env = random.Random(seed), make(render_mode="ansi")
    env.reset(seed=seed)
    for count in range(DECISIONS):
        copies = [env, pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist() if env.agents else []
        action = rng.choice(legal) if legal and not env.terminations[env.agent_selection] else None
        shown = []
        for each in copies:
            if each.agents:
                each.step(action)
            else:
                each.reset()
            shown.append(what_is_shown(each))
        if shown.count(shown[0]) < len(shown):
            made_by = f"{type(env).__name__} of {env}"
            raise Difference(made_by, f"seed {seed}, step {count}", "a copy goes on otherwise")
        env = rng.choice(copies)
    return DECISIONS


def what_is_shown(env: Any) -> tuple[Any, ...]:
    """Return everything that an environment tells, comparable."""
    observations = [
        array.tobytes() for agent in env.agents for array in (*env.observe(agent).values(), np.asarray(env.state()))
    ]
    return (env.agents, env.rewards, env.terminations, dict(env._cumulative_rewards), observations, env.render())


def seats(seed: int) -> int:
    """Play a deal, and once more with everybody moved around the table; return the number of states compared."""
    rng = random.Random(seed)
    named = random_game(rng)
    game, count = named.game, 0
    if isinstance(game.config, Big2Config) or game.config.button_moves:
        for number in range(DEALS):
            count += moved_around(named, rng, seed + number)
    return count


def moved_around(named: Named, rng: random.Random, seed: int) -> int:
    """Compare what every seat gets in a deal with what it gets one or more places further on; return the states."""
    game, shift = named.game, rng.randrange(1, named.game.num_seats)
    one, other = dealt(game, 1, seed), game.seeded_tables(1, seed)
    game.deal_with(other, 0, moved_options(game, one, shift))
    count = 0
    while True:
        for seat in range(game.num_seats):
            moved = (seat + shift) % game.num_seats
            if seen(game, one, seat) != seen(game, other, moved):
                where = f"seed {seed}, decision {count}, seat {seat} moved to {moved}\n{game.text(one, 0, None)}"
                raise Difference(named.words, where, "the seat sees something else after moving")
        count += game.num_seats
        if one["is_over"][0]:
            break
        chosen = np.zeros(1, np.int64)
        game.random_batch(one, np.zeros(1, np.int64), one, chosen)
        assert game.step(one, 0, int(chosen[0])) != -2 != game.step(other, 0, int(chosen[0]))
    if not np.array_equal(np.roll(one["payoff"][0, : game.num_seats], shift), other["payoff"][0, : game.num_seats]):
        raise Difference(named.words, f"seed {seed}, the end", "payoffs do not move with the seats")
    return count


def moved_options(game: Game, tables: Tables, shift: int) -> dict[str, Any]:
    """Return the options of `deal_with` for the same deal, with every seat's place taken by the one `shift` before."""
    t, n = tables[0], game.num_seats
    if isinstance(game.config, Big2Config):
        held = [int(t.held[seat]) | int(t.played[seat]) for seat in range(n)]
        hands = [[int(CARD_OF_ORDER[order]) for order in range(52) if cards >> order & 1] for cards in held]
        return {"hands": [hands[(seat - shift) % n] for seat in range(n)]}
    k = game.config.num_hole_cards
    in_play = 0 if t.is_over else t.hand_commit[:n]
    before = (t.stack[:n] - t.payoff[:n] + in_play).tolist()
    deck = t.deck[: game.config.num_dealt].tolist()
    hole_cards = [deck[k * ((seat - shift) % n) : k * ((seat - shift) % n) + k] for seat in range(n)]
    return {
        "button": (int(t.button) + shift) % n,
        "stacks": [before[(seat - shift) % n] for seat in range(n)],
        "deck": [card for cards in hole_cards for card in cards] + deck[k * n :],
    }


def seen(game: Game, tables: Tables, seat: int) -> bytes:
    """Return observation and mask of a seat, in buffers of the size that all tests use."""
    width = WIDTH if game.layout.dtype == np.float32 else game.layout.size
    numbers, mask = np.zeros((1, width), game.layout.dtype), np.zeros((1, max(MASK_WIDTH, game.num_actions)), np.int8)
    game.encoder.observe(tables, 0, seat, observation_records(numbers), mask_records(mask))
    return numbers.tobytes() + mask.tobytes()
