"""MATLAB files: variables element by element, with any field wrong; compared with scipy."""

from __future__ import annotations

import io
import random
import struct
import warnings
import zlib
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset
from tests.fuzz.cases import Case
from tests.fuzz.mutation import mutate
from tests.fuzz.readers.reader import Reader, check_numbers

TYPES = {1: "b", 2: "B", 3: "h", 4: "H", 5: "i", 6: "I", 7: "f", 9: "d", 12: "q", 13: "Q"}
CLASSES = {6: 9, 7: 7, 8: 1, 9: 2, 10: 3, 11: 4, 12: 5, 13: 6, 14: 12, 15: 13}
ODD_TYPES = [0, 1, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 99, 255, 10**9, (1 << 32) - 1]
ODD_SIZES = [0, 1, 4, 7, 8, 9, 1 << 16, 10**8, (1 << 31) - 1, 1 << 31, (1 << 32) - 1]


class Writer:
    """Writes the elements of a file; `trouble` is how often a field is another than it should."""

    def __init__(self, rng: random.Random, trouble: float) -> None:
        self.rng, self.trouble = rng, trouble
        self.order = rng.choice("<<<>")
        self.nested = 0

    def odd(self, value: int, others: list[int]) -> int:
        return self.rng.choice(others) if self.rng.random() < self.trouble else value

    def pack(self, form: str, *values: Any) -> bytes:
        return struct.pack(self.order + form, *values)

    def element(self, kind: int, content: bytes, *, small: bool | None = None) -> bytes:
        size = self.odd(len(content), ODD_SIZES)
        kind = self.odd(kind, ODD_TYPES)
        if small is None:
            small = len(content) <= 4 and self.rng.random() < 0.5
        if small and len(content) <= 4:
            word = ((size & 0xFFFF) << 16) | (kind & 0xFFFF)
            return self.pack("I", word) + content.ljust(4, b"\0")
        padding = b"\0" * (-len(content) % 8) if kind != 15 else b""
        return self.pack("II", kind, size) + content + padding

    def numbers(self, kind: int, values: Any) -> bytes:
        kind = self.odd(kind, list(TYPES))
        code = TYPES[kind]
        try:
            packed = b"".join(self.pack(code, v if code in "df" else int(v)) for v in values)
        except (struct.error, OverflowError, ValueError):
            kind, packed = 9, b"".join(self.pack("d", float(v)) for v in values)
        return self.element(kind, packed)

    def matrix(
        self,
        name: str,
        kind: int,
        shape: tuple[int, ...],
        parts: list[bytes],
        flags: int = 0,
        nzmax: int = 0,
    ) -> bytes:
        kind = self.odd(kind, [*range(20), 99, 255])
        flags = self.odd(flags, [2, 4, 8, 10])
        shape = tuple(self.odd(n, [-1, 0, 1, 2, 3, 10**8, (1 << 31) - 1]) for n in shape)
        if self.rng.random() < self.trouble:
            shape = self.rng.choice(
                ((), shape[:1], shape * 2, (*shape, 0), (1 << 16,) * 3, (2,) * 33)
            )
        nzmax = self.odd(nzmax, ODD_SIZES)
        head = self.element(6, self.pack("II", flags << 8 | kind, nzmax & 0xFFFFFFFF), small=False)
        dims = self.element(5, b"".join(self.pack("i", n) for n in shape), small=False)
        label = self.element(1, name.encode())
        parts = [part for part in parts if self.rng.random() >= self.trouble / 2]
        return self.element(14, head + dims + label + b"".join(parts), small=False)

    def dense(self, name: str, array: np.ndarray) -> bytes:
        kind = self.rng.choice((6, 6, 6, 7, 8, 9, 10, 12, 14, 15))
        flat = array.ravel(order="F").tolist()
        if kind != 6 and not all(float(v).is_integer() and 0 <= v < 100 for v in flat):
            kind = 6
        stored = CLASSES[kind]
        if self.rng.random() < 0.3 and all(float(v).is_integer() and 0 <= v < 100 for v in flat):
            stored = self.rng.choice((1, 2, 3, 4, 5, 9))
        parts = [self.numbers(stored, flat)]
        flags = 2 if kind == 9 and set(flat) <= {0, 1} and self.rng.random() < 0.5 else 0
        if self.rng.random() < self.trouble:
            flags |= 8
            parts.append(self.numbers(9, flat))
        return self.matrix(name, kind, array.shape, parts, flags)

    def sparse(self, name: str, array: np.ndarray) -> bytes:
        held = sp.csc_array(array)
        indices = [self.odd(int(v), [-1, 10**8, 0, 1 << 31]) for v in held.indices]
        ends = [self.odd(int(v), [-1, 10**8, 0, 5, 1 << 31]) for v in held.indptr]
        parts = [
            self.numbers(5, indices),
            self.numbers(5, ends),
            self.numbers(9, held.data.tolist()),
        ]
        return self.matrix(name, 5, array.shape, parts, nzmax=max(1, held.nnz))

    def text(self, name: str, value: str) -> bytes:
        kind = self.rng.choice((4, 4, 16, 17))
        size = len(value)
        packed = {
            4: lambda: b"".join(self.pack("H", ord(c) & 0xFFFF) for c in value),
            16: value.encode,
            17: lambda: value.encode("utf-16-le" if self.order == "<" else "utf-16-be"),
        }[kind]()
        if kind == 16 and self.rng.random() < self.trouble:
            packed = b"\xff\xfe"[: self.rng.randrange(3)] + packed
        return self.matrix(name, 4, (1, size), [self.element(kind, packed)])

    def cells(self, name: str, texts: list[str]) -> bytes:
        return self.matrix(name, 1, (len(texts), 1), [self.text("", text) for text in texts])

    def other(self) -> bytes:
        """A variable that is none of ours."""
        name = self.rng.choice(("other", "x", "data2", "_", "é"))
        kind = self.rng.choice((2, 3, 16, 17, 1, 4, 6))
        depth = self.rng.choice((0, 1, 3, 200))
        inner = self.dense("", np.ones((1, 1)))
        for _ in range(depth):
            inner = self.matrix("", 1, (1, 1), [inner])
        if kind in (1, 4, 6):
            return self.matrix(name, kind, (1, 1), [inner])
        return self.matrix(name, kind, (1, 1), [self.element(5, b"\4\0\0\0"), inner])

    def variable(self, element: bytes) -> bytes:
        """A variable, compressed or not."""
        if self.rng.random() < 0.5:
            return element
        packed = zlib.compress(element, self.rng.choice((1, 6, 0)))
        if self.rng.random() < self.trouble:
            packed = self.rng.choice(
                (packed[:-4], packed + b"x", zlib.compress(packed), packed[:9], b"",
                 zlib.compress(element[:8] + b"\0" * 3_000_000), zlib.compress(element[:30]))
            )  # fmt: skip
        return self.pack("II", self.odd(15, ODD_TYPES), self.odd(len(packed), ODD_SIZES)) + packed


