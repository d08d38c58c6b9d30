"""Files of compiled code: whole or not used, one for each kernel and its types, private to a user.

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
from pathlib import Path
from typing import Any

import numba
from numba.core.serialize import dumps

__all__ = ["KeptCode"]

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
        stamp, own, data = pickle.loads(content[DIGEST:])  # noqa: S301  # see above
        return data if stamp == self.stamp and own == key else None

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
    found = folder.lstat()
    if not POSIX or (_own(found) and stat.S_ISDIR(found.st_mode)):
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


def _own(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & OTHERS


def _private_bytes(path: Path) -> bytes | None:
    """The content of a file that only the user can have written; None if there is none."""
    try:
        if not _is_private(path.parent):
            return None
        handle = os.open(
            path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
    except OSError:
        return None
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(handle)
        good = stat.S_ISREG(found.st_mode) and (not POSIX or _own(found))
        return stream.read() if good else None


def _sweep(folder: Path) -> None:
    """Remove what processes that were ended have left unfinished."""
    for path in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > LEFT_BEHIND:
                path.unlink()
