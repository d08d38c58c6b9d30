"""Compile a kernel once and keep it: numba's njit with its cache, where one can be written.

numba keeps compiled code beside the source, in the user's cache folder, or in NUMBA_CACHE_DIR.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import sys
import uuid
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config

Function = TypeVar("Function", bound=Callable[..., Any])
MAKING = {"empty", "zeros", "full", "ones", "arange", "array", "copy", "ravel", "astype"}
PROCESS = uuid.uuid4().hex[:12]


def compiled(function: Function) -> Function:
    """Compile a kernel: the lock released, cached where a cache can be written.

    Where there is no such place, numba refuses to cache; the kernel is then compiled anew in each
    process.
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
    file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if file is not None and hasattr(file, "_data_name"):
        _make_safe(file)
    return kernel


def _make_safe(file: Any) -> None:
    """Let a full disk, a damaged cache and other processes do no harm to a kernel.

    numba ends in an error where it cannot read what an earlier version of mlfs, whose types had
    other names, has left; such a kernel is compiled again. numba numbers the files of a kernel, and
    two processes that compile it at the same time for other types would exchange their code: so the
    name of a file says which process wrote it.
    """
    numbered, index = file._data_name, file._load_index  # noqa: SLF001  # there is no public way
    load, save = file.load, file.save

    def known_files() -> Any:
        try:
            return index()
        except Exception:  # noqa: BLE001  # whatever pickle says
            return {}

    def load_if_possible(key: Any) -> Any:
        found = None
        with contextlib.suppress(Exception):
            found = load(key)
        if found is None:
            say_that_it_takes_seconds()
        return found

    def save_if_possible(key: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            save(key, data)

    file._data_name = lambda number: f"{PROCESS}-{numbered(number)}"  # noqa: SLF001
    file._load_index = known_files  # noqa: SLF001
    file.load, file.save = load_if_possible, save_if_possible


@functools.cache
def say_that_it_takes_seconds() -> None:
    """Log once that kernels are compiled, in a notebook where everybody sees it."""
    level = logging.WARNING if "ipykernel" in sys.modules else logging.INFO
    sentence = "mlfs compiles its kernels at first use, for some seconds; mlfs warm does so before"
    logging.getLogger("mlfs").log(level, sentence)


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
