"""Make objects from JSON and arrays; whatever does not fit is refused.

The fields of a dataclass are checked against the types that it is annotated with. Decision trees
are read by compiled code that does not check them: they are stored as the columns of their nodes,
where every child comes after its parent and is the child of one node, every feature exists, and the
depth is counted anew.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import os
import types
import typing
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Union

import numpy as np

from mlfs.errors import DataError, MlfsError, printable
from mlfs.models.storage.archive import TYPES
from mlfs.models.storage.storable import (
    DEEPEST,
    MOST_NESTED,
    SKLEARN,
    SPARSE,
    DamagedError,
    check_learner,
    class_named,
    demand,
    is_attribute,
    is_key,
    is_record,
    parameter_names,
)

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
    nodes = np.zeros(len(fields["left_child"]), dtype=dtype)
    for field in dtype.names:
        demand(fields[field].dtype == dtype[field], f"{field} of a tree is wrong")
        nodes[field] = fields[field]
    demand(len(nodes), "a tree has no nodes")
    demand(((values >= 0) & (values <= 1)).all(), "the values of a tree are no shares of classes")
    demand(not np.isnan(nodes["threshold"]).any(), "a threshold of a tree is no number")
    tree = compiled.Tree(n_features, n_classes.astype(np.intp), 1)
    depth = _depth(nodes["left_child"], nodes["right_child"], nodes["feature"], n_features)
    state = {"max_depth": depth, "node_count": len(nodes), "nodes": nodes}
    tree.__setstate__({**state, "values": np.ascontiguousarray(values)})  # checks their shapes
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


def check_fields(cls: Any, state: Mapping[str, Any]) -> None:
    """Check the values of the fields of a dataclass against their annotations."""
    hints = _hints(cls)
    for name, value in state.items():
        demand(name in hints, f"a {cls.__name__} has no field {name[:40]!r}")
        demand(matches(value, hints[name]), f"{name} of a {cls.__name__} is wrong")


@cache
def _hints(cls: Any) -> dict[str, Any]:
    unknown: dict[str, Any] = {}  # names that only a type checker imports: files hold None there
    while True:
        try:
            hints = typing.get_type_hints(cls, localns=unknown)
            break
        except NameError as error:
            unknown[str(error.name)] = type(None)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}


def matches(value: Any, hint: Any) -> bool:
    """Whether a value is of the type of an annotation."""
    kind, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind in (Any, None, type(None)):
        return kind is Any or value is None
    if kind in (Union, types.UnionType):
        return any(matches(value, part) for part in inner)
    if kind in (int, float):
        numbers = (int, np.integer) if kind is int else (int, float)
        return isinstance(value, numbers) and not isinstance(value, bool)
    if not isinstance(value, kind):
        return False
    if kind is tuple:
        hints = inner[:1] * len(value) if inner[1:] == (Ellipsis,) else inner
        return len(value) == len(hints) and all(map(matches, value, hints))
    if inner and issubclass(kind, Mapping):
        return all(matches(k, inner[0]) and matches(v, inner[1]) for k, v in value.items())
    if inner and issubclass(kind, Sequence):
        return not isinstance(value, str) and all(matches(part, inner[0]) for part in value)
    return True


# Limits of shared objects: they must not cost time or memory out of proportion to the file.
SHARED, SHARED_FREE = 10, 10_000
PADDED, PADDED_FREE = 64, 1 << 20

# The exceptions that other packages raise for an unexpected state of an object.
WRONG = (ArithmeticError, AssertionError, AttributeError, LookupError, NotImplementedError,
         TypeError, ValueError, MlfsError)  # fmt: skip


class Reader:
    """Puts values together again; whatever does not fit raises `DamagedError`.

    Parameters
    ----------
    objects : list
        The objects of a header, each after those that it holds.
    arrays : list of ndarray
        The arrays of the file.
    other_version : bool
        Whether other versions wrote the file: a parameter that they did not have gets its default,
        and an attribute that is computed by now is dropped.
    """

    def __init__(
        self, objects: Any, arrays: list[np.ndarray], *, other_version: bool = False
    ) -> None:
        self.arrays = arrays
        self.other_version = other_version
        self.objects: list[Any] = []
        self.unfolded: list[int] = []  # how many objects each would be if none were shared
        self._unfolded = 0
        self.nested: list[int] = []  # how many classifiers or the like each has inside each other
        self._nested = 0
        demand(isinstance(objects, list), "there is no list of objects")
        for description in objects:
            demand(
                isinstance(description, list)
                and len(description) == 2
                and isinstance(description[0], str)
                and isinstance(description[1], dict),
                "an object is not a name and its parts",
            )
            self._unfolded, self._nested = 1, 0
            value = self._build(description[0], description[1], SHARED * len(objects) + SHARED_FREE)
            self.objects.append(value)
            self.unfolded.append(self._unfolded)
            self.nested.append(self._nested)

    def value(self, node: Any, depth: int = 0) -> Any:
        """The value of a JSON node.

        Examples
        --------
        >>> Reader([], []).value({"tuple": [1, {"dict": [["a", 2]]}]})
        (1, {'a': 2})
        """
        demand(depth <= DEEPEST, "it is nested too deeply")
        if isinstance(node, list):
            return [self.value(item, depth + 1) for item in node]
        if not isinstance(node, dict):
            in_range = not isinstance(node, int) or -(1 << 63) <= node < 1 << 64
            demand(in_range and (not isinstance(node, float) or math.isfinite(node)), "no number")
            return node
        demand(len(node) == 1, "a value does not say what it is")
        ((kind, content),) = node.items()
        build: Callable[[Any, int], Any] | None = getattr(self, f"_of_{kind}", None)
        if build is None or kind not in KINDS:
            raise DamagedError(f"there are no values of kind {printable(kind)!r}")
        return build(content, depth)

    def _of_float(self, content: Any, _: int) -> float:
        demand(content in ("nan", "inf", "-inf"), "a number is none")
        return float(content)

    def _of_tuple(self, content: Any, depth: int) -> tuple[Any, ...]:
        return tuple(self._list(content, depth))

    def _list(self, content: Any, depth: int) -> list[Any]:
        demand(isinstance(content, list), "a list is none")
        return [self.value(item, depth + 1) for item in content]

    def _of_dict(self, content: Any, depth: int) -> dict[Any, Any]:
        demand(isinstance(content, list), "a dict is none")
        result: dict[Any, Any] = {}
        for pair in content:
            demand(isinstance(pair, list) and len(pair) == 2, "a dict does not hold pairs")
            key = self.value(pair[0], depth + 1)
            demand(is_key(key), "a dict has a key that cannot be one")
            demand(key not in result, "a dict has a key twice")
            result[key] = self.value(pair[1], depth + 1)
        return result

    def _of_dtype(self, content: Any, _: int) -> Any:
        demand(isinstance(content, str) and content in TYPES, "a type of numbers is unknown")
        return TYPES[content].newbyteorder("=")

    def _of_array(self, content: Any, _: int) -> np.ndarray:
        demand(type(content) is int and 0 <= content < len(self.arrays), "an array is not there")
        return self.arrays[content]

    def _of_scalar(self, content: Any, depth: int) -> Any:
        array = self._of_array(content, depth)
        demand(array.ndim == 0, "a single number is none")
        return array[()]

    def _of_texts(self, content: Any, depth: int) -> np.ndarray:
        shape, items = self._shaped(content, depth)
        demand(all(isinstance(item, str) for item in items), "a text is none")
        lengths = [len(item) for item in items]
        padded = 4 * len(items) * max(lengths, default=0)
        demand(padded <= PADDED * sum(lengths) + PADDED_FREE, "one text is much too long")
        return np.array(items, dtype=str).reshape(shape)

    def _of_objects(self, content: Any, depth: int) -> np.ndarray:
        shape, items = self._shaped(content, depth)
        array = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):
            array[i] = item
        return array.reshape(shape)

    def _shaped(self, content: Any, depth: int) -> tuple[tuple[int, ...], list[Any]]:
        demand(isinstance(content, list) and len(content) == 2, "an array is none")
        items = self._list(content[1], depth)
        shape = content[0]
        good = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
        demand(good and len(shape) <= 8 and math.prod(shape) == len(items), "an array is none")
        return tuple(shape), items

    def _of_sparse(self, content: Any, depth: int) -> Any:
        demand(isinstance(content, list) and len(content) == 3, "no sparse matrix")
        (kind, shape), parts = content[:2], self._list(content[2], depth)
        demand(isinstance(kind, str) and kind in SPARSE, "no sparse matrix")
        arrays = all(isinstance(part, np.ndarray) for part in parts)
        demand(
            arrays and all(part.dtype.kind in "iu" for part in parts[1:]), "its indices are none"
        )
        try:
            matrix = SPARSE[kind](tuple(parts), shape=tuple(shape))
            matrix.check_format(full_check=True)
        except (ValueError, TypeError, OverflowError, IndexError):
            raise DamagedError("a sparse matrix is none") from None
        # scipy does not look at these where there are no entries
        demand(
            bool((matrix.indptr[1:] >= matrix.indptr[:-1]).all()),
            "the rows of a sparse matrix are none",
        )
        return matrix

    def _of_object(self, content: Any, _: int) -> Any:
        demand(type(content) is int and 0 <= content < len(self.objects), "an object is not there")
        self._unfolded += self.unfolded[content]
        self._nested = max(self._nested, self.nested[content])
        return self.objects[content]

    def _build(self, name: str, nodes: dict[str, Any], most: int) -> Any:
        cls: Any = _tree if name == TREE else class_named(name)
        if cls is None:
            raise DamagedError(f"it names {printable(name)!r}, which no model file may hold")
        state = {key: self.value(node) for key, node in nodes.items()}
        demand(self._unfolded <= most, "its objects name each other too often")
        is_plain = cls is _tree or is_record(cls)
        self._nested += not is_plain
        demand(self._nested <= MOST_NESTED, "its classifiers are nested too deeply")
        try:
            if not is_plain:
                state = _carry_over(cls, state) if self.other_version else state
                return _estimator(cls, name, state)
            if cls is not _tree:
                check_fields(cls, state)
            return cls(**state)
        except WRONG as error:
            if isinstance(error, DamagedError):
                raise
            kind, message = printable(name.rpartition(".")[2]), printable(error, 200)
            raise DamagedError(f"a {kind} in it is wrong: {message}") from None


KINDS = frozenset(name.removeprefix("_of_") for name in vars(Reader) if name.startswith("_of_"))


def _carry_over(cls: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The state of an object as another version would have left it for this one."""
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(cls).parameters.items()
        if parameter.default is not parameter.empty
    }
    return {**defaults, **state}


