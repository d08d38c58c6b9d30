"""Compile once and keep it: njit with a cache that survives an unwritable home."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled", "inner"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a kernel: the lock released, cached where a cache can be written.

    Numba looks for a writable place beside the source and then in the user's cache folder.
    Where there is none, it refuses to cache; the kernel is then compiled anew in each process.
    """
    try:
        kernel = numba.njit(cache=True, nogil=True)(function)
    except (RuntimeError, OSError):
        return cast(Function, numba.njit(nogil=True)(function))
    _ease(getattr(kernel, "_cache", None))
    return cast(Function, kernel)


def inner(function: Function) -> Function:
    """Compile what only kernels call: it becomes part of them, and of what is kept of them."""
    return cast(Function, numba.njit(nogil=True)(function))


def _ease(cache: Any) -> None:
    """Load kernels in a quarter of the time, and let a full disk keep nobody from computing.

    Before a kernel is loaded Numba prepares itself to compile, for which it imports
    `scipy.linalg` and much else. Kernels that call no BLAS load without; to compile one, Numba
    prepares itself all the same. Where its insides are others than known, nothing is changed.
    """
    load, save = getattr(cache, "_load_overload", None), getattr(cache, "save_overload", None)
    if not (callable(load) and callable(save)):
        return

    def load_overload(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except OSError:
            return None

    def save_overload(signature: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            save(signature, data)

    cache.load_overload, cache.save_overload = load_overload, save_overload
