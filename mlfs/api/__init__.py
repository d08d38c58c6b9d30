"""The public functions and the transformers: data come in, a `Selection` goes out.

Data: `as_dataset`, with `labels_as`, `missing_values` and `target_bins`. `prepared` bins, codes and
counts them (`counted`, or `gaussian_prepared` for the estimator without bins), with
`memory_estimate` and `prepared_notes`; `cluster` does so on workers.
Selecting: `selecting` has `select`, `plan` is one search, `candidates` says which columns may be
picked, `column_mapping` where they stand in X, `estimators` which criteria an estimator serves,
`cross_validated` finds the number of features. `options` declares every option once, of the kinds
in `value_kinds`; `unused_options` refuses those without effect.
Answers: `selection`, `explanation` with `reasons`, `describe`, and `text` and `display` show them.
Transformers: `selector` and `stability_selector` on `column_selector`, with `documentation`.
`mlfs.information`: `pairwise`, with `function_arguments` and `coded_columns`.
`mlfs.criteria.check_criterion`: `criterion_checks`.

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
