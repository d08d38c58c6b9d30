"""Labels as classes: numeric targets that are binned, and sets of labels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.value_kinds import fewest_of, how_of
from mlfs.data.dataset import Column, Dataset, Label
from mlfs.discretize import Binning, learn
from mlfs.errors import DataError, plural, printable


def bin_targets(
    dataset: Dataset, target_bins: str, nominal_limit: int, weights: np.ndarray | None
) -> tuple[Dataset, tuple[Binning, ...]]:
    """Bin the labels that are numbers.

    Parameters
    ----------
    dataset : Dataset
        The data; labels with `numbers` are binned.
    target_bins : str
        The binning, as in ``frequency:5``.
    nominal_limit : int
        A target of at most so many distinct values, all whole, is not cut: they are its classes.
    weights : ndarray or None
        The weights of the rows.

    Returns
    -------
    Dataset
        The same with a class for each bin.
    tuple of Binning
        How each numeric target was binned.

    Examples
    --------
    >>> from mlfs.data.arrays import from_arrays
    >>> data = from_arrays([[0]] * 4, [0.5, 1.5, 7.5, 9.5], numbers=True)
    >>> data, binnings = bin_targets(data, "frequency:2", 10, None)
    >>> data.Y.ravel().tolist(), data.labels[0].values
    ([0, 0, 1, 1], ('x <= 4.5', '4.5 < x'))
    """
    targets = [j for j, label in enumerate(dataset.labels) if label.numbers]
    if not targets:
        return dataset, ()
    Y = dataset.Y.toarray() if sp.issparse(dataset.Y) else np.array(dataset.Y)
    labels = list(dataset.labels)
    values = np.column_stack([_numbers(labels[j], Y[:, j]) for j in targets])
    columns = tuple(Column(labels[j].name) for j in targets)
    method, bins = how_of(target_bins)
    numbers = Dataset(values, np.zeros((len(values), 1), np.int8), columns, (Label("none"),))
    learned = learn(numbers, method, bins, nominal_limit, weights=weights)
    label_codes: list[Any] = list(Y.T)
    for i, j in enumerate(targets):
        binning = learned[i]
        codes = binning.apply(values[:, i])
        codes[np.isnan(values[:, i])] = -1
        label_codes[j] = codes
        labels[j] = Label(labels[j].name, _levels(binning))
    wide = max(len(label.values) for label in labels) > 127
    Y = np.column_stack(label_codes).astype(np.int32 if wide else np.int8)
    return dataset.with_changes(Y=Y, labels=tuple(labels)), tuple(
        learned[j] for j in range(len(learned))
    )


def _numbers(label: Label, codes: np.ndarray) -> np.ndarray:
    """The numbers that a target holds, NaN where they are missing."""
    return np.array([*map(float, label.values), np.nan])[codes]


def _levels(binning: Binning) -> tuple[str, ...]:
    words = binning.levels()
    return tuple(words[:-1] if binning.missing else words)


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
    set_weights = None if weights is None else weights[has_set]
    size = np.bincount(codes[has_set], set_weights, minlength=len(firsts))
    names = [_name(dataset, Y, row) for row in firsts]
    kept = [i for i in range(len(firsts)) if size[i] >= fewest]
    kept.sort(key=lambda i: (-size[i], names[i]))
    if not has_set.any():
        raise DataError("every row lacks a label: there is no label set to take as a class")
    if not kept:
        few = f"but no label set is in at least {plural(fewest, 'row')}"
        msg = f"is {printable(labels_as)!r}, {few}: give a smaller number, such as sets:1"
        raise DataError(msg, option="labels_as")
    new_code = np.full(len(firsts) + 1, -1)
    new_code[kept] = np.arange(len(kept))
    codes = new_code[codes]
    kind = np.int8 if len(kept) <= 127 else np.int32
    label = Label(NAME, tuple(names[i] for i in kept))
    result = dataset.with_changes(Y=codes.astype(kind)[:, None], labels=(label,))
    return result, _notes(len(kept), codes, has_set, fewest)


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
    n_left_out = dataset.Y.shape[0] - kept.size
    rows = f"{plural(n_left_out, 'row')} without a label set {'is' if n_left_out == 1 else 'are'}"
    notes.append(f"{rows} left out of everything, because the correction is 'expected'")
    dataset = replace(dataset, X=dataset.table[kept], Y=dataset.Y[kept])
    return dataset, None if weights is None else weights[kept]


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
