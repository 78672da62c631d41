"""Zheng et al. (2022), Cheat'em: tables 1 to 3, where paper and code differ, the reward ideas, and strong rivals.

Everything is in big blinds per hand of heads-up limit hold'em under `rules="rlcard"`, which the paper calls dollars. A
learner is trained against the rival that it then plays; with several seeds, the interval speaks of seeds, each with a
cheating sheet of its own. Tables 4 to 6 are not the paper's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from card_baselines.papers.protocol import Paper, PrintedTable, Reproduction, ReproductionOptions, Say

PAPER_HANDS, PAPER_TRAINING, PAPER_SHEET = 10_000, 5000, 1_000_000
UNIT = "big blinds per hand"

CHEATEM, STATIC, TABLE, PPO, DQN = "cheatem", "static-cheatem", "table", "ppo", "dqn"
RAISE, RULE, RANDOM = "raise-rule", "rule", "random"
FIXED = {RAISE: "always_raise", RULE: "rlcard_rule", RANDOM: "random"}
"""Players that neither learn nor have a sheet -> names of our agents."""
LEARNERS = (CHEATEM, STATIC, PPO, DQN)

OPTIONS_TABLE, REWARDS_TABLE, STRONG_TABLE = 4, 5, 6
PAPER_TABLES = (2, 3)


@dataclass(frozen=True)
class Cell:
    """What `row` wins per hand from `rival`."""

    table: int
    row: str
    rival: str
    paper: float | None
    """As printed."""
    spread: float = 0.0
    """Standard deviation of a hand, roughly, from which the noise of the paper's 10,000 hands follows."""


_HIGH, _LOW = 14.0, 4.0  # always raising against anybody who raises; everything else


def _cells(table: int, row: str, gains: Mapping[str, float]) -> list[Cell]:
    return [Cell(table, row, rival, gain, _HIGH if RAISE in (row, rival) else _LOW) for rival, gain in gains.items()]


CELLS = (
    *_cells(2, CHEATEM, {TABLE: 0.198, PPO: 2.064, DQN: 2.667, RAISE: 2.377, RULE: 0.560, RANDOM: 2.020}),
    *_cells(2, TABLE, {PPO: 1.418, DQN: 1.442, RAISE: 1.446, RULE: 0.588, RANDOM: 1.735}),
    *_cells(2, PPO, {DQN: -0.030, RAISE: -0.035, RULE: 0.513, RANDOM: 2.837}),
    *_cells(2, DQN, {RAISE: -0.112, RULE: 0.558, RANDOM: 2.108}),
    *_cells(2, RAISE, {RULE: 0.349, RANDOM: 2.969}),
    *_cells(2, RULE, {RANDOM: -0.066}),
    *_cells(3, CHEATEM, {RULE: 0.560, RANDOM: 2.020, RAISE: 2.377}),
    *_cells(3, STATIC, {RULE: 0.486, RANDOM: 1.837, RAISE: 2.297}),
    *_cells(3, TABLE, {RULE: 0.588, RANDOM: 1.732, RAISE: 1.446}),
)
"""The upper half of table 2, whose lower half is its negative, and table 3."""

SHARES = {
    "three of a kind or better": ((0,), 2.87),
    "two pair": ((1,), 4.75),
    "one pair": (tuple(range(2, 15)), 42.26),
    "high card": (tuple(range(15, 20)), 50.12),
    "pocket pair": (tuple(range(20, 33)), 5.9),
    "two cards without a pair": (tuple(range(33, 45)), 94.1),
}
"""Table 1: name of card types -> their rows, and the share of hands that is printed, in percent."""

ROWS = (CHEATEM, STATIC, TABLE, PPO, DQN, RAISE, RULE)


