"""What people and learners wait for, in processor time: responses, encoders, learners, matches, leagues, starts.

    python benchmarks/waiting.py [--only NAME ...] [--rounds 5] [--json FILE]

Rows take turns, round by round, and each row stands beside another way to the same thing, measured in the same round: a
ratio is the median of the ratios of the rounds. Processor time, that of child processes included, so that other
programs count little; PyTorch has one thread. The first call of every row compiles or loads and does not count. Starts
are processes of their own, which find Python's bytecode as after an installation.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from results import circumstances, write_json

from card_baselines.cli.console import print_table
from card_baselines.league import Entrant, RoundTask, play_round
from card_baselines.papers.kaminsky2020.situation import ENV, SETTINGS
from card_baselines.ppo.fast_cpu import FastPpo
from card_baselines.ppo.presets import PRESETS
from card_baselines.speed.stopwatch import Work, measure, one_core
from card_envs import __version__, make_game
from card_envs.agent import RandomAgent, find_agent
from card_envs.analysis.exploitability.best_response import strategy_exploitability, strategy_of
from card_envs.analysis.exploitability.local_best_response import NUM_TABLES, LocalBestResponse
from card_envs.analysis.exploitability.public_tree import PublicTree
from card_envs.analysis.variance.control_variates import play_and_summarise
from card_envs.match import play_match

UNIFORM_LEDUC = 2.3736111111111113
"""Exploitability of uniform play in Leduc hold'em, in chips a hand."""
STUDENTS = ("qlearn_8", "qlearn_all", "sac_low")


@dataclass(frozen=True)
class Row:
    """Something that is waited for, and what it is compared with."""

    what: str
    unit: str
    """Unit of the times."""
    scale: float
    """Times are seconds for one unit of work, multiplied by this."""
    make: Callable[[], Work]
    beside: str
    make_other: Callable[[], Work]


def exploit_locally(hands: int = 64) -> Work:
    """Play the local best response against `ppo_limit_hu`; units are hands."""
    game = make_game("limit_holdem-v0")
    agent = find_agent("ppo_limit_hu", game)

    def work() -> int:
        response = LocalBestResponse(game, agent)
        players, tables = [response, agent], NUM_TABLES
        return play_match(game, players, hands, 0, duplicate=True, num_tables=tables, callbacks=[response]).hands

    return work


def play(env: str, first: str, second: str, hands: int, control_variates: bool = False) -> Work:
    """Play a match of loaded agents; units are hands."""
    game = make_game(env)
    agents = [find_agent(name, game) for name in (first, second)]
    return lambda: play_and_summarise(game, agents, hands, 0, True, control_variates=control_variates)[0].hands


def learn(preset: str, **changes: Any) -> Work:
    """Collect and learn from one batch of a preset without its pool of opponents; units are decisions."""
    config = replace(PRESETS[preset], **{"fast_cpu": "float32", "mixed": 0.0, **changes})
    learner = FastPpo(config, config.game())
    learner.update(0.0)

    def work() -> int:
        before = learner.decisions
        learner.update(0.5)
        return learner.decisions - before

    return work


def teach(learns: bool, hands: int = 2000) -> Work:
    """Play a round of the league of Kaminsky and Liebendörfer (2020) between six students; units are hands."""
    members = tuple(Entrant(k, name, name, is_trainee=True, learns=learns) for k, name in enumerate(STUDENTS, 1))
    task = RoundTask(1, ENV, SETTINGS, members, (1, 2, 3, 1, 2, 3), hands, 5)
    return lambda: play_round(task).hands


def measure_exploitability() -> Work:
    """Compute the exact exploitability of uniform play in Leduc hold'em; the unit is one strategy."""
    tree = PublicTree(make_game("leduc_holdem-v0"))
    strategy = strategy_of(RandomAgent(), tree)

    def work() -> int:
        assert abs(strategy_exploitability(tree, strategy).exploitability - UNIFORM_LEDUC) < 1e-9
        return 1

    return work


def measure_exploitability_by_openspiel() -> Work:
    """Compute the same by OpenSpiel, in Python on its own Leduc hold'em, as its algorithms do."""
    import pyspiel
    from open_spiel.python.algorithms.exploitability import exploitability
    from open_spiel.python.policy import UniformRandomPolicy

    game = pyspiel.load_game("leduc_poker")
    policy = UniformRandomPolicy(game)

    def work() -> int:
        assert abs(exploitability(game, policy) - UNIFORM_LEDUC) < 1e-9
        return 1

    return work


def play_by_rlcard(hands: int = 200) -> Work:
    """Play RLCard's tournament of two random agents in limit hold'em; units are hands."""
    import rlcard
    from rlcard.agents import RandomAgent as RlcardRandomAgent
    from rlcard.utils import tournament

    env = rlcard.make("limit-holdem", config={"seed": 0})
    env.set_agents([RlcardRandomAgent(num_actions=env.num_actions) for _ in range(2)])

    def work() -> int:
        tournament(env, hands)
        return hands

    return work


