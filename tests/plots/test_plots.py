"""Pictures: drawn from real objects, by pyplot or on the caller's axes, refused with a sentence."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlfs
from mlfs.compare.contest import contests
from mlfs.errors import DataError, MissingExtra, UnknownName, UsageError
from tests.compare.test_report import made_up

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

import matplotlib as mpl

mpl.use("agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from mlfs import plots
from mlfs.compare.report.svg import colour
from mlfs.search.label_parents import Structure


@pytest.fixture(autouse=True)
def no_open_figure() -> Iterator[None]:
    plt.close("all")
    yield
    plt.close("all")


def some_selection(**more: Any) -> mlfs.Selection:
    generator = np.random.default_rng(0)
    X, Y = generator.integers(3, size=(60, 8)), generator.integers(2, size=(60, 3))
    return mlfs.select((X, Y), n=4, **more)


TREE = Structure("tree", ("a", "b", "c"), (0, 1, 2), ((), (0,), (0,)))


PICTURES: dict[str, Callable[..., Any]] = {
    "path": partial(plots.selection_path, some_selection(criterion="mrmr")),
    "path of a label": partial(plots.selection_path, some_selection(criterion="mlfs_local"), "y1"),
    "map": partial(plots.label_feature_map, some_selection(criterion="jmi", per_label=True)),
    "substitutes": partial(
        plots.substitutes, mlfs.certainty(mlfs.select("songs", "mrmr", 4), "songs", resamples=20)
    ),
    "similar": partial(plots.similarity_map, mlfs.similar("songs", 0.3)),
    "structure": partial(plots.label_structure, TREE),
    "curves": partial(plots.curves, made_up(), "exact_match"),
    "ranks": partial(plots.critical_differences, made_up(), "exact_match"),
    "costs": partial(plots.costs, made_up(), "exact_match"),
    "costs with names": partial(plots.costs, made_up(sizes=(5,)), "exact_match"),
}


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_a_picture_is_the_current_one_or_goes_into_axes_of_the_caller(
    name: str, tmp_path: Path
) -> None:
    ax = PICTURES[name]()
    assert ax.figure is plt.gcf()
    plt.savefig(tmp_path / "own.png")
    assert (tmp_path / "own.png").stat().st_size > 2000
    _, (left, right) = plt.subplots(1, 2)
    plt.sca(right)
    assert PICTURES[name]() is right
    assert not left.has_data()
    mine = Figure().add_subplot()
    assert PICTURES[name](ax=mine) is mine
    mine.figure.savefig(tmp_path / "mine.svg")
    assert plt.get_fignums() == [1, 2]


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_without_matplotlib_it_names_the_extra(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"mlfs-toolkit\[plot\]"):
        PICTURES[name]()


def test_a_selection_draws_itself(tmp_path: Path) -> None:
    selection = some_selection(criterion="mlfs_local")
    selection.plot(label="y1")
    plt.savefig(tmp_path / "picks.svg")
    assert "score" in [line.get_label() for line in plt.gca().lines]
    names = [text.get_text() for text in plt.gca().get_xticklabels()]
    assert names == list(selection.labels["y1"].names)


def test_the_path_shows_the_terms() -> None:
    found = some_selection(criterion="mrmr")
    drawn = plots.selection_path(found)
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
    drawn = plots.selection_path(found)
    bars = {one.get_label(): [bar.get_height() for bar in one] for one in drawn.containers}
    np.testing.assert_allclose(bars["complementarity"], np.maximum(-redundancy, 0))
    np.testing.assert_allclose(bars.get("redundancy", 0), -np.maximum(redundancy, 0))
    top = max(bar.get_y() + bar.get_height() for one in drawn.containers for bar in one)
    low, high = drawn.get_ylim()
    assert high > top + 0.01 * (high - low)


def test_error_bars_of_curves_stand_side_by_side_and_are_seen() -> None:
    ax = plots.curves(made_up(noise=0.2), "exact_match")
    ax.figure.canvas.draw()
    lefts = [one.lines[0].get_transform().transform((5, 0))[0] for one in ax.containers]
    assert len(lefts) == 4  # the last is that of a fixed number of features, at the edge
    assert min(np.diff(lefts)) > 2
    low, high = ax.get_xlim()
    assert low < 5
    assert high > 10
    heights = ax.dataLim.get_points()[:, 1]
    assert ax.get_ylim()[0] < heights[0] < heights[1] < ax.get_ylim()[1]
    assert "all (40 features)" in [one.get_label() for one in ax.lines]


def test_curves_are_those_of_the_results_in_the_colours_of_the_report() -> None:
    results = made_up(noise=0.2)
    ax = plots.curves(results, "exact_match", "set1", "mlnb")
    lines = results.curves("exact_match", "set1", "mlnb")
    names = [str(one) for one in results.settings.rankers]
    for name, container in zip(lines, ax.containers, strict=True):
        assert to_hex(container.lines[0].get_color()).upper() == colour(names.index(name))
        means = [one.mean for one in lines[name]]
        np.testing.assert_array_equal(container.lines[0].get_ydata(), means)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["5", "10"]


def test_costs_have_a_mark_for_each_method() -> None:
    results = made_up(sizes=(5,))
    ax = plots.costs(results, "exact_match", "br")
    places = [tuple(one.get_offsets()[0]) for one in ax.collections]
    assert places == [cost[:2] for cost in results.costs("exact_match", "br").values()]
    assert [text.get_text() for text in ax.texts] == ["all", "random", "mim", "scls"]


def test_average_ranks_are_written_beside_the_names() -> None:
    results = made_up(noise=0.2)
    drawn = " ".join(
        text.get_text()
        for text in plots.critical_differences(results, "exact_match", "5", "br").texts
    )
    (contest,) = [
        one for one in contests(results, ["exact_match"]) if (one.n, one.model) == ("5", "br")
    ]
    for name, rank in zip(contest.methods, contest.average_ranks, strict=True):
        assert f" {name} {rank:.2f} " in drawn
    assert f"{contest.nemenyi:.3f}" in drawn


def test_the_map_holds_the_ranks() -> None:
    found = some_selection(criterion="jmi", per_label=True)
    ranks = plots.label_feature_map(found).images[0].get_array()
    for row, ranking in enumerate(found.labels.values()):
        for one in ranking.chosen:
            assert ranks[row, found.indices.index(one.index)] == one.rank
    assert ranks.count() == 3 * 4


def test_many_features_and_labels_are_drawn_without_names() -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.integers(2, size=(200, 120)), generator.integers(2, size=(200, 70))
    drawn = plots.label_feature_map(mlfs.select((X, Y), "mim", 3, per_label=True))
    assert drawn.get_ylabel() == "labels"
    plt.figure()
    path = plots.selection_path(mlfs.select((X, Y), "mim", 60))
    assert path.get_xlabel() == "pick"


def test_a_fitted_selector_and_model_will_do() -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.random((60, 5)), generator.integers(2, size=(60, 2))
    selector = mlfs.FeatureSelector("mim", n_features_to_select=2).fit(X, Y)
    assert len(plots.selection_path(selector).get_xticks()) == 2
    model = mlfs.models.make("kcc").fit(X, Y)
    plt.figure()
    assert plots.label_structure(model).get_title().startswith(model.structure_.kind)


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(UsageError, match="fitted FeatureSelector"):
        plots.selection_path([1, 2])
    with pytest.raises(UnknownName, match="y1"):
        plots.selection_path(some_selection(criterion="mlfs_local"), "y11")
    with pytest.raises(UsageError, match="per_label"):
        plots.label_feature_map(some_selection(criterion="mim"))
    with pytest.raises(UsageError, match="the ranking was not resampled"):
        plots.substitutes(some_selection(criterion="mim"))
    with pytest.raises(UsageError, match="one structure"):
        plots.label_structure(3)
    with pytest.raises(UnknownName, match="metric"):
        plots.curves(made_up(), "exact")
    with pytest.raises(UnknownName, match="data set"):
        plots.curves(made_up(), "exact_match", data="nothing")
    with pytest.raises(UnknownName, match="model of the comparison"):
        plots.costs(made_up(), "exact_match", "mlknn")
    with pytest.raises(DataError, match="underpowered"):
        plots.critical_differences(made_up(4), "exact_match")
    with pytest.raises(UsageError, match="nothing on"):
        plots.critical_differences(made_up(), "exact_match", n="99")
    assert not plt.get_fignums()


def test_importing_plots_does_not_import_matplotlib() -> None:
    program = "import sys, mlfs.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
