"""Model files with a right digest and wrong contents: refused before anything trusts them."""

from __future__ import annotations

import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from mlfs.api.selection import Selection
from mlfs.errors import DataError, UsageError
from mlfs.models import StructuredClassifier, load, save
from mlfs.models.base_learners import Learner
from mlfs.models.classes import Classes
from mlfs.models.conditionals import FittedConditionals
from mlfs.models.inference import BestFirst, MonteCarlo
from mlfs.models.storage.invariants import DamagedError
from mlfs.models.storage.parts import check_fields
from mlfs.models.storage.reader import Reader
from mlfs.models.storage.writer import Writer
from mlfs.search.label_parents import Structure
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


@pytest.mark.parametrize(
    ("attribute", "value", "words"),
    [
        ("_impl", "nu_svc", "'_impl' is no attribute of a SVC"),
        ("kernel", "precomputed", "the kernel is unknown"),
        ("kernel", [], "'kernel' parameter"),
        ("degree", -1, "'degree' parameter"),
        ("_gamma", {"float": "nan"}, "_gamma of a SVC is wrong"),
        ("_sparse", False, "not of one form"),
        ("_n_support", {"array": 0}, "miscounted"),
        ("n_features_in_", 5, "support_vectors_ of a SVC is wrong"),
        ("classes_", {"texts": [[2], ["a", "b"]]}, "classes_ of a SVC is wrong"),
    ],
)
def test_a_kernel_machine_is_whole(attribute: str, value: Any, words: str, place: str) -> None:
    def change(header: dict[str, Any]) -> None:
        state_of(header, "SVC")[attribute] = value

    assert words in refused(stored(SVC(), place, sparse=True), change, place)


@pytest.mark.parametrize("kept", [0, 0.5])
def test_a_sparse_kernel_machine_has_all_its_coefficients(kept: float) -> None:
    learner = SVC().fit(sp.csr_array(np.where(X > 0.5, X, 0.0)), Y[:, 0])
    writer = Writer()
    node = writer.node(learner)
    _, shape, parts = writer.objects[0][1]["_dual_coef_"]["sparse"]
    n = int(kept * shape[1])
    data, indices, indptr = (part["array"] for part in parts)
    writer.arrays[data], writer.arrays[indices] = writer.arrays[data][:n], np.arange(n)
    writer.arrays[indptr] = np.array([0, n])
    with pytest.raises(DataError, match="a coefficient is not there"):
        Reader(writer.objects, writer.arrays).value(node)


def nested(header: dict[str, Any]) -> None:
    """A parameter whose hash or text takes 2^40 steps."""
    node: Any = {"object": 0}
    objects = header["objects"]
    for _ in range(40):
        learner = {"estimator": node, "constant": 0, "columns": None, "parents": {"tuple": [node]}}
        objects.insert(len(objects) - 1, ["mlfs.models.learners.Learner", learner])
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


def test_the_layers_of_a_network_fit_and_are_there_once(place: str) -> None:
    content = stored(MLPClassifier((3, 3), max_iter=3), place)

    def change(header: dict[str, Any]) -> None:
        state = state_of(header, "MLPClassifier")
        state["coefs_"] = [state["coefs_"][0], *[state["coefs_"][1]] * 500, state["coefs_"][2]]
        state["intercepts_"] = [*[state["intercepts_"][1]] * 501, state["intercepts_"][2]]
        state["n_layers_"] = 503

    assert "a layer is there twice" in refused(content, change, place)


@pytest.mark.parametrize(
    ("kind", "attribute", "value", "words"),
    [
        ("StructuredClassifier", "inference", "x", "unknown inference 'x'"),
        ("StructuredClassifier", "n_features_in_", 7, "other features"),
        ("Classes", "names", {"tuple": ["a", 1]}, "names of a Classes is wrong"),
        ("LogisticRegression", "coef_", {"float": "inf"}, "coef_ of a LogisticRegression is wrong"),
        ("LogisticRegression", "C", -1, "'C' parameter"),
        ("FittedConditionals", "width", 10**9, "other columns"),
        ("Learner", "constant", 5, "neither 0 nor 1"),
        ("MonteCarlo", "n_samples", 10**9, "n_samples is above"),
        ("Classes", "flat", True, "not one column"),
    ],
)
def test_parts_agree_with_each_other(
    kind: str, attribute: str, value: Any, words: str, place: str
) -> None:
    def change(header: dict[str, Any]) -> None:
        state_of(header, kind)[attribute] = value

    content = stored(LogisticRegression(), place, inference=MonteCarlo(9))
    assert words in refused(content, change, place)


def test_a_value_of_a_label_is_short(place: str) -> None:
    def change(header: dict[str, Any]) -> None:
        long = {"texts": [[2], ["a" * 5000, "b" * 5000]]}
        state_of(header, "Classes")["values"] = {"tuple": [long, long]}

    assert "too long" in refused(stored(LogisticRegression(), place), change, place)


def test_the_votes_of_members_are_divided_by_their_number(place: str) -> None:
    def change(header: dict[str, Any]) -> None:
        state_of(header, "BaggingClassifier")["n_estimators"] = 4000

    content = stored(BaggingClassifier(n_estimators=2), place)
    assert "the members are miscounted" in refused(content, change, place)


def test_a_search_without_a_limit_has_few_labels() -> None:
    names = tuple(f"y{k}" for k in range(30))
    learners = tuple(Learner(None, 0, None, ()) for _ in names)
    structure = Structure("independent", names, tuple(range(30)), ((),) * 30)
    model = StructuredClassifier(inference=BestFirst(max_nodes=None)).fit(X, Y[:, :2])
    model._fitted = FittedConditionals(structure, learners, 6)
    model._labels = Classes(names, (np.array([0, 1]),) * 30)
    model.label_names_, model.features_ = names, dict.fromkeys(names, np.arange(6))
    with pytest.raises(UsageError, match="would not end"):
        Writer().node(model)


def test_a_file_uses_no_more_processors_than_there_are_and_prints_nothing(place: str) -> None:
    content = stored(KNeighborsClassifier(3), place)

    def change(header: dict[str, Any]) -> None:
        state_of(header, "KNeighborsClassifier")["n_jobs"] = 4000

    Path(place).write_bytes(rewritten(content, change))
    assert load(place).estimators_[0].n_jobs < 4000


def test_what_a_file_would_not_give_back_is_not_written() -> None:
    learner = LogisticRegression().fit(X, Y[:, 0])
    learner.coef_[0, 0] = np.nan
    with pytest.raises(UsageError, match="coef_ of a LogisticRegression is wrong"):
        Writer().node(learner)
    learner.coef_[0, 0], learner.own_ = 1.0, 3
    with pytest.raises(UsageError, match="the attribute 'own_' is unknown"):
        Writer().node(learner)
    with pytest.raises(UsageError, match="keys of a dict"):
        Writer().node({0.5: 1})


def test_fields_of_types_that_only_a_checker_imports_hold_none() -> None:
    with pytest.raises(DamagedError, match="a Selection has no field 'odd'"):
        check_fields(Selection, {"odd": 1})
