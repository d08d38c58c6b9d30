"""Discretisation, learned once, kept, shown and applied again: `learn`, `encode`, `Binning`.

The methods stand in `mlfs/binning/`, one file each; a new one is a function from a column to its
edges and a line in `METHODS`.
"""

from __future__ import annotations

from mlfs.binning import METHODS, Binning, Binnings, Encoded, coded, encode, learn

__all__ = ["METHODS", "Binning", "Binnings", "Encoded", "coded", "encode", "learn"]
