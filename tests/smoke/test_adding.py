"""What CONTRIBUTING promises of additions: one new file (or folder) and one line each, here in a package elsewhere."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import card_envs
from card_baselines import papers
from card_envs import envs
from card_envs.envs import ENVS, make_game, make_vector
from card_envs.history.formats import formats_of
from card_envs.observation import Encoder
from tests.helpers.shell import Shell

REPO = Path(__file__).parents[2]
KUHN = "kuhn_poker-v0"

AGENT = '''"""An agent."""
from card_envs.agent import Agent


class Lowest(Agent):
    """Takes the legal action of the lowest id."""

    def act(self, decisions, rng):
        return decisions.action_mask.argmax(axis=1)
'''
ENCODER = '''"""An encoder."""
from card_envs.games.holdem.actions import write_mask
from card_envs.compiler import kernel
from card_envs.observation import Block, Encoder, Layout, observe_kernels

LAYOUT = Layout((Block("pot", 1, "chips", high=100),))


@kernel
def write(t, seat, o):
    o.values[0] = t.pot


OBSERVE = observe_kernels(write, write_mask)
POT = Encoder("pot", 1, lambda config: LAYOUT, *OBSERVE, lambda config, seen: LAYOUT.split(seen))
'''
ALGORITHM = '''"""An algorithm."""
from dataclasses import dataclass
from pathlib import Path

from card_baselines.runs.algorithm import Algorithm, describe_game_run
from card_baselines.runs.config import GameRunConfig
from card_baselines.runs.learner import Learner


PLAYER = "card_baselines.agents.scripted.simple:AlwaysCall"


@dataclass(frozen=True, kw_only=True)
class Config(GameRunConfig):
    """Settings."""

    env: str = "kuhn_poker-v0"
    panel: tuple[str, ...] = ()


class Counter(Learner):
    """Counts its updates."""

    num_steps = 0

    def __init__(self, config, game):
        self.config = config

    def update(self, fraction):
        self.num_steps += 1
        return {"counted": self.num_steps}

    def save(self, path, progress):
        Path(path).write_text(str(self.num_steps))

    def load(self, path):
        return {}

    def save_policy(self, run):
        Path(run.path, "trained.txt").write_text(str(self.num_steps))


ALGORITHM = Algorithm(
    name="added_algorithm", config=Config, make_learner=Counter,
    describe=lambda config: describe_game_run(config, "added_algorithm", PLAYER),
)
'''
PAPER = '''"""A paper: one table with one row."""
from card_baselines.papers.protocol import Paper, Reproduction, Scale


class Experiments(Reproduction):
    def play(self, table, row):
        return [{"table": table, "row": row, "mean": 1.5}]


PAPER = Paper(
    name="added2026", title="A paper", unit="points", tables={1: "all"}, rows=("a",),
    scales={"tiny": Scale(minutes=0.1)},
    reproduction="added_things.added2026.paper:Experiments",
    layouts={1: ("Table 1", {"row": lambda r: r["row"], "mean": lambda r: str(r["mean"])})},
)
'''
VARIANT = '''"""A poker variant: one card each from three suits of five ranks, one card on the board."""
from card_envs.games.holdem.config import HoldemConfig
from card_envs.games.holdem.game import holdem_game


def five_ranks(encoder="default"):
    config = HoldemConfig(
        structure="limit", stacks=20, blinds=(1, 2), raise_sizes=(2, 4), max_raises=(2, 2), num_hole_cards=1,
        board_cards=(0, 1), lowest_rank=8, num_ranks=5, num_suits=3,
    )
    return holdem_game("five_ranks", config, encoder)
'''


class Package:
    """A package on the path, with the metadata that an installed distribution has; counts what is added to it."""

    def __init__(self, root: Path) -> None:
        self.root, self._info = root, root / "added_things-1.0.dist-info"
        (root / "added_things").mkdir()
        (root / "added_things" / "__init__.py").write_text("")
        self._info.mkdir()
        (self._info / "METADATA").write_text("Metadata-Version: 2.1\nName: added-things\nVersion: 1.0\n")
        self._before = self._count()

    def file(self, name: str, text: str) -> None:
        (self.root / "added_things" / name).write_text(text)

    def folder(self, name: str, source: Path, module: str) -> None:
        """Copy a folder of modules that import each other as `module`."""
        shutil.copytree(source, self.root / "added_things" / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in (self.root / "added_things" / name).glob("*.py"):
            path.write_text(path.read_text().replace(module, f"added_things.{name}"))

    def line(self, group: str, line: str) -> None:
        with (self._info / "entry_points.txt").open("a") as file:
            file.write(f"[{group}]\n{line}\n")

    def added(self) -> tuple[int, int]:
        """Return how many files or folders were added to the package, and how many lines to its metadata."""
        files, lines = self._count()
        return files - self._before[0], lines - self._before[1]

    def _count(self) -> tuple[int, int]:
        points = self._info / "entry_points.txt"
        lines = [line for line in points.read_text().splitlines() if "=" in line] if points.exists() else []
        entries = [path for path in (self.root / "added_things").iterdir() if path.name != "__pycache__"]
        return len(entries), len(lines)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    known = dict(ENVS)
    made = Package(tmp_path)
    # wrappers that another test has loaded look into every game at once; an OpenSpiel game cannot be taken back
    followers = [each for each in envs._CALLBACKS if not str(each.__module__).startswith("card_wrappers")]
    monkeypatch.setattr(envs, "_CALLBACKS", followers)
    monkeypatch.syspath_prepend(tmp_path)
    yield made
    for env_id in [env_id for env_id in ENVS if env_id not in known]:
        del ENVS[env_id]
    for name in [name for name in sys.modules if name.partition(".")[0] == "added_things"]:
        del sys.modules[name]


def test_an_agent_is_one_file_and_one_line(package: Package, shell: Shell) -> None:
    package.file("agent.py", AGENT)
    package.line("card_envs.agents", "added_lowest = added_things.agent:Lowest")
    assert package.added() == (1, 1)
    assert "lowest" in shell.prints("match", KUHN, "--agents", "added_lowest", "random", "--hands", "20")


def test_an_encoder_is_one_file(package: Package) -> None:
    package.file("encoder.py", ENCODER)
    assert package.added() == (1, 0)
    game = make_game(KUHN, encoder="added_things.encoder:POT")
    assert isinstance(game.encoder, Encoder) and game.encoder.name == "pot"
    assert make_vector(KUHN, 3, seed=1, encoder=game.encoder).reset().observation.tolist() == [[2.0]] * 3  # the antes


def test_an_algorithm_is_one_file_and_one_line(package: Package, shell: Shell) -> None:
    package.file("algorithm.py", ALGORITHM)
    package.line("card_envs.algorithms", "added_algorithm = added_things.algorithm:ALGORITHM")
    assert package.added() == (1, 1)
    run = package.root / "run"
    shell.prints("train", "added_algorithm", "--steps", "3", "--minutes", "0", "--folder", str(run))
    assert (run / "trained.txt").read_text() == "3"


def test_a_paper_is_one_folder_and_one_line(package: Package, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    (package.root / "added_things" / "added2026").mkdir()
    package.file("added2026/__init__.py", "")
    package.file("added2026/paper.py", PAPER)
    assert package.added() == (1, 0)
    monkeypatch.setitem(papers.PAPERS, "added2026", "added_things.added2026.paper:PAPER")
    assert "1.5" in shell.prints("reproduce", "added2026", "--folder", str(package.root / "run"))
    assert json.loads((package.root / "run" / "report.json").read_text())["results"][0]["row"] == "a"


def test_a_poker_variant_is_one_function_and_one_line(package: Package, shell: Shell) -> None:
    package.file("variant.py", VARIANT)
    package.line("card_envs.games", "added_ranks-v0 = added_things.variant:five_ranks")
    assert package.added() == (1, 1)
    card_envs.register_installed_games()
    assert "added_things" not in sys.modules  # found, not imported
    match = ("match", "added_ranks-v0", "--agents", "always_call", "always_raise", "--hands", "20")
    assert "always_raise" in shell.prints(*match)
    assert "a game of the package added_things" in shell.prints("envs")


def test_a_game_is_one_folder_and_one_line(package: Package) -> None:
    package.folder("dozen", REPO / "tests" / "third_game", "tests.third_game")
    package.line("card_envs.games", "added_dozen-v0 = added_things.dozen.game:dozen")
    assert package.added() == (1, 1)
    package.line("card_envs.histories", "added_dozen-v0 = added_things.dozen.history:FORMAT")
    card_envs.register_installed_games()
    game = make_game("added_dozen-v0", last_trick=2)
    assert game.config.begin.__module__ == "added_things.dozen.game"
    assert (game.num_seats, game.num_actions) == (3, 12)
    assert [type(each).__module__ for each in formats_of(game)] == ["added_things.dozen.history"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "added = added_things.variant:five_ranks",
            "'added_things.variant:five_ranks' is left out: .* must end in a version",
        ),
        (
            "kuhn_poker-v0 = added_things.variant:five_ranks",
            "is left out: .*'kuhn_poker-v0' is taken by card_envs.games",
        ),
    ],
)
def test_games_that_cannot_be_registered_are_left_out_with_a_warning(package: Package, line: str, message: str) -> None:
    package.line("card_envs.games", line)
    before = dict(ENVS)
    with pytest.warns(RuntimeWarning, match=message):
        card_envs.register_installed_games()
    assert before == ENVS


def test_the_lists_leave_out_games_that_cannot_be_imported(package: Package, shell: Shell) -> None:
    package.line("card_envs.games", "added_gone-v0 = added_things.gone:game")
    card_envs.register_installed_games()
    with pytest.warns(RuntimeWarning, match="added_gone-v0 is left out: No module named 'added_things.gone'"):
        assert "added_gone" not in shell.prints("envs")
    with pytest.raises(ModuleNotFoundError, match=r"added_things\.gone"):
        make_game("added_gone-v0")


def test_contributing_promises_one_place_to_register() -> None:
    rows = re.findall(r"^\| (an? [^|]+) \| [^|]+ \| ([^|]+) \|$", (REPO / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    places = dict(rows)
    for what in ("a game", "an encoder", "an agent", "a training algorithm", "a paper"):
        assert len(re.findall(r"`[^`]+\.py`", places[what])) == 1, what
