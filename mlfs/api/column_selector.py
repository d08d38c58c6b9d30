"""What the transformers share: `transform`, its inverse, and what they tell scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_array
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from mlfs.api.documentation import page_of
from mlfs.data.frames import array_of, as_frame, columns_of, family, frame_of
from mlfs.data.matrices import check_places
from mlfs.errors import DataError

__all__ = ["ColumnSelector"]

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
