"""Make objects from JSON and arrays; whatever does not fit is refused."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mlfs.errors import MlfsError, printable
from mlfs.models.storage import native
from mlfs.models.storage.allowed import DEEPEST, SPARSE, class_named
from mlfs.models.storage.archive import TYPES
from mlfs.models.storage.native import DamagedError
from mlfs.models.storage.writer import is_computed

__all__ = ["Reader"]

MOST_JOBS = 4096


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
        self.names: list[str] = []
        _demand(isinstance(objects, list), "there is no list of objects")
        for one in objects:
            _demand(
                isinstance(one, list)
                and len(one) == 2
                and isinstance(one[0], str)
                and isinstance(one[1], dict),
                "an object is not a name and its parts",
            )
            self.objects.append(self._made(*one))
            self.names.append(one[0])

    def value(self, node: Any, depth: int = 0) -> Any:
        """The value of a JSON node.

        Examples
        --------
        >>> Reader([], []).value({"tuple": [1, {"dict": [["a", 2]]}]})
        (1, {'a': 2})
        """
        _demand(depth <= DEEPEST, "it is nested too deeply")
        if isinstance(node, list):
            return [self.value(one, depth + 1) for one in node]
        if not isinstance(node, dict):
            return node
        _demand(len(node) == 1, "a value does not say what it is")
        ((kind, content),) = node.items()
        build: Callable[[Any, int], Any] | None = getattr(self, f"_of_{kind}", None)
        if build is None or kind not in KINDS:
            raise DamagedError(f"there are no values of kind {printable(kind)!r}")
        return build(content, depth)

    def _of_float(self, content: Any, _: int) -> float:
        _demand(content in ("nan", "inf", "-inf"), "a number is none")
        return float(content)

    def _of_tuple(self, content: Any, depth: int) -> tuple[Any, ...]:
        return tuple(self._list(content, depth))

    def _list(self, content: Any, depth: int) -> list[Any]:
        _demand(isinstance(content, list), "a list is none")
        return [self.value(one, depth + 1) for one in content]

    def _of_dict(self, content: Any, depth: int) -> dict[Any, Any]:
        _demand(isinstance(content, list), "a dict is none")
        found: dict[Any, Any] = {}
        for pair in content:
            _demand(isinstance(pair, list) and len(pair) == 2, "a dict does not hold pairs")
            key = self.value(pair[0], depth + 1)
            try:
                found[key] = self.value(pair[1], depth + 1)
            except TypeError:
                raise DamagedError("a dict has a key that cannot be one") from None
        return found

    def _of_bunch(self, content: Any, depth: int) -> Any:
        from sklearn.utils import Bunch

        found = self._of_dict(content, depth)
        _demand(all(isinstance(key, str) for key in found), "a name is no text")
        return Bunch(**found)

    def _of_dtype(self, content: Any, _: int) -> Any:
        _demand(isinstance(content, str) and content in TYPES, "a type of numbers is unknown")
        return TYPES[content].newbyteorder("=")

    def _of_array(self, content: Any, _: int) -> np.ndarray:
        _demand(type(content) is int and 0 <= content < len(self.arrays), "an array is not there")
        return self.arrays[content]

    def _of_scalar(self, content: Any, depth: int) -> Any:
        array = self._of_array(content, depth)
        _demand(array.ndim == 0, "a single number is none")
        return array[()]

    def _of_texts(self, content: Any, depth: int) -> np.ndarray:
        shape, items = self._shaped(content, depth)
        _demand(all(isinstance(item, str) for item in items), "a text is none")
        return np.array(items, dtype=str).reshape(shape)

    def _of_objects(self, content: Any, depth: int) -> np.ndarray:
        shape, items = self._shaped(content, depth)
        array = np.empty(len(items), dtype=object)
        for i, item in enumerate(items):
            array[i] = item
        return array.reshape(shape)

    def _shaped(self, content: Any, depth: int) -> tuple[tuple[int, ...], list[Any]]:
        _demand(isinstance(content, list) and len(content) == 2, "an array is none")
        items = self._list(content[1], depth)
        shape = content[0]
        good = isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
        _demand(good and len(shape) <= 8 and math.prod(shape) == len(items), "an array is none")
        return tuple(shape), items

    def _of_sparse(self, content: Any, depth: int) -> Any:
        good = isinstance(content, list) and len(content) == 3
        _demand(good and isinstance(content[0], str) and content[0] in SPARSE, "no sparse matrix")
        kind, shape = content[:2]
        parts = self._list(content[2], depth)
        flat = all(isinstance(part, np.ndarray) and part.ndim == 1 for part in parts)
        _demand(flat and len(parts) == 3, "a sparse matrix has not its three parts")
        _demand(all(part.dtype.kind in "iu" for part in parts[1:]), "its indices are no integers")
        sizes = isinstance(shape, list) and len(shape) == 2
        _demand(sizes and all(type(n) is int and 0 <= n < 1 << 48 for n in shape), "no shape")
        try:
            matrix = SPARSE[kind](tuple(parts), shape=tuple(shape))
            matrix.check_format(full_check=True)
        except (ValueError, TypeError, OverflowError):
            raise DamagedError("a sparse matrix is none") from None
        return matrix

    def _of_object(self, content: Any, _: int) -> Any:
        _demand(type(content) is int and 0 <= content < len(self.objects), "an object is not there")
        return self.objects[content]

    def _made(self, name: str, nodes: dict[str, Any]) -> Any:
        if name in native.CODECS:
            return native.put_together(name, {key: self.value(n) for key, n in nodes.items()})
        cls = class_named(name)
        if cls is None:
            raise DamagedError(f"it names {printable(name)!r}, which no model file may hold")
        state = {key: self.value(node) for key, node in nodes.items()}
        try:
            if dataclasses.is_dataclass(cls):
                return _sound(cls(**state))
            made = _estimator(cls, _carried_over(cls, state) if self.other_version else state)
            native.check(made)
        except (TypeError, ValueError, LookupError, AttributeError, MlfsError) as error:
            if isinstance(error, DamagedError):
                raise
            message = printable(error, 200)
            raise DamagedError(f"a {printable(cls.__name__)} in it is wrong: {message}") from None
        return made


KINDS = frozenset(name.removeprefix("_of_") for name in vars(Reader) if name.startswith("_of_"))


def _demand(condition: Any, complaint: str) -> None:
    if not condition:
        raise DamagedError(complaint)


def _sound(made: Any) -> Any:
    """What was learned about the labels of a structure, if it fits that structure."""
    if type(made).__name__ == "FittedConditionals":
        parents = made.structure.parents
        _demand(type(made.width) is int and isinstance(made.learners, tuple), "no learners")
        _demand([one.parents for one in made.learners] == list(parents), "other parents")
        for one in made.learners:
            columns = one.columns
            plain = isinstance(columns, np.ndarray) and columns.ndim == 1
            _demand(columns is None or (plain and columns.dtype.kind == "i"), "no columns")
            inside = columns is None or ((columns >= 0) & (columns < made.width)).all()
            _demand(inside, "a column of a learner is not there")
            _demand(one.constant in (0, 1) and type(one.constant) is int, "no constant")
    return made


def _carried_over(cls: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The state of an object as another version would have left it for this one."""
    kept = {
        name: value
        for name, value in state.items()
        if not isinstance(inspect.getattr_static(cls, name, None), property)
    }
    defaults = {
        name: one.default
        for name, one in inspect.signature(cls).parameters.items()
        if one.default is not one.empty
    }
    return {**defaults, **kept}


def _estimator(cls: Any, state: Mapping[str, Any]) -> Any:
    """An object without its constructor, with nothing set that the class itself defines."""
    for name in state:
        shadows = is_computed(cls, name) or name.startswith("__")
        _demand(name.isidentifier() and not shadows, f"{printable(name)!r} is no attribute")
    wanted = cls._get_param_names() if hasattr(cls, "_get_param_names") else ()
    lacking = [name for name in wanted if name not in state]
    _demand(not lacking, f"a {cls.__name__} lacks {', '.join(lacking)}")
    jobs = state.get("n_jobs")
    _demand(jobs is None or (type(jobs) is int and abs(jobs) <= MOST_JOBS), "n_jobs is absurd")
    made = object.__new__(cls)
    vars(made).update(state)
    return made
