"""Objects to JSON and arrays, and back: a closed set of values, classes from `allowed` alone.

A value is itself in JSON (None, truth values, whole numbers, finite numbers, texts, lists), or an
object with one key that says what it is: ``float`` (nan, inf), ``tuple``, ``dict``, ``bunch``,
``dtype``, ``array``, ``scalar``, ``texts``, ``objects`` (arrays), ``sparse``, and ``object``: the
number of an object that stands before it in the list. So there are no circles, and what is shared
stays shared.
"""

from __future__ import annotations

import inspect

import scipy.sparse as sp

__all__ = ["DEEPEST", "SPARSE", "is_computed"]

DEEPEST = 64
SPARSE = {
    "csr_array": sp.csr_array,
    "csr_matrix": sp.csr_matrix,
    "csc_array": sp.csc_array,
    "csc_matrix": sp.csc_matrix,
}


def is_computed(cls: type, name: str) -> bool:
    """Whether a class itself has a method, a property or the like of that name."""
    own = inspect.getattr_static(cls, name, None)
    return callable(own) or hasattr(type(own), "__get__")
