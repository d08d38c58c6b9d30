"""The cluster that a user means, and the interface of one."""

from __future__ import annotations

from typing import Any

from mlfs.api.counted import threads_of
from mlfs.counting.memory import bytes_of
from mlfs.errors import MissingExtra, UsageError, printable

__all__ = ["Cluster", "cluster_of", "local_workers"]

FOR_EACH = 4  # workers for each processor
WORKER = 128 << 20  # the memory of a worker without data, beside what all share


class Cluster:
    """Where blocks of rows can be held."""

    @property
    def n_blocks(self) -> int:
        """Into how many blocks rows are divided."""
        raise NotImplementedError

    def session(self, n_blocks: int, chunks: list[Any] | None = None) -> Any:
        """Start an actor for each block of rows: a `Session` of `mlfs.counting.remote`.

        Parameters
        ----------
        n_blocks : int
            How many blocks there are.
        chunks : list of list, optional
            For each block the futures of what it is made of.
        """
        raise NotImplementedError

    def workers(self) -> Any:
        """The workers, for actors of other kinds: `DaskWorkers`."""
        raise NotImplementedError

    def compute(self, collection: Any) -> Any:
        """What a collection of dask is, here."""
        raise NotImplementedError

    def chunks(self, table: Any) -> list[Any]:
        """The rows of a collection of dask in chunks, as futures."""
        raise NotImplementedError

    def rows_of(self, chunks: list[Any]) -> list[int]:
        """How many rows each chunk has."""
        raise NotImplementedError

    def close(self) -> None:
        """Release what was started or open_cluster for this."""


def cluster_of(value: Any) -> Cluster:
    """The cluster that a value of the option stands for.

    Parameters
    ----------
    value : str, distributed.Client or Cluster
        The address of a scheduler, such as ``tcp://host:8786``; ``local`` or ``local:4`` for one
        on this machine, which ends with the selection; or a client.
    """
    if isinstance(value, Cluster):
        return value
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise MissingExtra("a cluster", "distributed", "cluster") from None
    from mlfs.api.cluster.dask_cluster import open_cluster

    return open_cluster(value)


def local_workers(address: str) -> int | None:
    """How many workers an address wants on this machine; None for the address of a scheduler.

    Examples
    --------
    >>> local_workers("local:3"), local_workers("tcp://host:8786")
    (3, None)
    """
    name, _, number = address.partition(":")
    if name != "local":
        return None
    if not number:
        return 2
    most = _most_workers()
    if number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= most:
        return int(number)
    msg = (
        f"is {printable(address)!r}, but local takes a number of workers from 1 to {most} on this "
        f"machine: {FOR_EACH} for each processor at most, and {WORKER >> 20} MB for each worker"
    )
    raise UsageError(msg, option="cluster")


def _most_workers() -> int:
    """More workers than this only wait for each other, or for memory."""
    return max(2, min(FOR_EACH * threads_of(-1), 2 * bytes_of(None) // WORKER))
