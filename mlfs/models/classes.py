"""The values of labels as 0, 1 and missing, and back."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from mlfs.data.columns import is_missing, library_of, refuse_infinite
from mlfs.data.frames import array_of, as_frame, family
from mlfs.data.labels.label_arrays import (
    as_columns,
    caution_about_signs,
    check_rows,
    indicator,
    targets,
    unwrap,
)
from mlfs.data.labels.label_values import is_sets, label_sets
from mlfs.data.matrices import check_places
from mlfs.errors import DataError, MlfsWarning, plural, printable
from mlfs.models.problem import MISSING

BINARY = np.array([0, 1])
SIGNS = np.array([-1, 1])


class ClassList(list[np.ndarray]):
    """The values of each label; an array of codes 0 and 1 as its index gives the values.

    Examples
    --------
    >>> classes = ClassList([np.array(["no", "yes"]), np.array(["a", "b"])])
    >>> classes[1].tolist(), classes[np.array([[1, 0]])].tolist()
    (['a', 'b'], [['yes', 'a']])
    """

    @property
    def shape(self) -> tuple[int]:
        """One for each column of predict_proba: `cross_val_predict` asks for it."""
        return (len(self),)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, np.ndarray) or key.ndim < 2:
            return super().__getitem__(key)
        columns = [values[key[:, label]] for label, values in enumerate(self)]
        return np.column_stack(columns)


@dataclass(frozen=True)
class Classes:
    """The names of labels and the two values of each.

    Parameters
    ----------
    names : tuple of str
        The names of the labels.
    values : tuple of ndarray
        For each label the values that stand for 0 and 1; only the first where no other was seen.
    named : bool
        The names are the user's own.
    sets : bool
        The labels were given as sets of names.
    flat : bool
        Y had one dimension: one label.
    """

    names: tuple[str, ...]
    values: tuple[np.ndarray, ...]
    named: bool = False
    sets: bool = False
    flat: bool = False

    @property
    def are_binary(self) -> bool:
        """Whether the values of all labels are 0 and 1."""
        return all(np.array_equal(values, BINARY) for values in self.values)

    @property
    def plain(self) -> Classes:
        """Give the labels as columns of 0 and 1."""
        return replace(self, values=(BINARY,) * len(self.names), flat=False)

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """The user's own values for 0 and 1.

        Examples
        --------
        >>> labels = Classes(("l",), (np.array(["no", "yes"]),))
        >>> labels.decode(np.array([[1], [0]], np.int8)).tolist()
        [['yes'], ['no']]
        """
        if self.are_binary:
            plain = codes.astype(np.int64)
            return plain[:, 0] if self.flat else plain
        columns = [
            values[np.minimum(codes[:, label], len(values) - 1)]
            for label, values in enumerate(self.values)
        ]
        return columns[0] if self.flat else np.column_stack(columns)

    def codes(self, Y: Any, n_rows: int) -> np.ndarray:
        """Values as 0, 1, or -1 where missing; a value that training did not have is refused.

        Where training had only one value, every other one is 1.
        """
        Y = self._in_order(_opened(Y))
        if self.sets and is_sets(Y):
            check_rows(len(Y), n_rows)
            return label_sets(list(Y), self.names)[0].toarray().astype(np.int8)
        array = _array(Y, n_rows)
        if array.shape[1] != len(self.names):
            msg = f"Y has {plural(array.shape[1], 'label')}, but the model has {len(self.names)}"
            raise DataError(msg)
        out = np.full(array.shape, MISSING, dtype=np.int8)
        for label, values in enumerate(self.values):
            column = array[:, label]
            missing = _missing(column)
            if np.array_equal(values, BINARY):
                missing |= column == MISSING
            known = column[~missing]
            code = np.full(known.size, 2, dtype=np.int8)
            for number, value in enumerate(values):
                code[known == value] = number
            unseen = np.flatnonzero(code == 2)
            if unseen.size and len(values) == 1:
                code[unseen] = 1
            elif unseen.size:
                self._refuse(label, known[unseen[0]])
            out[~missing, label] = code
        return out

    def _in_order(self, Y: Any) -> Any:
        """The columns of a frame in the order of training."""
        if not (self.named and family(Y)):
            return Y
        columns = [str(name) for name in Y.columns]
        if sorted(columns) != sorted(self.names):
            unknown = next((name for name in columns if name not in self.names), "")
            reason = (
                f"{printable(unknown)!r} is none of them" if unknown else "one is missing or twice"
            )
            msg = f"the columns of Y are not the labels of the model: {reason}"
            raise DataError(msg)
        return Y[list(self.names)] if columns != list(self.names) else Y

    def _refuse(self, label: int, value: Any) -> None:
        shown = ", ".join(printable(value) for value in self.values[label])
        msg = (
            f"label {printable(self.names[label])!r} holds {printable(value)}, which training "
            f"did not have: its values are {shown}"
        )
        raise DataError(msg)


def read_labels(
    Y: Any, n_rows: int, own_names: tuple[str, ...] | None = None
) -> tuple[np.ndarray, Classes]:
    """Code labels of any shape as 0, 1 and -1 where missing.

    Columns of two values are labels, the lower value is 0. NaN and None are missing; so is -1
    among 0 and 1. A list of sets of names has a label for each name. An array has
    `own_names`.

    Examples
    --------
    >>> codes, labels = read_labels([[2, 5], [1, 5]], 2)
    >>> codes.tolist(), [values.tolist() for values in labels.values]
    ([[1, 0], [0, 0]], [[1, 2], [5]])
    """
    Y = _opened(Y)
    if is_sets(Y):
        coded, label_columns = targets(Y, n_rows)
        dense = coded.toarray() if sp.issparse(coded) else coded
        names = tuple(label.name for label in label_columns)
        return dense.astype(np.int8), Classes(names, (BINARY,) * len(names), True, True)
    array = _array(Y, n_rows)
    named = own_names is not None or (bool(family(Y)) and hasattr(Y, "columns"))
    if own_names is not None:
        names = own_names
    else:
        names = tuple(str(n) for n in Y.columns) if named else _default_names(array.shape[1], Y)
    binary = indicator(array) if array.dtype.kind in "biuf" else None
    if binary is not None:
        return binary, Classes(names, (BINARY,) * len(names), named, flat=_is_flat(Y))
    signs = array.dtype.kind in "if" and not (array == 0).any() and (array == -1).any()
    caution = caution_about_signs(array, names.__getitem__)
    if caution:
        warnings.warn(caution, MlfsWarning, stacklevel=2)
    codes = np.full(array.shape, MISSING, dtype=np.int8)
    values: list[np.ndarray] = []
    for label, name in enumerate(names):
        code, label_values = _label_codes(array[:, label], name, signs)
        codes[:, label] = code
        values.append(label_values)
    if array.size and (codes == MISSING).all():
        raise DataError("every label is missing in every row: there is nothing to learn")
    return codes, Classes(names, tuple(values), named, flat=_is_flat(Y))


def as_written(codes: np.ndarray) -> np.ndarray:
    """Labels 0, 1, or -1 where missing, so that `read_labels` gives the same.

    Where none is 0, -1 would be taken as no: what is missing is NaN then.

    Examples
    --------
    >>> as_written(np.array([[1, -1]])).tolist(), as_written(np.array([[0], [-1]])).tolist()
    ([[1.0, nan]], [[0], [-1]])
    """
    missing = codes < 0
    return np.where(missing, np.nan, codes) if missing.any() and (codes != 0).all() else codes


def two_classes(y: np.ndarray) -> tuple[np.ndarray, Any]:
    """The two values of a target, and the position of each row's value among them.

    Examples
    --------
    >>> values, codes = two_classes(np.array(["yes", "no", "yes"]))
    >>> values.tolist(), codes.tolist()
    (['no', 'yes'], [1, 0, 1])
    """
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind != "binary":
        msg = f"Only binary classification is supported. The type of the target is {kind}."
        raise ValueError(msg)
    values, codes = np.unique(y, return_inverse=True)
    if values.size < 2:
        msg = f"y needs two classes, and has only one class: {printable(values[0])}"
        raise ValueError(msg)
    return values, codes


def _opened(Y: Any) -> Any:
    """A frame of a library that models know; a series of label sets becomes a list."""
    Y = as_frame(Y)
    if not library_of(Y) or family(Y):
        return Y
    values, _ = unwrap(Y, None)
    return values if is_sets(values) else Y


def _is_flat(Y: Any) -> bool:
    return not sp.issparse(Y) and np.asarray(Y).ndim == 1


def _default_names(q: int, Y: Any) -> tuple[str, ...]:
    name = getattr(Y, "name", None)  # of a series
    if q == 1 and family(Y) == "" and isinstance(name, str) and name:
        return (name,)
    return tuple(f"y{j}" for j in range(q))


def _array(Y: Any, n_rows: int) -> np.ndarray:
    """Labels as a two-dimensional array."""
    if sp.issparse(Y):  # a DOK array is a dict, too
        check_places(Y, "Y")
        Y = sp.csr_array(Y)
        binary = Y.dtype.kind in "biuf" and bool(np.isin(Y.data, (0, 1)).all())
        array = (Y.astype(np.int8) if binary else Y).toarray()
    else:
        values = array_of(Y) if family(Y) and hasattr(Y, "columns") else Y
        array = values.toarray() if sp.issparse(values) else np.asarray(values)
    array = as_columns(array, n_rows)
    if not array.shape[1]:
        raise DataError("Y has no columns: a model needs at least one label")
    return array


def _missing(column: np.ndarray) -> np.ndarray:
    if column.dtype.kind == "f":
        return np.isnan(column)
    if column.dtype.kind == "O":
        return np.array([bool(is_missing(cell)) for cell in column], dtype=bool)
    return np.zeros(column.shape, dtype=bool)


def _label_codes(column: np.ndarray, name: str, signs: bool) -> tuple[np.ndarray, np.ndarray]:
    """The codes of one label, and the values that stand for 0 and 1."""
    missing = _missing(column)
    if column.dtype.kind == "b":
        return column.astype(np.int8), BINARY
    if column.dtype.kind in "if" and not signs and not missing.all():
        missing |= (column == MISSING) & bool(np.isin(column[~missing], (-1, 0, 1)).all())
    known = column[~missing]
    if known.dtype.kind == "O" and all(isinstance(v, (bool, np.bool_)) for v in known):
        known = known.astype(np.int64)
    try:
        values, code = np.unique(known, return_inverse=True)
    except TypeError:
        msg = f"Unknown label type: label {printable(name)!r} holds values that have no order"
        raise DataError(msg) from None
    if values.dtype.kind == "f":
        refuse_infinite(column, [name], noun="label")
        fractional = values[values != np.floor(values)]
        if fractional.size:
            msg = (
                f"Unknown label type: label {printable(name)!r} holds {fractional[0]}, which is "
                "continuous; labels have two values: bin them first"
            )
            raise DataError(msg)
        values = values.astype(np.int64)
    if len(values) > 2:
        shown = ", ".join(printable(value) for value in values[:3])
        dots = ", ..." if len(values) > 3 else ""
        msg = (
            f"Only binary classification is supported. The label {printable(name)!r} has "
            f"{len(values)} values ({shown}{dots}): give one column of 0 and 1 for each value"
        )
        raise DataError(msg)
    for pair in (BINARY, SIGNS) if signs else (BINARY,):
        if values.dtype.kind in "iu" and np.isin(values, pair).all():
            code, values = np.searchsorted(pair, known), pair
            break
    out = np.full(column.shape, MISSING, dtype=np.int8)
    out[~missing] = code
    return out, values
