"""npz files: arrays with any header, archives with any entry; read by numpy as well."""

from __future__ import annotations

import io
import random
import struct
import zipfile
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.dataset import Dataset
from tests.fuzz.cases import Case, Finding
from tests.fuzz.mutation import mutate
from tests.fuzz.readers.reader import Reader, check_numbers

DESCRS = ["'<f8'", "'<f4'", "'>f8'", "'<f2'", "'|b1'", "'|u1'", "'<i8'", "'<u8'", "'<U3'", "'<U0'",
          "'|S2'", "'|V0'", "'|O'", "'<c16'", "'<M8[ns]'", "[('a', '<f8')]", "'<U999999999'", "'f8'",
          "'<f16'", "'<i3'", "'garbage'", "b'f8'", "('<f8', (2,))", "'<U' * 9", "'\\x3cf8'"]  # fmt: skip
SHAPES = ["()", "(0,)", "(3,)", "(3, 2)", "(3, 0)", "(0, 3)", "(1000000000, 0)", "(-1, 2)", "(3, 2,)",
          "(100000000,)", "(3.0, 2)", "3", "(3, 2" + ", 1" * 40 + ")", "(9223372036854775808,)",
          "(True, 2)", "(3L, 2L)", "(None,)", "(" * 400, "[3, 2]", "(1e3, 2)"]  # fmt: skip
ORDERS = ["True", "False", "1", "None", "False, 'x': 1"]
KEYS = ["X", "Y", "X_data", "X_indices", "X_indptr", "X_shape", "Y_indptr", "feature_names",
        "label_names", "weights", "nominal_columns", "nominal_values", "label_columns", "label_values",
        "other", "é", "X.npy", "", "../X"]  # fmt: skip


def packed(array: np.ndarray) -> bytes:
    """An array as numpy writes it."""
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def odd_array(rng: random.Random) -> bytes:
    """An array whose header says anything."""
    parts = [f"'descr': {rng.choice(DESCRS)}", f"'fortran_order': {rng.choice(ORDERS)}",
             f"'shape': {rng.choice(SHAPES)}"]  # fmt: skip
    if rng.random() < 0.2:
        rng.shuffle(parts)
    if rng.random() < 0.1:
        parts.append(rng.choice(parts))
    text = ("{" + ", ".join(parts) + rng.choice((", }", "}", ", ", " + ()}"))).encode()
    text += b" " * rng.choice((0, 5, 100)) + b"\n"
    version = rng.choice(((1, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 0)))
    size = len(text) if rng.random() < 0.9 else rng.choice((0, 1, 65535, len(text) + 9))
    head = b"\x93NUMPY" + bytes(version) + struct.pack("<H" if version[0] < 2 else "<I", size)
    return head + text + rng.randbytes(rng.choice((0, 8, 24, 48, 3)))


def strange(rng: random.Random, array: np.ndarray) -> np.ndarray:
    """The same numbers in another type, or others."""
    kind = rng.choice(("f4", ">f8", "i8", "u8", "u1", "b1", "f2", "U3", "O", "c16", "i2", "S3"))
    with np.errstate(all="ignore"):
        found = array.astype(kind if array.dtype.kind in "iuf" else rng.choice(("O", "U3", "U9")))
    if rng.random() < 0.2 and found.size and found.dtype.kind in "iuf":
        big = {"f": 1.7e308, "i": 2**62 + 1, "u": 2**63 + 1}[found.dtype.kind]
        found = found.copy()
        if found.dtype.itemsize == 8:
            found.flat[rng.randrange(found.size)] = big
    return found


class Npz(Reader):
    """The reader of npz files."""

    name = form = "npz"
    suffix = ".npz"

    def generate(self, rng: random.Random) -> Case:
        trouble = rng.choice((0, 0, 0.05, 0.2))
        n, d, q = rng.randint(1, 6), rng.randint(1, 5), rng.randint(1, 4)
        X = np.array(
            [[rng.choice((0, 1, 2, 0.5)) for _ in range(d)] for _ in range(n)], dtype=float
        )
        Y = np.array([[rng.randint(0, 1) for _ in range(q)] for _ in range(n)])
        arrays: dict[str, Any] = {}
        for key, table in (("X", X), ("Y", Y)):
            if rng.random() < 0.4:
                held = sp.csr_array(table)
                arrays |= {f"{key}_data": held.data, f"{key}_indices": held.indices,
                           f"{key}_indptr": held.indptr, f"{key}_shape": np.array(held.shape)}  # fmt: skip
            else:
                arrays[key] = np.asfortranarray(table) if rng.random() < 0.3 else table
        if rng.random() < 0.3:
            arrays["feature_names"] = np.array([f"f{j}" for j in range(d)])
        if rng.random() < 0.2:
            arrays["weights"] = np.array([rng.choice((0.5, 1, 2)) for _ in range(n)])
        if rng.random() < 0.15:
            arrays["nominal_columns"] = np.array([rng.randrange(d) for _ in range(3)])
            arrays["nominal_values"] = np.array(["u", "v", "w"])
        if rng.random() < 0.1:
            arrays["label_columns"] = np.array([j for j in range(q) for _ in range(2)])
            arrays["label_values"] = np.array([v for _ in range(q) for v in ("p", "q")])
        members = []
        whole = trouble == 0
        for key, array in arrays.items():
            content = packed(array)
            if rng.random() < trouble:
                whole = False
                odd = rng.randrange(4)
                if odd == 0:
                    content = odd_array(rng)
                elif odd == 1:
                    content = packed(strange(rng, np.asarray(array)))
                elif odd == 2:
                    content = mutate(rng, content)
                else:
                    key = rng.choice(KEYS)
            if rng.random() >= trouble / 4:
                members.append((key, content))
                if rng.random() < trouble / 8:
                    members.append((key, content))
        content = self._archive(rng, members, trouble)
        if rng.random() < 0.25:
            content, whole = mutate(rng, content), False
        options: dict[str, Any] = {"whole": True} if whole else {}
        if rng.random() < 0.3:
            options["classes"] = True
        return Case(content, options)

    def _archive(
        self, rng: random.Random, members: list[tuple[str, bytes]], trouble: float
    ) -> bytes:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for key, content in members:
                kind = zipfile.ZIP_DEFLATED if rng.random() < 0.5 else zipfile.ZIP_STORED
                if rng.random() < trouble / 10:
                    kind = rng.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
                info = zipfile.ZipInfo(f"{key}.npy")
                archive.NameToInfo.pop(info.filename, None)
                archive.writestr(info, content, kind)
        found = bytearray(out.getvalue())
        if rng.random() < trouble:  # a size or an offset in the directory
            at = found.rfind(b"PK\x01\x02")
            if at >= 0:
                place = at + rng.choice((10, 16, 20, 24, 28, 42))
                word = rng.choice((0, 1, 8, 1000, 10**9, (1 << 32) - 1))
                found[place : place + 4] = struct.pack("<I", word)
        return bytes(found)

    def compare(self, case: Case, found: Dataset | str) -> None:
        if not case.options.get("whole"):
            return
        with np.load(io.BytesIO(case.content)) as held:
            sparse = "X_indptr" in held
            if isinstance(found, str):
                if "nominal" in found or "label" in found:
                    return
                raise Finding(f"a sound file is refused: {found}")
            X = held["X"] if not sparse else sp.csr_array(
                (held["X_data"], held["X_indices"], held["X_indptr"]), shape=tuple(held["X_shape"])
            )  # fmt: skip
            check_numbers("X", found.X, X)
