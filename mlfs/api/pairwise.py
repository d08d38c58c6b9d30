"""Entropies and information of the columns of prepared data, as vectors and matrices.

These are the public functions of `mlfs.information`. They are here because they take data, which
only the layers above counting know how to read.
"""

from __future__ import annotations

from typing import Any, NoReturn, Unpack

import numpy as np

from mlfs.api.coded_columns import CodedColumns
from mlfs.api.counted import threads_of
from mlfs.api.moved import refuse_preparing, refuse_unknown
from mlfs.api.options import PREPARING
from mlfs.api.prepared import Preparing, prepared_of
from mlfs.data.frames import naming_half_pairs, pandas
from mlfs.errors import DataError, UsageError, printable
from mlfs.information import credible, pair_matrix
from mlfs.information.adjusted import subtract_expected
from mlfs.information.credible import Interval


def entropy(
    X: Any, Y: Any = None, *, as_frame: bool = False, **preparing: Unpack[Preparing]
) -> Any:
    """Compute H(x) of every column x, or H(x,y) of every pair of columns of X and Y.

    Parameters
    ----------
    X, Y : Prepared, data, or CodedColumns
        See `mutual_information`. Without Y, one entropy for each column of X; of data, for each
        feature.
    as_frame, **preparing
        See `mutual_information`. Entropies are not corrected.

    Returns
    -------
    float, ndarray, or pandas object
        Without Y shape (columns of X,), with Y see `mutual_information`.

    Examples
    --------
    >>> import mlfs
    >>> ready = mlfs.prepare(([[0, 5], [0, 6], [1, 7], [1, 8]], [0, 1, 0, 1]))
    >>> mlfs.information.entropy(ready).round(6).tolist()
    [0.693147, 1.386294]
    >>> round(mlfs.information.entropy(ready.features["x0"], ready.labels["y0"]), 6)
    1.386294
    """
    if Y is not None:
        return _matrix(X, Y, pair_matrix.joint_entropy, as_frame, preparing)
    columns = _columns(X, Y, preparing)[0]
    if columns.correction == "expected":
        refuse_expected()
    values = columns.side.table.h_f[columns.side.positions]
    if columns.single:
        return float(values[0])
    return pandas().Series(values, index=list(columns.names)) if as_frame else values


def mutual_information(
    X: Any,
    Y: Any = None,
    *,
    interval: float | None = None,
    as_frame: bool = False,
    **preparing: Unpack[Preparing],
) -> Any:
    """Compute I(x;y) of every column x of X and every column y of Y, exactly from counts.

    Parameters
    ----------
    X, Y : Prepared, data, or CodedColumns
        What `mlfs.prepare` returned, or data that it takes, which are prepared then: the
        information of each feature and each label. Or two sets of columns of one `Prepared`:
        ``ready.features``, ``ready.labels``, or some of these by name, glob or number, such as
        ``ready.features["tempo"]``; without Y, X stands for both.
    interval : float, optional
        Also say how sure the information is: the probability of an interval, such as 0.95. The
        answer is an `Interval` of ``mean``, ``sd``, ``low`` and ``high``, each of the shape below.
    as_frame : bool
        Return a pandas frame (or series) with the names of the columns.
    **preparing
        The options of `mlfs.prepare`, where data are not prepared. With the correction "expected",
        what independent columns with the same counts give on average is subtracted, as in adjusted
        mutual information; "auto" corrects nothing here.

    Returns
    -------
    float, ndarray, pandas object, or Interval of them
        Shape (columns of X, columns of Y); one column has no axis, and two give a float.

    Examples
    --------
    >>> import mlfs
    >>> ready = mlfs.prepare(([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]))
    >>> mlfs.information.mutual_information(ready).round(6).tolist()
    [[0.693147], [0.0]]
    >>> mlfs.information.mutual_information(ready.features).round(6).tolist()
    [[0.693147, 0.0], [0.0, 0.693147]]
    """
    if interval is not None:
        return _intervals(X, Y, interval, as_frame, preparing)
    return _matrix(X, Y, pair_matrix.mutual_information, as_frame, preparing, expects=True)


def symmetrical_uncertainty(
    X: Any, Y: Any = None, *, as_frame: bool = False, **preparing: Unpack[Preparing]
) -> Any:
    """Compute SU(x,y) = 2 I(x;y) / (H(x) + H(y)) of every column x of X and every y of Y.

    Parameters
    ----------
    X, Y : Prepared, data, or CodedColumns
        See `mutual_information`.
    as_frame, **preparing
        See `mutual_information`. The correction ``"expected"`` is not for this function.

    Returns
    -------
    float, ndarray, or pandas object
        Between 0 and 1; 0 for two constant columns.

    Examples
    --------
    >>> import mlfs
    >>> mlfs.information.symmetrical_uncertainty(([["a"], ["b"]] * 2, [1, 0, 1, 0])).tolist()
    [[1.0]]
    """
    return _matrix(X, Y, pair_matrix.symmetrical_uncertainty, as_frame, preparing)


