"""Gymnasium: one seat of a card game as a single-agent environment, alone or many at a time.

    env = gymnasium.make("card_envs:card_envs/LimitHoldem-v0", num_players=2, opponents="always_call")
    envs = gymnasium.make_vec("card_envs:card_envs/LimitHoldem-v0", num_envs=1024)

Observations are {"observation": vector, "action_mask": int8}; the mask is in the info too. `opponents` is an agent, a
name of `card_envs.agent.find_agent`, or a list of either, from which each deal draws one. `seat` is the
learner's seat; None draws it for each deal. `card_envs.single_seat` defines episodes and rewards.

`reset(options=...)` fixes the deal, as in the PettingZoo environment of the same id: the button, stacks and cards of
hold'em, the hands of Big 2. Options apply to one episode, in a vector environment to the first episode of every table.

Tools that sample actions without the mask choose illegal ones. `illegal_action` sets what happens then: "penalty" plays
a random legal action instead and subtracts 1 from the reward, "random" plays one without the penalty, "raise" raises
IllegalActionError and changes nothing. An action outside the space always raises.
"""

from card_envs.gymnasium_env.environment import CardEnv
from card_envs.gymnasium_env.vector import CardVectorEnv

__all__ = ["CardEnv", "CardVectorEnv"]
