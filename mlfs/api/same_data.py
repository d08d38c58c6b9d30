"""The data of a selection again, to say more about it."""

from __future__ import annotations

from typing import Any

from mlfs.api.given import AN_ARRAY
from mlfs.api.prepared import Prepared, prepared_of
from mlfs.api.selection import Selection
from mlfs.errors import UsageError, printable

COUNTING = (
    *("groups", "bins", "n_bins", "nominal_limit", "missing", "dates", "numbers"),
    *("estimator", "correction", "given", "keep_identifiers"),
)


def prepared_again(data: Any, selection: Selection, **options: Any) -> Prepared:
    """Prepare data as they were for a selection; refuse other data than its own.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        The data; a `Prepared` is used as it is.
    selection : Selection
        What was selected from them.
    **options
        Further options of `mlfs.prepare`.
    """
    if selection.settings.get("given") == AN_ARRAY and not isinstance(data, Prepared):
        msg = "the selection held an array fixed: give what mlfs.prepare(..., given=) makes with it"
        raise UsageError(msg)
    counting = {n: selection.settings[n] for n in COUNTING if n in selection.settings}
    prepared = prepared_of(data, options if isinstance(data, Prepared) else {**options, **counting})
    rows, d, q = prepared.dataset.shape
    actual = {**prepared.settings, "rows": rows, "features": d, "labels": q}
    for name, value in {**selection.settings, **selection.data}.items():
        if name in actual and name != "labels_by" and actual[name] != value:
            msg = (
                f"the data have {name} {printable(repr(actual[name]))}, but the selection was made "
                f"with {printable(repr(value))}: give the data from which it was made"
            )
            raise UsageError(msg)
    return prepared
