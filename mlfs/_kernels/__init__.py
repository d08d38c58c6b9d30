"""The compiled code, and nothing else: reading numbers, packing columns, counting, summing."""

from __future__ import annotations

__all__: list[str] = []

try:
    import numba  # noqa: F401
except ValueError as error:  # such as NUMBA_NUM_THREADS=0
    msg = f"numba does not start: {error} Look at the environment variables named NUMBA_..."
    raise ImportError(msg) from error
