"""Compile once and keep it: njit with a cache that survives an unwritable home.

numba keeps compiled code as pickles, which can run any code when they are loaded. So a file is
loaded only if it belongs to the user, nobody else can write to it, and its bytes agree with their
digest (numba itself checks nothing, and damaged machine code runs). The digest is no signature.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import stat
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps

__all__ = ["KeptCode", "compiled", "inner", "reassociating", "specialized", "spliced", "wrapping"]

FOLDER = "mlfs-private"
OTHERS = stat.S_IWGRP | stat.S_IWOTH
DIGEST = hashlib.sha256().digest_size
FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
LEFT_BEHIND = 3600  # seconds after which an unfinished file is nobody's
POSIX = os.name == "posix"
_noted: set[str] = set()


class KeptCode:
    """The compiled versions of one kernel; takes the place of numba's own class.

    Two processes never write to one file: its name has the digest of the types for which it was
    compiled, which numba numbers instead.

    Parameters
    ----------
    where : str
        The folder that numba chose, in which a private one is made.
    name : str
        The start of the names of the files.
    stamp : object
        What tells one version of the source from another.
    """

    def __init__(self, where: str, name: str, stamp: Any) -> None:
        self.folder = Path(where) / FOLDER
        self.name = name
        self.stamp = numba.__version__, stamp

    def load(self, key: Any) -> Any:
        """The compiled code for a key; None if there is none that can be trusted."""
        content = _private_bytes(self._path(key))
        if content is None or hashlib.sha256(content[DIGEST:]).digest() != content[:DIGEST]:
            return None
        stamp, kept_key, data = pickle.loads(content[DIGEST:])  # noqa: S301  # see above
        return data if stamp == self.stamp and kept_key == key else None

    def save(self, key: Any, data: Any) -> None:
        """Keep the compiled code for a key, whole or not at all."""
        with contextlib.suppress(FileExistsError):
            self.folder.mkdir(mode=0o700)
        if not _is_private(self.folder):
            return
        content = dumps((self.stamp, key, data))  # type: ignore[no-untyped-call]
        handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=self.folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(content).digest() + content)
            Path(temporary).replace(self._path(key))
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
        _sweep(self.folder)

    def flush(self) -> None:
        """Forget what is kept of this kernel."""
        for path in self.folder.glob(f"{self.name}.*.nbc"):
            path.unlink(missing_ok=True)

    def _path(self, key: Any) -> Path:
        types = hashlib.sha256(repr(key).encode()).hexdigest()[:24]
        return self.folder / f"{self.name}.{types}.nbc"


def _is_private(folder: Path) -> bool:
    """Whether a folder is the user's own and nobody else can write to it; say so if not."""
    status = folder.lstat()
    if not POSIX or (_is_own(status) and stat.S_ISDIR(status.st_mode)):
        return True
    shown = str(folder)
    if shown not in _noted:
        _noted.add(shown)
        warnings.warn(
            f"compiled code is not kept, because others can write to the folder {shown!r}: remove "
            "it, or set NUMBA_CACHE_DIR to a folder of your own",
            stacklevel=2,
        )
    return False


def _is_own(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & OTHERS


def _private_bytes(path: Path) -> bytes | None:
    """The content of a file that only the user can have written; None if there is none."""
    try:
        if not _is_private(path.parent):
            return None
        handle = os.open(path, FLAGS)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(handle)
        good = stat.S_ISREG(status.st_mode) and (not POSIX or _is_own(status))
        return stream.read() if good else None


def _sweep(folder: Path) -> None:
    """Remove what processes that were ended have left unfinished."""
    for path in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > LEFT_BEHIND:
                path.unlink()


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
