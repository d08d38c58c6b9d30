"""Pictures of a comparison: quality by number of features, ranks with critical difference."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from mlfs.compare.contest import Contest, contests
from mlfs.compare.report.svg import COLOURS, colour
from mlfs.compare.results import Results, Summary
from mlfs.errors import DataError, UnknownName, UsageError
from mlfs.plots.axes import Display

__all__ = ["CriticalDifferenceDisplay", "CurveDisplay"]

DASHES = ("-", "--", ":", "-.")
APART = 3.0  # points between the error bars of two lines


class CurveDisplay(Display):
    """A metric against the number of features, a line for each criterion.

    Parameters
    ----------
    lines : dict of str to list of Summary
        By criterion, the summary of each number of features, ascending.
    metric, data, model : str
        The metric, the data set and the model of the curves.
    """

    def __init__(self, lines: dict[str, list[Summary]], metric: str, data: str, model: str) -> None:
        self.lines = lines
        self.metric, self.data, self.model = metric, data, model

    @classmethod
    def from_results(
        cls, results: Results, metric: str, data: str | None = None, model: str | None = None
    ) -> Self:
        """The curves of a comparison; those of the first data set and model by default."""
        settings = results.settings
        names = [source.name for source in settings.sources]
        models = [str(one) for one in settings.models]
        data, model = data or names[0], model or models[0]
        for what, one, known in (("data set", data, names), ("model", model, models)):
            if one not in known:
                raise UnknownName(f"{what} of the comparison", one, known)
        lines = results.curves(metric, data, model)
        if not lines:
            raise DataError(f"no cell of {data} with {model} is done yet")
        return cls(lines, metric, data, model)

    def _draw(self, ax: Any) -> None:
        from matplotlib.transforms import ScaledTranslation

        for at, (name, several) in enumerate(self.lines.items()):
            hue = colour(at)
            if len(several) == 1 and several[0].n == "all":
                label = f"{name} ({several[0].features:g} features)"
                ax.axhline(several[0].mean, label=label, color=hue, ls=(0, (6, 3)), lw=1.8)
                continue
            x = [one.features for one in several]
            y, sd = np.array([(one.mean, np.nan_to_num(one.sd)) for one in several]).T
            # bars of one number of features stand side by side
            points = APART * (at - (len(self.lines) - 1) / 2)
            ax.update_datalim(np.column_stack([x * 2, np.r_[y - sd, y + sd]]))
            beside = ScaledTranslation(points / 72, 0, ax.figure.dpi_scale_trans)
            ax.errorbar(
                x, y, sd, label=name, marker="o", ms=4, capsize=2, elinewidth=0.9, color=hue,
                ls=DASHES[at // len(COLOURS) % len(DASHES)], transform=ax.transData + beside,
            )  # fmt: skip
        ax.autoscale_view()
        ax.set_xlabel("number of features")
        ax.set_ylabel(self.metric)
        ax.set_title(f"{self.data}, {self.model}")
        ax.legend(fontsize=8)


class CriticalDifferenceDisplay(Display):
    """Average ranks over data sets; bars join methods that do not differ by Nemenyi's test.

    Parameters
    ----------
    contest : Contest
        The methods on one metric; six data sets or more.
    """

    def __init__(self, contest: Contest) -> None:
        if contest.doubt:
            raise DataError(f"there is no critical difference to draw: {contest.doubt}")
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
        found = [one for one in contests(results, [metric]) if n in {None, one.n}]
        models = {one.model for one in found}
        wanted = model if model in models else next(iter(models)) if len(models) == 1 else model
        found = [one for one in found if one.model == wanted]
        if not found:
            msg = f"the comparison has nothing on {metric} at n = {n} with the model {model!r}"
            raise UsageError(msg)
        return cls(found[-1])

    @property
    def _inches(self) -> tuple[float, float]:
        return 8.0, 1.8 + 0.28 * ((len(self.contest.methods) + 1) // 2)

    def _draw(self, ax: Any) -> None:
        contest = self.contest
        average, k = contest.average_ranks, len(contest.methods)
        half = (k + 1) // 2
        ax.set_xlim(1, k)
        ax.set_ylim(-half - 1.2 - 0.25 * len(contest.groups), 1.4)
        ax.plot([1, 1 + contest.nemenyi], [1, 1], color="#000000", lw=3)
        ax.text(1, 1.15, f"critical difference (Nemenyi, 0.05) {contest.nemenyi:.3f}")
        ax.plot([1, k], [0, 0], color="#000000", clip_on=False)
        for rank in range(1, k + 1):
            ax.plot([rank, rank], [0, 0.12], color="#000000", clip_on=False)
            ax.text(rank, 0.2, str(rank), ha="center")
        for at, group in enumerate(contest.groups):
            height = -0.25 * (at + 1)
            ends = [average[group[0]] - 0.03, average[group[-1]] + 0.03]
            ax.plot(ends, [height, height], color="#000000", lw=4, solid_capstyle="butt")
        top = -0.25 * len(contest.groups) - 0.8
        for place, j in enumerate(np.argsort(average, kind="stable").tolist()):
            left = place < half
            height = top - (place if left else k - 1 - place) * 0.9
            edge = 1 - 0.02 * k if left else k + 0.02 * k
            line = [[average[j], average[j], edge], [0, height, height]]
            ax.plot(*line, color="#555555", lw=0.9, clip_on=False)
            words = f"{contest.methods[j]} {average[j]:.2f} "
            ax.text(edge, height, words, ha="right" if left else "left", va="center")
        ax.set_title(f"{contest.metric}, n = {contest.n}", fontsize=9)
        ax.set_axis_off()
