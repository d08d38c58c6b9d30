"""Parquet files: tables of any types and encodings, then changed in their pages and metadata."""

from __future__ import annotations

import io
import random
import struct
from typing import Any

import numpy as np

from mlfs.data.dataset import Dataset
from tests.fuzz.cases import Case, Finding
from tests.fuzz.mutation import mutate
from tests.fuzz.readers.reader import Reader, dense
from tests.fuzz.readers.texts import names

POOL = 40  # tables of which the cases are made: to write one takes longer than to read it


class Parquet(Reader):
    """The reader of Parquet files."""

    name = form = "parquet"
    suffix = ".parquet"

    def prepare(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet

        self.pa = pa
        self.pool: dict[int, tuple[bytes, str]] = {}
        super().prepare()

    def generate(self, rng: random.Random) -> Case:
        one = rng.randrange(POOL) if rng.random() < 0.9 else rng.randrange(1 << 30)
        if one not in self.pool:
            found = self._table(random.Random(f"table {one}"))
            if one >= POOL:
                content, labels = found
                return Case(content, {"labels": labels, "whole": True})
            self.pool[one] = found
        content, labels = self.pool[one]
        options: dict[str, Any] = {"labels": labels, "classes": rng.random() < 0.3}
        if rng.random() < 0.05:
            return Case(content, {**options, "whole": True})
        others = [kept for kept, _ in self.pool.values()]
        size = struct.unpack("<I", content[-8:-4])[0]
        cut = len(content) - 8 - size
        place = rng.randrange(3)
        if place == 0:  # the pages
            content = mutate(rng, content[:cut], others) + content[cut:]
        elif place == 1:  # the metadata, whose length stays right
            meta = mutate(rng, content[cut:-8], others)
            content = content[:cut] + meta + struct.pack("<I", len(meta)) + b"PAR1"
        else:
            content = mutate(rng, content, others)
        return Case(content, options)

    def _table(self, rng: random.Random) -> tuple[bytes, str]:
        pa = self.pa
        n, d = rng.choice((1, 3, 8, 40)), rng.randint(1, 4)
        own = names(rng, d + 1, "a", 0.2)
        columns = [self._column(rng, n) for _ in range(d)]
        lists = rng.random() < 0.2
        columns.append(
            pa.array([rng.choice((["u"], ["u", "v"], [], None)) for _ in range(n)], pa.list_(pa.string()))
            if lists else pa.array([rng.randint(0, 1) for _ in range(n)])
        )  # fmt: skip
        out = io.BytesIO()
        options: dict[str, Any] = {
            "compression": rng.choice(("none", "snappy", "gzip", "zstd", "brotli", "lz4")),
            "use_dictionary": rng.random() < 0.5,
            "row_group_size": rng.choice((n, 2)),
            "data_page_version": rng.choice(("1.0", "2.0")),
            "store_schema": rng.random() < 0.6,
        }
        pa.parquet.write_table(pa.table(columns, names=own), out, **options)
        return out.getvalue(), own[-1]

    def _column(self, rng: random.Random, n: int) -> Any:
        pa = self.pa
        none = rng.random() < 0.3
        kind = rng.randrange(10)

        def some(value: Any) -> Any:
            return None if none and rng.random() < 0.2 else value

        if kind == 0:
            return pa.array(
                [some(rng.choice(("red", "blue", "é", ""))) for _ in range(n)], pa.string()
            )
        if kind == 1:
            return pa.array([some(rng.random() < 0.5) for _ in range(n)], pa.bool_())
        if kind == 2:
            codes = pa.array([some(rng.randrange(2)) for _ in range(n)], pa.int32())
            return pa.DictionaryArray.from_arrays(codes, pa.array(["z", "y"]))
        if kind == 3:
            return pa.array([some(rng.randint(0, 10**6)) for _ in range(n)], pa.timestamp("ms"))
        if kind == 4:
            return pa.array([some({"p": 1}) for _ in range(n)])
        types = (pa.float64(), pa.float32(), pa.int8(), pa.int64(), pa.uint16(), pa.float16())
        one = rng.choice(types)
        values = [some(rng.randint(0, 9)) for _ in range(n)]
        if pa.types.is_floating(one):
            return pa.array([None if v is None else np.float16(v) for v in values], one)
        return pa.array(values, one)

    def compare(self, case: Case, found: Dataset | str) -> None:
        if not case.options.get("whole"):
            return
        if isinstance(found, str):
            if "no column is left" in found or "values" in found or "names no label" in found:
                return
            raise Finding(f"a sound file is refused: {found}")
        table = self.pa.parquet.read_table(io.BytesIO(case.content))
        X = dense(found.X)
        for j, column in enumerate(found.columns):
            values = table.column(column.name).to_pylist()
            for expected, value in zip(values, X[:, j].tolist(), strict=True):
                if expected is None:
                    right = value != value  # noqa: PLR0124
                elif column.kind == "nominal":
                    right = column.values[int(value)] == str(expected)
                else:
                    right = float(expected) == value
                if not right:
                    raise Finding(f"pyarrow reads {expected!r} where we read {value}")
