"""Compile once and keep it: njit with a cache that survives an unwritable home."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock

from mlfs._kernels.kept import KeptCode

__all__ = ["compiled", "inner", "reassociating", "specialized", "spliced", "wrapping"]

Function = TypeVar("Function", bound=Callable[..., Any])
MAKING = {"empty", "zeros", "full", "ones", "arange", "array", "copy", "ravel", "astype"}

# A process that forks while another thread compiles would have a child that waits for that thread
# for ever; so the fork waits until it has compiled.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=global_compiler_lock.acquire,
        after_in_parent=global_compiler_lock.release,
        after_in_child=global_compiler_lock.release,
    )


def compiled(function: Function) -> Function:
    """Compile a kernel: the lock released, cached where a cache can be written.

    Numba looks for a writable place beside the source and then in the user's cache folder; in it
    `KeptCode` makes a folder that is private to the user.
    Where there is none, it refuses to cache; the kernel is then compiled anew in each process.
    """
    return cast(Function, _kept(function))


def specialized(function: Function) -> Function:
    """Compile a kernel like `compiled`, with branches on None decided when it is compiled.

    An argument that may be None keeps its type in all calls, and the other branch is left out.
    """
    return cast(Function, _kept(function, no_rewrites=False))


def reassociating(function: Function) -> Function:
    """Compile a kernel like `compiled`, with sums in any order, so that they become vectors.

    It is for sums that are exact, whose order cannot change a bit.
    """
    return cast(Function, _kept(function, fastmath={"reassoc", "contract", "nsz"}))


def inner(function: Function) -> Function:
    """Compile a function that only kernels call; it becomes a part of them."""
    return cast(Function, _made(function, no_cpython_wrapper=True))


def spliced(function: Function) -> Function:
    """Compile a function that is copied into each place where a kernel calls it."""
    return cast(Function, numba.njit(nogil=True, inline="always")(function))


def wrapping(kernel: Function) -> Function:
    """Let the sums of a kernel wrap around at 64 bits without a warning.

    A compiled kernel gives no such warning and is returned unchanged.
    """
    plain: bool = config.DISABLE_JIT  # type: ignore[attr-defined]  # numba sets it at run time
    return np.errstate(over="ignore")(kernel) if plain else kernel


def _kept(function: Any, **options: Any) -> Any:
    try:
        kernel = _made(function, cache=True, **options)
    except (RuntimeError, OSError):
        return _made(function, **options)
    _keep_privately(getattr(kernel, "_cache", None))
    return kernel


def _made(function: Any, **options: Any) -> Any:
    """Compile without the parts that are not needed; each is a tenth of the time.

    No kernel is called by its address, none has array expressions that could be fused, and one
    that makes no array needs no reference counts, because the caller holds all arrays.
    """
    njit: Any = numba.njit  # its types do not know all its options
    code = getattr(function, "__code__", None)
    makes = code is None or not MAKING.isdisjoint(code.co_names)
    options = {"no_cfunc_wrapper": True, "no_rewrites": True, "_nrt": makes, **options}
    return njit(nogil=True, **options)(function)


def _keep_privately(cache: Any) -> None:
    """Keep code with `KeptCode`; what cannot be loaded is compiled again, whatever is wrong."""
    load, save = getattr(cache, "load_overload", None), getattr(cache, "save_overload", None)
    file = getattr(cache, "_cache_file", None)
    if not (callable(load) and callable(save)) or file is None:
        return
    impl = cache._impl  # noqa: SLF001  # numba has no public way
    stamp = impl.locator.get_source_stamp()
    cache._cache_file = KeptCode(cache.cache_path, impl.filename_base, stamp)  # noqa: SLF001

    def load_overload(signature: Any, context: Any) -> Any:
        with contextlib.suppress(Exception):
            return load(signature, context)
        return None

    def save_overload(signature: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            save(signature, data)

    cache.load_overload, cache.save_overload = load_overload, save_overload
