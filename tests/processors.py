"""Runs tests as on a processor of fewer instructions: other loops, and sums in another order."""

from __future__ import annotations

import numpy as np

__all__ = ["fewer_instructions"]


def fewer_instructions() -> dict[str, str]:
    """Return the environment in which libraries choose the loops of an old processor.

    NumPy, OpenBLAS and the GNU C library have a variable each; a library without it is as before.
    """
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(found),
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
    }
