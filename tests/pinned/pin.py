"""A pin, the hashes in it, and the machine on which floating-point results are the same to the last bit."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Pin = dict[str, dict[str, Any]]
LIBRARIES = ("numpy", "numba", "llvmlite", "torch", "scipy", "stable-baselines3", "sb3-contrib")


def machine() -> str:
    """Return what floating-point results depend on: the model of the processor, and versions of libraries."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    versions = [f"{name} {version_of(name)}" for name in LIBRARIES]
    return ", ".join([models[0] if models else platform.processor(), platform.system(), *versions])


def version_of(library: str) -> str:
    """Return the installed version of a library, "-" for none."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return "-"


def digest(*parts: NDArray[Any] | bytes) -> str:
    """Return a short hash of arrays, their types and shapes included, and of bytes."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            total.update(f"{part.dtype.str}{part.shape}".encode())
            part = np.ascontiguousarray(part).tobytes()
        total.update(part)
    return total.hexdigest()[:16]
