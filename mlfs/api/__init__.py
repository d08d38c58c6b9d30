"""The public functions: data come in, a `Selection` goes out.

`prepared` reads, bins and counts, `selecting` selects, `explanation` gives reasons, `selector` is
the scikit-learn transformer, and `text` shows results.

A number of features by cross-validation needs models and metrics, and `Selection.plot` needs
pictures; both lie above this package. `mlfs/__init__.py` says with `sizes_scored_by` and
`pictures_drawn_by` where they are, so that nothing from above is imported here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["pictures", "pictures_drawn_by", "sizes_scored_by", "sizes_scorer"]

_load: Callable[[], Any] | None = None
_load_pictures: Callable[[], Any] | None = None


def sizes_scored_by(load: Callable[[], Any]) -> None:
    """Say how the function that scores numbers of features is found when it is first used."""
    global _load  # noqa: PLW0603  # set once, when mlfs is imported
    _load = load


def sizes_scorer() -> Any:
    """The function that scores numbers of features."""
    assert _load is not None
    return _load()


def pictures_drawn_by(load: Callable[[], Any]) -> None:
    """Say how the package of pictures is found when it is first used."""
    global _load_pictures  # noqa: PLW0603  # set once, when mlfs is imported
    _load_pictures = load


def pictures() -> Any:
    """The package of pictures."""
    assert _load_pictures is not None
    return _load_pictures()
