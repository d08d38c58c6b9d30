"""Write files so that they appear whole or not at all, alone or several together.

The bytes go to a file beside the target, ``.mlfs-*.part``, which takes its place at the end. Its
process holds a lock on it, so that the next process that writes to the folder can tell what a dead
process left behind, and removes it.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from mlfs.data.files import strip_compression
from mlfs.errors import UsageError, printable, setting

__all__ = ["remove_unfinished", "replacing", "replacing_together"]

PREFIX, SUFFIX = ".mlfs-", ".part"
_swept: set[str] = set()


@contextlib.contextmanager
def replacing(path: str, force: bool = False) -> Iterator[BinaryIO]:
    """Write a file so that it appears whole or not at all; ``-`` is standard output.

    The stream compresses by the suffix of `path`. The bytes go to a file beside it, which takes
    its place when the block ends without an exception.

    Parameters
    ----------
    path : str
        Where the file shall stand.
    force : bool
        Whether a file that is there may be replaced.

    Examples
    --------
    >>> with replacing("/dev/null") as stream:
    ...     _ = stream.write(b"x")
    """
    with replacing_together([path], force) as streams:
        yield streams[0]


@contextlib.contextmanager
def replacing_together(paths: Sequence[str], force: bool = False) -> Iterator[list[BinaryIO]]:
    """Write several files so that all of them appear whole, or none does.

    All are written to the end before the first takes its place; if one then cannot, the others
    are put back as they were.
    """
    unfinished: list[_Unfinished] = []
    with contextlib.ExitStack() as stack:
        streams: list[BinaryIO] = []
        for path in paths:
            stack.enter_context(_name_file(path))
            target = stack.enter_context(_open_target(path, force))
            if isinstance(target, _Unfinished):
                unfinished.append(target)
            streams.append(target.stream if isinstance(target, _Unfinished) else target)
        yield streams
        for file in unfinished:
            with _name_file(file.path):
                file.finish()
        _replace_targets(unfinished)


@contextlib.contextmanager
def _name_file(path: str) -> Iterator[None]:
    """Name the file in an error that does not, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and path != "-":
            error.filename = path
        raise


@contextlib.contextmanager
def _open_target(path: str, force: bool) -> Iterator[Any]:
    """Standard output, a device, or a file beside the one that it will replace."""
    if path == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    shown = repr(printable(path, 400))
    mode = _mode(path)
    if mode is not None and stat.S_ISDIR(mode):
        raise UsageError(f"cannot write {shown}: it is a folder")
    if mode is not None and not stat.S_ISREG(mode):
        # by its own name: /dev/stdout may lead to a pipe, which has none
        with Path(path).open("wb") as device, _compressor(device, path) as stream:
            yield stream
        return
    if mode is not None and not force:
        raise UsageError(f"{shown} is there already; say {setting('force', True)} to replace it")
    with _write_beside(path, mode, force) as file:
        yield file


@contextlib.contextmanager
def _write_beside(path: str, mode: int | None, force: bool) -> Iterator[_Unfinished]:
    """An unfinished file, which is removed at the end.

    The command lets no signal end it in here: the file would be left. `mlfs.cli.startup` knows
    this function by its name.
    """
    file = _Unfinished(path, mode, force)
    try:
        yield file
    finally:
        file.close()


