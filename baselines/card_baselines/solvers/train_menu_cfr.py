"""Compute a strategy for heads-up no-limit hold'em on a bet menu, for the player `cfr_no_limit`.

The run folder is an agent. `solvers/data` says with which settings the shipped strategy was computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from card_baselines.run_folder import RunFolder
from card_baselines.runs.checkpoint import load_state, save_state, strip_prefix
from card_baselines.runs.config import require, require_shares
from card_baselines.runs.learner import Learner
from card_baselines.settings import parse_settings
from card_baselines.solvers.bucket_making import make_buckets, turn_table
from card_baselines.solvers.hand_buckets import HandBuckets
from card_baselines.solvers.menu_cfr import HoldemBoards, MenuCfr
from card_baselines.solvers.menu_strategy import STRATEGY, MenuStrategy, to_shares
from card_baselines.solvers.menu_tree import is_two_player_menu
from card_baselines.solvers.solver_run import SolverConfig, make_algorithm
from card_envs.envs import find_entry, make_game
from card_envs.files import replace_file
from card_envs.game import Game
from card_envs.games.holdem.config import is_texas_holdem

ENV = "no_limit_holdem-v0"
_AT_ONCE = 50  # iterations between two looks at the clock
_BUCKETS, _TURN, _SOLVER = "buckets.", "turn", "solver."  # names of tensors in a checkpoint begin so


@dataclass(frozen=True, kw_only=True)
class Config(SolverConfig):
    """Settings of a run; it ends with the first of iterations and minutes."""

    env: str = ENV
    """Environment id."""
    settings: tuple[str, ...] = ()
    """Its arguments, such as stacks=400; two players with equal stacks, and a menu of a few sizes."""
    iterations: int = 1_000_000
    """Boards that are drawn; on each, both players learn with all their hands against all of the opponent's."""
    minutes: float = 60.0
    width: int = 16
    """Flop, turn and river tell width * width kinds of hands apart each."""
    least: float = 0.1
    """The opponent's reach probability below which its actions are sampled, 0 to 1: more is faster and noisier."""
    cfr_br: bool = True
    """Each player learns against a responder that plays the best response on the river (CFR-BR)."""
    plain_iterations: int = 30_000
    """With `cfr_br`: iterations before that in which the players learn against each other."""
    panel: tuple[str, ...] = ("always_call", "tight_aggressive", "equity", "ppo_no_limit_hu")
    """Agents that the strategy is measured against, duplicate deals."""
    evaluation_seconds: float = 3600.0
    evaluation_hands: int = 5_000
    final_hands: int = 20_000

    def __post_init__(self) -> None:
        """Raise ValueError, naming the setting, for numbers out of range."""
        super().__post_init__()
        require(self, 2, "width")
        require(self, 0, "plain_iterations")
        require_shares(self, "least")

    def game(self) -> Game:
        """Return heads-up no-limit hold'em."""
        return make_game(find_entry(self.env).id, **parse_settings(self.settings))


class MenuLearner(Learner):
    """The solver: regrets and summed strategies, which iterations improve."""

    def __init__(self, config: Config, game: Game) -> None:
        """Begin with nothing; buckets are made when they are first needed, unless a checkpoint brings them."""
        if not is_texas_holdem(game) or not is_two_player_menu(game.config):
            raise ValueError(
                "menu_cfr needs Texas hold'em for two with equal stacks and a bet menu of at most 6 raises"
            )
        self._config, self._game = config, game
        self._made: tuple[HandBuckets, Any] | None = None

    @cached_property
    def _solver(self) -> MenuCfr:
        if self._made is None:
            buckets = sort_buckets(make_buckets(self._config.width, self._config.seed))
            self._made = buckets, turn_table(buckets)
        config = self._config
        return MenuCfr(
            self._game.config, HoldemBoards(*self._made), config.seed, least=config.least, cfr_br=config.cfr_br,
            plain_iterations=config.plain_iterations,
        )  # fmt: skip

    @property
    def done(self) -> int:
        """Iterations so far."""
        return self._solver.iterations if "_solver" in self.__dict__ else 0

    def update(self, fraction: float) -> dict[str, float]:
        """Do some iterations; the first time one, which compiles."""
        solver = self._solver
        solver.run(min(_AT_ONCE if solver.iterations else 1, self._config.iterations - solver.iterations))
        return {}

    def save_policy(self, run: RunFolder) -> None:
        """Write the average strategy with its buckets."""
        solver = self._solver
        buckets, _ = self._made_tables()
        with replace_file(run.path / STRATEGY) as temporary:
            MenuStrategy(self._game.config, to_shares(solver.tree, solver.averages), buckets).save(temporary)

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write regrets, sums, the random stream and buckets."""
        solver = self._solver
        buckets, turn = self._made_tables()
        arrays = {_SOLVER + name: array for name, array in solver.state().items()}
        arrays |= {_BUCKETS + name: array for name, array in vars(buckets).items()} | {_TURN: turn}
        tensors = {name: torch.from_numpy(_to_int16(array)) for name, array in arrays.items()}
        save_state(path, tensors, {**progress, "iterations": self.done})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`."""
        tensors, progress = load_state(path)
        arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
        tables = strip_prefix(_BUCKETS, arrays)
        tables["flop"] = tables["flop"].view(np.uint16)
        self._made = HandBuckets(**tables), arrays[_TURN].view(np.uint16)
        self._solver.restore(strip_prefix(_SOLVER, arrays), progress["iterations"])
        return progress

    def _made_tables(self) -> tuple[HandBuckets, Any]:
        """Return the buckets, and the table of those on the turn."""
        assert self._made is not None, "the solver made them"
        return self._made


def sort_buckets(buckets: HandBuckets) -> HandBuckets:
    """Return the same turn and river buckets, numbered by strength: strategies then compress better."""
    return replace(buckets, turn=_sort_centres(buckets.turn), river=_sort_centres(buckets.river))


def _sort_centres(tree: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a tree of centres (1 + width, features, width) in the order of the sums of their features."""
    groups = np.argsort(tree[0].sum(axis=0), kind="stable")
    below = [tree[1 + group][:, np.argsort(tree[1 + group].sum(axis=0), kind="stable")] for group in groups]
    return np.stack([tree[0][:, groups], *below])


def _to_int16(array: Any) -> Any:
    """Return a 16-bit array as signed numbers, the only ones of that size that all versions of PyTorch know."""
    return array.view(np.int16) if array.dtype == np.uint16 else array


ALGORITHM = make_algorithm(
    "menu_cfr", Config, MenuLearner, 600.0, env=ENV, agent="cfr_no_limit", presets={"cfr_no_limit": Config()}
)
