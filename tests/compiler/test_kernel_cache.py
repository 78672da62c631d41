"""Compiled kernels: kept where that is possible, compiled anew after any edit, and never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from card_envs.compiler import COMPILED, kernel
from card_envs.envs import make_game
from card_envs.kernel_cache.folder import SUFFIX, cache_folder

REPO = Path(__file__).parents[2]
USE_A_KERNEL = "import numpy as np; from card_envs.games.holdem.actions import first_seat_from; "
USE_A_KERNEL += "print(first_seat_from(np.int64(0b1010), np.int64(2), np.int64(4)))"
ANNOUNCEMENT = "card_envs compiles its kernels"
CANNOT_KEEP = "compiled kernels cannot be cached in"
TWO_KERNELS = """
import numpy as np
from card_envs.bits import bit_count, nth_bit
def first(): return bit_count(np.int64(0b1011))
def second(): return nth_bit(np.int64(0b1010), np.int64(1))
"""
"""`first()` is 3 and so is `second()`; the second compiles two kernels where the first has not been asked."""


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """A folder that holds a copy of the package without anything compiled, and an empty home."""
    copy_package(REPO, tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like `installation`, in which the kernels of both programs were compiled; not to be changed."""
    folder = tmp_path_factory.mktemp("compiled")
    copy_package(REPO, folder)
    program = f"{USE_A_KERNEL}\n{TWO_KERNELS}\nprint(first(), second())"
    answer, said = use(folder, program)
    assert answer.split() == ["3", "3", "3"]
    assert (said.count(ANNOUNCEMENT), len(said.splitlines())) == (1, 1)
    assert "cached for later runs" in said
    return folder


@pytest.fixture
def used(compiled_once: Path, tmp_path: Path) -> Path:
    """A folder like `installation`, in which both programs have run before."""
    shutil.copytree(compiled_once, tmp_path / "used")
    return tmp_path / "used"


def copy_package(source: Path, folder: Path) -> None:
    """Copy the package without anything compiled, and make an empty home beside it."""
    shutil.copytree(source / "card_envs", folder / "card_envs", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "home").mkdir()


def block(folder: Path) -> None:
    """Make a folder impossible to create, for any user: a file of its name stands there."""
    folder.write_text("")


def use(installation: Path, program: str = USE_A_KERNEL, home: Path | None = None) -> tuple[str, str]:
    """Standard output and standard error of a new process that runs a program on the installation."""
    home = home or installation / "home"
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, cwd=installation, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip(), result.stderr


def test_what_is_compiled_once_is_loaded_the_next_time(used: Path) -> None:
    assert list((used / "home" / ".cache" / "card_envs").glob("kernels-*"))
    assert not (used / "card_envs" / "__pycache__").exists()
    assert use(used) == ("3", "")


