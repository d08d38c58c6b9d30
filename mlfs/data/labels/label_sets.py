"""Label sets: the labels of a row taken together, as the class of one label."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.columns import check_weights
from mlfs.data.dataset import Dataset, Label
from mlfs.errors import DataError, UsageError, plural, printable

NAME = "label set"


def label_sets(dataset: Dataset, fewest: int = 6, *, weights: Any = None) -> Dataset:
    """Take the sets of labels that rows have as the classes of one label.

    Parameters
    ----------
    dataset : Dataset
        The data.
    fewest : int
        Sets in fewer rows are left out: the label is missing there, and where a label is missing.
    weights : array, optional
        The weights of the rows, which count as repetitions; by default those of the data.

    Returns
    -------
    Dataset
        The data with this label, and a note on what was left out.

    Examples
    --------
    >>> import mlfs
    >>> data = mlfs.data.from_arrays([[0]] * 5, [[1, 1], [0, 1], [1, 1], [0, 1], [0, 0]])
    >>> data = mlfs.data.label_sets(data, fewest=2)
    >>> data.Y.ravel().tolist(), data.labels[0].values
    ([0, 1, 0, 1, -1], ('y0 + y1', 'y1'))
    >>> data.notes
    ('the labels are taken as 2 label sets; 1 row with a rarer set (in fewer than 2 rows) is left \
out of what is about labels',)
    """
    if isinstance(fewest, bool) or not isinstance(fewest, Integral) or fewest < 1:
        msg = f"is a whole number of at least 1, not {printable(repr(fewest))}"
        raise UsageError(msg, option="fewest")
    weights = dataset.weights if weights is None else weights
    known = None if weights is None else check_weights(weights, dataset.shape[0])
    Y = sp.csr_array(dataset.Y)
    Y.sum_duplicates()
    Y.eliminate_zeros()
    n_rows = Y.shape[0]
    numbers: dict[bytes, int] = {}
    codes, firsts = np.full(n_rows, -1), list[int]()
    edges = Y.indptr.tolist()
    for row in range(n_rows):
        a, b = edges[row], edges[row + 1]
        values = Y.data[a:b]
        if b > a and values.min() < 0:
            continue
        key = Y.indices[a:b].tobytes() + b"|" + values.tobytes()
        codes[row] = numbers.setdefault(key, len(numbers))
        if len(numbers) > len(firsts):
            firsts.append(row)
    has_set = codes >= 0
    set_weights = None if known is None else known[has_set]
    size = np.bincount(codes[has_set], set_weights, minlength=len(firsts))
    names = [_name(dataset, Y, row) for row in firsts]
    kept = [i for i in range(len(firsts)) if size[i] >= fewest]
    kept.sort(key=lambda i: (-size[i], names[i]))
    if not has_set.any():
        raise DataError("every row lacks a label: there is no label set to take as a class")
    if not kept:
        few = f"but no label set is in at least {plural(fewest, 'row')}"
        msg = f"is {fewest}, {few}: give a smaller number, such as 1"
        raise DataError(msg, option="fewest")
    new_code = np.full(len(firsts) + 1, -1)
    new_code[kept] = np.arange(len(kept))
    codes = new_code[codes]
    kind = np.int8 if len(kept) <= 127 else np.int32
    label = Label(NAME, tuple(names[i] for i in kept))
    notes = (*dataset.notes, *_notes(len(kept), codes, has_set, fewest))
    return dataset.with_changes(Y=codes.astype(kind)[:, None], labels=(label,), notes=notes)


def _name(dataset: Dataset, Y: sp.csr_array, row: int) -> str:
    """The labels of a row that are not at their first value, by name."""
    texts = []
    for i in range(Y.indptr[row], Y.indptr[row + 1]):
        label = dataset.labels[int(Y.indices[i])]
        value = label.values[int(Y.data[i])]
        texts.append(label.name if len(label.values) == 2 else f"{label.name}={value}")
    return " + ".join(texts) or "none"


def _notes(n_sets: int, codes: np.ndarray, has_set: np.ndarray, fewest: int) -> list[str]:
    n_rare, n_missing = int((has_set & (codes < 0)).sum()), int((~has_set).sum())
    text = f"the labels are taken as {plural(n_sets, 'label set')}"
    exclusions = []
    if n_rare:
        few = f"in fewer than {plural(fewest, 'row')}"
        exclusions.append(f"{plural(n_rare, 'row')} with a rarer set ({few})")
    if n_missing:
        exclusions.append(f"{plural(n_missing, 'row')} with a missing label")
    if exclusions:
        verb = "is" if n_rare + n_missing == 1 else "are"
        text += f"; {' and '.join(exclusions)} {verb} left out of what is about labels"
    return [text]
