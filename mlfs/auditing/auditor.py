"""The audit of a table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mlfs.api.as_dataset import AsGiven, as_dataset
from mlfs.api.prepared import Prepared, prepare
from mlfs.auditing import columns, leaks, rows
from mlfs.auditing.drift import drift
from mlfs.auditing.findings import LEVELS, Audit, Finding, chosen
from mlfs.data.dataset import Dataset
from mlfs.data.dates import as_seconds
from mlfs.data.formats import read
from mlfs.data.frames import as_frame, family

MADE: Mapping[Callable[[Prepared], Iterator[Finding]], tuple[str, ...]] = {
    leaks.copies_of_labels: ("M101",),
    leaks.missingness: ("M102",),
    leaks.order_of_rows: ("M103",),
    leaks.made_of_labels: ("M104",),
    columns.names_of_rows: ("M201", "M202"),
    columns.constants_and_twins: ("M203", "M204"),
    columns.dates_and_mixtures: ("M205",),
    columns.unplain_values: ("M206",),
    rows.labels: ("M301",),
    rows.repeated_rows: ("M302",),
}
OF_DATES = (leaks.copies_of_labels, leaks.missingness, leaks.order_of_dates)


def audit(
    data: Any,
    *,
    labels: Any = None,
    select: Any = None,
    ignore: Any = (),
    against: Any = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Audit:
    """Check a table before a model is trusted: leaks, identifiers, twins, useless columns.

    Parameters
    ----------
    data : Dataset, path, or (X, Y)
        As for `mlfs.select`.
    labels : str or sequence, optional
        Which columns of a file or frame are labels.
    select, ignore : str or sequence of str, optional
        The checks that are made, and those that are not, by number or its beginning: ``"M1"``.
    against : Dataset, path, or (X, Y), optional
        Other data of the same kind, such as those of next month: what differs is M401.
    n_jobs, max_memory
        As for `mlfs.select`.

    Returns
    -------
    Audit
        The findings, errors first.

    Examples
    --------
    >>> import mlfs
    >>> X = [[i % 2, i % 3, i % 2] for i in range(60)]
    >>> for finding in mlfs.audit((X, [[i % 2] for i in range(60)]), select="M1"):
    ...     print(finding.check, finding.level, finding.columns, finding.labels)
    M101 error ('x0',) ('y0',)
    M101 error ('x2',) ('y0',)
    """
    dataset = _dataset(data, labels)
    with_dates = dataset
    if dataset.left_out and not isinstance(data, Dataset):
        with_dates = _dataset(data, labels, dates="keep")
    other = None if against is None else _newer(against, labels, dataset)
    return audited(
        dataset, with_dates, other, chosen(select, ignore), n_jobs=n_jobs, max_memory=max_memory
    )


def audited(
    dataset: Dataset,
    with_dates: Dataset,
    other: Dataset | None,
    checks: Sequence[str],
    **options: Any,
) -> Audit:
    """Make checks of data that were read; `with_dates` are the same with the dates in X."""
    prepared = prepare(AsGiven(dataset), **options, correction="none")
    found: list[Finding] = []
    for check, numbers in MADE.items():
        if {*numbers} & {*checks}:
            found += [finding for finding in check(prepared) if finding.check in checks]
    kept = {*dataset.names}
    dates = [j for j, name in enumerate(with_dates.names) if name not in kept]
    if dates:
        seconds = as_seconds(with_dates.reduced(dates))
        of_dates = prepare(AsGiven(seconds), dates="keep", correction="none", keep_identifiers=True)
        found += [f for check in OF_DATES for f in check(of_dates) if f.check in checks]
    if other is not None and "M401" in checks:
        found += drift(dataset, other)
    prepared.release()
    done = tuple(c for c in checks if c != "M401" or other is not None)
    order = {level: place for place, level in enumerate(LEVELS)}
    found.sort(key=lambda finding: (order[finding.level], finding.check))
    return Audit(tuple(found), dataset.title, done)


def _newer(data: Any, labels: Any, dataset: Dataset) -> Dataset:
    """Data of the same kind, which may have no labels yet."""
    if isinstance(data, (str, os.PathLike)):
        return read(data, known=dataset.label_names)
    if family(data) and not {*map(str, data.columns)} & {*dataset.label_names}:
        return as_dataset((data, None))
    return _dataset(data, None if isinstance(data, tuple) else labels)


def _dataset(data: Any, labels: Any, dates: str = "skip") -> Dataset:
    """The data set, with what was left out of it."""
    if isinstance(data, Dataset) and labels is None:
        return data
    return as_dataset(as_frame(data), labels, dates=dates)
