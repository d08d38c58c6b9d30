"""Readers and writers: any multi-label table in, one `Dataset` out.

`formats` finds the reader or writer of a file by its suffix, or its first bytes, and says what a
format cannot carry. `request` holds what a user asks of a reader, and its limits. `files` opens
and unpacks a file and cuts text into pieces of whole lines; `whole_files` writes one.
The readers are `arff`, `delimited` (CSV and TSV), `svmlight` (and XMC, over `sparse_rows`), `npz`,
`mat`, `parquet` and `h5ad`; `assemble` and `metadata` are what they share, and `labels` finds the
label columns and maps their values. Rows that come in pieces are put together by `row_stack`;
`bit_slices` cuts a table into bits.
In memory: `arrays`, with `frames`, `columns` and `matrices`.
`dataset` is the result, shown by `html`; `identifiers` finds columns that name its rows, `dates`
those that hold dates, `written_numbers` those that hold numbers with units, and `first_component`
projects one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.formats import read, write
from mlfs.data.request import Limits
from mlfs.formats import FORMATS, Format
from mlfs.lazy import lazily

if TYPE_CHECKING:
    from mlfs.data.arrays import from_arrays
    from mlfs.data.labels.label_sets import label_sets
    from mlfs.discretize.targets import bin_targets

__all__ = [
    "FORMATS",
    "Column",
    "Dataset",
    "Format",
    "Label",
    "Limits",
    "Source",
    "bin_targets",
    "from_arrays",
    "label_sets",
    "read",
    "write",
]
_HOME = {
    "mlfs.data.arrays": ("from_arrays",),
    "mlfs.data.labels.label_sets": ("label_sets",),
    "mlfs.discretize.targets": ("bin_targets",),
}
__getattr__ = lazily(__name__, _HOME)
