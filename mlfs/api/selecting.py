"""Select features: the one function behind the command, the transformer and the comparisons."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from mlfs import criteria
from mlfs.api.candidates import features_named
from mlfs.api.column_tests import column_tests
from mlfs.api.estimators import unsupported_quantity
from mlfs.api.moved import refuse_preparing, refuse_unknown
from mlfs.api.options import (
    NAMED,
    PREPARING,
    SELECTING,
    Options,
    check_options,
    number_asked,
)
from mlfs.api.panels import Panel
from mlfs.api.plan import Plan, check_on_pick
from mlfs.api.prepared import Prepared, Preparing, prepared_of
from mlfs.api.prepared_notes import CORRECTED, identifier_notes, identifiers, leak_notes
from mlfs.api.searches import Searched, Searches, search_all, unite_rankings
from mlfs.api.selection import Selection
from mlfs.criteria import Criterion
from mlfs.errors import (
    LOGGER,
    Caution,
    Interrupted,
    UsageError,
    printable,
    tell,
    told,
)
from mlfs.information.for_search import is_adjusted, plain_of, with_parents
from mlfs.information.info import spoken
from mlfs.search.label_parents import Structure
from mlfs.search.networks import network_for
from mlfs.search.picks import Pick


def select(
    data: Any,
    criterion: Any = "scls",
    n: float | str | None = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    per_label: bool = False,
    include: Any = (),
    exclude: Any = (),
    start: Any = None,
    prefilter: int | None = None,
    panel: Panel | None = None,
    network: Any = None,
    alpha: float = 0.05,
    seed: int = 0,
    max_seconds: float | None = None,
    on_pick: Callable[[str, Pick], object] | None = None,
    verbose: bool | int = False,
    **preparing: Unpack[Preparing],
) -> Selection:
    """Select the features that matter for all labels together, or for each label on its own.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        What `mlfs.read` gives, a file that it reads, arrays or frames, or what `mlfs.prepare`
        made of any of these.
    criterion : str, type or Criterion
        The name of a criterion, or one's own.
    n : int, float, "all", "auto" or "fdr", optional
        How many features (`n_features_to_select` of an estimator): a number, a share of them in (0,
        1], ``"all"``, ``"auto"`` (see `mlfs.search.stopping`), or ``"fdr"`` (see
        `mlfs.search.path_tests`); `mlfs.compare.number_of_features` finds one by cross-validation.
        By default the number that the criterion suggests, else as with ``"auto"``, but at least
        one; of fewer than 100 rows, which are little evidence, half of the features. Per label, n
        is for each label.
    parameters : mapping, optional
        The parameters of the criterion.
    per_label : bool
        Give every label its own subset; criteria of the scope "each label" always do.
    include, exclude : sequence of str or int
        Columns that are picked first, in this order, and count towards n; columns that never are.
    start : Selection, mapping or sequence, optional
        An earlier selection that is continued; its picks count towards n.
    prefilter : int, optional
        Only so many features with most information about the labels, sum_l I(f;l), are
        candidates, whatever the criterion.
    panel : Panel, optional
        What the picks have to tell, and what they may cost.
    network : {"chain", "tree"}, Structure or mapping, optional
        The parents of the labels, for criteria that want them, such as `mlfs.label_network` gives;
        by default what the criterion names.
    alpha : float
        For ``n="auto"``, ``n="fdr"`` and what a panel has at least: false discoveries that are
        accepted.
    seed : int
        Seeds (as `random_state` of an estimator does) the permutations of ``n="fdr"``.
    max_seconds : float, optional
        The search ends after so many seconds, with the picks made so far: `timed_out` says so. The
        time is looked at after each pick; preparing the data does not count.
    on_pick : callable, optional
        Called with the label's name (empty for all labels) and each pick as it is made.
    verbose : bool
        Report each pick, and what takes long, on stderr. The logger ``mlfs`` has the same.
    **preparing
        The options of `mlfs.prepare`, where data are not prepared: ``labels``, ``bins``,
        ``correction``, ``given``, ``n_jobs`` and so on.

    Returns
    -------
    Selection

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
    refuse_unknown("select", preparing, PREPARING)
    values = {name: value for name, value in locals().items() if name in SELECTING}
    options = check_options(values)
    with told() if verbose else nullcontext():
        selection = _selected(data, criterion, options, preparing, on_pick)
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
    preparing = {name: options.pop(name) for name in PREPARING if name in options}
    checked = Options.with_defaults(**check_options({**options, "n": n}))
    selection = _selected(data, criterion, checked, preparing, on_pick)
    if selection.interrupted:
        raise Interrupted(selection)
    return selection


def _selected(
    data: Any,
    criterion: Any,
    options: Options,
    preparing: Mapping[str, Any],
    on_pick: Callable[[str, Pick], object] | None,
) -> Selection:
    name, instance = criteria.get(criterion, options.parameters)
    check_on_pick(on_pick)
    if isinstance(data, Prepared) and preparing:
        refuse_preparing(preparing)
    prepared = prepared_of(data, preparing)
    is_default = options.n is None
    options = options.but(n=number_asked(options.n, instance))
    try:
        searched = answering(prepared, name, instance)
        plan = plan_of(name, instance, searched, options, on_pick)
        tests = column_tests(searched, plan.left_out)
        return _run(replace(plan, at_least_one=is_default, tests=tests), searched)
    finally:
        if prepared is not data:
            prepared.release()


