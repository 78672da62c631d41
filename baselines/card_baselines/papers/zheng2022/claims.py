"""What the text of Zheng et al. (2022) says beyond its tables, measured from the results of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from card_baselines.papers.claims import Claim, choose_weakest
from card_baselines.papers.zheng2022.tables import (
    ACTIONS_TABLE,
    BAD_TYPES,
    CHEATEM,
    DQN,
    GOOD_TYPES,
    PPO,
    RAISE,
    RANDOM,
    RULE,
    STATIC,
    TABLE,
)

_ALMOST_ALL = 0.95
"""Share that is read as "only" or "always"."""
Runs = Mapping[tuple[str, str], Sequence[float]]


def measure_claims(content: Mapping[str, Any]) -> list[Claim]:
    """Return the claims that the results of a report can measure."""
    results = content["results"]
    gains: dict[tuple[str, str], Sequence[float]] = {
        (result["row"], result["rival"]): result["by_seed"] for result in results if result["table"] in (2, 3)
    }
    return [
        *_measure_wins(gains), *_compare_with_table(gains), *_measure_best_against_random(gains),
        *_measure_ablations(gains), *_measure_actions([each for each in results if each["table"] == ACTIONS_TABLE]),
    ]  # fmt: skip


def _measure_wins(gains: Runs) -> list[Claim]:
    """Return the claims that a player beats all others of table 2, or loses to one."""
    claims = []
    for where, name, player in (("section 5.2", "Cheat'em", CHEATEM), ("section 3.2", "the table player", TABLE)):
        won = {rival: runs for (row, rival), runs in gains.items() if row == player}
        if player == TABLE and (CHEATEM, TABLE) in gains:
            won.pop(CHEATEM, None)
        if len(won) > 1:
            claim = Claim(where=where, claim=f"{name} beats all baselines", measured="smallest gain", low=0)
            claims.append(choose_weakest({f"against {rival}": claim.with_runs(runs) for rival, runs in won.items()}))
    if (PPO, RAISE) in gains:
        claim = Claim(
            where="section 1", claim="PPO is easily defeated by rule-based agents", measured="gain against Raise_Rule",
            high=0,
        )  # fmt: skip
        claims.append(claim.with_runs(gains[PPO, RAISE]))
    return claims


def _compare_with_table(gains: Runs) -> list[Claim]:
    """Return the claim that Cheat'em wins more from each baseline than the table player does."""
    claims = []
    for rival in (PPO, DQN, RAISE, RULE, RANDOM):
        if (CHEATEM, rival) in gains and (TABLE, rival) in gains:
            claim = Claim(
                where="section 5.2", claim=f"Cheat'em wins more than the table player from {rival}",
                measured="difference of gains", low=0,
            )  # fmt: skip
            claims.append(claim.with_difference(gains[CHEATEM, rival], gains[TABLE, rival]))
    return claims


def _measure_best_against_random(gains: Runs) -> list[Claim]:
    """Return the claim that PPO and Raise_Rule win most from the random player."""
    others = {other: gains[other, RANDOM] for other in (CHEATEM, TABLE, DQN) if (other, RANDOM) in gains}
    claims = []
    for player, name in ((PPO, "PPO"), (RAISE, "Raise_Rule")):
        claim = Claim(
            where="section 5.2", claim=f"{name} wins more from Random than Cheat'em, the table player and DQN",
            measured="smallest difference of gains", low=0,
        )  # fmt: skip
        won = gains.get((player, RANDOM), ())
        if others and len(won):
            compared = {
                other: claim.with_difference(won, runs)
                if player == PPO
                else claim.with_runs([won[0] - run for run in runs])
                for other, runs in others.items()
            }
            claims.append(choose_weakest(compared))
    return claims


def _measure_ablations(gains: Runs) -> list[Claim]:
    """Return the claims on Cheat'em without updates of its sheet."""
    return [
        Claim(
            where="section 5.3", claim=f"updating the sheet wins more from {rival}",
            measured="gain of Cheat'em - of Static-Cheat'em", low=0,
        ).with_difference(gains[CHEATEM, rival], gains[STATIC, rival])
        for rival in (RULE, RANDOM, RAISE)
        if (CHEATEM, rival) in gains and (STATIC, rival) in gains
    ]  # fmt: skip


def _measure_actions(results: Sequence[Mapping[str, Any]]) -> list[Claim]:
    """Return the claims on the values of sheets and on the actions of PPO and DQN."""
    sheets = {result["row"]: result["by_seed"] for result in results}
    claims = [
        Claim(where="section 4.1", claim=claim, measured=measured, low=_ALMOST_ALL).with_runs(sheets[row])
        for row, claim, measured in (
            (BAD_TYPES, "where all values are negative, fold has the highest", "share of these card types"),
            (GOOD_TYPES, "where a value is positive, call and raise are worth more than fold", "share of these types"),
        )
        if row in sheets
    ]
    shares = {(result["row"], result["rival"], result["about"]): result["by_seed"] for result in results}
    for learner, name, columns in ((PPO, "PPO only raises", ("raise",)), (DQN, "DQN only calls", ("call", "check"))):
        rivals = {rival for row, rival, _ in shares if row == learner}
        taken = {
            f"against {rival}": [sum(runs) for runs in zip(*(shares[learner, rival, c] for c in columns), strict=True)]
            for rival in sorted(rivals)
        }
        if taken:
            measured = f"smallest share of {' and '.join(columns)}"
            claim = Claim(where="section 3.1", claim=name, measured=measured, low=_ALMOST_ALL)
            claims.append(choose_weakest({rival: claim.with_runs(runs) for rival, runs in taken.items()}))
    return claims
