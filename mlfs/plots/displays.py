"""The displays, one after the other: of a selection, of a label structure, of a comparison."""

from __future__ import annotations

from abc import ABC, abstractmethod
from io import BytesIO
from typing import Any, ClassVar, Self

import numpy as np

from mlfs.api.selection import Ranking, Selection
from mlfs.compare.contest import Contest, contests
from mlfs.compare.report.charts import COLOURS, Chart, cost_chart, curves_of, rank_chart
from mlfs.compare.report.figures import draw_chart
from mlfs.compare.results import Results, Summary
from mlfs.data.drawing import INCHES, draw_diagram, refuse_without_matplotlib
from mlfs.errors import DataError, UnknownName, UsageError, check_name, printable
from mlfs.metrics import METRICS


class Display(ABC):
    """A picture that its ``from_...`` draws, and that `plot` draws again on other axes.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes, Figure
        What was drawn on.
    """

    _subject: ClassVar[str] = "a picture of a comparison"
    _inches: Any = (7.0, 4.0)

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; a figure of its own by default.
        """
        self.ax_ = axes_for(ax, self._subject, self._inches)
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        return self

    def _repr_svg_(self) -> str | None:
        """The picture, for a notebook."""
        if not hasattr(self, "figure_"):
            return None
        target = BytesIO()
        self.figure_.savefig(target, format="svg")
        return target.getvalue().decode()

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw on axes."""


def axes_for(ax: Any, subject: str, inches: tuple[float, float]) -> Any:
    """The axes to draw on: those that were given, or those of a new figure without a window.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        The caller's.
    subject : str
        What is drawn, for the message if matplotlib is not installed.
    inches : tuple of float
        The size of a new figure.
    """
    if ax is not None:
        return ax
    refuse_without_matplotlib(subject)
    from matplotlib.figure import Figure

    return Figure(figsize=inches, layout="constrained").add_subplot()


def selection_of(source: Any) -> Selection:
    """The selection itself, or the one of a fitted `FeatureSelector`."""
    selection = getattr(source, "selection_", source)
    if not isinstance(selection, Selection):
        shown = printable(repr(source))
        msg = f"a picture needs a Selection or a fitted FeatureSelector, not {shown}"
        raise UsageError(msg)
    return selection


MOST = 40  # names that can be read side by side


class SelectionPathDisplay(Display):
    """Each pick in order: its relevance, and the terms with the picks before it.

    Redundancy is drawn below zero. Where it is negative, the pick and those before it say more
    about the labels together than each alone: this is drawn above zero, as complementarity.

    Parameters
    ----------
    ranking : Ranking
        The picks, of a selection or of one label.
    units : str
        The unit of the scores.

    Examples
    --------
    >>> import mlfs
    >>> from mlfs.plots import SelectionPathDisplay
    >>> selection = mlfs.select(([[0, 1], [1, 0], [1, 1], [0, 0]], [[0], [1], [1], [0]]), "mrmr", 2)
    >>> SelectionPathDisplay.from_selection(selection).ranking.names
    ('x0', 'x1')
    """

    _subject = "a picture of a selection"

    def __init__(self, ranking: Ranking, units: str = "nats") -> None:
        self.ranking = ranking
        self.units = units

    @classmethod
    def from_selection(cls, selection: Any, label: str | None = None, ax: Any = None) -> Self:
        """The display of a `Selection` or a fitted `FeatureSelector`.

        Parameters
        ----------
        selection : Selection or FeatureSelector
            What was selected.
        label : str, optional
            Where each label has a ranking of its own: which one; the union by default.
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own by default.
        """
        selected = selection_of(selection)
        if label is None:
            return cls(selected, selected.units).plot(ax)
        check_name(label, "label", selected.labels)
        return cls(selected.labels[label], selected.units).plot(ax)

    @property
    def _inches(self) -> tuple[float, float]:
        return min(24.0, max(5.0, 0.32 * len(self.ranking) + 1.5)), 4.2

    def _draw(self, ax: Any) -> None:
        n = len(self.ranking)
        ranks = np.arange(1, n + 1)
        terms = self.ranking.terms
        parts = (
            ("relevance", terms["relevance"]),
            ("label correlation", terms["label_correlation"]),
            ("redundancy", -np.maximum(terms["redundancy"], 0)),
            ("complementarity", np.maximum(-terms["redundancy"], 0)),
        )
        ax.use_sticky_edges = False  # a bar that starts at the top of another would end the axis
        above, below = np.zeros(n), np.zeros(n)
        for (name, values), colour in zip(parts, COLOURS, strict=False):
            if not np.any(values):
                continue
            base = np.where(values >= 0, above, below)
            ax.bar(ranks, values, bottom=base, color=colour, alpha=0.75, label=name)
            above, below = above + np.maximum(values, 0), below + np.minimum(values, 0)
        ax.plot(ranks, self.ranking.scores, color="#000000", marker="o", ms=3, label="score")
        ax.axhline(0, color="#888888", lw=0.8)
        ax.set_ylabel(self.units)
        if n <= MOST:
            ax.set_xticks(ranks, self.ranking.names, rotation=60, ha="right", fontsize=8)
        else:
            ax.set_xlabel("pick")
        ax.legend(fontsize=8)


