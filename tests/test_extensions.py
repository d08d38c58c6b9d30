"""Extensions that installed packages offer: found by name, after ours, and named when broken."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlfs.models
from mlfs.binnings import BINNINGS, BinningMethod
from mlfs.data import Dataset, from_arrays
from mlfs.data.files import InputFile
from mlfs.errors import DataError, UnknownName, UsageError
from mlfs.extensions import Registry
from mlfs.formats import FORMATS, Format
from mlfs.metrics import METRICS, Metric, evaluate
from mlfs.models.recipes import RECIPES
from mlfs.models.structures import BY_NAME, Chain, learner_for

REGISTRIES = (METRICS, BY_NAME, RECIPES, BINNINGS, FORMATS)
HALVES = Metric("halves", lambda Y, predicted: 0.5, "labels", higher_is_better=True)


THIRDS = BinningMethod(edges=lambda values, weights, bins: (1.5, 3.5))
FALLING = BinningMethod(edges=lambda values, weights, bins: (3.5, 1.5))
LINES = Format((".lines",), __name__)


def read(source: Any, path: str, request: Any) -> Dataset:
    content = InputFile.of(source, path, request).content()
    rows = [line.split() for line in content.decode().splitlines()]
    X = np.array([[float(number)] for number, _ in rows])
    return from_arrays(X, [[int(label)] for _, label in rows])


class LastFirst(Chain):
    """A structure of a third party."""


def offered(name: str, attribute: str, kind: str) -> metadata.EntryPoint:
    return metadata.EntryPoint(name, f"{__name__}:{attribute}", f"mlfs.{kind}")


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        offered("halves", "HALVES", "metrics"),
        offered("hamming_loss", "HALVES", "metrics"),
        offered("last_first", "LastFirst", "structures"),
        offered("twin", "twin", "models"),
        offered("thirds", "THIRDS", "binnings"),
        offered("falling", "FALLING", "binnings"),
        offered("lines", "LINES", "formats"),
        offered("gone", "nowhere", "models"),
        offered("gone", "nowhere", "metrics"),
        offered("gone", "nowhere", "formats"),
    ]
    real = metadata.entry_points

    def entry_points(group: str = "", **others: Any) -> Any:
        ours = group.startswith("mlfs.") and [p for p in points if p.group == group]
        return ours or real(group=group, **others)

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    for registry in REGISTRIES:
        monkeypatch.delitem(vars(registry), "_installed", raising=False)
        monkeypatch.setattr(registry, "_loaded", {})
    yield
    for registry in REGISTRIES:
        vars(registry).pop("_installed", None)


def twin() -> mlfs.models.StructuredClassifier:
    return mlfs.models.make("br")


@pytest.mark.usefixtures("_installed")
def test_what_is_installed_is_found_by_name() -> None:
    Y = np.array([[0, 1], [1, 0]])
    assert evaluate(Y, Y, metrics=["halves"]) == {"halves": 0.5}
    assert type(learner_for("last_first")) is LastFirst
    assert type(mlfs.models.make("twin")).__name__ == "StructuredClassifier"
    assert "twin" in mlfs.models.available()


@pytest.mark.usefixtures("_installed")
def test_nothing_takes_the_name_of_ours() -> None:
    assert METRICS["hamming_loss"].name == "hamming_loss"
    assert list(METRICS).count("hamming_loss") == 1


@pytest.mark.usefixtures("_installed")
def test_what_cannot_be_imported_is_named() -> None:
    with pytest.raises(UsageError, match=r"'gone' of the distribution .* cannot be imported"):
        mlfs.models.make("gone")
    with pytest.raises(UsageError, match=r"'gone' of the distribution .* cannot be imported"):
        evaluate([[1]], [[1]], metrics=["gone"])


@pytest.mark.usefixtures("_installed")
def test_a_broken_one_leaves_the_others_alone(tmp_path: Path) -> None:
    assert "halves" in METRICS.keys() - {"gone"}
    assert "gone" not in list(METRICS)
    assert evaluate([[1, 0]], [[1, 0]])["hamming_loss"] == 0
    (tmp_path / "a.unknown").write_text("x")
    with pytest.raises(UsageError, match="format"):
        mlfs.read(tmp_path / "a.unknown")
    assert "gone" not in mlfs.models.available()


def test_an_unknown_name_is_said() -> None:
    with pytest.raises(UnknownName, match="unknown model 'twin'"):
        mlfs.models.make("twin")
    assert "x" not in Registry("metrics", {})


@pytest.mark.usefixtures("_installed")
def test_a_binning_and_a_format_of_others_serve_a_selection(tmp_path: Path) -> None:
    path = tmp_path / "a.lines"
    path.write_text("".join(f"{k % 50 / 10} {int(k % 50 > 20)}\n" for k in range(200)))
    found = mlfs.select(str(path), "mim", 1, bins="thirds")
    assert found.binnings[0].edges == (1.5, 3.5)
    with pytest.raises(DataError, match=r"the binning 'falling' gives .*edges are rising numbers"):
        mlfs.select(str(path), "mim", 1, bins="falling")
