"""Loops over octets that no column operation says: compiled to machine code on first use, and kept beside the module for the next process."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from numba import njit

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The same function of numbers and NumPy arrays as machine code; other threads run beside it.

    What it calls must be compiled too, and stand in the same module: a change elsewhere would not be seen by what is kept.
    """
    return cast("Callable[P, R]", njit(cache=True, nogil=True)(function))
