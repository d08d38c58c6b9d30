"""Where the worker processes of a comparison run: each is started, sent messages, and ended."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from typing import Protocol

from mlfs.compare.worker import read, write

__all__ = ["LocalProcess", "Place", "ThisMachine", "WorkerLost", "WorkerProcess"]

# libraries whose order of summation depends on the number of threads
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "BLIS_NUM_THREADS",
    ),
    "1",
)
ENDING = 10.0  # seconds


class WorkerLost(Exception):
    """The machine on which a process ran is lost; what it did can be done elsewhere."""


class WorkerProcess(Protocol):
    """A worker process, wherever it runs."""

    def send(self, content: bytes) -> None:
        """Send a message; OSError where the process has ended."""

    def receive(self) -> bytes:
        """The next message; EOFError or OSError where the process has ended."""

    def end(self) -> int | None:
        """Let it end, by force after a while; its code."""

    def kill(self) -> None:
        """End it by force."""


class Place(Protocol):
    """Where worker processes run."""

    size: int  # how many at a time

    def start(self) -> WorkerProcess:
        """Start a process."""

    def report(self) -> str:
        """What a user may want to know of the place; empty for nothing."""

    def close(self) -> None:
        """Release what was taken for this."""


class LocalProcess:
    """A worker process on this machine."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mlfs.compare.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(sys.path)},
            bufsize=-1,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def send(self, content: bytes) -> None:
        """Send a message; OSError where the process has ended."""
        write(self._input, content)

    def receive(self) -> bytes:
        """The next message; EOFError or OSError where the process has ended."""
        return read(self._output)

    def end(self) -> int | None:
        """Let it end, by force after a while; its code."""
        for stream in (self._input, self._output):
            with contextlib.suppress(OSError):
                stream.close()
        try:
            return self._process.wait(timeout=ENDING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def kill(self) -> None:
        """End it by force."""
        self._process.kill()


class ThisMachine:
    """Processes on this machine.

    Parameters
    ----------
    size : int
        How many at a time.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._lock = threading.Lock()

    def start(self) -> WorkerProcess:
        """Start a process."""
        with self._lock:
            return LocalProcess()

    def report(self) -> str:
        """Empty: there is nothing to say of this machine."""
        return ""

    def close(self) -> None:
        """Do nothing: nothing was taken."""
