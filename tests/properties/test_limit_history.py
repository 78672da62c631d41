"""Encoder `default`: equal observations of limit games are equal cards and betting, and the betting reads back.

Also the words of bits that both kinds of games keep of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from card_envs.game import ILLEGAL
from card_envs.games.holdem import kernels
from card_envs.games.holdem.actions import FIRST_RAISE_ACTION, is_legal, wrap_seat
from card_envs.games.holdem.betting_history_bits import BITS_PER_WORD
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders.default import DEFAULT
from card_envs.games.holdem.encoders.texas import KIND_NAMES
from card_envs.games.holdem.state import CALL, FOLD, MAX_LEVELS, RAISE
from card_envs.observation import mask_records, observation_records
from tests.helpers.kinds_of_games import PRESETS
from tests.properties.encoder_play import Observer, new_tables

Decision = tuple[int, int, int]
"""Street, seat, kind."""


def relative(history: list[Decision], me: int, num_seats: int) -> tuple[Decision, ...]:
    return tuple((street, wrap_seat(seat - me + num_seats, num_seats), kind) for street, seat, kind in history)


def knowledge(t: Any, deck: list[int], me: int, history: list[Decision]) -> Any:
    """Return what a seat knows in a limit game: its cards, the board, its position, and all decisions seen from it."""
    n = len(deck) // 2 - 2
    shown = (0, 3, 4, 5)[int(t.street)]
    cards = frozenset(deck[2 * me : 2 * me + 2]), frozenset(deck[2 * n : 2 * n + shown])
    return cards, (me - int(t.button) - 1) % n, relative(history, me, n)


class Pairs:
    """Observations and what they stand for; both ways, one of the one must go with one of the other."""

    def __init__(self) -> None:
        self.known_by_seen: dict[bytes, Any] = {}
        self.seen_by_known: dict[Any, bytes] = {}
        self.count = 0

    def add(self, seen: bytes, known: Any) -> None:
        self.count += 1
        assert self.known_by_seen.setdefault(seen, known) == known
        assert self.seen_by_known.setdefault(known, seen) == seen


def play_with_few_decks(num_players: int, decisions: int = 20_000, seed: int = 1, **settings: Any) -> Pairs:
    """Play many tables with the same four decks, so that hands differ by little else than betting and button."""
    config, rng, num_tables = HoldemConfig.limit(num_players, **settings), random.Random(seed), 500
    decks = [rng.sample(range(52), config.num_dealt) for _ in range(4)]
    tables, rows = new_tables(config, num_tables, seed), np.arange(num_tables)
    dealt, histories = [decks[0]] * num_tables, [list[Decision]() for _ in rows]
    numbers = np.zeros((num_tables, DEFAULT.layout(config).size), np.float32)
    masks = np.zeros((num_tables, config.num_actions), np.int8)
    pairs = Pairs()
    while pairs.count < decisions:
        for i in np.flatnonzero(tables["is_over"]):
            button, dealt[i] = rng.randrange(config.num_players), rng.choice(decks)
            kernels.begin_hand(tables, i, button, config.stack_list, dealt[i])
            histories[i] = []
        DEFAULT.observe_batch(tables, rows, observation_records(numbers), mask_records(masks))
        for i in rows:
            t = tables[i]
            street, actor, kind = int(t.street), int(t.actor), choose(rng, t)
            pairs.add(numbers[i].tobytes(), knowledge(t, dealt[i], actor, histories[i]))
            histories[i].append((street, actor, kind))
            assert kernels.step(tables, i, kind) != ILLEGAL
    return pairs


def choose(rng: random.Random, t: Any) -> int:
    kind = rng.choices((FOLD, CALL, RAISE), (1, 4, 3))[0]
    return kind if is_legal(t, kind) else CALL


MANY = {"decisions": 300_000, "seed": 2, "max_raises": (4, 4, 4, 4)}


@pytest.mark.parametrize(
    ("num_players", "settings"),
    [
        (2, {}),
        (6, {}),
        *(
            pytest.param(seats, MANY, marks=pytest.mark.slow, id=f"{seats}, many decisions")
            for seats in (2, 3, 4, 6, 9)
        ),
    ],
)
def test_equal_observations_are_equal_knowledge(num_players: int, settings: dict[str, Any]) -> None:
    pairs = play_with_few_decks(num_players, **settings)
    assert len(pairs.known_by_seen) == len(pairs.seen_by_known)
    assert len(pairs.known_by_seen) < pairs.count  # some came twice, else nothing would have been compared


def all_moments(tables: Any, history: list[Decision]) -> Iterator[tuple[Any, list[Decision]]]:
    """Yield the table and its history at every point that the betting of this deal can reach."""
    yield tables, history
    t = tables[0]
    for kind in (FOLD, CALL, RAISE):
        if is_legal(t, kind):
            after = tables.copy()
            kernels.step(after, 0, kind)
            yield from all_moments(after, [*history, (int(t.street), int(t.actor), kind)])


# Decisions and folds before the flop, and on a later street. Seven lines lead to the flop, nine from each street to the
# next: two checks, or a call after up to four raises (three preflop), with or without a check (call) before them.
# RLCard allows a fourth raise before the flop, thus nine lines to the flop, and to fold where checking is free.
@pytest.mark.parametrize(
    ("rules", "preflop", "to_flop", "later"), [("standard", 8 + 7, 7, 10 + 8), ("rlcard", 10 + 10, 9, 10 + 10)]
)
def test_every_line_of_heads_up_betting_is_told_from_every_other_by_both_seats(
    rules: str, preflop: int, to_flop: int, later: int
) -> None:
    config = HoldemConfig.limit(rules=rules)
    tables, pairs, observer = new_tables(config, 1, seed=3), Pairs(), Observer(DEFAULT, config)
    kernels.deal(tables, 0)
    deck = tables[0].deck[: config.num_dealt].tolist()
    for moment, history in all_moments(tables, []):
        for seat in (0, 1):
            pairs.add(observer.look(moment, seat)[0].tobytes(), knowledge(moment[0], deck, seat, history))
    assert pairs.count == 2 * (preflop + to_flop * (1 + 9 + 9 * 9) * later + to_flop * 9 * 9 * 9)
    assert len(pairs.known_by_seen) == len(pairs.seen_by_known) == pairs.count


SHORT = {
    "three all-in on three streets": HoldemConfig.limit(4, (200, 3, 9, 20)),
    "blinds all-in": HoldemConfig.limit(3, (1, 2, 200)),
    "all-in for less than a raise": HoldemConfig.limit(5, (5, 7, 11, 13, 200)),
    "antes": HoldemConfig.limit(6, (2, 4, 30, 200, 5, 40), ante=1),
    "six seats, rlcard": HoldemConfig.limit(6, rules="rlcard", max_raises=(4, 4, 4, 4)),
}
GAMES = {name: config for name, config in PRESETS.items() if config.has_whole_history} | SHORT


def wrong_histories(config: HoldemConfig, decisions: int, seed: int, at_end: bool) -> list[str]:
    """Return where the betting that a random seat reads back is another one: before decisions, and at the end."""
    rng, tables = random.Random(seed), new_tables(config, 1, seed)
    observer, n, wrong = Observer(DEFAULT, config), config.num_players, []
    while decisions > 0:
        kernels.deal(tables, 0)
        history: list[Decision] = []
        while True:
            t = tables[0]
            if t.is_over and not at_end:
                break
            seat = rng.choice((max(0, int(t.actor)), rng.randrange(n)))
            decoded = DEFAULT.decode(config, observer.look(tables, seat)[0])["history"]
            expected = [(street, k, KIND_NAMES[kind]) for street, k, kind in relative(history, seat, n)]
            if decoded != expected:
                wrong.append(f"seat {seat}: {decoded} instead of {expected}")
            if t.is_over:
                break
            kind = choose(rng, t)
            history.append((int(t.street), int(t.actor), kind))
            kernels.step(tables, 0, kind)
            decisions -= 1
    return wrong


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("decisions", [400, pytest.param(5_000, marks=pytest.mark.slow)])
def test_the_betting_is_read_back(name: str, decisions: int) -> None:
    """After an all-in that nobody called in full, the last observation does not tell when streets ended."""
    assert wrong_histories(GAMES[name], decisions, seed=4, at_end=name not in SHORT)[:1] == []


def groups_of_words(t: Any) -> list[int]:
    """Return the sets of seats that the words of a table hold, one after another."""
    n = int(t.num_seats)
    size = int(BITS_PER_WORD[n])
    return [int(word) >> k & (1 << n) - 1 for word in t.history_bits for k in range(0, size, n)]


@pytest.mark.parametrize("num_players", range(2, 11))
def test_words_tell_what_callers_and_raisers_tell(num_players: int) -> None:
    config = HoldemConfig.limit(num_players, max_raises=(4, 4, 4, 3))
    rng, tables, caps = random.Random(num_players), new_tables(config, 1, seed=8), config.max_raises or ()
    for _ in range(20):
        kernels.deal(tables, 0)
        while not tables[0].is_over:
            kernels.step(tables, 0, choose(rng, tables[0]))
            t = tables[0]
            called = [int(t.callers[street, level]) for street, cap in enumerate(caps) for level in range(cap + 1)]
            raised = [int(t.raiser[street, level]) for street, cap in enumerate(caps) for level in range(cap)]
            expected = [*called, *(1 << seat if seat >= 0 else 0 for seat in raised)]
            found = groups_of_words(t)
            assert found[: len(expected)] == expected
            assert not any(found[len(expected) :])


@pytest.mark.parametrize("num_players", [2, 6, 10])
def test_words_of_other_games_tell_callers_and_raisers_by_street(num_players: int) -> None:
    config = HoldemConfig.no_limit(num_players, stacks=400)
    rng, tables, most = random.Random(num_players), new_tables(config, 1, seed=9), 0
    for _ in range(40):
        kernels.deal(tables, 0)
        while not tables[0].is_over:
            raises = range(FIRST_RAISE_ACTION, config.num_actions)  # the smallest one, so that there are many
            kernels.step(tables, 0, next((a for a in raises if rng.random() < 0.7 and is_legal(tables[0], a)), CALL))
            t = tables[0]
            called = [int(np.bitwise_or.reduce(t.callers[street])) for street in range(4)]
            raised = [sum({1 << int(seat) for seat in t.raiser[street] if seat >= 0}) for street in range(4)]
            found = groups_of_words(t)
            assert found[:8] == [*called, *raised]
            assert not any(found[8:])
            most = max(most, int(t.street_raises.max()))
    assert most > MAX_LEVELS - 1  # a raiser was forgotten for a later one
