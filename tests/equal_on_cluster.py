"""`python -m tests equal-cluster`: the answer of a cluster for everything that it can be asked.

All criteria, on 1 and 3 workers, on dense, sparse and missing data, many levels, classes, weights,
all binnings, corrections, an automatic number, label by label, files that workers read, and
collections of dask. What one process reports is expected: picks, bits of scores and margins, ties,
notes, binnings and networks, or the same error.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import mlfs
from mlfs import criteria
from tests.api.test_cluster import DATA, WEIGHTS, files, told

WAYS: dict[str, tuple[str, dict[str, Any]]] = {
    "dense": ("binary", {}),
    "many levels": ("mixed", {}),
    "sparse": ("sparse", {}),
    "classes": ("classes", {}),
    "missing as a level": ("holes", {}),
    "weights": ("holes", {"sample_weight": WEIGHTS}),
    "weights, sparse": ("sparse", {"sample_weight": WEIGHTS}),
    "width": ("mixed", {"bins": "width"}),
    "frequency": ("mixed", {"bins": "frequency"}),
    "mdlp": ("mixed", {"bins": "mdlp"}),
    "laim": ("mixed", {"bins": "laim"}),
    "expected": ("mixed", {"correction": "expected"}),
    "groups": ("mixed", {"groups": {"a": [0, 3], "b": [1, 14, 15]}}),
    "candidates": ("mixed", {"include": [5, 2], "exclude": [14], "prefilter": 9}),
    "label by label": ("holes", {"per_label": True}),
    "binary": ("binary", {}),
    "auto": ("mixed", {"n": "auto"}),
    "a CSV file": ("csv", {"labels": "last:3"}),
    "a CSV file, weights": ("csv", {"labels": "last:3", "sample_weight": WEIGHTS}),
    "a CSV file, mdlp": ("csv", {"labels": "last:3", "bins": "mdlp"}),
    "a CSV file, expected": ("csv", {"labels": "last:3", "correction": "expected"}),
    "a CSV file, candidates": ("csv", {"labels": "last:3", "include": [5], "prefilter": 9}),
    "a CSV file, label by label": ("csv", {"labels": "last:3", "per_label": True}),
    "a CSV file, auto": ("csv", {"labels": "last:3", "n": "auto"}),
    "a sparse ARFF file": ("arff", {"labels": "last:3", "sample_weight": WEIGHTS}),
    "chunks of dask": ("mixed chunks", {}),
    "chunks of dask, weights": ("mixed chunks", {"sample_weight": WEIGHTS}),
    "sparse chunks of dask, weights": ("sparse chunks", {"sample_weight": WEIGHTS}),
    "files of Parquet": ("parquet", {"labels": "last:3", "bins": "frequency"}),
}


def answer(data: dict[str, Any], way: str, criterion: str, **cluster: Any) -> Any:
    """What a selection reports, or its error."""
    kind, options = WAYS[way]
    if not cluster:
        kind = kind.removesuffix(" chunks")
    try:
        return told(mlfs.select(data[kind], criterion, **{"n": 5, **options, **cluster}))
    except mlfs.MlfsError as error:
        return str(error)


def main(arguments: list[str]) -> int:
    """Compare all; 0 if nothing differs."""
    import distributed

    parser = argparse.ArgumentParser("python -m tests equal-cluster", description=__doc__)
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--workers", nargs="*", type=int, default=[1, 3])
    options = parser.parse_args(arguments)
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        data = {**DATA, **chunks(), **files(Path(folder))}
        for n in options.workers:
            with (
                distributed.LocalCluster(
                    n_workers=n, threads_per_worker=1, processes=False, dashboard_address=":0"
                ) as cluster,
                distributed.Client(cluster, set_as_default=False) as client,
            ):
                differ += compare(data, options.ways, client, n)
    return 1 if differ else 0


def chunks() -> dict[str, Any]:
    """The same rows as collections of dask."""
    from dask import array

    found = {}
    for kind in ("mixed", "sparse"):
        X, Y = DATA[kind]
        parts = [array.from_array(X[a : a + 100], chunks=-1, asarray=False) for a in (0, 100, 200)]
        rest = array.from_array(X[300:], chunks=-1, asarray=False)
        found[f"{kind} chunks"] = array.concatenate([*parts, rest]), Y
    return found


def compare(data: dict[str, Any], ways: list[str], client: Any, n: int) -> int:
    """Compare some ways on so many workers; how many answers differ."""
    compared = differ = refused = 0
    for way in ways:
        began = time.monotonic()
        for criterion in criteria.available():
            expected = answer(data, way, criterion)
            refused += isinstance(expected, str)
            found = answer(data, way, criterion, cluster=client)
            compared += 1
            if found != expected:
                differ += 1
                what = found if isinstance(found, str) else "answers otherwise"
                sys.stdout.write(f"{way}, {criterion}, {n} workers: {what[:300]}\n")
        sys.stdout.write(f"{way}: {time.monotonic() - began:.0f} s, {differ} differ so far\n")
        sys.stdout.flush()
    sys.stdout.write(f"{compared:,} compared, {differ} differ, {refused} criteria refused here\n")
    return differ


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
