"""Compiled kernels: kept where that is possible, compiled anew after any edit, and never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from card_envs.envs import make_game

REPO = Path(__file__).parents[2]
USE_A_KERNEL = "import numpy as np; from card_envs.games.holdem.actions import first_from; "
USE_A_KERNEL += "print(first_from(np.int64(0b1010), np.int64(2), np.int64(4)))"
ANNOUNCEMENT = "card_envs compiles its kernels"


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """A folder that holds a copy of the package without anything compiled, and an empty home."""
    shutil.copytree(REPO / "card_envs", tmp_path / "card_envs", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "home").mkdir()
    return tmp_path


def block(folder: Path) -> None:
    """Make a folder impossible to create, for any user: a file of its name stands there."""
    folder.write_text("")


def use(installation: Path, program: str = USE_A_KERNEL) -> tuple[str, str]:
    """Standard output and standard error of a new process that runs a program on the installation."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(installation / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, cwd=installation, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip(), result.stderr


def test_what_is_compiled_once_is_loaded_the_next_time(installation: Path) -> None:
    answer, said = use(installation)
    assert (answer, said.count(ANNOUNCEMENT)) == ("3", 1)
    assert "kept for later runs" in said
    assert list((installation / "card_envs" / "__pycache__").glob("kernels-*"))
    assert use(installation) == ("3", "")


def test_an_edit_of_a_called_function_in_another_file_is_noticed(installation: Path) -> None:
    use(installation)
    bits = installation / "card_envs" / "bits.py"
    source = bits.read_text()
    edited = source.replace("return bit_count(~bits & (bits - 1))", "return bit_count(~bits & (bits - 1)) + 40")
    assert edited != source
    bits.write_text(edited)
    answer, said = use(installation)
    assert answer == "43"
    assert ANNOUNCEMENT in said


def test_a_read_only_installation_keeps_its_kernels_in_the_home(installation: Path) -> None:
    block(installation / "card_envs" / "__pycache__")
    assert use(installation)[0] == "3"
    assert list((installation / "home" / ".cache" / "card_envs").glob("kernels-*"))
    assert use(installation) == ("3", "")


def test_without_any_writable_folder_kernels_are_compiled_in_memory(installation: Path) -> None:
    block(installation / "card_envs" / "__pycache__")
    block(installation / "home" / ".cache")
    answer, said = use(installation)
    assert answer == "3"
    assert "not kept" in said


def test_processes_that_compile_one_kernel_for_different_tables_at_once_do_not_mix_them_up(installation: Path) -> None:
    names = ("limit_holdem-v0", "big2-v0", "limit_holdem-v0", "big2-v0")
    programs = [
        f"from card_envs.envs import make_game; print(make_game({name!r}).seeded_tables(2, 7)['rng'].tolist())"
        for name in names
    ]
    with ThreadPoolExecutor(len(programs)) as together:
        first = list(together.map(lambda program: use(installation, program)[0], programs))
    again = [use(installation, program)[0] for program in programs]
    expected = [str(make_game(name).seeded_tables(2, 7)["rng"].tolist()) for name in names]
    assert first == again == expected


@pytest.mark.slow
def test_after_a_warmup_nothing_is_left_to_compile(installation: Path) -> None:
    warm = "import card_envs; card_envs.warmup('leduc_holdem-v0')"
    assert ANNOUNCEMENT in use(installation, warm)[1]
    play = (
        "from card_envs import leduc_holdem_v0, make_vector\n"
        "env = leduc_holdem_v0.env(); env.reset(seed=1)\n"
        "for agent in env.agent_iter():\n"
        "    o, _, end, cut, _ = env.last()\n"
        "    env.step(None if end or cut else int(o['action_mask'].argmax()))\n"
        "tables = make_vector('leduc_holdem-v0', 8, seed=0); tables.reset(); tables.step(tables.sample_actions())\n"
    )
    assert use(installation, play) == ("", "")


def test_an_edit_of_a_constant_in_another_file_is_noticed(installation: Path) -> None:
    program = "from card_envs.games.holdem.actions import kind_of; print(kind_of(2))"
    answer, _ = use(installation, program)
    state = installation / "card_envs" / "games" / "holdem" / "state.py"
    state.write_text(state.read_text() + "\nRAISE = 7\n")
    again, said = use(installation, program)
    assert (answer, again) == ("2", "7")
    assert ANNOUNCEMENT in said


def test_an_edit_that_no_kernel_depends_on_compiles_nothing_again(installation: Path) -> None:
    use(installation)
    envs = installation / "card_envs" / "envs.py"
    envs.write_text(envs.read_text() + "\nUNUSED = 1\n")
    assert use(installation) == ("3", "")
