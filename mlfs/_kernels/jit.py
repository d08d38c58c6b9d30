"""Compile once and keep it: njit with a cache that survives an unwritable home."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config, event

__all__ = ["compiled", "inner", "spliced", "wrapping"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a kernel: the lock released, cached where a cache can be written.

    Numba looks for a writable place beside the source and then in the user's cache folder.
    Where there is none, it refuses to cache; the kernel is then compiled anew in each process.
    """
    try:
        kernel = _made(function, cache=True)
    except (RuntimeError, OSError):
        return cast(Function, _made(function))
    _ease(getattr(kernel, "_cache", None))
    return cast(Function, kernel)


def inner(function: Function) -> Function:
    """Compile what only kernels call: it becomes part of them, and of what is kept of them."""
    return cast(Function, _made(function, no_cpython_wrapper=True))


def spliced(function: Function) -> Function:
    """Compile into the very place of each call: for what a kernel calls for every value."""
    return cast(Function, numba.njit(nogil=True, inline="always")(function))


def wrapping(kernel: Function) -> Function:
    """Let the sums of a kernel leave 64 bits and come back without a warning.

    Compiled, they do so in silence, and the kernel is handed back as it is.
    """
    plain: bool = config.DISABLE_JIT  # type: ignore[attr-defined]  # numba sets it at run time
    return np.errstate(over="ignore")(kernel) if plain else kernel


def _made(function: Any, **options: bool) -> Any:
    """Leave out the entrances that nobody uses: making them is a tenth of the time.

    No kernel is called by its address, and from Python nothing that only kernels call.
    """
    njit: Any = numba.njit  # its types do not know all its options
    return njit(nogil=True, no_cfunc_wrapper=True, **options)(function)


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


class _Uncollected(event.Listener):
    """Keeps Python from looking for garbage while numba compiles: that is a tenth of the time."""

    def __init__(self) -> None:
        self.depth, self.was_on = 0, False

    def on_start(self, _: Any) -> None:
        """Stop looking, unless nobody looks anyway."""
        if self.depth == 0:
            self.was_on = gc.isenabled()
            gc.disable()
        self.depth += 1

    def on_end(self, _: Any) -> None:
        """Look again as before."""
        self.depth -= 1
        if self.depth == 0 and self.was_on:
            gc.enable()


_register: Any = event.register
_register("numba:compile", _Uncollected())
