"""Select features: the one function behind the command, the transformer and the comparisons."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from mlfs import criteria
from mlfs.api.candidates import features_named
from mlfs.api.estimators import refuse_unanswered
from mlfs.api.options import OPTIONS, Options, check_options, number_asked
from mlfs.api.panels import demands_of, groups_to_merge
from mlfs.api.plan import Plan, check_on_pick
from mlfs.api.prepared import DEFAULTS, Prepared, corrected_for, prepare
from mlfs.api.prepared_notes import identifier_notes, identifiers, leak_notes
from mlfs.api.searches import Searches, search_all, unite_rankings
from mlfs.api.selection import Selection
from mlfs.api.unused_options import refuse_on_cluster, refuse_unused
from mlfs.api.value_kinds import (
    Bins,
    Correction,
    Dates,
    Estimator,
    Missing,
    Order,
)
from mlfs.criteria import Criterion
from mlfs.errors import (
    LOGGER,
    Interrupted,
    UsageError,
    printable,
    tell,
    told,
)
from mlfs.information.for_search import constant_features, with_parents
from mlfs.search.label_parents import Structure
from mlfs.search.picks import Pick

FEWEST_ROWS = 100  # of which an automatic number is the default


def select(
    data: Any,
    criterion: Any = "scls",
    n: float | str | None = None,
    *,
    labels: Any = None,
    feature_names: Iterable[str] | None = None,
    label_names: Iterable[str] | None = None,
    per_label: bool = False,
    parameters: Mapping[str, Any] | None = None,
    include: Any = (),
    exclude: Any = (),
    given: Any = (),
    drop_constant: bool = False,
    keep_identifiers: bool = False,
    groups: Any = None,
    at_least: Mapping[str, int] | None = None,
    at_most: int | Mapping[str, int] | None = None,
    cost: Any = None,
    budget: float | None = None,
    cost_rule: str = "ratio",
    start: Any = None,
    prefilter: int | None = None,
    bins: Bins = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    target_bins: str | None = None,
    labels_as: str = "each",
    missing: Missing = "level",
    dates: Dates = "skip",
    estimator: Estimator = "counts",
    correction: Correction = "auto",
    sample_weight: Any = None,
    network: Any = None,
    order: Order = "cheap",
    k: int | None = None,
    alpha: float = 0.05,
    min_gain: float = 0.01,
    resamples: int | None = None,
    permutations: int | None = None,
    n_jobs: int | None = None,
    cluster: Any = None,
    max_memory: int | str | None = None,
    max_seconds: float | None = None,
    seed: int = 0,
    on_pick: Callable[[str, Pick], object] | None = None,
    verbose: bool | int = False,
) -> Selection:
    """Select the features that matter for all labels together, or for each label on its own.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        What `mlfs.read` gives, a file that it reads, arrays or frames, or what `mlfs.prepare`
        made of any of these; then the options of reading and counting are those it was made with.
    criterion : str, type or Criterion
        The name of a criterion, or one's own.
    n : int, float, "all", "auto" or "fdr", optional
        How many features (`n_features_to_select` of an estimator): a number, a share of them in (0,
        1], ``"all"``, ``"auto"`` (see `mlfs.search.stopping`), or ``"fdr"`` (see
        `mlfs.search.path_tests`); `mlfs.compare.number_of_features` finds one by cross-validation.
        By default the number that the criterion suggests, else as with ``"auto"``, but at least
        one; of fewer than 100 rows, which are little evidence, half of the features. Per label, n
        is for each label.
    labels : str or sequence, optional
        Which columns of a file or frame are labels.
    feature_names, label_names : sequence of str, optional
        The names of the columns of X and Y, where these are arrays or sparse matrices: what
        ``get_feature_names_out()`` of a vectorizer gives, say.
    per_label : bool
        Give every label its own subset; criteria of the scope "each label" always do.
    parameters : mapping, optional
        The parameters of the criterion.
    include, exclude : sequence of str or int
        Columns that are picked first, in this order, and count towards n; columns that never are.
    given : str, int, sequence of them, array or frame
        Columns that are held fixed, such as a site, a batch or sex: all information is that within
        the strata of rows that share their values. An array or a frame has a value, or several, for
        each row instead; a list names columns.
    drop_constant : bool
        Never pick features that are constant once binned, unless they are included.
    keep_identifiers : bool
        Let columns that name a row be picked: keys, counters, texts that differ in nearly every
        row. By default they are left out, with a note, unless they are included.
    groups : mapping or sequence, optional
        Columns that belong together. They count as one feature, whose joint value is scored; with
        `at_most` they stay features of their own.
    at_least : mapping, optional
        Labels (by name or glob) to numbers of picks that are to tell something about them, beyond
        chance at the share `alpha` of false discoveries. Per label, each label's own number.
    at_most : int or mapping, optional
        Pick at most so many columns of each group of `groups`, or of the groups that are named.
        Groups do not merge their columns then.
    cost : mapping or sequence, optional
        What each column costs: by name, glob or number (of several that name a column the last
        counts), or one cost for each column.
    budget : float, optional
        What all picks may cost: columns that cost more than what is left are not picked.
    cost_rule : {"ratio", "score"}
        Pick by the score for each unit of cost, or by the score while the budget lasts.
    start : Selection, mapping or sequence, optional
        An earlier selection that is continued; its picks count towards n.
    prefilter : int, optional
        Only so many features with most information about the labels, sum_l I(f;l), are
        candidates, whatever the criterion.
    bins, n_bins, nominal_limit
        How numeric columns are binned, see `mlfs.discretize.learn`.
    target_bins : str, optional
        How numeric targets are binned: a binning that does not look at the labels, such as
        "frequency", or "frequency:5" with a number of bins. Without it labels are classes.
    labels_as : str
        "each" takes each label on its own. "sets" takes the sets of labels that rows have as the
        classes of one label; sets in fewer than 6 rows, or as few as "sets:2" says, are left out.
    missing : {"level", "ignore", "error"}
        A missing value in X is a level of its own, or is left out of the terms about its column.
        "error" refuses missing values in X and in Y.
    dates : {"skip", "parts", "keep"}
        Columns of dates are left out, or counted by their parts (year, month, weekday and, where
        times are written, hour), or kept as they are.
    estimator : {"counts", "gaussian"}
        How information is estimated: from counts of levels, or as that of a Gaussian copula,
        from the correlations of normal scores, for which nothing is binned.
    correction : {"auto", "none", "expected"}
        How information is corrected for the bias of counts: not at all, or by its expectation for
        independent columns of the same counts.
        "auto" is "expected" where a column of more than 16 levels shares by chance more than a
        hundredth of the entropy of the labels, and the criterion can be corrected, else "none".
    sample_weight : array, optional
        How much each row counts; the file's own weights by default.
    network : {"chain", "tree"}, Structure or mapping, optional
        The parents of the labels, for criteria that want them; by default what the criterion
        names.
    alpha, min_gain : float
        For ``n="auto"``: false discoveries that are accepted (for ``n="fdr"`` too), least gain of
        a pick.
    resamples : int, optional
        Make each pick again on so many halves of the rows, at least 20, earlier picks held: how
        often it is kept, what comes instead, and intervals of its score and rank are in
        `Selection.certainty`.
    permutations : int, optional
        Give each pick a p-value, given the earlier picks, by at most so many permutations of the
        labels, at least 20: in `Selection.certainty`.
    n_jobs : int, optional
        Threads, -1 for all processors; the answer does not depend on it.
    cluster : str or distributed.Client, optional
        Count on a cluster of dask.distributed: the address of its scheduler, a client of it, or
        "local:2" for two workers on this machine. The answer is the same.
    max_memory : int or str, optional
        What counting may take, and a file that is read for it, but not data given in memory: bytes,
        or text such as "2GB"; by default half of what is available. The answer is the same.
    max_seconds : float, optional
        The search ends after so many seconds, with the picks made so far: `timed_out` says so. The
        time is looked at after each pick; preparing the data does not count.
    seed : int
        Seeds (as `random_state` of an estimator does) the shuffles of ``n="auto"``, `resamples`
        and `permutations`.
    verbose : bool
        Report each pick, and what takes long, on stderr. The logger ``mlfs`` has the same.

    Returns
    -------
    Selection

    Other Parameters
    ----------------
    order : {"cheap", "full", "given"}
        How the chain is ordered: Algorithm 2 on the first principal component, in full, or as
        the columns stand.
    k : int, optional
        At most so many parents in a chain; ceil(0.8 q) by default.
    on_pick : callable, optional
        Called with the label's name (empty for all labels) and each pick as it is made.

    Raises
    ------
    Interrupted
        Where Ctrl-C ends the search: a `KeyboardInterrupt` whose `selection` has the picks so far.

    Warns
    -----
    MlfsWarning
        Of what to act on: columns that are left out, a copy of a label, constant labels, ... All
        notes are in the result, and go to the logger ``mlfs``.

    Examples
    --------
    >>> import mlfs
    >>> X = [[0, 0, 5], [0, 1, 5], [1, 0, 5], [1, 1, 5]]
    >>> Y = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> mlfs.select((X, Y), "mim", n=2).scores.round(6).tolist()
    [0.693147, 0.693147]
    """
    if hasattr(criterion, "__len__") and not isinstance(criterion, (str, type)):
        msg = "X and Y go together as the data, and the criterion comes second: "
        raise UsageError(f"{msg}mlfs.select((X, Y), 'mrmr')")
    options = check_options(locals())
    with told() if verbose else nullcontext():
        selection = _selected(data, criterion, options.but(network=network), on_pick)
    tell(selection.notes, stacklevel=2)
    if selection.interrupted:
        raise Interrupted(selection)
    return selection


def select_silently(
    data: Any,
    criterion: Any,
    n: Any,
    *,
    on_pick: Callable[[str, Pick], object] | None = None,
    **options: Any,
) -> Selection:
    """As `select` with some of its options, for a part of other work: notes are no warnings."""
    checked = Options.with_defaults(**check_options({**options, "n": n}))
    checked = checked.but(network=options.get("network"))
    selection = _selected(data, criterion, checked, on_pick)
    if selection.interrupted:
        raise Interrupted(selection)
    return selection


def _selected(
    data: Any,
    criterion: Any,
    options: Options,
    on_pick: Callable[[str, Pick], object] | None,
) -> Selection:
    name, instance = criteria.get(criterion, options.parameters)
    is_default, counting = options.n is None, {**options, **_prepared_with(data)}
    options = options.but(n=number_asked(options.n, instance, counting))
    refuse_unused(name, instance, options)
    refuse_unanswered(name, instance, {**counting, "n": options.n})
    check_on_pick(on_pick)
    refuse_on_cluster({**options, **_prepared_with(data)})
    preparing = {key: value for key, value in options.items() if key in DEFAULTS}
    preparing["groups"] = groups_to_merge(options)
    prepared = prepare(data, **preparing)
    if is_default and prepared.dataset.shape[0] < FEWEST_ROWS:
        options = options.but(n=None)
    searched = corrected_for(prepared, name, instance)
    plan = plan_of(name, instance, searched, options, on_pick)
    plan = replace(plan, at_least_one=is_default)
    try:
        return _run(plan, searched)
    finally:
        if prepared is not data:
            prepared.release()


def plan_of(
    name: str,
    criterion: Criterion,
    prepared: Prepared,
    options: Options,
    on_pick: Callable[[str, Pick], object] | None,
) -> Plan:
    """The options of the search, with columns by number."""
    forced = features_named(options.include, prepared.dataset, "include")
    excluded = _never_picked(prepared, options, forced)
    excluded += [j for j in prepared.held if j not in {*forced, *excluded}]
    return Plan(
        name=name,
        criterion=criterion,
        options=options,
        forced=forced,
        excluded=excluded,
        left_out=identifiers(prepared, options, [*forced, *excluded]),
        demands=demands_of(options, prepared),
        on_pick=_with_given_numbers(on_pick, prepared),
    )


def _with_given_numbers(on_pick: Any, prepared: Prepared) -> Any:
    """The function that is called with each pick, by the numbers of the columns that were given."""
    if on_pick is not None and prepared.dataset.places is not None and prepared.grouping.trivial:
        numbers, hear = prepared.dataset.given, on_pick
        on_pick = lambda label, pick: hear(label, pick.renumbered(numbers))  # noqa: E731
    return _logged(on_pick, prepared) if LOGGER.isEnabledFor(logging.DEBUG) else on_pick


def _logged(on_pick: Any, prepared: Prepared) -> Callable[[str, Pick], object]:
    """The same function, which also logs the name of each pick."""
    names = [prepared.dataset.names[columns[0]] for columns in prepared.grouping.members]
    numbers = itertools.count(1)

    def call(label: str, pick: Pick) -> object:
        for_label = f" for {printable(label)}" if label else ""
        LOGGER.debug("pick %s%s: %s", next(numbers), for_label, printable(names[pick.index]))
        return None if on_pick is None else on_pick(label, pick)

    return call


def _run(plan: Plan, prepared: Prepared) -> Selection:
    """Find the network and the number of features, search, and report."""
    options = plan.options
    network = prepared.network(plan.criterion, options.network, options.order, options.k)
    info = with_parents(prepared.info, None if network is None else network.parents)
    per_label = options.per_label or plan.criterion.scope == "each label"
    searches = search_all(plan, prepared, info, per_label)
    return _selection_of(searches, plan, prepared, network, options, per_label=per_label)


def _prepared_with(data: Any) -> dict[str, Any]:
    """How the information of data is estimated, if they are prepared."""
    names = ("estimator", "correction", "cluster") if isinstance(data, Prepared) else ()
    return {name: data.options[name] for name in names}


def _selection_of(
    searches: Searches,
    plan: Plan,
    prepared: Prepared,
    network: Structure | None,
    options: Options,
    *,
    per_label: bool,
) -> Selection:
    """Put what the searches found together with all that was decided on the way."""
    by_label = searches.by_label
    criterion, n, names = plan.criterion, options.n, prepared.dataset.names
    ranking = unite_rankings(by_label) if per_label or not by_label else by_label[""]
    rows, d, q = prepared.dataset.shape
    given = {} if prepared.dataset.places is None else {"columns": prepared.dataset.n_given}
    ranking = replace(ranking, interrupted=searches.interrupted, timed_out=searches.timed_out)
    return Selection(
        **ranking.parts(),
        criterion=plan.name,
        parameters={key: v for key, v in vars(criterion).items() if not key.startswith("_")},
        scope="each label" if per_label else "all labels",
        units="nats" if criterion.unit == "information" else "ratio",
        data={"rows": rows, "features": d, "labels": q, **given},
        labels=by_label if per_label else {},
        network=network,
        binnings=prepared.binnings,
        target_binnings=prepared.target_binnings,
        settings={
            **{option.name: options[option.name] for option in OPTIONS if option.reported},
            "n": n.item() if isinstance(n, np.generic) else n,
            "include": [names[j] for j in plan.forced],
            "exclude": [names[j] for j in plan.excluded],
            "identifiers": [names[j] for j in plan.left_out],
            "started": plan.options.start is not None,
            **prepared.settings,
        },
        notes=(
            *prepared.notes,
            *identifier_notes(prepared, plan),
            *leak_notes(prepared, ranking.picks),
            *searches.notes,
        ),
        pair_terms=searches.pair_terms,
        column_names=prepared.dataset.names_given,
    )


def _never_picked(prepared: Prepared, options: Options, forced: list[int]) -> list[int]:
    """The columns that are never picked."""
    excluded = features_named(options.exclude, prepared.dataset, "exclude", strict=False)
    if options.drop_constant:
        forced_candidates = {*prepared.grouping.candidates(forced)}
        constant = {*np.flatnonzero(constant_features(prepared.info)).tolist()} - forced_candidates
        excluded += prepared.grouping.columns(sorted(constant))
    return list(dict.fromkeys(excluded))
