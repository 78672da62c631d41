"""TextArena: whole episodes through `textarena.make`, and the rules that its own poker lacks.

Skipped where the package is missing: `pip install 'card-envs[textarena]'`.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

ta = pytest.importorskip("textarena")
pytest.importorskip("card_wrappers.textarena")  # registers the games

pytestmark = pytest.mark.filterwarnings("ignore")  # of the package and what it brings


def _legal(observation: str) -> list[str]:
    """Return the legal actions of the newest prompt; of a range of amounts its ends."""
    line = re.findall(r"^Legal: (.*)$", observation, re.M)[-1]
    return [part.split("..")[0].strip() for part in line.split(",") if "more" not in part]


def _play(game_id: str, num_players: int, seed: int) -> tuple[dict[int, float], dict[int, Any], list[str]]:
    env = ta.make(f"card_envs/{game_id}", hands=3)  # a new one: TextArena's wrapper keeps the texts of earlier episodes
    env.reset(num_players=num_players, seed=seed)
    done, prompts = False, []
    while not done:
        _, observation = env.get_observation()
        prompts.append(observation)
        done, _ = env.step(f"Let me see. [{_legal(observation)[0]}]")
    rewards, game_info = env.close()
    return rewards, game_info, prompts


@pytest.mark.parametrize(
    ("game_id", "num_players"),
    [
        ("limit_holdem-v0", 2),
        ("no_limit_holdem-v0", 6),
        ("leduc_holdem-v0", 2),
        ("kuhn_poker-v0", 2),
        ("big2-v0", 4),
    ],
)
def test_episodes_end_with_rewards_that_sum_to_zero_and_come_again(game_id: str, num_players: int) -> None:
    rewards, game_info, prompts = _play(game_id, num_players, seed=5)
    assert set(rewards) == set(range(num_players)) and abs(sum(rewards.values())) < 1e-9
    assert not any(info["invalid_move"] for info in game_info.values())
    assert prompts[-1].count("Hand ") == 2  # the third has no prompt behind it
    assert _play(game_id, num_players, seed=5) == (rewards, game_info, prompts)
    assert _play(game_id, num_players, seed=6)[2] != prompts


def test_a_raise_by_one_over_a_big_blind_of_twenty_is_refused() -> None:
    env = ta.make("card_envs/no_limit_holdem-v0", small_blind=10, big_blind=20, stacks=1000, error_allowance=2)
    env.reset(num_players=2, seed=1)
    player, _ = env.get_observation()
    done, _ = env.step("[raise to 21]")
    asked, observation = env.get_observation()
    assert not done and asked == player and "invalid move" in observation and "40" in observation


def test_an_all_in_and_a_fold_leave_the_last_seat_its_turn() -> None:
    env = ta.make("card_envs/no_limit_holdem-v0", small_blind=10, big_blind=20, stacks=1000)
    env.reset(num_players=3, seed=1)
    asked = []
    for words in ("[all-in]", "[fold]", "[fold]"):
        asked.append(env.get_observation()[0])
        done, _ = env.step(words)
    rewards, _ = env.close()
    assert done and len(set(asked)) == 3
    assert [rewards[player] for player in asked] == [1.5, -0.5, -1.0]


def test_refused_answers_end_in_a_check_or_fold_and_are_noted() -> None:
    env = ta.make("card_envs/leduc_holdem-v0", error_allowance=1)
    env.reset(num_players=2, seed=3)
    player, _ = env.get_observation()
    env.step("banana")
    assert env.get_observation()[0] == player
    env.step("banana")
    other, observation = env.get_observation()
    assert other != player and f"Player {player}: check" in observation
    assert "banana" not in observation


def test_nobody_sees_the_cards_of_others() -> None:
    env = ta.make("card_envs/no_limit_holdem-v0")
    env.reset(num_players=2, seed=9)
    seen = {}
    for _ in range(2):
        player, observation = env.get_observation()
        seen[player] = re.findall(r"\) ([2-9TJQKA][cdhs]) ([2-9TJQKA][cdhs])", observation)[-1]
        env.step("[call]" if "call" in _legal(observation)[1] else "[check]")
    assert set(seen) == {0, 1} and not set(seen[0]) & set(seen[1])
    for player in (0, 1):
        everything = str(env.full_observations[player])
        assert all(card not in everything for card in seen[1 - player])


@pytest.mark.parametrize(
    ("arguments", "num_players", "message"),
    [({"hands": 0}, 2, "hands"), ({"form": "poem"}, 2, "choose"), ({}, 11, "2 to 10"), ({}, 1, "2 to 10")],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], num_players: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ta.make("card_envs/no_limit_holdem-v0", **arguments).reset(num_players=num_players)


def test_versions_of_an_id_wrap_it_as_textarena_does() -> None:
    raw = ta.make("card_envs/kuhn_poker-v0-raw")
    assert type(raw).__name__ == "CardTextEnv"
    raw.reset(num_players=2, seed=1)
    assert isinstance(raw.get_observation()[1], list), "messages, not one text"
    train = ta.make("card_envs/kuhn_poker-v0-train")
    train.reset(num_players=2, seed=1)
    assert isinstance(train.get_observation()[1], str)
