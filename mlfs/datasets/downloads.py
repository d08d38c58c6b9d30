"""One file from the network: checked against its digest, continued where it was cut off."""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mlfs.datasets.listing import File
from mlfs.errors import DataError, MissingExtra, printable

Progress = Callable[[str, int, int], None]  # the file, the bytes so far, all bytes
CHUNK = 1 << 16
PATIENCE = (10, 60)  # seconds for a connection, and between two pieces


def is_whole(path: Path, file: File) -> bool:
    """Whether a file is there with the content that it must have."""
    try:
        if path.stat().st_size != file.size:
            return False
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256
    except OSError:
        return False


def download_file(file: File, folder: Path, progress: Progress | None = None) -> Path:
    """Download a file into a folder; what arrives is kept only if it has the right digest.

    Copies with the same content are tried in turn. What was cut off is continued the next time.
    """
    try:
        import pooch
    except ImportError:
        raise MissingExtra("downloading a data set", "pooch", "datasets") from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(_unwritable(folder, error)) from None
    faults = []
    for url in file.urls:
        transfer = _Transfer(file, folder / f"{file.name}.part", progress)
        try:
            with _quiet(pooch):
                pooch.retrieve(url, f"sha256:{file.sha256}", file.name, folder, downloader=transfer)
        except ValueError:  # of pooch: another digest
            faults.append(
                f"{url} has other content than it should (SHA-256 {transfer.digest[:12]}..., "
                f"expected {file.sha256[:12]}...)"
            )
        except OSError as error:  # and of requests, whose errors are of this class
            if transfer.write_failed:
                raise DataError(_unwritable(folder, error)) from None
            faults.append(f"{url} {_reason(error, transfer)}")
        else:
            return folder / file.name
    raise DataError("; ".join(faults))


class _Transfer:
    """The downloader for pooch: appends to a file that stays when it is cut off."""

    def __init__(self, file: File, part: Path, progress: Progress | None) -> None:
        self.file, self.part, self.progress = file, part, progress
        self.digest = ""
        self.at = 0  # bytes that have arrived
        self.write_failed = False  # whether writing failed, and not the network

    def __call__(self, url: str, output_file: str, _: Any) -> None:
        import requests

        start = self.part.stat().st_size if self.part.is_file() else 0
        start = start if start < self.file.size else 0
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
        with requests.get(url, headers=headers, stream=True, timeout=PATIENCE) as response:
            response.raise_for_status()
            self.at = start if response.status_code == requests.codes.partial_content else 0
            self._append(response.iter_content(CHUNK))
        if self.at < self.file.size:
            raise requests.ConnectionError
        with self.part.open("rb") as stream:
            self.digest = hashlib.file_digest(stream, "sha256").hexdigest()
        self.part.replace(output_file)

    def _append(self, pieces: Iterator[bytes]) -> None:
        """Append the pieces to the bytes that are here already."""
        with self._writing():
            stream = self.part.open("r+b" if self.at else "wb")
        with stream:
            stream.seek(self.at)
            stream.truncate()
            for piece in pieces:
                with self._writing():
                    stream.write(piece)
                self.at += len(piece)
                if self.progress is not None:
                    self.progress(self.file.name, min(self.at, self.file.size), self.file.size)
                if self.at > self.file.size:  # not our file, and perhaps without end
                    break

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self.write_failed = True
            raise


def _reason(error: OSError, transfer: _Transfer) -> str:
    """The fault of an address, after its name."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"answered {response.status_code} {printable(response.reason)}"
    if transfer.at:
        return (
            f"was cut off after {transfer.at:,} of {transfer.file.size:,} bytes: the same command "
            "goes on from there"
        )
    kind = type(error).__name__.removesuffix("Error")
    if "Timeout" in kind:
        return "did not answer in time"
    return f"cannot be reached ({kind}): downloading needs a network"


def _unwritable(folder: Path, error: OSError) -> str:
    return (
        f"cannot write to {printable(folder, 400)!r}: {error.strerror or error}; "
        "MLFS_DATA names another folder"
    )


@contextlib.contextmanager
def _quiet(pooch: Any) -> Iterator[None]:
    """Silence the message of pooch about each file; the progress bar shows the file."""
    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(level)
