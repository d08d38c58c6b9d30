"""Model files: sound ones of several learners with something wrong in what they say."""

from __future__ import annotations

import copy
import io
import json
import random
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from mlfs.errors import MlfsError
from mlfs.models import available, make
from mlfs.models.model_files import OWN_MEMBER, load_stored, save
from tests.fuzz.cases import Case, Finding, Target
from tests.fuzz.mutation import mutate
from tests.fuzz.readers.reader import check_sentence

SCHEMA = "schema.json"
NAMES = [
    ("posix", "system"), ("builtins", "eval"), ("builtins", "dict"), ("operator", "attrgetter"),
    ("mlfs.models.features", "LDF"), ("mlfs.models.model_files", "save"), ("pickle", "loads"),
    ("sklearn.svm._classes", "LinearSVC"), ("numpy", "ndarray"), ("functools", "partial"),
]  # fmt: skip
LOADERS = [
    "ObjectNode", "DictNode", "ListNode", "TupleNode", "JsonNode", "TypeNode", "FunctionNode",
    "MethodNode", "PartialNode", "ConstructorFromReduceNode", "OperatorFuncNode", "NdArrayNode",
    "TreeNode", "BytesNode", "SliceNode", "CachedNode", "NoNode",
]  # fmt: skip
ODD: list[Any] = [None, True, 0, -1, 1 << 62, 1e300, "", "x", "1", "[]", "../x", [], {}, [[]]]


def _data() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(3)
    X = draw.random((40, 5))
    return X, (X[:, :2] + 0.3 * draw.random((40, 2)) > 0.65).astype(np.int8)


class StoredModels(Target):
    """Loads a model file; a refusal is one sentence, and no other type than a trusted one is made.

    A forged model may answer anything, so that only sound ones are asked.
    """

    name = "model"
    suffix = ".mlfs"
    grace = 2.0
    per_byte = 1000

    def prepare(self) -> None:
        self.examples: list[tuple[bytes, np.ndarray]] = []
        self.folder = tempfile.TemporaryDirectory(prefix="mlfs-fuzz-model-")
        self.place = str(Path(self.folder.name) / "t.mlfs")
        X, Y = _data()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in available():
                few = {"max_trees": 2} if name in ("mc", "mc-ldf") else {}
                few = {"n_estimators": 3} if name.startswith("br-forest") else few
                model = make(name, **few).fit(X, Y)
                save(model, self.place, force=True)
                content = Path(self.place).read_bytes()
                self.examples.append((content, np.asarray(model.predict(X))))
                if not self.run(Case(content, {"example": len(self.examples) - 1})):
                    raise Finding(f"a sound model is refused: {model}")

    def generate(self, rng: random.Random) -> Case:
        number = rng.randrange(len(self.examples))
        content = self.examples[number][0]
        if rng.random() < 0.02:  # what is the same is answered the same
            return Case(content, {"example": number})
        members = _members(content)
        for _ in range(rng.choice((1, 1, 1, 2, 4))):
            rng.choice(CHANGES)(rng, members)
        content = _archive(members, rng.choice((zipfile.ZIP_STORED,) * 9 + (zipfile.ZIP_DEFLATED,)))
        if rng.random() < 0.2:
            content = mutate(rng, content, [self.examples[0][0]])
        return Case(content)

    def run(self, case: Case) -> bool:
        Path(self.place).write_bytes(case.content)
        example = case.options.get("example")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = load_stored(self.place).model
            except MlfsError as error:
                check_sentence(str(error), self.place)
                if example is not None:
                    raise Finding(f"a sound model is refused: {error}") from None
                return False
            except MemoryError:  # a forged array may declare any size
                return False
            if example is not None:
                found = model.predict(_data()[0])
                if not np.array_equal(found, self.examples[example][1]):
                    raise Finding("a sound model answers otherwise")
        return True


# ---- changes of an archive ---------------------------------------------------------------------


def _members(content: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members: dict[str, Any] = {name: archive.read(name) for name in archive.namelist()}
    members[SCHEMA] = json.loads(members[SCHEMA])
    return members


def _archive(members: dict[str, Any], compression: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in members.items():
            text = json.dumps(content).encode() if name == SCHEMA else content
            archive.writestr(name, text)
    return out.getvalue()


def _places(schema: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    stack: list[Any] = [schema]
    while stack:
        node = stack.pop()
        for key in node if isinstance(node, dict) else range(len(node)):
            found.append((node, key))
            if isinstance(node[key], (dict, list)):
                stack.append(node[key])
    return found


def _odd_value(rng: random.Random, members: dict[str, Any]) -> None:
    node, key = rng.choice(_places(members[SCHEMA]))
    node[key] = copy.deepcopy(rng.choice(ODD))


def _other_value(rng: random.Random, members: dict[str, Any]) -> None:
    places = _places(members[SCHEMA])
    (node, key), (other, name) = rng.choice(places), rng.choice(places)
    node[key] = json.loads(json.dumps(other[name]))


def _kind(rng: random.Random, members: dict[str, Any]) -> None:
    """An object of another class, or made in another way."""
    nodes = [node for node, key in _places(members[SCHEMA]) if key == "__class__"]
    if nodes:
        node = rng.choice(nodes)
        if rng.random() < 0.5:
            node["__module__"], node["__class__"] = rng.choice(NAMES)
        else:
            node["__loader__"] = rng.choice(LOADERS)


def _deep(rng: random.Random, members: dict[str, Any]) -> None:
    places = _places(members[SCHEMA])
    node, key = rng.choice(places)
    inner = node[key]
    for _ in range(rng.choice((3, 30, 90))):
        inner = {"__class__": "list", "__module__": "builtins", "__loader__": "ListNode",
                 "content": [inner]}  # fmt: skip
    node[key] = inner


def _member(rng: random.Random, members: dict[str, Any]) -> None:
    """An array that is damaged, another one, or gone."""
    names = [name for name in members if name != SCHEMA]
    name, other = rng.choice(names), rng.choice(names)
    kind = rng.randrange(4)
    if kind == 0:
        members[name] = mutate(rng, members[name], [members[other]])
    elif kind == 1:
        members[name] = members[other]
    elif kind == 2:
        del members[name]
    else:
        members[OWN_MEMBER] = rng.choice((b"{}", b"[", b'{"versions": {}}', b'{"versions": 3}'))


CHANGES = [_odd_value, _other_value, _kind, _kind, _deep, _member, _member]
