"""Compile once and keep it: njit with a cache that survives an unwritable home."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["compiled", "inner", "spliced"]

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


def spliced(function: Function) -> Function:
    """Compile into the very place of each call: for what a kernel calls for every value."""
    return cast(Function, numba.njit(nogil=True, inline="always")(function))


def _ease(cache: Any) -> None:
    """Let a disk that fails keep nobody from computing: what cannot be kept is made anew."""
    load, save = getattr(cache, "load_overload", None), getattr(cache, "save_overload", None)
    if not (callable(load) and callable(save)):
        return

    def load_overload(signature: Any, context: Any) -> Any:
        with contextlib.suppress(OSError):
            return load(signature, context)
        return None

    def save_overload(signature: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            save(signature, data)

    cache.load_overload, cache.save_overload = load_overload, save_overload
