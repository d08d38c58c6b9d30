"""Model files: what comes back is what was stored, and everything else is refused."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import random
import struct
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from mlfs.data import from_arrays
from mlfs.errors import DataError, UsageError
from mlfs.models import (
    Lift,
    StructuredClassifier,
    Switching,
    TunedLogistic,
    available,
    load,
    make,
    save,
)
from mlfs.models.model_files import Writer, check_storable, load_stored
from mlfs.models.storage.archive import START, VERSION, read_archive, write_archive
from mlfs.models.storage.reader import Reader
from mlfs.models.storage.storable import LEARNERS, class_named
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


# ---- what comes back ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", available())
def test_every_model_comes_back_bit_for_bit(name: str, place: str) -> None:
    model = quietly_fitted(make(name, **SLOW_TO_FIT.get(name, {})), X, Y)
    save(model, place)
    found = load(place)
    assert_same_answers(model, found, ROWS)
    if hasattr(model, "joint_log_proba"):
        mine, theirs = (one.joint_log_proba(ROWS, Y) for one in (model, found))
        assert mine.tobytes() == theirs.tobytes()
    if hasattr(model, "structure_"):
        assert model.structure_ == found.structure_
    again = place + "2"
    save(found, again)
    assert Path(place).read_bytes() == Path(again).read_bytes()


def learners() -> list[Any]:
    made: list[Any] = [Switching(), TunedLogistic(), Lift()]
    for path in LEARNERS:
        cls = class_named(path)
        assert cls is not None
        if cls.__name__ == "Pipeline":
            steps = (Binarizer(threshold=0.5), MaxAbsScaler(), MinMaxScaler(), Normalizer())
            steps += (RobustScaler(with_centering=False), StandardScaler(with_mean=False))
            made += [make_pipeline(step, LogisticRegression()) for step in steps]
        elif cls.__name__ == "LogisticRegressionCV":
            made.append(cls(Cs=2, cv=2))
        elif "n_estimators" in cls().get_params():
            made.append(cls(n_estimators=3, random_state=0))
        else:
            made.append(cls())
    made += [KNeighborsClassifier(algorithm=name) for name in ("kd_tree", "ball_tree", "brute")]
    return [*made, LogisticRegression(C=0.1)]


@pytest.mark.parametrize("learner", learners(), ids=lambda one: str(one)[:40])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_every_learner_comes_back_bit_for_bit(learner: Any, sparse: bool, place: str) -> None:
    rows = sp.csr_array(np.where(X > 0.5, X, 0.0)) if sparse else X
    try:
        learner = quietly_fitted(learner, rows, Y[:, 0].astype(np.intp))
    except (TypeError, ValueError):
        pytest.skip("it takes no sparse rows")
    writer = Writer()
    root = writer.node(learner)
    with Path(place).open("wb") as stream:
        write_archive(stream, {"root": root, "objects": writer.objects}, writer.arrays)
    header, arrays = read_archive(place)
    found = Reader(header["objects"], arrays).value(header["root"])
    assert_same_answers(learner, found, rows)
    assert str(found) == str(learner)


@pytest.mark.parametrize("name", ["tree", "forest", "neighbors"])
def test_models_on_learners_of_compiled_code_come_back(name: str, place: str) -> None:
    from sklearn.ensemble import RandomForestClassifier

    learner = {
        "tree": DecisionTreeClassifier(random_state=0),
        "forest": RandomForestClassifier(3, random_state=0),
        "neighbors": KNeighborsClassifier(3),
    }[name]
    model = StructuredClassifier({1: [0], 2: [0, 1]}, base_estimator=learner).fit(X, Y)
    save(model, place)
    assert_same_answers(model, load(place), ROWS)


def test_odd_labels_come_back(place: str) -> None:
    words = np.array([["no", "yes"][y] for y in Y[:, 0]])
    odd = np.column_stack([words, np.full(len(X), "always"), np.where(Y[:, 1] == 1, "b", "a")])
    model = StructuredClassifier().fit(X, odd)
    save(model, place)
    found = load(place)
    assert found.predict(ROWS).tolist() == model.predict(ROWS).tolist()
    assert [one.tolist() for one in found.classes_] == [one.tolist() for one in model.classes_]
    assert found.estimators_[1] is None


def test_what_is_shared_stays_shared() -> None:
    array = np.arange(3.0)
    learner = LogisticRegression()
    writer = Writer()
    node = writer.node([array, array, learner, learner])
    assert len(writer.arrays) == len(writer.objects) == 1
    found = Reader(writer.objects, writer.arrays).value(node)
    assert found[0] is found[1]
    assert found[2] is found[3]


@pytest.mark.parametrize(
    "value",
    [
        None, True, 7, -0.0, float("inf"), "a\ud800\0b", (1, (2, [3])), {(1, 2): 3, "a": None},
        np.float32(0.1), np.int8(3), np.bool_(True), np.dtype("f4"), np.arange(6).reshape(2, 3).T,
        np.array(["a", "bcd"]), np.array([None, "a", 1], dtype=object), np.zeros((0, 4)),
        np.arange(4, dtype=">i4")[::2],
    ],
    ids=repr,
)  # fmt: skip
def test_values_come_back(value: Any, place: str) -> None:
    writer = Writer()
    node = writer.node(value)
    with Path(place).open("wb") as stream:
        write_archive(stream, {"value": node}, writer.arrays)
    header, arrays = read_archive(place)
    found = Reader([], arrays).value(header["value"])
    if isinstance(value, np.ndarray):
        assert found.shape == value.shape
        assert found.tolist() == value.tolist()
        assert found.flags.f_contiguous == value.flags.f_contiguous or value.ndim < 2
    else:
        assert type(found) is type(value)
        assert repr(found) == repr(value)


def test_a_file_knows_its_columns_settings_and_versions(place: str) -> None:
    data = from_arrays(X, Y, feature_names=list("abcdef"))
    model = make("br").fit(X, Y)
    save(model, place, table=TrainingTable.learn(data), settings={"model": "br", "seed": 0})
    stored = load_stored(place)
    assert stored.table.feature_names == list("abcdef")
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


def test_another_version_is_reported(small: bytes, place: str) -> None:
    def older(header: dict[str, Any]) -> None:
        header["versions"]["scikit-learn"] = "0.1.2"

    Path(place).write_bytes(rewritten(small, older))
    with pytest.warns(UserWarning, match=r"stored with scikit-learn 0.1.2 \(this is .*may differ"):
        load(place)


def test_a_parameter_that_another_version_did_not_have_gets_its_default(
    small: bytes, place: str
) -> None:
    def lacking(header: dict[str, Any], version: str | None = None) -> None:
        header["versions"]["scikit-learn"] = version or header["versions"]["scikit-learn"]
        for kind, state in header["objects"]:
            if kind.endswith("LinearSVC"):
                del state["intercept_scaling"]

    assert "a LinearSVC lacks intercept_scaling" in refused(rewritten(small, lacking), place)
    Path(place).write_bytes(rewritten(small, lambda header: lacking(header, "0.1.2")))
    with pytest.warns(UserWarning, match="stored with scikit-learn"):
        found = load(place)
    assert found.estimators_[0].intercept_scaling == LinearSVC().intercept_scaling
    Path(place).write_bytes(small)
    assert_same_answers(found, load(place), X[:, :2])


def test_what_another_version_left_is_reported(small: bytes, place: str) -> None:
    def odd(header: dict[str, Any]) -> None:
        header["versions"]["scikit-learn"] = "0.1.2"
        header["objects"][0][1]["predict"] = 3

    assert "was stored with scikit-learn 0.1.2 (this is" in refused(rewritten(small, odd), place)


# ---- what cannot be stored ---------------------------------------------------------------------


class Own(LogisticRegression):
    """A learner that no file can name."""


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (make("br", base_estimator=Own()), r"test_store.Own .*LinearSVC.*skops or joblib"),
        (make("br", base_estimator=GradientBoostingClassifier()), "GradientBoostingClassifier"),
        (make("ecc", base_estimator=Own()), "Own"),
        (make("br", base_estimator=SVC()), r"sklearn.svm._classes.SVC .*skops or joblib"),
        (make("br", random_state=np.random.RandomState(0)), "random_state as a whole number"),
        (ClassifierChain(LogisticRegression()), "a model of mlfs.models, not sklearn"),
        (make("br", base_estimator=KNeighborsClassifier(metric=max)), "cannot hold builtins"),
    ],
    ids=[
        "own class",
        "boosting",
        "in an ensemble",
        "kernels",
        "random state",
        "not ours",
        "a function",
    ],
)
def test_what_cannot_be_stored_is_reported_before_it_is_fitted(model: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        check_storable(model)


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

    monkeypatch.setattr("mlfs.models.model_files.write_archive", broken)
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


def rewritten(content: bytes, change: Any, version: int = VERSION) -> bytes:
    """The file with another header and a digest that agrees with it."""
    _, size, _ = struct.unpack("<QQQ", content[8:START])
    header = json.loads(content[START : START + size])
    header = change(header) or header
    return sealed(json.dumps(header).encode(), content[START + size : -32], version)


def read_versions(content: bytes) -> Any:
    _, size, _ = struct.unpack("<QQQ", content[8:START])
    return json.loads(content[START : START + size])["versions"]


def sealed(header: bytes, body: bytes, version: int = VERSION) -> bytes:
    whole = b"\x93MLFS\r\n\x1a" + struct.pack("<QQQ", version, len(header), len(body))
    whole += header + body
    return whole + hashlib.sha256(whole).digest()


def test_any_flipped_byte_is_refused(small: bytes, place: str) -> None:
    draw = random.Random(0)
    for at in [*range(64), *range(64, len(small), 7), *range(len(small) - 40, len(small))]:
        flipped = bytearray(small)
        flipped[at] ^= 1 << draw.randrange(8)
        refused(bytes(flipped), place)


def test_a_part_of_a_file_is_refused(small: bytes, place: str) -> None:
    for size in [*range(40), *range(40, len(small), 97), len(small) - 1]:
        refused(small[:size], place)


def test_more_than_a_file_is_refused(small: bytes, place: str) -> None:
    assert "longer" in refused(small + b"\0", place)
    assert "longer" in refused(small + small, place)


def test_a_newer_version_is_reported(small: bytes, place: str) -> None:
    newer = rewritten(small, lambda header: None, version=3)
    assert "version 3, and this mlfs reads version 2: upgrade" in refused(newer, place)


class Bomb:
    def __reduce__(self) -> Any:
        return (Path("exploded").touch, ())


def test_other_files_are_refused_unopened(place: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("schema.json", "{}")
    assert "pickle" in refused(pickle.dumps(Bomb()), place)
    assert "zip" in refused(archive.getvalue(), place)
    assert "gzip" in refused(b"\x1f\x8b\x08" + bytes(60), place)
    assert "empty" in refused(b"", place)
    assert "does not start" in refused(b"@relation x\n" * 9, place)
    assert "transfer as text" in refused(b"\x93MLFS\n\x1a" + bytes(90), place)
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


def test_sizes_are_checked_before_anything_is_made(place: str) -> None:
    start = b"\x93MLFS\r\n\x1a"
    for header, body in ((1 << 60, 8), (8, 1 << 60), (1 << 63, 1 << 63)):
        content = start + struct.pack("<QQQ", 1, header, body) + bytes(100)
        assert "shorter" in refused(content, place)
    for shape in ([1 << 40], [1 << 20, 1 << 20], [1 << 47] * 8, [-1], [0.5], [True], "3", [1] * 9):
        header = json.dumps({"arrays": [["<f8", "C", shape]]}).encode()
        assert "damaged" in refused(sealed(header, bytes(8)), place)
    for dtype in ("|O", "O", "<U4", "V8", "<c16", ">f8", "<M8[s]", 3, None):
        header = json.dumps({"arrays": [[dtype, "C", [1]]]}).encode()
        assert "describes no array" in refused(sealed(header, bytes(8)), place)


def test_deep_nesting_is_refused(small: bytes, place: str) -> None:
    for text in (b"[" * 100_000, b'{"a":' * 100_000, b"[" * 99_999 + b"]" * 99_999):
        assert "not the JSON" in refused(sealed(text, b""), place)
    versions = json.dumps(read_versions(small))
    for depth in (200, 900):
        node = "[" * depth + "]" * depth
        head = f'{{"arrays":[],"objects":[],"model":{node},"versions":{versions}}}'
        assert "nested too deeply" in refused(sealed(head.encode(), b""), place)
    for text in (b"NaN", b'{"arrays":NaN}', b"\xff", b"[]", b"3", b"{}", b"1" * 5000):
        refused(sealed(text, b""), place)


@pytest.mark.parametrize(
    "name",
    ["os.system", "builtins.eval", "mlfs.models.store.save", "sklearn.svm.SVR", "", "x"],
)
def test_other_classes_are_never_imported(name: str, small: bytes, place: str) -> None:
    def change(header: dict[str, Any]) -> None:
        header["objects"][0][0] = name

    assert "no model file may hold" in refused(rewritten(small, change), place)


@pytest.mark.parametrize(
    "name", ["predict", "fit", "__class__", "__dict__", "get_params", "structure_", "a b", ""]
)
def test_nothing_of_a_class_is_replaced(name: str, small: bytes, place: str) -> None:
    def change(header: dict[str, Any]) -> None:
        for kind, state in header["objects"]:
            if kind.endswith("StructuredClassifier"):
                state[name] = 3

    assert "is no attribute" in refused(rewritten(small, change), place)


@pytest.mark.parametrize("part", ["model", "table", "settings", "objects", "versions"])
@pytest.mark.parametrize("value", [None, 3, "x", [], {}, {"object": 0}, {"object": 99}])
def test_parts_of_a_file_are_what_they_should_be(
    part: str, value: Any, small: bytes, place: str
) -> None:
    def change(header: dict[str, Any]) -> None:
        header[part] = value

    refused(rewritten(small, change), place)


def tree_file(place: str) -> bytes:
    learner = DecisionTreeClassifier(max_depth=3, random_state=0)
    save(StructuredClassifier(base_estimator=learner).fit(X, Y), place)
    return Path(place).read_bytes()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("left_child", 0), ("left_child", 10**6), ("left_child", -5), ("right_child", -1),
        ("feature", -2), ("feature", 6), ("feature", 10**9), ("left_child", 2),
    ],
)  # fmt: skip
def test_a_tree_that_would_be_read_beyond_its_end_is_refused(
    field: str, value: int, place: str
) -> None:
    content = tree_file(place)
    _, size, _ = struct.unpack("<QQQ", content[8:START])
    header = json.loads(content[START : START + size])
    state = next(state for name, state in header["objects"] if name.endswith("Tree"))
    number = dict(state["fields"]["dict"])[field]["array"]
    at = START + size
    for dtype, _, shape in header["arrays"][:number]:
        length = np.dtype(dtype).itemsize * int(np.prod(shape))
        at += -(-length // 8) * 8
    changed = bytearray(content)
    changed[at : at + 8] = struct.pack("<q", value)
    whole = bytes(changed[:-32])
    message = refused(whole + hashlib.sha256(whole).digest(), place)
    assert "damaged" in message


def mutated(content: bytes, draw: random.Random) -> bytes:
    """A file with a sound digest and some wrong contents."""
    _, size, _ = struct.unpack("<QQQ", content[8:START])
    header = json.loads(content[START : START + size])
    body = bytearray(content[START + size : -32])
    places: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key in node if isinstance(node, dict) else range(len(node)):
            places.append((node, key))
            if isinstance(node[key], (dict, list)):
                walk(node[key])

    walk(header)
    for _ in range(draw.choice([1, 1, 3])):
        node, key = draw.choice(places)
        choice = draw.random()
        if choice < 0.3 and body:
            at = draw.randrange(len(body) // 8) * 8
            body[at : at + 8] = struct.pack("<q", draw.choice([0, 1, -1, 2**31, 2**62, -(2**63)]))
        elif choice < 0.6:
            other, name = draw.choice(places)
            node[key] = json.loads(json.dumps(other[name]))
        else:
            node[key] = draw.choice([None, -1, 2**63, "x", [], {}, {"array": 0}, {"object": 0}])
    return sealed(json.dumps(header).encode(), bytes(body))


@pytest.mark.parametrize("learner", ["linear", "tree", "neighbors"])
def test_a_forged_file_is_refused_or_answers(learner: str, place: str) -> None:
    made = {
        "linear": LogisticRegression(),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
        "neighbors": KNeighborsClassifier(3),
    }[learner]
    save(StructuredClassifier({1: [0]}, base_estimator=made).fit(X, Y), place)
    content = Path(place).read_bytes()
    draw = random.Random(learner)
    loaded = 0
    for _ in range(150):
        Path(place).write_bytes(mutated(content, draw))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = load(place)
            except (DataError, UsageError):
                continue
            loaded += 1
            try:
                model.predict(ROWS)
            except (ValueError, TypeError, LookupError, AttributeError):
                continue
    assert loaded < 150


def test_classes_that_have_moved_are_found_by_their_names_in_0_2_0() -> None:
    from mlfs.models.storage.storable import MOVED, class_named

    names = {
        "baselines.appended": "IBLR",
        "baselines.calibrated_ranking": "CalibratedLabelRanking",
        "baselines.lift": "Lift",
        "em": "Mixture",
        "inference.along_order": "Beam",
        "inference.annealing": "Annealing",
        "inference.exhaustive": "Exhaustive",
        "monte_carlo_chain": "SwappedOrder",
        "structures.spanning": "OneParent",
    }
    assert names.keys() == MOVED.keys()
    for module, name in names.items():
        found = class_named(f"mlfs.models.{module}.{name}")
        assert found is not None, "add where it is now"
        assert found.__name__ == name
