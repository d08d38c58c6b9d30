"""Compile once and keep it: njit with a cache that survives an unwritable home."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a kernel: the lock released, cached where a cache can be written.

    Numba looks for a writable place beside the source and then in the user's cache folder.
    Where there is none, it refuses to cache; the kernel is then compiled anew in each process.
    """
    try:
        kernel = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        kernel = numba.njit(nogil=True)(function)
    return cast(Function, kernel)
