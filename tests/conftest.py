"""Settings that every kind of test shares."""

import os
from pathlib import Path

from hypothesis import settings

# The first example may compile kernels, which no deadline can tell from a slow test.
settings.register_profile("card-envs", deadline=None)
settings.load_profile("card-envs")

# Two cold processes that compile one kernel for different types may file both under one name in Numba's cache.
WORKER = os.environ.get("PYTEST_XDIST_WORKER")
if WORKER:
    os.environ["NUMBA_CACHE_DIR"] = str(Path(__file__).parents[1] / ".kernel_cache" / WORKER)
