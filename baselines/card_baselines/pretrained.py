"""The trained agents that come with the package, a row for each; docs/results/agents.md has results and costs.

A folder has settings, weights (safetensors, mostly float16), measures and final results. `card-envs agents --export
--agent RUN --folder FOLDER` makes one of a run, and prints its row.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from card_envs.locations import find_package_folder


class Pretrained(NamedTuple):
    """A trained agent that comes with a package."""

    folder: str
    """Its run folder, with the name of the package first: what `card_envs.plugins.AGENTS` maps the agent's name to."""
    game: str
    """Environment id and settings of its training."""
    licence: str
    """SPDX identifier of the licence of the weights."""
    trained: str
    """How it was trained, a sentence."""


_LEARNED = "card_baselines/agents/learned/pretrained"
_KAMINSKY, _SHI, _ZHENG = (f"card_baselines/papers/{p}/pretrained" for p in ("kaminsky2020", "shi2022", "zheng2022"))
_LIMIT, _LIMIT_SIX = "limit_holdem-v0", "limit_holdem-v0 num_players=6"
_NO_LIMIT, _NO_LIMIT_SIX = "no_limit_holdem-v0", "no_limit_holdem-v0 num_players=6"
_RLCARD, _BIG2, _MIT = "limit_holdem-v0 rules=rlcard", "big2-v0", "MIT"
_BEST_CLONE = "the best clone of a league at the scale `short`."
_SEED = "against `rlcard_rule`, 5,000 hands; of ten seeds the one nearest to the mean."

# fmt: off
PRETRAINED = {
    "ppo_limit_hu": Pretrained(f"{_LEARNED}/ppo_limit_hu", _LIMIT, _MIT, "Self-play PPO."),
    "distilled_limit_hu": Pretrained(
        f"{_LEARNED}/distilled_limit_hu", _LIMIT, _MIT, "A network that learned the probabilities of `cfr_large`."),
    "mmd_limit_hu": Pretrained(
        f"{_LEARNED}/mmd_limit_hu", _LIMIT, _MIT,
        "Self-play from `distilled_limit_hu`, held to it (magnetic mirror descent)."),
    "ppo_no_limit_hu": Pretrained(f"{_LEARNED}/ppo_no_limit_hu", _NO_LIMIT, _MIT, "Self-play PPO."),
    "ppo_limit_six_max": Pretrained(
        f"{_LEARNED}/ppo_limit_six_max", _LIMIT_SIX, _MIT,
        "Self-play PPO with past selves and scripted players at some tables."),
    "ppo_no_limit_six_max": Pretrained(
        f"{_LEARNED}/ppo_no_limit_six_max", _NO_LIMIT_SIX, _MIT,
        "Self-play PPO with past selves, exploiters and scripted players."),
    "tight_no_limit_six_max": Pretrained(
        f"{_LEARNED}/tight_no_limit_six_max", _NO_LIMIT_SIX, _MIT,
        "An imitation of `position_ranges`, then self-play PPO; raises or folds as people do."),
    "ppo_big2": Pretrained(f"{_LEARNED}/ppo_big2", _BIG2, _MIT, "Self-play PPO."),
    "ppo_big2_clean": Pretrained(
        f"{_LEARNED}/ppo_big2_clean", _BIG2, _MIT,
        "Self-play PPO from an imitation of `ppo_big2` that sees all public cards (encoder `clean`)."),
    "kaminsky_qlearn8": Pretrained(
        f"{_KAMINSKY}/qlearn8", _NO_LIMIT_SIX, _MIT, f"Qlearn-8, raises to one of seven amounts; {_BEST_CLONE}"),
    "kaminsky_qlearn_all": Pretrained(
        f"{_KAMINSKY}/qlearn_all", _NO_LIMIT_SIX, _MIT, f"Qlearn-All, raises to any amount; {_BEST_CLONE}"),
    "kaminsky_sac_low": Pretrained(
        f"{_KAMINSKY}/sac_low", _NO_LIMIT_SIX, _MIT, f"Soft actor-critic of temperature 0.0005; {_BEST_CLONE}"),
    "kaminsky_sac_high": Pretrained(
        f"{_KAMINSKY}/sac_high", _NO_LIMIT_SIX, _MIT, f"Soft actor-critic of temperature 0.01; {_BEST_CLONE}"),
    "shi2022_dual_apu": Pretrained(
        f"{_SHI}/shi2022_dual_apu", _LIMIT_SIX, _MIT, "Dual-APU with an LSTM (Shi et al. 2022)."),
    "zheng2022_cheatem": Pretrained(f"{_ZHENG}/cheatem", _RLCARD, _MIT, f"Cheat'em {_SEED}"),
    "zheng2022_static_cheatem": Pretrained(f"{_ZHENG}/static_cheatem", _RLCARD, _MIT, f"Static-Cheat'em {_SEED}"),
    "zheng2022_ppo": Pretrained(f"{_ZHENG}/ppo", _RLCARD, _MIT, f"PPO of the paper {_SEED}"),
    "zheng2022_dqn": Pretrained(f"{_ZHENG}/dqn", _RLCARD, _MIT, f"RLCard's DQN {_SEED}"),
}
# fmt: on
"""Name -> trained agent."""


def find_pretrained(name: str) -> Path | None:
    """Return the folder of an agent that comes with this package, None for other names."""
    return find_package_folder(PRETRAINED[name].folder) if name in PRETRAINED else None
