"""`hf:user/name`: agents of the Hugging Face Hub, whose client is replaced by one that reads local folders."""

from __future__ import annotations

import fnmatch
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

pytest.importorskip("torch")

from card_baselines.ppo.algorithm import ALGORITHM
from card_baselines.runs.run import train
from card_envs import make_game
from card_envs.agent import find_agent
from card_envs.analysis.exploitability.best_response import exact_exploitability
from card_envs.locations import UntrustedNameError, registered_names_only
from tests.runs.test_run import TINY


def matches(name: str, patterns: list[str]) -> bool:
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of repositories of a stand-in for huggingface_hub, by user, name and revision."""
    repositories = tmp_path / "hub"

    def snapshot_download(
        repository: str, *, revision: str | None, allow_patterns: list[str], ignore_patterns: list[str]
    ) -> str:
        source, cached = repositories / repository / (revision or "main"), tmp_path / "cache" / repository
        if not source.is_dir():
            raise OSError(f"404: {repository}")
        for path in source.iterdir():
            if matches(path.name, allow_patterns) and not matches(path.name, ignore_patterns):
                cached.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, cached)
        return str(cached)

    module: Any = ModuleType("huggingface_hub")
    module.snapshot_download = snapshot_download
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return repositories


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(ALGORITHM, TINY, tmp_path_factory.mktemp("runs") / "kuhn", progress=False).path


def test_a_published_run_plays_as_it_does_here_and_brings_no_other_files(hub: Path, run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, hub / "someone" / "kuhn" / "v1")
    (hub / "someone" / "kuhn" / "v1" / "setup.py").write_text("raise SystemExit")
    game = make_game("kuhn_poker-v0")
    agent = find_agent("hf:someone/kuhn@v1", game)
    assert agent.name == "kuhn"
    assert exact_exploitability(game, agent) == exact_exploitability(game, find_agent(str(run), game))
    downloaded = {path.name for path in (tmp_path / "cache" / "someone" / "kuhn").iterdir()}
    assert downloaded == {"config.json", "evaluation.json", "policy.safetensors"}


def test_a_repository_cannot_name_code(hub: Path, run: Path) -> None:
    folder = hub / "someone" / "code" / "main"
    shutil.copytree(run, folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"agent": "os:system"}))
    with pytest.raises(UntrustedNameError, match="names code for its agent"):
        find_agent("hf:someone/code", make_game("kuhn_poker-v0"))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("hf:someone", "write hf:user/name"),
        ("hf:someone/../secret", "write hf:user/name"),
        ("hf:someone/nothing", "cannot be downloaded: 404"),
        ("hf:someone/kuhn@v2", "cannot be downloaded"),
        ("hf:someone/empty", "has no config.json"),
    ],
)
def test_what_is_no_agent_is_refused(spec: str, message: str, hub: Path) -> None:
    empty = hub / "someone" / "empty" / "main"
    empty.mkdir(parents=True)
    (empty / "README.json").write_text("{}")
    with pytest.raises(ValueError, match=message):
        find_agent(spec, make_game("kuhn_poker-v0"))


def test_without_the_client_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ValueError, match="pip install huggingface_hub"):
        find_agent("hf:someone/kuhn", make_game("kuhn_poker-v0"))


def test_files_cannot_name_the_hub(hub: Path) -> None:
    with registered_names_only("config.json"), pytest.raises(UntrustedNameError):
        find_agent("hf:someone/kuhn", make_game("kuhn_poker-v0"))
