"""Write a data set to a file of any format."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from mlfs.data.dataset import Dataset
from mlfs.data.files import split_suffix
from mlfs.data.formats import FORMATS, format_of
from mlfs.data.labels import mulan
from mlfs.data.losses import losses, refuse_half_pairs
from mlfs.data.request import Limits
from mlfs.data.whole_files import replacing_together
from mlfs.errors import DataError, UsageError

__all__ = ["write"]


def write(
    dataset: Dataset,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word that users expect
    force: bool = False,
) -> list[str]:
    """Write a data set so that it reads back equal; all files appear whole, or none does.

    The suffix determines the format and the compression. Beside an ARFF, CSV or TSV file a Mulan
    XML of the same stem is written, which names the labels. ARFF to standard output (``-``) is
    written as MEKA does: labels first, and their number in the relation name.

    Parameters
    ----------
    dataset : Dataset
        What to write.
    path : str or path
        Where; ``-`` is standard output.
    format : str, optional
        One of `FORMATS`, where the suffix does not tell.
    force : bool
        Whether files that are there may be replaced.

    Returns
    -------
    list of str
        What the format cannot carry, in words; mostly nothing.
    """
    name = os.fspath(path)
    kind = format_of(name, format or ("arff" if name == "-" else None) or _implied_format(name))
    form = FORMATS[kind]
    writer = form.function("write")
    files = [name]
    if name != "-" and form.sidecar and (Path(name).is_file() or not Path(name).exists()):
        files = [*_sidecar(dataset, name), name]
        if kind == "arff":
            from mlfs.data.arff.arff_writer import write_labels_last as writer
    refuse_half_pairs(dataset, kind)
    with replacing_together(files, force) as streams:
        if len(streams) > 1:
            streams[0].write(mulan.document(dataset.label_names))
        writer(dataset, streams[-1])
    return losses(dataset, kind)


def _implied_format(name: str) -> str | None:
    return "xmc" if split_suffix(name)[1] == ".txt" else None


def _sidecar(dataset: Dataset, name: str) -> list[str]:
    """The label file that is to be written: none if one with the same labels is there already."""
    if not dataset.labels:
        raise DataError("a data set without labels cannot be written")
    file = split_suffix(name)[0] + ".xml"
    if Path(file).is_file():
        with contextlib.suppress(DataError, UsageError):
            if set(mulan.read(file, Limits())) == set(dataset.label_names):
                return []
    return [file]
