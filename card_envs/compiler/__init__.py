"""Compiled functions: `kernel` and its relatives, the cache of machine code on disk, threads over parts of a batch.

Everything that depends on private parts of Numba is in this package; no other module of the project imports those.
"""

from __future__ import annotations

from card_envs.compiler.cache_folder import cache_folder
from card_envs.compiler.jit import COMPILED, entry_point, kernel, short_kernel

__all__ = ["COMPILED", "cache_folder", "entry_point", "kernel", "short_kernel"]
