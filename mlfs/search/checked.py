"""Call a criterion and check its answers, so that an error names the criterion at fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlfs.criteria import Criterion
from mlfs.errors import CriterionError, MlfsError, printable
from mlfs.information.info import Info, read_only

PICKED = "picked is the list of columns picked so far: len(picked) is how many"
GIVEN = {  # what a method gets, where its name does not say it
    "term": "s is the number of a column",
    "pair_term": "s and t are numbers of columns",
    "score": f"relevance and total have a number for each candidate, {PICKED}",
    "pair_score": f"relevance, total and pairs have a number for each candidate, {PICKED}",
    "merit": PICKED,
}
JUDGEMENTS = {"relevance", "score", "pair_score", "merit"}


class CheckedCriterion:
    """A criterion on one view of the data, with checked answers.

    Every method calls the criterion's method of that name. It returns finite numbers of the right
    shape (-inf for candidates that must never be picked) or raises `CriterionError`.

    Parameters
    ----------
    criterion : Criterion
        The criterion.
    info : Info
        The view of the data.
    name : str
        The name of the criterion in errors.
    """

    def __init__(self, criterion: Criterion, info: Info, name: str) -> None:
        self.criterion, self.info, self.name = criterion, info, name

    def on(self, view: Info) -> CheckedCriterion:
        """Check the criterion on another view."""
        return CheckedCriterion(self.criterion, view, self.name)

    def relevance(self) -> np.ndarray:
        """Compute the worth of each candidate on its own."""
        return self._array("relevance", self.info)

    def label_correlation(self) -> np.ndarray:
        """Compute the part of the relevance that comes from correlations between labels."""
        return self._array("label_correlation", self.info)

    def start(self) -> np.ndarray:
        """Give the value from which the fold starts."""
        return self._array("start", self.info)

    def term(self, s: int) -> np.ndarray:
        """Compute the term of the pick s for each candidate."""
        return self._array("term", self.info, s, after=s)

    def fold(self, total: np.ndarray, term: np.ndarray) -> np.ndarray:
        """Fold one more term into the total."""
        return np.asarray(self.criterion.fold(total, term))

    def fold_terms(self, total: np.ndarray, picks: Sequence[int], sizes: Sequence[int]) -> None:
        """Fold the terms of some picks into the first `sizes` places of `total`, in place.

        NaN is not an error here; it shows in the total.
        """
        fold, shape = self.criterion.fold, (self.info.d,)
        for s, size in zip(picks, sizes, strict=True):
            term = self._answer("term", self.info, s)
            if type(term) is not np.ndarray or term.dtype != np.float64 or term.shape != shape:
                term = self._numbers("term", term)
            part = total[:size]
            fold(part, term[:size], out=part)

    def score(self, relevance: np.ndarray, total: np.ndarray, picked: list[int]) -> np.ndarray:
        """Compute the score of each candidate after at least one pick."""
        return self._array(
            "score", read_only(relevance), read_only(total), list(picked), after=picked[-1]
        )

    def bound(self, relevance: np.ndarray, total: np.ndarray, picked: list[int]) -> np.ndarray:
        """Compute the scores of totals that lack terms; +inf where they give no bound yet."""
        answer = self._answer("score", read_only(relevance), read_only(total), list(picked))
        bounds = self._numbers("score", answer)
        if bounds.base is not None:
            bounds = bounds.copy()  # because it will be changed in place
        if bounds.size and np.isnan(np.maximum.reduce(bounds)):
            bounds[np.isnan(bounds)] = np.inf
        return bounds

    def pair_term(self, s: int, t: int) -> np.ndarray:
        """Compute the term of two picks for each candidate."""
        return self._array("pair_term", self.info, s, t, after=s)

    def pair_score(
        self, relevance: np.ndarray, total: np.ndarray, pairs: np.ndarray, picked: list[int]
    ) -> np.ndarray:
        """Compute the score of a `PairCriterion` after at least one pick."""
        return self._array(
            "pair_score",
            read_only(relevance),
            read_only(total),
            read_only(pairs),
            list(picked),
            after=picked[-1],
        )

    def merit(self, picked: list[int]) -> np.ndarray:
        """Compute the merit of the picked set with each candidate."""
        return self._array("merit", self.info, list(picked))

    def merit_of_nothing(self) -> float:
        """Compute the merit of the empty set."""
        if not hasattr(self.criterion, "merit_of_nothing"):  # a Criterion with search and merit
            return 0.0
        value = self._answer("merit_of_nothing", self.info)
        if not isinstance(value, (int, float, np.integer, np.floating)) or np.isnan(value):
            raise self._fault(f"gives {printable(repr(value))} as merit_of_nothing, not a number")
        return float(value)

    def size(self) -> int | None:
        """Give the number of features that the criterion suggests, or None."""
        value = self._answer("size", self.info)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise self._fault(
                f"gives {printable(repr(value))} as size: it must be None or a number from 0 on"
            )
        return int(value)

    def _answer(self, method: str, *arguments: Any) -> Any:
        try:
            answer = getattr(self.criterion, method, None)
            if answer is None:
                raise self._fault(f"does not say its {method}: define that method")
            return answer(*arguments)
        except MlfsError:
            raise
        except NotImplementedError as error:
            raise self._fault(f"does not say its {method}: define that method") from error
        except Exception as error:
            raise self._fault(f"fails in {method}: {self._why(method, error)}") from error

    def _why(self, method: str, error: BaseException) -> str:
        """Describe an error of a criterion, and what may have caused it."""
        why = f"{type(error).__name__}: {printable(error, 200).strip()}"
        given = f"; {GIVEN[method]}" if method in GIVEN else ""
        if isinstance(error, (AttributeError, IndexError)):
            return f"{why}{given}"
        if not isinstance(error, (TypeError, ValueError)):
            return why
        if "read-only" in str(error):
            return f"{why}: what it is given serves others too; make a new array (x = x / y)"
        if "ufunc" in str(error):  # numpy's own message is about loops and signatures
            why = f"{type(error).__name__.removeprefix('_')}: it computes with what is no number"
        parameters = vars(self.criterion) if hasattr(self.criterion, "__dict__") else {}
        texts = [
            f"{key}={printable(repr(value), 40)}"
            for key, value in parameters.items()
            if type(value) is str
        ]
        if not texts:
            return f"{why}{given}"
        return f"{why}; is its parameter {' or '.join(texts)} to be a number?"

    def _array(self, method: str, *arguments: Any, after: int | None = None) -> np.ndarray:
        answer = self._answer(method, *arguments)
        array = self._numbers(method, answer)
        top = np.maximum.reduce(array) if array.size else 0.0  # NaN if there is one
        if top < np.inf or (top == np.inf and method not in JUDGEMENTS):
            return array
        if np.isnan(top):
            if answer is None:
                raise self._fault(f"gives None as {method}: does it lack a return?")
            f = int(self.info.features[np.flatnonzero(np.isnan(array))[0]])
            when = "" if after is None else f" after the pick of column {after}"
            raise self._fault(f"gives NaN as {method} of column {f}{when}")
        f = int(self.info.features[np.flatnonzero(np.isposinf(array))[0]])
        raise self._fault(f"gives +inf as {method} of column {f}: only -inf has a meaning")

    def _numbers(self, method: str, answer: Any) -> np.ndarray:
        """Turn an answer into one number for each candidate."""
        d = self.info.d
        if type(answer) is np.ndarray and answer.dtype == np.float64 and answer.shape == (d,):
            return answer if answer.flags.writeable else answer.copy()
        try:
            if np.iscomplexobj(answer):
                raise self._fault(f"gives complex numbers as {method}")
            array = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise self._fault(f"gives {type(answer).__name__} as {method}, not numbers") from error
        if array.shape == (d,):
            return array
        if array.shape:
            raise self._fault(
                f"gives {method} of shape {array.shape} for {d} candidates: it must be ({d},)"
            )
        return np.full(d, array)

    def _fault(self, fault: str) -> CriterionError:
        return CriterionError(f"the criterion {self.name} {fault}")
