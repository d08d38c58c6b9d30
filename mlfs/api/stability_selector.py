"""`StabilitySelector`: how often features are selected on random halves of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from mlfs.api.column_selector import ColumnSelector
from mlfs.api.options import NAMED, PREPARING, seed_of
from mlfs.api.plan import HALF
from mlfs.api.prepared import prepared_of
from mlfs.api.selecting import select_silently
from mlfs.api.selector import FeatureSelector
from mlfs.api.value_kinds import SHARE, Whole
from mlfs.errors import Caution, UsageError, printable, tell
from mlfs.search.resampling import halves


@dataclass(eq=False, repr=False)
class StabilitySelector(ColumnSelector):
    """Select the features that a selector picks on most subsamples of the rows.

    The data are read, binned and packed once; each subsample is counted on the packed data, with
    the rows that are not in it left out. So the bins and the label network are those of all rows.

    Parameters
    ----------
    selector : FeatureSelector, optional
        What selects on each subsample, with a number of features (or ``"auto"``) and all other
        options; by default ``FeatureSelector()``, which selects half of the features here.
    n_subsamples : int, default=100
        How many subsamples are drawn.
    share : float, default=0.5
        The share of the rows in each, drawn without replacement; halves are drawn in
        complementary pairs.
    threshold : float, default=0.6
        A feature is kept if it is selected on at least this share of the subsamples.
    confidence : float, default=0.95
        The level of the confidence intervals of the frequencies.
    random_state : int or RandomState, default=0
        Seeds the subsamples; None is 0 too.

    Attributes
    ----------
    frequencies_ : ndarray of float, shape (n_features_in_,)
        For each column of X the share of the subsamples on which it is selected.
    confidence_intervals_ : ndarray of float, shape (n_features_in_, 2)
        The Wilson interval of each frequency.
    stability_ : float
        How similar the selections are, by Nogueira, Sechidis & Brown (2018): 1 if they are the
        same, near 0 if they are like random ones; NaN if all or no columns are always selected.
    error_bound_ : float
        The expected number of columns that are kept by mistake is at most this, see the notes; NaN
        where nothing is known, which is so for other shares than 0.5 and thresholds up to 0.5.
    selected_ : ndarray of bool, shape (n_subsamples, n_features_in_)
        Which columns are selected on which subsample.
    indices_ : ndarray of int
        The columns that are kept, the most frequent first; of equal ones the lowest first.
    support_ : ndarray of bool, shape (n_features_in_,)
        Which columns of X are kept.
    n_features_ : int
        How many columns are kept.
    n_features_in_ : int
        How many columns X had.
    feature_names_in_ : ndarray of str
        Their names, where X is a frame with names.
    notes_ : tuple of str
        What a user should know about the data.

    Notes
    -----
    Stability selection is by Meinshausen & Buhlmann (2010), the bound by Shah & Samworth (2013). A
    mistake is a column that half of the rows select no more often than a random one, with a
    probability of at most q / d, where q is the mean number of selected features. Of these at most
    q^2 / ((2 t - 1) d) are expected above the threshold t, whatever their distribution; if the
    share of pairs of halves that select a column both has a unimodal distribution, as it usually
    has, fewer. The bound is the smaller one, which supposes so where q / d is at most 1 / sqrt(3).

    Examples
    --------
    >>> import numpy as np
    >>> from mlfs import FeatureSelector, StabilitySelector
    >>> X = np.random.default_rng(0).integers(0, 2, (200, 8))
    >>> Y = X[:, [2, 5]]
    >>> stable = StabilitySelector(FeatureSelector("jmi", 2), n_subsamples=20).fit(X, Y)
    >>> stable.indices_.tolist(), stable.frequencies_[[2, 5]].tolist()
    ([2, 5], [1.0, 1.0])
    """

    selector: FeatureSelector | None = None
    _: KW_ONLY
    n_subsamples: int = 100
    share: float = 0.5
    threshold: float = 0.6
    confidence: float = 0.95
    random_state: Any = 0

    def fit(self, X: Any, y: Any = None) -> Self:
        """Select on each subsample and count.

        Parameters
        ----------
        X : array, sparse matrix, frame, or Prepared, shape (N, d)
            As for `FeatureSelector.fit`; rows of a weighted Prepared keep their weights.
        y : array, sparse matrix, frame, or list of label sets
            The labels; left out with a Prepared.

        Returns
        -------
        StabilitySelector
            Itself.
        """
        n_subsamples, share = self._check_parameters()
        base = FeatureSelector() if self.selector is None else clone(self.selector)
        data, options = base._arguments(X, y, None)  # noqa: SLF001  # of the same package
        if options["n"] is None:
            options |= {"n": HALF, "seed": NAMED["seed"].default}
        preparing = {name: options.pop(name) for name in PREPARING if name in options}
        prepared = prepared_of(data, preparing)
        self.n_features_in_ = base.n_features_in_
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(base, "feature_names_in_"):
            self.feature_names_in_ = base.feature_names_in_
        masks = _subsamples(
            prepared.dataset.shape[0], share, n_subsamples, seed_of(self.random_state)
        )
        self.selected_ = np.zeros((n_subsamples, self.n_features_in_), bool)
        for is_selected, row_mask in zip(self.selected_, masks, strict=True):
            selection = select_silently(prepared.among_rows(row_mask), **options)
            is_selected[list(selection.indices)] = True
        self._count()
        cautions = (note for note in selection.notes if isinstance(note, Caution))
        self.notes_ = tuple(dict.fromkeys((*prepared.notes, *cautions)))
        tell(self.notes_, stacklevel=2)
        return self

    def _check_parameters(self) -> tuple[int, float]:
        """The number of subsamples and their share of the rows."""
        n_subsamples = Whole().read("n_subsamples", self.n_subsamples)
        for name in ("share", "threshold", "confidence"):
            SHARE.read(name, getattr(self, name))
        if not 0 < self.share < 1:
            raise UsageError(f"is {self.share}: it lies between 0 and 1", option="share")
        if not 0 < self.confidence < 1:
            raise UsageError(f"is {self.confidence}: it lies between 0 and 1", option="confidence")
        if self.selector is not None and not isinstance(self.selector, FeatureSelector):
            msg = f"is a FeatureSelector, not {printable(type(self.selector).__name__)}"
            raise UsageError(msg, option="selector")
        return n_subsamples, float(self.share)

    def _count(self) -> None:
        """Count how often each column is selected, and keep those above the threshold."""
        n, d = self.selected_.shape
        times = self.selected_.sum(axis=0)
        self.frequencies_ = times / n
        self.confidence_intervals_ = _wilson(self.frequencies_, n, float(self.confidence))
        self.support_ = self.frequencies_ >= self.threshold
        order = np.lexsort((np.arange(d), -times))
        self.indices_ = order[self.support_[order]]
        self.n_features_ = int(self.support_.sum())
        mean = times.sum() / n / d
        spread = mean * (1 - mean)
        variance = self.frequencies_ * (1 - self.frequencies_) * n / max(1, n - 1)
        halved = self.share == 0.5  # exactly
        self.error_bound_ = _error_bound(mean * d, d, float(self.threshold), n // 2 * halved)
        self.stability_ = float(1 - variance.mean() / spread) if 0 < mean < 1 else float("nan")


def _subsamples(rows: int, share: float, n: int, seed: int) -> Iterator[np.ndarray]:
    """Masks of some of the rows; halves come in complementary pairs."""
    if share == 0.5 and rows > 1:  # exactly
        yield from halves(rows, n, seed)
        return
    generator = np.random.default_rng(seed)
    for _ in range(n):
        mask = np.zeros(rows, bool)
        mask[generator.choice(rows, max(1, int(share * rows)), replace=False, shuffle=False)] = True
        yield mask


def _error_bound(q: float, d: int, threshold: float, pairs: int) -> float:
    """The bounds of Shah & Samworth (2013), theorems 1 and 2, with theta = q / d.

    Examples
    --------
    >>> round(_error_bound(10, 1000, 0.6, 50), 4), round(_error_bound(10, 1000, 0.9, 50), 4)
    (0.2632, 0.0431)
    """
    theta, low = q / d, 1 / (2 * max(1, pairs))
    if not pairs or threshold <= 0.5:
        return float("nan")
    bounds = [1 / (2 * threshold - 1)]
    least = min(0.5 + theta**2, 0.5 + low + 0.75 * theta**2)
    if theta <= 1 / np.sqrt(3) and threshold > least:
        if threshold > 0.75:
            bounds.append(4 * (1 - threshold + low) / (1 + 2 * low))
        elif 2 * threshold - 1 > low:
            bounds.append(1 / (2 * (2 * threshold - 1 - low)))
    return float(min(bounds) * theta * q)


def _wilson(share: np.ndarray, n: int, confidence: float) -> np.ndarray:
    """Wilson's score interval of shares of n trials.

    Examples
    --------
    >>> _wilson(np.array([0.5]), 100, 0.95).round(4).tolist()
    [[0.4038, 0.5962]]
    """
    from scipy.special import ndtri  # most programs that import mlfs do not need it

    z = float(ndtri((1 + confidence) / 2))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return np.stack([np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)], axis=1)
