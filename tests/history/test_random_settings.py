"""Matches of random games: what a format takes, it gives back; what it does not take, it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from card_envs.agent import RandomAgent
from card_envs.cards import NO_CARD
from card_envs.game import Game
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game
from card_envs.games.holdem.rules import RULES
from card_envs.history import MatchFile, load_hands, load_pokerstars, replay_paths
from card_envs.history.formats import formats_of, load_recorded_hands
from card_envs.history.holdem_replay import fill_unknown
from card_envs.history.phh.hand import Hand
from card_envs.history.replay import RecordedHand
from card_envs.history.results import EXACT
from card_envs.match import play_match

HANDS = 30
GAMES = 15


def random_game(rng: np.random.Generator) -> Game:
    """Return a game with random seats, blinds, antes, stacks, betting and rules; limit games with any cap."""

    def one_of(*values: Any) -> Any:
        return values[rng.integers(len(values))]

    n, structure, big = one_of(2, 2, 3, 4, 6), one_of("limit", "no_limit", "no_limit", "pot_limit"), one_of(2, 3, 4, 10)
    uneven = tuple(one_of(1, 2, 3, 5, 8, 13, 40, 200) for _ in range(n))
    config = HoldemConfig(
        structure=structure,
        num_players=n,
        stacks=one_of(uneven, uneven, 3, 20, 200),
        blinds=(one_of(0, 1, big // 2, big), big),
        antes=one_of(0, 0, 1, 3),
        min_bet=big,
        raise_sizes=(big, big, 2 * big, 2 * big),
        max_raises=one_of((3, 4, 4, 4), (4, 4, 4, 4), (1, 2, 3, 4), None) if structure == "limit" else None,
        bet_menu="integers" if structure == "no_limit" and rng.random() < 0.5 else "fchpa",
        rules=one_of(*RULES),
        chips_per_reward=big,
    )
    return holdem_game("holdem", config)


@pytest.mark.parametrize("suffix", [".phhs", ".pokerstars", ".acpc"])
def test_what_is_written_is_read_back(suffix: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(sum(map(ord, suffix)))
    written = refused = 0
    while written < GAMES:
        game, path = random_game(rng), tmp_path / f"{written}{suffix}"
        names = [f"player {k}" for k in range(game.num_seats)]
        if not any(suffix in each.suffixes for each in formats_of(game)):
            with pytest.raises(ValueError, match=rf"cannot be written as {suffix}: use \.phhs"):
                MatchFile(path, game, names, seed=1)
            refused += 1
            continue
        with MatchFile(path, game, names, seed=written) as file:
            play_match(game, [RandomAgent()] * game.num_seats, hands=HANDS, seed=written, callbacks=[file])
        report = replay_paths(path)
        assert report.matched == {EXACT: HANDS}, (game.config, list(report.lines()))
        assert all(isinstance(hand, RecordedHand) for hand in load_recorded_hands(path)), game.config
        written += 1
    assert (refused > 0) == (suffix != ".phhs")


def test_pokerstars_text_and_phh_say_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    compared = 0
    for number in range(3 * GAMES):
        game = random_game(rng)
        if len(formats_of(game)) < 2 or not any(".pokerstars" in each.suffixes for each in formats_of(game)):
            continue
        for suffix in (".phhs", ".pokerstars"):
            with MatchFile(tmp_path / f"{number}{suffix}", game, ["a"] * game.num_seats, seed=1) as file:
                play_match(game, [RandomAgent()] * game.num_seats, hands=20, seed=1, callbacks=[file])
        texts = load_pokerstars(tmp_path / f"{number}.pokerstars")
        for text, phh in zip(texts, load_hands(tmp_path / f"{number}.phhs"), strict=True):
            assert isinstance(text, Hand), text
            assert _decisions(text) == _decisions(phh)
            assert [text.fields[name] for name in ("variant", "starting_stacks", "_rules")] == [
                phh.fields[name] for name in ("variant", "starting_stacks", "_rules")
            ]
            compared += 1
    assert compared >= 100


def _decisions(hand: Hand) -> list[str]:
    """Return the actions without shown cards, in which the formats differ."""
    return [action for action in hand.actions if " sm" not in action]


def test_unknown_cards_are_replaced_by_cards_of_the_deck() -> None:
    config = replace(HoldemConfig.flop(small_blind=1, big_blind=2), num_ranks=4, num_suits=3, lowest_rank=9)
    first, *_ = deck = sorted(int(card) for card in config.deck_cards)
    filled = fill_unknown([NO_CARD, first, *[NO_CARD] * 5], config)
    assert first > 0 and filled[1] == first
    assert len(set(filled)) == 7 and set(filled) <= set(deck)
