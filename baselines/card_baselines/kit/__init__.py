"""What a training algorithm of your own builds on, from a script of one file to an algorithm of `card-envs train`.

    from card_baselines.kit import Collector, save_onnx_agent

* Self-play: `Collector` returns a learner's decisions of finished deals as `Rows`.
* Agents: `policy_agent` of a function; `save_onnx_agent` and `save_table_agent` make a folder that plays wherever an
  agent's name does; `print_matches` plays the matches at the end.
* Tables over information states: `regret_matching`, on a `card_envs.analysis.exploitability.public_tree.PublicTree`.
* `card-envs train` and leagues: a `StateDictLearner` with its settings, a `GameRunConfig`, is made an algorithm by
  `make_game_algorithm`; `train` runs it.

The scripts in `baselines/` use it; docs/guides/write_an_algorithm.md explains it.
"""

from card_baselines.agents.learned.onnx_agent import OnnxAgent, save_onnx_agent
from card_baselines.agents.learned.tabular_policy import save_table_agent
from card_baselines.kit.collector import Act, Collector, Rows
from card_baselines.kit.learner import StateDictLearner
from card_baselines.kit.matches import print_matches
from card_baselines.kit.networks import policy_agent, rllib_network, sb3_agent, sb3_network
from card_baselines.runs.algorithm import make_game_algorithm
from card_baselines.runs.config import GameRunConfig
from card_baselines.runs.run import train
from card_baselines.solvers.regret import regret_matching

__all__ = [
    "Act",
    "Collector",
    "GameRunConfig",
    "OnnxAgent",
    "Rows",
    "StateDictLearner",
    "make_game_algorithm",
    "policy_agent",
    "print_matches",
    "regret_matching",
    "rllib_network",
    "save_onnx_agent",
    "save_table_agent",
    "sb3_agent",
    "sb3_network",
    "train",
]
