"""A checkpoint is read whole, or refused."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from card_baselines.agents.learned.mlp_policy import read_weights
from card_baselines.runs.checkpoint import load_state, save_state


def test_a_checkpoint_comes_back_as_it_was(tmp_path: Path) -> None:
    saved = {
        "b": torch.arange(6, dtype=torch.int64).reshape(2, 3),
        "a": torch.tensor([0.5, -1.0]),
        "empty": torch.ones(0),
    }
    save_state(tmp_path / "state", saved, {"updates": 3, "names": ["a", "b"]})
    found, extra = load_state(tmp_path / "state")
    assert extra == {"updates": 3, "names": ["a", "b"]}
    assert set(found) == set(saved)
    assert all(torch.equal(found[name], saved[name]) and found[name].dtype == saved[name].dtype for name in saved)


@pytest.mark.parametrize("kept", [0, 4, 8, 40, -1])
def test_a_checkpoint_that_was_cut_is_refused(tmp_path: Path, kept: int) -> None:
    save_state(tmp_path / "state", {"a": torch.ones(3)}, {})
    (tmp_path / "state").write_bytes((tmp_path / "state").read_bytes()[:kept])
    with pytest.raises(ValueError, match="is not a checkpoint of this program"):
        load_state(tmp_path / "state")


def test_a_checkpoint_may_be_replaced_while_it_is_read(tmp_path: Path) -> None:
    """A run writes a new one beside it and renames; who reads meanwhile gets the one or the other."""
    path = tmp_path / "state"
    sizes = (10, 1000)
    for size in sizes:
        save_state(tmp_path / str(size), {"weights": torch.zeros(size)}, {"size": size})
    contents = [(tmp_path / str(size)).read_bytes() for size in sizes]
    path.write_bytes(contents[0])
    over = threading.Event()

    def replace() -> None:
        while not over.is_set():
            for content in contents:
                (tmp_path / "new").write_bytes(content)
                (tmp_path / "new").replace(path)

    run = threading.Thread(target=replace)
    run.start()
    try:
        for _ in range(300):
            tensors, extra = load_state(path)
            assert len(tensors["weights"]) == extra["size"]
            assert len(read_weights(path)["weights"]) in sizes
    finally:
        over.set()
        run.join()
