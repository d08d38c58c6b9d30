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
    "catch_signals",
    "end_at_once_from_now_on",
    "postpone_garbage_collection",
    "skip_check_of_scipy",
]

DELICATE = ("numba.", "llvmlite.", "importlib.", "_frozen_importlib", "weakref", "_weakrefset")
BESIDE = ("mlfs.data.whole_files", "_write_beside")
LATER = 0.02  # seconds after which a signal that has to wait is looked at again
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


def catch_signals() -> None:
    """Let SIGTERM, and the end of the terminal, end the command as an exception does, like Ctrl-C.

    So what is unfinished is removed, and worker processes are ended. A signal that is ignored
    (under nohup) stays so. None of them is raised where an exception would be lost or do harm:
    in an import, while numba compiles, where an object or a weak reference is deleted, and where an
    unfinished file is made or removed; it waits until that is over.
    """

    def leave(number: int, frame: Any) -> None:
        if hasattr(signal, "setitimer") and _is_delicate(frame):
            signal.signal(signal.SIGALRM, lambda _, later: leave(number, later))
            signal.setitimer(signal.ITIMER_REAL, LATER)
        elif number == signal.SIGINT:
            raise KeyboardInterrupt
        else:
            signal.signal(number, signal.SIG_IGN)  # leaving takes a moment; once is enough
            raise SystemExit(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, leave)


def _is_delicate(frame: Any) -> bool:
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        name = frame.f_code.co_name
        if module.startswith(DELICATE) or name == "__del__" or (module, name) == BESIDE:
            return True
        frame = frame.f_back
    return False


def end_at_once_from_now_on() -> None:
    """Let signals end the process without a word: all is done, and Python would print a traceback.

    Its way out takes a moment, in which Ctrl-C would be an exception that nobody catches. A signal
    that still waits is forgotten: what it was to end has ended.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def skip_check_of_scipy() -> None:
    """Import numba's functions of arrays without its check that scipy.linalg is there: 50 ms.

    numba repeats the check before it uses linear algebra, which no kernel does.
    """
    with suppress(ImportError, AttributeError, ValueError):
        linalg: Any = importlib.import_module("numba.np.linalg")
        check = linalg.ensure_blas
        linalg.ensure_blas = lambda: None
        try:
            importlib.import_module("numba.np.arraymath")
        finally:
            linalg.ensure_blas = check
