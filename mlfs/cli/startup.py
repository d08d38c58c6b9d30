"""What makes the start of the command quick; the library itself changes nothing around it."""

from __future__ import annotations

import atexit
import gc
import importlib
import signal
from contextlib import suppress
from typing import Any

__all__ = [
    "PATIENCE",
    "end_at_once_from_now_on",
    "leave_on_sigterm",
    "postpone_garbage_collection",
    "skip_check_of_scipy",
]

PATIENCE = 400_000  # objects: more than all that is imported, and little memory


def postpone_garbage_collection() -> None:
    """Collect no garbage among what is imported, nor at exit: that is a fifth of the start.

    After the first collection, which a long run reaches, the thresholds are as before.
    """
    thresholds = gc.get_threshold()

    def as_before(phase: str, _: Any) -> None:
        if phase == "stop":
            gc.set_threshold(*thresholds)
            gc.callbacks.remove(as_before)

    if 0 < thresholds[0] < PATIENCE:
        gc.callbacks.append(as_before)
        gc.set_threshold(PATIENCE, *thresholds[1:])
    atexit.register(gc.freeze)


def leave_on_sigterm() -> None:
    """Let SIGTERM, and the end of the terminal, end the command as an exception does.

    So what is unfinished is removed, and worker processes are ended. A signal that is ignored
    (under nohup) stays so.
    """

    def leave(number: int, _: Any) -> None:
        signal.signal(number, signal.SIG_IGN)  # leaving takes a moment; once is enough
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, leave)


def end_at_once_from_now_on() -> None:
    """Let signals end the process without a word: all is done, and Python would print a traceback.

    Its way out takes a moment, in which Ctrl-C would be an exception that nobody catches.
    """
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def skip_check_of_scipy() -> None:
    """Import numba's functions of arrays without its check that scipy.linalg is there: 50 ms.

    numba repeats the check before it uses linear algebra, which no kernel does.
    """
    with suppress(ImportError, AttributeError):
        linalg: Any = importlib.import_module("numba.np.linalg")
        check = linalg.ensure_blas
        linalg.ensure_blas = lambda: None
        try:
            importlib.import_module("numba.np.arraymath")
        finally:
            linalg.ensure_blas = check
