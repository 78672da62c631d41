"""Encoders of hold'em: what holds for every encoder, in every kind of game, for every seat, at every moment."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest

from card_envs.cards import card_ids
from card_envs.games.holdem.actions import has, wrap_seat
from card_envs.games.holdem.betting_history_bits import BITS_PER_WORD, rotate_to_seat
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.encoders import ENCODERS
from card_envs.games.holdem.encoders.texas import STREETS
from card_envs.games.holdem.presets import kuhn_poker, leduc_holdem
from card_envs.games.holdem.view import board, hole_cards
from tests.fuzz.leaks import hide_holdem
from tests.helpers.equities import starting_hand_equity
from tests.helpers.kinds_of_games import PRESETS
from tests.properties.encoder_play import Observer, encoders_of, random_states

all_presets = pytest.mark.parametrize("preset", PRESETS)


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
    for tables in islice(random_states(config, seed=3), 2_500):
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
    for tables in islice(random_states(config, seed=4), 0, min(300, 900 // config.num_players), 6):
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
    if not board(t) and t.num_streets == STREETS:
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


@pytest.mark.parametrize("encoder", ENCODERS)
def test_seen_cards_do_change_the_observation(encoder: str) -> None:
    config = PRESETS["limit, 6 seats"]
    observer, rng = Observer(ENCODERS[encoder], config), np.random.default_rng(7)
    for tables in islice(random_states(config, seed=7), 200):
        seat = int(rng.integers(config.num_players))
        other = tables.copy()
        hide_holdem(other, np.array([(seat + 1) % config.num_players]))
        mine = sorted(hole_cards(tables[0], seat)) == sorted(hole_cards(other[0], seat))
        assert mine == np.array_equal(observer.look(tables, seat)[0], observer.look(other, seat)[0])


@pytest.mark.parametrize("make", [kuhn_poker, leduc_holdem])
@pytest.mark.parametrize("encoder", ["equity", "rlcard", "kaminsky404", "shi2022"])
def test_encoders_of_texas_holdem_refuse_other_games(make: Any, encoder: str) -> None:
    with pytest.raises(ValueError, match=f"encoder '{encoder}' is for Texas hold'em.*use encoder 'default'"):
        make(encoder=encoder)


@pytest.mark.parametrize("num_seats", range(2, 11))
def test_words_of_bits_stay_behind_their_last_group_empty_whoever_looks(num_seats: int) -> None:
    bits = int(BITS_PER_WORD[num_seats])
    everybody = 2**bits - 1
    for seat in range(num_seats):
        assert int(rotate_to_seat(everybody, seat, num_seats)) == everybody
        alone = sum(1 << k for k in range(seat, bits, num_seats))
        assert int(rotate_to_seat(alone, seat, num_seats)) == sum(1 << k for k in range(0, bits, num_seats))