def test_a_second_installation_of_a_user_finds_what_the_first_compiled(used: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    copy_package(REPO, second)
    assert use(second, home=used / "home") == ("3", "")


def test_a_kernel_in_a_file_of_the_user_is_loaded_the_next_time(installation: Path) -> None:
    own = "from card_envs.compiler import kernel\n\n\n@kernel\ndef double(a):\n    return 2 * a\n"
    (installation / "own.py").write_text(own)
    program = "from card_envs.locations import load_object; print(load_object('own.py:double')(21))"
    answer, said = use(installation, program)
    assert answer == "42" and ANNOUNCEMENT in said
    assert use(installation, program) == ("42", "")
    assert len(kernel_files(installation)) == 1


def test_an_edit_of_a_called_function_in_another_file_is_noticed(used: Path) -> None:
    bits = used / "card_envs" / "bits.py"
    source = bits.read_text()
    edited = source.replace("return bit_count(~bits & (bits - 1))", "return bit_count(~bits & (bits - 1)) + 40")
    assert edited != source
    bits.write_text(edited)
    answer, said = use(used)
    assert answer == "43"
    assert ANNOUNCEMENT in said


def test_without_a_writable_home_kernels_are_kept_beside_the_package(installation: Path) -> None:
    block(installation / "home" / ".cache")
    assert use(installation)[0] == "3"
    assert list((installation / "card_envs" / "__pycache__").glob("kernels-*"))
    assert use(installation) == ("3", "")


def test_without_any_writable_folder_kernels_are_compiled_in_memory(installation: Path) -> None:
    block(installation / "card_envs" / "__pycache__")
    block(installation / "home" / ".cache")
    answer, said = use(installation)
    assert answer == "3"
    assert "not cached" in said


def test_kernels_in_a_folder_that_is_not_writable_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    image, home = tmp_path / "image", tmp_path / "home"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(image))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    first = cache_folder.__wrapped__("card_envs")
    assert first is not None and first.parent == image
    monkeypatch.setattr("card_envs.kernel_cache.folder.is_writable", lambda path: path.is_relative_to(home))
    second = cache_folder.__wrapped__("card_envs")
    assert second is not None and second.parent == home / "card_envs", "the first holds no kernels"
    (first / f"kernel{SUFFIX}").touch()
    assert cache_folder.__wrapped__("card_envs") == first


@pytest.mark.slow
def test_processes_that_compile_one_kernel_for_different_tables_at_once_do_not_mix_them_up(installation: Path) -> None:
    names = ("limit_holdem-v0", "big2-v0")
    programs = [
        f"from card_envs.envs import make_game; print(make_game({name!r}).seeded_tables(2, 7)['rng'].tolist())"
        for name in names
    ]
    with ThreadPoolExecutor(len(programs)) as together:
        first = list(together.map(lambda program: use(installation, program)[0], programs))
    again = use(installation, "\n".join(programs))[0].splitlines()
    expected = [str(make_game(name).seeded_tables(2, 7)["rng"].tolist()) for name in names]
    assert first == again == expected


# --- disks that are full, folders that go away, files that are damaged ------------------------------------------------


def kernel_files(installation: Path) -> list[Path]:
    """All that lies in the folders of compiled kernels, complete or not."""
    return [path for path in installation.glob("home/.cache/card_envs/kernels-*/*") if path.is_file()]


FULL_DISK = """
import errno, pathlib
def write_bytes(path, data):
    with open(path, "wb") as file:
        file.write(data[:1000])
    raise OSError(errno.ENOSPC, "No space left on device")
pathlib.Path.write_bytes = write_bytes
"""
QUOTA = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))"


@pytest.mark.parametrize(
    "trouble", [FULL_DISK, pytest.param(QUOTA, marks=pytest.mark.slow)], ids=["full disk", "file size limit"]
)
def test_where_a_kernel_cannot_be_written_it_is_compiled_in_memory_with_one_warning(
    installation: Path, trouble: str
) -> None:
    program = f"{trouble}\n{TWO_KERNELS}\nprint(first(), second())"
    answer, said = use(installation, program)
    assert answer == "3 3"
    assert said.count(CANNOT_KEEP) == 1 and "NUMBA_CACHE_DIR" in said
    assert kernel_files(installation) == []
    answer, said = use(installation, f"{TWO_KERNELS}\nprint(first(), second())")
    assert answer == "3 3" and ANNOUNCEMENT in said and CANNOT_KEEP not in said
    assert len(kernel_files(installation)) == 2


def test_a_folder_that_is_deleted_while_a_program_runs_is_made_again(installation: Path) -> None:
    delete = "import shutil; shutil.rmtree('home/.cache/card_envs')"
    answer, said = use(installation, f"{TWO_KERNELS}\nprint(first())\n{delete}\nprint(second())")
    assert answer.split() == ["3", "3"] and CANNOT_KEEP not in said
    assert [path.name.partition("-")[0] for path in kernel_files(installation)] == ["card_envs.bits.nth_bit"]


