"""Check what scikit-learn keeps in compiled code, which does not check it itself.

- A decision tree is stored as the columns of its nodes. Every child comes after its parent and is
  the child of one node, every feature exists, the depth is counted anew.
- The search tree of a neighbours classifier is built again from its rows.
- The parts of a kernel machine have to fit each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.errors import DataError

__all__ = [
    "CODECS", "NAMES", "DamagedError", "check", "put_together", "taken_apart", "without_trees",
]  # fmt: skip

TREE = "sklearn.tree._tree.Tree"
SEARCH = "sklearn.neighbors tree"
CODECS = (TREE, SEARCH)
NAMES = {"Tree": TREE, "_SearchTree": SEARCH}
SEARCH_TREES = {"KDTree": "KDTree", "BallTree": "BallTree"}
KERNELS = ("linear", "poly", "rbf", "sigmoid")


class DamagedError(DataError):
    """A part of a model file that is not what mlfs writes."""


class _SearchTree:
    """Says that a search tree is to be built again."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


def _demand(condition: Any, complaint: str) -> None:
    if not condition:
        raise DamagedError(complaint)


def taken_apart(value: Any) -> dict[str, Any]:
    """The state of a compiled object as plain values."""
    if isinstance(value, _SearchTree):
        return {"kind": value.kind}
    _, (n_features, n_classes, n_outputs), state = value.__reduce__()
    nodes = state["nodes"]
    fields = {name: np.ascontiguousarray(nodes[name]) for name in nodes.dtype.names}
    return {
        "n_features": int(n_features),
        "n_classes": n_classes,
        "n_outputs": int(n_outputs),
        "fields": fields,
        "values": state["values"],
    }


def put_together(name: str, state: dict[str, Any]) -> Any:
    """The compiled object of a checked state."""
    if name == SEARCH:
        _demand(state.get("kind") in SEARCH_TREES, "a search tree is of no known kind")
        return _SearchTree(state["kind"])
    try:
        return _tree(**state)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, DamagedError):
            raise
        raise DamagedError("a decision tree in it is wrong") from None


def _tree(n_features: Any, n_classes: Any, n_outputs: Any, fields: Any, values: Any) -> Any:
    from sklearn.tree import _tree as compiled

    _demand(type(n_features) is int and 0 < n_features < 1 << 40, "a tree has no features")
    _demand(n_outputs == 1 and type(n_outputs) is int, "a tree has several outputs")
    one = isinstance(n_classes, np.ndarray) and n_classes.shape == (1,)
    _demand(one and n_classes.dtype.kind == "i" and 0 < n_classes[0] < 1 << 20, "no classes")
    dtype = compiled.NODE_DTYPE
    if not isinstance(fields, dict) or set(fields) != set(dtype.names):
        raise DataError(
            "its decision trees were made by another version of scikit-learn, whose trees have "
            "other parts: use that version, or train again"
        )
    n = len(fields["left_child"])
    for field in dtype.names:
        part = fields[field]
        fits = isinstance(part, np.ndarray) and part.shape == (n,) and part.dtype == dtype[field]
        _demand(fits and n, f"{field} of a tree is wrong")
    shape = (n, 1, int(n_classes[0]))
    good = isinstance(values, np.ndarray) and values.shape == shape and values.dtype == np.float64
    _demand(good, "the values of a tree are wrong")
    nodes = np.zeros(n, dtype=dtype)
    for field in dtype.names:
        nodes[field] = fields[field]
    tree = compiled.Tree(n_features, n_classes.astype(np.intp), 1)
    depth = _depth(nodes["left_child"], nodes["right_child"], nodes["feature"], n_features)
    tree.__setstate__(
        {
            "max_depth": depth,
            "node_count": n,
            "nodes": nodes,
            "values": np.ascontiguousarray(values),
        }
    )
    return tree


def _depth(left: np.ndarray, right: np.ndarray, feature: np.ndarray, n_features: int) -> int:
    """How deep a tree is, once it is sure to be one."""
    n = len(left)
    inner = np.flatnonzero(left != -1)
    _demand((right[left == -1] == -1).all(), "a leaf has a child")
    children = np.concatenate([left[inner], right[inner]])
    _demand((children > np.tile(inner, 2)).all() and (children < n).all(), "a tree is no tree")
    times = np.bincount(children, minlength=n)
    _demand(times[0] == 0 and (times[1:] == 1).all(), "a tree is no tree")
    _demand((feature[inner] >= 0).all() and (feature[inner] < n_features).all(), "no such feature")
    depth, level = 0, np.zeros(1, dtype=np.intp)
    while True:
        level = level[left[level] != -1]
        if not level.size:
            return depth
        level = np.concatenate([left[level], right[level]])
        depth += 1


