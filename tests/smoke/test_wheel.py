"""The wheel: what is in it, and that it works far from the checkout with its declared dependencies and nothing else."""

import shutil
import subprocess
import sys
import venv
import zipfile
from email.parser import HeaderParser
from importlib.metadata import distribution
from pathlib import Path, PurePosixPath

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPO = Path(__file__).parents[2]
HOLDERS = {"card_envs": ".", "card_wrappers": "wrappers", "card_baselines": "baselines"}
EXTRAS = ("torch", "stable_baselines3", "pyspiel", "tyro")
SHIPPED = {
    ".py", ".toml", ".typed", ".npz", ".npy", ".safetensors", ".json", ".csv", ".html", ".css", ".js", ".svg", ".sql",
}  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the sources, so that stale build folders of the checkout cannot leak into it."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPO / name, source)
    for package, holder in HOLDERS.items():
        folder = Path(holder) / package
        shutil.copytree(REPO / folder, source / folder, ignore=shutil.ignore_patterns("__pycache__"))
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(out),
        str(source),
    ]
    run(build, cwd=out)
    [wheel] = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel and the dependencies that it declares, no extras."""
    home = tmp_path_factory.mktemp("elsewhere")
    venv.create(home / "venv", with_pip=False, symlinks=True)
    python = home / "venv" / "bin" / "python"
    run([sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", str(wheel)], cwd=home)
    core = home / "core"
    link_distributions(declared_dependencies(wheel), core)
    site_packages = run([str(python), "-c", "import site; print(site.getsitepackages()[0])"], cwd=home).strip()
    Path(site_packages, "core.pth").write_text(f"{core}\n")
    return python


def test_wheel_installs_three_packages_and_nothing_else(wheel: Path) -> None:
    top = {PurePosixPath(name).parts[0] for name in contents(wheel)}
    assert {name for name in top if not name.endswith(".dist-info")} == set(HOLDERS)


def test_wheel_holds_every_source_table_and_type_marker(wheel: Path) -> None:
    expected = {
        path.relative_to(REPO / holder).as_posix()
        for package, holder in HOLDERS.items()
        for path in (REPO / holder / package).rglob("*")
        if path.suffix in SHIPPED and "__pycache__" not in path.parts
    } | {f"{package}/py.typed" for package in HOLDERS}
    assert {name for name in contents(wheel) if ".dist-info/" not in name} == expected


def test_packages_import_elsewhere_with_core_dependencies_only(elsewhere: Path, tmp_path: Path) -> None:
    program = (
        "import sys, card_envs, card_wrappers, card_baselines\n"
        "print(card_envs.__file__)\n"
        f"print([name for name in {EXTRAS} if name in sys.modules])\n"
    )
    file, heavy = run([str(elsewhere), "-c", program], cwd=tmp_path).splitlines()
    assert Path(file).is_relative_to(elsewhere.parents[1])
    assert heavy == "[]"


def test_players_are_found_through_entry_points(elsewhere: Path, tmp_path: Path) -> None:
    program = (
        "import sys, card_envs.agent\n"
        "from card_envs import make_game\n"
        "assert 'card_baselines' not in sys.modules\n"
        "print(card_envs.agent.find_agent('always_call', make_game('kuhn_poker-v0')).name)\n"
    )
    assert run([str(elsewhere), "-c", program], cwd=tmp_path).strip() == "always_call"


def test_extras_are_really_absent_elsewhere(elsewhere: Path, tmp_path: Path) -> None:
    program = f"from importlib.util import find_spec; print([name for name in {EXTRAS} if find_spec(name)])"
    assert run([str(elsewhere), "-c", program], cwd=tmp_path).strip() == "[]"


def contents(wheel: Path) -> list[str]:
    return zipfile.ZipFile(wheel).namelist()


def declared_dependencies(wheel: Path) -> set[str]:
    """Canonical names of all that the wheel requires without extras, followed to the end."""
    archive = zipfile.ZipFile(wheel)
    [metadata] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    pending = HeaderParser().parsestr(archive.read(metadata).decode()).get_all("Requires-Dist", [])
    found: set[str] = set()
    while pending:
        requirement = Requirement(pending.pop())
        name = canonicalize_name(requirement.name)
        if name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found.add(name)
            pending += distribution(name).requires or []
    return found


def link_distributions(names: set[str], folder: Path) -> None:
    """Link the top-level files and folders of installed distributions into `folder`, without copying them."""
    folder.mkdir()
    for name in names:
        installed = distribution(name)
        for top in {path.parts[0] for path in installed.files or []} - {"..", "__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(Path(str(installed.locate_file(top))))


def run(command: list[str], cwd: Path) -> str:
    """Standard output of `command`, with an environment that cannot reach the checkout."""
    result = subprocess.run(command, cwd=cwd, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
