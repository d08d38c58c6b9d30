"""Pictures of a comparison: quality by number of features, ranks with critical difference."""

from __future__ import annotations

from typing import Any, Self

from mlfs.compare.contest import Contest, contests
from mlfs.compare.report.charts import INCHES, Chart, cost_chart, curves_of, rank_chart
from mlfs.compare.report.figures import draw_chart, draw_diagram
from mlfs.compare.results import Results, Summary
from mlfs.errors import DataError, UnknownName, UsageError, check_name
from mlfs.metrics import METRICS
from mlfs.plots.axes import Display


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
        cls, results: Results, metric: str, data: str | None = None, model: str | None = None
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
        return cls(lines, metric, data, model, places)

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
    def from_results(cls, results: Results, metric: str, model: str = "") -> Self:
        """The seconds and the means of a comparison.

        Parameters
        ----------
        results : Results
            A comparison.
        metric : str
            Its name.
        model : str
            Only this one; by default all.
        """
        check_name(metric, "metric", METRICS)
        models = [str(choice) for choice in results.settings.models]
        if model not in {"", *models}:
            raise UnknownName("model of the comparison", model, models)
        chart = cost_chart(results, metric, model)
        if chart is None:
            raise DataError(f"no cell with {metric} is done yet")
        return cls(chart)

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
        cls, results: Results, metric: str, n: str | None = None, model: str = ""
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
        """
        candidates = [contest for contest in contests(results, [metric]) if n in {None, contest.n}]
        models = {contest.model for contest in candidates}
        only_model = next(iter(models)) if len(models) == 1 else model
        model_shown = model if model in models else only_model
        candidates = [contest for contest in candidates if contest.model == model_shown]
        if not candidates:
            msg = f"the comparison has nothing on {metric} at n = {n} with the model {model!r}"
            raise UsageError(msg)
        return cls(candidates[-1])

    @property
    def _inches(self) -> tuple[float, float]:
        drawn = rank_chart(self.contest)
        return (drawn.width / INCHES, drawn.height / INCHES + 0.3) if drawn else (7.0, 4.0)

    def _draw(self, ax: Any) -> None:
        drawn = rank_chart(self.contest)
        if drawn is not None:
            draw_diagram(ax, drawn)
        ax.set_title(f"{self.contest.metric}, n = {self.contest.n}", fontsize=9)
