"""A p-value for each pick: does any candidate still inform about the labels, given the picks?

The rows of labels are permuted within the strata of the joint values of the earlier picks, and
the statistic is the greatest information about the labels, given these strata, of all candidates:
so it is paid for that the best of them is chosen. Where information is corrected for chance, the
statistic is the greatest excess over the mean of some other permutations: else a column of many
levels would be the greatest in every permutation. Permutations end early where p is clearly large:
if l of them were needed until h reach the statistic, p is h / l (Besag & Clifford, 1991).
ForwardStop (G'Sell and others, 2016) ends a path of picks by such
p-values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mlfs.counting.strata import Strata
from mlfs.errors import LOGGER
from mlfs.information.for_search import Path, is_adjusted
from mlfs.information.info import Info

REFERENCES = 20  # permutations that tell what chance gives to each candidate
FEWEST_ROWS = 20  # that tell something, below which there is no p
CLEAR = 4  # a p-value above 1 / CLEAR needs no more permutations
REPORTED = 50  # permutations between two lines of the log


def path_p_values(
    info: Info, candidates: np.ndarray, picked: Sequence[int], permutations: int, seed: int
) -> Iterator[tuple[float | None, int]]:
    """Give for each pick its p-value, None where too few rows are left, and how many are left.

    Parameters
    ----------
    info : Info
        All rows.
    candidates : ndarray of int
        The columns that could be picked first.
    picked : sequence of int
        The picks, in order.
    permutations : int
        The greatest number of permutations for a pick.
    seed : int
        Seeds them, for each pick anew.
    """
    path, tells = Path(info), True
    for rank, column in enumerate(picked):
        still = np.setdiff1d(candidates, np.asarray(picked[:rank], np.int64))
        rows = path.rows_left
        tells = tells and rows >= FEWEST_ROWS and still.size > 0
        p = None
        if tells:
            generator = np.random.Generator(np.random.PCG64([seed, rank]))
            strata = path.strata(still)
            centre = np.zeros(still.size, int)
            if is_adjusted(info):
                centre = by_chance(strata, generator)
            observed, exceeding, done = (strata.told() - centre).max(), 0, 0
            while done < permutations and CLEAR * exceeding <= permutations:
                if done % REPORTED == 0:
                    msg = "p of pick %s: %s of %s permutations, %s rows left"
                    LOGGER.info(msg, rank + 1, done, permutations, rows)
                exceeding += reaches(strata, generator, centre, observed)
                done += 1
            ended = CLEAR * exceeding > permutations
            p = exceeding / done if ended else (1 + exceeding) / (1 + done)
        yield p, rows
        path.take(column)


def reaches(
    strata: Strata, generator: np.random.Generator, centre: np.ndarray, least: float
) -> bool:
    """Whether a column has so much information about permuted labels; the others do not matter."""
    start = 0
    for told in strata.told_by_piece(generator):
        if (told - centre[start : start + told.size]).max() >= least:
            return True
        start += told.size
    return False


def by_chance(strata: Strata, generator: np.random.Generator) -> np.ndarray:
    """The mean information of each column by chance, from permutations that are not counted."""
    mean: np.ndarray = np.mean([strata.told(generator) for _ in range(REFERENCES)], axis=0)
    return mean


def forward_stop(p_values: Sequence[float], alpha: float) -> int:
    """How many of the first picks to keep, so that a share of at most alpha of them is false.

    Examples
    --------
    >>> forward_stop([0.001, 0.02, 0.04, 0.9], 0.05), forward_stop([0.9, 0.001], 0.05)
    (3, 0)
    """
    means = np.cumsum(_costs(p_values)) / np.arange(1, len(p_values) + 1)
    passing = np.flatnonzero(means <= alpha)
    return int(passing[-1]) + 1 if passing.size else 0


def can_pass(p_values: Sequence[float | None], alpha: float, most: int) -> bool:
    """Whether a path of at most so many picks that begins so can still pass as a whole."""
    known = [p for p in p_values if p is not None]
    return float(_costs(known).sum()) <= alpha * most


def _costs(p_values: Sequence[float]) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return -np.log1p(-np.asarray(p_values, np.float64))
