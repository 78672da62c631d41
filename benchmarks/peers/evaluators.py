"""Ranks of seven-card hands, one call each, by treys, phevaluator and eval7; cards are made beforehand."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from card_baselines.speed.paths import random_hands
from card_baselines.speed.stopwatch import Work
from card_envs.cards import DECK_SIZE, card_name

HANDS = 500


def treys(width: int = 7) -> Work:
    library: Any = import_module("treys")
    evaluate = library.Evaluator().evaluate
    cards = [library.Card.new(card_name(card)) for card in range(DECK_SIZE)]
    hands = [[cards[card] for card in hand] for hand in random_hands(width, HANDS).tolist()]
    return _repeated(evaluate, [(hand[:2], hand[2:]) for hand in hands])


def phevaluator(width: int = 7) -> Work:
    evaluate = import_module("phevaluator").evaluate_cards
    return _repeated(evaluate, [tuple(hand) for hand in random_hands(width, HANDS).tolist()])


def eval7(width: int = 7) -> Work:
    library: Any = import_module("eval7")
    cards = [library.Card(card_name(card)) for card in range(DECK_SIZE)]
    hands = [[cards[card] for card in hand] for hand in random_hands(width, HANDS).tolist()]
    return _repeated(library.evaluate, [(hand,) for hand in hands])


def _repeated(evaluate: Callable[..., int], arguments: list[tuple[Any, ...]]) -> Work:
    def run() -> int:
        for words in arguments:
            evaluate(*words)
        return len(arguments)

    return run
