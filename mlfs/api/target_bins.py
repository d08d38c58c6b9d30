"""Bin numeric targets, by the binnings that features have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.value_kinds import Kind
from mlfs.data.dataset import Column, Dataset, Label
from mlfs.discretize import Binning, Binnings, learn
from mlfs.errors import UnknownName, UsageError, printable

__all__ = ["TargetBins", "binned_targets"]

UNSUPERVISED = ("mean-sd", "width", "frequency")


@dataclass(frozen=True)
class TargetBins(Kind):
    """A binning that needs no labels, with a number of bins if it takes one: ``frequency:5``."""

    wanted: str = "is a binning such as 'frequency' or 'frequency:5'"
    types: tuple[type, ...] = (str,)

    def _read(self, name: str, value: Any) -> str:
        super()._read(name, value)
        how_of(value, name)
        return str(value)


def how_of(text: str, option: str = "target_bins") -> tuple[str, int | None]:
    """Take a binning and its number of bins apart.

    Examples
    --------
    >>> how_of("frequency:5"), how_of("mean-sd")
    (('frequency', 5), ('mean-sd', None))
    """
    method, colon, number = text.partition(":")
    if method in ("mdlp", "laim"):
        msg = f"is {method!r}, which bins by labels, and here the labels are binned: "
        raise UsageError(f"{msg}give mean-sd, width or frequency", option=option)
    if method not in UNSUPERVISED:
        raise UnknownName("binning in {}", method, UNSUPERVISED, option=option)
    if not colon:
        return method, None
    if method == "mean-sd":
        msg = f"is {printable(text)!r}: mean-sd has always three bins, give no number"
        raise UsageError(msg, option=option)
    if not (number.isascii() and number.isdigit() and 2 <= int(number[:9]) <= 10_000):
        msg = f"is {printable(text)!r}: the number of bins is from 2 to 10000"
        raise UsageError(msg, option=option)
    return method, int(number)


def binned_targets(
    dataset: Dataset, wanted: str, nominal_limit: int, weights: np.ndarray | None
) -> tuple[Dataset, tuple[Binning, ...]]:
    """Bin the labels that are numbers.

    Parameters
    ----------
    dataset : Dataset
        The data; labels with `numbers` are binned.
    wanted : str
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
    >>> data, binnings = binned_targets(data, "frequency:2", 10, None)
    >>> data.Y.ravel().tolist(), data.labels[0].values
    ([0, 0, 1, 1], ('x <= 4.5', '4.5 < x'))
    """
    places = [j for j, label in enumerate(dataset.labels) if label.numbers]
    if not places:
        return dataset, ()
    Y = dataset.Y.toarray() if sp.issparse(dataset.Y) else np.array(dataset.Y)
    labels = list(dataset.labels)
    values = np.column_stack([_numbers(labels[j], Y[:, j]) for j in places])
    columns = tuple(Column(labels[j].name) for j in places)
    method, bins = how_of(wanted)
    numbers = Dataset(values, np.zeros((len(values), 1), np.int8), columns, (Label("none"),))
    learned = learn(numbers, method, bins, nominal_limit, weights=weights)
    parts: list[Any] = list(Y.T)
    for at, j in enumerate(places):
        binning = learned[at]
        codes = binning.apply(values[:, at])
        codes[np.isnan(values[:, at])] = -1
        parts[j] = codes
        labels[j] = Label(labels[j].name, _levels(binning))
    wide = max(len(label.values) for label in labels) > 127
    Y = np.column_stack(parts).astype(np.int32 if wide else np.int8)
    return replace(dataset, Y=Y, labels=tuple(labels)), tuple(_named(learned))


def _numbers(label: Label, codes: np.ndarray) -> np.ndarray:
    """The numbers that a target holds, NaN where they are missing."""
    return np.array([*map(float, label.values), np.nan])[codes]


def _levels(binning: Binning) -> tuple[str, ...]:
    words = binning.levels()
    return tuple(words[:-1] if binning.missing else words)


def _named(learned: Binnings) -> Sequence[Binning]:
    return [learned[j] for j in range(len(learned))]
