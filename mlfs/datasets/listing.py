"""The list of public data sets: sets.tsv says what each is, files.tsv where its files are."""

from __future__ import annotations

import csv
import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlfs.errors import UnknownName, UsageError, check_name

HERE = Path(__file__).parent
HOST = "https://raw.githubusercontent.com"
ADDRESS = "MLFS_DATASETS_URL"  # the variable that names another host with the same paths
PARTS = ("all", "train", "test")
PACKED = (".gz", ".bz2", ".xz")
SMALL = ("songs", "articles", "sensors")  # those that come with mlfs


@dataclass(frozen=True)
class File:
    """A file of a data set: where it is, and what it must hold.

    Parameters
    ----------
    name : str
        Its name on disk.
    places : tuple of (str, str, str)
        Repository, commit and path of each copy with the same content.
    size : int
        Its bytes.
    sha256 : str
        Its digest.
    """

    name: str
    places: tuple[tuple[str, str, str], ...]
    size: int
    sha256: str

    @property
    def urls(self) -> tuple[str, ...]:
        """The addresses of the copies."""
        host = os.environ.get(ADDRESS, HOST).rstrip("/")
        return tuple("/".join([host, *place]) for place in self.places)


@dataclass(frozen=True)
class PublicDataset:
    """The entry of a public data set in the list.

    Parameters
    ----------
    name : str
        Its name.
    rows, features, labels : int
        Its size.
    cardinality : float
        Labels that a row has, on average.
    domain : str
        What field it comes from: text, image, biology, ...
    about : str
        What its rows and labels are.
    licence : str
        The licence, as far as it is stated where the files are.
    citation : str
        The paper to cite.
    sources : tuple of dict of str to File
        Copies of the whole, the preferred one first: the files ``whole``, or ``train`` and
        ``test``, and ``labels`` where they are named by a Mulan XML. Another source may differ in
        names, order and number of columns.

    Examples
    --------
    >>> info("yeast").shape, info("yeast").size
    ((2417, 103, 14), 2417214)
    """

    name: str
    rows: int
    features: int
    labels: int
    cardinality: float
    domain: str
    about: str
    licence: str
    citation: str
    sources: tuple[dict[str, File], ...]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Rows, features, labels."""
        return self.rows, self.features, self.labels

    @property
    def size(self) -> int:
        """The bytes that are downloaded for the whole of it."""
        return sum(file.size for file in self.files())

    def files(self, subset: str = "all", mirror: int = 0) -> tuple[File, ...]:
        """The files of a part from one of the sources; the labels come last."""
        check_name(subset, "subset", PARTS)
        if type(mirror) is not int or not 0 <= mirror < len(self.sources):
            last = len(self.sources) - 1
            at_most = f"from 0 to {last}" if last else "0: it has no mirror"
            msg = f"of {self.name} is {at_most}, not {mirror!r}"
            raise UsageError(msg, option="mirror")
        source = self.sources[mirror]
        parts = [subset]
        if subset == "all":
            parts = ["whole"] if "whole" in source else ["train", "test"]
        elif subset not in source:
            others = [k for k, other_source in enumerate(self.sources) if subset in other_source]
            remedy = f"mirror {others[0]} is" if others else "cut it yourself"
            msg = f"{self.name} is not divided into training and test rows there: {remedy}"
            raise UsageError(msg)
        return tuple(source[part] for part in [*parts, "labels"] if part in source)

    def to_dict(self) -> dict[str, Any]:
        """The record as plain data, with the addresses and digests of all files."""
        record = {name: value for name, value in vars(self).items() if name != "sources"}
        record["bytes"] = self.size
        record["sources"] = [
            {
                part: {"urls": list(file.urls), "bytes": file.size, "sha256": file.sha256}
                for part, file in source.items()
            }
            for source in self.sources
        ]
        return record


def names() -> list[str]:
    """The names of all public data sets that `fetch` knows.

    Examples
    --------
    >>> len(names()), names()[:3]
    (51, ['20ng', 'bibtex', 'birds'])
    """
    return list(_table())


def info(name: str) -> PublicDataset:
    """The entry of a public data set in the list: size, origin, licence, citation, addresses.

    Examples
    --------
    >>> info("emotions").about
    'songs and the emotions that they evoke'
    """
    if name in SMALL:
        msg = f"{name!r} comes along with mlfs, and is not in the list of public data sets: "
        raise UsageError(f"{msg}mlfs.datasets.path({name!r}) is its file")
    if name not in _table():
        raise UnknownName("data set", str(name), [*SMALL, *_table()])
    return _table()[name]


@functools.cache
def _table() -> dict[str, PublicDataset]:
    kinds = {"rows": int, "features": int, "labels": int, "cardinality": float}
    files = _files()
    return {
        row["name"]: PublicDataset(
            **{key: kinds.get(key, str)(value) for key, value in row.items()},
            sources=tuple(files[row["name"]]),
        )
        for row in _rows("sets.tsv")
    }


def _files() -> dict[str, list[dict[str, File]]]:
    """For each data set its sources, each with its files by part."""
    result: dict[str, list[dict[str, File]]] = {}
    for row in _rows("files.tsv"):
        sources = result.setdefault(row["name"], [])
        number, part = int(row["source"]), row["part"]
        while len(sources) <= number:
            sources.append({})
        copies = sources[number].get(part)
        place = (row["repository"], row["commit"], row["path"])
        file = Path(row["path"])
        suffix = "".join(file.suffixes[-2:] if file.suffix in PACKED else [file.suffix])
        tail = f"-{part}" if part in PARTS else ""
        sources[number][part] = File(
            f"{row['name']}{tail}{suffix}",
            (*(copies.places if copies else ()), place),
            int(row["bytes"]),
            row["sha256"],
        )
    return result


def _rows(file: str) -> list[dict[str, str]]:
    with (HERE / file).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
