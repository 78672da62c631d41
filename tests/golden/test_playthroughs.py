"""Every environment still plays the recorded episode: same text, legal actions, observations and rewards."""

from pathlib import Path

import pytest

from card_envs.envs import ENVS
from tests.golden.regenerate import FOLDER, playthrough


@pytest.mark.parametrize("env_id", ENVS)
def test_playthrough(env_id: str) -> None:
    path = FOLDER / f"{env_id}.txt"
    assert path.exists(), "run tests/golden/regenerate.py and review the new file"
    recorded = path.read_text(encoding="utf-8").splitlines()
    # if this change is intended: python tests/golden/regenerate.py, then review the diff (and the version of the id)
    assert playthrough(env_id).splitlines() == recorded


def test_every_file_belongs_to_an_environment() -> None:
    assert {path.stem for path in Path(FOLDER).glob("*.txt")} == set(ENVS)
