"""Equality of objects that hold functions: two that were made in the same way are equal."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from types import MethodType
from typing import Any


def are_equal(a: Any, b: Any) -> bool:
    """Return True if two objects are equal, or have equal parts.

    Parts are the compared fields of dataclasses, function and arguments of `functools.partial`, function and object of
    bound methods, and the items of mappings and tuples.
    """
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    settings = getattr(type(a), "__dataclass_params__", None)
    if settings is not None and settings.eq:
        return all(are_equal(getattr(a, each.name), getattr(b, each.name)) for each in fields(a) if each.compare)
    if isinstance(a, partial):
        return are_equal((a.func, a.args, a.keywords), (b.func, b.args, b.keywords))
    if isinstance(a, MethodType):
        return are_equal((a.__func__, a.__self__), (b.__func__, b.__self__))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(are_equal, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(are_equal(a[key], b[key]) for key in a)
    return bool(a == b)
