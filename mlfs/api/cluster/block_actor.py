"""What runs on a worker: it makes a block of rows, and answers questions about it."""

from __future__ import annotations

import pickle
import platform
from typing import Any

from mlfs.api.cluster.part_reader import PartReader
from mlfs.counting.remote.holder import UnknownToken
from mlfs.errors import ClusterError, DataError, MlfsError, printable

__all__ = ["BlockActor", "unpack_answer", "versions"]


class BlockActor:
    """An actor that holds a block of rows.

    Parameters
    ----------
    *chunks
        What it is made of, where that is computed on the cluster.
    """

    def __init__(self, *chunks: Any) -> None:
        self._holder: Any = None
        self._reader = PartReader(chunks)
        self._searcher: Any = None

    def read(self, method: str, *args: Any) -> tuple[str, Any]:
        """What a method of `PartReader` returns."""
        try:
            return "done", getattr(self._reader, method)(*args)
        except (MlfsError, MemoryError) as error:
            return _refusal(error)

    def fill(self, piece: Any) -> tuple[str, Any]:
        """Make the block of a piece; "done", or "refused" with the reason."""
        if piece is not None:
            try:
                self._holder = piece.holder(self._reader)
            except (MlfsError, MemoryError) as error:
                return _refusal(error)
        return "done", None

    def keep(self, token: str, value: Any) -> tuple[str, Any]:
        """Keep something that questions will name by its token."""
        assert self._holder is not None
        self._holder.keep(token, value)
        return "done", None

    def answer(self, question: str, args: tuple[Any, ...]) -> tuple[str, Any]:
        """The answer to a question as "done", or "unknown" with the token of what it lacks."""
        assert self._holder is not None
        try:
            return "done", self._holder.answer(question, args)
        except UnknownToken as unknown:
            return "unknown", str(unknown)
        except MemoryError as error:
            return _refusal(error)

    def answer_packed(self, question: bytes) -> bytes:
        """The answer, pickled: one message without the parts that dask takes apart is faster."""
        return pickle.dumps(self.answer(*pickle.loads(question)), 5)  # noqa: S301 -- from our client

    def prepare(self, *setup: Any) -> tuple[str, Any]:
        """Get ready to search label by label; see `LabelSearcher`."""
        from mlfs.api.cluster.label_searches import LabelSearcher

        try:
            self._searcher = LabelSearcher(*setup)
        except (MlfsError, MemoryError) as error:
            return _refusal(error)
        return "done", None

    def search(self, *job: Any) -> tuple[str, Any]:
        """What is found for a label."""
        try:
            return "done", self._searcher.search(*job)
        except MemoryError as error:
            return _refusal(error)
        except Exception as error:  # noqa: BLE001 -- raised where the search was started
            return "raised", error

    async def stop(self) -> None:
        """Let a search end with the picks that it has."""
        if self._searcher is not None:
            self._searcher.stop()

    def end(self) -> tuple[str, Any]:
        """Let the block go."""
        self._holder, self._reader, self._searcher = None, PartReader(()), None
        return "done", None


def _refusal(error: MlfsError | MemoryError) -> tuple[str, str]:
    """What an actor answers that cannot do what it should: "refused", or "full"."""
    if isinstance(error, MlfsError):
        return "refused", str(error)
    return "full", f"{platform.node()} has too little memory for its rows"


def unpack_answer(answer: tuple[str, Any]) -> Any:
    """What an actor returned, or an error with its reason."""
    status, content = answer
    if status == "refused":
        raise DataError(content)
    if status == "full":
        msg = f"a worker on {printable(content)}: more workers would hold fewer each"
        raise ClusterError(msg)
    if status == "raised":
        raise content
    return content


def versions() -> dict[str, str]:
    """The versions that must be the same everywhere."""
    import numpy as np

    import mlfs

    python = ".".join(platform.python_version_tuple()[:2])
    return {"mlfs": mlfs.__version__, "numpy": np.__version__, "Python": python}
