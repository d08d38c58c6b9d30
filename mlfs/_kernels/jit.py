"""Compile once and keep it: njit with a cache that survives an unwritable home."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core.runtime import rtsys

__all__ = ["compiled", "inner", "spliced"]

KNOWN = ((0, 68),)
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
    """Load kernels in a quarter of the time, and let a full disk keep nobody from computing.

    Before it loads a kernel Numba prepares itself to compile, for which it imports
    `scipy.linalg` and much else. A kernel that calls no BLAS needs of this only the runtime;
    to compile one, Numba prepares itself all the same. So it is in the versions in `KNOWN`.
    """
    if cache is None:
        return
    slow, save = cache.load_overload, cache.save_overload
    load = cache._load_overload  # noqa: SLF001  # what the public one calls when prepared
    quick = numba.version_info.short in KNOWN

    def load_overload(signature: Any, context: Any) -> Any:
        with contextlib.suppress(OSError):
            if not quick:
                return slow(signature, context)
            rtsys.initialize(context)
            return load(signature, context)
        return None

    def save_overload(signature: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            save(signature, data)

    cache.load_overload, cache.save_overload = load_overload, save_overload