def without_trees(value: Any) -> dict[str, Any]:
    """The attributes of an estimator, its search tree (which is built again) by its kind."""
    state = dict(vars(value))
    tree = state.get("_tree")
    kind = type(tree).__name__.rstrip("0123456789") if tree is not None else ""
    if kind in SEARCH_TREES:
        state["_tree"] = _SearchTree(kind)
    return state


def check(made: Any) -> None:
    """Make sure that what compiled code will read fits together, where it is fitted."""
    name = type(made).__name__
    if name in CHECKS:
        own = set(vars(made)) - set(type(made)._get_param_names())  # noqa: SLF001  # scikit-learn's
        if any(key.startswith("_") or key.endswith("_") for key in own):
            CHECKS[name](made)


def _check_tree(made: Any) -> None:
    from sklearn.tree._tree import Tree

    _demand(isinstance(made.tree_, Tree), "a decision tree has no tree")
    width = made.n_features_in_
    _demand(type(width) is int and made.tree_.n_features == width, "a tree has other features")


def _check_forest(made: Any) -> None:
    _demand(isinstance(made.estimators_, list) and made.estimators_, "a forest has no trees")
    for tree in made.estimators_:
        _demand(type(tree).__name__ in ("DecisionTreeClassifier", "ExtraTreeClassifier"), "no tree")
        _check_tree(tree)
        same = tree.n_features_in_ == made.n_features_in_ and type(made.n_features_in_) is int
        _demand(same, "a tree of a forest has other features")


def _check_neighbours(made: Any) -> None:
    X, y, classes = made._fit_X, made._y, made.classes_  # noqa: SLF001  # what is stored
    _demand(isinstance(classes, np.ndarray) and classes.ndim == 1, "no classes")
    _demand(sp.issparse(X) or (isinstance(X, np.ndarray) and X.dtype.kind == "f"), "no rows")
    _demand(X.ndim == 2 and made.n_samples_fit_ == X.shape[0], "no rows")
    _demand(X.shape[1] == made.n_features_in_, "the rows have other features")
    whole = isinstance(y, np.ndarray) and y.dtype.kind == "i" and y.shape == (X.shape[0],)
    _demand(whole and (y >= 0).all() and (y < len(classes)).all(), "a class is unknown")
    _demand(isinstance(made.effective_metric_, str), "the metric is no name")
    tree = made._tree  # noqa: SLF001  # what is stored
    _demand(tree is None or isinstance(tree, _SearchTree), "a search tree is none")
    if tree is not None:
        from sklearn import neighbors

        kind = getattr(neighbors, SEARCH_TREES[tree.kind])
        _demand(made.effective_metric_ in kind.valid_metrics, "the metric is unknown")
        _demand(type(made.leaf_size) is int and made.leaf_size > 0, "the leaves have no size")
        params = made.effective_metric_params_
        made._tree = kind(X, made.leaf_size, metric=made.effective_metric_, **params)  # noqa: SLF001


def _check_kernel_machine(made: Any) -> None:
    vectors, counts, duals = made.support_vectors_, made._n_support, made._dual_coef_  # noqa: SLF001
    k = len(made.classes_)
    n = vectors.shape[0]
    _demand(k >= 2 and made.kernel in KERNELS, "the kernel is unknown")
    _demand(sp.issparse(vectors) == made._sparse and vectors.ndim == 2, "no support vectors")  # noqa: SLF001
    _demand(sp.issparse(duals) == made._sparse and duals.shape == (k - 1, n), "no coefficients")  # noqa: SLF001
    whole = counts.dtype == np.int32 and counts.shape == (k,) and (counts >= 0).all()
    _demand(whole and int(counts.sum(dtype=np.int64)) == n, "the support vectors are miscounted")
    width = made.n_features_in_
    _demand(vectors.shape[1] == width == made.shape_fit_[1], "other features")
    pairs = k * (k - 1) // 2
    _demand(made._intercept_.shape == (pairs,), "an intercept is not there")
    for part in (made._probA, made._probB):  # noqa: SLF001
        _demand(part.shape in ((0,), (pairs,)) and part.dtype == np.float64, "no probabilities")
    _demand(made._probA.shape == made._probB.shape, "no probabilities")  # noqa: SLF001
    _demand(made.support_.shape == (n,) and made.support_.dtype == np.int32, "no support")
    if sp.issparse(vectors):
        _demand(vectors.format == duals.format == "csr", "the support vectors are not rows")


CHECKS: dict[str, Callable[[Any], None]] = {
    "DecisionTreeClassifier": _check_tree,
    "ExtraTreeClassifier": _check_tree,
    "RandomForestClassifier": _check_forest,
    "ExtraTreesClassifier": _check_forest,
    "KNeighborsClassifier": _check_neighbours,
    "RadiusNeighborsClassifier": _check_neighbours,
    "SVC": _check_kernel_machine,
    "NuSVC": _check_kernel_machine,
}
