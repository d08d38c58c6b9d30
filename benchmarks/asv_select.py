"""For asv: time and memory of a selection, so that a regression shows."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.cases import CASES
from benchmarks.inputs import load, quick
from benchmarks.selecting import answer, warm
from mlfs import FeatureSelector

__all__ = ["FOLDER", "Select"]

FOLDER = Path(tempfile.gettempdir()) / "mlfs-benchmark-inputs"
BY_NAME = {
    case.name: case
    for case in CASES
    if case.kind == "select" and case.goal is not None and case.what != "mlfs_local"
}


class Select:
    """The cases that have a goal, at full size."""

    params = tuple(BY_NAME)
    param_names = ("case",)

    def setup(self, name: str) -> None:
        self.case = BY_NAME[name]
        self.data = load(self.case.shape, FOLDER)
        warm(self.data, self.case)

    def time_select(self, name: str) -> None:
        del name
        answer((self.data.X, self.data.Y), self.case)

    def peakmem_select(self, name: str) -> None:
        del name
        answer((self.data.X, self.data.Y), self.case)

    def time_transformer(self, name: str) -> None:
        """The same through `FeatureSelector`, which should add little."""
        del name
        n = min(self.case.n, self.data.X.shape[1])
        FeatureSelector(self.case.what, n_features_to_select=n).fit(self.data.X, self.data.Y)


class PerLabel(Select):
    """The same for one subset a label, on a smaller input."""

    params = ("select/bibtexlike/mlfs_local",)

    def setup(self, name: str) -> None:
        self.case = next(case for case in CASES if case.name == name)
        self.data = load(quick(self.case.shape), FOLDER)
        warm(self.data, self.case)
