"""The labels of a row together as one class: the label powerset, rare sets pruned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from mlfs.api.value_kinds import fewest_of
from mlfs.data.dataset import Dataset, Label
from mlfs.errors import DataError, plural, printable

__all__ = ["keep_known_sets", "label_sets"]

NAME = "label set"


def label_sets(
    dataset: Dataset, labels_as: str, weights: np.ndarray | None
) -> tuple[Dataset, list[str]]:
    """Take the labels as an option says.

    Parameters
    ----------
    dataset : Dataset
        The data.
    labels_as : str
        ``each`` leaves them as they are; ``sets`` makes one label of them, whose classes are the
        sets of values that occur in at least 6 rows, or as many as ``sets:2`` says. The label is
        missing in the other rows, and where a label is missing.
    weights : ndarray or None
        The weights of the rows, which count as repetitions.

    Returns
    -------
    Dataset
        The data with these labels.
    list of str
        What was pruned.

    Examples
    --------
    >>> from mlfs.data.arrays import from_arrays
    >>> data = from_arrays([[0]] * 5, [[1, 1], [0, 1], [1, 1], [0, 1], [0, 0]])
    >>> made, notes = label_sets(data, "sets:2", None)
    >>> made.Y.ravel().tolist(), made.labels[0].values
    ([0, 1, 0, 1, -1], ('y0 + y1', 'y1'))
    >>> notes
    ['the labels are taken as 2 label sets; 1 row with a rarer set (in fewer than 2 rows) is left \
out of what is about labels']
    """
    fewest = fewest_of(labels_as)
    if fewest is None:
        return dataset, []
    Y = sp.csr_array(dataset.Y)
    Y.sum_duplicates()
    Y.eliminate_zeros()
    n_rows = Y.shape[0]
    number: dict[bytes, int] = {}
    codes, firsts = np.full(n_rows, -1), list[int]()
    edges = Y.indptr.tolist()
    for row in range(n_rows):
        a, b = edges[row], edges[row + 1]
        values = Y.data[a:b]
        if b > a and values.min() < 0:
            continue
        key = Y.indices[a:b].tobytes() + b"|" + values.tobytes()
        codes[row] = number.setdefault(key, len(number))
        if len(number) > len(firsts):
            firsts.append(row)
    known = codes >= 0
    own = None if weights is None else weights[known]
    size = np.bincount(codes[known], own, minlength=len(firsts))
    names = [_name(dataset, Y, row) for row in firsts]
    kept = [at for at in range(len(firsts)) if size[at] >= fewest]
    kept.sort(key=lambda at: (-size[at], names[at]))
    if not known.any():
        raise DataError("every row lacks a label: there is no label set to take as a class")
    if not kept:
        few = f"but no label set is in at least {plural(fewest, 'row')}"
        msg = f"is {printable(labels_as)!r}, {few}: give a smaller number, such as sets:1"
        raise DataError(msg, option="labels_as")
    place = np.full(len(firsts) + 1, -1)
    place[kept] = np.arange(len(kept))
    codes = place[codes]
    kind = np.int8 if len(kept) <= 127 else np.int32
    label = Label(NAME, tuple(names[at] for at in kept))
    made = dataset.with_changes(Y=codes.astype(kind)[:, None], labels=(label,))
    return made, _notes(len(kept), codes, known, fewest)


def keep_known_sets(
    dataset: Dataset, weights: np.ndarray | None, notes: list[str]
) -> tuple[Dataset, np.ndarray | None]:
    """The rows that have a label set, for a correction that takes the same rows in all terms.

    Parameters
    ----------
    dataset, weights
        The data, whose one label is the label set, and the weights of the rows.
    notes : list of str
        A note is added if there are other rows.

    Returns
    -------
    Dataset, ndarray or None
        The same of these rows.
    """
    kept = np.flatnonzero(dataset.Y[:, 0] >= 0)
    if kept.size == dataset.Y.shape[0]:
        return dataset, weights
    gone = dataset.Y.shape[0] - kept.size
    text = f"{plural(gone, 'row')} without a label set {'is' if gone == 1 else 'are'} left out of "
    notes.append(text + "everything, because the correction is 'expected'")
    dataset = replace(dataset, X=dataset.table[kept], Y=dataset.Y[kept])
    return dataset, None if weights is None else weights[kept]


def _name(dataset: Dataset, Y: sp.csr_array, row: int) -> str:
    """The labels of a row that are not at their first value, by name."""
    parts = []
    for at in range(Y.indptr[row], Y.indptr[row + 1]):
        label = dataset.labels[int(Y.indices[at])]
        value = label.values[int(Y.data[at])]
        parts.append(label.name if len(label.values) == 2 else f"{label.name}={value}")
    return " + ".join(parts) or "none"


def _notes(n_sets: int, codes: np.ndarray, known: np.ndarray, fewest: int) -> list[str]:
    rare, gone = int((known & (codes < 0)).sum()), int((~known).sum())
    text = f"the labels are taken as {plural(n_sets, 'label set')}"
    left = []
    if rare:
        few = f"in fewer than {plural(fewest, 'row')}"
        left.append(f"{plural(rare, 'row')} with a rarer set ({few})")
    if gone:
        left.append(f"{plural(gone, 'row')} with a missing label")
    if left:
        verb = "is" if rare + gone == 1 else "are"
        text += f"; {' and '.join(left)} {verb} left out of what is about labels"
    return [text]
