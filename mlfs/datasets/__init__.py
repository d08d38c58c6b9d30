"""Data sets by name: three small ones that come with mlfs, and public ones that are downloaded.

A name comes in, a `Dataset` or the path of a file goes out. `listing` has what is known about the
public data sets (tables in sets.tsv and files.tsv), `fetching` has the small ones, and finds the
others in the user's cache or downloads and checks them.
"""

from __future__ import annotations

from mlfs.datasets.fetching import (
    cache_folder,
    fetch,
    is_here,
    load_articles,
    load_sensors,
    load_songs,
    path,
)
from mlfs.datasets.listing import PublicDataset, info, names

__all__ = [
    "PublicDataset",
    "cache_folder",
    "fetch",
    "info",
    "is_here",
    "load_articles",
    "load_sensors",
    "load_songs",
    "names",
    "path",
]
