"""What the scripts in `baselines/` reach, and in how many processor minutes.

    python benchmarks/scripts.py [--only NAME ...] [--seeds 3] [--json FILE]

Each script trains as its first lines say, then its agent plays duplicate deals against three named agents; in games
with few deals its exact exploitability is computed. Two scripts are followed by the package's own algorithm with the
processor minutes that the script took; its agent plays the same matches, and both agents meet. What is stored in the
JSON file is not done again.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from card_baselines.cli.console import print_table
from card_baselines.grid import Grid
from card_envs import make_game
from card_envs.agent import Agent, find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.formatting import format_interval
from card_envs.game import Game
from card_envs.match import play_match

SCRIPTS = Path(__file__).parents[1] / "baselines"
FEW_DEALS = ("kuhn_poker-v0", "leduc_holdem-v0")
SCRIPTED = ("random", "always_call", "always_raise")


@dataclass(frozen=True)
class Script:
    """A script, its arguments, and what it is compared with."""

    name: str
    env: str
    opponents: tuple[str, ...] = SCRIPTED
    arguments: tuple[str, ...] = ()
    package: tuple[str, ...] = ()
    """Arguments of `card-envs train` for the package's own algorithm."""

    @property
    def command(self) -> list[str]:
        """The words after `python`."""
        return [f"baselines/{self.name}.py", "--env", self.env, *self.arguments]


LIMIT = ("chen", "equity", "cfr_small")
TABLE = (
    Script("self_play_ppo", "limit_holdem-v0", LIMIT, ("--encoder", "equity", "--minutes", "3"), ("self_play_ppo",)),
    Script(
        "sb3_maskable_ppo", "limit_holdem-v0", LIMIT, ("--opponents", "chen", "equity"),
        ("maskable_ppo", "--opponents", "chen", "equity"),
    ),
    Script("best_response", "limit_holdem-v0", ("chen", "random", "always_call"), ("--target", "chen")),
    Script("actor_critic", "leduc_holdem-v0"),
    Script("nfsp", "leduc_holdem-v0"),
    Script("mccfr", "leduc_holdem-v0"),
    Script("openspiel_cfr", "kuhn_poker-v0"),
    Script("sb3_dqn", "leduc_holdem-v0"),
    Script("sb3_own_callback", "leduc_holdem-v0"),
    Script("rllib_ppo", "leduc_holdem-v0"),  # with the Python of RLlib's virtual environment
)  # fmt: skip
HANDS = 20_000
TRAIN = (str(Path(sys.executable).with_name("card-envs")), "train")


def measure(script: Script, seed: int) -> dict[str, Any]:
    """Run a script, and return the processor minutes it took and what its agent reaches."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "script"
        words = [*script.command, "--folder", str(own), "--hands", "200"]
        minutes = run([*words, *(["--seed", str(seed)] if has_seed(script) else [])])
        game = make_game(script.env)
        agent = find_agent(str(own), game)
        result = {"minutes": minutes, "matches": play_all(game, agent, script.opponents)}
        if script.env in FEW_DEALS:
            result["exploitability"] = exact_exploitability(game, agent).exploitability
        if script.package:
            other = Path(folder) / "package"
            train = [*TRAIN, *script.package, "--env", script.env, "--seed", str(seed), "--minutes", str(minutes)]
            run([*train, "--folder", str(other), "--no-progress"])
            result["package"] = play(game, agent, f"train {script.package[0]}", str(other))
            result["package_matches"] = play_all(game, find_agent(str(other), game), script.opponents)
        return result


def has_seed(script: Script) -> bool:
    """Return True if a script has the option `--seed`."""
    return script.name not in ("openspiel_cfr", "rllib_ppo")


def run(words: Sequence[str]) -> float:
    """Run a Python program, and return its processor minutes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], cwd=SCRIPTS.parent, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 60, 2)


def play_all(game: Game, agent: Agent, opponents: Sequence[str]) -> list[dict[str, Any]]:
    """Return what an agent wins from each opponent."""
    return [play(game, agent, name, name) for name in opponents]


def play(game: Game, agent: Agent, name: str, opponent: str) -> dict[str, Any]:
    """Return what an agent wins from an opponent, which is to be called `name`, with the 95 % interval."""
    result = play_match(game, [agent, find_agent(opponent, game)], HANDS, 1, duplicate=True)
    unit, factor = next(iter(result.units.items()))
    return {"opponent": name, **result.agents[0].scale(factor).as_json(), "unit": unit, "hands": result.hands}


def describe(match: dict[str, Any]) -> str:
    """Return a result as text."""
    return f"{match['opponent']} {format_interval(match['mean'], match['ci95'])}"


def main() -> None:
    """Measure what is not stored, and print all rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", metavar="NAME")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, default=SCRIPTS.parent / "docs" / "results" / "scripts.json")
    options = parser.parse_args()
    grid, rows = Grid(options.json), []
    for script in TABLE:
        if options.only and script.name not in options.only:
            continue
        for seed in range(options.seeds if script.package else 1):
            found = grid.get({"script": script.command, "seed": seed}, lambda s=script, k=seed: measure(s, k))
            matches = ", ".join(map(describe, found["matches"]))
            exact = f"{found['exploitability']:.3f}" if "exploitability" in found else ""
            package = describe(found["package"]) if script.package else ""
            rows.append([script.name, str(seed), f"{found['minutes']:.1f}", matches, exact, package])
            if theirs := ", ".join(map(describe, found.get("package_matches", ()))):
                rows.append([f"train {script.package[0]}", str(seed), f"{found['minutes']:.1f}", theirs, "", ""])
    print_table(["script", "seed", "minutes", "against", "exploitability", "against the package's"], rows)


if __name__ == "__main__":
    main()
