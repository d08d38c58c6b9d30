"""Extensions that installed packages offer: found by name, after ours, and named when broken."""

from __future__ import annotations

from importlib import metadata

import numpy as np
import pytest

import mlfs.models
from mlfs.errors import UnknownName, UsageError
from mlfs.extensions import Registry
from mlfs.metrics import METRICS, Metric, evaluate
from mlfs.models.recipes import RECIPES
from mlfs.models.structures import BY_NAME, Chain, learner_for

HALVES = Metric("halves", lambda Y, predicted: 0.5, "labels", higher_is_better=True)


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
        offered("gone", "nowhere", "models"),
    ]
    monkeypatch.setattr(
        metadata, "entry_points", lambda group: [p for p in points if p.group == group]
    )
    for registry in (METRICS, BY_NAME, RECIPES):
        monkeypatch.delitem(vars(registry), "_installed", raising=False)
        monkeypatch.setattr(registry, "_loaded", {})
    yield
    for registry in (METRICS, BY_NAME, RECIPES):
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


def test_an_unknown_name_is_said() -> None:
    with pytest.raises(UnknownName, match="unknown model 'twin'"):
        mlfs.models.make("twin")
    assert "x" not in Registry("metrics", {})
