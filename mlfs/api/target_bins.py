"""Bin numeric targets, by the binnings that features have."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.value_kinds import how_of
from mlfs.data.dataset import Column, Dataset, Label
from mlfs.discretize import Binning, learn

__all__ = ["bin_targets"]


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
