"""What training scripts share: collected self-play, trained models as agents, the matches at the end.

    from card_baselines.kit import Collector, save_onnx_agent

The scripts in `baselines/` use it; docs/guides/write_an_algorithm.md explains it.
"""

from card_baselines.agents.learned.onnx_agent import OnnxAgent, save_onnx_agent
from card_baselines.agents.learned.tabular_policy import save_table_agent
from card_baselines.kit.collector import Act, Collector, Rows
from card_baselines.kit.matches import print_matches
from card_baselines.kit.networks import rllib_network, sb3_agent, sb3_network
from card_baselines.kit.policies import policy_agent

__all__ = [
    "Act",
    "Collector",
    "OnnxAgent",
    "Rows",
    "policy_agent",
    "print_matches",
    "rllib_network",
    "save_onnx_agent",
    "save_table_agent",
    "sb3_agent",
    "sb3_network",
]
