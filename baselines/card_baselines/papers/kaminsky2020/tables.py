"""Kaminsky and Liebendörfer (2020): table 4.1, and what tables 4.2 to 4.4 print.

The agents of a league are nobody's but its own: their names and numbers cannot agree with the paper's. What can is who
leads by which metric, and what the paper concludes; table 5, ours, asks that.
"""

from __future__ import annotations

from collections.abc import Mapping

LEADERS_TABLE, TYPES_TABLE, DIVISIONS_TABLE, CLAIMS_TABLE = 2, 3, 4, 5
ROWS = ("trueskill", "mean", "median", "low")

BASELINES = ("kaminsky_random", "always_call")
STUDENTS = ("qlearn_8", "qlearn_all", "sac_low", "sac_high")
TRAINING = {
    "Qln8-Cl": ("climbing", ("qlearn_8",)),
    "QlnA-Cl": ("climbing", ("qlearn_all",)),
    "SacL-Cl": ("climbing", ("sac_low",)),
    "SacH-Cl": ("climbing", ("sac_high",)),
    "AllAg-Cl": ("climbing", STUDENTS),
    "QlnA-Rn": ("random", ("qlearn_all",)),
}
"""Table 4.1: division -> how it draws rounds, who learns in it. The two baselines teach in all."""
TYPES = {
    "qlearn_8": "Qlearn-8",
    "qlearn_all": "Qlearn-All",
    "sac_low": "SAC-Low",
    "sac_high": "SAC-High",
    "kaminsky_random": "Random",
    "always_call": "Call",
}
"""Spec of a member -> its type, as the paper calls it."""
TRAINED_TYPES = tuple(TYPES[student] for student in STUDENTS)

PAPER_TOP: Mapping[int, Mapping[str, Mapping[str, int]]] = {
    TYPES_TABLE: {
        "trueskill": {"Qlearn-8": 9, "Qlearn-All": 11},
        "mean": {"Qlearn-8": 7, "Qlearn-All": 13},
        "median": {"Qlearn-8": 9, "Qlearn-All": 11},
        "low": {"Qlearn-8": 8, "Qlearn-All": 12},
    },
    DIVISIONS_TABLE: {
        "trueskill": {"Qln8-Cl": 7, "QlnA-Rn": 6, "QlnA-Cl": 4, "AllAg-Cl": 3},
        "mean": {"QlnA-Cl": 6, "QlnA-Rn": 6, "Qln8-Cl": 6, "AllAg-Cl": 2},
        "median": {"Qln8-Cl": 8, "QlnA-Rn": 6, "QlnA-Cl": 5, "AllAg-Cl": 1},
        "low": {"Qln8-Cl": 6, "QlnA-Rn": 5, "QlnA-Cl": 5, "AllAg-Cl": 4},
    },
}
"""How often a type and a division stand among the 20 best of tables 4.3 and 4.4, counted in the printed lists."""
