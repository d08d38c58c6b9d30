"""Discretisation, learned once, kept, shown and applied again: `learn`, `encode`, `Binning`.

A `Dataset` comes in, coded columns and the record of what was decided go out. Each method is one
file; a new one is a function from a column to its edges and a line in `METHODS`.
"""

from __future__ import annotations

from mlfs.discretize.coding import Encoded, coded, encode
from mlfs.discretize.learn import METHODS, learn
from mlfs.discretize.many import Binnings
from mlfs.discretize.record import Binning

__all__ = ["METHODS", "Binning", "Binnings", "Encoded", "coded", "encode", "learn"]
