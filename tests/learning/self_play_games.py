"""Averages of networks in Kuhn and Leduc poker, made without the code that they check."""

from __future__ import annotations

import numpy as np
import torch

from card_baselines.agents.learned.legal_logits import list_legal
from card_baselines.ppo.network import ActorCritic
from card_envs.game import Game
from card_envs.observation import mask_records, observation_records
from tests.learning.tabular_solver import Array, Node, SmallGame


class PlayedGame(SmallGame):
    """A small game in which strategies come from a network; averages are weighted by the own reach."""

    def __init__(self, game: Game) -> None:
        self.observations: dict[int, tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]] = {}
        self.game = game
        super().__init__(game.config)
        self.strategies: dict[int, Array] = {}
        for node in self.nodes:
            node.average = np.zeros((len(node.children), *node.shape))

    def _grow(self, tables: list) -> Node:  # type: ignore[type-arg]
        node = super()._grow(tables)
        if node.payoff is None:
            views = {self._view(node, deal): table for deal, table in zip(self.deals, tables, strict=True)}
            together = np.concatenate(list(views.values()))
            observation = np.empty((len(views), self.game.layout.size), self.game.layout.dtype)
            mask = np.empty((len(views), self.game.num_actions), np.int8)
            rows = np.arange(len(views))
            self.game.encoder.observe_batch(together, rows, observation_records(observation), mask_records(mask))
            legal = list_legal(mask, np.empty(len(views), np.int64))
            self.observations[id(node)] = observation, legal, list(views)
        return node

    @staticmethod
    def _view(node: Node, deal: tuple[int, ...]) -> tuple[int, int]:
        """Return the place of a deal in the arrays of a node: own card, board card if it is told apart."""
        return deal[node.seat], deal[2] if node.shape[1] > 1 else 0

    def add(self, network: ActorCritic, weight: float = 1.0) -> None:
        """Add what the network plays to the average strategies, weighted by the own reach."""
        ones = np.ones((len(self.cards), 1))
        self._play(network)
        for seat in (0, 1):
            self._add(self.root, seat, weight * ones)

    def _play(self, network: ActorCritic) -> None:
        nodes = [node for node in self.nodes if node.payoff is None]
        kept = [self.observations[id(node)] for node in nodes]
        observation = np.concatenate([observation for observation, _, _ in kept])
        widest = max(legal.shape[1] for _, legal, _ in kept)
        legal = np.concatenate(
            [np.pad(legal, ((0, 0), (0, widest - legal.shape[1])), constant_values=-1) for _, legal, _ in kept]
        )
        with torch.inference_mode():
            logits, _ = network(torch.from_numpy(observation).float(), torch.from_numpy(legal))
            probabilities = torch.softmax(logits, dim=1).numpy().astype(np.float64)
        begin = 0
        for node, (_, _, views) in zip(nodes, kept, strict=True):
            strategy = np.full((len(node.children), *node.shape), 1 / len(node.children))
            for row, view in enumerate(views, begin):
                strategy[(slice(None), *view)] = probabilities[row, : len(node.children)]
            self.strategies[id(node)] = strategy
            begin += len(views)

    def _add(self, node: Node, seat: int, reach: Array) -> None:
        if node.payoff is not None:
            return
        strategy = self.strategies[id(node)]
        if node.seat == seat:
            node.average = node.average + reach * strategy
        for child, probability in zip(node.children, strategy, strict=True):
            self._add(child, seat, reach * probability if node.seat == seat else reach)
