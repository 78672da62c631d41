"""Export of a trained network to ONNX: inputs are observations and masks, outputs are logits.

The graph has a few nodes that every runtime supports. Metadata says which game the network was trained for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from card_baselines.agents.learned.legal_logits import IMPOSSIBLE
from card_baselines.agents.learned.mlp_agent import MlpAgent
from card_baselines.agents.learned.mlp_policy import MlpPolicy
from card_baselines.pretrained import PRETRAINED, find_pretrained
from card_baselines.run_folder import CONFIG, RunFolder
from card_baselines.settings import parse_settings
from card_envs import __version__, plugins
from card_envs.agent import split_choice
from card_envs.envs import make_game
from card_envs.files import replace_file
from card_envs.locations import registered_names_only

__all__ = ["export_onnx"]

OBSERVATION, MASK, LOGITS = "observation", "action_mask", "logits"
"""Names of the inputs, float32 (n, observation_size) and int8 (n, num_actions), and of the output, float32
(n, num_actions). Logits of illegal actions are `IMPOSSIBLE`, so that their probabilities are exactly 0."""
_OPSET, _IR_VERSION = 17, 8
"""ONNX operator set and format version of 2022, which all later runtimes read."""
_NODE_OF = {torch.nn.ReLU: "Relu", torch.nn.Tanh: "Tanh"}
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
    folder = _folder_of(name)
    config = RunFolder(folder).config()
    location = plugins.list_plugins(plugins.SAVED_AGENTS).get(str(config.get("agent")), "")
    if not location.endswith(f":{MlpAgent.__name__}"):
        raise ValueError(
            f"agent {name!r} is no fully connected network, but {config.get('agent')!r}: it has no ONNX form"
        )
    with registered_names_only(folder / CONFIG):
        agent = MlpAgent(folder, make_game(config["env"], **parse_settings(config["env_args"])))
    about = _about(agent, config, choice)
    model = onnx_model(agent.policy, about)
    with replace_file(path) as temporary:
        temporary.write_bytes(model.SerializeToString())
    return about


def _folder_of(name: str) -> Path:
    """Return the folder with the settings and weights of an agent."""
    folder = Path(name) if (Path(name) / CONFIG).is_file() else find_pretrained(name)
    if folder is None:
        raise ValueError(f"agent {name!r} has no trained network: choose a run folder or one of {sorted(PRETRAINED)}")
    return folder


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


def onnx_model(policy: MlpPolicy, about: Mapping[str, str]) -> onnx.ModelProto:
    """Return the model of a network, with `about` as its metadata."""
    nodes, weights, last = [], [], OBSERVATION
    for number, layer in enumerate(policy.layers):
        if isinstance(layer, torch.nn.Linear):
            names = [f"weight{number}", f"bias{number}"]
            tensors = (layer.weight, layer.bias)
            weights += [
                numpy_helper.from_array(t.detach().float().numpy(), n) for t, n in zip(tensors, names, strict=True)
            ]
            nodes.append(helper.make_node("Gemm", [last, *names], [f"hidden{number}"], transB=1))
        else:
            nodes.append(helper.make_node(_NODE_OF[type(layer)], [last], [f"hidden{number}"]))
        last = f"hidden{number}"
    nodes.append(helper.make_node("Cast", [MASK], ["is_legal"], to=TensorProto.BOOL))
    nodes.append(helper.make_node("Where", ["is_legal", last, "impossible"], [LOGITS]))
    weights.append(helper.make_tensor("impossible", TensorProto.FLOAT, [], [IMPOSSIBLE]))
    size: list[str | int | None] = ["n", int(about["observation_size"])]
    actions: list[str | int | None] = ["n", int(about["num_actions"])]
    inputs = [
        helper.make_tensor_value_info(OBSERVATION, TensorProto.FLOAT, size),
        helper.make_tensor_value_info(MASK, TensorProto.INT8, actions),
    ]
    outputs = [helper.make_tensor_value_info(LOGITS, TensorProto.FLOAT, actions)]
    graph = helper.make_graph(nodes, about["agent"], inputs, outputs, weights, doc_string=_words(about))
    opset = [helper.make_opsetid("", _OPSET)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=_IR_VERSION, producer_name="card-envs")
    helper.set_model_props(model, dict(about))
    onnx.checker.check_model(model, full_check=True)
    return model


def _words(about: Mapping[str, str]) -> str:
    settings = " ".join(json.loads(about["settings"]))
    return (
        f"{about['agent']} plays {about['env']} {settings}".rstrip() + f" for {about['num_seats']} seats, seen through "
        f"version {about['encoder_version']} of the encoder {about['encoder']}. Give observations (n, "
        f"{about['observation_size']}) as float32 and action masks (n, {about['num_actions']}) as int8; the softmax of "
        f"the logits is the probability of each action. It chooses by {about['chooses']}."
    )