def _estimator(cls: Any, name: str, state: dict[str, Any]) -> Any:
    """An object made by its constructor, with what `fit` left.

    It prints no progress, and uses no more processors than there are here.
    """
    parameters = parameter_names(cls)
    lacking = [key for key in parameters if key not in state]
    demand(not lacking, f"a {cls.__name__} lacks {', '.join(lacking)}")
    jobs = state.get("n_jobs")
    if jobs is not None:
        demand(type(jobs) is int and abs(jobs) < 1 << 31, "n_jobs is no number")
        state["n_jobs"] = min(jobs, os.cpu_count() or 1)
    if isinstance(state.get("verbose"), (int, bool)):
        state["verbose"] = type(state["verbose"])(0)
    estimator = cls(**{key: state.pop(key) for key in parameters})
    for key in state:
        shown = printable(key)
        demand(is_attribute(cls, key, name), f"{shown!r} is no attribute of a {cls.__name__}")
    if name.endswith("KNeighborsClassifier"):
        return _fit_again(estimator, state)
    vars(estimator).update(state)
    if hasattr(estimator, "check"):  # an inference
        estimator.check()
    if name in SKLEARN:
        _complete(estimator, fitted=bool(state))
    return estimator


def _fit_again(neighbours: Any, state: dict[str, Any]) -> Any:
    """A neighbours classifier with its rows."""
    if "_fit_X" not in state:
        return neighbours
    classes = state["classes_"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that sparse rows have no search tree
        neighbours.fit(state["_fit_X"], classes[state["_y"]])
    demand(np.array_equal(neighbours.classes_, classes), "a class of the neighbours has no row")
    if "feature_names_in_" in state:
        neighbours.feature_names_in_ = state["feature_names_in_"]
    return neighbours


def _complete(estimator: Any, *, fitted: bool) -> None:
    """Check a fitted learner or scaler of scikit-learn, and make what is not stored."""
    kind = type(estimator).__name__
    if not fitted:
        return
    estimator._validate_params()  # noqa: SLF001  # what each fit of scikit-learn does first
    if kind == "RidgeClassifier":
        from sklearn.preprocessing import LabelBinarizer

        estimator._label_binarizer = LabelBinarizer(pos_label=1, neg_label=-1).fit([0, 1])  # noqa: SLF001
    if hasattr(estimator, "predict"):
        check_learner(estimator)
    if kind in ("DecisionTreeClassifier", "ExtraTreeClassifier"):
        check_tree(estimator)
    if kind in ("RandomForestClassifier", "ExtraTreesClassifier"):
        check_forest(estimator)