class SubstitutesDisplay(Display):
    """The picks downwards; across, how often each is kept on half of the rows, and what comes else.

    Parameters
    ----------
    ranking : Ranking
        The picks, of a selection or of one label, with their certainty.

    Examples
    --------
    >>> import mlfs
    >>> from mlfs.plots import SubstitutesDisplay
    >>> X, Y = [[0, 1], [1, 0], [1, 1], [0, 0]] * 9, [[0], [1], [1], [0]] * 9
    >>> selection = mlfs.certainty(mlfs.select((X, Y), "mrmr", 2), (X, Y), resamples=20)
    >>> [sure.kept for sure in SubstitutesDisplay.from_selection(selection).ranking.certainty]
    [1.0, 1.0]
    """

    _subject = "a picture of a selection"

    def __init__(self, ranking: Ranking) -> None:
        self.ranking = ranking

    @classmethod
    def from_selection(cls, selection: Any, label: str | None = None, ax: Any = None) -> Self:
        """The display of a `Selection` that `mlfs.certainty` gave.

        Parameters
        ----------
        selection : Selection or FeatureSelector
            What was selected.
        label : str, optional
            Where each label has a ranking of its own: which one.
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own by default.
        """
        ranking: Ranking = selection_of(selection)
        if label is not None:
            check_name(label, "label with a ranking of its own", selection_of(selection).labels)
            ranking = selection_of(selection).labels[label]
        if not any(sure and sure.kept is not None for sure in ranking.certainty):
            labels = selection_of(selection).labels
            which = (
                "name a label" if labels and label is None else "give what mlfs.certainty returns"
            )
            raise UsageError(f"the ranking was not resampled: {which}")
        return cls(ranking).plot(ax)

    @property
    def _inches(self) -> tuple[float, float]:
        return 8.0, 1.2 + length_of(len(self.ranking))

    def _draw(self, ax: Any) -> None:
        chosen = self.ranking.chosen
        for row, pick in enumerate(chosen):
            if pick.certainty is None or pick.certainty.kept is None:
                continue
            kept, left = pick.certainty.kept, pick.certainty.kept
            ax.barh(row, kept, color=COLOURS[0])
            for i, entry in enumerate(pick.certainty.substitutes):
                ax.barh(row, entry.share, left=left, color=f"{0.7 + 0.1 * (i % 2):.1f}")
                if entry.share >= READABLE:
                    middle = left + entry.share / 2
                    name = printable(entry.name, int(100 * entry.share))
                    ax.text(middle, row, name, ha="center", va="center", size=7, clip_on=True)
                left += entry.share
        ax.set_yticks(np.arange(len(chosen)), [printable(p.name, 40) for p in chosen], fontsize=8)
        ax.invert_yaxis()
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of the resamples: the pick is kept (colour), or another comes (grey)")


READABLE = 0.08  # the least share whose bar is wide enough for a name
FEW = 30  # cells that are wide enough for a number


def length_of(cells: int) -> float:
    """The inches for so many cells: few are drawn large enough for their numbers."""
    return min(21.0, 0.3 * min(cells, FEW) + 0.16 * max(cells - FEW, 0))


