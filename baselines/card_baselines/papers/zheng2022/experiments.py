"""The trainings of the paper and of ours: learners by name, with their options, against rivals by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from card_baselines.papers.zheng2022.cheatem import CheatemConfig, CheatemLearners
from card_baselines.papers.zheng2022.dqn import DqnLearners
from card_baselines.papers.zheng2022.duel import Learners
from card_baselines.papers.zheng2022.ppo import PpoLearners
from card_baselines.papers.zheng2022.rewards import Shaping, allocation, allocation_in_chips, with_opportunity_cost
from card_baselines.papers.zheng2022.sheet import Sheet
from card_baselines.papers.zheng2022.table_player import TablePlayer
from card_baselines.papers.zheng2022.tables import CHEATEM, DQN, PPO, RAISE, RANDOM, RULE, STATIC, TABLE

MakeLearners = Callable[[Sequence[int], Sequence[Sheet]], Learners]


@dataclass(frozen=True)
class Experiment:
    """Learners of one kind, trained against each of some rivals."""

    name: str
    make: MakeLearners
    rivals: tuple[str, ...]
    """Trained against all of these side by side, or against one kind of learners alone."""
    about: str = ""
    """Description of the option."""


def cheatem(**changes: Any) -> MakeLearners:
    """Return how Cheat'em is made with settings that are not the default."""
    shaping: dict[str, Any] = {"shaping": changes.pop("shaping")} if "shaping" in changes else {}
    config = replace(CheatemConfig(), **changes)
    return lambda seeds, sheets: CheatemLearners(seeds, config, sheets, **shaping)


def ppo(**settings: Any) -> MakeLearners:
    """Return how the paper's PPO is made."""
    return lambda seeds, sheets: PpoLearners(seeds, **settings)


def dqn(**settings: Any) -> MakeLearners:
    """Return how RLCard's DQN is made."""
    return lambda seeds, sheets: DqnLearners(seeds, **settings)


MAKE: Mapping[str, MakeLearners] = {
    CHEATEM: cheatem(),
    STATIC: cheatem(updates_sheet=False),
    PPO: ppo(),
    DQN: dqn(),
}
_DECIDING = (RULE, RANDOM, TABLE)
"""Rivals of options: against Raise_Rule the seeds of one option differ by more than options do."""

MAIN = (
    Experiment(CHEATEM, MAKE[CHEATEM], (TABLE, RAISE, RULE, RANDOM)),
    Experiment(STATIC, MAKE[STATIC], (TABLE, RAISE, RULE, RANDOM)),
    Experiment(PPO, MAKE[PPO], (TABLE, RAISE, RULE, RANDOM)),
    *(Experiment(DQN, MAKE[DQN], (rival,)) for rival in (TABLE, RAISE, RULE, RANDOM)),
    Experiment(CHEATEM, MAKE[CHEATEM], (PPO,)),
    Experiment(CHEATEM, MAKE[CHEATEM], (DQN,)),
    Experiment(PPO, MAKE[PPO], (DQN,)),
)
"""Tables 2 and 3; two kinds of learners learn from each other, neither is ready before.

DQN trains after every hand, so side by side with a rival that makes long hands the others would wait for it."""

TRAINED_OPTIONS = (
    Experiment("cheatem raw-sheet", cheatem(scaling="raw"), _DECIDING, "row 4: the sheet is not standardised"),
    Experiment("cheatem clipped-ap", cheatem(clip_advantage=True), _DECIDING, "row 5: AP within 0 .. 1"),
    Experiment("cheatem counts-folds", cheatem(counts_last_action=True), _DECIDING,
               "row 6: the rival's last action of a hand counts too"),
    Experiment("cheatem printed-loss", cheatem(loss="printed"), _DECIDING, "row 7: the loss of equation 3"),
    Experiment("cheatem full-logits", cheatem(logit_scale=1.0), _DECIDING,
               "row 8: the logits of the loss are those that play"),
    Experiment("cheatem sharpness-1", cheatem(sharpness=1.0), _DECIDING,
               "row 8: evaluation plays the sheet's values as they are, not times 5"),
    Experiment("cheatem two-layers", cheatem(hidden=(64, 64), batch_norm=False), _DECIDING,
               "row 9: several fully connected layers, without batch normalisation"),
    Experiment("cheatem 100-completions", cheatem(completions=100), _DECIDING,
               "values from 100 random boards for each action"),
    Experiment("cheatem no-network", cheatem(uses_network=False), _DECIDING, "the sheet alone, sampled at 5"),
    Experiment("ppo kl-penalty", ppo(penalty="kl"), (RULE,), "row 10: an adaptive KL penalty in place of clipping"),
)  # fmt: skip
"""Table 4: what has to be trained."""


@dataclass(frozen=True)
class TableOption:
    """A way to play a cheating sheet."""

    name: str
    about: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    repaired: bool = False

    def make_player(self, sheet: Sheet) -> TablePlayer:
        """Return the player of a sheet."""
        return TablePlayer(sheet, **self.settings)


TABLE_OPTIONS = (
    TableOption("table", "row 1: greedy on the standardised row, as run"),
    TableOption("table softmax", "row 1: softmax of the standardised row", {"policy": "softmax"}),
    TableOption("table softmax-raw", "rows 1 and 4: softmax of the row as it is, as printed",
                {"policy": "softmax", "scaling": "raw"}),
    TableOption("table softmax-5", "row 1: softmax of 5 times the standardised row",
                {"policy": "softmax", "sharpness": 5.0}),
    TableOption("table greedy-raw", "row 4: greedy on the row as it is", {"scaling": "raw"}),
    TableOption("table 100-completions", "greedy, values from 100 random boards for each action",
                {"completions": 100}),
    TableOption("table repaired", "row 2: ace-high hands have a row of their own", repaired=True),
)  # fmt: skip
"""Table 4: what needs a sheet alone."""

SHAPINGS: Mapping[str, Shaping] = {
    "allocation": allocation,
    "allocation-in-chips": allocation_in_chips,
    "opportunity-cost": with_opportunity_cost(),
    "both": with_opportunity_cost(allocation),
}
REWARD_IDEAS = (
    *(Experiment(f"ppo {name}", ppo(shaping=shaping), (RULE,)) for name, shaping in SHAPINGS.items()),
    *(Experiment(f"dqn {name}", dqn(shaping=shaping), (RULE,)) for name, shaping in SHAPINGS.items()),
    *(Experiment(f"cheatem {name}", cheatem(shaping=shaping), (RULE,)) for name, shaping in SHAPINGS.items()),
)
"""Table 5: learners told more than the payoff at the end."""
