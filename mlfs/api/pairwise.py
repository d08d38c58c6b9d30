"""Entropies and information of the columns of any tables, as vectors and matrices.

These are the public functions of `mlfs.information`. They are here because they take data, which
only the layers above counting know how to read.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from mlfs.api.coded_columns import CodedColumns
from mlfs.api.counted import threads_of
from mlfs.api.function_arguments import check_rows, columns_of, two_columns_of
from mlfs.api.options import PREPARING, check_options
from mlfs.counting.memory import bytes_of
from mlfs.data.frames import naming_half_pairs, pandas
from mlfs.errors import UsageError, printable
from mlfs.information import credible, pair_matrix
from mlfs.information.adjusted import subtract_expected
from mlfs.information.credible import Interval


def entropy(
    X: Any,
    Y: Any = None,
    *,
    bins: str = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: str = "level",
    correction: str = "none",
    sample_weight: Any = None,
    as_frame: bool = False,
    out: Any = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Any:
    """Compute H(x) of every column of X, or H(x,y) of every pair of columns of X and Y.

    Parameters
    ----------
    X, Y : vector, table, frame, Dataset, path, Prepared, or CodedColumns
        See `mutual_information`. Without Y, one entropy for each column of X (for what has
        labels, each feature).
    bins, n_bins, nominal_limit, missing, correction, sample_weight
        See `mutual_information`. Entropies are not corrected.
    as_frame, out, n_jobs, max_memory
        See `mutual_information`.

    Returns
    -------
    float, ndarray, or pandas object
        Without Y shape (columns of X,), with Y see `mutual_information`.

    Examples
    --------
    >>> import mlfs
    >>> mlfs.information.entropy([[0, 5], [0, 6], [1, 7], [1, 8]]).round(6).tolist()
    [0.693147, 1.386294]
    >>> round(mlfs.information.entropy(["a", "a", "b", "b"], [0, 1, 0, 1]), 6)
    1.386294
    """
    options = _options(locals())
    if Y is not None:
        return _matrix(X, Y, pair_matrix.joint_entropy, options)
    if out is not None:
        msg = "is for matrices, and there is one entropy for each column: leave it out, or give Y"
        raise UsageError(msg, option="out")
    columns, _ = columns_of(X, "X", options, None)
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
    bins: str = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: str = "level",
    correction: str = "none",
    sample_weight: Any = None,
    interval: float | None = None,
    as_frame: bool = False,
    out: Any = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Any:
    """Compute I(x;y) of every column x of X and every column y of Y, exactly from counts.

    Parameters
    ----------
    X, Y : vector, table, frame, Dataset, path, Prepared, or CodedColumns
        Anything with columns: a list or array of one dimension (one column of values or classes)
        or two, a sparse matrix, a series, a frame, label sets, what `mlfs.read` or
        `mlfs.prepare` returned, or ``ready.features`` and ``ready.labels`` of the latter. Without
        Y, what has labels stands for its features and its labels, and anything else for each
        column with each other. Beside another argument, what has labels stands for its features.
    bins, n_bins, nominal_limit, missing
        How columns that are not prepared become levels, as for `mlfs.select`: columns of X and of
        Y alike. An integer column of more than `nominal_limit` values is binned.
    correction : {"none", "expected"}
        Correct the bias of counts by subtracting what independent columns with the same counts
        give on average, as adjusted mutual information does. Prepared columns have the correction
        with which they were prepared.
    sample_weight : array, optional
        How much each row counts.
    interval : float, optional
        Also say how sure the information is: the probability of an interval, such as 0.95. The
        answer is an `Interval` of ``mean``, ``sd``, ``low`` and ``high``, each of the shape below.
    as_frame : bool
        Return a pandas frame (or series) with the names of the columns.
    out : path, optional
        Write the matrix to this file (.npy) and return it as a memory map.
    n_jobs : int, optional
        Threads, -1 for all processors; the result does not depend on it.
    max_memory : int or str, optional
        Limit for the memory of counting and of the matrix, such as "2GB"; by default half of what
        is available. A larger matrix is computed in blocks into a temporary file, and returned as
        a memory map.

    Returns
    -------
    float, ndarray, pandas object, or Interval of them
        Shape (columns of X, columns of Y); a vector has no axis, and two vectors give a float.

    Examples
    --------
    >>> import mlfs
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> mlfs.information.mutual_information(X, [0, 0, 1, 1]).round(6).tolist()
    [0.693147, 0.0]
    >>> mlfs.information.mutual_information(X).round(6).tolist()
    [[0.693147, 0.0], [0.0, 0.693147]]
    """
    options = _options(locals())
    if interval is not None:
        return _intervals(X, Y, options)
    return _matrix(X, Y, pair_matrix.mutual_information, options, expects=True)


def symmetrical_uncertainty(
    X: Any,
    Y: Any = None,
    *,
    bins: str = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: str = "level",
    correction: str = "none",
    sample_weight: Any = None,
    as_frame: bool = False,
    out: Any = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Any:
    """Compute SU(x,y) = 2 I(x;y) / (H(x) + H(y)) of every column x of X and every y of Y.

    Parameters
    ----------
    X, Y : vector, table, frame, Dataset, path, Prepared, or CodedColumns
        See `mutual_information`.
    bins, n_bins, nominal_limit, missing, correction, sample_weight
        See `mutual_information`. The correction ``"expected"`` is not for this function.
    as_frame, out, n_jobs, max_memory
        See `mutual_information`.

    Returns
    -------
    float, ndarray, or pandas object
        Between 0 and 1 if it is not corrected; 0 for two constant columns.

    Examples
    --------
    >>> import mlfs
    >>> mlfs.information.symmetrical_uncertainty(["a", "b", "a", "b"], [1, 0, 1, 0])
    1.0
    """
    return _matrix(X, Y, pair_matrix.symmetrical_uncertainty, _options(locals()))


def conditional_mutual_information(
    X: Any,
    Y: Any,
    Z: Any,
    *,
    bins: str = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: str = "level",
    correction: str = "none",
    sample_weight: Any = None,
    as_frame: bool = False,
    out: Any = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Any:
    """Compute I(x;y|Z) of every column x of X and every column y of Y, given all of Z jointly.

    Parameters
    ----------
    X, Y : vector, table, frame, Dataset, path, Prepared, or CodedColumns
        See `mutual_information`; None for Y stands for what it does there.
    Z : the same
        What is given. Several columns are given together, as one variable of their joint values.
    bins, n_bins, nominal_limit, missing, correction, sample_weight
        See `mutual_information`. With ``missing="ignore"``, rows that miss a value of x, y or Z
        are left out. The correction ``"expected"`` is not for this function.
    as_frame, out, n_jobs, max_memory
        See `mutual_information`.

    Returns
    -------
    float, ndarray, or pandas object
        See `mutual_information`.

    Examples
    --------
    >>> import mlfs
    >>> x, y, z = [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]
    >>> round(mlfs.information.conditional_mutual_information(x, y, z), 6)
    0.693147
    """
    return _matrix(X, Y, pair_matrix.conditional, _options(locals()), (Z,))


def interaction(
    X: Any,
    Y: Any,
    Z: Any,
    *,
    bins: str = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: str = "level",
    correction: str = "none",
    sample_weight: Any = None,
    as_frame: bool = False,
    out: Any = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Any:
    """Compute I(x;y;Z) = I(x;y) - I(x;y|Z): positive for redundancy, negative for synergy.

    Parameters
    ----------
    X, Y, Z : vector, table, frame, Dataset, path, Prepared, or CodedColumns
        See `conditional_mutual_information`.
    bins, n_bins, nominal_limit, missing, correction, sample_weight
        See `conditional_mutual_information`.
    as_frame, out, n_jobs, max_memory
        See `conditional_mutual_information`.

    Returns
    -------
    float, ndarray, or pandas object
        See `mutual_information`.

    Examples
    --------
    >>> import mlfs
    >>> x, y, z = [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]
    >>> round(mlfs.information.interaction(x, y, z), 6)
    -0.693147
    """
    return _matrix(X, Y, pair_matrix.interaction, _options(locals()), (Z,))


# ---- the matrix ----------------------------------------------------------------------------------


def _matrix(
    X: Any,
    Y: Any,
    quantity: Any,
    options: dict[str, Any],
    given: Sequence[Any] = (),
    *,
    expects: bool = False,
) -> Any:
    """Compute a matrix for two arguments, or for two and a third one that is given.

    `expects` says that the expectation under independence may be subtracted.
    """
    x, y, _ = _two(X, Y, options)
    if x.correction == "expected" and not expects:
        refuse_expected()
    others = [columns_of(Z, "Z", options, x.side.weights)[0] for Z in given]
    for z in others:
        check_rows(x, z, "Z")
    matrix = _allocate((len(x), len(y)), options)
    n_threads = threads_of(options["n_jobs"])
    if others:
        joint = pair_matrix.joint_codes([z.side for z in others])
        pair_matrix.fill_triples(matrix, x.side, y.side, joint, quantity, n_threads)
    else:
        pair_matrix.fill_pairs(matrix, x.side, y.side, quantity, n_threads)
    if x.correction == "expected":
        subtract_expected(matrix, x.side, y.side)
    if isinstance(matrix, np.memmap):
        matrix.flush()
    return _shaped(matrix, x, y, options)


def _two(
    X: Any, Y: Any, options: dict[str, Any]
) -> tuple[CodedColumns, CodedColumns, np.ndarray | None]:
    """The columns of two arguments, or of one that stands for both, and the weights of the rows."""
    if Y is None:
        x, y = two_columns_of(X, options)
    else:
        x, weights = columns_of(X, "X", options, None)
        y = x if Y is X else columns_of(Y, "Y", options, weights)[0]
    check_rows(x, y, "Y")
    return x, y, x.side.weights


def _shaped(matrix: np.ndarray, x: CodedColumns, y: CodedColumns, options: Any) -> Any:
    """A matrix without the axes of vectors, or as a frame."""
    if options["as_frame"]:
        return _as_frame(matrix, x, y)
    if x.single and y.single:
        return float(matrix[0, 0])
    return matrix[0] if x.single else matrix[:, 0] if y.single else matrix


def _intervals(X: Any, Y: Any, options: dict[str, Any]) -> Interval:
    """How sure the information of each pair of columns is."""
    level = options["interval"]
    if isinstance(level, bool) or not isinstance(level, float) or not 0 < level < 1:
        msg = f"is a probability between 0 and 1, such as 0.95, not {printable(repr(level))}"
        raise UsageError(msg, option="interval")
    if options["out"] is not None:
        msg = "is for one matrix, and with an interval there are four: leave one of the two out"
        raise UsageError(msg, option="out")
    x, y, weights = _two(X, Y, options)
    why = "rows that count once: give data without weights" if weights is not None else ""
    if x.correction != "none":
        why = f"plain counts, and the correction is {x.correction!r}: take 'none'"
    if why:
        raise UsageError(f"is that of {why}", option="interval")
    made = credible.intervals(x.side, y.side, float(level))
    return Interval(*(_shaped(matrix, x, y, options) for matrix in made))


def refuse_expected() -> NoReturn:
    """Say that only mutual information has an expectation that can be subtracted."""
    msg = (
        "is 'expected', which corrects mutual information of two columns and nothing else: use "
        "'none'"
    )
    raise UsageError(msg, option="correction")


def _allocate(shape: tuple[int, int], options: Mapping[str, Any]) -> np.ndarray:
    """Memory for a matrix, or a file that is mapped to it."""
    out, size = options["out"], 8 * shape[0] * shape[1]
    if out is None:
        if size <= bytes_of(options["max_memory"]):
            return np.empty(shape)
        with tempfile.TemporaryFile() as file:  # the map keeps it until it is no longer used
            return np.memmap(file, np.float64, "w+", shape=shape)
    if not isinstance(out, (str, os.PathLike)) or not os.fspath(out).endswith(".npy"):
        msg = f"is the path of a file that ends in .npy, not {printable(repr(out))}"
        raise UsageError(msg, option="out")
    try:
        mapped: np.ndarray = np.lib.format.open_memmap(out, "w+", np.float64, shape)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        msg = f"cannot be written: {printable(os.fspath(out), 400)!r}: {why}"
        raise UsageError(msg, option="out") from None
    return mapped


def _as_frame(matrix: np.ndarray, x: CodedColumns, y: CodedColumns) -> Any:
    if x.single and y.single:
        return float(matrix[0, 0])
    pd = pandas()
    with naming_half_pairs([*x.names, *y.names]):
        if x.single:
            return pd.Series(matrix[0], index=list(y.names))
        if y.single:
            return pd.Series(matrix[:, 0], index=list(x.names))
        return pd.DataFrame(matrix, index=list(x.names), columns=list(y.names))


def _options(values: dict[str, Any]) -> dict[str, Any]:
    """The checked options of a call."""
    as_frame = values["as_frame"]
    if not isinstance(as_frame, bool):
        raise UsageError(f"is True or False, not {printable(repr(as_frame))}", option="as_frame")
    options = {name: values[name] for name in values if name not in "XYZ"}
    bytes_of(options["max_memory"])
    return {**PREPARING, "binnings": None, **options, **check_options(options)}
