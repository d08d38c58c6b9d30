"""What all readers of data have in common: what a refusal is, and what an accepted file must be."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.api.describe import describe
from mlfs.data.dataset import Dataset
from mlfs.data.request import LINE, Limits, Request
from mlfs.errors import MlfsError
from mlfs.formats import FORMATS
from tests.fuzz.cases import Case, Finding, Target
from tests.fuzz.readers.in_pieces import InPieces, same

REREAD = 16  # every so many accepted files are written and read again


class Reader(Target):
    """Reads a case by the format of its name; the options of a case are those of `Request`."""

    form = ""
    examples: tuple[Case, ...] = ()
    keeps_kinds = True  # npz keeps all that is in the data set

    def prepare(self) -> None:
        self.tried = 0
        self.reading = FORMATS[self.form].function("read")
        self.in_pieces = InPieces(self.form, self.suffix)
        for example in self.examples:
            assert self.run(example), self.form

    def request(self, case: Case) -> Request:
        """What the options of a case ask for."""
        options = {key: value for key, value in case.options.items() if key != "whole"}
        limits = Limits(**options.pop("limits", {}))
        return Request(**options, limits=limits)

    def read(self, case: Case) -> Dataset | str:
        """The data set, or the sentence that refuses it."""
        path = f"t{self.suffix}"
        try:
            return self.reading(case.content, path, self.request(case))
        except MlfsError as error:
            check_sentence(str(error), path)
            return str(error)

    def run(self, case: Case) -> bool:
        found = self.read(case)
        self.compare(case, found)
        if case.content and self.in_pieces.chosen(case.content):
            same(found, self.in_pieces.read(case.content, f"t{self.suffix}", self.request(case)))
        if isinstance(found, str):
            return False
        check_sound(found, self.request(case).limits)
        describe(found).to_dict()
        self.tried += 1
        if self.tried % REREAD == 0:
            check_again(found)
        return True

    def compare(self, case: Case, found: Dataset | str) -> None:
        """Compare what was read (or refused) with what somebody else reads."""


def check_sentence(text: str, path: str) -> None:
    """Hold a refusal to one short line of printable characters that names the file."""
    if path not in text:
        raise Finding(f"does not name the file: {text[:200]}")
    if not text.isprintable():
        raise Finding(f"holds what cannot be printed: {text[:200]!r}")
    if len(text) > 1200:
        raise Finding(f"is {len(text)} characters long: {text[:100]}")


def _demand(true: Any, what: str) -> None:
    if not true:
        raise Finding(what)


def check_sound(data: Dataset, limits: Limits) -> None:
    """Hold a data set to what its class promises, and to the limits."""
    n, d, q = data.shape
    _demand(n > 0 and d > 0, "there is no row or no feature")
    cells = LINE * d if data.is_sparse else n * d
    _demand(cells <= limits.max_cells, "more cells than the limit")
    _demand(data.Y.shape[0] == n and len(data.columns) == d and len(data.labels) == q, "shapes")
    X, Y = data.X, data.Y
    for name, matrix in (("X", X), ("Y", Y)):
        if sp.issparse(matrix):
            matrix.check_format(full_check=True)
            _demand(matrix.format == "csr" and matrix.has_canonical_format, f"{name} is no csr")
            _demand(matrix.data.all() or name == "X", f"{name} stores a zero")
    x = X.data if sp.issparse(X) else X
    _demand(x.dtype == np.float64, "X is no float64")
    _demand(not np.isinf(x).any(), "X holds an infinite value")
    _demand(Y.dtype in (np.int8, np.int32), f"Y is of type {Y.dtype}")
    for j, column in enumerate(data.columns if d < 100 else ()):
        if column.kind == "nominal":
            own = np.asarray(X[:, [j]].toarray() if sp.issparse(X) else X[:, j]).ravel()
            own = own[~np.isnan(own)]
            inside = (own >= 0) & (own < len(column.values)) & (own == np.floor(own))
            _demand(inside.all(), "a nominal code is not among the values")
            _demand(len(set(column.values)) == len(column.values), "two values are the same")
    for j, label in enumerate(data.labels if q < 100 else ()):
        own = np.asarray(Y[:, [j]].toarray() if sp.issparse(Y) else Y[:, j]).ravel()
        top = max(len(label.values), 1)
        _demand(((own >= -1) & (own < top)).all(), "a label is not among its values")
        _demand(len(set(label.values)) == len(label.values), "two values of a label are the same")
    for names in (data.feature_names[:1000], data.label_names[:1000]):
        _demand(len(set(names)) == len(names), "two names are the same")
    if data.weights is not None:
        _demand(data.weights.shape == (n,) and np.isfinite(data.weights).all(), "weights")


def check_again(data: Dataset) -> None:
    """Write the data set as npz, and read it back equal."""
    out = io.BytesIO()
    form = FORMATS["npz"]
    if max(data.shape) > 1000:
        return
    if any(column.kind == "nominal" and not column.values for column in data.columns):
        return  # a column of text without any: npz keeps no kind without values
    try:
        form.function("write")(data, out)
    except MlfsError as error:
        if "NUL" in str(error):
            return
        raise
    back = form.function("read")(out.getvalue(), "t.npz", Request(classes=True))
    check_equal(data, back)


def dense(matrix: Any) -> np.ndarray:
    """An array, whatever it was."""
    return matrix.toarray() if sp.issparse(matrix) else np.asarray(matrix)


def check_equal(one: Dataset, other: Dataset) -> None:
    """Hold two data sets to the same numbers, names and kinds."""
    for name, a, b in (("X", one.X, other.X), ("Y", one.Y, other.Y)):
        if a.shape != b.shape or not np.array_equal(dense(a), dense(b), equal_nan=name == "X"):
            raise Finding(f"{name} reads back otherwise")
    if tuple(one.columns) != tuple(other.columns):
        raise Finding("the columns read back otherwise")
    if tuple(one.labels) != tuple(other.labels):
        raise Finding("the labels read back otherwise")
    if (one.weights is None) != (other.weights is None):
        raise Finding("the weights read back otherwise")


def check_numbers(what: str, found: Any, expected: Any) -> None:
    """Hold a matrix to what somebody else has read."""
    a, b = dense(found), dense(expected)
    if a.shape != b.shape or not np.array_equal(
        a.astype(np.float64), b.astype(np.float64), equal_nan=True
    ):
        raise Finding(f"{what} is read otherwise by somebody else")


__all__ = ["Reader", "check_again", "check_equal", "check_numbers", "check_sentence", "check_sound"]
