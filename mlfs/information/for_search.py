"""Operations on an `Info` that a search needs beside the vocabulary; criteria do not see them.

An estimator that is not exact answers only what it can: the rest has a default, or is refused.
"""

# ruff: noqa: SLF001  # the one place outside of `ExactInfo` that knows its table

from __future__ import annotations

import copy
import math
from collections.abc import Sequence

import numpy as np

from mlfs._kernels import co_sums
from mlfs.counting.anchor import Anchor
from mlfs.counting.codes import Codes
from mlfs.counting.independence import Independence
from mlfs.counting.parts import Parts
from mlfs.counting.strata import Strata
from mlfs.errors import CriterionError, UsageError
from mlfs.information.adjusted import AdjustedBlock, AdjustedInfo
from mlfs.information.columns_info import AdjustedColumnsInfo, ColumnsInfo
from mlfs.information.credible import InformationMoments, interval_of, relevance_moments
from mlfs.information.exact import ExactInfo
from mlfs.information.gaussian import GaussianInfo
from mlfs.information.info import Info
from mlfs.information.label_block import LabelBlock
from mlfs.information.stratified import StratifiedInfo
from mlfs.information.table import PairInfo, Table

MOST_TIMES = 1000  # that a row counts where independence is tested, or labels are permuted


SLACK = 0.8  # of a bound, where information is corrected


def table_of(info: Info) -> Table:
    """The table of exact counts behind an Info; that of the labels alone if others have columns."""
    if isinstance(info, ColumnsInfo):
        return info.holders.of_labels
    if isinstance(info, StratifiedInfo):
        return info.whole
    if isinstance(info, AdjustedInfo):
        info = info._exact
    if not isinstance(info, ExactInfo):
        msg = f"{info._name} has no counts, and this needs them: use the estimator 'counts'"
        raise CriterionError(msg)
    return info._table


def view_of_some(
    info: Info, features: np.ndarray, anchors: Sequence[int], start: np.ndarray
) -> Info:
    """A view on some candidates that will be asked about some picks.

    Parameters
    ----------
    info : Info
        All candidates.
    features : ndarray of int
        The candidates of the view.
    anchors : sequence of int
        The picks, in the order in which they will be asked for.
    start : ndarray of int
        The first of them that is wanted for each candidate; before it, any answer will do.
    """
    if isinstance(info, StratifiedInfo):
        return info.made_of(lambda stratum: view_of_some(stratum, features, anchors, start))
    if isinstance(info, GaussianInfo):
        return info.only(features)._expect(anchors)
    if not isinstance(info, ExactInfo):
        return info.only(features)
    view = info._only(features, alone=True)
    if view._subset is not None:
        view._subset.expect(anchors, start)
    return view


def of_all_rows(info: Info) -> Info:
    """The information of all labels without strata."""
    return ExactInfo(info.whole) if isinstance(info, StratifiedInfo) else info


def number_of_strata(info: Info) -> int:
    """The number of strata within which information is asked for; 1 for all rows together."""
    return len(info.strata) if isinstance(info, StratifiedInfo) else 1


def constant_features(info: Info) -> np.ndarray:
    """Which candidates have the same value in every row."""
    return info._is_constant if isinstance(info, GaussianInfo) else info.h_f == 0


def release(info: Info) -> None:
    """Free what is kept for later questions, and let go those who hold columns."""
    if isinstance(info, ColumnsInfo):
        info.holders.release()
    else:
        table_of(info).release()


def report_of_holders(info: Info) -> str:
    """How much those who hold columns were asked; empty where the columns are here."""
    return info.holders.report() if isinstance(info, ColumnsInfo) else ""


