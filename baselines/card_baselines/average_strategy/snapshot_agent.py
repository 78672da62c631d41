"""The agent that plays a mixture of network snapshots: each seat draws one of them for each deal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.agents.learned.mlp_agent import require_fit
from card_baselines.agents.learned.mlp_policy import MlpPolicy, build_policy, read_weights
from card_baselines.average_strategy.snapshots import OUTPUTS, SNAPSHOT_WEIGHTS
from card_baselines.run_folder import CONFIG, WEIGHTS, read_config
from card_baselines.solvers.hands import find_own_cards
from card_baselines.solvers.tree import grow_game, is_two_player_limit
from card_envs.agent import Agent, Decisions, choose, decisions_at
from card_envs.game import Game
from card_envs.typing import Floats, Rows

_NOT_DRAWN = -1


class SnapshotAgent(Agent):
    """Plays a mixture of networks: each seat draws one for each deal, by its weight in the average.

    `probabilities` returns those of the mixture: the weight of a network at a decision is multiplied by its probability
    of the seat's earlier actions in the deal. These can be reconstructed in heads-up limit games only
    (`find_earlier_decisions`).

    Args:
        folder: Run folder, with config.json and policy.safetensors.
        game: The game to play.

    Raises:
        ValueError: If the networks were trained for another game.
    """

    def __init__(self, folder: Path, game: Game) -> None:
        self.name = folder.name
        config = read_config(folder)
        self.encoder = require_fit(folder, config, game)
        if config["output"] not in OUTPUTS:
            raise ValueError(f"{folder / CONFIG}: output {config['output']!r} is none of {', '.join(OUTPUTS)}")
        self._strategy = OUTPUTS[config["output"]]
        tensors = read_weights(folder / WEIGHTS)
        weights = tensors.pop(SNAPSHOT_WEIGHTS, torch.empty(0)).double().numpy()
        if not len(weights) or (weights < 0).any() or any(len(tensor) != len(weights) for tensor in tensors.values()):
            raise ValueError(f"{folder / WEIGHTS} holds no snapshots with weights")
        total = weights.sum()
        self.mixture_weights: Floats = weights / total if total > 0 else np.full(len(weights), 1.0 / len(weights))
        self._tensors = tensors
        self._policy = build_policy(MlpPolicy.from_config, config, tensors, folder).eval()
        self._game = game
        self._drawn = np.full((0, game.num_seats), _NOT_DRAWN)

    @property
    def shows_probabilities(self) -> bool:
        """True in heads-up limit games."""
        return is_two_player_limit(self._game.config)

    def deal_starts(self, table_ids: NDArray[np.int64]) -> None:
        """Forget the networks that were drawn for the previous deals at the tables."""
        self._reserve(table_ids)
        self._drawn[table_ids] = _NOT_DRAWN

    def _reserve(self, table_ids: NDArray[np.int64]) -> None:
        """Extend the array of drawn networks to the largest table id."""
        missing = int(table_ids.max(initial=-1)) + 1 - len(self._drawn)
        if missing > 0:
            more = np.full((missing, self._drawn.shape[1]), _NOT_DRAWN)
            self._drawn = np.concatenate([self._drawn, more])

    def act(self, decisions: Decisions, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return one action for each decision, sampled from the network that was drawn for the deal and seat."""
        self._reserve(decisions.table_ids)
        tables, seats = decisions.table_ids, decisions.seats
        drawn, random_numbers = self._drawn[tables, seats], decisions.random_numbers.copy()
        first = np.flatnonzero(drawn == _NOT_DRAWN)
        drawn[first], random_numbers[first] = self._draw(random_numbers[first])
        self._drawn[tables, seats] = drawn
        probabilities = np.zeros(decisions.action_mask.shape)
        for snapshot in np.unique(drawn).tolist():
            rows = np.flatnonzero(drawn == snapshot)
            seen, mask = decisions.observation[rows], decisions.action_mask[rows]
            probabilities[rows] = self.play_component(snapshot, seen, mask)
        return choose(probabilities, random_numbers)

    def _draw(self, random_numbers: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return snapshots drawn by their weights, and new independent random numbers.

        Each random number falls into the interval of a snapshot; its relative position there is the new one.
        """
        ends = np.cumsum(self.mixture_weights)
        drawn = np.minimum(np.searchsorted(ends, random_numbers * ends[-1], side="right"), len(ends) - 1)
        share = self.mixture_weights[drawn]
        inside = (random_numbers * ends[-1] - (ends[drawn] - share)) / np.where(share > 0, share, 1.0)
        return drawn, np.clip(inside, 0.0, np.nextafter(1.0, 0.0))

    @torch.inference_mode()
    def play_component(self, component: int, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Floats:
        """Return the action probabilities of one network, (n, num_actions)."""
        weights = {name: tensor[component] for name, tensor in self._tensors.items()}
        inputs = torch.from_numpy(np.asarray(observation, np.float32))
        return self._strategy(torch.func.functional_call(self._policy, weights, inputs).numpy(), action_mask)

    def probabilities(self, decisions: Decisions) -> Floats:
        """Return the probability of every action (n, num_actions), given the seat's earlier actions in the deal.

        Raises:
            ValueError: For games other than heads-up limit.
        """
        earlier = list(find_earlier_decisions(decisions))
        mixed, total = np.zeros(decisions.action_mask.shape), np.zeros(len(decisions))
        plain = np.zeros(decisions.action_mask.shape)
        for snapshot, weight in enumerate(self.mixture_weights.tolist()):
            reach = np.full(len(decisions), weight)
            for rows, before, actions in earlier:
                chances = self.play_component(snapshot, before.observation, before.action_mask)
                reach[rows] *= chances[np.arange(len(rows)), actions]
            strategy = self.play_component(snapshot, decisions.observation, decisions.action_mask)
            mixed += reach[:, None] * strategy
            plain += weight * strategy
            total += reach
        is_reached = total > 0
        return np.where(is_reached[:, None], mixed / np.where(is_reached, total, 1.0)[:, None], plain)


def find_earlier_decisions(decisions: Decisions) -> Iterator[tuple[Rows, Decisions, Rows]]:
    """Yield the earlier decisions of the same seats in their deals, from the latest to the earliest.

    The betting of a deal of a heads-up limit game is a path in a small tree, and a view determines the path. At every
    node of the path at which the seat acted, its observation is computed from a table with its cards.

    Yields:
        Indices (m,) of the later decisions, the earlier ones (m,), and the actions (m,) of the seats there.

    Raises:
        ValueError: For other games.
    """
    game, views = decisions.game, decisions.views
    if not is_two_player_limit(game.config):
        raise ValueError(f"{game.name} with these settings is no heads-up limit game: its betting is no small tree")
    tree, num_cards = grow_game(game.config), game.config.num_hole_cards
    nodes, rows, board = tree.find(views), np.arange(len(decisions)), slice(game.num_seats * num_cards, None)
    players = tree.player[nodes]
    while len(rows):
        actions, nodes = tree.action[nodes], tree.parent[nodes]
        keep = nodes >= 0
        rows, actions, nodes = rows[keep], actions[keep], nodes[keep]
        own = tree.player[nodes] == players[rows]
        if own.any():
            tables, later = tree.tables_at(nodes[own]), views[rows[own]]
            places = tables["actor"].astype(np.int64)[:, None] * num_cards + np.arange(num_cards)
            np.put_along_axis(tables["deck"], places, find_own_cards(later, num_cards), axis=1)
            tables["deck"][:, board] = later["deck"][:, board]
            numbers, unused = np.arange(len(later)), np.full(len(later), 0.5)
            before = decisions_at(game, tables, numbers, numbers, unused, encoder=decisions.encoder)
            yield rows[own], before, actions[own]
