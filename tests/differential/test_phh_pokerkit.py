"""The same hands replayed by PokerKit: equal final stacks, and equal legality of every action."""

from __future__ import annotations

import random
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from card_envs.history import dump_hand, dump_hands, find_files, hand_of, load_hand, load_hands, replay_hand
from card_envs.history.results import EXACT, MATCHED, MISMATCHED

pokerkit = pytest.importorskip("pokerkit")

FILES = find_files(Path(__file__).parents[1] / "data" / "phh")


def stacks_by_pokerkit(text: str) -> list[Any]:
    return list(list(pokerkit.HandHistory.loads(text))[-1].stacks)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_recorded_hand_ends_as_with_pokerkit(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    ours = replay_hand(load_hand(file)).stacks
    for own, other in zip(ours, stacks_by_pokerkit(text), strict=True):
        assert own == other or abs(own - other) == Decimal("0.5")


def random_game(rng: random.Random) -> tuple[Any, list[int]]:
    """A hold'em game of PokerKit and stacks, short ones among them."""
    n = rng.randint(2, 9)
    antes = rng.choice([[0] * n, [3] * n, [0, 8, *[0] * (n - 2)], [*[0] * (n - 1), 5]])
    blinds = [rng.choice([2, 5]), 5, *[0] * (n - 2)]
    if n > 3 and rng.random() < 0.3:
        blinds[rng.choice([2, n - 1])] = 10
    trims_antes = len(set(antes)) == 1 and rng.random() < 0.5
    stacks = [rng.choice([rng.randint(1, 30), rng.randint(20, 400)]) for _ in range(n)]
    automations = tuple(pokerkit.Automation)
    if rng.random() < 0.4:
        game = pokerkit.FixedLimitTexasHoldem(automations, trims_antes, antes, blinds, 6, 12)
    else:
        game = pokerkit.NoLimitTexasHoldem(automations, trims_antes, antes, blinds, 5)
    return game, stacks


def played_at_random(rng: random.Random) -> str:
    """The PHH text of a hand that PokerKit played, mucked hands and finishing stacks included."""
    game, stacks = random_game(rng)
    state = game(stacks, len(stacks))
    while state.status:
        move = rng.random()
        if move < 0.25 and state.can_complete_bet_or_raise_to():
            low = state.min_completion_betting_or_raising_to_amount
            high = state.max_completion_betting_or_raising_to_amount
            state.complete_bet_or_raise_to(rng.choice([low, high, rng.randint(low, high)]))
        elif move < 0.4 and state.checking_or_calling_amount and state.can_fold():
            state.fold()
        else:
            state.check_or_call()
    history = pokerkit.HandHistory.from_game_state(game, state, finishing_stacks=list(state.stacks))
    history.ante_trimming_status = game.ante_trimming_status
    return str(history.dumps())


def texts(count: int, seed: int) -> list[str]:
    rng = random.Random(seed)
    random.seed(seed)  # PokerKit shuffles with the generator of the module
    return [played_at_random(rng) for _ in range(count)]


@pytest.mark.parametrize("count", [100, pytest.param(5_000, marks=pytest.mark.slow)])
def test_random_hands_match(count: int) -> None:
    for text in texts(count, seed=count):
        result = replay_hand(load_hand(text))
        assert (result.status, result.agreement) == (MATCHED, EXACT), f"{result.reason}\n{text}"


def test_mucked_hands_need_no_cards() -> None:
    hidden = 0
    for text in texts(150, seed=3):
        for player in re.findall(r"'(p\d) sm'", text):
            text = re.sub(rf"d dh {player} \w{{4}}", f"d dh {player} ????", text)
            hidden += 1
        result = replay_hand(load_hand(text))
        assert (result.status, result.agreement) == (MATCHED, EXACT), f"{result.reason}\n{text}"
    assert hidden > 10


def test_illegal_raises_are_illegal_for_both() -> None:
    refused = 0
    for text in texts(60, seed=4):
        hand = load_hand(text)
        for index, action in enumerate(hand.actions):
            for change in (-1, 1):
                if " cbr " not in action:
                    continue
                player, _, amount = action.split()
                changed = [*hand.actions[:index], f"{player} cbr {int(amount) + change}"]
                other = hand_of({**hand.fields, "actions": changed, "finishing_stacks": [0] * hand.num_players})
                ours = replay_hand(other)
                is_refused = ours.action_index == index
                assert is_refused == pokerkit_refuses(dump_hand(other), len(changed)), dump_hand(other)
                assert ours.status == MISMATCHED
                refused += is_refused
    assert refused > 50


def pokerkit_refuses(text: str, num_actions: int) -> bool:
    history = pokerkit.HandHistory.loads(text)
    applied = 0
    try:
        for _, action in history.state_actions:
            applied += action is not None
    except ValueError:
        return True
    assert applied <= num_actions
    return applied < num_actions


def test_texts_are_those_of_pokerkit() -> None:
    few = texts(20, seed=5)
    for text in few:
        assert dump_hand(load_hand(text)) == text
    histories = [pokerkit.HandHistory.loads(text) for text in few]
    together = pokerkit.HandHistory.dumps_all(histories)
    assert dump_hands(load_hands(together)) == together
