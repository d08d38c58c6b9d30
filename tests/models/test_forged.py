"""Model files with a right digest and wrong contents: refused before anything trusts them."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from mlfs.api.selection import Selection
from mlfs.errors import DataError, UsageError
from mlfs.models import BRkNN, MLkNN, StructuredClassifier, load, save
from mlfs.models.inference import MonteCarlo
from mlfs.models.model_files import Writer
from mlfs.models.storage.reader import Reader, check_fields
from mlfs.models.storage.storable import DamagedError
from tests.models.test_store import X, Y, place, rewritten

__all__ = ["place"]
FITTED: dict[str, bytes] = {}


def stored(learner: Any, place: str, *, sparse: bool = False, **more: Any) -> bytes:
    """The file of a model of two labels, the second with the first as its parent."""
    key = repr((learner, sparse, more))
    if key not in FITTED:
        rows = sp.csr_array(np.where(X > 0.5, X, 0.0)) if sparse else X
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = StructuredClassifier({1: [0]}, base_estimator=learner, **more)
            save(model.fit(rows, Y[:, :2]), place, force=True)
        FITTED[key] = Path(place).read_bytes()
    return FITTED[key]


def state_of(header: dict[str, Any], kind: str) -> dict[str, Any]:
    """The attributes of the first fitted object of a class."""
    found = [state for name, state in header["objects"] if name.endswith(f".{kind}")]
    return next((state for state in found if "classes_" in state or "names" in state), found[0])


def refused(content: bytes, change: Any, place: str) -> str:
    def changed(header: dict[str, Any]) -> None:
        change(header)

    Path(place).write_bytes(rewritten(content, changed))
    start = time.process_time()
    with pytest.raises((DataError, UsageError)) as error:
        load(place)
    assert time.process_time() - start < 1
    assert place in str(error.value)
    assert "\n" not in str(error.value)
    return str(error.value)


def nested(header: dict[str, Any]) -> None:
    """A parameter whose hash or text takes 2^40 steps."""
    node: Any = {"object": 0}
    objects = header["objects"]
    for _ in range(40):
        learner = {"estimator": node, "constant": 0, "columns": None, "parents": {"tuple": [node]}}
        objects.insert(len(objects) - 1, ["mlfs.models.base_learners.Learner", learner])
        node = {"object": len(objects) - 2}
    header["settings"] = {"dict": [[node, 1]]}


def repeated(header: dict[str, Any]) -> None:
    """One fitted classifier named ten million times, a hundred at each of its holders."""
    for _ in range(4):
        last = {"object": len(header["objects"]) - 1}
        header["objects"].append(
            ["sklearn.pipeline.Pipeline", {"steps": [last] * 100, "memory": None}]
        )
    header["model"] = {"object": len(header["objects"]) - 1}


def keys(*given: Any) -> Any:
    def change(header: dict[str, Any]) -> None:
        header["settings"] = {"dict": [[key, 1] for key in given]}

    return change


def long_text(header: dict[str, Any]) -> None:
    """A megabyte that would become 24 GB."""
    texts = ["a" * 1_000_000, *["b"] * 6000]
    header["settings"] = {"dict": [["a", {"texts": [[len(texts)], texts]}]]}


def many(header: dict[str, Any]) -> None:
    header["settings"] = [[]] * 2_100_000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (nested, "damaged"),
        (repeated, "damaged"),
        (keys(*[k * ((1 << 61) - 1) for k in range(1, 9)]), "a key that cannot be one"),
        (keys({"tuple": [{"tuple": [1, 2]}, 3]}), "a key that cannot be one"),
        (keys(0.5), "a key that cannot be one"),
        (keys("a", "a"), "a key twice"),
        (keys({"object": 0}), "a key that cannot be one"),
        (long_text, "one text is much too long"),
        (many, "values of at most"),
    ],
    ids=["nested", "repeated", "colliding", "pairs", "float", "twice", "object", "text", "many"],
)
def test_nothing_takes_longer_or_more_memory_than_its_bytes(
    change: Any, words: str, place: str
) -> None:
    assert words in refused(stored(LogisticRegression(), place), change, place)


def pipelines(n: int, *, twice: bool) -> list[Any]:
    """Objects in which each is a step of the next."""
    found: list[Any] = [["sklearn.preprocessing.Normalizer", {"norm": "l2", "copy": True}]]
    for k in range(n):
        steps = [{"tuple": [name, {"object": k}]} for name in ("ab" if twice else "a")]
        state = {"steps": steps, "memory": None, "verbose": False, "transform_input": None}
        found.append(["sklearn.pipeline.Pipeline", state])
    return found


@pytest.mark.parametrize("twice", [False, True])
def test_classifiers_in_each_other_are_few(twice: bool) -> None:
    with pytest.raises(DataError, match="nested too deeply"):
        Reader(pipelines(40, twice=twice), [])
    learner: Any = LogisticRegression()
    for _ in range(9):
        learner = make_pipeline(learner)
    with pytest.raises(UsageError, match="too many classifiers in each other"):
        Writer().node(learner)


def test_a_shape_that_numpy_cannot_multiply_is_refused(place: str) -> None:
    def change(header: dict[str, Any]) -> None:
        header["arrays"].append(["<f8", "C", [0, (1 << 48) - 1, (1 << 48) - 1]])

    assert "describes no array" in refused(stored(LogisticRegression(), place), change, place)


@pytest.mark.parametrize(
    ("kind", "attribute", "value", "words"),
    [
        ("StructuredClassifier", "predict", 1, "'predict' is no attribute"),
        ("StructuredClassifier", "__class__", 1, "'__class__' is no attribute"),
        ("StructuredClassifier", "estimators_", 1, "'estimators_' is no attribute"),
        ("Classes", "names", {"tuple": ["a", 1]}, "names of a Classes is wrong"),
        ("LogisticRegression", "C", -1, "'C' parameter"),
        ("LogisticRegression", "loss_", 3, "'loss_' is no attribute"),
        ("LogisticRegression", "classes_", {"texts": [[2], ["a", "b"]]}, "has no classes"),
        ("Learner", "constant", "x", "constant of a Learner is wrong"),
        ("MonteCarlo", "n_samples", 0, "n_samples"),
    ],
)
def test_parts_agree_with_each_other(
    kind: str, attribute: str, value: Any, words: str, place: str
) -> None:
    def change(header: dict[str, Any]) -> None:
        state_of(header, kind)[attribute] = value

    content = stored(LogisticRegression(), place, inference=MonteCarlo(9))
    assert words in refused(content, change, place)


@pytest.mark.parametrize(
    ("number", "words"),
    [(float("nan"), "no number"), (float("inf"), "no number")],
)
def test_a_learner_is_made_of_numbers(number: float, words: str, place: str) -> None:
    model = StructuredClassifier(base_estimator=LogisticRegression()).fit(X, Y[:, :2])
    writer = Writer()
    node = writer.node(model)
    state = state_of({"objects": writer.objects}, "LogisticRegression")
    writer.arrays[state["coef_"]["array"]] = np.full((1, 6), number)
    with pytest.raises(DataError, match=words):
        Reader(writer.objects, writer.arrays).value(node)


def test_the_shares_of_a_tree_are_shares(place: str) -> None:
    writer = Writer()
    node = writer.node(DecisionTreeClassifier(max_depth=2).fit(X, Y[:, 0]))
    values = writer.objects[0][1]["values"]["array"]
    writer.arrays[values] = writer.arrays[values] + 50
    with pytest.raises(DataError, match="no shares of classes"):
        Reader(writer.objects, writer.arrays).value(node)


def test_a_probability_is_a_number_from_0_to_1() -> None:
    model = StructuredClassifier(base_estimator=GaussianNB()).fit(X, Y[:, :2])
    model.estimators_[0].class_prior_ = np.array([np.nan, 1.0])
    with (
        np.errstate(all="ignore"),
        pytest.raises(DataError, match="a probability of the label 'y0' is nan"),
    ):
        model.predict_proba(X)
    near = MLkNN().fit(X, Y[:, :2])
    near.predict_log_odds = lambda rows: np.full((len(rows), 2), np.nan)
    with pytest.raises(DataError, match="a probability of the label 'y0' is nan"):
        near.predict_proba(X)


def test_what_is_decoded_is_0_or_1() -> None:
    model = BRkNN().fit(X, Y[:, :2])
    model._decide = lambda rows: np.full((len(rows), 2), 50)
    with pytest.raises(DataError, match="a prediction of the label 'y0' is 50, neither 0 nor 1"):
        model.predict(X)


def test_a_file_uses_no_more_processors_than_there_are_and_prints_nothing(place: str) -> None:
    content = stored(KNeighborsClassifier(3), place)

    def change(header: dict[str, Any]) -> None:
        state_of(header, "KNeighborsClassifier")["n_jobs"] = 4000

    Path(place).write_bytes(rewritten(content, change))
    assert load(place).estimators_[0].n_jobs < 4000


def test_what_a_file_would_not_give_back_is_not_written() -> None:
    learner = LogisticRegression().fit(X, Y[:, 0])
    learner.coef_[0, 0] = np.nan
    with pytest.raises(UsageError, match="coef_ of a LogisticRegression is no number"):
        Writer().node(learner)
    with pytest.raises(UsageError, match="keys of a dict"):
        Writer().node({0.5: 1})


def test_fields_of_types_that_only_a_checker_imports_hold_none() -> None:
    with pytest.raises(DamagedError, match="a Selection has no field 'odd'"):
        check_fields(Selection, {"odd": 1})
