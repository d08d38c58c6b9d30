"""Write files so that they appear whole or not at all.

The bytes go to a file beside the target, ``.mlfs-*.part``, which takes its place at the end. A
process that is killed may leave such a file, and never half a target.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from mlfs.data.files import strip_compression
from mlfs.errors import UsageError, printable, setting

PREFIX, SUFFIX = ".mlfs-", ".part"


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
    """Write several files, all of them to the end before the first takes its place."""
    targets: dict[str, _Target] = {}
    with contextlib.ExitStack() as stack:
        for path in paths:
            stack.enter_context(_name_file(path))
            targets[path] = stack.enter_context(_open_target(path, force))
        yield [target.stream for target in targets.values()]
        for path, target in targets.items():
            with _name_file(path):
                target.finish()
        for path, target in targets.items():
            with _name_file(path):
                target.take_place()


@contextlib.contextmanager
def _name_file(path: str) -> Iterator[None]:
    """Name the file in an error that does not, such as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None and path != "-":
            error.filename = path
        raise


class _Target(NamedTuple):
    """A stream, what brings its bytes to the disk, and what lets the file take its place."""

    stream: BinaryIO
    finish: Callable[[], object]
    take_place: Callable[[], object] = tuple


@contextlib.contextmanager
def _open_target(path: str, force: bool) -> Iterator[_Target]:
    """Standard output, a device, or a file beside the one that it will replace."""
    if path == "-":
        sys.stdout.flush()
        yield _Target(sys.stdout.buffer, sys.stdout.buffer.flush)
        return
    shown, mode = repr(printable(path, 400)), _mode(path)
    if mode is not None and stat.S_ISDIR(mode):
        raise UsageError(f"cannot write {shown}: it is a folder")
    if mode is not None and not stat.S_ISREG(mode):
        # by its own name: /dev/stdout may lead to a pipe, which has none
        with Path(path).open("wb") as device, _compressor(device, path) as stream:
            yield _Target(stream, stream.flush)
        return
    _refuse_present(path, force)
    with _write_beside(path, force) as target:
        yield target


def _refuse_present(path: str, force: bool) -> None:
    if not force and _mode(path) is not None:
        shown = repr(printable(path, 400))
        raise UsageError(f"{shown} is there already; say {setting('force', True)} to replace it")


@contextlib.contextmanager
def _write_beside(path: str, force: bool) -> Iterator[_Target]:
    """A stream into a file beside the target, which is removed if it does not take its place."""
    target, mode = os.path.realpath(path), _mode(path)
    try:
        handle, temporary = tempfile.mkstemp(SUFFIX, PREFIX, Path(target).parent)
    except OSError as error:
        raise UsageError(f"cannot write {printable(path, 400)!r}: {error.strerror}") from None
    raw = os.fdopen(handle, "wb")
    stream: BinaryIO = _compressor(raw, path)

    def finish() -> None:
        if stream is not raw:
            stream.close()
        raw.flush()
        os.fsync(raw.fileno())
        raw.close()
        Path(temporary).chmod(0o666 & ~_umask() if mode is None else stat.S_IMODE(mode))

    def take_place() -> None:
        _refuse_present(path, force)
        Path(temporary).replace(target)

    try:
        yield _Target(stream, finish, take_place)
    finally:
        for open_file in (stream, raw):
            with contextlib.suppress(OSError, ValueError):
                open_file.close()
        Path(temporary).unlink(missing_ok=True)


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
