"""Why a feature was picked, or why not: its terms, its rivals, what it shares with the picks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from mlfs import criteria
from mlfs.api.as_dataset import as_dataset, keeps_numbers
from mlfs.api.candidates import Grouping, columns_named
from mlfs.api.options import UNITS
from mlfs.api.plan import NOTHING_MORE
from mlfs.api.prepared import Prepared, prepare
from mlfs.api.reasons import Explanation, Explanations
from mlfs.api.selecting import select
from mlfs.api.selection import Chosen, Ranking, Selection
from mlfs.criteria import Criterion
from mlfs.errors import UsageError, printable
from mlfs.information.info import Info

__all__ = ["Explanation", "Explanations", "explain", "explain_from_selection", "explain_picks"]

COUNTING = (
    *("groups", "bins", "n_bins", "nominal_limit", "target_bins", "labels_as", "missing"),
    *("estimator", "correction"),
)


def explain_picks(selection: Selection, names: Sequence[str]) -> list[Explanation]:
    """Explain every pick; `names` are those of all features.

    Examples
    --------
    >>> picks = select(([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]]), "mim", 1)
    >>> explain_picks(picks, ["left", "right"])[0].rival
    (1, 'right')
    """
    return [
        _explanation(pick, ranking.label, pick.rank, names)
        for ranking in _rankings(selection)
        for pick in ranking.chosen
    ]


def explain_from_selection(selection: Selection, features: Any = None) -> Explanations:
    """Explain some picks, or all, from what the selection holds; no data are needed."""
    known = {j: binning.name for j, binning in enumerate(selection.binnings)}
    known |= {pick.index: pick.name for ranking in _rankings(selection) for pick in ranking.chosen}
    names = [known.get(j, f"column {j}") for j in range(selection.data["features"])]
    reasons = explain_picks(selection, names)
    if features is None:
        return Explanations(selection, reasons)
    features = [features] if isinstance(features, (str, int)) else list(features)
    for feature in features:
        if not any(feature in (reason.index, reason.name) for reason in reasons):
            shown = printable(repr(feature))
            raise UsageError(f"{shown} was not picked: to explain why, give data=, the data")
    return Explanations(
        selection,
        [reason for reason in reasons if reason.index in features or reason.name in features],
    )


def _rankings(selection: Selection) -> list[Ranking]:
    return list(selection.labels.values()) or [selection]


def _explanation(
    pick: Chosen, label: str, rank: int | None, names: Sequence[str], **fields: Any
) -> Explanation:
    return Explanation(
        index=pick.index,
        name=pick.name,
        label=label,
        rank=rank,
        score=pick.score,
        relevance=pick.relevance,
        redundancy=pick.redundancy,
        label_correlation=pick.label_correlation,
        margin=pick.margin,
        rival=None if pick.runner_up is None else (pick.runner_up, names[pick.runner_up]),
        ties=tuple((j, names[j]) for j in pick.ties),
        forced=rank is not None and pick.forced,
        **fields,
    )


def explain(
    data: Any,
    selection: Selection,
    features: Any = None,
    *,
    criterion: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    units: str | None = None,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Explanations:
    """Explain why features were picked or not.

    A feature that was not picked is scored by the criterion as if it came next.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        The data from which the features were selected. They are prepared as they were for the
        selection; a `Prepared` is used as it is.
    selection : Selection
        What `mlfs.select` returned.
    features : str, int or sequence of them, optional
        Names, globs or columns; by default the picks. Explanations of picks that were not named
        come without `place` and `shared`, and nothing is counted for them.
    criterion : str, type or Criterion, optional
        The criterion of the selection; needed only if it is not known by its name.
    labels, sample_weight, n_jobs, max_memory
        As for `mlfs.select`.
    units : {"nats", "bits"}, optional
        The unit of scores and terms; by default that of the selection.

    Returns
    -------
    list of Explanation
        For each feature one, or one for each label if the selection is for each label. Printed,
        it is the text of ``mlfs explain``.

    Examples
    --------
    >>> import mlfs
    >>> data = ([[0, 0], [0, 1], [1, 0], [1, 1]], [[0], [0], [1], [1]])
    >>> (why,) = explain(data, mlfs.select(data, "mim", 1), [1])
    >>> why.rank, why.place, why.rival
    (None, 2, None)
    """
    if not isinstance(selection, Selection):
        msg = f"is what mlfs.select returned, not {printable(repr(selection))}"
        raise UsageError(msg, option="selection")
    if features is None:
        if isinstance(data, Prepared):
            return Explanations(selection, explain_picks(selection, data.dataset.feature_names))
        numbers = keeps_numbers(selection.settings)
        names = as_dataset(data, labels, numbers=numbers).feature_names
        return Explanations(selection, explain_picks(selection, names))
    prepared = prepare(
        data,
        labels=labels,
        sample_weight=sample_weight,
        n_jobs=n_jobs,
        max_memory=max_memory,
        **({} if isinstance(data, Prepared) else {n: selection.settings[n] for n in COUNTING}),
    )
    _refuse_other_data(prepared, selection)
    if units is None:
        units = "nats" if selection.units == "ratio" else selection.units
    source = selection.criterion if criterion is None else criterion
    parameters = None if isinstance(source, Criterion) else selection.parameters
    instance = criteria.get(source, parameters)[1]
    columns = columns_named(features, prepared.dataset.names, "the features to explain")
    explanations = (
        _explain_feature(prepared, selection, instance, column, units) for column in columns
    )
    return Explanations(selection, chain.from_iterable(explanations))


def _refuse_other_data(prepared: Prepared, selection: Selection) -> None:
    """Refuse data that differ from those of the selection in their shape or preparation."""
    rows, d, q = prepared.dataset.shape
    actual = {**prepared.settings, "rows": rows, "features": d, "labels": q}
    for name, value in {**selection.settings, **selection.data}.items():
        if name in actual and name != "labels_by" and actual[name] != value:
            msg = (
                f"the data have {name} {printable(repr(actual[name]))}, but the selection was made "
                f"with {printable(repr(value))}: give the data from which it was made"
            )
            raise UsageError(msg)


def _explain_feature(
    prepared: Prepared, selection: Selection, criterion: Criterion, column: int, units: str
) -> Iterator[Explanation]:
    """Explain one column, for all labels or for each."""
    names = prepared.dataset.feature_names
    candidate = prepared.grouping.candidates([column])[0]
    probe, excluded = _probe(prepared, selection, criterion, column, units)
    for ranking in _rankings(selection):
        info = prepared.info
        if ranking.label:
            info = info.for_label(prepared.dataset.label_names.index(ranking.label))
        view = info.only([candidate])
        place = 1 + int((info.mi_fL > view.mi_fL[0]).sum())
        own_pick = next((p for p in ranking.chosen if p.index == column), None)
        after = probe.labels[ranking.label] if ranking.label else probe
        pick = own_pick or next(p for p in after.chosen if p.index == column)
        why = excluded or _why_filtered(selection.settings["prefilter"], place)
        yield _explanation(
            pick,
            ranking.label,
            None if own_pick is None else own_pick.rank,
            names,
            place=place,
            shared=_shared_information(
                view, prepared.grouping, ranking, own_pick, names, UNITS[units]
            ),
            excluded="" if own_pick else why,
        )


def _shared_information(
    view: Info,
    grouping: Grouping,
    ranking: Ranking,
    own_pick: Chosen | None,
    names: Sequence[str],
    factor: float,
) -> tuple[tuple[int, str, float], ...]:
    """What the one candidate of a view shares with the picks before it, most first."""
    earlier = [
        pick.index for pick in ranking.chosen if own_pick is None or pick.rank < own_pick.rank
    ]
    shared = []
    for s in grouping.candidates(earlier):
        column = grouping.members[s][0]
        shared.append((column, names[column], float(view.mi_fs(s)[0]) * factor))
    return tuple(sorted(shared, key=lambda pick: (-pick[2], pick[0])))


def _why_filtered(prefilter: int | None, place: int) -> str:
    if prefilter is None or place <= prefilter:
        return ""
    return f"it is not among the {prefilter} features of greatest relevance"


def _probe(
    prepared: Prepared, selection: Selection, criterion: Criterion, column: int, units: str
) -> tuple[Selection, str]:
    """Select once more, the feature coming next after the picks; also say if it was excluded."""
    settings = selection.settings
    block = set(prepared.grouping.members[prepared.grouping.candidates([column])[0]])
    excluded = columns_named(settings["exclude"], prepared.dataset.names, "exclude")
    probe = select(
        prepared,
        criterion,
        NOTHING_MORE,  # the picks and this one
        per_label=selection.scope == "each label",
        include=[column],
        exclude=[j for j in excluded if j not in block],
        start=selection,
        prefilter=settings["prefilter"],
        network=selection.network,
        units=units,
    )
    return probe, "it was excluded" if block & {*excluded} else ""
