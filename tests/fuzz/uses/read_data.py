"""What is done with data that were read: selected from, written in another format, learned from."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import numpy as np
import scipy.sparse as sp

import mlfs
from mlfs.binnings import BINNINGS
from mlfs.criteria import available
from mlfs.data import from_arrays, label_sets
from mlfs.data.dataset import Dataset
from mlfs.data.formats import losses
from mlfs.data.request import Request
from mlfs.errors import MlfsError
from mlfs.formats import FORMATS, WRITTEN
from tests.fuzz.cases import Case, Finding, Target
from tests.fuzz.readers.reader import Reader, check_numbers, check_sound
from tests.fuzz.targets import target

READERS = ("arff", "csv", "svmlight", "xmc", "npz")
NUMBERS = [
    0.0,
    1.0,
    1.0,
    2.0,
    -1.0,
    0.5,
    np.nan,
    5e-324,
    -5e-324,
    1.7e308,
    -1.7e308,
    2.0**53,
    1e-300,
]
OPTIONS: dict[str, tuple[Any, ...]] = {
    "bins": (*BINNINGS,), "n_bins": (2, 3, 7, 200), "nominal_limit": (1, 3),
    "estimator": ("gaussian",), "correction": ("expected",), "seed": (3,),
    "label_sets": (6, 2), "per_label": (True,),
    "n_jobs": (2,), "missing": ("error",),
    "prefilter": (1, 2), "network": ("chain", "tree"), "exclude": ((0,),), "max_memory": ("1MB",),
}  # fmt: skip
WIDE = 4000  # columns that are not ordered to the last one


class ReadData(Target):
    """Data of a reader's cases, or of odd numbers, and a call that uses them."""

    name = "use"
    grace = 60.0  # a kernel may have to be compiled
    memory = 768 << 20  # a million columns in 76 bytes are arrays of a million numbers
    per_byte = 4000

    def prepare(self) -> None:
        self.criteria = list(available())
        for name in READERS:
            target(name)
        self.tried = 0

    def generate(self, rng: random.Random) -> Case:
        options: dict[str, Any] = {"call": self._call(rng)}
        if rng.random() < 0.4:
            return Case(json.dumps(self._numbers(rng)).encode(), {**options, "reader": ""})
        reader = rng.choice(READERS)
        case = target(reader).generate(rng)
        return Case(case.content, {**options, "reader": reader, "read": case.options})

    def _numbers(self, rng: random.Random) -> dict[str, Any]:
        n, d, q = rng.choice((1, 2, 3, 9, 70, 130)), rng.randint(1, 7), rng.randint(1, 4)
        some = rng.sample(NUMBERS, rng.randint(1, 6))
        X = [[rng.choice(some) for _ in range(d)] for _ in range(n)]
        Y = [[int(rng.random() < rng.choice((0, 0.1, 0.5, 1))) for _ in range(q)] for _ in range(n)]
        weights = rng.choice(
            ([0.5, 1, 2], [1], [0, 1], [5e-324, 1e-300], [1.7e308, 1], [1e-9, 1e9])
        )
        own = [rng.choice(weights) for _ in range(n)] if rng.random() < 0.3 else None
        return {"X": X, "Y": Y, "weights": own, "sparse": rng.random() < 0.3}

    def _call(self, rng: random.Random) -> dict[str, Any]:
        kind = rng.choice(("select", "select", "select", "write"))
        if kind == "write":
            return {"write": rng.choice(WRITTEN)}
        call: dict[str, Any] = {"n": rng.choice((1, 2, 3, 5, "auto", "all"))}
        for key, values in OPTIONS.items():
            if rng.random() < 0.1:
                call[key] = rng.choice(values)
        return {"select": rng.choice(self.criteria), "options": call}

    def data(self, case: Case) -> Dataset | None:
        """The data of a case; None if they are refused."""
        name = case.options["reader"]
        try:
            if not name:
                held = json.loads(case.content)
                X = np.array(held["X"], float)
                X = sp.csr_array(np.nan_to_num(X)) if held["sparse"] else X
                return from_arrays(X, np.array(held["Y"]), sample_weight=held["weights"])
            reader = target(name)
            assert isinstance(reader, Reader)
            found = reader.read(Case(case.content, case.options["read"]))
        except MlfsError:
            return None
        return None if isinstance(found, str) else found

    def run(self, case: Case) -> bool:
        data = self.data(case)
        if data is None:
            return False
        call = case.options["call"]
        try:
            if "write" in call:
                self.write(data, call["write"])
            else:
                options = call["options"]
                if data.shape[1] > WIDE and options.get("n") == "all":
                    options = {**options, "n": 20}  # the order of all takes time that is quadratic
                self.select(data, call["select"], options)
        except MlfsError as error:
            if not str(error).isprintable() or len(str(error)) > 1500:
                raise Finding(f"is no sentence: {str(error)[:200]!r}") from None
            return False
        return True

    def select(self, data: Dataset, criterion: str, options: dict[str, Any]) -> None:
        """Select; every other layout of the table gives the same."""
        if "label_sets" in options:
            data = label_sets(data, options["label_sets"])
            options = {name: options[name] for name in options if name != "label_sets"}
        found = mlfs.select(data, criterion, **options)
        json.dumps(found.to_dict(), allow_nan=False)
        X = data.X.toarray() if data.is_sparse else sp.csr_array(data.X)
        if not data.is_sparse and np.isnan(data.X).any():
            X = np.asfortranarray(data.X)
        other = mlfs.select(data.with_changes(X=X), criterion, **options)
        if picks(found) != picks(other):
            raise Finding(f"{criterion} picks otherwise in another layout of X")

    def write(self, data: Dataset, form: str) -> None:
        """Write and read back."""
        out = io.BytesIO()
        FORMATS[form].function("write")(data, out)
        labels = data.label_names if FORMATS[form].sidecar else None
        back = FORMATS[form].function("read")(
            out.getvalue(), f"t{FORMATS[form].suffixes[0]}", Request(labels=labels, classes=True)
        )
        check_sound(back, Request().limits)
        kept = [column.values for column in (*data.columns, *data.labels)]
        same_codes = kept == [column.values for column in (*back.columns, *back.labels)]
        if same_codes and not losses(data, form) and back.shape == data.shape:
            for name in ("X", "Y"):
                check_numbers(name, getattr(back, name), getattr(data, name))
        elif back.shape != data.shape:
            raise Finding(f"written as {form} it has another shape")


def picks(selection: Any) -> Any:
    """What is compared of a selection."""
    rankings = [selection, *selection.labels.values()]
    return [[(one.index, one.score) for one in ranking.chosen] for ranking in rankings]