def test_a_folder_that_cannot_be_made_again_costs_a_warning(installation: Path) -> None:
    replace = "import pathlib, shutil; shutil.rmtree('home/.cache/card_envs'); "
    replace += "pathlib.Path('home/.cache/card_envs').write_text('')"
    answer, said = use(installation, f"{TWO_KERNELS}\nprint(first())\n{replace}\nprint(second())")
    assert answer.split() == ["3", "3"] and said.count(CANNOT_KEEP) == 1


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flip(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


def test_a_damaged_file_is_compiled_again(used: Path) -> None:
    program = f"{TWO_KERNELS}\nprint(first(), second())"
    paths = [path for path in kernel_files(used) if path.name.startswith("card_envs.bits.")]
    damages: list[Callable[[bytes], bytes]] = [cut, flip, lambda data: b"", lambda data: b"\0" * len(data)]
    for pair in (damages[:2], damages[2:]):
        damaged = {path: damage(path.read_bytes()) for path, damage in zip(paths, pair, strict=True)}
        for path, data in damaged.items():
            path.write_bytes(data)
        answer, said = use(used, program)
        assert answer == "3 3" and ANNOUNCEMENT in said
        assert all(path.read_bytes() != data for path, data in damaged.items())
    assert use(used, program) == ("3 3", "")


def test_a_file_of_another_kernel_is_not_taken_for_this_ones(used: Path) -> None:
    first, second = sorted(path for path in kernel_files(used) if path.name.startswith("card_envs.bits."))
    shutil.copy(first, second)
    answer, said = use(used, f"{TWO_KERNELS}\nprint(second())")
    assert answer == "3" and ANNOUNCEMENT in said


# --- what is left alone -----------------------------------------------------------------------------------------------


def make_folders(base: Path, *names: str) -> list[Path]:
    for age, name in enumerate(names):
        (base / name).mkdir(parents=True)
        os.utime(base / name, (1e9 - age, 1e9 - age))
    return [base / name for name in names]


OLD = [f"kernels-card_envs-{number:016x}" for number in range(9)]


def test_in_its_own_folder_it_deletes_its_own_oldest_and_nothing_else(installation: Path) -> None:
    base = installation / "home" / ".cache" / "card_envs"
    *kept, last, oldest = make_folders(base, *OLD)
    others = make_folders(base, "kernels-other_package-0123456789abcdef", "kernels-of-mine", "mine")
    use(installation)
    assert all(path.exists() for path in (*kept, *others))
    assert not any(path.exists() for path in (last, oldest))


def test_in_a_folder_that_the_user_names_nothing_is_deleted(installation: Path, tmp_path: Path) -> None:
    folders = make_folders(tmp_path / "users", *OLD, "kernels-0123456789abcdef", "kernels-of-mine", "mine")
    program = f"import os; os.environ['NUMBA_CACHE_DIR'] = {str(tmp_path / 'users')!r}\n{USE_A_KERNEL}"
    assert use(installation, program)[0] == "3"
    assert all(path.exists() for path in folders)
    assert len(list((tmp_path / "users").iterdir())) == len(folders) + 1


OTHER_PEOPLE = """
import numba, numpy as np
from numba.core.registry import cpu_target
from card_envs.bits import bit_count
@numba.njit
def theirs(rows): return bit_count(rows[0].number)
print(theirs(np.ones(2, np.dtype([("number", np.int64)]))))
context = cpu_target.target_context
print("mangler" in vars(context), numba.config.CACHE_DIR == "")
for function, name in ((theirs, "__main__.theirs"), (bit_count, "card_envs.bits.bit_count")):
    (compiled,) = function.overloads.values()
    about = compiled.fndesc
    print(about.mangled_name == context.mangler(name, about.argtypes, abi_tags=about.abi_tags, uid=about.uid))
"""


def test_other_peoples_functions_are_named_as_ever(installation: Path) -> None:
    assert use(installation, OTHER_PEOPLE)[0].split() == ["1", "False", "True", "True", "False"]


def test_a_kernel_that_was_typed_in_is_compiled_in_memory(installation: Path) -> None:
    program = "from card_envs.compiler import kernel\n@kernel\ndef add(a, b):\n    return a + b\nprint(add(1, 2))"
    program = f"exec({program!r})"
    assert use(installation, program)[0] == "3"
    assert kernel_files(installation) == []


# --- what is said -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal that a program can make")
def test_on_a_terminal_a_line_counts_functions_and_goes_away(installation: Path) -> None:
    import pty

    ours, terminal = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "HOME": str(installation / "home"), "TERM": "xterm"}
    program = f"{TWO_KERNELS}\nprint(second())"
    subprocess.run([sys.executable, "-c", program], cwd=installation, env=environment, stderr=terminal, check=True)
    os.close(terminal)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "compiling: 1 functions" in shown and "compiling: 2 functions" in shown
    assert shown.endswith("\r" + " " * 50 + "\r")


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


