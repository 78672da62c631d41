"""Compiled functions: the decorators `kernel` and `short_kernel`."""

from __future__ import annotations

from card_envs.compiler.jit import COMPILED, entry_point, kernel, short_kernel
from card_envs.kernel_cache.folder import cache_folder

__all__ = ["COMPILED", "cache_folder", "entry_point", "kernel", "short_kernel"]
