"""The league of the paper: six divisions that train, three that evaluate (section 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from card_baselines.league.league import League
from card_baselines.league.pools import LostRound, Pool
from card_baselines.league.rounds import RoundOutcome
from card_baselines.papers.kaminsky2020.paper import BASELINES, TRAINING, Scale
from card_baselines.papers.kaminsky2020.situation import ENV, SETTINGS

DIRECT, SIMILAR = "PermaEvalDirect", ("PermaEval-1", "PermaEval-2")
_SEED = 2020


def list_training_divisions(copies: int) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the training divisions and their copies, which are called Qln8-Cl-2, Qln8-Cl-3 ..."""
    return {
        name if copy == 1 else f"{name}-{copy}": settings
        for copy in range(1, copies + 1)
        for name, settings in TRAINING.items()
    }


def original(name: str) -> str:
    """Return the division of table 4.1 that a division is a copy of; other names unchanged."""
    return next((each for each in TRAINING if name.startswith(f"{each}-")), name)


def open_league(folder: Path, scale: Scale) -> League:
    """Return the league in a folder, with its training divisions; a new one if there is none."""
    if not (folder / "league.sqlite").exists():
        League.new(folder, ENV, seed=_SEED, **SETTINGS).store.close()
    league = League.open(folder)
    for name, (kind, students) in list_training_divisions(scale.copies).items():
        if name not in league.divisions:
            league.add_division(
                name, kind, students=students, teachers=BASELINES, hands=scale.hands, clone_every=scale.clone_every,
                statistics=False,
            )  # fmt: skip
    return league


ProgressOfTotal = Callable[[str, int, int, RoundOutcome | LostRound], None]
"""Called after a round with the division, its number of rounds so far and at the end, and the outcome."""


def train(league: League, scale: Scale, pool: Pool | None, progress: ProgressOfTotal) -> Mapping[str, int]:
    """Play the rounds of the training divisions that are missing; return how many each has."""
    return _run(league, dict.fromkeys(list_training_divisions(scale.copies), scale.rounds), pool, progress)


def evaluate(league: League, scale: Scale, pool: Pool | None, progress: ProgressOfTotal) -> Mapping[str, int]:
    """Play the rounds of the evaluating divisions that are missing: pairs, and two TrueSkill rankings."""
    settings = {DIRECT: scale.direct_hands, **dict.fromkeys(SIMILAR, scale.similar_hands)}
    for name, hands in settings.items():
        if name not in league.divisions:
            kind = "direct" if name == DIRECT else "similar"
            league.add_division(name, kind, hands=hands, statistics=False)
    count = sum(not member.learns for member in league.members.values())
    pairs = count * (count - 1) // 2
    if scale.direct_rounds is not None:
        pairs = min(pairs, scale.direct_rounds)
    rounds = {DIRECT: pairs, **dict.fromkeys(SIMILAR, scale.similar_rounds)}
    return _run(league, rounds, pool, progress)


def _run(league: League, rounds: Mapping[str, int], pool: Pool | None, progress: ProgressOfTotal) -> Mapping[str, int]:
    def report(division: str, played: int, outcome: RoundOutcome | LostRound) -> None:
        progress(division, played, rounds[division], outcome)

    return league.run(rounds, pool, report)
