"""Model files: what comes back is what was stored, and everything else is refused."""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import pickle
import random
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import skops.io
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import (
    LogisticRegression,
    LogisticRegressionCV,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.multioutput import ClassifierChain
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Binarizer, RobustScaler, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import mlfs
from mlfs import FeatureSelector
from mlfs.data import from_arrays
from mlfs.errors import DataError, MissingExtra, UsageError
from mlfs.models import (
    LDF,
    Lift,
    StructuredClassifier,
    Switching,
    TunedLogistic,
    available,
    load,
    make,
    save,
)
from mlfs.models.model_files import OWN_MEMBER, TRUSTED, check_storable, load_stored
from mlfs.models.training_table import TrainingTable

ASKED = ("predict", "predict_proba", "decision_function")
SLOW_TO_FIT = {
    "mc": {"max_trees": 2}, "mc-ldf": {"max_trees": 2},
    "br-forest": {"n_estimators": 5}, "br-forest-ldf": {"n_estimators": 5},
}  # fmt: skip


def problem(n: int = 60, d: int = 6, q: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    X = draw.random((n, d))
    Y = (X[:, :q] + 0.4 * X[:, 1 : q + 1] + 0.1 * draw.random((n, q)) > 0.75).astype(np.int8)
    return X, Y


X, Y = problem()
ROWS = problem(seed=1)[0]


def quietly_fitted(model: Any, *given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*given)


def assert_same_answers(one: Any, other: Any, rows: Any) -> None:
    for name in ASKED:
        assert hasattr(one, name) == hasattr(other, name)
        if hasattr(one, name):
            mine, theirs = getattr(one, name)(rows), getattr(other, name)(rows)
            assert mine.dtype == theirs.dtype
            assert mine.tobytes() == theirs.tobytes(), name


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "model.mlfs")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("small") / "small.mlfs"
    model = StructuredClassifier({1: [0]}, base_estimator=LinearSVC()).fit(X[:, :2], Y[:, :2])
    save(model, str(path))
    return path.read_bytes()


def rewritten(content: bytes, member: str, change: Any) -> bytes:
    """The archive with one member changed: its JSON, or the bytes that `change` gives."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == member:
                document = json.loads(data)
                changed = change(document)
                data = changed if isinstance(changed, bytes) else json.dumps(document).encode()
            new.writestr(name, data)
    return out.getvalue()


# ---- what comes back ---------------------------------------------------------------------------


ELSEWHERE = """
import hashlib, json, sys
import numpy as np
from mlfs.models import load
rows, answers = np.load(sys.argv[1]), {}
for path in sys.argv[2:]:
    model = load(path)
    answers[path] = {
        name: hashlib.sha256(getattr(model, name)(rows).tobytes()).hexdigest()
        for name in ("predict", "predict_proba", "decision_function")
        if hasattr(model, name)
    }
print(json.dumps(answers))
"""


def test_every_model_answers_alike_in_another_process(tmp_path: Path) -> None:
    wanted = {}
    for name in available():
        model = quietly_fitted(make(name, **SLOW_TO_FIT.get(name, {})), X, Y)
        place = str(tmp_path / f"{name}.mlfs")
        save(model, place)
        wanted[place] = {
            asked: hashlib.sha256(getattr(model, asked)(ROWS).tobytes()).hexdigest()
            for asked in ASKED
            if hasattr(model, asked)
        }
        found = load(place)
        assert_same_answers(model, found, ROWS)
        if hasattr(model, "joint_log_proba"):
            mine, theirs = (one.joint_log_proba(ROWS, Y) for one in (model, found))
            assert mine.tobytes() == theirs.tobytes()
        if hasattr(model, "structure_"):
            assert model.structure_ == found.structure_
    assert len(wanted) >= 29
    np.save(tmp_path / "rows.npy", ROWS)
    seen = subprocess.run(
        [sys.executable, "-c", ELSEWHERE, str(tmp_path / "rows.npy"), *wanted],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(seen.stdout) == wanted


LEARNERS = [
    *(Switching(), TunedLogistic(), Lift(), LogisticRegressionCV(Cs=2, cv=2), SVC(), BernoulliNB()),
    *(RandomForestClassifier(3, random_state=0), DecisionTreeClassifier(random_state=0)),
    *(RidgeClassifier(), SGDClassifier(random_state=0), GaussianNB(), LinearSVC(), CategoricalNB()),
    GradientBoostingClassifier(n_estimators=3, random_state=0),
    *(KNeighborsClassifier(algorithm=name) for name in ("kd_tree", "ball_tree", "brute")),
    *(KNeighborsClassifier(p=p) for p in (1, 3)),
    make_pipeline(SimpleImputer(), StandardScaler(with_mean=False), LogisticRegression()),
    make_pipeline(Binarizer(threshold=0.5), RobustScaler(with_centering=False), LinearSVC()),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda one: str(one)[:40])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_every_learner_comes_back_bit_for_bit(learner: Any, sparse: bool, place: str) -> None:
    rows = sp.csr_array(np.where(X > 0.5, X, 0.0)) if sparse else X
    model = StructuredClassifier({1: [0], 2: [0, 1]}, base_estimator=learner)
    check_storable(model)
    try:
        quietly_fitted(model, rows, Y)
    except (TypeError, ValueError):
        pytest.skip("it takes no sparse rows")
    save(model, place)
    assert_same_answers(model, load(place), rows)


def test_odd_labels_come_back(place: str) -> None:
    constant = StructuredClassifier().fit(X, np.column_stack([Y[:, 0], np.ones(len(X), int)]))
    target = StructuredClassifier().fit(X, np.array(["no", "yes"])[Y[:, 0]])
    for model in (constant, target):
        save(model, place)
        found = load(place)
        assert found.predict(ROWS).tolist() == model.predict(ROWS).tolist()
        np.testing.assert_array_equal(found.classes_, model.classes_)
        Path(place).unlink()
    assert constant.estimators_[1] is None


@pytest.mark.parametrize(
    "features",
    [
        "scls", LDF(r=0.3), FeatureSelector("jmi", 2), {"y0": ["x1", 2]},
        mlfs.select((X, Y), n=2), mlfs.select((X, Y), n=2, per_label=True),
        mlfs.certainty(mlfs.select((X, Y), n="auto"), (X, Y), resamples=20),
        mlfs.select((X, Y), n=2, panel=mlfs.Panel(at_most=1, groups={"a": ["x0", "x1"]})),
    ],
    ids=lambda one: type(one).__name__,
)  # fmt: skip
def test_features_come_back(features: Any, place: str) -> None:
    model = make("cc", features=features).fit(X, Y)
    save(model, place)
    found = load(place)
    assert_same_answers(model, found, ROWS)
    assert repr(found.features) == repr(model.features)


def test_a_file_knows_its_columns_settings_and_versions(place: str) -> None:
    data = from_arrays(X, Y, feature_names=list("abcdef"))
    model = make("br").fit(X, Y)
    table = TrainingTable.learn(data)
    save(model, place, table=table, settings={"model": "br", "seed": 0})
    stored = load_stored(place)
    assert stored.table == table
    assert stored.settings == {"model": "br", "seed": 0}
    assert set(stored.versions) == {"mlfs", "scikit-learn", "numpy", "python"}


def test_a_frame_gives_its_names(place: str) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    model = make("br").fit(frame, pandas.DataFrame(Y, columns=["u", "v", "w"]))
    save(model, place)
    stored = load_stored(place)
    assert stored.table.feature_names == list("abcdef")
    assert stored.table.labels == ("u", "v", "w")
    assert_same_answers(model, stored.model, frame)


def older(document: dict[str, Any]) -> None:
    document["versions"]["scikit-learn"] = "0.1.2"


def test_another_version_is_reported(small: bytes, place: str) -> None:
    Path(place).write_bytes(rewritten(small, OWN_MEMBER, older))
    with pytest.warns(UserWarning, match=r"stored with scikit-learn 0.1.2 \(this is .*may differ"):
        load(place)


def test_what_another_version_left_is_reported(small: bytes, place: str) -> None:
    content = rewritten(small, OWN_MEMBER, older)
    words = refused(renamed(content, "StructuredClassifier", "Hasty"), place)
    assert "Hasty" in words
    words = refused(rewritten(content, "schema.json", lambda schema: b"{}"), place)
    assert "was stored with scikit-learn 0.1.2 (this is" in words


# ---- what cannot be stored ---------------------------------------------------------------------


class Own(LogisticRegression):
    """A learner that no file can name."""


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (make("br", base_estimator=Own()), r"the type .*test_store.Own, which neither"),
        (make("ecc", base_estimator=Own()), "Own"),
        (make("br", base_estimator=HistGradientBoostingClassifier()), "TreePredictor"),
        (make("cc", threshold="scut", base_estimator=MLPClassifier(max_iter=2)), "AdamOptimizer"),
        (ClassifierChain(LogisticRegression()), "a model of mlfs.models, not sklearn"),
        (make("br", base_estimator=KNeighborsClassifier(metric=max)), "builtins.max"),
        (make("br", base_estimator=LogisticRegression(C=(x for x in ()))), "cannot store"),
    ],
    ids=["own", "in an ensemble", "boosting", "network", "not ours", "a function", "a generator"],
)
def test_what_cannot_be_stored_is_reported_before_it_is_fitted(model: Any, words: str) -> None:
    with pytest.raises((DataError, UsageError), match=words) as error:
        check_storable(model)
    assert "\n" not in str(error.value)


def test_what_cannot_be_stored_is_not_written(place: str) -> None:
    with pytest.raises(UsageError, match="Own"):
        save(make("br", base_estimator=Own()).fit(X, Y), place)
    assert not Path(place).exists()


def test_without_skops_its_extra_is_named(small: bytes, place: str, monkeypatch: Any) -> None:
    Path(place).write_bytes(small)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    for call in (lambda: load(place), lambda: save(make("br").fit(X, Y), place, force=True)):
        with pytest.raises(MissingExtra, match=r"pip install 'mlfs-toolkit\[models\]'"):
            call()


def test_skops_is_imported_only_where_it_is_used() -> None:
    code = "import sys, mlfs.models as m; m.make('br'); m.load; print('skops' in sys.modules)"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "False"


def test_a_model_is_fitted_and_not_compressed(place: str) -> None:
    with pytest.raises(UsageError, match="not fitted yet"):
        save(make("br"), place)
    with pytest.raises(UsageError, match="not compressed"):
        save(make("br").fit(X, Y), place + ".gz")
    assert not Path(place).exists()


def test_a_file_appears_whole_or_not_at_all(place: str, monkeypatch: Any) -> None:
    model = make("br").fit(X, Y)
    save(model, place)
    before = Path(place).read_bytes()
    with pytest.raises(UsageError, match="force=True"):
        save(model, place)

    def broken(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", broken)
    with pytest.raises(OSError, match="No space"):
        save(model, place, force=True)
    assert Path(place).read_bytes() == before
    assert [one.name for one in Path(place).parent.iterdir()] == ["model.mlfs"]


# ---- what is refused ---------------------------------------------------------------------------


def refused(content: bytes, place: str) -> str:
    Path(place).write_bytes(content)
    with pytest.raises((DataError, UsageError)) as error:
        load(place)
    message = str(error.value)
    assert "\n" not in message
    return message


def renamed(content: bytes, old: str, new: str, module: str | None = None) -> bytes:
    """The file with another name in the place of that of a class."""

    def walk(node: Any) -> None:
        if isinstance(node, dict) and node.get("__class__") == old:
            node["__class__"] = new
            node["__module__"] = node["__module__"] if module is None else module
        for part in node.values() if isinstance(node, dict) else node:
            if isinstance(part, (dict, list)):
                walk(part)

    return rewritten(content, "schema.json", walk)


def test_a_flipped_byte_is_refused_or_changes_nothing(small: bytes, place: str) -> None:
    Path(place).write_bytes(small)
    wanted = load(place).predict(X[:, :2])
    draw = random.Random(0)
    messages: list[str] = []
    for at in [*range(0, len(small), 397), *range(len(small) - 60, len(small))]:
        flipped = bytearray(small)
        flipped[at] ^= 1 << draw.randrange(8)
        Path(place).write_bytes(bytes(flipped))
        try:
            found = load(place)
        except (DataError, UsageError) as error:
            messages.append(str(error))
        else:  # a byte that says when a member was written
            assert found.predict(X[:, :2]).tolist() == wanted.tolist()
    assert len(messages) > 60
    assert not any("\n" in message for message in messages)


def test_a_part_of_a_file_is_refused(small: bytes, place: str) -> None:
    for size in [*range(40), *range(40, len(small), 997), len(small) - 1]:
        refused(small[:size], place)


class Bomb:
    def __reduce__(self) -> Any:
        return (Path("exploded").touch, ())


def test_other_files_are_refused_unopened(place: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert "does not start" in refused(pickle.dumps(Bomb()), place)
    assert "not written by mlfs" in refused(skops.io.dumps(LogisticRegression()), place)
    assert "does not start" in refused(b"\x1f\x8b\x08" + bytes(60), place)
    assert "empty" in refused(b"", place)
    assert "does not start" in refused(b"@relation x\n" * 9, place)
    assert "mlfs 0.2 or earlier" in refused(b"\x93MLFS\r\n\x1a" + bytes(90), place)
    assert not Path("exploded").exists()


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path / "nowhere", "no file"),
        (tmp_path, "folder"),
        (Path("/dev/null"), "ordinary file"),
    ):
        with pytest.raises(UsageError, match=words):
            load(str(path))
    with pytest.raises(UsageError, match="a model is loaded from a path, not from 3"):
        load(3)
    with pytest.raises(UsageError, match="name of a file"):
        load("a\0b")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("posix", "system"), ("builtins", "eval"), ("mlfs.models.model_files", "save"),
        ("mlfs.models.model_files", "importlib"), ("mlfs.data.files", "InputFile"),
        ("mlfs.models.no_such", "Thing"), ("mlfs.models", "Own"), ("subprocess", "Popen"),
    ],
)  # fmt: skip
def test_other_types_are_refused_by_name(module: str, name: str, small: bytes, place: str) -> None:
    assert f"{module}.{name}" in refused(renamed(small, "LinearSVC", name, module), place)


def test_every_trusted_type_is_there() -> None:
    for name in TRUSTED:
        module, _, class_name = name.rpartition(".")
        assert isinstance(getattr(importlib.import_module(module), class_name), type), name


def test_other_objects_than_models_are_refused(small: bytes, place: str) -> None:
    with zipfile.ZipFile(io.BytesIO(small)) as archive:
        own = archive.read(OWN_MEMBER)
    for thing in (3, {"model": 3, "table": 4, "settings": {}}, [LogisticRegression()]):
        out = io.BytesIO(skops.io.dumps(thing))
        with zipfile.ZipFile(out, "a") as archive:
            archive.writestr(OWN_MEMBER, own)
        assert "damaged" in refused(out.getvalue(), place)


def test_what_would_unpack_to_more_is_refused(small: bytes, place: str) -> None:
    out = io.BytesIO(small)
    with zipfile.ZipFile(out, "a", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("more", bytes(1 << 22))
    assert "compressed" in refused(out.getvalue(), place)


def test_deep_nesting_is_refused(small: bytes, place: str) -> None:
    for text in (b"[" * 100_000, b'{"a":' * 100_000, b"[" * 99_999 + b"]" * 99_999, b"{}", b"NaN"):
        assert "damaged" in refused(rewritten(small, "schema.json", lambda _, t=text: t), place)


def mutated(content: bytes, draw: random.Random) -> bytes:
    """A sound archive with wrong contents."""

    def change(schema: Any) -> None:
        places: list[tuple[Any, Any]] = []

        def walk(node: Any) -> None:
            for key in node if isinstance(node, dict) else range(len(node)):
                places.append((node, key))
                if isinstance(node[key], (dict, list)):
                    walk(node[key])

        walk(schema)
        for _ in range(draw.choice([1, 1, 3])):
            node, key = draw.choice(places)
            if draw.random() < 0.5:
                other, name = draw.choice(places)
                node[key] = json.loads(json.dumps(other[name]))
            else:
                node[key] = draw.choice([None, -1, 2**63, "x", [], {}, "1", "[]"])

    return rewritten(content, "schema.json", change)


def test_a_forged_file_is_refused_or_loaded(small: bytes, place: str) -> None:
    draw = random.Random(0)
    messages: list[str] = []
    for _ in range(100):
        Path(place).write_bytes(mutated(small, draw))
        try:
            load(place)
        except (DataError, UsageError) as error:
            messages.append(str(error))
    assert len(messages) > 20
    assert not any("\n" in message for message in messages)