class CurveDisplay(Display):
    """A metric against the number of features, a line for each criterion.

    Parameters
    ----------
    lines : dict of str to list of Summary
        By criterion, the summary of each number of features, ascending.
    metric, data, model : str
        The metric, the data set and the model of the curves.
    places : dict of str to int, optional
        The place of each criterion, which decides its colour; by default as in `lines`.
    """

    def __init__(
        self,
        lines: dict[str, list[Summary]],
        metric: str,
        data: str,
        model: str,
        places: dict[str, int] | None = None,
    ) -> None:
        self.lines, self.places = lines, places
        self.metric, self.data, self.model = metric, data, model

    @classmethod
    def from_results(
        cls,
        results: Results,
        metric: str,
        data: str | None = None,
        model: str | None = None,
        ax: Any = None,
    ) -> Self:
        """The curves of a comparison; those of the first data set and model by default."""
        settings = results.settings
        names = [source.name for source in settings.sources]
        models = [str(choice) for choice in settings.models]
        data, model = data or names[0], model or models[0]
        check_name(data, "data set of the comparison", names)
        check_name(model, "model of the comparison", models)
        lines = results.curves(metric, data, model)
        if not lines:
            raise DataError(f"no cell of {data} with {model} is done yet")
        places = {str(ranker): i for i, ranker in enumerate(settings.rankers)}
        return cls(lines, metric, data, model, places).plot(ax)

    def _draw(self, ax: Any) -> None:
        places = self.places or {name: i for i, name in enumerate(self.lines)}
        draw_chart(ax, curves_of(self.lines, self.metric, "", places))
        ax.set_title(f"{self.data}, {self.model}")


class CostDisplay(Display):
    """Time against quality, a mark for each method at each number of features.

    The colour is the criterion's, the form is the model's.

    Parameters
    ----------
    chart : Chart
        What is drawn.
    """

    def __init__(self, chart: Chart) -> None:
        self.chart = chart

    @classmethod
    def from_results(cls, results: Results, metric: str, model: str = "", ax: Any = None) -> Self:
        """The seconds and the means of a comparison.

        Parameters
        ----------
        results : Results
            A comparison.
        metric : str
            Its name.
        model : str
            Only this one; by default all.
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own by default.
        """
        check_name(metric, "metric", METRICS)
        models = [str(choice) for choice in results.settings.models]
        if model not in {"", *models}:
            raise UnknownName("model of the comparison", model, models)
        chart = cost_chart(results, metric, model)
        if chart is None:
            raise DataError(f"no cell with {metric} is done yet")
        return cls(chart).plot(ax)

    @property
    def _inches(self) -> tuple[float, float]:
        return self.chart.inches

    def _draw(self, ax: Any) -> None:
        draw_chart(ax, self.chart)


class CriticalDifferenceDisplay(Display):
    """Average ranks over data sets; bars join methods that do not differ by Nemenyi's test.

    Parameters
    ----------
    contest : Contest
        The methods on one metric, on six data sets or more, of which Friedman's test says that
        they differ.
    """

    def __init__(self, contest: Contest) -> None:
        if doubt := contest.doubt_of_differences:
            raise DataError(f"there is no critical difference to draw: {doubt}")
        self.contest = contest

    @classmethod
    def from_results(
        cls, results: Results, metric: str, n: str | None = None, model: str = "", ax: Any = None
    ) -> Self:
        """The ranks of results of `mlfs.compare.run`.

        Parameters
        ----------
        results : Results
            A comparison.
        metric : str
            Its name.
        n : str, optional
            The number of features as asked for, or ``"mean"``; the last one by default.
        model : str
            Compare the criteria with this model; by default all methods.
        ax : matplotlib Axes, optional
            Where to draw; a figure of its own by default.
        """
        candidates = [contest for contest in contests(results, [metric]) if n in {None, contest.n}]
        models = {contest.model for contest in candidates}
        only_model = next(iter(models)) if len(models) == 1 else model
        model_shown = model if model in models else only_model
        candidates = [contest for contest in candidates if contest.model == model_shown]
        if not candidates:
            msg = f"the comparison has nothing on {metric} at n = {n} with the model {model!r}"
            raise UsageError(msg)
        return cls(candidates[-1]).plot(ax)

    @property
    def _inches(self) -> tuple[float, float]:
        drawn = rank_chart(self.contest)
        return (drawn.width / INCHES, drawn.height / INCHES + 0.3) if drawn else (7.0, 4.0)

    def _draw(self, ax: Any) -> None:
        drawn = rank_chart(self.contest)
        if drawn is not None:
            draw_diagram(ax, drawn)
        ax.set_title(f"{self.contest.metric}, n = {self.contest.n}", fontsize=9)
