"""Policies that are no agents: `policy:my.py:NAME` plays one of OpenSpiel, a PyTorch module or an ONNX file."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from card_baselines.agents.learned.onnx_agent import OnnxNetwork
from card_envs.agent import Decisions, StochasticAgent
from card_envs.agent.probabilities import softmax
from card_envs.game import Game
from card_envs.locations import load_object

if TYPE_CHECKING:
    import torch

_ONNX = ".onnx"
Network = Callable[[NDArray[np.float32]], NDArray[np.floating]]
"""Observations (n, size) -> logits (n, actions)."""


class PolicyAgent(StochasticAgent):
    """Plays a policy that was not written as an agent.

    Args:
        game: The game to play.
        argument: "path/to/file.py:NAME", "module:NAME" or "path/to/file.onnx". NAME is a policy of OpenSpiel, a
            `torch.nn.Module`, or a function without parameters that returns one. A network maps observations to logits
            of actions: ours, or with "?game=leduc_poker" at the end the information states and actions of that game of
            OpenSpiel, which policies of OpenSpiel need if they have no attribute `game`.

    Raises:
        ValueError: If there is no such policy, or it is for another game.
        ModuleNotFoundError: Without the extra `openspiel`, `train` or `onnx` that the policy needs.
    """

    is_stateless = True

    def __init__(self, game: Game, argument: str) -> None:
        location, _, openspiel_game = argument.partition("?game=")
        policy = _load_policy(location)
        self.game = game
        self.name = location.rpartition(":")[2] if ":" in location else Path(location).stem
        self._find_probabilities = _make_probabilities(policy, game, openspiel_game)

    def can_play(self, game: Game) -> bool:
        """Return True for the game that the agent was made for."""
        return game == self.game

    def compute_probabilities(self, decisions: Decisions) -> NDArray[np.floating]:
        """Return the probabilities of the policy, (n, num_actions)."""
        return self._find_probabilities(decisions)


def _load_policy(location: str) -> Any:
    """Return the policy at a location; a function is called for it."""
    if location.endswith(_ONNX):
        return OnnxNetwork(Path(location))
    try:
        if not location.rpartition(":")[0]:
            raise ValueError("it names no file or module")
        found = load_object(location)
    except (ImportError, AttributeError, FileNotFoundError, ValueError) as error:
        raise ValueError(f'policy:{location}: {error}; pass "file.py:NAME", "module:NAME" or "file.onnx"') from error
    return found() if inspect.isfunction(found) or inspect.isclass(found) else found


def _make_probabilities(policy: Any, game: Game, openspiel_game: str) -> Callable[[Decisions], NDArray[np.floating]]:
    """Return the function that computes the probabilities of a policy in a game."""
    if hasattr(policy, "action_probabilities"):
        from card_wrappers.openspiel.policies import OpenSpielAgent

        return OpenSpielAgent(policy, game, openspiel_game or None).compute_probabilities
    if not isinstance(policy, OnnxNetwork) and not hasattr(policy, "state_dict"):
        raise ValueError(f"{policy!r} is no policy: it has no method action_probabilities, and is no torch.nn.Module")
    if openspiel_game:
        return _read_information_states(policy, game, openspiel_game)
    network = _make_network(policy, game.layout.size, game.num_actions)
    return lambda decisions: softmax(network(np.asarray(decisions.observation, np.float32)), decisions.action_mask)


def _read_information_states(
    policy: Any, game: Game, openspiel_game: str
) -> Callable[[Decisions], NDArray[np.floating]]:
    from card_wrappers.openspiel.policies import StateConverter

    converter = StateConverter(game, openspiel_game)
    theirs = converter.openspiel_game
    network = _make_network(policy, theirs.information_state_tensor_size(), theirs.num_distinct_actions())

    def find_probabilities(decisions: Decisions) -> NDArray[np.floating]:
        logits = converter.to_our_actions(decisions, network(converter.tensors(decisions)))
        return softmax(logits, decisions.action_mask)

    return find_probabilities


def _make_network(policy: OnnxNetwork | torch.nn.Module, size: int, num_actions: int) -> Network:
    """Return the function that computes logits; ValueError for a network of another shape."""
    network = policy if isinstance(policy, OnnxNetwork) else _run_without_gradients(policy)
    try:
        shape = network(np.zeros((2, size), np.float32)).shape
    except Exception as error:  # a network is anybody's code
        raise ValueError(f"the network does not take rows of {size} numbers: {error}") from error
    if shape != (2, num_actions):
        raise ValueError(f"the network maps two rows to shape {shape}: it needs {num_actions} logits for each")
    return network


def _run_without_gradients(module: torch.nn.Module) -> Network:
    import torch

    module.eval()

    def run(observation: NDArray[np.float32]) -> NDArray[np.floating]:
        with torch.no_grad():
            logits: NDArray[np.floating] = module(torch.from_numpy(observation)).numpy()
            return logits

    return run
