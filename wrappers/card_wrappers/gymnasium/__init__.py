"""Gymnasium: one seat of a card game as a single-agent environment, alone or many at a time.

    env = gymnasium.make("card_envs:card_envs/LimitHoldem-v0", num_players=2, opponents="always_call")
    envs = gymnasium.make_vec("card_envs:card_envs/LimitHoldem-v0", num_envs=1024)

Observations are {"observation": vector, "action_mask": int8}; the mask is in the info too. `opponents` is an agent,
what `card_envs.agent.find_agent` understands, or a list of either, of which one is drawn for each deal. `seat` is the
learner's, None for another one in every deal. What an episode is and how it is rewarded: `card_envs.single_seat`.

`reset(options=...)` fixes the deal, as in the PettingZoo environment of the same id: the button, stacks and cards of
hold'em, the hands of Big 2. It holds for one episode, in a vector environment for the first one of every table.

Tools that sample actions without the mask run into illegal ones. `illegal_action` says what happens then: "penalty"
plays a random legal action in its place and takes 1 from the reward, "random" plays one without the penalty, "raise"
raises IllegalActionError and changes nothing. An action outside the space always raises.
"""

from card_wrappers.gymnasium.environment import CardEnv, make_env
from card_wrappers.gymnasium.vector import CardVectorEnv, make_vector_env
from card_wrappers.gymnasium.view import observation_space

__all__ = ["CardEnv", "CardVectorEnv", "make_env", "make_vector_env", "observation_space"]