def copies_of_labels(info: Info, features: Sequence[int], least: float) -> list[tuple[int, int]]:
    """Pairs of a feature and a label whose symmetrical uncertainty is at least so much.

    Only pairs whose entropies are near are looked at, and of the label only the rows that have not
    its mode: rows count once here, whatever their weights.
    """
    if isinstance(info, (GaussianInfo, AdjustedColumnsInfo)) or not len(features):
        return []
    h_f, h_l = info.h_f[features][:, None], info.h_l
    low, high = np.minimum(h_f, h_l), np.maximum(h_f, h_l)
    is_near = (2 * low >= least * (low + high)) & (low > 0)
    known = isinstance(info, ExactInfo) or "mi_fL" in vars(info)
    about_all = (
        info.mi_fL if known else None
    )  # no more is shared with a label than with all together
    if about_all is not None:
        is_near &= about_all[features][:, None] >= SLACK * least * (low + high) / 2
    rows, labels = np.nonzero(is_near)
    if isinstance(info, ColumnsInfo):
        shared = info.only(sorted(features)).su_fl[np.argsort(np.argsort(features))]
        near = [(i, j) for i, j in zip(rows, labels, strict=True) if shared[i, j] >= least]
        return [(features[int(i)], int(j)) for i, j in near]
    table, found = table_of(info), []
    for i in np.unique(rows).tolist():
        x = table.column(table.position(features[i]))
        n_x = np.bincount(x)
        found += [
            (features[i], label)
            for label in labels[rows == i].tolist()
            if _uncertainty(x, n_x, table.counts.labels.codes, label) >= least
        ]
    return found


def _uncertainty(x: np.ndarray, n_x: np.ndarray, labels: Codes, label: int) -> float:
    """The symmetrical uncertainty of a coded column and a label."""
    rows, codes = labels.entries(label)
    n_l = np.bincount(codes)
    cells = np.bincount(x[rows] * n_l.size + codes, minlength=n_x.size * n_l.size)
    joint = cells.reshape(n_x.size, n_l.size)
    n_l = np.append(n_l, x.size - rows.size)
    joint = np.append(joint, n_x - joint.sum(axis=1))
    joint_sum, x_sum, l_sum = (float(n @ np.log(np.maximum(n, 1))) for n in (joint, n_x, n_l))
    total = x.size * math.log(x.size)
    return 2 * (total + joint_sum - x_sum - l_sum) / (2 * total - x_sum - l_sum)


class Path:
    """The rows as picks divide them, and what candidates tell within these strata.

    Parameters
    ----------
    info : Info
        All rows, with the labels in play.
    """

    def __init__(self, info: Info) -> None:
        self._table, self._labels = table_of(info), info.labels
        counts = self._table.counts
        self._parts = Parts.of_all(counts.n_rows)
        if counts.given_weights is not None:  # whole numbers, which repeat their rows
            rows = np.repeat(self._parts.rows, counts.given_weights)
            self._parts = Parts(rows, Parts.of_all(rows.size).edges)
        if isinstance(info, StratifiedInfo):
            self._parts = self._parts.refined(info.codes)

    def take(self, s: int) -> None:
        """Divide the rows by the values of a pick."""
        self._parts = self._parts.refined(self._table.column(self._table.position(s)))

    @property
    def rows_left(self) -> int:
        """The rows in strata in which some label varies."""
        return self.strata(np.zeros(0, np.int64)).rows

    def strata(self, features: np.ndarray) -> Strata:
        """The strata, with some candidates."""
        positions = self._table.positions
        columns = features if positions is None else positions[features]
        return Strata(self._table.counts, self._parts, columns, np.array(self._labels))


def shared_uncertainty(info: Info, s: int, columns: Sequence[int]) -> np.ndarray:
    """The symmetrical uncertainty of a candidate with some others; r^2 of normal scores."""
    view = plain_of(info).only(columns)
    if isinstance(info, GaussianInfo):
        return -np.expm1(-2 * view.mi_fs(s))
    return view.su_fs(s)


def terms_only_add(info: Info) -> bool:
    """Whether no information is below 0, so that further terms can only lower falling scores."""
    return info._floor == 0


def most_sweep_cost(info: Info) -> float:
    """Estimate the nanoseconds that a term takes for all candidates, at the most.

    It is 0 where a few candidates cannot be counted faster than all of them.
    """
    if isinstance(info, GaussianInfo):
        return info._sweep_cost
    if isinstance(info, StratifiedInfo):
        return sum(map(most_sweep_cost, info.strata))
    if not isinstance(info, ExactInfo) or not info._table.counts_subsets:
        return 0.0
    return info._table.counts.sweep_cost(info._labels, triples=True)


