"""The base of the transformers: `transform`, its inverse, and what they tell scikit-learn.

Where the page of an estimator is, to which scikit-learn's HTML links.

Where the features of a data set stand in the X that was given.

They have the same positions unless X has columns that cannot be features, such as dates.
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_array
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from mlfs.api.candidates import columns_named, grouping, groups_of_features
from mlfs.data.dataset import Dataset
from mlfs.data.frames import array_of, as_frame, columns_of, family, frame_of
from mlfs.data.matrices import check_places
from mlfs.errors import DataError, UsageError, printable
from mlfs.search.picks import Pick

PROJECT = "https://pypi.org/project/mlfs-toolkit/"
ADDRESS = "MLFS_DOCS_URL"  # the variable that names where the site is
PAGES = {"api": ("mlfs", "mlfs"), "models": ("models", "mlfs.models")}


def page_of(kind: type) -> str:
    """The address of the section of a class; empty for a class of others.

    The site is where ``MLFS_DOCS_URL`` says, or the metadata of the installed distribution;
    without either the page of the project is linked.
    """
    base = os.environ.get(ADDRESS) or _published_address()
    package, _, module = kind.__module__.partition(".")
    page, prefix = PAGES.get(module.partition(".")[0], ("", ""))
    if package != "mlfs" or not page:
        return ""
    if not base:
        return PROJECT
    return f"{base.rstrip('/')}/reference/{page}.html#{prefix}.{kind.__name__}"


@functools.cache
def _published_address() -> str:
    try:
        urls = metadata.metadata("mlfs-toolkit").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    address_of = dict(line.partition(", ")[::2] for line in urls)
    return address_of.get("Documentation", "")


def width(x: Any) -> int:
    """How many columns X has; 0 for what is no table, which `from_arrays` refuses better.

    Examples
    --------
    >>> width([[1, 2, 3], [4, 5, 6]]), width([1, 2]), width([[1], [2, 3]])
    (3, 0, 0)
    """
    try:
        shape = x.shape if hasattr(x, "shape") else np.shape(x)
    except ValueError:
        return 0
    return int(shape[1]) if len(shape) == 2 else 0


def names_of(x: Any) -> list[str]:
    """The names of the columns of X, or numbered ones."""
    return [str(n) for n in x.columns] if family(x) else [f"x{j}" for j in range(width(x))]


def _by_dtype(categorical: Any) -> bool:
    """Whether `categorical_features` leaves it to the types of the columns."""
    return categorical is None or (isinstance(categorical, str) and categorical == "from_dtype")


def categorical_names(categorical: Any, names: Sequence[str]) -> list[str] | None:
    """The names that `categorical_features` names of those of the columns of X, or None."""
    if _by_dtype(categorical):
        return None
    if not isinstance(categorical, str):
        mask = np.asarray(categorical)
        if mask.dtype == bool:
            if mask.shape != (len(names),):
                msg = (
                    f"is a mask of shape {mask.shape}, but X has {len(names)} columns: give one "
                    "value for each"
                )
                raise UsageError(msg, option="categorical_features")
            categorical = np.flatnonzero(mask)
    return [names[j] for j in columns_named(categorical, names, "categorical_features")]


def refuse_reading(classes: Any, categorical: Any) -> None:
    """Raise `UsageError` if X and y are to be read otherwise than they were prepared."""
    if classes or not _by_dtype(categorical):
        msg = (
            "say how X and y are read, and a Prepared has been read already: give them to "
            "mlfs.data.from_arrays, and prepare what it returns"
        )
        raise UsageError(msg, option=("classes", "categorical_features"))


def refuse_no_columns(x: Any) -> None:
    """Raise `DataError` if X is a table without columns."""
    shape: tuple[int, ...] = tuple(getattr(x, "shape", ()))
    if len(shape) == 2 and shape[1] == 0:
        msg = f"X has 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        raise DataError(msg)


class PickReport:
    """Writes each pick to stderr as it is made."""

    def __init__(self, groups: Any, data: Dataset) -> None:
        names, self.n_picks = data.feature_names, 0
        if groups is None:
            self._shown: Any = data.names_given
        else:
            members = grouping(groups_of_features(groups, data), names).members
            self._shown = dict(enumerate(", ".join(names[j] for j in group) for group in members))

    def __call__(self, label: str, pick: Pick) -> None:
        """Write one pick."""
        self.n_picks += 1
        for_label = f" for {printable(label)}" if label else ""
        picked = printable(self._shown[pick.index])
        sys.stderr.write(f"[FeatureSelector] pick {self.n_picks}{for_label}: {picked}\n")


AS_IT_IS: dict[str, Any] = {"dtype": None, "ensure_all_finite": False}


class ColumnSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]  # sklearn has no types
    """Keeps the columns of `support_`, which `fit` of a subclass finds for labels y."""

    support_: np.ndarray
    n_features_: int
    n_features_in_: int

    def transform(self, X: Any) -> Any:
        """Keep the selected columns, in the order of X.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (N, d)
            Whatever it holds; sparse stays sparse.

        Returns
        -------
        array, sparse matrix or frame, shape (N, n_features_)
            An array of X's own type unless `set_output` asks for frames.
        """
        check_is_fitted(self)
        columns = np.flatnonzero(self.support_).tolist()
        if not columns:
            warnings.warn("no feature is selected: transform gives no columns", stacklevel=2)
        output = _get_output_config("transform", estimator=self)["dense"]
        X = as_frame(X)
        library = family(X)
        if sp.issparse(X):
            check_places(X, "X")
        if library:
            validate_data(self, X, reset=False, skip_check_array=True)
            selected = columns_of(X, columns)
        else:
            table = validate_data(self, X, reset=False, accept_sparse="csr", **AS_IT_IS)
            selected = table[:, columns]
        if output == library or sp.issparse(selected):
            return selected
        if output != "default" and (library or selected.dtype.kind == "O"):
            return frame_of(selected, self.get_feature_names_out().tolist(), output)
        if not library:
            return selected
        return array_of(selected)

    def inverse_transform(self, X: Any) -> Any:
        """Put the selected columns back in their places, with zeros for the others.

        Parameters
        ----------
        X : array or sparse matrix, shape (N, n_features_)
            What `transform` gave, or something made of it.

        Returns
        -------
        array or sparse matrix, shape (N, d)
        """
        if sp.issparse(X):
            check_places(X, "X")
            return super().inverse_transform(X)
        check_is_fitted(self)
        selected = check_array(X, **AS_IT_IS)
        if selected.shape[1] != self.n_features_:
            msg = (
                f"X has {selected.shape[1]} columns, but {self.n_features_} features are selected: "
                "give what transform gave"
            )
            raise DataError(msg)
        restored = np.zeros((selected.shape[0], self.n_features_in_), dtype=selected.dtype)
        restored[:, self.support_] = selected
        return restored

    def _get_doc_link(self) -> str:
        """The page that scikit-learn's HTML of an estimator links to."""
        return page_of(type(self))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "support_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return self.support_
