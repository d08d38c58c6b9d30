"""What makes the start of the command quick; the library itself changes nothing around it."""

from __future__ import annotations

import atexit
import gc
import importlib
from contextlib import suppress
from typing import Any

__all__ = ["PATIENCE", "postpone_garbage_collection", "skip_check_of_scipy"]

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
