"""Data sets by name: small ones that come with mlfs; public ones from the cache, or downloaded.

A file from the network is checked against its digest.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
import warnings
from dataclasses import replace
from pathlib import Path

from mlfs.data.dataset import Dataset, join_datasets
from mlfs.data.formats import read, write
from mlfs.datasets.listing import SMALL, File, PublicDataset, info, names
from mlfs.errors import DataError, UnknownName, UsageError, plural, printable


def is_whole(path: Path, file: File) -> bool:
    """Whether a file is there with the content that it must have."""
    try:
        if path.stat().st_size != file.size:
            return False
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256
    except OSError:
        return False


def download_file(file: File, folder: Path) -> Path:
    """Download a file into a folder; what arrives is kept only if it has the right digest.

    Copies with the same content are tried in turn.
    """
    from sklearn.datasets import fetch_file

    faults = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        shown = f"{printable(folder, 400)!r}: {error.strerror or error}"
        raise DataError(f"cannot write to {shown}; {FOLDER} names another folder") from None
    for url in file.urls:
        try:
            with warnings.catch_warnings(action="ignore"):  # a damaged file is replaced
                place: Path = fetch_file(
                    url, folder, local_filename=file.name, sha256=file.sha256, n_retries=0
                )
        except OSError as error:  # of the network, of the disk, or another digest
            faults.append(f"{url}: {printable(error, 200)}")
        else:
            return place
    raise DataError("; ".join(faults))


FOLDER = "MLFS_DATA"


def cache_folder() -> Path:
    """The folder of downloaded data sets: ``MLFS_DATA``, or one in the user's cache."""
    folder = os.environ.get(FOLDER)
    if folder:
        return Path(folder).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "mlfs" / "datasets"


def fetch(
    name: str,
    subset: str = "all",
    *,
    mirror: int = 0,
    download: bool = True,
) -> Dataset:
    """A public data set by its name, downloaded if it is not in the cache.

    Every file is checked against its SHA-256, each time. What is in the cache needs no network.

    Parameters
    ----------
    name : str
        One of `names`, or a data set that comes with mlfs.
    subset : {"all", "train", "test"}
        All rows, or one part of the split that the authors of the files made. Where there is no
        file of all rows, the training rows and then the test rows are all, and a note says so.
    mirror : int
        Which of `info(name).sources`; 0 is the preferred one, mostly ARFF with names.
    download : bool
        Whether what is not in the cache may be downloaded.

    Returns
    -------
    Dataset
        Features and labels.

    Examples
    --------
    >>> fetch("songs").shape
    (240, 24, 6)
    """
    if name in SMALL:
        return _rename(read(path(name, subset)), name)
    files = _provide_tables(info(name), subset, mirror, download=download)
    tables = [_read(file) for file in files]
    if len(tables) == 1:
        return _rename(tables[0], name)
    n_train, n_test = (table.shape[0] for table in tables)
    note = f"{plural(n_train, 'training row')} come first, then {plural(n_test, 'test row')}"
    data = join_datasets(*tables)
    return _rename(data.with_changes(notes=(*data.notes, note)), name)


def load_songs() -> Dataset:
    """240 invented songs: 24 features, numeric and nominal, and six moods as labels.

    Examples
    --------
    >>> load_songs().shape
    (240, 24, 6)
    """
    return fetch("songs")


def load_articles() -> Dataset:
    """300 invented articles: which of 400 words occur in them (sparse), and their eight topics.

    The names of ten words begin with each topic; those called ``filler_...`` are noise.

    Examples
    --------
    >>> load_articles().shape
    (300, 400, 8)
    """
    return fetch("articles")


def load_sensors() -> Dataset:
    """250 invented machine runs: 20 measurements, all numeric, and the five faults that show.

    Some measurements show a fault, some repeat another measurement, and some are noise.

    Examples
    --------
    >>> load_sensors().shape
    (250, 20, 5)
    """
    return fetch("sensors")


def path(
    name: str,
    subset: str = "all",
    *,
    mirror: int = 0,
    download: bool = True,
) -> Path:
    """The file of a data set, which commands and `mlfs.read` take; downloaded if it is not there.

    The parameters are those of `fetch`. Where training and test rows are two files, one file of
    all rows is written beside them.

    Examples
    --------
    >>> path("sensors").name
    'sensors.arff'
    """
    if name in SMALL:
        if subset != "all" or mirror:
            raise UsageError(f"{name} comes with mlfs: it has no mirror and no split")
        return Path(__file__).with_name(f"{name}.arff")
    tables = _provide_tables(info(name), subset, mirror, download=download)
    if len(tables) == 1:
        return tables[0]
    joined_file = tables[0].with_name(f"{name}.arff")
    if not joined_file.is_file():
        write(join_datasets(*map(_read, tables)), joined_file)
    return joined_file


def is_here(name: str) -> bool:
    """Whether a data set needs no download: it comes with mlfs, or its files are in the cache."""
    if name in SMALL:
        return True
    return all(_place(name, 0, file).is_file() for file in info(name).files())


def place_of(path: str) -> str:
    """The file that a user means: a path, or the name of a data set that is here."""
    if not path or path == "-" or os.path.basename(path) != path or os.path.exists(path):  # noqa: PTH110, PTH119
        return path
    return os.fspath(resolve_name(path) or path)


def resolve_name(name: str) -> Path | None:
    """The file of a data set that is here, for a name where a file was expected.

    None if a file of that name exists, or if the name has a suffix and is no name of a data set. A
    public data set that is not in the cache is an error that says how to fetch it.
    """
    if Path(name).exists():
        return None
    if name not in SMALL and name not in names():
        if re.fullmatch(r"[\w-]+", name):
            raise UnknownName("file or data set", name, [*SMALL, *names()])
        return None
    if not is_here(name):
        msg = f"there is no file {name!r}, and the public data set of this name is not on this "
        raise UsageError(f"{msg}machine yet: mlfs datasets fetch {name}")
    return path(name, download=False)


def _place(name: str, mirror: int, file: File) -> Path:
    folder = cache_folder() / name
    return (folder / f"mirror-{mirror}" if mirror else folder) / file.name


def _provide_tables(
    listed: PublicDataset,
    subset: str,
    mirror: int,
    *,
    download: bool,
) -> list[Path]:
    """The tables of a part; all files are checked, and what is missing or damaged is downloaded."""
    files = listed.files(subset, mirror)
    places = [_place(listed.name, mirror, file) for file in files]
    missing = [
        (file, place)
        for file, place in zip(files, places, strict=True)
        if not is_whole(place, file)
    ]
    if missing and not download:
        damaged = [place for _, place in missing if place.exists()]
        shown = printable(damaged[0] if damaged else missing[0][1], 400)
        state = "is damaged" if damaged else "is not in the cache"
        raise DataError(
            f"{listed.name}: the file {shown!r} {state}: mlfs datasets fetch {listed.name}"
        )
    for file, place in missing:
        try:
            download_file(file, place.parent)
        except DataError as error:
            others = len(listed.sources) - 1
            remedy = f"; another source is mirror {(mirror + 1) % (others + 1)}"
            msg = f"cannot download {listed.name}: {error}{remedy if others else ''}"
            raise DataError(msg) from None
    return [place for place in places if place.suffix != ".xml"]


def _read(file: Path) -> Dataset:
    return read(file)


def _rename(data: Dataset, name: str) -> Dataset:
    return data.with_changes(source=replace(data.source, path=name))
