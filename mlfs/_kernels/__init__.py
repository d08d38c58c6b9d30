"""The only compiled code: counting rows, finishing counts into informations, tokenizing."""

from __future__ import annotations

__all__: list[str] = []
