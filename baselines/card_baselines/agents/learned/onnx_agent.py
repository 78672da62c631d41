"""Networks of any architecture as agents: saved as ONNX with what they were trained for, played by ONNX Runtime."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.learned.mlp_agent import require_fit, write_agent_config
from card_baselines.run_folder import read_config
from card_envs.agent import Decisions, StochasticAgent
from card_envs.agent.probabilities import softmax
from card_envs.files import replace_file
from card_envs.game import Game

if TYPE_CHECKING:
    import torch

ONNX_AGENT = "onnx"
"""Name of `OnnxAgent` among the kinds of saved agents."""
MODEL = "policy.onnx"
_OBSERVATION, LOGITS = "observation", "logits"
"""Names of input and output."""
_OPSET = 17
_MAX_ROWS = 65_536
"""Largest batch that is given to ONNX Runtime at once."""


def save_onnx_agent(folder: str | Path, network: torch.nn.Module, game: Game, greedy: bool = False) -> Path:
    """Save a network as an agent: the folder plays wherever an agent's name does.

    Args:
        folder: Folder to write, which is made if there is none.
        network: Maps observations (n, observation size) float32 to logits (n, num_actions). The softmax of those of
            legal actions are the agent's probabilities. It is moved to the CPU and back.
        game: The game that the network was trained for, with its encoder.
        greedy: Whether the agent takes the likeliest action instead of sampling one.

    Returns:
        The folder.

    Raises:
        ModuleNotFoundError: Without the extra `onnx`.
        ValueError: If the folder cannot be written.

    Example:
        >>> import tempfile, torch
        >>> from card_envs import make_game
        >>> from card_envs.agent import find_agent
        >>> game = make_game("leduc_holdem-v0")
        >>> folder = save_onnx_agent(tempfile.mkdtemp() + "/linear", torch.nn.Linear(game.layout.size, 3), game)
        >>> find_agent(str(folder), game).name
        'linear'
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    write_onnx(folder / MODEL, network, game)
    write_agent_config(folder, ONNX_AGENT, game, greedy=greedy)
    return folder


def write_onnx(path: Path, network: torch.nn.Module, game: Game) -> None:
    """Write the network of `save_onnx_agent` to a file; ModuleNotFoundError without the extra `onnx`."""
    import torch

    export_network(path, network, {_OBSERVATION: torch.zeros(1, game.layout.size)})


def export_network(path: Path, network: torch.nn.Module, inputs: Mapping[str, torch.Tensor]) -> None:
    """Write a network to an ONNX file; ModuleNotFoundError without the extra `onnx`.

    Args:
        path: The file.
        network: Maps rows of the inputs to logits (n, num_actions). It is moved to the CPU and back.
        inputs: Name of each input -> an example of one row.
    """
    import torch

    device = next((parameter.device for parameter in network.parameters()), torch.device("cpu"))
    was_training = network.training
    network.eval().cpu()
    try:
        with replace_file(path) as temporary, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the exporter that needs no further package is the older one
            torch.onnx.export(
                network, tuple(inputs.values()), str(temporary), dynamo=False, opset_version=_OPSET,
                input_names=list(inputs), output_names=[LOGITS], dynamic_axes={n: {0: "n"} for n in (*inputs, LOGITS)},
            )  # fmt: skip
    except torch.onnx.errors.OnnxExporterError as error:
        if "onnx is not installed" in str(error).lower():
            raise ModuleNotFoundError(
                "saving a network as an agent needs the extra onnx: pip install 'card-envs[onnx]'"
            ) from error
        raise
    finally:
        network.train(was_training).to(device)


class OnnxNetwork:
    """A network of one input and one output in an ONNX file; `network(rows)` returns its output.

    Args:
        path: The file.

    Raises:
        ValueError: If the file is no such network, or does not exist.
        ModuleNotFoundError: Without the extra `onnx`.
    """

    def __init__(self, path: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # matches may run in several processes
        try:
            self._session = onnxruntime.InferenceSession(str(path), options)
            [network_input], [output] = self._session.get_inputs(), self._session.get_outputs()
        except Exception as error:  # ONNX Runtime's errors have no common class
            raise ValueError(f"{path} is no network of one input and one output: {error}") from error
        self.shapes = network_input.shape[1:], output.shape[1:]
        """Shapes of a row of the input and of the output."""
        self._names = network_input.name, output.name

    def __call__(self, rows: NDArray[np.float32]) -> NDArray[np.floating]:
        """Return the output (n, actions) for rows (n, size)."""
        name, output = self._names
        parts = [
            self._session.run([output], {name: rows[first : first + _MAX_ROWS]})[0]
            for first in range(0, len(rows), _MAX_ROWS)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.shapes[1][0]), np.float32)


class OnnxAgent(StochasticAgent):
    """Plays a network that `save_onnx_agent` saved: samples from its probabilities, or if `greedy` takes the likeliest.

    Args:
        folder: Folder with config.json and policy.onnx.
        game: The game to play.

    Raises:
        ValueError: If the network was trained for another game, or the file is no such network.
        ModuleNotFoundError: Without the extra `onnx`.
    """

    is_stateless = True

    def __init__(self, folder: Path, game: Game) -> None:
        self.name = folder.name
        config = read_config(folder)
        self.encoder = require_fit(folder, config, game)
        self.greedy = bool(config.get("greedy", False))
        self._network = OnnxNetwork(folder / MODEL)
        if self._network.shapes != ([config["observation_size"]], [game.num_actions]):
            sizes = self._network.shapes
            raise ValueError(f"{folder / MODEL} maps rows of {sizes[0]} to {sizes[1]}: the game needs other sizes")

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return the softmax of the logits of legal actions, (n, num_actions)."""
        return softmax(self._network(np.asarray(decisions.observation, np.float32)), decisions.action_mask)
