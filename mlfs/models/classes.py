"""Labels as 0, 1 and missing, and back: indicator matrices, or one target of two values."""

from __future__ import annotations

import contextlib
import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from mlfs.data.columns import is_missing, library_of, refuse_infinite
from mlfs.data.frames import array_of, as_frame, family
from mlfs.data.labels.label_arrays import as_columns, caution_about_signs, indicator, unwrap
from mlfs.data.labels.label_values import is_sets
from mlfs.data.matrices import check_places
from mlfs.errors import DataError, MlfsWarning, plural, printable
from mlfs.models.problem import MISSING

BINARY = np.array([0, 1])


class ClassList(list[np.ndarray]):
    """The values 0 and 1 of each label; an array of codes as its index gives the values.

    Examples
    --------
    >>> ClassList([np.array([0, 1])] * 2)[np.array([[1, 0]])].tolist()
    [[1, 0]]
    """

    @property
    def shape(self) -> tuple[int]:
        """One for each column of predict_proba: `cross_val_predict` asks for it."""
        return (len(self),)

    def __getitem__(self, key: Any) -> Any:
        return key if isinstance(key, np.ndarray) and key.ndim > 1 else super().__getitem__(key)


@dataclass(frozen=True)
class Classes:
    """The names of labels, and the values of a target of one dimension.

    Parameters
    ----------
    names : tuple of str
        The names of the labels.
    named : bool
        The names are the user's own.
    target : ndarray, optional
        Where Y had one dimension: the values of this one label that stand for 0 and 1; only the
        first where no other was seen.
    """

    names: tuple[str, ...]
    named: bool = False
    target: np.ndarray | None = None

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """The user's own values for 0 and 1.

        Examples
        --------
        >>> target = Classes(("l",), target=np.array(["no", "yes"]))
        >>> target.decode(np.array([[1], [0]], np.int8)).tolist()
        ['yes', 'no']
        """
        if self.target is None:
            return codes.astype(np.int64)
        values: np.ndarray = self.target[np.minimum(codes[:, 0], len(self.target) - 1)]
        return values

    def codes(self, Y: Any, n_rows: int) -> np.ndarray:
        """Labels as 0, 1, or -1 where missing; a value that training did not have is refused."""
        array, _ = _array(self._in_order(as_frame(Y)), n_rows)
        if array.shape[1] != len(self.names):
            msg = f"Y has {plural(array.shape[1], 'label')}, but the model has {len(self.names)}"
            raise DataError(msg)
        if self.target is None or np.array_equal(self.target, BINARY):
            return _codes(array, self.names)
        codes = np.full(array.shape, MISSING, np.int8)
        for code, value in enumerate(self.target):
            codes[array == value] = code
        if (codes == MISSING).any():
            value, shown = array[codes == MISSING][0], ", ".join(map(printable, self.target))
            msg = f"y holds {printable(value)}, which training did not have: its values are {shown}"
            raise DataError(msg)
        return codes

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


def read_labels(
    Y: Any, n_rows: int, own_names: tuple[str, ...] | None = None
) -> tuple[np.ndarray, Classes]:
    """Code labels as 0, 1 and -1 where missing.

    Y is an indicator matrix, as scikit-learn's multilabel classifiers take; NaN, None and -1 are
    missing. A Y of one dimension is one label of two values, as of any binary classifier. An
    array has `own_names`.

    Examples
    --------
    >>> read_labels([[1, 0], [np.nan, 1]], 2)[0].tolist(), read_labels(["no", "yes"], 2)[1].target
    ([[1, 0], [-1, 1]], array(['no', 'yes'], dtype='<U3'))
    """
    Y = as_frame(Y)
    array, is_matrix = _array(Y, n_rows)
    framed = bool(family(Y)) and hasattr(Y, "columns")
    names = own_names
    if names is None:
        names = tuple(map(str, Y.columns)) if framed else _default_names(array.shape[1], Y)
    named = own_names is not None or framed
    if is_matrix:
        codes, target = _codes(array, names), None
        signs = array.dtype.kind in "if" and (codes < 0).any() and (array == -1).any()
        if signs and not (codes == 0).any():
            msg = "Y holds -1 and 1 and no 0: write 0 where a label is absent, NaN where it is not "
            raise DataError(f"{msg}known")
        caution = caution_about_signs(array, names.__getitem__)
        if caution:
            warnings.warn(caution, MlfsWarning, stacklevel=2)
    else:
        target, codes = _target(array[:, 0])
    if codes.size and (codes == MISSING).all():
        raise DataError("every label is missing in every row: there is nothing to learn")
    return codes, Classes(names, named, target)