def with_parents(info: Info, parents: Sequence[tuple[int, ...]] | None) -> Info:
    """Give the view the parents of every label."""
    network = None if parents is None else tuple(tuple(pa) for pa in parents)
    if network is None and info._parents is None:
        return info
    if isinstance(info, ExactInfo):
        return ExactInfo(info._table, labels=info._labels, features=info._features, parents=network)
    if isinstance(info, AdjustedInfo):
        exact = with_parents(info._exact, network)
        assert isinstance(exact, ExactInfo)
        return AdjustedInfo(exact, info._expected)
    if isinstance(info, StratifiedInfo):
        return info.made_of(lambda stratum: with_parents(stratum, parents))
    view = copy.copy(info)
    view._parents = network
    return view


def with_parents_of(info: Info, other: Info) -> Info:
    """Give the view the parents of labels that another view has."""
    return with_parents(info, other._parents)


def sweep_cost(view: Info) -> tuple[float, float]:
    """Estimate the nanoseconds that the last terms would have taken for all candidates.

    They are 0 where it does not pay to count some candidates alone. Also how many times slower than
    usual it is to ask for the terms of some candidates.
    """
    if isinstance(view, StratifiedInfo):
        costs, slower = zip(*map(sweep_cost, view.strata), strict=True)
        return sum(costs), max(slower)
    if isinstance(view, ExactInfo) and view._subset is not None:
        return view._subset.cost()
    return (view._sweep_cost if isinstance(view, GaussianInfo) else 0.0), 1.0


