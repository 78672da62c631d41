"""Train one network that plays all seats against itself: PPO in plain PyTorch on the batched engine.

Read top to bottom: settings, the run, what is written and when it ends; one update is in `self_play_learner`. PPO:
Schulman et al. 2017; self-play as in Charlesworth 2018.
"""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from card_baselines.agents.learned.mlp_policy import save_policy
from card_baselines.progress import progress_bar
from card_baselines.run_folder import CONFIG, EVALUATION, WEIGHTS, RunFolder
from card_baselines.settings import parse_settings
from card_baselines.training.budget import Budget, Every
from card_baselines.training.checkpoint import STATE
from card_baselines.training.evaluation import evaluate
from card_baselines.training.exploitability import AVERAGE, LATEST, PICTURE, require_small
from card_baselines.training.presets import DEFAULT_PRESETS as DEFAULT_PRESETS
from card_baselines.training.presets import PRESETS
from card_baselines.training.self_play_learner import Learner
from card_baselines.training.workers import Team, hired
from card_envs.envs import find_entry, make_game
from card_envs.game import Game

FROZEN = "frozen"
"""Folder, within that of the run, of agents as they were after each quarter."""
_QUARTERS = 4
_PICTURE_SECONDS = 30.0
"""Between drawings of the measures, which in small games take longer than an evaluation."""


@dataclass(frozen=True)
class Config:
    """Settings of a run; the defaults suit hold'em. Settings with a `final_` counterpart move there along a line.

    `PRESETS` has others under names.
    """

    env: str = "limit_holdem-v0"
    """Environment id."""
    set: tuple[str, ...] = ()
    """Environment arguments, such as num_players=6."""
    opponents: tuple[str, ...] = ()
    """Pool for mixed deals: agent names, "module:Class", run folders, or "self" for past selves."""
    mixed: float = 0.0
    """Share of deals in which the learner has one seat and a player of the pool all others."""
    past_selves: int = 8
    """How many past selves are kept."""
    past_self_updates: int = 50
    """One is added after so many updates."""
    panel: tuple[str, ...] = ("random", "always_call", "always_raise")
    """Agents that the learner is measured against along the way and at the end, each in all other seats."""
    minutes: float = 10.0
    """Budget of processor time, of each worker, for the whole run, evaluations included; 0 for none."""
    steps: int = 1_000_000_000
    """Budget of the learner's decisions."""
    seed: int = 0
    num_tables: int = 1024
    batch: int = 16_384
    """Decisions of finished deals per update, at least."""
    minibatch: int = 1024
    epochs: int = 2
    learning_rate: float = 3e-4
    final_learning_rate: float = 1e-4
    entropy: float = 0.02
    """Weight of the entropy in the objective."""
    final_entropy: float = 0.01
    clip: float = 0.2
    final_clip: float = 0.2
    kl_penalty: float = 0.0
    """Weight of the KL divergence from the policy that played the batch (Schulman et al. 2017, section 4)."""
    final_kl_penalty: float = 0.0
    clip_value: bool = False
    """Keep values within `clip` of the old ones too, as Charlesworth (2018) does."""
    value_weight: float = 0.5
    max_gradient: float = 0.5
    """Longer gradients are shortened to this norm."""
    normalise: bool = True
    """Give the advantages of each minibatch mean 0 and deviation 1."""
    gamma: float = 1.0
    gae_lambda: float = 0.95
    reward_scale: float = 0.1
    """Rewards are multiplied by this: big blinds and points are large numbers for a network."""
    skip_forced: bool = True
    """Let the engine play decisions with one legal action."""
    hidden: tuple[int, ...] = (128, 128)
    value_hidden: tuple[int, ...] = (128, 128)
    shared_layers: int = 0
    """Hidden layers of the policy that the value shares."""
    activation: str = "relu"
    average: float = 0.0
    """Decay per update of the averaged weights, which then play and are shipped; 0 for the latest weights."""
    bfloat16: bool = False
    """Compute hidden layers in bfloat16: three times as fast on processors with AMX or AVX-512 BF16, much slower on
    others."""
    checkpoint_seconds: float = 30.0
    """Time between checkpoints: the most that a killed run loses."""
    exploitability: bool = False
    """Small hold'em games: measure the exact exploitability of the policy, and of the average of all so far, which the
    folder `average` plays."""
    evaluation_seconds: float = 60.0
    evaluation_hands: int = 10_000
    final_hands: int = 100_000
    folder: str = ""
    """Run folder; an interrupted run there is continued. By default a new one below `runs/`."""
    workers: int = 1
    """Processes, one for each core to use: they share the tables and the batches, and average their gradients."""
    threads: int = 1
    """PyTorch's threads, per worker. More help little with small networks, and wait for each other on busy machines."""
    progress: bool = True


