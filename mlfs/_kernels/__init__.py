"""The compiled code, and nothing else: reading numbers, packing columns, counting, summing."""

from __future__ import annotations

__all__: list[str] = []