class _Unfinished:
    """A file that is being written beside the one whose place it will take.

    Parameters
    ----------
    path : str
        The file as the user named it.
    mode : int or None
        The mode of the file that it replaces; None if there is none.
    force : bool
        Whether a file that is there may be replaced.
    """

    def __init__(self, path: str, mode: int | None, force: bool) -> None:
        self.path, self.mode, self.force = path, mode, force
        self.target = os.path.realpath(path)
        folder = str(Path(self.target).parent)
        if folder not in _swept:
            _swept.add(folder)
            remove_unfinished(folder)
        try:
            self.lock, self.temporary = _create_locked(folder)
        except OSError as error:
            msg = f"cannot write {printable(path, 400)!r}: {error.strerror}"
            raise UsageError(msg) from None
        self.backup = ""
        self.raw = os.fdopen(os.dup(self.lock), "wb")
        self.stream: BinaryIO = _compressor(self.raw, path)

    def finish(self) -> None:
        """Bring all bytes to the disk."""
        if self.stream is not self.raw:
            self.stream.close()
        self.raw.flush()
        os.fsync(self.raw.fileno())
        self.raw.close()
        mode = 0o666 & ~_umask() if self.mode is None else stat.S_IMODE(self.mode)
        Path(self.temporary).chmod(mode)

    def back_up(self) -> None:
        """Link the file that is replaced under another name, if the file system can."""
        self.backup = self.temporary.removesuffix(SUFFIX) + "-old" + SUFFIX
        try:
            os.link(self.target, self.backup)
        except OSError:
            self.backup = ""

    def replace_target(self) -> None:
        """Move the file to its target."""
        if not self.force:
            try:
                os.link(self.temporary, self.target)
            except FileExistsError:
                shown = repr(printable(self.path, 400))
                msg = f"{shown} is there already; say {setting('force', True)} to replace it"
                raise UsageError(msg) from None
            except OSError:  # a file system without links: the check at the start has to do
                pass
            else:
                return
        Path(self.temporary).replace(self.target)

    def restore(self) -> None:
        """Restore what was there before."""
        if self.backup:
            Path(self.backup).replace(self.target)
        elif self.mode is None:
            Path(self.target).unlink(missing_ok=True)

    def close(self) -> None:
        """Remove what is left beside the target."""
        with contextlib.suppress(OSError, ValueError):
            self.stream.close()
        with contextlib.suppress(OSError):
            self.raw.close()
        for name in (self.temporary, self.backup):
            if name:
                Path(name).unlink(missing_ok=True)
        os.close(self.lock)


def _replace_targets(files: Sequence[_Unfinished]) -> None:
    """Replace the targets of all files; if one cannot be replaced, or a signal comes, none is."""
    replaced: list[_Unfinished] = []
    try:
        for file in files:
            if len(files) > 1:
                file.back_up()
            replaced.append(file)
            with _name_file(file.path):
                file.replace_target()
    except BaseException as error:
        if isinstance(error, (OSError, UsageError)):
            replaced.pop()  # this one was left as it was
        for file in reversed(replaced):
            file.restore()
        raise


# ---- files that were left by processes that were ended -----------------------------------------


def remove_unfinished(folder: str | os.PathLike[str]) -> None:
    """Remove the unfinished files of processes that are no more."""
    if _flock is None:
        return
    with contextlib.suppress(OSError):
        for path in Path(folder).glob(f"{PREFIX}*{SUFFIX}"):
            with contextlib.suppress(OSError):
                handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    _flock(handle)  # its process is alive if this fails
                    path.unlink()
                finally:
                    os.close(handle)


def _create_locked(folder: str) -> tuple[int, str]:
    """Create a file and lock it, so that no other process removes it as one that was left."""
    while True:
        handle, name = tempfile.mkstemp(prefix=PREFIX, suffix=SUFFIX, dir=folder)
        try:
            if _flock is not None:
                _flock(handle)
            if os.path.samestat(os.fstat(handle), Path(name).stat()):
                return handle, name
        except BlockingIOError:
            pass  # another process was just about to remove it
        except FileNotFoundError:
            pass
        except OSError:  # a file system without locks
            return handle, name
        os.close(handle)


def _flock_of_system() -> Any:
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        return None
    return lambda handle: fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


_flock = _flock_of_system()


def _mode(path: str) -> int | None:
    try:
        return Path(path).stat().st_mode
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot write {printable(path, 400)!r}: {error}") from None


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _compressor(raw: BinaryIO, path: str) -> Any:
    """A stream that compresses into `raw` by the suffix of `path`; `raw` itself without one."""
    compression = strip_compression(path)[1]
    if not compression:
        return raw
    if compression == ".gz":
        import gzip

        return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6)
    if compression == ".bz2":
        import bz2

        return bz2.BZ2File(raw, "wb")
    import lzma

    return lzma.LZMAFile(raw, "wb")
