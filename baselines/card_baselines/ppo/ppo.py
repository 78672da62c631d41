"""Train one network that plays all seats against itself: PPO in plain PyTorch on the batched engine.

Schulman et al. (2017), self-play as in Charlesworth (2018). Read top to bottom: the learner with its rollout
(`collect`) and minibatches (`update`). The loss is in `ppo_loss`, advantages in `experience` (`credit`), settings in
`ppo_config`, what a run is besides (budget, checkpoints, evaluations) in `run`, who sits at the tables in `self_play`.
"""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from card_baselines.agents.learned.actor_critic import ActorCritic
from card_baselines.agents.learned.mlp_policy import load_weights, read_weights, save_policy
from card_baselines.ppo.bfloat16 import bfloat16_pays
from card_baselines.ppo.config import RATES, Config, Rates
from card_baselines.ppo.experience import Batch, Experience, credit
from card_baselines.ppo.exploiters import PICTURE as WINNINGS_PICTURE
from card_baselines.ppo.exploiters import are_due, exploiter_settings, winnings
from card_baselines.ppo.loss import ppo_loss
from card_baselines.ppo.presets import PRESETS, find_preset
from card_baselines.ppo.self_play import EXPLOITER, LEARNER, Asked, Drawing, Rows, SelfPlayTables
from card_baselines.run_folder import WEIGHTS, RunFolder
from card_baselines.runs.algorithm import Algorithm, Curve, Learner, TrainingDivergedError
from card_baselines.runs.checkpoint import (
    STATE,
    load_optimiser,
    load_state,
    optimiser_tensors,
    save_state,
    strip_prefix,
)
from card_baselines.runs.config import describe_game_run
from card_baselines.runs.devices import find_device
from card_baselines.runs.exploitability_meter import AVERAGE, LATEST, PICTURE, ExploitabilityMeter, require_small
from card_envs.files import replace_file
from card_envs.game import Game

_FEW_ACTIONS = 16
_VALUE_UPDATES = 50
"""In so many updates the value alone learns, if a run starts from an agent without one."""


