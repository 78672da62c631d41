"""How much memory is free: what Linux and a container tell, and no limit where nothing is told."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from card_envs import memory


def test_the_smaller_of_machine_and_container_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_GROUP", tmp_path)
    assert memory.find_free_memory() == math.inf
    (tmp_path / "meminfo").write_text(
        "MemTotal:  9000 kB\nMemAvailable:  5000 kB\nHugePages_Total: 0\n", encoding="utf-8"
    )
    assert memory.find_free_memory() == 5000 * 1024
    (tmp_path / "memory.max").write_text("max\n", encoding="utf-8")
    (tmp_path / "memory.current").write_text("3000000\n", encoding="utf-8")
    assert memory.find_free_memory() == 5000 * 1024
    (tmp_path / "memory.max").write_text("4000000\n", encoding="utf-8")
    assert memory.find_free_memory() == 1_000_000
    (tmp_path / "memory.stat").write_text("anon 2000000\ninactive_file 500000\n", encoding="utf-8")
    assert memory.find_free_memory() == 1_500_000, "the cache of files is given back"


def test_this_machine_tells_something_plausible() -> None:
    assert memory.find_free_memory() > 2**20
