"""The decision trees of scikit-learn: compiled code reads them without checking them.

A tree is stored as the columns of its nodes. Every child comes after its parent and is the child
of one node, every feature exists, the depth is counted anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlfs.errors import DataError
from mlfs.models.storage.storable import DamagedError, demand

TREE = "sklearn.tree._tree.Tree"


def take_apart(tree: Any) -> dict[str, Any]:
    """The state of a compiled tree as plain values."""
    _, (n_features, n_classes, n_outputs), state = tree.__reduce__()
    nodes = state["nodes"]
    fields = {name: np.ascontiguousarray(nodes[name]) for name in nodes.dtype.names}
    return {
        "n_features": int(n_features),
        "n_classes": n_classes,
        "n_outputs": int(n_outputs),
        "fields": fields,
        "values": state["values"],
    }


def put_together(state: dict[str, Any]) -> Any:
    """The compiled tree of a state, which is checked."""
    try:
        return _tree(**state)
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, DamagedError):
            raise
        raise DamagedError("a decision tree in it is wrong") from None


def check_tree(tree: Any) -> None:
    """Check that a fitted decision tree has the features and classes of its compiled tree."""
    from sklearn.tree._tree import Tree

    demand(isinstance(tree.tree_, Tree), "a decision tree has no tree")
    width = tree.n_features_in_
    demand(type(width) is int and tree.tree_.n_features == width, "a tree has other features")
    same = tree.tree_.n_classes.tolist() == [len(tree.classes_)]
    demand(same, "a tree has other classes")


def check_forest(forest: Any) -> None:
    """Check that the trees of a forest are trees of its features."""
    trees = forest.estimators_
    demand(isinstance(trees, list) and trees, "a forest has no trees")
    for tree in trees:
        demand(type(tree).__name__ in ("DecisionTreeClassifier", "ExtraTreeClassifier"), "no tree")
        check_tree(tree)
        demand(tree.n_features_in_ == forest.n_features_in_, "a tree has other features")


def _tree(n_features: Any, n_classes: Any, n_outputs: Any, fields: Any, values: Any) -> Any:
    from sklearn.tree import _tree as compiled

    demand(type(n_features) is int and 0 < n_features < 1 << 40, "a tree has no features")
    demand(n_outputs == 1 and type(n_outputs) is int, "a tree has several outputs")
    has_classes = isinstance(n_classes, np.ndarray) and n_classes.shape == (1,)
    demand(has_classes and n_classes.dtype.kind == "i" and 0 < n_classes[0] < 1 << 20, "no classes")
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
        demand(fits and n, f"{field} of a tree is wrong")
    shape = (n, 1, int(n_classes[0]))
    good = isinstance(values, np.ndarray) and values.shape == shape and values.dtype == np.float64
    shares = good and ((values >= 0) & (values <= 1)).all()
    demand(shares, "the values of a tree are no shares of classes")
    demand(not np.isnan(fields["threshold"]).any(), "a threshold of a tree is no number")
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
    """The depth of a tree, which is checked to be one."""
    n = len(left)
    inner = np.flatnonzero(left != -1)
    demand((right[left == -1] == -1).all(), "a leaf has a child")
    children = np.concatenate([left[inner], right[inner]])
    demand((children > np.tile(inner, 2)).all() and (children < n).all(), "a tree is no tree")
    times = np.bincount(children, minlength=n)
    demand(times[0] == 0 and (times[1:] == 1).all(), "a tree is no tree")
    demand((feature[inner] >= 0).all() and (feature[inner] < n_features).all(), "no such feature")
    depth, level = 0, np.zeros(1, dtype=np.intp)
    while True:
        level = level[left[level] != -1]
        if not level.size:
            return depth
        level = np.concatenate([left[level], right[level]])
        depth += 1
