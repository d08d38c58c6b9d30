"""Three small data sets that come with mlfs: songs, articles and sensors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mlfs.data.dataset import Dataset
from mlfs.data.formats import read
from mlfs.datasets.listing import SMALL
from mlfs.errors import UnknownName

__all__ = ["bundled_path", "load_articles", "load_sensors", "load_songs"]


def bundled_path(name: str) -> Path:
    """The file of a data set that comes with mlfs.

    Examples
    --------
    >>> bundled_path("songs").name
    'songs.arff'
    """
    if name not in SMALL:
        raise UnknownName("data set", name, SMALL)
    return Path(__file__).with_name(f"{name}.arff")


def load_songs() -> Dataset:
    """240 invented songs: 24 features, numeric and nominal, and six moods as labels.

    Examples
    --------
    >>> load_songs().shape
    (240, 24, 6)
    """
    return _load("songs")


def load_articles() -> Dataset:
    """300 invented articles: which of 400 words occur in them (sparse), and their eight topics.

    The names of ten words begin with each topic; those called ``filler_...`` are noise.

    Examples
    --------
    >>> load_articles().shape
    (300, 400, 8)
    """
    return _load("articles")


def load_sensors() -> Dataset:
    """250 invented machine runs: 20 measurements, all numeric, and the five faults that show.

    Some measurements show a fault, some repeat another measurement, and some are noise.

    Examples
    --------
    >>> load_sensors().shape
    (250, 20, 5)
    """
    return _load("sensors")


def _load(name: str) -> Dataset:
    data = read(bundled_path(name))
    return data.with_changes(source=replace(data.source, path=name))
