"""Readers and writers: any multi-label table in, one `Dataset` out.

`formats` finds the reader or writer of a file by its suffix (or `sniffing`, its first bytes), and
`written` writes one; `losses` says what a format cannot carry. `request` holds what a user asks of
a reader, and its limits. `files`, `unpacking` and `whole_files` open, compress and write files.
The readers are `arff`, `delimited` (CSV and TSV), `svmlight` and `xmc` (over `sparse_rows` and
`row_stack`), `npz` and `npy_pairs` (over `npy`), `mat` (over `mat_elements`) and `parquet` (over
`parquet_files`, `parquet_pages`, `parquet_lists` and `parquet_words`); `assemble` and `metadata`
are what they share, and `labels` finds the label columns and maps their values.
In memory: `arrays`, with `frames`, `columns`, `matrices` and `row_weights`.
Large files are read in pieces: `TextPieces` in `files`, `npz_pieces` and `parquet_pieces` fill a
`packed_table` (over `bit_slices` and `spool`), and workers read pieces by `file_pieces` (over
`piecewise` and `text_ranges`).
`dataset` and `uniform` are the result, shown by `dataset_html` (over `html`); `generated`,
`joining` and `first_component` (by `row_products`) make, join and project one.
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
