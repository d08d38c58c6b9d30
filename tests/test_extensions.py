"""Extensions that installed packages offer: found by name, after ours, and named when broken."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlfs
from mlfs.data import Dataset, from_arrays
from mlfs.data.files import InputFile
from mlfs.errors import UsageError
from mlfs.extensions import Registry
from mlfs.formats import FORMATS, Format

LINES = Format((".lines",), __name__)


def read(source: Any, path: str, request: Any) -> Dataset:
    content = InputFile.of(source, path, request).content()
    rows = [line.split() for line in content.decode().splitlines()]
    X = np.array([[float(number)] for number, _ in rows])
    return from_arrays(X, [[int(label)] for _, label in rows])


@pytest.fixture
def _installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    points = [
        metadata.EntryPoint(name, f"{__name__}:{attribute}", "mlfs.formats")
        for name, attribute in (("lines", "LINES"), ("arff", "LINES"), ("gone", "nowhere"))
    ]
    real = metadata.entry_points

    def entry_points(group: str = "", **others: Any) -> Any:
        return points if group == "mlfs.formats" else real(group=group, **others)

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    monkeypatch.delitem(vars(FORMATS), "_installed", raising=False)
    monkeypatch.setattr(FORMATS, "_loaded", {})
    yield
    vars(FORMATS).pop("_installed", None)


@pytest.mark.usefixtures("_installed")
def test_a_format_of_others_serves_a_selection(tmp_path: Path) -> None:
    path = tmp_path / "a.lines"
    path.write_text("".join(f"{k % 50 / 10} {int(k % 50 > 20)}\n" for k in range(200)))
    assert mlfs.select(str(path), "mim", 1, keep_identifiers=True).names == ("x0",)
    assert mlfs.read(path, format="lines").shape == (200, 1, 1)


@pytest.mark.usefixtures("_installed")
def test_nothing_takes_the_name_of_ours() -> None:
    assert FORMATS["arff"].module != __name__
    assert list(FORMATS).count("arff") == 1


@pytest.mark.usefixtures("_installed")
def test_what_cannot_be_imported_is_named_and_leaves_the_others_alone(tmp_path: Path) -> None:
    (tmp_path / "a.unknown").write_text("x")
    with pytest.raises(UsageError, match=r"'gone' of the distribution .* cannot be imported"):
        mlfs.read(tmp_path / "a.unknown", format="gone")
    with pytest.raises(UsageError, match="format"):
        mlfs.read(tmp_path / "a.unknown")
    assert "gone" not in list(FORMATS)


def test_an_unknown_name_is_not_there() -> None:
    assert "x" not in Registry("formats", {})