def as_written(codes: np.ndarray) -> np.ndarray:
    """Labels 0, 1, or -1 where missing, so that `read_labels` gives the same.

    Where none is 0, -1 would be taken for no: what is missing is NaN then.

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


def _target(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values of one label, and the code of each row; 0 and 1 may be missing."""
    if y.dtype.kind in "fO" and any(isinstance(v, float) and math.isinf(v) for v in y.tolist()):
        raise DataError("y holds inf: an infinite value cannot be used; labels have two values")
    with contextlib.suppress(DataError):
        codes = _codes(y[:, None], ("y",))
        if (codes == 0).any() or not (y == -1).any():  # -1 and 1 are two values
            return BINARY, codes
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind.startswith("continuous"):
        raise DataError(f"Unknown label type: y is {kind}, and a label has two values: bin it")
    if kind != "binary":
        msg = f"Only binary classification is supported. The type of the target is {kind}: "
        raise DataError(f"{msg}give one column of 0 and 1 for each value")
    values, positions = np.unique(y, return_inverse=True)
    return values, positions.astype(np.int8)[:, None]


def _codes(array: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """An indicator matrix as 0, 1, and -1 where missing."""
    binary = indicator(array) if array.dtype.kind in "biuf" else None
    if binary is not None:
        return binary
    if array.dtype.kind == "O":
        array = np.where(np.vectorize(is_missing, otypes=[bool])(array), np.nan, array)
    if array.dtype.kind == "f":
        refuse_infinite(array, names, noun="label")
    known = (array == 0) | (array == 1)
    missing = (array == -1) | (array != array)  # noqa: PLR0124  # NaN
    if not (known | missing).all():
        row, label = np.argwhere(~(known | missing))[0].tolist()
        msg = (
            f"Unknown label type: the label {printable(names[label])!r} holds "
            f"{printable(array[row, label])} in row {row + 1}, and models take indicator matrices, "
            "0 and 1 for each label: make one by LabelBinarizer, or MultiLabelBinarizer of sets"
        )
        raise DataError(msg)
    return np.where(missing, MISSING, array == 1).astype(np.int8)


def _default_names(q: int, Y: Any) -> tuple[str, ...]:
    name = getattr(Y, "name", None)  # of a series
    if q == 1 and family(Y) == "" and isinstance(name, str) and name:
        return (name,)
    return tuple(f"y{j}" for j in range(q))


def _array(Y: Any, n_rows: int) -> tuple[np.ndarray, bool]:
    """Labels as a two-dimensional array, and whether they have been a matrix."""
    if is_sets(unwrap(Y, None)[0] if library_of(Y) and not family(Y) else Y):
        msg = "Y is a list of label sets, and models take indicator matrices: make one by "
        raise DataError(f"{msg}MultiLabelBinarizer().fit_transform(Y)")
    if sp.issparse(Y):  # a DOK array is a dict, too
        check_places(Y, "Y")
        array = sp.csr_array(Y).toarray()
    else:
        values = array_of(Y) if family(Y) and hasattr(Y, "columns") else Y
        array = values.toarray() if sp.issparse(values) else np.asarray(values)
    columns = as_columns(array, n_rows)
    if not columns.shape[1]:
        raise DataError("Y has no columns: a model needs at least one label")
    return columns, array.ndim > 1