def main(config: Config) -> RunFolder:
    """Train, evaluate, and return the run folder."""
    most = min(config.num_tables, config.batch)
    if not 1 <= config.workers <= most:
        raise ValueError(f"workers {config.workers} must be in 1..{most}: each needs a table and a decision of a batch")
    game = game_of(config)
    if config.exploitability:
        require_small(game)
    new_folder = RunFolder.named(Path("runs"), find_entry(config.env).id, "self_play_ppo", config.seed)
    run = RunFolder(Path(config.folder)) if config.folder else new_folder
    run.start(describe(config), may_change=("minutes", "steps"))
    with hired(config.workers, partial(learner_of, config)) as learner:
        seconds = learner.load(run.path / STATE) if (run.path / STATE).exists() else 0.0
        budget = Budget(config.minutes, config.steps, lambda: learner.decisions, seconds)
        keeper = Keeper(config, run, game, learner, budget)
        with progress_bar("training", total=1.0, enabled=config.progress) as bar:
            while budget.fraction() < 1.0:
                keeper.heed(learner.update(budget.fraction()))
                bar.update(budget.fraction(), f"{learner.decisions:,} decisions")
        keeper.finish()
    return run


def preset(name: str) -> Config:
    """Return the settings of that name, one of `PRESETS`."""
    return Config(**PRESETS[name])


def game_of(config: Config) -> Game:
    """Return the game that the settings name."""
    return make_game(find_entry(config.env).id, **parse_settings(config.set))


def learner_of(config: Config, team: Team) -> Learner:
    """Return the learner of one worker, at the beginning of a run."""
    torch.set_num_threads(config.threads)
    return Learner(config, game_of(config), team)


def describe(config: Config) -> dict[str, Any]:
    """Return what config.json holds: the settings, and what a player needs to rebuild the network."""
    game = game_of(config)
    settings = asdict(config)
    for key in ("folder", "progress", "threads"):  # where and how a run goes on does not change what it is
        del settings[key]
    return {
        "agent": "mlp",
        "algorithm": "self_play_ppo",
        **settings,
        "game": game.name,
        "encoder": game.encoder.name,
        "encoder_version": game.encoder.version,
        "num_seats": game.num_seats,
        "num_actions": game.num_actions,
        "observation_size": game.layout.size,
    }


class Keeper:
    """Writes what a run leaves behind: checkpoints, measures, frozen agents, the evaluation."""

    def __init__(self, config: Config, run: RunFolder, game: Game, learner: Learner, budget: Budget) -> None:
        """Write the first checkpoint."""
        self._config, self._run, self._game, self._learner, self._budget = config, run, game, learner, budget
        self._checkpoint = Every(config.checkpoint_seconds, budget)
        self._evaluation = Every(config.evaluation_seconds, budget)
        self._picture = Every(_PICTURE_SECONDS, budget)
        self._quarter = int(_QUARTERS * budget.fraction())
        self.save()

    def heed(self, measures: dict[str, float]) -> None:
        """Do what is due after an update with these measures. The first one, which compiles, starts the clock."""
        self._budget.begin()
        quarter = int(_QUARTERS * self._budget.fraction())
        if self._evaluation.is_due() or self._budget.fraction() >= 1.0:
            self._evaluate(measures)
        elif self._checkpoint.is_due():
            self.save()
        if self._picture.is_due():
            self._draw()
        if self._quarter < quarter < _QUARTERS:
            self._quarter = quarter
            self._freeze(f"after_{quarter}_of_{_QUARTERS}")

    def save(self) -> None:
        """Write the state (to continue) and the policy (to play)."""
        with self._run.replacing(STATE) as temporary:
            self._learner.save(temporary, self._budget.seconds())
        with self._run.replacing(WEIGHTS) as temporary:
            save_policy(self._learner.playing.policy, temporary)
        if self._learner.meter:
            self._learner.meter.save_average(self._run)

    def _evaluate(self, measures: dict[str, float]) -> None:
        self.save()
        row = {"seconds": self._budget.seconds(), "decisions": self._learner.decisions, **measures}
        matches = evaluate(self._run, self._game, self._config.panel, self._config.evaluation_hands, 1)["matches"]
        results = {f"v {match['opponent']}": match["mean"] for match in matches}
        self._run.log(row | self._exploitability() | results)

    def _draw(self) -> None:
        labels = {f"v {name}": name for name in self._config.panel}
        self._run.draw_curve("decisions", labels, f"{self._game.unit} per hand")
        if self._learner.meter:
            labels = {LATEST: "latest policy", AVERAGE: "average"}
            y_label = f"exploitability, {self._game.unit} per hand"
            self._run.draw_curve("decisions", labels, y_label, PICTURE, log=True)

    def _exploitability(self) -> dict[str, float]:
        meter = self._learner.meter
        return meter.measure(self._learner.playing.policy) if meter else {}

    def _freeze(self, name: str) -> None:
        """Keep the agent as it is now, in a folder that plays."""
        folder = self._run.path / FROZEN / name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self._run.path / CONFIG, folder / CONFIG)
        save_policy(self._learner.playing.policy, folder / WEIGHTS)

    def finish(self) -> None:
        """Write the last checkpoint and pictures, and the evaluation against the panel and the frozen agents."""
        self.save()
        self._draw()
        frozen = sorted(str(folder) for folder in (self._run.path / FROZEN).glob("*"))
        panel = (*self._config.panel, *frozen)
        cost = {"seconds": round(self._budget.seconds()), "decisions": self._learner.decisions}
        evaluation = evaluate(self._run, self._game, panel, self._config.final_hands, self._config.seed)
        self._run.write_json(EVALUATION, {**evaluation, **self._exploitability(), "cost": cost})