@dataclass(frozen=True)
class Scale:
    """How much is trained and played."""

    seeds: int
    option_seeds: int
    """Of tables 4 and 5."""
    sheet_hands: int
    training_hands: int
    hands: int
    """Of each match; each deal is replayed with the seats exchanged."""
    strong_hands: int
    """Of matches with the local best response; ten times as many with strong players."""
    response_decisions: int
    """Of a learned response."""
    belief_decisions: tuple[int, ...]
    """Budgets of learners with and without a sheet's values."""


SCALES: Mapping[str, Scale] = {
    "tiny": Scale(
        1,
        1,
        sheet_hands=20_000,
        training_hands=40,
        hands=400,
        strong_hands=4,
        response_decisions=2000,
        belief_decisions=(2000,),
    ),
    "paper": Scale(
        10,
        5,
        PAPER_SHEET,
        PAPER_TRAINING,
        hands=PAPER_HANDS,
        strong_hands=1000,
        response_decisions=3_000_000,
        belief_decisions=(200_000, 1_000_000),
    ),
    "ours": Scale(
        10,
        5,
        PAPER_SHEET,
        PAPER_TRAINING,
        hands=40_000,
        strong_hands=1000,
        response_decisions=3_000_000,
        belief_decisions=(200_000, 1_000_000),
    ),
}
"""`tiny` shows that everything works and nothing else; `paper` plays matches of 10,000 hands, `ours` of 40,000."""


@dataclass(frozen=True, kw_only=True)
class Options(ReproductionOptions):
    """Compute the tables of Zheng et al. (2022) again: sheets, training, matches, and its numbers beside ours."""

    scale: Literal["tiny", "paper", "ours"] = "tiny"
    """How much is trained and played: tiny shows that it works, paper has the paper's hands, ours longer matches."""


def _begin(options: Options, root: Path, say: Say) -> Reproduction:
    from card_baselines.papers.zheng2022.reproduction import Zheng2022Reproduction  # needs PyTorch

    return Zheng2022Reproduction(SCALES[options.scale], root, options.seeds, say)


def printed_table(report: Mapping[str, Any], number: int) -> PrintedTable:
    """Return the results of one table of a report."""
    rows = []
    for result in report["results"]:
        if result["table"] != number:
            continue
        ours = f"{result['mean']:+.3f}"
        if result["ci95"] is not None:
            ours += f" ± {(result['ci95'][1] - result['ci95'][0]) / 2:.3f}"
        paper = "" if result["paper"] is None else f"{result['paper']:+.3f}"
        rows.append([result["row"], result["rival"], paper, ours, _seeds(result), result["verdict"]])
    if number == 1:
        found = [row[:4] + row[5:] for row in rows]
        return PrintedTable("Table 1, % of hands", ("type", "of", "paper", "ours", "verdict"), found)
    if number not in PAPER_TABLES:
        found = [[*row[:2], *row[3:]] for row in rows]
        return PrintedTable(f"Table {number}", ("player", "against", "ours (± 95 %)", "seeds", "what it is"), found)
    return PrintedTable(f"Table {number}", ("player", "against", "paper", "ours (± 95 %)", "seeds", "verdict"), rows)


def _seeds(result: Mapping[str, Any]) -> str:
    """Return the number of seeds and what they range over."""
    by_seed = result.get("by_seed", [])
    return f"{len(by_seed)}: {min(by_seed):+.2f} .. {max(by_seed):+.2f}" if len(by_seed) > 1 else "1"


PAPER = Paper(
    name="zheng2022",
    title="Zheng, Feng, Jiang (2022), Cheat'em: A Value & Rival-Aware Algorithm on Limited Texas Hold'em",
    tables={
        1: "how often each card type comes",
        2: "all players against each other",
        3: "Cheat'em without parts of it",
        OPTIONS_TABLE: "(ours) where the paper and its code differ: every option",
        REWARDS_TABLE: "(ours) reward allocation and opportunity cost",
        STRONG_TABLE: "(ours) best responses, players of today, and whether a sheet helps one",
    },
    rows=ROWS,
    scales=SCALES,
    options=Options,
    begin=_begin,
    docs_table=printed_table,
)
