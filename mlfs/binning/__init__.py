"""Binning: how numeric columns become a few levels. `mlfs.discretize` is the front door."""

from __future__ import annotations

from mlfs.binning.coding import Encoded, encode
from mlfs.binning.learn import METHODS, learn
from mlfs.binning.record import Binning

__all__ = ["METHODS", "Binning", "Encoded", "encode", "learn"]
