"""Select features: kinds, binning, network, engine, and the answer with all that was decided."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs import criteria
from mlfs.candidates import Grouping, columns_named, grouping
from mlfs.coding import Codes, code_labels
from mlfs.counts import Counts
from mlfs.criteria import Criterion
from mlfs.data.dataset import Dataset
from mlfs.discretize import Binning, encode, learn
from mlfs.engine import Path, Pick, best_first, greedy
from mlfs.errors import DataError, UsageError, printable
from mlfs.info import Info
from mlfs.labels import Network
from mlfs.network import network_for
from mlfs.selection import Chosen, Ranking, Selection
from mlfs.stopping import AutoStop
from mlfs.table import Table
from mlfs.weights import checked_weights, on_grid

__all__ = ["n_of", "prepare", "select"]

MISSING = ("level", "ignore", "error")
UNITS = {"nats": 1.0, "bits": 1.0 / np.log(2.0)}


@dataclass(frozen=True)
class Prepared:
    """A data set, coded and counted: what all criteria on the same data share."""

    dataset: Dataset
    binnings: tuple[Binning, ...]
    grouping: Grouping
    table: Table
    weights: np.ndarray | None
    notes: tuple[str, ...]

    @property
    def info(self) -> Info:
        """The view on all candidates and all labels."""
        return Info(self.table)


def select(
    data: Any,
    criterion: Any = "mim",
    n: int | float | str | None = None,
    *,
    labels: Any = None,
    per_label: bool = False,
    parameters: Mapping[str, Any] | None = None,
    include: Any = (),
    exclude: Any = (),
    groups: Any = None,
    start: Any = None,
    prefilter: int | None = None,
    bins: str = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: str = "level",
    sample_weight: Any = None,
    network: Any = None,
    order: str = "cheap",
    k: int | None = None,
    alpha: float = 0.05,
    min_gain: float = 0.01,
    units: str = "nats",
    n_jobs: int | None = None,
    seed: int = 0,
    on_pick: Callable[[str, Pick], object] | None = None,
) -> Selection:
    """Select the features that matter for all labels together, or for each label on its own.

    Parameters
    ----------
    data : Dataset, path, or (X, Y)
        What `mlfs.read` gives, a file that it reads, or arrays or frames.
    criterion : str, type or Criterion
        The name of a criterion, or one's own.
    n : int, float or "auto", optional
        How many features: a number, a share of them in (0, 1], or ``"auto"`` (see
        `mlfs.stopping`). By default the criterion's own opinion, else half the features. Per
        label, n is for each label.
    labels : str or sequence, optional
        Which columns of a file or frame are labels.
    per_label : bool
        Give every label its own subset; criteria of the scope "each label" always do.
    parameters : mapping, optional
        The parameters of the criterion.
    include, exclude : sequence of str or int
        Columns that are picked first, in this order, and count towards n; columns that never are.
    groups : mapping or sequence, optional
        Columns that count as one feature: their joint value is what is scored.
    start : Selection, mapping or sequence, optional
        An earlier selection that is continued; its picks count towards n.
    prefilter : int, optional
        Only so many features of greatest relevance are candidates.
    bins, n_bins, nominal_limit
        How numeric columns are binned, see `mlfs.discretize.learn`.
    missing : {"level", "ignore", "error"}
        A missing value in X is a level of its own, is left out of the terms about its column,
        or is refused.
    sample_weight : array, optional
        How much each row counts; the file's own weights by default.
    network : {"chain", "tree"}, Network or mapping, optional
        The parents of the labels, for criteria that want them; by default what the criterion
        names.
    order : {"cheap", "full", "given"}
        How the chain is ordered: Algorithm 2 on the first principal component, in full, or as
        the columns stand.
    k : int, optional
        At most so many parents in a chain; ceil(0.8 q) by default.
    alpha, min_gain : float
        For ``n="auto"``: false discoveries that are accepted, least gain of a pick.
    units : {"nats", "bits"}
        The unit of scores and terms.
    n_jobs : int, optional
        Threads, -1 for all processors; the answer does not depend on it.
    seed : int
        Seeds the shuffles of ``n="auto"``.
    on_pick : callable, optional
        Called with the label's name (empty for all labels) and each pick as it is made.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import mlfs
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> mlfs.select((X, Y), "mim", n=2, units="bits").scores.tolist()
    [1.0, 1.0]
    """
    name, chosen = criteria.get(criterion, parameters)
    if units not in UNITS:
        msg = f"units are 'nats' or 'bits', not {printable(units)!r}"
        raise UsageError(msg)
    ready = prepare(
        data,
        labels=labels,
        groups=groups,
        bins=bins,
        n_bins=n_bins,
        nominal_limit=nominal_limit,
        missing=missing,
        sample_weight=sample_weight,
        n_jobs=n_jobs,
    )
    names = ready.dataset.feature_names
    plan = _Plan(
        name=name,
        criterion=chosen,
        n=n,
        forced=columns_named(include, names, "include"),
        excluded=columns_named(exclude, names, "exclude"),
        start=start,
        prefilter=_checked_count(prefilter, "prefilter"),
        alpha=_share(alpha, "alpha"),
        min_gain=_share(min_gain, "min_gain"),
        seed=seed,
        on_pick=on_pick,
    )
    used = network_for(chosen, network, ready.dataset, ready.info, ready.weights, order, k)
    info = Info(ready.table, parents=None if used is None else used.parents)
    each = per_label or chosen.scope == "each label"
    notes = list(ready.notes)
    by_label: dict[str, Ranking] = {}
    if each:
        for label, label_name in enumerate(ready.dataset.label_names):
            path = _search(plan, ready, info.for_label(label), label_name)
            by_label[label_name] = _ranking(path, ready, label_name)
            if path.interrupted:
                break
        ranked = _union(by_label)
        interrupted = any(one.interrupted for one in by_label.values())
        short = [name for name, one in by_label.items() if not len(one)]
        if short and not interrupted:
            notes.append(
                f"no feature was selected for {len(short)} of the labels, "
                f"{printable(short[0])!r} among them"
            )
    else:
        path = _search(plan, ready, info, "")
        own = _ranking(path, ready, "")
        ranked, interrupted = own.chosen, own.interrupted
        if path.exhausted and n is not None and n != "auto":
            notes.append(
                f"only {len(path.picks)} features were selected: "
                f"{name} would never pick one of the others"
            )
    rows, d, q = ready.dataset.shape
    factor = UNITS[units] if chosen.unit == "information" else 1.0
    return Selection(
        chosen=_scaled(ranked, factor),
        interrupted=interrupted,
        criterion=name,
        parameters=_parameters_of(chosen),
        scope="each label" if each else "all labels",
        units=units if chosen.unit == "information" else "ratio",
        data={"rows": rows, "features": d, "labels": q},
        labels={key: replace(one, chosen=_scaled(one.chosen, factor)) for key, one in by_label.items()},
        network=used,
        binnings=ready.binnings,
        settings={
            "n": n,
            "bins": bins,
            "n_bins": n_bins,
            "nominal_limit": nominal_limit,
            "missing": missing,
            "prefilter": prefilter,
            "weighted": ready.weights is not None,
            "labels_by": ready.dataset.source.labels_by,
            "seed": seed,
        },
        notes=tuple(notes),
    )


def prepare(
    data: Any,
    *,
    labels: Any = None,
    groups: Any = None,
    bins: str = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: str = "level",
    sample_weight: Any = None,
    n_jobs: int | None = None,
    binnings: Sequence[Binning] | None = None,
) -> Prepared:
    """Read, bin and count a data set; see `select` for the parameters."""
    if missing not in MISSING:
        msg = f"missing is one of {', '.join(MISSING)}, not {printable(missing)!r}"
        raise UsageError(msg)
    dataset = _as_dataset(data, labels)
    if dataset.shape[2] == 0:
        msg = "the data have no label columns: name them with labels="
        raise DataError(msg)
    notes = list(dataset.notes)
    notes += [f"the column {printable(n)!r} is left out: {why}" for n, why in dataset.left_out]
    given = dataset.weights if sample_weight is None else sample_weight
    weights = None if given is None else checked_weights(given, dataset.shape[0])
    if sample_weight is None and weights is not None:
        notes.append("rows are weighted as the file says")
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        notes.append(f"{weights.size - kept.size} rows of weight 0 are left out")
        weights = weights[kept]
        dataset = replace(dataset, X=dataset.X[kept], Y=dataset.Y[kept])
    if missing == "error":
        _refuse_missing(dataset)
    learned = tuple(
        learn(dataset, bins, n_bins, nominal_limit, weights=weights)
        if binnings is None
        else binnings
    )
    groups_ = grouping(groups, dataset.feature_names)
    codes = groups_.merged(Codes(dataset.shape[0], *encode(dataset, learned)))
    y, mask_of = code_labels(
        dataset.Y, [len(label.values) for label in dataset.labels]
    ).with_masks()
    grid = None if weights is None else [on_grid(weights)]
    counts = Counts([codes], [y], grid, _threads(n_jobs))
    table = Table(counts, dataset.shape[2], mask_of, ignore_missing=missing == "ignore")
    notes += _told(dataset, table, learned, missing)
    return Prepared(dataset, learned, groups_, table, weights, tuple(notes))


def _as_dataset(data: Any, labels: Any) -> Dataset:
    if isinstance(data, Dataset):
        if labels is not None:
            msg = "labels= was given beside a Dataset, which knows its labels"
            raise UsageError(msg)
        return data
    from mlfs.data import from_arrays, read

    if isinstance(data, (str, os.PathLike)):
        return read(FilePath(data), labels=labels)
    if isinstance(data, tuple) and len(data) == 2:
        return from_arrays(*data)
    if labels is not None:
        return from_arrays(data, labels=labels)
    msg = f"data is a Dataset, a path or (X, Y), not {printable(type(data).__name__)}"
    raise UsageError(msg)


def _refuse_missing(dataset: Dataset) -> None:
    if sp.issparse(dataset.X):
        stored = sp.coo_array(dataset.X)
        rows, columns = (axis[np.isnan(stored.data)] for axis in stored.coords)
    else:
        rows, columns = np.nonzero(np.isnan(dataset.X))
    if rows.size:
        first = np.lexsort((columns, rows))[0]
        msg = (
            f"{rows.size} values of X are missing, the first in row {rows[first] + 1} of the "
            f"column {printable(dataset.columns[columns[first]].name)!r}: "
            "use missing='level' or missing='ignore'"
        )
        raise DataError(msg)


def _told(
    dataset: Dataset, table: Table, binnings: Sequence[Binning], missing: str
) -> list[str]:
    notes = []
    n_missing = sum(binning.missing for binning in binnings)
    if n_missing:
        how = "are a level of their own" if missing == "level" else "are left out"
        notes.append(f"missing values in {n_missing} columns {how}")
    constant = np.flatnonzero(table.h_f == 0)
    if constant.size:
        first = int(constant[0])
        notes.append(f"{constant.size} features carry no information: they are constant once binned"
                     f" (the first is number {first})")
    gone = int((table.mask_of >= 0).sum())
    if gone:
        notes.append(f"{gone} labels have missing values: such rows are left out of their terms")
    flat = [dataset.label_names[i] for i in np.flatnonzero(table.h_l == 0).tolist()]
    if flat:
        notes.append(
            f"{len(flat)} labels are constant and tell nothing, {printable(flat[0])!r} among them"
        )
    return notes


@dataclass(frozen=True)
class _Plan:
    name: str
    criterion: Criterion
    n: int | float | str | None
    forced: list[int]
    excluded: list[int]
    start: Any
    prefilter: int | None
    alpha: float
    min_gain: float
    seed: int
    on_pick: Callable[[str, Pick], object] | None


def _search(plan: _Plan, ready: Prepared, info: Info, label: str) -> Path:
    names = ready.dataset.feature_names
    begun = columns_named(_start_of(plan.start, label), names, "start")
    clash = sorted({*begun, *plan.forced} & {*plan.excluded})
    if clash:
        msg = f"the column {printable(names[clash[0]])!r} is both included and excluded"
        raise UsageError(msg)
    forced = ready.grouping.candidates([*begun, *plan.forced])
    excluded = ready.grouping.candidates(plan.excluded)
    left = info.d - len(excluded)
    n = n_of(plan.n, left, len(ready.grouping.members))
    if plan.prefilter is not None:
        order = np.lexsort((info.features, -_rounded(info.mi_fL)))
        kept = {*order[: plan.prefilter].tolist(), *forced}
        info = info.only(sorted(kept))
    closes = None
    if plan.n == "auto":
        auto = AutoStop(info, alpha=plan.alpha, min_gain=plan.min_gain, seed=plan.seed)
        excluded = sorted({*excluded, *auto.left_out.tolist()} - {*forced})
        closes, n = auto.closes, info.d
    told = plan.on_pick
    on_pick = None if told is None else (lambda pick: told(label, pick))
    common: dict[str, Any] = {
        "forced": forced, "excluded": excluded, "name": plan.name, "on_pick": on_pick,
    }
    if n is None and plan.criterion.search == "best first":
        return best_first(plan.criterion, info, **common)
    if n is None:
        n = plan.criterion.size(info)
    if n is None:
        n = max(1, len(ready.grouping.members) // 2)
    n = min(max(n, len(forced)), left)
    return greedy(plan.criterion, info, n, closes=closes, **common)


def _rounded(values: np.ndarray) -> np.ndarray:
    """Relevances that differ by rounding only are made equal, so that columns decide."""
    return np.round(values / 1e-12)


def n_of(n: Any, candidates: int, features: int) -> int | None:
    """The number of features that is asked for; None where it is not a number.

    Examples
    --------
    >>> n_of(0.1, 1836, 1836)
    184
    """
    if n is None or (isinstance(n, str) and n == "auto"):
        return None
    if isinstance(n, (bool, np.bool_, str)) or not isinstance(
        n, (int, float, np.integer, np.floating)
    ):
        msg = f"n is a number of features, a share of them in (0, 1], or 'auto', not {printable(n)!r}"
        raise UsageError(msg)
    if isinstance(n, (float, np.floating)):
        if not 0 < n <= 1:
            msg = f"n = {n} is no share: a share of the features lies in (0, 1]"
            raise UsageError(msg)
        return min(candidates, max(1, int(np.floor(float(n) * features + 0.5))))
    if n < 1:
        msg = f"n = {n}: select at least one feature"
        raise UsageError(msg)
    if n > candidates:
        msg = f"n = {n} features are asked for, but there are {candidates} to choose from"
        raise UsageError(msg)
    return int(n)


def _start_of(start: Any, label: str) -> Any:
    """The columns of an earlier selection, for all labels or for one."""
    if start is None:
        return ()
    if isinstance(start, Selection):
        ranking = start.labels.get(label, start) if label else start
        return ranking.names
    if isinstance(start, Mapping):
        if start.get("schema") != 1 or "selected" not in start:
            msg = "start is no selection of schema 1: give what mlfs select --format json wrote"
            raise UsageError(msg)
        subsets = {one["name"]: one["selected"] for one in start.get("labels", ())}
        return [one["name"] for one in subsets.get(label, start["selected"])]
    return start


def _ranking(path: Path, ready: Prepared, label: str) -> Ranking:
    members, group_names = ready.grouping.members, ready.grouping.names
    names = ready.dataset.feature_names
    chosen = []
    for rank, pick in enumerate(path.picks, start=1):
        runner_up = None if pick.runner_up is None else members[pick.runner_up][0]
        for column in members[pick.index]:
            chosen.append(
                Chosen(
                    rank=rank,
                    index=column,
                    name=names[column],
                    score=pick.score,
                    relevance=pick.relevance,
                    redundancy=pick.redundancy,
                    label_correlation=pick.label_correlation,
                    margin=pick.margin,
                    runner_up=runner_up,
                    ties=tuple(members[tied][0] for tied in pick.ties),
                    forced=pick.forced,
                    group=group_names[pick.index],
                )
            )
    return Ranking(tuple(chosen), label, path.interrupted)


def _union(by_label: Mapping[str, Ranking]) -> tuple[Chosen, ...]:
    """All that any label picked: by best rank, then by how many picked it, then by column.

    Score and terms are those of the label that ranked it best (the first such label).
    """
    best: dict[int, Chosen] = {}
    times: dict[int, int] = {}
    for ranking in by_label.values():
        for one in ranking.chosen:
            times[one.index] = times.get(one.index, 0) + 1
            if one.index not in best or one.rank < best[one.index].rank:
                best[one.index] = one
    order = sorted(best, key=lambda j: (best[j].rank, -times[j], j))
    return tuple(
        replace(best[j], rank=place, labels=times[j]) for place, j in enumerate(order, start=1)
    )


def _scaled(chosen: tuple[Chosen, ...], factor: float) -> tuple[Chosen, ...]:
    if factor == 1.0:
        return chosen
    return tuple(
        replace(
            one,
            score=one.score * factor,
            relevance=one.relevance * factor,
            redundancy=one.redundancy * factor,
            label_correlation=one.label_correlation * factor,
            margin=one.margin * factor,
        )
        for one in chosen
    )


def _parameters_of(criterion: Criterion) -> dict[str, Any]:
    return {key: value for key, value in vars(criterion).items() if not key.startswith("_")}


def _checked_count(count: Any, what: str) -> int | None:
    if count is None:
        return None
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        msg = f"{what} is a whole number from 1 on, not {printable(count)!r}"
        raise UsageError(msg)
    return int(count)


def _share(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        msg = f"{what} lies between 0 and 1, not {printable(value)!r}"
        raise UsageError(msg)
    return float(value)


def _threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        msg = f"n_jobs is a number of threads, or -1 for all, not {printable(n_jobs)!r}"
        raise UsageError(msg)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return int(n_jobs) if n_jobs > 0 else max(1, (processors or 1) + 1 + int(n_jobs))
