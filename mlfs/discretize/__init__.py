"""Discretisation: learned once, kept, shown and applied again.

A `Dataset` comes in; a `Binnings` (one `Binning` for each column) and the coded columns go out.
`learning` decides how each column is binned, by `unsupervised` or `supervised` methods; `encoder`
codes a table by its binnings, and at once where columns are small integers. Both walk over
`column_blocks`. `binning` holds what was decided. `normal_scores` ranks columns instead,
`rank_levels` cuts them at their sixteenths for tests, and `targets` bins labels that are numbers.
"""

from __future__ import annotations

from mlfs.counting.codes import Codes as Encoded  # the public name of what `encode` returns
from mlfs.discretize.binning import Binning, Binnings
from mlfs.discretize.encoder import coded, encode
from mlfs.discretize.learning import METHODS, learn

__all__ = ["METHODS", "Binning", "Binnings", "Encoded", "coded", "encode", "learn"]
