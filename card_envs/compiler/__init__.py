"""Compiled functions: decorators, the cache of machine code on disk, and threads for parts of a batch.

Only this package uses private parts of Numba.
"""

from __future__ import annotations

from card_envs.compiler.cache_folder import cache_folder
from card_envs.compiler.jit import COMPILED, entry_point, kernel, short_kernel

__all__ = ["COMPILED", "cache_folder", "entry_point", "kernel", "short_kernel"]
