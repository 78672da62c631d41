"""Environments in words: names of actions, answers and prompts, for one seat (Gymnasium) and for all (PettingZoo)."""

from __future__ import annotations

import gymnasium
import pytest

from card_envs.envs import ENVS, make_raw_env
from card_envs.text import ActionTextError

ENV_IDS = sorted(ENVS)


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_a_gymnasium_episode_is_played_in_words(env_id: str) -> None:
    env = gymnasium.make(f"card_envs:card_envs/{ENVS[env_id].gymnasium_id}", opponents="random").unwrapped
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.prompt()  # type: ignore[attr-defined]
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        done = False
        while not done:
            names = env.action_names()  # type: ignore[attr-defined]
            assert set(names) == set(observation["action_mask"].nonzero()[0])
            prompt = env.prompt()  # type: ignore[attr-defined]
            assert f"player_{info['seat']} " in prompt and "Legal: " in prompt
            with pytest.raises(ActionTextError, match="legal"):
                env.parse_action("banana")  # type: ignore[attr-defined]
            action = env.parse_action(f"Final answer: {names[max(names)]}")  # type: ignore[attr-defined]
            assert action == max(names)
            observation, _, done, _, info = env.step(action)
        assert env.action_names() == {}  # type: ignore[attr-defined]
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.parse_action("call")  # type: ignore[attr-defined]


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_a_prompt_of_the_aec_environment_is_for_one_agent(env_id: str) -> None:
    env = make_raw_env(env_id)
    env.reset(seed=3)
    prompts = {agent: env.prompt(agent) for agent in env.possible_agents}
    assert env.prompt() == prompts[env.agent_selection] and len(set(prompts.values())) == len(prompts)
    for agent, prompt in prompts.items():
        assert ("Legal: " in prompt) == (agent == env.agent_selection)
    assert "\n\n" in env.prompt(form="verbose")
    with pytest.raises(ValueError, match="player_99"):
        env.prompt("player_99")
