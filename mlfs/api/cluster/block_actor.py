"""What runs on a worker: it makes a block of rows, and answers questions about it."""

from __future__ import annotations

from typing import Any

from mlfs.counting.remote.holder import Holder, UnknownThing
from mlfs.errors import MlfsError

__all__ = ["BlockActor", "versions"]


class BlockActor:
    """An actor that holds a block of rows."""

    def __init__(self) -> None:
        self._holder: Holder | None = None

    def fill(self, piece: Any) -> tuple[str, Any]:
        """Make the block of a piece; "done", or "refused" with the reason."""
        try:
            self._holder = Holder(piece.block())
        except MlfsError as error:
            return "refused", str(error)
        return "done", None

    def keep(self, token: str, thing: Any) -> tuple[str, Any]:
        """Keep something that questions will name by its token."""
        assert self._holder is not None
        self._holder.keep(token, thing)
        return "done", None

    def answer(self, question: str, args: tuple[Any, ...]) -> tuple[str, Any]:
        """The answer to a question as "done", or "unknown" with the token of what it lacks."""
        assert self._holder is not None
        try:
            return "done", self._holder.answer(question, args)
        except UnknownThing as unknown:
            return "unknown", str(unknown)

    def end(self) -> tuple[str, Any]:
        """Let the block go."""
        self._holder = None
        return "done", None


def versions() -> dict[str, str]:
    """The versions that must be the same everywhere."""
    import platform

    import numpy as np

    import mlfs

    python = ".".join(platform.python_version_tuple()[:2])
    return {"mlfs": mlfs.__version__, "numpy": np.__version__, "Python": python}
