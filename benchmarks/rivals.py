"""Run beside the peers: the same arrays, the same process, and a look whether the picks agree."""

from __future__ import annotations

import contextlib
import io
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import clock
from benchmarks.cases import Case
from benchmarks.inputs import Input
from benchmarks.machine import version
from benchmarks.peers import PEERS, Peer
from benchmarks.selecting import answer

__all__ = ["agreement", "compare"]

BY_HAND = "scipy by hand"
LONG = 1.0  # seconds; beyond, one run is enough
DISTRIBUTIONS = {peer.distribution for peer in PEERS if peer.distribution}


def compare(
    data: Input, case: Case, record: dict[str, Any], *, slow: bool = True
) -> list[dict[str, Any]]:
    """One record for each peer that does what the case does; an absent one is named."""
    many = data.Y.ndim == 2
    return [
        _beside(peer, data, case, record)
        for peer in PEERS
        if peer.criterion == case.what and peer.many_labels == many and (slow or not peer.slow)
    ]


def _beside(peer: Peer, data: Input, case: Case, record: dict[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {"peer": peer.distribution or BY_HAND}
    if peer.distribution and version(peer.distribution) is None:
        return {**row, "absent": peer.install}
    rows, columns, most = peer.most
    part = data.cut(rows, columns)
    n = min(case.n, most, part.X.shape[1])
    small = replace(case, n=n)
    whole = part.X.shape == data.X.shape and n == min(case.n, data.X.shape[1])
    row |= {"rows": part.X.shape[0], "columns": part.X.shape[1], "n": n, "whole": whole}
    arrays = (part.X, part.Y) if not peer.distribution else (_dense(part.X), _dense(part.Y))
    if whole:
        ours = record["seconds"]
    else:
        answer((part.X, part.Y), small)
        ours = clock.best_of(lambda _: answer((part.X, part.Y), small), budget=1.0)["seconds"]
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            picks, seconds = _timed(peer, arrays, n)
    except Exception as error:  # noqa: BLE001  # a peer may fail in any way; the run goes on
        return {**row, "failed": f"{type(error).__name__}: {error}"[:160]}
    row |= {"ours": ours, "seconds": seconds, "ratio": seconds / ours}
    if picks is None or peer.differs:
        return {**row, "picks": peer.differs}
    return {**row, "picks": agreement(picks, part, small)}


def _timed(peer: Peer, arrays: tuple[Any, Any], n: int) -> tuple[list[int] | None, float]:
    found: list[Any] = []

    def once(_: object) -> None:
        found[:] = [peer.run(*arrays, n)]

    if peer.slow:  # its own compilation is not held against it
        peer.run(arrays[0][:100, :20], arrays[1][:100], 2)
    best = clock.best_of(once, budget=0, most=1)["seconds"]
    if best < LONG:
        best = min(best, clock.best_of(once, budget=LONG, most=5)["seconds"])
    return found[0], best


def _dense(matrix: Any) -> np.ndarray:
    return np.asarray(matrix.toarray()) if sp.issparse(matrix) else np.asarray(matrix)


def agreement(theirs: list[int], data: Input, case: Case) -> str:
    """``equal``, ``equal up to ties``, or where the picks part.

    Parameters
    ----------
    theirs : list of int
        The picks of the peer.
    data : Input
        What both saw.
    case : Case
        The criterion and how many.
    """
    ours = answer((data.X, data.Y), case)
    if list(ours.indices) == theirs:
        return "equal"
    for step, (mine, other) in enumerate(zip(ours.indices, theirs, strict=False)):
        if mine == other:
            continue
        if other in ours.ties[step] or _near(ours, step):
            return f"equal up to the tie at pick {step + 1}"
        return f"DIFFERENT from pick {step + 1}"
    return f"DIFFERENT: {len(theirs)} picks, not {len(ours.indices)}"


def _near(ours: Any, step: int) -> bool:
    """A margin within the rounding of adding logarithms in another order."""
    return bool(ours.margins[step] <= 1e-10 * max(1.0, abs(ours.scores[step])))
