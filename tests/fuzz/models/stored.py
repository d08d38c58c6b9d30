"""Model files: sound ones of every learner with something wrong in them, under a right digest."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import struct
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.cli.console import Console
from mlfs.cli.predict_command import answer
from mlfs.errors import MlfsError
from mlfs.models import StructuredClassifier, ThresholdedClassifier, available, make
from mlfs.models.model_files import load_stored, save
from mlfs.models.storage.archive import VERSION
from mlfs.models.storage.storable import BELOW, HELPERS, LEARNERS, class_named
from tests.fuzz.cases import Case, Finding, Target
from tests.fuzz.mutation import mutate
from tests.fuzz.readers.reader import check_sentence

MAGIC = b"\x93MLFS\r\n\x1a"
START = 32
ROWS, WIDTH = 40, 5
NAMES = [*LEARNERS, *HELPERS, *BELOW]
WHOLE = [0, 1, -1, 2, 3, 5, 7, 1 << 15, (1 << 31) - 1, 1 << 31, 1 << 40, (1 << 62) + 1, -(1 << 63)]
REAL = [0.0, -0.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), float("-inf"), 0.5, -1.0]
ODD: list[Any] = [
    None, True, False, "", "x", "rbf", "precomputed", "predict", "fit", "a" * 5000, [], {}, [[]],
    {"tuple": []}, {"dict": []}, {"dict": [["a", 1]]}, {"float": "nan"}, {"float": "inf"},
    {"texts": [[2], ["a", "b"]]}, {"texts": [[0], []]}, {"objects": [[1], [None]]},
    {"dtype": "<f8"}, {"array": 0}, {"array": 1}, {"scalar": 0}, {"object": 0},
    {"object": 1}, {"object": 10**9}, {"sparse": ["csr_array", [1, 1 << 47], []]},
    {"dict": [[{"object": 0}, 1]]}, {"dict": [[{"tuple": [0, 1]}, 1]]}, {"eval": "1"}, 1e300, 0.5,
    1 << 70, *WHOLE,
]  # fmt: skip


def _data(sparse: bool) -> tuple[Any, np.ndarray]:
    draw = np.random.default_rng(3)
    X = draw.random((ROWS, WIDTH))
    Y = (X[:, :2] + 0.3 * draw.random((ROWS, 2)) > 0.65).astype(np.int8)
    return (sp.csr_array(np.where(X > 0.4, X, 0.0)) if sparse else X), Y


def _learners() -> list[Any]:
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import (
        Binarizer,
        MaxAbsScaler,
        MinMaxScaler,
        Normalizer,
        RobustScaler,
        StandardScaler,
    )  # fmt: skip

    found: list[Any] = [
        make_pipeline(first, LogisticRegression())
        for first in (Binarizer(threshold=0.5), MaxAbsScaler(), MinMaxScaler(), Normalizer(),
                      RobustScaler(with_centering=False), SimpleImputer())
    ]  # fmt: skip
    found.append(make_pipeline(StandardScaler(with_mean=False), LogisticRegression()))
    for path in sorted(set(LEARNERS) - {"sklearn.pipeline.Pipeline"}):
        cls: Any = class_named(path)
        own = cls().get_params()
        few = {"n_estimators": 2, "max_iter": 30, "n_neighbors": 3, "cv": 2, "max_depth": 3}
        found.append(cls(**{key: few[key] for key in few if key in own}))
    found += [KNeighborsClassifier(3, algorithm=name) for name in ("kd_tree", "ball_tree", "brute")]
    return found


def _thresholded() -> list[Any]:
    from sklearn.svm import LinearSVC

    found: list[Any] = [make("cc-ldf", threshold="scut"), make("br", threshold=0.25)]
    found.append(ThresholdedClassifier(make("ecc", n_estimators=2), "cardinality"))
    found.append(ThresholdedClassifier(StructuredClassifier({}, base_estimator=LinearSVC())))
    return found


def _pack(header: dict[str, Any], body: bytes) -> bytes:
    text = json.dumps(header).encode()
    whole = MAGIC + struct.pack("<QQQ", VERSION, len(text), len(body)) + text + body
    return whole + hashlib.sha256(whole).digest()


class StoredModels(Target):
    """Loads a model file and predicts with it; a refusal is one sentence."""

    name = "model"
    suffix = ".mlfs"
    grace = 2.0
    per_byte = 1000

    def prepare(self) -> None:
        self.examples: list[tuple[bytes, bool, np.ndarray]] = []
        self.folder = tempfile.TemporaryDirectory(prefix="mlfs-fuzz-model-")
        self.place = str(Path(self.folder.name) / "t.mlfs")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for sparse in (False, True):
                for learner in _learners():
                    self._learn(StructuredClassifier({1: [0]}, base_estimator=learner), sparse)
            for name in available():
                few = {"max_trees": 2} if name in ("mc", "mc-ldf") else {}
                few = {"n_estimators": 3} if name.startswith("br-forest") else few
                self._learn(make(name, **few), False)
            for model in _thresholded():
                self._learn(model, False)

    def _learn(self, model: Any, sparse: bool) -> None:
        X, Y = _data(sparse)
        try:
            model.fit(X, Y)
        except (TypeError, ValueError):
            if not sparse:
                raise
            return  # it takes no sparse rows
        save(model, self.place, force=True)
        content = Path(self.place).read_bytes()
        self.examples.append((content, sparse, np.asarray(model.predict(X))))
        if not self.run(Case(content, {"example": len(self.examples) - 1})):
            raise Finding(f"a sound model is refused: {model}")

    def generate(self, rng: random.Random) -> Case:
        number = rng.randrange(len(self.examples))
        content = self.examples[number][0]
        size = struct.unpack("<Q", content[16:24])[0]
        header = json.loads(content[START : START + size])
        body = bytearray(content[START + size : -32])
        if rng.random() < 0.02:  # what is the same is answered the same
            return Case(_pack(header, bytes(body)), {"example": number})
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            rng.choice(CHANGES)(rng, header, body)
        content = _pack(header, bytes(body))
        if rng.random() < 0.05:
            content = mutate(rng, content, [self.examples[0][0]])
        return Case(content, {"sparse": self.examples[number][1]})

    def run(self, case: Case) -> bool:
        example = case.options.get("example")
        sparse = case.options.get("sparse", example is not None and self.examples[example][1])
        Path(self.place).write_bytes(case.content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = load_stored(self.place).model
            except MlfsError as error:
                check_sentence(str(error), self.place)
                if example is not None:
                    raise Finding(f"a sound model is refused: {error}") from None
                return False
            rows = _data(sparse)[0]
            try:
                found = answer(Console(), self.place, lambda: model.predict(rows))
            except MlfsError as error:  # rows of another width, a search without an end
                check_sentence(f"{self.place}: {error}", self.place)
                return False
            except MemoryError:  # a forged model may take any; reading it may not
                return False
        if example is not None and not np.array_equal(found, self.examples[example][2]):
            raise Finding("a sound model answers otherwise")
        return True


# ---- changes of a header and of the arrays -----------------------------------------------------


def _places(header: dict[str, Any]) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    stack: list[Any] = [header["objects"], header["model"], header["table"]]
    seen: set[int] = set()  # a node that is there often would be met 2^40 times
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for key in node if isinstance(node, dict) else range(len(node)):
            found.append((node, key))
            if isinstance(node[key], (dict, list)):
                stack.append(node[key])
    return found


def _odd_value(rng: random.Random, header: dict[str, Any], _: bytearray) -> None:
    node, key = rng.choice(_places(header))
    node[key] = copy.deepcopy(rng.choice(ODD))


def _other_value(rng: random.Random, header: dict[str, Any], _: bytearray) -> None:
    (node, key), (other, name) = (rng.choice(_places(header)) for _ in range(2))
    node[key] = copy.deepcopy(other[name])


def _attribute(rng: random.Random, header: dict[str, Any], _: bytearray) -> None:
    """Of an object with many attributes one is changed, taken from another, removed or added."""
    states = [one[1] for one in header["objects"] if isinstance(one, list) and len(one) == 2]
    states = [one for one in states if isinstance(one, dict) and one]
    if not states:
        return
    state, other = rng.choice(states), rng.choice(states)
    key = rng.choice(list(state))
    kind = rng.randrange(4)
    if kind == 0:
        state[key] = copy.deepcopy(rng.choice(ODD))
    elif kind == 1:
        state[key] = copy.deepcopy(other[rng.choice(list(other))])
    elif kind == 2:
        del state[key]
    else:
        state[rng.choice(("_impl", "predict", "__class__", "x_", *other))] = rng.choice(WHOLE)


def _kind(rng: random.Random, header: dict[str, Any], _: bytearray) -> None:
    if header["objects"] and isinstance(one := rng.choice(header["objects"]), list) and one:
        one[0] = rng.choice(NAMES)


def _shared(rng: random.Random, header: dict[str, Any], _: bytearray) -> None:
    """Lists that name one object again and again, and objects in pairs of pairs."""
    n = len(header["objects"])
    node, key = rng.choice(_places(header))
    one = {"object": rng.randrange(n)}
    if rng.random() < 0.5:
        node[key] = [one] * rng.choice((2, 50, 5000))
        return
    inner: Any = one
    for depth in range(rng.choice((3, 20, 70))):
        inner = {"tuple": [inner, inner]} if depth < 8 else [inner]
    node[key] = inner


def _numbers(rng: random.Random, header: dict[str, Any], body: bytearray) -> None:
    """Some numbers of an array."""
    at = 0
    spans = []
    for dtype, _, shape in header["arrays"]:
        size = np.dtype(dtype).itemsize * int(np.prod(shape))
        spans.append((dtype, at, size))
        at += -(-size // 8) * 8
    dtype, at, size = rng.choice(spans)
    kind = np.dtype(dtype)
    for _ in range(rng.choice((1, 1, 2, 10))):
        if size:
            place = at + rng.randrange(size // kind.itemsize) * kind.itemsize
            value = rng.choice(REAL) if kind.kind == "f" else rng.choice(WHOLE)
            with np.errstate(all="ignore"):
                new = np.array(value).astype(kind, casting="unsafe").tobytes()
            body[place : place + kind.itemsize] = new


def _declared(rng: random.Random, header: dict[str, Any], _: bytearray) -> None:
    """What the header says of an array."""
    one = rng.choice(header["arrays"])
    kind = rng.randrange(5)
    if kind == 0:
        one[0] = rng.choice(("<f8", "<f4", "<i8", "<i4", "<u8", "|u1", "|b1", "<c16", "|O"))
    elif kind == 1:
        one[1] = "F" if one[1] == "C" else "C"
    elif kind == 2:
        one[2] = one[2][::-1]
    elif kind == 3:
        size = int(np.prod(one[2]))
        one[2] = rng.choice(([size], [1, size], [size, 1], [0, 1 << 47, 1 << 47], [size, 1, 1]))
    else:
        one[2] = [rng.choice((0, 1, 2, 1 << 40)), *one[2][1:]]


def _resized(rng: random.Random, header: dict[str, Any], body: bytearray) -> None:
    """An array of one row less or more, with its bytes."""
    number = rng.randrange(len(header["arrays"]))
    at = 0
    for k, (dtype, _, shape) in enumerate(header["arrays"]):
        item = np.dtype(dtype).itemsize
        size = item * int(np.prod(shape))
        padded = -(-size // 8) * 8
        if k == number and shape and shape[0]:
            rows = max(0, shape[0] + rng.choice((-1, 1, -shape[0], shape[0])))
            header["arrays"][k][2] = [rows, *shape[1:]]
            new = size // shape[0] * rows
            content = (bytes(body[at : at + size]) * 2)[:new]
            body[at : at + padded] = content + bytes(-(-new // 8) * 8 - new)
            return
        at += padded


CHANGES = [
    _odd_value, _other_value, _attribute, _attribute, _attribute, _kind, _shared, _numbers,
    _numbers, _numbers, _declared, _resized, _resized,
]  # fmt: skip
