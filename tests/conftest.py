"""Settings that every kind of test shares."""

from __future__ import annotations

import importlib
import importlib.util
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from tests.helpers.shell import Shell

# PyTorch reads this when it is imported. On small networks, threads of several workers would wait for one another.
os.environ["OMP_NUM_THREADS"] = "1"

# The first example may compile kernels, which neither a deadline nor a health check can tell from a slow test.
settings.register_profile("card-envs", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("card-envs")


def pytest_configure(config: pytest.Config) -> None:
    """Let the controlling process import RLCard's game of doudizhu before any worker does.

    Its first import after an installation unpacks an archive into site-packages (rlcard 1.2.0,
    ``games/doudizhu/utils.py``); two workers that do so at once meet `FileExistsError`.
    """
    is_worker = hasattr(config, "workerinput")
    if not is_worker and importlib.util.find_spec("rlcard") is not None:
        importlib.import_module("rlcard.games.doudizhu.utils")


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str]) -> Shell:
    """The command `card-envs`; imported by the tests that use it alone."""
    from tests.helpers.shell import Shell

    return Shell(capsys)
