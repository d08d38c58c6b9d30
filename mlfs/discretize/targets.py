"""Numeric targets as classes: each bin is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.binnings import BINNINGS, WITHOUT_LABELS
from mlfs.data.columns import check_weights
from mlfs.data.dataset import Column, Dataset, Label
from mlfs.discretize.binning import Binning
from mlfs.discretize.learning import learn
from mlfs.errors import UsageError, check_name, printable


def bin_targets(
    dataset: Dataset, how: str = "frequency", *, nominal_limit: int = 10, weights: Any = None
) -> Dataset:
    """Bin the labels that are numbers, so that each bin is a class.

    Parameters
    ----------
    dataset : Dataset
        The data, read with ``numeric_targets=True``: labels that are quantities are numbers.
    how : str
        A binning that does not look at labels, such as "frequency", or "frequency:5" with a number
        of bins.
    nominal_limit : int
        A target of at most so many distinct values, all whole, is not cut: they are its classes.
    weights : array, optional
        The weights of the rows; by default those of the data.

    Returns
    -------
    Dataset
        The same with a class for each bin, whose names say where the edges are.

    Examples
    --------
    >>> import mlfs
    >>> data = mlfs.data.from_arrays([[0]] * 4, [0.5, 1.5, 7.5, 9.5], numeric_targets=True)
    >>> data = mlfs.data.bin_targets(data, "frequency:2")
    >>> data.Y.ravel().tolist(), data.labels[0].values
    ([0, 0, 1, 1], ('x <= 4.5', '4.5 < x'))
    """
    method, bins = how_of(how)
    weights = dataset.weights if weights is None else weights
    known = None if weights is None else check_weights(weights, dataset.shape[0])
    targets = [j for j, label in enumerate(dataset.labels) if label.numbers]
    if not targets:
        note = "no label is a numeric target: binning them changes nothing"
        return dataset.with_changes(notes=(*dataset.notes, note))
    Y = dataset.Y.toarray() if sp.issparse(dataset.Y) else np.array(dataset.Y)
    labels = list(dataset.labels)
    values = np.column_stack([_numbers(labels[j], Y[:, j]) for j in targets])
    columns = tuple(Column(labels[j].name) for j in targets)
    numbers = Dataset(values, np.zeros((len(values), 1), np.int8), columns, (Label("none"),))
    learned = learn(numbers, method, bins, nominal_limit, weights=known)
    label_codes: list[Any] = list(Y.T)
    for i, j in enumerate(targets):
        binning = learned[i]
        codes = binning.apply(values[:, i])
        codes[np.isnan(values[:, i])] = -1
        label_codes[j] = codes
        labels[j] = Label(labels[j].name, _levels(binning))
    wide = max(len(label.values) for label in labels) > 127
    Y = np.column_stack(label_codes).astype(np.int32 if wide else np.int8)
    return dataset.with_changes(Y=Y, labels=tuple(labels))


def _numbers(label: Label, codes: np.ndarray) -> np.ndarray:
    """The numbers that a target holds, NaN where they are missing."""
    return np.array([*map(float, label.values), np.nan])[codes]


def _levels(binning: Binning) -> tuple[str, ...]:
    words = binning.levels()
    return tuple(words[:-1] if binning.missing else words)


def how_of(text: str, option: str = "how") -> tuple[str, int | None]:
    """Split a text into a binning and its number of bins.

    Examples
    --------
    >>> how_of("frequency:5"), how_of("mean-sd")
    (('frequency', 5), ('mean-sd', None))
    """
    if not isinstance(text, str):
        msg = f"is a binning such as 'frequency' or 'frequency:5', not {printable(repr(text))}"
        raise UsageError(msg, option=option)
    method, colon, number = text.partition(":")
    check_name(method, "binning in {}", BINNINGS, option=option)
    if BINNINGS[method].by_labels:
        msg = f"is {method!r}, which bins by labels, and here the labels are binned: give one of "
        raise UsageError(f"{msg}{', '.join(WITHOUT_LABELS)}", option=option)
    if not colon:
        return method, None
    if not BINNINGS[method].takes_number:
        levels = "has always three bins" if method == "mean-sd" else "finds the number itself"
        msg = f"is {printable(text)!r}: {method} {levels}, give no number"
        raise UsageError(msg, option=option)
    if not (number.isascii() and number.isdigit() and 2 <= int(number[:9]) <= 10_000):
        msg = f"is {printable(text)!r}: the number of bins is from 2 to 10000"
        raise UsageError(msg, option=option)
    return method, int(number)