class Mat(Reader):
    """The reader of MATLAB files."""

    name = form = "mat"
    suffix = ".mat"

    def prepare(self) -> None:
        from scipy.io import loadmat

        self.other = loadmat
        super().prepare()

    def generate(self, rng: random.Random) -> Case:
        trouble = rng.choice((0, 0, 0.01, 0.01, 0.03, 0.1))
        writer = Writer(rng, trouble)
        n, d, q = rng.randint(1, 6), rng.randint(1, 5), rng.randint(1, 4)
        values = rng.choice(
            ([0, 1, 2], [0, 0, 1], [0.5, -1.0, float("nan"), 1e300, 0], [1e-320, 0, 3])
        )
        parts = rng.choice(([""], [""], [""], ["train_", "test_"], ["train_"]))
        elements = []
        for part in parts:
            X = np.array([[rng.choice(values) for _ in range(d)] for _ in range(n)])
            labels = rng.choice(([0, 1], [-1, 1], [0, 1, float("nan")], [1, 2, 3]))
            Y = np.array([[rng.choice(labels) for _ in range(q)] for _ in range(n)], dtype=float)
            store = rng.choice((writer.dense, writer.dense, writer.sparse))
            elements.append(store(part + "data", X.T if rng.random() < 0.1 else X))
            store = rng.choice((writer.dense, writer.dense, writer.sparse))
            elements.append(store(part + "target", Y.T if rng.random() < 0.6 else Y))
        if rng.random() < 0.3:
            names = [rng.choice(("a", "é", "", "x y", "😀")) + str(j) for j in range(d)]
            elements.append(writer.cells("feature_names", names))
        if rng.random() < 0.2:
            elements.append(writer.cells("label_names", [f"l{j}" for j in range(q)]))
        if rng.random() < 0.1:
            elements.append(writer.dense("weights", np.array([[float(rng.randrange(4))]] * n)))
        if rng.random() < 0.1:
            columns = np.array([[float(rng.randint(1, d))] for _ in range(3)])
            elements.append(writer.dense("nominal_columns", columns))
            elements.append(writer.cells("nominal_values", ["u", "v", "w"]))
        others = rng.random() < 0.2
        if others:
            elements.append(writer.other())
        if rng.random() < 0.2:
            rng.shuffle(elements)
        head = b"MATLAB 5.0 MAT-file".ljust(124) + writer.pack("H", 0x0100)
        head += b"IM" if writer.order == "<" else b"MI"
        content = head + b"".join(map(writer.variable, elements))
        whole = trouble == 0 and not others
        if rng.random() < 0.3:
            content, whole = mutate(rng, content), False
        options: dict[str, Any] = {"classes": True} if rng.random() < 0.2 else {}
        if whole:
            options["whole"] = True
        return Case(content, options)

    def compare(self, case: Case, found: Dataset | str) -> None:
        if isinstance(found, str) or not case.options.get("whole"):
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = self.other(io.BytesIO(case.content))
        parts = [part for part in ("", "train_", "test_") if part + "data" in read]
        if len(parts) != 1 or "nominal_columns" in read:
            return
        X = read[parts[0] + "data"]
        check_numbers("X", found.X, X if found.X.shape == X.shape else X.T)
