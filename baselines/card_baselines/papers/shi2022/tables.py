"""Shi et al. (2022), Optimal Policy of Multiplayer Poker via Actor-Critic Reinforcement Learning: tables 1 to 5.

Every number of the paper is the gain of one player against five copies of another, in small bets per hand. Ours is
played twice: as the paper does (6,000 hands) and with more hands, each deal replayed from all six seats. An agent is
what a run is at its last episode, never the best of its curve; with several seeds, the interval speaks of seeds.

The paper says of its scripted opponents which hands they like, not how loose they are. So each is played strict and
loose, and beside each stands what a player wins that is trained against five of them alone: a lower bound of what can
be won at all. Beside each printed number stands what it is per hand if it was meant per board, of six hands; what
speaks for and against that: docs/reproductions/shi2022.md. The tree search is ours, `mcts`; it thinks long, so it plays
fewer hands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from card_baselines.papers.protocol import Paper, Reproduction, ReproductionOptions, Say
from card_baselines.papers.shi2022 import rendering
from card_baselines.ppo.presets import PRESETS

PAPER_HANDS = 6000
UNIT = "small bets per hand"


@dataclass(frozen=True)
class Cell:
    """One number of the paper: what `row` wins per hand against five of `opponent`."""

    table: int
    row: str
    """Algorithm of `training`."""
    opponent: str
    """A scripted player without its variant, or "ALGORITHM HISTORY"."""
    paper: float


def _against_players(table: int, gains: dict[str, tuple[float, float, float, float]]) -> list[Cell]:
    players = ("sklansky", "chen", "shi_rules", "mcts")
    return [
        Cell(table, row, name, gain) for row, four in gains.items() for name, gain in zip(players, four, strict=True)
    ]


CELLS = (
    *_against_players(1, {"apu": (4.083, 0.957, 3.265, 3.895), "dual-apu": (1.833, 0.542, 2.167, 3.376)}),
    Cell(2, "apu", "apu-ctrl", 0.031),
    Cell(2, "dual-apu", "dual-apu-ctrl", 0.003),
    *_against_players(3, {"apu-ctrl": (2.275, 0.676, 2.726, 1.303), "dual-apu-ctrl": (1.981, 0.607, 2.882, 1.804)}),
    Cell(4, "apu", "apu none", 9.728),
    Cell(4, "apu", "apu fc", 1.251),
    Cell(5, "dual-apu", "dual-apu none", 0.918),
    Cell(5, "dual-apu", "dual-apu fc", 0.672),
)
ROWS = tuple(dict.fromkeys(cell.row for cell in CELLS))


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    seeds: int
    hands: int
    """Of a match with replayed deals."""
    paper_hands: int
    search_hands: int
    """Instead of both, against opponents that search."""
    ceiling_minutes: float
    """Processor time of a player that is trained against five of one opponent."""
    changes: dict[str, Any] = field(default_factory=dict)
    """Settings of `training.Config` that are not the default."""


SCALES = {
    "tiny": Scale(
        seeds=1, hands=600, paper_hands=120, search_hands=24, ceiling_minutes=0.02,
        changes={
            "episodes": 8, "num_tables": 24, "updates": 4, "batch_hands": 16, "warm_up": 2, "replay": 6000,
            "agent_period": 4, "update_period": 4, "hidden": 32, "memory": 16, "evaluation_episodes": 4, "panel": (),
            "final_hands": 60,
        },
    ),
    "paper": Scale(
        seeds=3, hands=60_000, paper_hands=PAPER_HANDS, search_hands=300, ceiling_minutes=2.0,
    ),
    "ours": Scale(
        seeds=3, hands=300_000, paper_hands=PAPER_HANDS, search_hands=600, ceiling_minutes=2.0,
        changes={
            "episodes": 120_000, "evaluation_episodes": 8000, "replay": 480_000, "final_share": 0.1,
            "final_panel": (*PRESETS["ppo_limit_six_max"]["panel"], "ppo_limit_six_max"),
            "final_hands": 300_000,
        },
    ),
}  # fmt: skip
"""`tiny` shows that everything works and nothing else. `paper` has the paper's 20,000 episodes."""


@dataclass(frozen=True, kw_only=True)
class Options(ReproductionOptions):
    """Compute the tables of Shi et al. (2022) again: train what is missing, play, and print its numbers beside ours."""

    scale: Literal["tiny", "paper", "ours"] = "tiny"
    """How much is trained and played: tiny shows that it works, paper has the paper's budget, ours more."""
    history: Literal["lstm", "fc", "none"] = "lstm"
    """How the players of tables 1 to 3 read the betting."""


def _begin(options: Options, root: Path, say: Say) -> Reproduction:
    from card_baselines.papers.shi2022.reproduction import Shi2022Reproduction  # needs PyTorch

    return Shi2022Reproduction(SCALES[options.scale], options.history, root, options.seeds, say)


PAPER = Paper(
    name="shi2022",
    title="Shi et al. (2022), Optimal Policy of Multiplayer Poker via Actor-Critic Reinforcement Learning",
    tables={
        1: "against scripted players and a tree search",
        2: "against the controls",
        3: "the controls against scripted players and a tree search",
        4: "APU against its ablations",
        5: "Dual-APU against its ablations",
    },
    rows=ROWS,
    scales=SCALES,
    options=Options,
    begin=_begin,
    docs_table=rendering.docs_table,
    docs_cost=rendering.docs_cost,
)
