"""The answer of a selection: the selected features in order, with scores and reasons."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import name_of_date
from mlfs.data.frames import as_frame, naming_half_pairs, pandas
from mlfs.discretize import Binning
from mlfs.errors import DataError, printable
from mlfs.search.certainty import Certainty
from mlfs.search.label_parents import Structure
from mlfs.search.panel import Terms
from mlfs.search.picks import Pick, Picks, Significance

SCHEMA = 1
ColumnNames = Sequence[str] | Mapping[int, str]
TERMS = ("relevance", "redundancy", "label_correlation")

IN_MODEL_FILE: ContextVar[bool] = ContextVar("IN_MODEL_FILE", default=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Chosen(Pick):
    """One selected column.

    Parameters
    ----------
    index, score, relevance, redundancy, label_correlation, runner_up, margin, forced, tied
        As in `mlfs.search.picks.Pick`, with columns of X.
    rank : int
        Its place, from 1; the columns of one group share a rank.
    name : str
        Its name.
    group : str
        The group that it came with, or empty.
    labels : int
        In a union of subsets: how many labels picked it.
    panel : Terms or None
        What the constraints of a panel did.
    certainty : Certainty or None
        How sure it is, where the rows were resampled.
    """

    rank: int
    name: str
    group: str = ""
    labels: int = 0
    panel: Terms | None = None
    certainty: Certainty | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give the record for JSON; numbers that are not finite become null."""
        record: dict[str, Any] = {
            "rank": self.rank,
            "index": self.index,
            "name": self.name,
            "score": _finite(self.score),
            "terms": {term: _finite(getattr(self, term)) for term in TERMS},
            "margin": _finite(self.margin),
            "runner_up": self.runner_up,
            "ties": self.tied.tolist(),
        }
        if self.forced:
            record["forced"] = True
        if self.group:
            record["group"] = self.group
        if self.labels:
            record["labels"] = self.labels
        if self.panel is not None:
            record["panel"] = self.panel.to_dict()
        if self.certainty is not None:
            record |= self.certainty.to_dict()
        return record


@dataclass(frozen=True)
class ToldBy:
    """The column that tells most about a label, where the number of features was automatic.

    Parameters
    ----------
    label : str
        The label.
    name : str or None
        The column that tells most about it; None where no column tells more than chance.
    index : int or None
        Its number.
    p_value : float
        Of this column, or of the best one.
    picked : bool
        Whether it is picked.
    partner : str, optional
        The column with which it tells the label more than apart, where it does not do so alone.
    """

    label: str
    name: str | None
    index: int | None
    p_value: float
    picked: bool
    partner: str | None = None


@dataclass(frozen=True)
class Ranking:
    """Selected columns in order, for all labels or for one.

    Parameters
    ----------
    picks : Picks
        The columns of X, with scores, terms, runners-up and ties.
    ranks : ndarray of int
        The rank of each, from 1.
    names : tuple of str
        The name of each.
    groups : tuple of str
        The group of each, or empty if there are no groups.
    times : ndarray of int, optional
        In a union of subsets: how many labels picked each.
    label : str
        The label; empty for all labels.
    interrupted, timed_out : bool
        Whether Ctrl-C ended the search; whether `max_seconds` did.
    significance : Significance, optional
        The test of all candidates against chance that ``n="auto"`` made.
    terms_of_panel : tuple of Terms
        For each pick of a panel its cost, the labels that it tells something about, and the
        constraints that kept a better one out; empty without constraints.
    certainty : tuple of (Certainty or None)
        How sure each pick is, where ``resamples`` were asked for; a union of subsets has none.
    """

    picks: Picks
    ranks: np.ndarray = field(compare=False)
    names: tuple[str, ...]
    groups: tuple[str, ...] = ()
    times: np.ndarray | None = field(default=None, compare=False)
    label: str = ""
    interrupted: bool = False
    timed_out: bool = False
    significance: Significance | None = field(default=None, compare=False)
    terms_of_panel: tuple[Terms, ...] = field(default=(), compare=False)
    certainty: tuple[Certainty | None, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.picks)

    def parts(self) -> dict[str, Any]:
        """The picks and all about them, by name."""
        return {part.name: getattr(self, part.name) for part in fields(Ranking)}

    @cached_property
    def chosen(self) -> tuple[Chosen, ...]:
        """The selected columns one by one, made when they are first asked for."""
        n = len(self)
        labels = [0] * n if self.times is None else self.times.tolist()
        groups, panel = self.groups or [""] * n, self.terms_of_panel or [None] * n
        certainty = self.certainty or [None] * n
        more = zip(self.ranks.tolist(), self.names, groups, labels, panel, certainty, strict=True)
        names = ("rank", "name", "group", "labels", "panel", "certainty")
        return tuple(
            Chosen(**vars(pick), **dict(zip(names, values, strict=True)))
            for pick, values in zip(self.picks, more, strict=True)
        )

    @property
    def indices(self) -> tuple[int, ...]:
        """The columns, in pick order."""
        return tuple(self.picks.columns.tolist())

    @property
    def scores(self) -> np.ndarray:
        """Their scores."""
        return self.picks.scores.copy()

    @property
    def margins(self) -> np.ndarray:
        """The score of each minus that of its runner-up."""
        return self.picks.margins.copy()

    @property
    def runners_up(self) -> tuple[int | None, ...]:
        """The next best column of each, None if there was none."""
        return tuple(None if j < 0 else j for j in self.picks.runners_up.tolist())

    @property
    def ties(self) -> tuple[tuple[int, ...], ...]:
        """The columns that tie with each."""
        return tuple(pick.ties for pick in self.picks)

    @property
    def terms(self) -> dict[str, np.ndarray]:
        """The parts of the scores: relevance, redundancy, label_correlation."""
        return {term: getattr(self.picks, term).copy() for term in TERMS}