TWO_CALLED = """
import threading
from card_envs.compiler import kernel
log = threading.Lock()
@kernel
def up(x): return x + FIRST
@kernel
def down(x): return x + SECOND
f, g = ORDER
@kernel
def both(x): return f(x) * 10 + g(x)
print(both(0))
"""


def test_kernels_that_change_places_are_noticed(installation: Path) -> None:
    program = installation / "program.py"

    def run(first: int, second: int, order: str) -> str:
        replaced = TWO_CALLED.replace("FIRST", str(first)).replace("SECOND", str(second)).replace("ORDER", order)
        program.write_text(replaced)
        return use(installation, "import program")[0]

    assert run(1, 2, "up, down") == "12"
    assert run(2, 1, "up, down") == "21"
    assert run(1, 2, "down, up") == "21"


def test_an_edit_that_no_kernel_depends_on_compiles_nothing_again(used: Path) -> None:
    envs = used / "card_envs" / "envs.py"
    envs.write_text(envs.read_text() + "\nUNUSED = 1\n")
    assert use(used) == ("3", "")


@kernel
def doubled(number: Any) -> Any:
    return 2 * number


@kernel
def doubled_twice(number: Any) -> Any:
    return doubled(doubled(number)) + doubled(number - number)


@kernel
def doubled_once(number: Any) -> Any:
    return doubled(number)


@pytest.mark.skipif(not COMPILED, reason="plain Python compiles nothing")
def test_a_kernel_that_only_kernels_called_can_be_called_from_python_later() -> None:
    """What a kernel calls is compiled for it alone, and in full once Python calls it; all versions agree."""
    helpers: Any = doubled
    kernels: Any = (doubled, doubled_twice, doubled_once)
    for each in kernels:
        each._cache.disable()  # what an earlier run kept would be loaded
    assert doubled_twice(5) == 20
    assert len(helpers._helper_types) == 1
    assert doubled(5) == 10
    assert not helpers._helper_types
    assert doubled_once(5) == 10  # links the full version
    assert doubled_twice(5) == 20
    assert doubled(5.5) == 11.0


@kernel
def lowest(number: Any) -> Any:
    return number + 1


@kernel
def middle(number: Any) -> Any:
    return 3 * lowest(number)


@kernel
def highest(number: Any) -> Any:
    found = middle(number)
    if number != number:  # never so for an integer: LLVM drops the call before anything is linked
        found += lowest(number)
    return found


@kernel
def highest_first_lowest(number: Any) -> Any:
    found = number
    if number != number:
        found += lowest(number)
    return found + middle(number)


@pytest.mark.skipif(not COMPILED, reason="plain Python compiles nothing")
@pytest.mark.parametrize("function", [highest, highest_first_lowest])
def test_a_helper_is_linked_after_all_that_call_it(function: Callable[[int], int]) -> None:
    """LLVM links what is called so far: a helper that came before its callers would be missing, and calls crash."""
    compiled: Any = function
    compiled._cache.disable()
    assert function(4) == (15 if function is highest else 19)
