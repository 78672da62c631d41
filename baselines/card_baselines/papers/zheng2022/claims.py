"""What the text of Zheng et al. (2022) says beyond its tables, measured from the results of a report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from card_baselines.papers.claims import Claim, choose_weakest
from card_baselines.papers.zheng2022.paper import (
    ACTIONS_TABLE,
    BAD_TYPES,
    CHEATEM,
    DQN,
    FILE,
    GOOD_TYPES,
    PPO,
    RAISE,
    RANDOM,
    RULE,
    STATIC,
    TABLE,
)

Runs = Mapping[tuple[str, str], Sequence[float]]


def measure_claims(content: Mapping[str, Any]) -> list[Claim]:
    """Return the claims that the results of a report can measure."""
    matches = [result for result in content["results"] if result["table"] in (2, 3)]
    gains = {(result["row"], result["rival"]): result["by_seed"] for result in matches}
    return [
        *_measure_wins(matches, gains),
        *_compare_players(gains, "cheatem v table", TABLE, (PPO, DQN, RAISE, RULE, RANDOM)),
        *_measure_best_against_random(gains),
        *_compare_players(gains, "updating", STATIC, (RULE, RANDOM, RAISE)),
        *_measure_actions([each for each in content["results"] if each["table"] == ACTIONS_TABLE]),
    ]


def _measure_wins(matches: Sequence[Mapping[str, Any]], gains: Runs) -> list[Claim]:
    """Return the claims that a player beats all others of table 2, or loses to one."""
    claims = []
    for player in (CHEATEM, TABLE):
        won = {each["rival"]: each for each in matches if each["row"] == player}
        if player == TABLE and (CHEATEM, TABLE) in gains:
            won.pop(CHEATEM, None)
        claim = FILE.claims[f"{player} beats all"]
        if len(won) > 1:
            claims.append(
                choose_weakest(
                    {
                        f"against {rival}": claim.with_runs(each["by_seed"]).with_control(each.get("untrained"))
                        for rival, each in won.items()
                    }
                )
            )
    if (PPO, RAISE) in gains:
        claims.append(FILE.claims["ppo is defeated"].with_runs(gains[PPO, RAISE]))
    return claims


def _compare_players(gains: Runs, name: str, other: str, rivals: Sequence[str]) -> list[Claim]:
    """Return the claim that Cheat'em wins more from each rival than another player does."""
    claim = FILE.claims[name]
    return [
        replace(claim, claim=f"{claim.claim} from {rival}").with_difference(gains[CHEATEM, rival], gains[other, rival])
        for rival in rivals
        if (CHEATEM, rival) in gains and (other, rival) in gains
    ]


def _measure_best_against_random(gains: Runs) -> list[Claim]:
    """Return the claim that PPO and Raise_Rule win most from the random player."""
    others = {other: gains[other, RANDOM] for other in (CHEATEM, TABLE, DQN) if (other, RANDOM) in gains}
    claims = []
    for player in (PPO, RAISE):
        claim, won = FILE.claims[f"{player} v random"], gains.get((player, RANDOM), ())
        if others and len(won):
            compared = {
                other: claim.with_difference(won, runs)
                if player == PPO
                else claim.with_runs([won[0] - run for run in runs])
                for other, runs in others.items()
            }
            claims.append(choose_weakest(compared))
    return claims


def _measure_actions(results: Sequence[Mapping[str, Any]]) -> list[Claim]:
    """Return the claims on the values of sheets and on the actions of PPO and DQN."""
    sheets = {result["row"]: result["by_seed"] for result in results}
    claims = [FILE.claims[row].with_runs(sheets[row]) for row in (BAD_TYPES, GOOD_TYPES) if row in sheets]
    shares = {(result["row"], result["rival"], result["about"]): result["by_seed"] for result in results}
    for learner, columns in ((PPO, ("raise",)), (DQN, ("call", "check"))):
        taken = {
            f"against {rival}": [sum(runs) for runs in zip(*(shares[learner, rival, c] for c in columns), strict=True)]
            for rival in sorted({rival for row, rival, _ in shares if row == learner})
        }
        if taken:
            claim = FILE.claims[learner]
            claims.append(choose_weakest({rival: claim.with_runs(runs) for rival, runs in taken.items()}))
    return claims