def start(*words: str, is_cold: bool = False) -> Work:
    """Run a Python process, with an empty folder of compiled kernels if `is_cold`; the unit is one process."""

    def work() -> int:
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | ({"NUMBA_CACHE_DIR": folder} if is_cold else {})
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            subprocess.run([sys.executable, *words], env=environment, check=True, capture_output=True)
        return 1

    return work


COMMAND = ("-m", "card_baselines.cli.main")
GAME = "import card_envs; t = card_envs.make_vector('limit_holdem-v0', 64); t.reset(); t.step(t.sample_actions())"
NOTHING = ("plain Python", lambda: start("-c", "pass"))

ROWS = {
    "local": Row(
        "local best response to ppo_limit_hu", "s for 1,000 hands", 1e3, exploit_locally,
        "its match against itself", lambda: play("limit_holdem-v0", "ppo_limit_hu", "ppo_limit_hu", 2000),
    ),
    "ppo_limit_hu": Row(
        "self_play_ppo, ppo_limit_hu, float32", "µs a decision", 1e6, lambda: learn("ppo_limit_hu"),
        "bfloat16", lambda: learn("ppo_limit_hu", fast_cpu="bfloat16"),
    ),
    "ppo_big2": Row(
        "self_play_ppo, ppo_big2, float32", "µs a decision", 1e6, lambda: learn("ppo_big2"),
        "bfloat16", lambda: learn("ppo_big2", fast_cpu="bfloat16"),
    ),
    "controls": Row(
        "control variates in a match of 60 hands, ppo_limit_hu and chen", "ms a hand", 1e3,
        lambda: play("limit_holdem-v0", "ppo_limit_hu", "chen", 60, control_variates=True),
        "without them", lambda: play("limit_holdem-v0", "ppo_limit_hu", "chen", 60),
    ),
    "match": Row(
        "match of ppo_limit_hu and cfr_small", "s for 20,000 hands", 2e4,
        lambda: play("limit_holdem-v0", "ppo_limit_hu", "cfr_small", 4000),
        "chen and always_call", lambda: play("limit_holdem-v0", "chen", "always_call", 4000),
    ),
    "league": Row(
        "league round of six students (kaminsky2020), learning", "µs a hand", 1e6, lambda: teach(learns=True),
        "only playing", lambda: teach(learns=False),
    ),
    "exploitability": Row(
        "exact exploitability in Leduc hold'em", "s a strategy", 1, measure_exploitability,
        "OpenSpiel, in Python", measure_exploitability_by_openspiel,
    ),
    "tournament": Row(
        "match of two random agents, limit hold'em", "µs a hand", 1e6,
        lambda: play("limit_holdem-v0", "random", "random", 20_000),
        "RLCard's tournament", play_by_rlcard,
    ),
    "agents": Row("card-envs agents", "s", 1, lambda: start(*COMMAND, "agents"), *NOTHING),
    "envs": Row("card-envs envs", "s", 1, lambda: start(*COMMAND, "envs"), *NOTHING),
    "import": Row("import card_envs", "s", 1, lambda: start("-c", "import card_envs"), *NOTHING),
    "cold": Row(
        "first use of limit hold'em, nothing compiled", "s", 1, lambda: start("-c", GAME, is_cold=True),
        "compiled before", lambda: start("-c", GAME),
    ),
}  # fmt: skip


def processor_seconds() -> float:
    """Return the processor time of this process and of the children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measure_rows(rows: dict[str, Row], rounds: int) -> list[dict[str, Any]]:
    """Return median and spread of the time of each row, that of what stands beside it, and their ratio."""
    works = {}
    for name, row in rows.items():
        works |= {name: row.make(), f"beside {name}": row.make_other()}
    speeds = measure(works, 0.0, rounds, clock=processor_seconds)
    results = []
    for name, row in rows.items():
        own, other = speeds[name], speeds[f"beside {name}"]
        results.append({
            "row": name, "what": row.what, "unit": row.unit, "median": row.scale / own.median, "spread": own.spread,
            "beside": row.beside, "other": row.scale / other.median, "ratio": other.times(own),
        })  # fmt: skip
    return results


def main() -> None:
    """Measure, print a table, and write it as JSON where a file is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=ROWS, default=list(ROWS), metavar="NAME", help=", ".join(ROWS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    rows = {name: ROWS[name] for name in asked.only}
    torch.set_num_threads(1)
    with one_core():
        results = measure_rows(rows, asked.rounds)
    lines = [
        [each["what"], f"{each['median']:.3g} {each['unit']}", f"{each['spread']:.0%}", each["beside"],
         f"{each['other']:.3g}", f"{each['ratio']:.3g}"] for each in results
    ]  # fmt: skip
    print_table(["what", "processor time", "spread", "beside", "its time", "ratio"], lines, f"card-envs {__version__}")
    if asked.json:
        write_json(asked.json, {**circumstances(), "results": results})


if __name__ == "__main__":
    main()
