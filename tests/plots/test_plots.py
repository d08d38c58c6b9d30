"""Displays: drawn from real objects, on the caller's axes or their own, refused with a sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlfs
from mlfs.errors import DataError, MissingExtra, UnknownName, UsageError
from tests.compare.test_report import made_up

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from mlfs import plots
from mlfs.compare.report.charts import curve_chart
from mlfs.plots import displays
from mlfs.search.label_parents import Structure


def some_selection(**more: Any) -> mlfs.Selection:
    generator = np.random.default_rng(0)
    X, Y = generator.integers(3, size=(60, 8)), generator.integers(2, size=(60, 3))
    return mlfs.select((X, Y), n=4, **more)


TREE = Structure("tree", ("a", "b", "c"), (0, 1, 2), ((), (0,), (0,)))


DISPLAYS: dict[str, Callable[[], Any]] = {
    "path": lambda: plots.SelectionPathDisplay.from_selection(some_selection(criterion="mrmr")),
    "path of a label": lambda: plots.SelectionPathDisplay.from_selection(
        some_selection(criterion="mlfs_local"), "y1"
    ),
    "map": lambda: plots.LabelFeatureMapDisplay.from_selection(
        some_selection(criterion="jmi", per_label=True)
    ),
    "substitutes": lambda: plots.SubstitutesDisplay.from_selection(
        mlfs.certainty(mlfs.select("songs", "mrmr", 4), "songs", resamples=20)
    ),
    "structure": lambda: plots.LabelStructureDisplay.from_estimator(TREE),
    "curve": lambda: plots.CurveDisplay.from_results(made_up(), "exact_match"),
    "ranks": lambda: plots.CriticalDifferenceDisplay.from_results(made_up(), "exact_match"),
    "costs": lambda: plots.CostDisplay.from_results(made_up(), "exact_match"),
}


@pytest.mark.parametrize("name", sorted(DISPLAYS))
def test_a_display_is_drawn(name: str, tmp_path: Path) -> None:
    display = DISPLAYS[name]()
    assert display.plot() is display
    display.figure_.savefig(tmp_path / "own.png")
    assert (tmp_path / "own.png").stat().st_size > 2000
    mine = Figure().add_subplot()
    assert display.plot(ax=mine).ax_ is mine
    assert display.figure_ is mine.figure
    mine.figure.savefig(tmp_path / "mine.svg")


def test_the_path_shows_the_terms() -> None:
    found = some_selection(criterion="mrmr")
    drawn = plots.SelectionPathDisplay.from_selection(found).plot().ax_
    line = next(one for one in drawn.lines if one.get_label() == "score")
    np.testing.assert_array_equal(line.get_ydata(), found.scores)
    bars = {one.get_label(): [bar.get_height() for bar in one] for one in drawn.containers}
    np.testing.assert_allclose(bars["relevance"], found.terms["relevance"])
    np.testing.assert_allclose(bars["redundancy"], -found.terms["redundancy"])
    assert [text.get_text() for text in drawn.get_xticklabels()] == list(found.names)


def test_complementarity_has_a_bar_of_its_own_and_no_bar_is_cut() -> None:
    found = some_selection(criterion="jmi")
    redundancy = found.terms["redundancy"]
    assert redundancy.min() < 0
    drawn = plots.SelectionPathDisplay.from_selection(found).plot().ax_
    bars = {one.get_label(): [bar.get_height() for bar in one] for one in drawn.containers}
    np.testing.assert_allclose(bars["complementarity"], np.maximum(-redundancy, 0))
    np.testing.assert_allclose(bars.get("redundancy", 0), -np.maximum(redundancy, 0))
    top = max(bar.get_y() + bar.get_height() for one in drawn.containers for bar in one)
    low, high = drawn.get_ylim()
    assert high > top + 0.01 * (high - low)


def test_error_bars_of_curves_stand_side_by_side() -> None:
    shown = plots.CurveDisplay.from_results(made_up(), "exact_match").plot()
    shown.figure_.canvas.draw()
    lefts = [one.lines[0].get_transform().transform((5, 0))[0] for one in shown.ax_.containers]
    assert len(lefts) == 4  # the last is that of a fixed number of features, at the edge
    assert min(np.diff(lefts)) > 2
    low, high = shown.ax_.get_xlim()
    assert low < 5
    assert high > 10
    assert "all (40 features)" in [one.get_label() for one in shown.ax_.lines]


def test_curves_have_the_colours_and_the_axis_of_the_page() -> None:
    results = made_up(noise=0.2)
    page = curve_chart(results, "exact_match", "set1", "mlnb")
    assert page is not None
    shown = plots.CurveDisplay.from_results(results, "exact_match", "set1", "mlnb").plot().ax_
    assert shown.get_ylim() == (page.y.low, page.y.high)
    assert shown.get_yticks().tolist() == [value for value, _ in page.y.ticks()]
    names = [one.get_text().split(" ")[0] for one in shown.get_legend().get_texts()]
    assert names == [one.name for one in page.series]
    hues = [to_hex(container.lines[0].get_color()).upper() for container in shown.containers]
    assert hues == [one.colour.upper() for one in page.series]


def test_the_map_holds_the_ranks() -> None:
    found = some_selection(criterion="jmi", per_label=True)
    shown = plots.LabelFeatureMapDisplay.from_selection(found)
    for row, ranking in enumerate(found.labels.values()):
        for one in ranking.chosen:
            assert shown.ranks[row, found.indices.index(one.index)] == one.rank
    assert np.isfinite(shown.ranks).sum() == 3 * 4


def test_many_features_and_labels_are_drawn_without_names() -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.integers(2, size=(200, 120)), generator.integers(2, size=(200, 70))
    found = mlfs.select((X, Y), "mim", 3, per_label=True)
    drawn = plots.LabelFeatureMapDisplay.from_selection(found).plot().ax_
    assert drawn.get_ylabel() == "labels"
    path = plots.SelectionPathDisplay.from_selection(mlfs.select((X, Y), "mim", 60)).plot().ax_
    assert path.get_xlabel() == "pick"


def test_a_fitted_selector_and_model_will_do() -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.random((60, 5)), generator.integers(2, size=(60, 2))
    selector = mlfs.FeatureSelector("mim", n_features_to_select=2).fit(X, Y)
    assert len(plots.SelectionPathDisplay.from_selection(selector).ranking) == 2
    model = mlfs.models.make("kcc").fit(X, Y)
    assert plots.LabelStructureDisplay.from_estimator(model).structure == model.structure_


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(UsageError, match="fitted FeatureSelector"):
        plots.SelectionPathDisplay.from_selection([1, 2])
    with pytest.raises(UnknownName, match="y1"):
        plots.SelectionPathDisplay.from_selection(some_selection(criterion="mlfs_local"), "y11")
    with pytest.raises(UsageError, match="per_label"):
        plots.LabelFeatureMapDisplay.from_selection(some_selection(criterion="mim"))
    with pytest.raises(UsageError, match="one structure"):
        plots.LabelStructureDisplay.from_estimator(3)
    with pytest.raises(UnknownName, match="metric"):
        plots.CurveDisplay.from_results(made_up(), "exact")
    with pytest.raises(UnknownName, match="data set"):
        plots.CurveDisplay.from_results(made_up(), "exact_match", data="nothing")
    with pytest.raises(DataError, match="underpowered"):
        plots.CriticalDifferenceDisplay.from_results(made_up(4), "exact_match")
    with pytest.raises(UsageError, match="nothing on"):
        plots.CriticalDifferenceDisplay.from_results(made_up(), "exact_match", n="99")


def test_without_matplotlib_it_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"mlfs-toolkit\[plot\]"):
        displays.axes_for(None, "a picture", (7.0, 4.0))


def test_importing_plots_does_not_import_matplotlib() -> None:
    program = "import sys, mlfs.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_a_selection_draws_itself() -> None:
    selection = some_selection(criterion="mlfs_local")
    shown = selection.plot(label="y1")
    assert shown.ranking.names == selection.labels["y1"].names
    assert "<svg" in shown._repr_svg_()
    assert "<svg" in plots.SelectionPathDisplay.from_selection(selection)._repr_svg_()