@dataclass(frozen=True, repr=False)
class Selection(Ranking):
    """The features that a criterion selected, and all decisions that led to them.

    Parameters
    ----------
    criterion : str
        The name of the criterion.
    parameters : dict
        Its parameters.
    scope : str
        ``all labels`` or ``each label``.
    units : str
        ``nats``; ``ratio`` where a criterion's scores have no unit.
    data : dict
        rows, features, labels: the shape of the data.
    labels : dict of str to Ranking
        For subsets per label: the ranking of each label.
    network : Structure or None
        The parents of labels that the criterion used.
    binnings : sequence of Binning
        What was decided for each column of X.
    told_by : tuple of ToldBy
        For each label the pick that tells most about it, or else the best column; empty unless the
        number of features for all labels together was automatic.
    settings : dict
        The options of the selection, and how the data were prepared.
    notes : tuple of str
        Remarks for the user.
    pair_terms : dict
        How many terms of one pick and one candidate were ``counted``, and how many an eager search
        counts (``eager``).
    column_names : sequence or mapping
        The name of each column by its number, without columns that cannot be features.
    searched : Searched or None
        What it was made by, for `mlfs.certainty`; None if it was read from a file.
    """

    criterion: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    scope: str = "all labels"
    units: str = "nats"
    data: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, Ranking] = field(default_factory=dict)
    network: Structure | None = None
    binnings: Sequence[Binning] = ()
    told_by: tuple[ToldBy, ...] = field(default=(), compare=False)
    settings: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    pair_terms: Mapping[str, int] = field(default_factory=dict)
    column_names: ColumnNames = field(default=(), compare=False)
    searched: Any = field(default=None, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """The fields; a model file leaves out how the selection was made."""
        return {**vars(self), "searched": None} if IN_MODEL_FILE.get() else dict(vars(self))

    def __repr__(self) -> str:
        from mlfs.api.display import as_line

        return as_line(self)

    def _repr_html_(self) -> str:
        from mlfs.api.display import as_html

        return as_html(self)

    def to_frame(self) -> Any:
        """Give the picks as a frame of pandas, a row each; per label, the label comes first."""
        rows = []
        for label, ranking in self.labels.items() if self.labels else [("", self)]:
            for pick in ranking.chosen:
                record = pick.to_dict()
                terms = record.pop("terms")
                record |= record.pop("panel", {})
                if pick.certainty is not None:
                    record = {key: record[key] for key in record if not key.endswith("_interval")}
                    record |= pick.certainty.to_row()
                if "substitutes" in record:
                    record["substitutes"] = [entry["name"] for entry in record["substitutes"]]
                if pick.runner_up is not None:
                    record["runner_up"] = self.column_names[pick.runner_up]
                rows.append({**({"label": label} if label else {}), **record, **terms})
        with naming_half_pairs(value for row in rows for value in row.values()):
            return pandas().DataFrame(rows)

    def plot(self, label: str | None = None, ax: Any = None) -> Any:
        """Draw the picks with the terms of their scores; needs matplotlib.

        Parameters
        ----------
        label : str, optional
            Where each label has a ranking of its own: which one; the union by default.
        ax : matplotlib Axes, optional
            Where to draw; the current axes of pyplot by default.

        Returns
        -------
        matplotlib Axes
            Of `mlfs.plots.selection_path`.
        """
        from mlfs.plots import selection_path  # above this package

        return selection_path(self, label, ax)

    def explain(self, features: Any = None, data: Any = None, **options: Any) -> Any:
        """Explain why features were picked, or, with the data, why they were not.

        Parameters
        ----------
        features : str, int or sequence of them, optional
            Names or columns, by default all picks. With data also globs.
        data : Dataset, path, (X, Y), or Prepared, optional
            The data of the selection: needed for features that were not picked, and for what a
            feature shares with the picks.
        **options
            As for `mlfs.explain`.

        Returns
        -------
        list of Explanation
            Printed, it is the text of ``mlfs explain``.

        Examples
        --------
        >>> import mlfs
        >>> mlfs.select(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), n=1).explain()
        scls: 1 of 2 features picked; score = relevance + label correlation - redundancy
        x0 (index 0): pick 1
          score               0.693147 nats = 0.693147 - 0.000000
          ahead of            x1 (index 1) by 0.693147 nats
        """
        from mlfs.api.explanation import explain, explain_from_selection

        if data is not None:
            return explain(data, self, features, **options)
        return explain_from_selection(self, features)

    def transform(self, X: Any) -> Any:
        """Keep the selected columns of a table, in the order of its columns.

        Parameters
        ----------
        X : array, sparse matrix or frame
            A table with the columns of the data; a frame is matched by the names of columns.

        Examples
        --------
        >>> import mlfs
        >>> X, Y = [[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]
        >>> mlfs.select((X, Y), n=1).transform(np.array(X)).ravel().tolist()
        [0, 0, 1, 1]
        """
        if hasattr(X, "columns") and len(X.shape) == 2:
            X = as_frame(X)
            column_of = {str(name): name for name in X.columns}
            names = dict(sorted(zip(self.indices, self.names, strict=True)))
            names = {
                j: name if name in column_of else name_of_date(name) for j, name in names.items()
            }
            for name in names.values():
                if name not in column_of:
                    raise DataError(f"X has no column {printable(name)!r}, which is selected")
            return X[[column_of[name] for name in names.values()]]
        X = _table(X)
        n_given = self.data.get("columns", self.data["features"])
        if X.shape[1] != n_given:
            msg = f"X has {X.shape[1]} columns, but the selection is of {n_given} features"
            raise DataError(msg)
        return X[:, sorted({*self.indices})]

    @classmethod
    def from_json(cls, source: Any) -> Selection:
        """Read a selection from the JSON that `to_dict` or ``mlfs select --format json`` gave.

        Parameters
        ----------
        source : path, str or mapping
            A file, a JSON text, or the dictionary.

        Examples
        --------
        >>> import mlfs
        >>> picks = mlfs.select(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), n=1)
        >>> mlfs.Selection.from_json(picks.to_dict()).names
        ('x0',)
        """
        from mlfs.api.selection_json import selection_from

        return selection_from(source)

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON document of ``mlfs select --format json``."""
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "criterion": self.criterion,
            "parameters": dict(self.parameters),
            "scope": self.scope,
            "units": self.units,
            "data": dict(self.data),
            "settings": dict(self.settings),
            "selected": [pick.to_dict() for pick in self.chosen],
        }
        if self.labels:
            document["labels"] = [
                {
                    "name": name,
                    "selected": [pick.to_dict() for pick in ranking.chosen],
                    **_significance_record(ranking),
                }
                for name, ranking in self.labels.items()
            ]
        if self.network is not None:
            document["network"] = {
                "kind": self.network.kind,
                "order": list(self.network.order),
                "parents": [list(pa) for pa in self.network.parents],
                "note": self.network.note,
            }
        document["binning"] = [binning.describe() for binning in self.binnings]
        document["pair_terms"] = dict(self.pair_terms)
        document["notes"] = list(self.notes)
        document |= _significance_record(self)
        if self.told_by:
            document["told_by"] = [asdict(told) for told in self.told_by]
        if self.interrupted:
            document["interrupted"] = True
        if self.timed_out:
            document["timed_out"] = True
        return document


def _significance_record(ranking: Ranking) -> dict[str, Any]:
    significance = ranking.significance
    return {} if significance is None else {"significance": significance.to_dict()}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _table(X: Any) -> Any:
    """A table whose columns can be taken; lists become an array."""
    if sp.issparse(X):
        X = X if X.format == "csc" else X.tocsr()
    elif isinstance(X, (list, tuple)):
        with contextlib.suppress(ValueError):  # of lists of different lengths
            X = np.asarray(X)
    if len(getattr(X, "shape", ())) != 2:
        msg = "X is an array, a sparse matrix or a frame of rows and columns"
        raise DataError(f"{msg}, not {printable(repr(X))}")
    return X
