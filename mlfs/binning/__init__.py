"""Binning: how numeric columns become a few levels. `mlfs.discretize` is the front door."""

from __future__ import annotations

from mlfs.binning.coding import Encoded, coded, encode
from mlfs.binning.learn import METHODS, learn
from mlfs.binning.many import Binnings
from mlfs.binning.record import Binning

__all__ = ["METHODS", "Binning", "Binnings", "Encoded", "coded", "encode", "learn"]
