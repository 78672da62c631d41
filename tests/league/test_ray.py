"""The same rounds on a local Ray of two workers, one of which dies."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from card_baselines.league import League

LEARNER = Path(__file__).with_name("learner.py")
KUHN = "kuhn_poker-v0"

DIES_ONCE = '''
import os, pathlib, signal
from card_envs.agent import RandomAgent

class DiesOnce(RandomAgent):
    """Kills the process that plays, the first time."""

    def act(self, decisions, rng):
        mark = pathlib.Path({mark!r})
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(decisions, rng)
'''
RUN = """
import sys
from card_baselines.league import League, make_pool

with League.open(sys.argv[1], allow=sys.argv[2:]) as league, make_pool(2, ray="local") as pool:
    print(pool.capacity, league.run({"climb": 3, "robin": 6}, pool))
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
def test_rounds_on_ray_are_those_of_one_process(tmp_path: Path) -> None:
    mark = tmp_path / "died"
    fatal = tmp_path / "fatal.py"
    fatal.write_text(DIES_ONCE.format(mark=str(mark)))
    leagues = []
    for name in ("ray", "here"):
        league = League.new(tmp_path / name, KUHN, seed=1)
        league.add_division("climb", "climbing", students=[f"{LEARNER}:Learner"], teachers=["random"], hands=100)
        league.add_division("robin", "round_robin", teachers=["random", "always_call", f"{fatal}:DiesOnce"], hands=100)
        leagues.append(league)
    on_ray, here = leagues
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(on_ray.folder), f"{LEARNER}:Learner", f"{fatal}:DiesOnce"],
        capture_output=True, text=True, timeout=300, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "2 {'climb': 3, 'robin': 6}" and mark.exists()
    here.run({"climb": 3, "robin": 6})
    query = "SELECT r.division, r.number, e.* FROM earnings e JOIN rounds r ON r.id = e.round ORDER BY 1, 2, 4"
    of_both = [[(*row[:2], *row[3:]) for row in league.store.rows(query)] for league in leagues]
    assert of_both[0] == of_both[1] and not on_ray.store.find_lost_rounds()
