"""CSV and TSV files: cells, quotes and line ends by the rules, then changed; compared with csv."""

from __future__ import annotations

import csv
import io
import math
import random
from typing import Any

from mlfs.data.dataset import Dataset
from mlfs.data.delimited import csv_reader
from tests.fuzz.cases import Case, Finding
from tests.fuzz.mutation import mutate
from tests.fuzz.readers.reader import dense
from tests.fuzz.readers.texts import ENDS, Compiled, names, number

WORDS = ["red", "blue", "a b", "é", "x'y", "NA", "nan", "?", "", "0", "=1", "日", "a|b", "b", "|"]
ODD = ['"', '""', '"a', 'a"b', '"a"b', ' "a"', '"a" ', "\r", "\n", "\x00", ",", "\t", '"\n"']
MISSING = {"", "?", "NA", "NaN", "nan"}


class Csv(Compiled):
    """The reader of CSV files."""

    name = form = "csv"
    suffix = ".csv"
    separator = ","

    def prepare(self) -> None:
        csv_reader.SMALL = 0  # let the kernel read small files too
        s = self.separator
        rows = f"a{s}w{s}y\n1.5{s}red{s}0\n9{s}blue{s}1\n".encode()
        self.examples = (Case(rows, {"labels": "last:1"}),)
        super().prepare()

    def generate(self, rng: random.Random) -> Case:
        trouble = rng.choice((0, 0, 0, 0.02, 0.1))
        d, q, n = rng.randint(1, 5), rng.randint(1, 3), rng.randint(1, 9)
        end, s = rng.choice(ENDS), self.separator
        own = names(rng, d + q, "a", 0.2 if trouble else 0)
        wordy = [rng.random() < 0.3 for _ in range(d)]
        lists = rng.random() < 0.1
        lines = [s.join(self._quoted(rng, name, trouble) for name in own)]
        for _ in range(n):
            cells = [
                self._quoted(rng, rng.choice(WORDS), trouble) if wordy[j]
                else rng.choice(("", "NA", "?")) if rng.random() < 0.1
                else number(rng, trouble)
                for j in range(d)
            ]  # fmt: skip
            cells += [
                rng.choice("01") if not lists else rng.choice(("u|v", "", "w", "u"))
                for _ in range(q)
            ]
            if rng.random() < trouble:
                cells[rng.randrange(len(cells))] = rng.choice(ODD)
            if rng.random() < trouble / 2:
                cells.pop()
            lines.append(s.join(cells))
        content = end.join(lines).encode() + (end.encode() if rng.random() < 0.9 else b"")
        labels = f"last:{q}" if rng.random() < 0.9 else rng.choice(("a0", "*", "y,z", own[-1]))
        if lists and q == 1:
            labels = own[-1]
        options: dict[str, Any] = {"labels": labels}
        if rng.random() < 0.1:
            options["classes"] = True
        if rng.random() < 0.35:
            content = mutate(rng, content)
            if rng.random() < 0.1:
                options["encoding"] = rng.choice(("latin-1", "utf-16", "ascii", "cp1252"))
        elif trouble == 0:
            options["expected"] = True
        return Case(content, options)

    def request(self, case: Case) -> Any:
        plain = {key: value for key, value in case.options.items() if key != "expected"}
        return super().request(Case(case.content, plain))

    def _quoted(self, rng: random.Random, text: str, trouble: float) -> str:
        if rng.random() < trouble:
            return rng.choice((text, *ODD))
        odd = any(c in text for c in ',\t"\n\r') or text != text.strip()
        if odd or rng.random() < 0.02:
            return '"' + text.replace('"', '""') + '"'
        return text

    def compare(self, case: Case, found: Dataset | str) -> None:
        super().compare(case, found)
        if isinstance(found, str) or not case.options.get("expected"):
            return
        text = io.StringIO(case.content.decode(), newline="")
        rows = [row for row in csv.reader(text, delimiter=self.separator) if row]
        where = {name: j for j, name in enumerate(name.strip() for name in rows[0])}
        X = dense(found.X)
        for j, column in enumerate(found.columns):
            for i, row in enumerate(rows[1:]):
                cell, value = row[where[column.name]].strip(), X[i, j]
                if column.kind == "numeric":
                    expected = math.nan if cell in MISSING else float(cell)
                    right = expected == value or (math.isnan(expected) and math.isnan(value))
                elif math.isnan(value):
                    right = cell in MISSING
                else:
                    right = column.values[int(value)].strip() == cell
                if not right:
                    raise Finding(f"csv reads {cell!r} where we read {value}")


class Tsv(Csv):
    """The reader of TSV files."""

    name = form = "tsv"
    suffix = ".tsv"
    separator = "\t"
