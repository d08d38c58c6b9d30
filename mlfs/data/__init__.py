"""Readers and writers: any multi-label table in, one `Dataset` out.

`formats` finds the reader or writer of a file by its suffix, and `written` writes one; `arrays`
(with `frames`, `columns` and `matrices`) takes what is in memory. The readers are `arff`,
`delimited` (CSV and TSV), `svmlight` and `xmc` (over `sparse_rows`), `npz`, `npy_pairs`, `mat` and
`parquet`; `assemble` and `metadata` are what they share, and `labels` finds the label columns and
maps their values. `files` and `unpacking` open and compress, `request` holds what a user asks of a
reader and its limits.
`TextPieces` in `files`, and `packed_table` (over `bit_slices` and `spool`), are for files read in
pieces, and `file_pieces` (over `piecewise` and `text_ranges`) for pieces that are read on workers.
`dataset` and `uniform` are the result; `generated` and `first_component` make and project one.
"""

from __future__ import annotations

from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.data.formats import FORMATS, Format, read
from mlfs.data.request import Limits
from mlfs.data.written import write

__all__ = [
    "FORMATS",
    "Column",
    "Dataset",
    "Format",
    "Label",
    "Limits",
    "Source",
    "from_arrays",
    "read",
    "write",
]


def __getattr__(name: str) -> object:
    if name == "from_arrays":
        from mlfs.data.arrays import from_arrays

        return from_arrays
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
