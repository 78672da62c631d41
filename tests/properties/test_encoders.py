"""Encoders of hold'em: what holds for every encoder, in every kind of game, for every seat, at every moment."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.cards import card_ids
from card_envs.games.holdem.actions import has, wrap_seat
from card_envs.games.holdem.betting_history_bits import BITS_PER_WORD, rotate_to_seat
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders import ENCODERS
from card_envs.games.holdem.kernels import LOOPS
from card_envs.games.holdem.presets import kuhn_poker, leduc_holdem, limit_holdem, no_limit_holdem
from card_envs.games.holdem.view import board, hole_cards, is_shown, reaches_showdown
from card_envs.poker.starting_hands import starting_hand_equity
from card_envs.vector import VectorTables
from tests.properties.encoder_play import Observer, digest, encoders_of, random_states
from tests.properties.holdem_random_play import PRESETS

ROOT = Path(__file__).parents[2]
TEXAS = [name for name, config in PRESETS.items() if config.is_texas]

UNEVEN_GAMES = [
    make(n, (3, 200, 50, 1, 20, 400, 7, 90, 2, 33)[:n], ante=n % 2)
    for n in range(2, 11)
    for make in (HoldemConfig.limit, HoldemConfig.no_limit)
]

all_presets = pytest.mark.parametrize("preset", PRESETS)


@pytest.mark.parametrize("config", [*PRESETS.values(), *UNEVEN_GAMES])
def test_observations_of_all_seats_lie_in_the_box_and_nothing_is_written_behind_it(config: HoldemConfig) -> None:
    for encoder in encoders_of(config):
        layout, observer = encoder.layout(config), Observer(encoder, config)
        assert layout.size == sum(block.size for block in layout.blocks) == layout.space.shape[0]
        for tables in islice(random_states(config, seed=1), 150):
            for seat in range(config.num_players):
                observation, mask = observer.look(tables, seat)
                assert layout.space.contains(observation), (encoder.name, layout.split(observation))
                assert mask.any() == (seat == tables[0].actor)


BATCHED = [(make, name) for make in (limit_holdem, no_limit_holdem) for name in ENCODERS]
BATCHED = [batched for batched in BATCHED if batched not in ((no_limit_holdem, "bits"), (no_limit_holdem, "shi2022"))]


@pytest.mark.parametrize(("make", "encoder"), BATCHED)
def test_the_batched_engine_shows_actors_what_one_seat_alone_sees(make: Any, encoder: str) -> None:
    game = make(6, stacks=[3, 200, 50, 1, 20, 400], encoder=encoder)
    engine, observer = VectorTables(game, 50, seed=2), Observer(ENCODERS[encoder], game.config)
    batch = engine.reset()
    for _ in range(40):
        assert batch.observation.shape == (50, game.layout.size)
        for row, seat in enumerate(batch.seats):
            observation, mask = observer.look(engine.tables[row : row + 1], int(seat))
            assert game.layout.space.contains(batch.observation[row])
            assert np.array_equal(batch.observation[row], observation)
            assert np.array_equal(batch.action_mask[row], mask)
        batch = engine.step(engine.sample_actions())


RARE = {
    "default": {"category"},
    "bits": {"category"},
    "equity": {"category"},
    "rlcard": set(),
    "kaminsky404": {"hole_cards", "board"},
    "shi2022": {"category", "history"},
}  # such as the highest being 2c
NEVER_USED = {
    ("limit", "rlcard"): {"raises": [4]},  # before the flop three raises are the cap of `standard`
    ("heads-up no-limit", "default"): {"recent_kind": [3, 6, 9, 12, 15, 18, 21]},  # a fold is the end
    ("heads-up no-limit", "equity"): {"recent_kind": [3, 6, 9, 12, 15, 18, 21]},
}


@pytest.mark.parametrize(
    ("kind", "config"),
    [
        ("limit", HoldemConfig.limit(2)),
        ("limit", HoldemConfig.limit(6)),
        ("heads-up no-limit", HoldemConfig.no_limit(2, 20_000, bet_menu="fchp")),
        ("no-limit", HoldemConfig.no_limit(6, 20_000, bet_menu="fchp")),
    ],
)
def test_every_number_is_used(kind: str, config: HoldemConfig) -> None:
    observers = [Observer(encoder, config) for encoder in encoders_of(config)]
    used = [np.zeros(observer.size, np.bool_) for observer in observers]
    for tables in islice(random_states(config, seed=3), 30_000 // config.num_players):
        for seat in range(config.num_players):
            for observer, marks in zip(observers, used, strict=True):
                marks |= observer.look(tables, seat)[0] != 0
    for observer, marks in zip(observers, used, strict=True):
        name, slices = observer.encoder.name, observer.encoder.layout(config).slices
        unused = {block: np.flatnonzero(~marks[place]).tolist() for block, place in slices.items()}
        found = {block: places for block, places in unused.items() if places and block not in RARE[name]}
        assert found == NEVER_USED.get((kind, name), {})


@all_presets
def test_what_is_decoded_is_true(preset: str) -> None:
    config = PRESETS[preset]
    observers = [Observer(encoder, config) for encoder in encoders_of(config)]
    for tables in islice(random_states(config, seed=4), 0, min(300, 900 // config.num_players), 3):
        for seat in range(config.num_players):
            for observer in observers:
                decoded = observer.encoder.decode(config, observer.look(tables, seat)[0])
                TRUE_TO[observer.encoder.name](tables[0], seat, decoded)


def check_default(t: Any, seat: int, decoded: dict[str, Any]) -> None:
    n = int(t.num_seats)
    clockwise = [wrap_seat(seat + k, n) for k in range(n)]
    assert sorted(card_ids(decoded["hole_cards"])) == sorted(hole_cards(t, seat))
    assert sorted(card_ids(decoded["board"])) == sorted(board(t))
    assert decoded["street"] == t.street
    assert decoded["position"] == (seat - t.button - 1) % n
    assert decoded["in_hand"] == [has(t.in_hand, k) for k in clockwise]


def check_bits(t: Any, seat: int, decoded: dict[str, Any]) -> None:
    check_default(t, seat, decoded)
    n = int(t.num_seats)
    calls = [has(seats, wrap_seat(seat + k, n)) for seats in played(t, t.callers, 1) for k in range(n)]
    raises = [raiser == wrap_seat(seat + k, n) for raiser in played(t, t.raiser, 0) for k in range(n)]
    assert decoded["callers"].ravel().tolist() == calls
    assert decoded["raisers"].ravel().tolist() == raises


def played(t: Any, by_level: Any, more: int) -> list[Any]:
    """Return the entries of (street, level) that the rules allow, `more` beyond the number of raises."""
    return [entry for street in range(t.num_streets) for entry in by_level[street, : t.max_raises[street] + more]]


def check_equity(t: Any, seat: int, decoded: dict[str, Any]) -> None:
    check_default(t, seat, decoded)
    if not board(t):
        assert decoded["equity"] == pytest.approx(starting_hand_equity(hole_cards(t, seat)), abs=1e-6)


def check_rlcard(t: Any, seat: int, decoded: dict[str, Any]) -> None:
    assert sorted(card_ids(decoded["cards"])) == sorted(hole_cards(t, seat) + board(t))
    assert decoded["street"] == t.street
    if "raises" in decoded:
        assert decoded["raises"] == [min(4, raises) for raises in t.street_raises]
    else:
        assert decoded["my_commit"] == t.hand_commit[seat]
        assert decoded["largest_commit"] == max(t.hand_commit)


def check_kaminsky404(t: Any, seat: int, decoded: dict[str, Any]) -> None:
    n = int(t.num_seats)
    by_position = [wrap_seat(int(t.button) + 1 + k, n) for k in range(n)]
    commits = t.hand_commit[by_position]
    capital = t.stack[by_position] - t.payoff[by_position] + (0 if t.is_over else commits)
    assert card_ids(decoded["hole_cards"]) == sorted(hole_cards(t, seat), reverse=True)
    assert card_ids(decoded["board"]) == sorted(board(t), reverse=True)
    assert decoded["folded"] == [not has(t.in_hand, k) for k in by_position]
    assert decoded["hand_share"] == pytest.approx(commits / capital)
    assert decoded["street_share"] == pytest.approx(t.street_commit[by_position] / capital)
    assert by_position[decoded["position"]] == seat
    assert decoded["street"] == t.street
    assert (decoded["last_raiser"] is None) == (not any(t.street_raises))


def check_shi2022(t: Any, seat: int, decoded: dict[str, Any]) -> None:
    by_position = [wrap_seat(int(t.button) + 1 + k, int(t.num_seats)) for k in range(t.num_seats)]
    assert card_ids(decoded["hole_cards"]) == sorted(hole_cards(t, seat))
    assert card_ids(decoded["board"]) == sorted(board(t))
    assert decoded["street"] == t.street
    assert by_position[decoded["position"]] == seat
    assert decoded["in_hand"] == [has(t.in_hand, k) for k in by_position]
    assert len(decoded["history"]) == t.num_decisions


TRUE_TO = {
    "default": check_default,
    "bits": check_bits,
    "equity": check_equity,
    "rlcard": check_rlcard,
    "kaminsky404": check_kaminsky404,
    "shi2022": check_shi2022,
}


def leaks(preset: str, states: int, seed: int) -> list[tuple[str, int]]:
    """Return (what, seat) wherever other cards in unseen places change a view, an observation or a mask."""
    config, rng = PRESETS[preset], np.random.default_rng(seed)
    observers = [Observer(encoder, config) for encoder in encoders_of(config)]
    found = []
    for tables in islice(random_states(config, seed), states):
        seat = int(rng.integers(config.num_players))
        other = with_other_unseen_cards(rng, config, tables, seat)
        if view_of(tables, seat) != view_of(other, seat):
            found.append(("view", seat))
        for observer in observers:
            before, after = observer.look(tables, seat), observer.look(other, seat)
            if not (np.array_equal(before[0], after[0]) and np.array_equal(before[1], after[1])):
                found.append((observer.encoder.name, seat))
    return found


def with_other_unseen_cards(rng: np.random.Generator, config: HoldemConfig, tables: Any, seat: int) -> Any:
    """Return a copy of the table in which the places of the deck that `seat` cannot see hold random other cards."""
    t, k = tables[0], config.num_hole_cards
    seen = {seat * k + i for i in range(k)}
    seen |= {owner * k + i for owner in range(config.num_players) for i in range(k) if is_shown(t, owner)}
    first = config.num_players * k
    shown = sum(config.board_cards) if reaches_showdown(t) else len(board(t))
    seen |= set(range(first, first + shown))
    unseen = [place for place in range(config.num_dealt) if place not in seen]
    kept = {int(t.deck[place]) for place in seen}
    left = [card for card in config.deck_cards if card not in kept]
    copy = tables.copy()
    copy[0].deck[unseen] = rng.permutation(left)[: len(unseen)]
    return copy


def view_of(tables: Any, seat: int) -> bytes:
    views = np.zeros_like(tables)
    LOOPS["censor_batch"](tables, np.zeros(1, np.int64), np.full(1, seat, np.int64), views)
    return bytes(views.tobytes())


@pytest.mark.parametrize("preset", TEXAS)
def test_no_encoder_mask_or_view_depends_on_unseen_cards(preset: str) -> None:
    assert len(TEXAS) * 1500 >= 20_000
    assert leaks(preset, states=1500, seed=5) == []


@pytest.mark.parametrize("preset", [name for name in PRESETS if name not in TEXAS])
def test_no_leak_in_small_games(preset: str) -> None:
    assert leaks(preset, states=500, seed=5) == []


@pytest.mark.slow
@all_presets
def test_no_leak_in_many_more_states(preset: str) -> None:
    assert leaks(preset, states=20_000, seed=6) == []


@pytest.mark.parametrize("encoder", ENCODERS)
def test_seen_cards_do_change_the_observation(encoder: str) -> None:
    config = PRESETS["limit, 6 seats"]
    observer, rng = Observer(ENCODERS[encoder], config), np.random.default_rng(7)
    for tables in islice(random_states(config, seed=7), 200):
        seat = int(rng.integers(config.num_players))
        other = with_other_unseen_cards(rng, config, tables, (seat + 1) % config.num_players)
        mine = sorted(hole_cards(tables[0], seat)) == sorted(hole_cards(other[0], seat))
        assert mine == np.array_equal(observer.look(tables, seat)[0], observer.look(other, seat)[0])


@pytest.mark.parametrize("make", [kuhn_poker, leduc_holdem])
@pytest.mark.parametrize("encoder", ["equity", "rlcard", "kaminsky404", "shi2022"])
def test_encoders_of_texas_holdem_refuse_other_games(make: Any, encoder: str) -> None:
    with pytest.raises(ValueError, match=f"encoder '{encoder}' is for Texas hold'em.*use encoder 'default'"):
        make(encoder=encoder)


@pytest.mark.slow
def test_plain_python_observes_the_same_as_compiled_code() -> None:
    process = subprocess.run(
        [sys.executable, "-W", "error", "-m", "tests.properties.encoder_play"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == digest(states=5, seed=5)


@pytest.mark.parametrize("num_seats", range(2, 11))
def test_words_of_bits_stay_behind_their_last_group_empty_whoever_looks(num_seats: int) -> None:
    bits = int(BITS_PER_WORD[num_seats])
    everybody = 2**bits - 1
    for seat in range(num_seats):
        assert int(rotate_to_seat(everybody, seat, num_seats)) == everybody
        alone = sum(1 << k for k in range(seat, bits, num_seats))
        assert int(rotate_to_seat(alone, seat, num_seats)) == sum(1 << k for k in range(0, bits, num_seats))