class Ppo(Learner):
    """The network, its optimiser and its tables."""

    def __init__(self, config: Config, game: Game) -> None:
        """Begin with a network that plays nearly at random."""
        torch.manual_seed(config.seed)
        self.config, self.device = config, find_device(config.device)
        self.network = ActorCritic(
            game.layout.size, config.hidden, game.num_actions, config.activation,
            config.value_hidden, config.shared_layers, self._bfloat16(game),
        ).to(self.device)  # fmt: skip
        self.playing = deepcopy(self.network) if config.average else self.network
        """The network that plays in the end: averaged weights, or the network itself."""
        self.parameters = list(self.network.parameters())
        self.optimiser = torch.optim.Adam(self.parameters, eps=1e-5, fused=True)
        self.tables = SelfPlayTables(
            game, config.num_tables, config.seed,
            pool=config.opponents, mixed=config.mixed, past_selves=config.past_selves,
            exploiters=config.exploiters,
        )  # fmt: skip
        self.groups = np.array_split(self.tables.all, min(len(self.tables.all), 2 if self.device.type == "cuda" else 1))
        """Tables that are played at once. With two groups, one is played while a GPU computes for the other."""
        self.experience = Experience(game, len(self.tables.all), 4 * len(self.tables.all))
        self.actions = np.zeros(game.num_actions, np.int64)
        """How often each action was chosen in the latest batch."""
        self.meter = ExploitabilityMeter(game) if config.exploitability else None
        self.decisions = self.updates = self.value_alone = 0
        """The value alone learns in the first `value_alone` updates."""
        self.rng = np.random.default_rng([config.seed % 2**64, 2])

    def _bfloat16(self, game: Game) -> bool:
        """Return what the settings say, or what is measured."""
        config = self.config
        if config.bfloat16 != "auto":
            return config.bfloat16
        return bfloat16_pays(game.layout.size, config.hidden, config.minibatch, self.device)

    @property
    def done(self) -> int:
        """Decisions so far."""
        return self.decisions

    def update(self, fraction: float) -> dict[str, float]:
        """Gather a batch and learn from it; returns measures. `fraction` is the used share of the budget."""
        config, rates = self.config, Rates.at(fraction, self.config)
        for group in self.optimiser.param_groups:
            group["lr"] = rates.learning_rate
        count = self.collect(config.batch)
        self.decisions += count
        batch = self.experience.batch(self.device)
        steps = min(count, max(1, round(count / config.minibatch)))
        measures = [
            self.descend(batch, rows, rates)
            for _ in range(config.epochs)
            for rows in np.array_split(self.rng.permutation(len(batch)), steps)
        ]
        means = self._means(measures, steps, rates)
        self.experience.forget_finished()
        self.updates += 1
        self._average_weights()
        if self.meter:
            self.meter.add(self.network.policy, weight=self.updates)
        if self.updates % config.past_self_updates == 0:
            self.tables.remember(self.network)
        means |= self._train_exploiter() if are_due(config, self.updates) else {}
        return {"learning_rate": rates.learning_rate, **means, **self._action_shares()}

    def _train_exploiter(self) -> dict[str, float]:
        """Add a response to the policy to the pool; return what it wins from it."""
        config = self.config
        learner = Ppo(exploiter_settings(config, self.updates, not self.network.sparse), self.tables.game)
        learner.network.load_state_dict(self.playing.state_dict())
        learner.tables.remember(self.playing)
        learner.tables.seat_players(learner.tables.all)
        for batch in range(config.exploiter_batches):
            learner.update(batch / config.exploiter_batches)
        self.decisions += learner.decisions
        self.tables.add_exploiter(learner.network)
        return winnings(self.tables.game, learner.network, self.playing, config.evaluation_hands, self.updates)

    def collect(self, decisions: int) -> int:
        """Play until `decisions` more of the learner's are in finished deals; return how many were finished.

        Groups of tables take turns: while the network is asked about one, the processor plays the other. No question
        is left open, so whatever is learned from was played by the network as it is now.
        """
        finished, open_questions = 0, deque[Asked]()
        self.actions[:] = 0
        groups = itertools.cycle(self.groups)
        while finished < decisions or open_questions:
            if len(open_questions) == len(self.groups) or finished >= decisions:
                finished += self._play(open_questions.popleft())
            if finished < decisions:
                rows = next(groups)
                finished += self._skip_forced(rows)
                open_questions.append(self._ask(rows))
        return finished

    def _skip_forced(self, rows: Rows) -> int:
        """Play decisions with one legal action; return how many of the learner's decisions were finished."""
        if not self.config.skip_forced:
            return 0
        finished = 0
        rows, actions = self.tables.forced(rows)
        while len(rows):
            finished += self._step(rows, actions)
            rows, actions = self.tables.forced(rows)
        return finished

    def _ask(self, rows: Rows) -> Asked:
        """Ask all players for their actions at the tables `rows`; only the learner's network may answer later."""
        seats, players = self.tables.actors(rows)
        mine = np.flatnonzero(players == LEARNER)
        observation, legal = self.tables.observe(rows[mine])
        drawing = Drawing(self.network, observation, legal, self.tables.rng.random(len(mine)))
        actions = np.empty(len(rows), np.int64)
        for player in np.unique(players[players != LEARNER]).tolist():
            theirs = np.flatnonzero(players == player)
            actions[theirs] = self.tables.act_of(player, rows[theirs])
        return Asked(rows, actions, mine, seats[mine], observation, legal, drawing)

    def _play(self, asked: Asked) -> int:
        """Remember what the learner does and play on; return how many of its decisions were finished."""
        choice, log_probability, value = asked.drawing.result()
        taken = asked.legal[np.arange(len(choice)), choice]
        asked.actions[asked.mine] = taken
        self.actions += np.bincount(taken, minlength=len(self.actions))
        self.experience.add(
            asked.rows[asked.mine], asked.seats, asked.legal,
            observation=asked.observation, choice=choice, log_probability=log_probability, value=value,
        )  # fmt: skip
        return self._step(asked.rows, asked.actions)

    def _step(self, rows: Rows, actions: Rows) -> int:
        """Act at `rows`; credit the deals that end there and return how many of the learner's decisions they had."""
        over, rewards = self.tables.step(rows, actions)
        config, e = self.config, self.experience
        found = credit(
            over, rewards * config.reward_scale, e.latest, e.arrays["previous"], e.arrays["value"],
            e.arrays["advantage"], e.arrays["target"], e.arrays["is_finished"],
            float(config.gamma), float(config.gae_lambda),
        )  # fmt: skip
        return int(found)

    def descend(self, batch: Batch, rows: Rows, rates: Rates) -> dict[str, torch.Tensor]:
        """Take one step of the optimiser for the decisions `rows` of a batch; returns measures, a number each.

        Nobody looks at them yet, since that would wait for a GPU.
        """
        loss, measures = self.loss(batch.part(rows), rates)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if self.updates < self.value_alone:
            self.network.policy.zero_grad()  # to None, which the optimiser leaves as it is
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, self.config.max_gradient)
        self.optimiser.step()
        return {"loss": loss.detach(), "norm": norm, **measures}

    def _means(self, steps: Sequence[Mapping[str, torch.Tensor]], per_epoch: int, rates: Rates) -> dict[str, float]:
        """Return the mean of each measure over the steps of an update.

        Raises TrainingDivergedError at the first step whose loss is no number.
        """
        names = list(steps[0])
        numbers = torch.stack([measure for step in steps for measure in step.values()]).double().cpu().numpy()
        table = numbers.reshape(len(steps), len(names))
        wrong = np.flatnonzero(~np.isfinite(table[:, 0] + table[:, 1]))
        if len(wrong):
            epoch, number = divmod(int(wrong[0]), per_epoch)
            loss, norm = table[wrong[0], :2].tolist()
            raise TrainingDivergedError(
                f"update {self.updates + 1}, epoch {epoch + 1}, minibatch {number + 1}: the loss is "
                f"{loss}, the norm of its gradient {norm}. The last checkpoint is kept; begin a new run "
                f"with a lower learning rate (here {rates.learning_rate:g}) or reward scale"
            )
        return dict(zip(names[2:], table[:, 2:].mean(axis=0).tolist(), strict=True))

    def loss(self, taken: Mapping[str, torch.Tensor], rates: Rates) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        """Return the loss of a part of a batch, and measures."""
        observation, legal, advantage = taken["observation"].float(), taken["legal"], taken["advantage"]
        logits, value = self.network(observation, legal)
        log_probabilities = torch.log_softmax(logits, dim=1)
        if self.config.normalise:
            advantage = (advantage - advantage.mean()) / (advantage.std(correction=0) + 1e-8)
        loss, measures = ppo_loss(log_probabilities, value, advantage, taken, rates, self.config)
        return loss, {name: measure.detach() for name, measure in measures.items()}

    def _average_weights(self) -> None:
        """Move the averaged weights; at first they are a plain mean, so the initial network is forgotten."""
        if self.config.average:
            keep = min(self.config.average, 1.0 - 1.0 / self.updates)
            with torch.no_grad():
                for slow, fast in zip(self.playing.parameters(), self.network.parameters(), strict=True):
                    slow.lerp_(fast, 1.0 - keep)

    def _action_shares(self) -> dict[str, float]:
        """Return how often each action was chosen, where there are few."""
        if len(self.actions) > _FEW_ACTIONS:
            return {}
        shares = self.actions / self.actions.sum()
        return {f"action {action}": float(share) for action, share in enumerate(shares)}

    def measure(self) -> dict[str, float]:
        """Return the exact exploitability, if it is asked for."""
        return self.meter.measure(self.playing.policy) if self.meter else {}

    def curves(self) -> Sequence[Curve]:
        """Return the pictures of the exploitability and of what exploiters win, if there are such."""
        unit = f"{self.tables.game.unit} per hand"
        exact = Curve({LATEST: "latest policy", AVERAGE: "average"}, f"exploitability, {unit}", PICTURE, log=True)
        won = Curve({EXPLOITER: "new exploiter"}, f"won from the policy, {unit}", WINNINGS_PICTURE)
        return [*([exact] if self.meter else []), *([won] if self.tables.exploiters else [])]

    def save_policy(self, run: RunFolder) -> None:
        """Write the policy, and the average strategy if it is followed."""
        with replace_file(run.path / WEIGHTS) as temporary:
            save_policy(self.playing.policy, temporary)
        if self.meter:
            self.meter.save_average(run)

    def save(self, path: Path, progress: Mapping[str, Any]) -> None:
        """Write networks, optimiser, tables, experience and random generators."""
        arrays, rng = self.tables.state()
        arrays |= {f"experience.{name}": array for name, array in self.experience.state().items()}
        arrays["actions"] = self.actions
        tensors = {f"network.{name}": tensor for name, tensor in self.network.state_dict().items()}
        tensors |= {f"playing.{name}": tensor.clone() for name, tensor in self.playing.state_dict().items()}
        tensors |= {f"adam.{name}": tensor for name, tensor in optimiser_tensors(self.optimiser).items()}
        if self.meter:
            average = self.meter.average.state()
            tensors |= {f"average.{name}": torch.from_numpy(array) for name, array in average.items()}
        tensors |= {f"rollouts.{name}": torch.from_numpy(array) for name, array in arrays.items()}
        counts = {"decisions": self.decisions, "updates": self.updates, "value_alone": self.value_alone}
        rngs = {"rngs": [rng, json.dumps(self.rng.bit_generator.state)]}
        save_state(path, tensors, {**progress, **counts, **rngs})

    def load(self, path: Path) -> dict[str, Any]:
        """Continue from a file of `save`; returns the progress that was saved with it."""
        tensors, progress = load_state(path)
        self._load_networks(tensors)
        load_optimiser(self.optimiser, strip_prefix("adam.", tensors))
        if self.meter:
            average = strip_prefix("average.", tensors)
            self.meter.average.restore({name: tensor.numpy() for name, tensor in average.items()})
        arrays = {name: tensor.numpy() for name, tensor in strip_prefix("rollouts.", tensors).items()}
        self.tables.restore(arrays, progress["rngs"][0], self.network)
        self.experience.restore(strip_prefix("experience.", arrays))
        self.actions = arrays["actions"].copy()
        self.rng.bit_generator.state = json.loads(progress["rngs"][1])
        self.decisions, self.updates = int(progress["decisions"]), int(progress["updates"])
        self.value_alone = int(progress["value_alone"])
        return progress

    def start_from(self, run: RunFolder) -> None:
        """Begin with the networks of another run of this algorithm; ValueError where they have another shape.

        Where there is a policy alone, as in the agents that come with the package, the value begins anew, and learns
        for some updates before the policy goes on.
        """
        try:
            if (run.path / STATE).exists():
                self._load_networks(load_state(run.path / STATE)[0])
                return
            for network in (self.network, self.playing):
                load_weights(network.policy, read_weights(run.path / WEIGHTS), run.path)
        except RuntimeError as error:
            raise ValueError(f"the networks in {run.path} are not those of these settings: {error}") from error
        self.value_alone = _VALUE_UPDATES

    def _load_networks(self, tensors: Mapping[str, torch.Tensor]) -> None:
        self.network.load_state_dict(strip_prefix("network.", tensors))
        self.playing.load_state_dict(strip_prefix("playing.", tensors))


def _make_learner(config: Config, game: Game) -> Ppo:
    if config.exploitability:
        require_small(game)
    return Ppo(config, game)


ALGORITHM = Algorithm(
    name="self_play_ppo",
    config=Config,
    make_learner=_make_learner,
    describe=partial(describe_game_run, algorithm="self_play_ppo", agent="mlp"),
    presets=PRESETS,
    find_preset=find_preset,
    may_change=(
        "minutes",
        "steps",
        "checkpoint_seconds",
        "evaluation_seconds",
        "exploiters",
        "exploiter_updates",
        "exploiter_batches",
        "bfloat16",
        *RATES,
        *(f"final_{rate}" for rate in RATES),
    ),
    keeps_frozen_selves=True,
)