def conditional_mutual_information(
    X: CodedColumns, Y: CodedColumns, Z: CodedColumns, *, as_frame: bool = False
) -> Any:
    """Compute I(x;y|Z) of every column x of X and every column y of Y, given all of Z jointly.

    Parameters
    ----------
    X, Y : CodedColumns
        Columns of one `Prepared`, see `mutual_information`.
    Z : CodedColumns
        What is given. Several columns are given together, as one variable of their joint values.
    as_frame : bool
        See `mutual_information`. The correction ``"expected"`` is not for this function.

    Returns
    -------
    float, ndarray, or pandas object
        See `mutual_information`.

    Examples
    --------
    >>> import mlfs
    >>> ready = mlfs.prepare(([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    >>> one, other = ready.features["x0"], ready.features["x1"]
    >>> round(mlfs.information.conditional_mutual_information(one, ready.labels["y0"], other), 6)
    0.693147
    """
    return _matrix(X, Y, pair_matrix.conditional, as_frame, {}, given=Z)


def interaction(
    X: CodedColumns, Y: CodedColumns, Z: CodedColumns, *, as_frame: bool = False
) -> Any:
    """Compute I(x;y;Z) = I(x;y) - I(x;y|Z): positive for redundancy, negative for synergy.

    Parameters
    ----------
    X, Y, Z : CodedColumns
        See `conditional_mutual_information`.
    as_frame : bool
        See `mutual_information`.

    Returns
    -------
    float, ndarray, or pandas object
        See `mutual_information`.

    Examples
    --------
    >>> import mlfs
    >>> ready = mlfs.prepare(([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    >>> one, other = ready.features["x0"], ready.features["x1"]
    >>> round(mlfs.information.interaction(one, ready.labels["y0"], other), 6)
    -0.693147
    """
    return _matrix(X, Y, pair_matrix.interaction, as_frame, {}, given=Z)


# ---- the matrix ----------------------------------------------------------------------------------


def _matrix(
    X: Any,
    Y: Any,
    quantity: Any,
    as_frame: bool,
    preparing: Any,
    *,
    given: Any = None,
    expects: bool = False,
) -> Any:
    """Compute a matrix for two sets of columns, and perhaps others that are given.

    `expects` says that the expectation under independence may be subtracted.
    """
    x, y = _columns(X, Y, preparing)
    if x.correction == "expected" and not expects:
        refuse_expected()
    matrix = np.empty((len(x), len(y)))
    n_threads = threads_of(x.n_jobs)
    if given is not None:
        z = _columns(given, given, {})[0]
        _refuse_others(x, z)
        joint = pair_matrix.joint_codes([z.side])
        pair_matrix.fill_triples(matrix, x.side, y.side, joint, quantity, n_threads)
    else:
        pair_matrix.fill_pairs(matrix, x.side, y.side, quantity, n_threads)
    if x.correction == "expected":
        subtract_expected(matrix, x.side, y.side)
    return _shaped(matrix, x, y, as_frame)


def _columns(X: Any, Y: Any, preparing: Any) -> tuple[CodedColumns, CodedColumns]:
    """Two sets of columns of one `Prepared`: those that were chosen, or its features and labels."""
    if not isinstance(X, CodedColumns):
        if Y is not None:
            msg = "X and Y are columns of one Prepared, such as ready.features and ready.labels: "
            raise UsageError(f"{msg}prepare the data, mlfs.prepare((X, Y))")
        refuse_unknown("mlfs.information", preparing, PREPARING)
        prepared = prepared_of(X, preparing)
        return prepared.features, prepared.labels
    if preparing:
        refuse_preparing(preparing)
    y = X if Y is None else Y
    if not isinstance(y, CodedColumns):
        msg = f"Y is columns of the Prepared of X, such as ready.labels, not {printable(repr(y))}"
        raise UsageError(msg)
    _refuse_others(X, y)
    return X, y


def _refuse_others(x: CodedColumns, y: CodedColumns) -> None:
    """Refuse columns of other data."""
    if x.owner is not y.owner:
        raise DataError("the columns are of two Prepared: give columns of one")


def _shaped(matrix: np.ndarray, x: CodedColumns, y: CodedColumns, as_frame: bool) -> Any:
    """A matrix without the axes of single columns, or as a frame."""
    if not isinstance(as_frame, bool):
        raise UsageError(f"is True or False, not {printable(repr(as_frame))}", option="as_frame")
    if x.single and y.single:
        return float(matrix[0, 0])
    if not as_frame:
        return matrix[0] if x.single else matrix[:, 0] if y.single else matrix
    pd = pandas()
    with naming_half_pairs([*x.names, *y.names]):
        if x.single:
            return pd.Series(matrix[0], index=list(y.names))
        if y.single:
            return pd.Series(matrix[:, 0], index=list(x.names))
        return pd.DataFrame(matrix, index=list(x.names), columns=list(y.names))


def _intervals(X: Any, Y: Any, level: float, as_frame: bool, preparing: Any) -> Interval:
    """How sure the information of each pair of columns is."""
    if isinstance(level, bool) or not isinstance(level, float) or not 0 < level < 1:
        msg = f"is a probability between 0 and 1, such as 0.95, not {printable(repr(level))}"
        raise UsageError(msg, option="interval")
    x, y = _columns(X, Y, preparing)
    why = "rows that count once: give data without weights" if x.side.weights is not None else ""
    if x.correction != "none":
        why = f"plain counts, and the correction is {x.correction!r}: take 'none'"
    if why:
        raise UsageError(f"is that of {why}", option="interval")
    made = credible.intervals(x.side, y.side, float(level))
    return Interval(*(_shaped(matrix, x, y, as_frame) for matrix in made))


def refuse_expected() -> NoReturn:
    """Say that only mutual information has an expectation that can be subtracted."""
    msg = "is 'expected', which corrects mutual information of two columns and nothing else: use "
    raise UsageError(f"{msg}'none'", option="correction")