def relevance_interval(
    info: Info, columns: np.ndarray, level: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """The ends of an interval of the relevance of some columns; None where rows are not counted.

    Rows with weights are not.
    """
    if isinstance(info, GaussianInfo):
        return None
    of_labels = info.holders.of_labels if isinstance(info, ColumnsInfo) else table_of(info)
    if not of_labels.counts.counts_rows:
        return None
    strata = info.strata if isinstance(info, StratifiedInfo) else [info]
    parts = [
        one.relevance_moments(columns)
        if isinstance(one, ColumnsInfo)
        else relevance_moments(table_of(one), columns, info._labels)
        for one in strata
    ]
    weights = info.weights if isinstance(info, StratifiedInfo) else [1.0]
    share = np.array(weights)[:, None]
    of = InformationMoments(*map(np.array, zip(*parts, strict=True)))
    chance = (share * of.chance).sum(axis=0)
    unit = (share**2 * of.unit * of.chance).sum(axis=0) / np.where(chance > 0, chance, 1.0)
    return interval_of(
        InformationMoments(
            (share * of.counted).sum(axis=0),
            chance,
            (share**2 * of.chance_variance).sum(axis=0),
            unit,
            (share**2 * of.variance).sum(axis=0),
            (share * of.most).sum(axis=0),
        ),
        level,
    )


def number_of_levels(info: Info) -> np.ndarray:
    """The number of levels of each candidate."""
    if isinstance(info, ColumnsInfo):
        return info.holders.levels
    table = table_of(info)
    return table.counts.levels if table.positions is None else table.counts.levels[table.positions]


def independence(info: Info) -> tuple[Independence, Table, int]:
    """Tests of all columns and, counted on from the last one, all labels; and their table."""
    if isinstance(info, ColumnsInfo):
        msg = "independence is tested where all columns are: give the workers more memory, or "
        raise UsageError(f"{msg}leave the cluster out")
    if isinstance(info, GaussianInfo):
        raise info._unanswered("independence")
    table = table_of(info)
    counts, d, times = table.counts, table.d, None
    if counts.given_weights is not None:
        times = counts.weights // np.gcd.reduce(counts.weights)
        if times.max() > MOST_TIMES:
            msg = "independence is tested of rows that count a whole number of times: leave "
            raise UsageError(f"{msg}the weights out, or round them")

    always = [d + table.q] if isinstance(info, StratifiedInfo) else []  # counted on from labels

    def column_of(j: int) -> tuple[np.ndarray, int]:
        if isinstance(info, StratifiedInfo) and j in always:
            return info.codes, int(info.codes.max()) + 1
        if j < d:
            position = table.position(j)
            codes, levels = table.column(position), int(table.f_valid[position])
        else:
            codes, levels = counts.label_codes.column(j - d), int(table.l_valid[j - d])
        return codes, levels

    return Independence(column_of, int(counts.total), times, always), table, d


def is_adjusted(info: Info) -> bool:
    """Whether its expectation under independence is subtracted."""
    if isinstance(info, StratifiedInfo):
        return is_adjusted(info.strata[0])
    return isinstance(info, (AdjustedInfo, AdjustedColumnsInfo))


def plain_of(info: Info) -> Info:
    """Give information from which no expectation under independence is subtracted."""
    if isinstance(info, AdjustedColumnsInfo):
        return info.plain
    if isinstance(info, StratifiedInfo):
        return info.made_of(plain_of)
    return info._exact if isinstance(info, AdjustedInfo) else info


def block_of(info: Info, labels: np.ndarray) -> LabelBlock | AdjustedBlock:
    """The block that `Info.sum_over_labels` hands to its function for some labels."""
    assert isinstance(info, (ExactInfo, AdjustedInfo))
    return info._block(labels)


def report(info: Info) -> dict[str, object]:
    """In which layout the columns are counted, and how much was counted."""
    table = table_of(info)
    return {
        "layouts": table.counts.layouts(),
        "rows": table.counts.n_rows,
        "columns": table.d,
        "entries": int(table.counts.non_mode.sum()),
        "pairs counted": table.pairs_counted,
        "triples counted": table.triples.counted,
        "bytes cached": table.cache.bytes,
    }


# ---- label networks ---------------------------------------------------------------------------


def among_labels(info: Info) -> Info:
    """The labels in the place of the candidates."""
    return ExactInfo(table_of(info).among_labels)


def label_pair(info: Info, label: int) -> PairInfo:
    """I(a;l) of each label a, with the entropies of both on the rows where both are known."""
    table = table_of(info)
    pair = table.among_labels.pair_with_label(label)
    return PairInfo(*(array[: table.q] for array in pair))


def cmi_given_codes(info: Info, codes: np.ndarray) -> np.ndarray:
    """I(a;b|g) of all pairs of labels a and b, for a coded column g; 0 on the diagonal."""
    among = table_of(info).among_labels
    return _cmi_given_anchor(among, among.counts.other_anchor(codes))


def cmi_given_features(info: Info) -> np.ndarray:
    """The mean over all features f of I(a;b|f), of all pairs of labels; 0 on the diagonal."""
    table = table_of(info)
    d, q = table.d, table.q
    sums, total = np.zeros((q, q, 2), np.int64), np.zeros((q, q))
    if isinstance(info, ColumnsInfo):
        d = info.holders.levels.size
        sums, total = info.add_cmi_given_features(sums, total)
    else:
        sums, total = add_cmi_given_features(table, sums, total)
    scale = table.counts.xlogx.unit * float(table.rows)
    later = (sums[..., 0] * 2.0**co_sums.LOW_BITS + sums[..., 1]) / scale
    return (total + later + later.T) / d


def add_cmi_given_features(
    table: Table, sums: np.ndarray, total: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Add I(a;b|f) of all features: to whole sums of high and low bits, or to numbers.

    Sums are whole where nothing is left out; there a is the lower of the two labels.
    """
    labels = np.arange(table.q)
    if table.all_valid(labels):
        for label in range(table.q - 1):
            later = labels[label + 1 :]
            sums[label, later] += table.triples.over_features(table.label(label), later)
        return sums, total
    for feature in range(table.d):
        position = table.position(feature)
        total += _cmi_given_anchor(table.among_labels, table.anchor(position))
    return sums, total


def cmi_given_labels(info: Info, label: int, others: Sequence[int]) -> np.ndarray:
    """Sum over the labels l of `others` of I(label;l|a), for every label a."""
    table = table_of(info)
    view = ExactInfo(table.among_labels, labels=np.array(others))
    return view.cmi_sL_given_f(label)[: table.q]


def _cmi_given_anchor(among: Table, anchor: Anchor) -> np.ndarray:
    sums = among.triples.sums(among.statistics(anchor), np.arange(among.q))
    out = sums.fl_given_s(among.counts.xlogx)[:, : among.q].copy()
    np.fill_diagonal(out, 0.0)
    return out
