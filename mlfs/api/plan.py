"""One search with the options of a user."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np

from mlfs.api.candidates import features_named
from mlfs.api.options import Options, is_auto, is_fdr, n_of
from mlfs.api.prepared import Prepared
from mlfs.api.selection import Selection
from mlfs.api.selection_json import check_document
from mlfs.criteria import Criterion
from mlfs.data.dataset import Dataset
from mlfs.errors import Caution, DataError, UsageError, plural, printable
from mlfs.information.info import Info
from mlfs.search.additive import AdditiveTests
from mlfs.search.blankets import Member, blanket_of
from mlfs.search.certainty import Certainty
from mlfs.search.checked import CheckedCriterion
from mlfs.search.greedy import best_first, greedy
from mlfs.search.panel import Constraints, Demands, PanelRun
from mlfs.search.path_tests import can_pass, forward_stop, path_p_values
from mlfs.search.picks import Pick, Picks, SearchResult
from mlfs.search.stopping import AutoStop

HALF = "half"  # a value of n: what the criterion recommends, else half of the features
FIRST_PICKS, PERMUTATIONS = 8, 200  # for n = fdr: how far the path is searched at first
NO_PAIRS = (
    "some labels are told by no column, and there are too many pairs of columns for a selection to "
    "look at: mlfs.pairs (mlfs pairs) does"
)
NOTHING_MORE = "nothing more"  # a value of n: only the picks that are included or started from


def check_on_pick(on_pick: Any) -> None:
    """Refuse what cannot be called with the name of a label and a pick."""
    if on_pick is None:
        return
    if not callable(on_pick):
        raise UsageError(f"is a function, not {printable(repr(on_pick))}", option="on_pick")
    try:
        signature = inspect.signature(on_pick)
    except ValueError:  # one that does not say what it takes
        return
    try:
        signature.bind("label", None)
    except TypeError:
        msg = "is a function of the label's name and the pick, not one that takes "
        raise UsageError(f"{msg}{printable(signature)}", option="on_pick") from None


@dataclass(frozen=True)
class Plan:
    """One search: a criterion, its options, and the columns that they name.

    Parameters
    ----------
    name : str
        The name of the criterion.
    criterion : Criterion
        An instance.
    options : Options
        As `mlfs.select` has them.
    forced, excluded : list of int
        Columns that are picked first, and that never are.
    left_out : sequence of int
        Columns that name a row; they are picked only if they are included or started from.
    on_pick : callable, optional
        Called with the label's name and each pick.
    at_least_one : bool
        Whether an automatic number of features for all labels is never 0.
    demands : Demands, optional
        The constraints of a panel.
    tests : callable, optional
        Gives the tests of all candidates, for an automatic number and `at_least`.
    began : float
        When it began.
    """

    name: str
    criterion: Criterion
    options: Options
    forced: list[int] = field(default_factory=list)
    excluded: list[int] = field(default_factory=list)
    left_out: Sequence[int] = ()
    on_pick: Callable[[str, Pick], object] | None = None
    at_least_one: bool = False
    demands: Demands | None = None
    tests: Callable[[], AdditiveTests] | None = None
    began: float = field(default_factory=time.perf_counter)

    def time_is_up(self) -> bool:
        """Whether the time that was given is over."""
        return self.seconds_left() == 0

    def seconds_left(self) -> float | None:
        """How much of the time that was given is left; None if any time is."""
        if self.options.max_seconds is None:
            return None
        return max(0.0, self.options.max_seconds - (time.perf_counter() - self.began))


@dataclass
class _Task:
    """The candidates that take part in a search, and where it ends.

    Parameters
    ----------
    view : Info
        What is known of them.
    forced, excluded : list of int
        Those that are picked first, and never, by their numbers in `view`.
    n : int or None
        How many are picked; None leaves it to best-first search.
    auto : AutoStop, optional
        For ``n="auto"``: what decides whether a candidate is picked.
    best_only : bool
        No candidate tells more than chance, and the best is picked all the same.
    blanket : dict of int to Member, optional
        The members of a Markov blanket, which alone are picked.
    """

    view: Info
    forced: list[int]
    excluded: list[int]
    n: int | None
    auto: AutoStop | None = None
    best_only: bool = False
    blanket: dict[int, Member] | None = None

    @property
    def decides(self) -> AutoStop | None:
        """The tests that decide whether a candidate is picked, where the number is automatic."""
        return None if self.best_only else self.auto

    def accepts(self, column: int) -> bool:
        """Whether a candidate of the view is picked."""
        assert self.auto is not None
        if column in self.forced:
            self.auto.force(column)
            return True
        return self.auto.accepts(column)


def _task_of(plan: Plan, fixed: tuple[list[int], list[int]], info: Info, label: str) -> _Task:
    """Find the candidates of a search, and how many are picked."""
    options = plan.options
    task = _Task(info, *fixed, _number(plan, info, *map(len, fixed)))
    if is_auto(options.n):
        task.auto = auto = _auto_stop(plan, info, task.excluded)
        left_out = sorted({*task.excluded, *auto.left_out.tolist()} - {*task.forced})
        task.best_only = len(left_out) == info.d and plan.at_least_one and not label
        if not task.best_only and plan.demands is None:
            task.excluded = left_out
    if options.prefilter is not None:
        rounded = np.round(info.mi_fL / 1e-12)  # so that rounding does not decide
        order = np.lexsort((info.features, -rounded))
        kept = order[~np.isin(order, task.excluded)][: options.prefilter]
        task.view = info.only(sorted({*kept.tolist(), *task.forced}))
    if plan.criterion.search == "blanket":
        task.blanket = blanket_of(task.view, plan.criterion, task.excluded)
        members = {*task.blanket, *task.forced}
        task.excluded = sorted({*task.view.features.tolist()} - members)
        if not isinstance(options.n, Integral):
            task.n = len(members)
    if task.best_only:
        task.n = 1
    elif task.auto is not None:
        task.n = task.view.d
    return task


def search(
    plan: Plan, fixed: tuple[list[int], list[int]], info: Info, label: str = ""
) -> SearchResult:
    """Search for all labels together, or for the one that the view is on.

    Parameters
    ----------
    plan : Plan
        The options.
    fixed : tuple of list of int
        What `fixed_candidates` gives: the candidates that are picked first, and never.
    info : Info
        The view that is searched, on all candidates.
    label : str
        Its label's name; empty for all labels.
    """
    _refuse_few_labels(plan, info)
    task = _task_of(plan, fixed, info, label)
    n, view = task.n, task.view

    def tell(pick: Pick) -> None:
        if plan.on_pick is not None:
            plan.on_pick(label, pick)

    common: dict[str, Any] = {
        "forced": task.forced,
        "excluded": task.excluded,
        "name": plan.name,
        "on_pick": None if plan.on_pick is None else tell,
        "time_is_up": None if plan.options.max_seconds is None else plan.time_is_up,
    }
    candidates = np.setdiff1d(np.arange(info.d), fixed[1], assume_unique=True)
    run = _panel_run(plan, info, task, label)
    panel = None if run is None else run.constraints(np.array(view.features))
    if n is None:
        result = best_first(plan.criterion, view, **common)
        result.note = "" if len(result.picks) else "no feature makes the set better"
    elif is_fdr(plan.options.n):
        result = _by_false_discoveries(plan, info, view, candidates, n, common)
    else:
        result = _greedy(plan, task, panel, common)
        shortfall = "" if panel is None else panel.shortfall(n)
        if run is not None and panel is not None:
            run.found(panel, np.array(view.features))
            result.panel, result.terms_of_panel = run, tuple(panel.terms)
        result.note = shortfall or _why_fewer(plan, result, n, view.d < info.d)
    result.note = _out_of_time(plan, result) or result.note
    result.open_until = _of_all(result, task.view.features, info.d)
    if task.best_only and len(result.picks):
        result.note = "no feature tells more than chance would: the best is kept"
    if task.blanket is not None:
        result.members = task.blanket
        result.note = result.note or ("" if task.blanket else "no feature is in the blanket")
    if task.auto is not None and not result.interrupted:
        try:
            result.significance = task.auto.significance()
            result.told_by = {} if label else task.auto.told_by()
        except KeyboardInterrupt:
            result.interrupted = True
        if any(told.column < 0 for told in result.told_by.values()):
            result.note = result.note or ("" if task.auto.looked_at_pairs() else NO_PAIRS)
    return result


def _auto_stop(plan: Plan, info: Info, excluded: Sequence[int] = ()) -> AutoStop:
    assert plan.tests is not None
    return AutoStop(info, plan.tests(), excluded, plan.options.alpha)


def _greedy(
    plan: Plan, task: _Task, panel: Constraints | None, common: dict[str, Any]
) -> SearchResult:
    """Search pick by pick; with an automatic number again among the picks that stay."""
    assert task.n is not None
    decides = task.decides
    if decides is None or panel is not None:
        closes = None if decides is None else lambda s: decides.closes(s)[task.view.features]
        return greedy(plan.criterion, task.view, task.n, closes=closes, panel=panel, **common)
    quiet = {**common, "on_pick": None}
    result = greedy(plan.criterion, task.view, task.n, accepts=task.accepts, **quiet)
    if not (result.interrupted or result.timed_out):
        try:
            kept = {*decides.sweep(task.forced)}
        except KeyboardInterrupt:
            result.interrupted = True
            kept = {*result.picks.columns.tolist()}
        if len(kept) < len(result.picks):
            stays = lambda s: s in kept  # noqa: E731
            result = greedy(plan.criterion, task.view, task.n, accepts=stays, **quiet)
    result.picks, stopped = result.picks.report(common["on_pick"])
    result.interrupted |= stopped
    return result


def tested(picks: Picks, tests: Sequence[tuple[float | None, int]]) -> tuple[Certainty | None, ...]:
    """The p-values of the picks, without those that were asked for, not chosen."""
    return tuple(
        None if forced else Certainty(p=p, rows_left=rows)
        for forced, (p, rows) in zip(picks.forced.tolist(), tests, strict=True)
    )


def _by_false_discoveries(
    plan: Plan, info: Info, view: Info, candidates: np.ndarray, most: int, common: dict[str, Any]
) -> SearchResult:
    """Search until so many p-values were large that no longer path can pass, then cut the path."""
    options, n = plan.options, min(most, len(common["forced"]) + FIRST_PICKS)
    quiet = {**common, "on_pick": None}
    while True:
        result = greedy(plan.criterion, view, n, **quiet)
        if result.interrupted:
            return result
        picks = result.picks
        tests, p_values = [], []
        try:
            for test in path_p_values(
                info, candidates, picks.columns.tolist(), PERMUTATIONS, options.seed
            ):
                tests.append(test)
                if picks.forced[len(tests) - 1]:
                    continue
                p_values.append(test[0])
                if test[0] is None or not can_pass(p_values, options.alpha, candidates.size):
                    break
            else:
                if n < most and not result.exhausted and not result.timed_out:
                    n = min(most, 2 * n)
                    continue
        except KeyboardInterrupt:
            result.interrupted = True
        known = [p for p in p_values if p is not None]
        n_forced = int(picks.forced.sum())
        kept = n_forced + forward_stop(known, options.alpha)
        result.picks, stopped = picks.take(slice(kept)).report(common["on_pick"])
        result.interrupted |= stopped
        result.certainty = tested(result.picks, tests[: len(result.picks)])
        result.note = _out_of_time(plan, result)
        if kept == n_forced and not result.note:
            result.note = "no feature tells more of the labels than chance would"
        return result


def _panel_run(plan: Plan, info: Info, task: _Task, label: str) -> PanelRun | None:
    """The constraints of a search: which candidates tell something about which label."""
    if plan.demands is None:
        return None
    if is_fdr(plan.options.n):
        msg = "is 'fdr', which follows one path, and a panel is made by its constraints: "
        raise UsageError(f"{msg}give a number of features", option="n")
    if task.n is None:
        msg = f"the criterion {plan.name} finds a set, and a panel is made pick by pick: give n, a "
        raise UsageError(f"{msg}number of features")
    tells, demands = dict[str, np.ndarray](), plan.demands
    numbers = {label: 0} if label else demands.numbers
    for name in demands.at_least:
        if name in numbers:
            of_label = info if label else info.for_label(numbers[name])
            tells[name] = _auto_stop(plan, of_label).informative
    if demands.is_exclusive and not label:  # a marker of one class says of all others "not this"
        shares = info.mi_fl / np.where(info.h_l > 0, info.h_l, 1.0)
        for name in tells:
            tells[name] = tells[name] & (shares[:, numbers[name]] >= shares.max(axis=1))
    worth = np.ones(info.d, bool)
    if task.auto is not None and not task.best_only:
        worth[task.auto.left_out] = False
    return PanelRun(demands, tells, worth)


def _of_all(result: SearchResult, columns: np.ndarray, d: int) -> np.ndarray:
    """How long each of all candidates was open, where only some were searched."""
    open_until = np.zeros(d, np.int64)
    open_until[columns[: result.open_until.size]] = result.open_until
    return open_until


def _refuse_few_labels(plan: Plan, info: Info) -> None:
    least = plan.criterion.least_labels
    if info.q < least:
        msg = f"the criterion {plan.name} compares labels with one another: it needs at least "
        msg += f"{plural(least, 'label')} together, and here is {info.q}"
        raise UsageError(msg, remedy="take another criterion, or all labels together")


def fixed_candidates(plan: Plan, prepared: Prepared, label: str) -> tuple[list[int], list[int]]:
    """Find the candidates that are picked first, and those that are never picked."""
    names, begun = prepared.dataset.names, start_of(plan, prepared.dataset, label)
    forced = prepared.grouping.candidates([*begun, *plan.forced])
    excluded = prepared.grouping.candidates(plan.excluded)
    clash = sorted({*forced} & {*excluded})
    if clash:
        column = prepared.grouping.members[clash[0]][0]
        msg = f"the column {printable(names[column])!r} is both included and excluded: "
        raise UsageError(msg + "leave it out of one of the two")
    fixed = sorted({*prepared.held} & {*begun, *plan.forced})
    if fixed and plan.options.n != NOTHING_MORE:  # which explains one
        msg = f"the column {printable(names[fixed[0]])!r} is both included and given"
        raise UsageError(f"{msg}: leave it out of one of the two")
    left_out = {*prepared.grouping.candidates(plan.left_out)} - {*forced, *excluded}
    return forced, [*excluded, *sorted(left_out)]


def most_picks(plan: Plan, candidates: int, forced: int, excluded: int) -> int:
    """How many picks there can be: what options that narrow a search leave of the candidates."""
    most = candidates - excluded
    return most if plan.options.prefilter is None else min(most, plan.options.prefilter + forced)


def start_of(plan: Plan, data: Dataset, label: str) -> list[int]:
    """Find the columns of the earlier selection that is continued, for all labels or for one."""
    return features_named(_start_of(plan.options.start, label), data, "start")


def _number(plan: Plan, info: Info, forced: int, excluded: int) -> int | None:
    """Find the number of picks; None leaves it to best-first search."""
    available = info.d - excluded
    if available == 0:
        msg = "every feature is excluded, and there is nothing to select from"
        raise UsageError(msg)
    if isinstance(plan.options.n, str) and plan.options.n == NOTHING_MORE:
        return forced
    asked = plan.options.n
    asked = None if isinstance(asked, str) and asked == HALF else asked
    n = n_of(asked, available + len(plan.left_out), info.d)  # cut below
    if n is not None and n < forced:
        msg = f"is {n}, but {forced} features are included or started from: raise it, or name fewer"
        raise UsageError(msg, option="n")
    if n is None and plan.criterion.search != "best first":
        n = CheckedCriterion(plan.criterion, info, plan.name).size()
        n = max(1, info.d // 2) if n is None else n
    return None if n is None else min(max(n, forced), available)


def _out_of_time(plan: Plan, result: SearchResult) -> str:
    if not result.timed_out:
        return ""
    picks = plural(len(result.picks), "pick")
    return Caution(f"stopped after {picks}: the time of {plan.options.max_seconds:g} s was up")


def _why_fewer(plan: Plan, result: SearchResult, n: int, filtered: bool) -> str:
    n_picks, asked = len(result.picks), plan.options.n
    if result.interrupted:
        return ""
    if n_picks == n and plan.left_out and isinstance(asked, Integral) and int(asked) > n:
        return f"fewer features than asked for, {n_picks} of {asked}: the others name a row"
    if n_picks >= n:
        return ""
    if is_auto(asked):
        return "" if n_picks else "no feature tells more than chance would"
    if filtered:
        why = "prefilter leaves no more candidates"
    else:
        why = f"{plan.name} would never pick the others"
    if plan.options.n is None:
        return f"{n_picks} of {n} features: {why}"
    return f"fewer features than asked for, {n_picks} of {n}: {why}"


def _start_of(start: Any, label: str) -> Any:
    """Give the columns of an earlier selection, for all labels or for one."""
    if start is None:
        return ()
    if isinstance(start, Selection):
        ranking = start.labels.get(label) if label and start.labels else start
        return () if ranking is None else ranking.names
    if isinstance(start, Mapping):
        try:
            check_document(start, "start")
        except DataError as error:
            raise UsageError(str(error)) from None
        subsets = {entry["name"]: entry["selected"] for entry in start.get("labels", ())}
        picked = subsets.get(label, ()) if label and subsets else start["selected"]
        return [entry["name"] for entry in picked]
    return start
