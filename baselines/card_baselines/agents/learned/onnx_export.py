"""Export of a trained network to ONNX: a file that needs neither PyTorch nor this package.

Its inputs are `observation`, float32 (n, observation_size), and `action_mask`, int8 (n, num_actions), its output is
`logits`, float32 (n, num_actions); those of illegal actions are `IMPOSSIBLE`, so that their probabilities are exactly
0. Metadata says which game the network was trained for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
import torch

from card_baselines.agents.learned.legal_logits import IMPOSSIBLE
from card_baselines.agents.learned.mlp_agent import MlpAgent
from card_baselines.agents.learned.mlp_policy import MlpPolicy
from card_baselines.agents.learned.onnx_agent import export_network
from card_baselines.pretrained import PRETRAINED, find_pretrained
from card_baselines.run_folder import CONFIG, RunFolder
from card_baselines.settings import parse_settings
from card_envs import __version__, plugins
from card_envs.agent import split_choice
from card_envs.envs import make_game
from card_envs.files import replace_file
from card_envs.locations import registered_names_only

__all__ = ["export_onnx"]

_COPIED = ("env", "game", "encoder", "encoder_version", "num_seats", "num_actions", "observation_size", "algorithm")


def export_onnx(spec: str, path: Path) -> dict[str, str]:
    """Write the network of a trained agent as ONNX.

    Args:
        spec: Run folder or name of an agent that comes with the package, optionally followed by ":greedy".
        path: File to write.

    Returns:
        The metadata of the file.

    Raises:
        ValueError: For agents without a fully connected network, and for a network that was trained for another version
            of its encoder.
    """
    name, choice = split_choice(spec)
    folder = Path(name) if (Path(name) / CONFIG).is_file() else find_pretrained(name)
    if folder is None:
        raise ValueError(f"agent {name!r} has no trained network: choose a run folder or one of {sorted(PRETRAINED)}")
    config = RunFolder(folder).config()
    location = plugins.list_plugins(plugins.SAVED_AGENTS).get(str(config.get("agent")), "")
    if not location.endswith(f":{MlpAgent.__name__}"):
        raise ValueError(
            f"agent {name!r} is no fully connected network, but {config.get('agent')!r}: it has no ONNX form"
        )
    with registered_names_only(folder / CONFIG):
        agent = MlpAgent(folder, make_game(config["env"], **parse_settings(config["env_args"])))
    about = _about(agent, config, choice)
    inputs = {
        "observation": torch.zeros(1, config["observation_size"]),
        "action_mask": torch.ones(1, config["num_actions"], dtype=torch.int8),
    }
    with replace_file(path) as temporary:
        export_network(temporary, _MaskedPolicy(agent.policy), inputs)
        model = onnx.load(temporary)
        model.producer_name, model.graph.name, model.graph.doc_string = "card-envs", agent.name, _words(about)
        onnx.helper.set_model_props(model, about)
        onnx.checker.check_model(model, full_check=True)
        temporary.write_bytes(model.SerializeToString())
    return about


def _about(agent: MlpAgent, config: Mapping[str, Any], choice: str) -> dict[str, str]:
    """Return the metadata that a player of the network needs, all as text."""
    return {
        "agent": agent.name,
        **{key: str(config[key]) for key in _COPIED},
        "settings": json.dumps(
            [word for word in config["env_args"] if not word.startswith("encoder=")]
        ),  # that is above
        "chooses": choice or ("greedy" if agent.greedy else "sampling"),
        "trained_at_commit": str(config.get("made_of", {}).get("commit", "")),
        "card_envs": __version__,
    }


class _MaskedPolicy(torch.nn.Module):
    """A policy with the action mask as a second input."""

    def __init__(self, policy: MlpPolicy) -> None:
        super().__init__()
        self.policy = policy

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        """Return logits (n, num_actions), `IMPOSSIBLE` for illegal actions."""
        return self.policy(observation).masked_fill(action_mask == 0, IMPOSSIBLE)  # type: ignore[no-any-return]


def _words(about: Mapping[str, str]) -> str:
    settings = " ".join(json.loads(about["settings"]))
    return (
        f"{about['agent']} plays {about['env']} {settings}".rstrip() + f" for {about['num_seats']} seats, seen through "
        f"version {about['encoder_version']} of the encoder {about['encoder']}. Give observations (n, "
        f"{about['observation_size']}) as float32 and action masks (n, {about['num_actions']}) as int8; the softmax of "
        f"the logits is the probability of each action. It chooses by {about['chooses']}."
    )