def answering(prepared: Prepared, name: str, criterion: Criterion) -> Prepared:
    """The data as a criterion can be answered: not corrected where only "auto" corrects them.

    Raises `UsageError` if it asks for what the estimator, or the correction, does not give.
    """
    is_corrected, estimator = is_adjusted(prepared.info), prepared.options["estimator"]
    if not is_corrected and estimator == "counts":
        return prepared
    quantity = unsupported_quantity(criterion, prepared.info)
    if not quantity:
        return prepared
    if is_corrected and prepared.options["correction"] == "auto":
        notes = [note for note in prepared.notes if not note.startswith(CORRECTED)]
        why = f"the criterion {printable(name)} asks for {quantity}"
        notes.append(Caution(f"information is not corrected: {why}"))
        return replace(prepared, info=plain_of(prepared.info), notes=tuple(notes))
    option, value = ("correction", "expected") if is_corrected else ("estimator", estimator)
    msg = (
        f"is {value!r}, which gives no {spoken(quantity)}, and the criterion {printable(name)} "
        f"asks for it: use another {option}, or a criterion that it serves, such as mim or mrmr"
    )
    raise UsageError(msg, option=option)


def unsupported_by(criterion: Criterion, **preparing: Any) -> str:
    """The first quantity that data prepared in some way do not give a criterion, or nothing.

    Examples
    --------
    >>> mlcfs = criteria.get("mlcfs")[1]
    >>> unsupported_by(mlcfs, correction="expected"), unsupported_by(mlcfs, correction="none")
    ('su_pl', '')
    """
    rows = [[0, 0, 1], [0, 1, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 0]]
    return unsupported_quantity(criterion, prepared_of((rows, rows), preparing).info)


def plan_of(
    name: str,
    criterion: Criterion,
    prepared: Prepared,
    options: Options,
    on_pick: Callable[[str, Pick], object] | None,
) -> Plan:
    """The options of the search, with columns by number."""
    panel = options.panel
    if not (panel is None or isinstance(panel, Panel)):
        raise UsageError(f"is an mlfs.Panel, not {printable(repr(panel))}", option="panel")
    forced = features_named(options.include, prepared.dataset, "include")
    excluded = features_named(options.exclude, prepared.dataset, "exclude", strict=False)
    excluded += [j for j in prepared.held if j not in {*forced, *excluded}]
    return Plan(
        name=name,
        criterion=criterion,
        options=options,
        forced=forced,
        excluded=excluded,
        left_out=identifiers(prepared, [*forced, *excluded]),
        demands=None if panel is None else panel.demands(prepared),
        on_pick=_with_given_numbers(on_pick, prepared),
    )


def _with_given_numbers(on_pick: Any, prepared: Prepared) -> Any:
    """The function that is called with each pick, by the numbers of the columns that were given."""
    if on_pick is not None and prepared.dataset.places is not None and prepared.grouping.trivial:
        numbers, hear = prepared.dataset.given, on_pick
        on_pick = lambda label, pick: hear(label, pick.renumbered(numbers))  # noqa: E731
    return _logged(on_pick, prepared) if LOGGER.isEnabledFor(logging.DEBUG) else on_pick


def _logged(on_pick: Any, prepared: Prepared) -> Callable[[str, Pick], object]:
    """Wrap a function of a pick, so that the name of each pick is logged too."""
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
    network = _network_for(plan, prepared)
    info = with_parents(prepared.info, None if network is None else network.parents)
    per_label = options.per_label or plan.criterion.scope == "each label"
    searches = search_all(plan, prepared, info, per_label)
    return _selection_of(searches, plan, prepared, network, options, per_label=per_label)


def _network_for(plan: Plan, prepared: Prepared) -> Structure | None:
    """The label network for a criterion; None if it uses none."""
    wanted, own = plan.options.network, plan.criterion.network
    if own is False:
        if wanted is not None:
            msg = f"is given, and the criterion {printable(plan.name)} uses no label network: "
            raise UsageError(f"{msg}leave it out", option="network")
        return None
    if wanted is None or isinstance(wanted, str):
        return prepared.network(wanted or ("chain" if own is True else own))
    return network_for(wanted, prepared.dataset)


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
        told_by=searches.told_by,
        binnings=prepared.binnings,
        settings={
            **{name: options[name] for name in SELECTING if NAMED[name].reported},
            "n": n.item() if isinstance(n, np.generic) else n,
            "include": [names[j] for j in plan.forced],
            "exclude": [names[j] for j in plan.excluded],
            "identifiers": [names[j] for j in plan.left_out],
            "started": plan.options.start is not None,
            "panel": None if options.panel is None else options.panel.settings(),
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
        searched=None
        if per_label and not by_label
        else Searched(
            replace(plan, on_pick=None, tests=None), searches.results, network, per_label
        ),
    )
